"""The offline engine: exchanges → candidates → selection within the budget → segments with narratives and cited facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, timedelta, tzinfo

import numpy as np
import numpy.typing as npt

from transforms.changes.undone_values import find_undone_value, list_works
from transforms.classify.boosted_trees import BoostedTrees
from transforms.classify.reach import MIN_REACH_BESIDE, judge_reach
from transforms.classify.row_kinds import FORM, MIN_RULE, KindModels, QuotedRow, choose_row_kind, predict_families
from transforms.classify.turn_classifier import TurnClassifier
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledSegment, DistilledWindow
from transforms.distil.modes import MODES
from transforms.distil.window_budget import grow_budget
from transforms.exchanges.current_values import ValueHistory, collect_values
from transforms.exchanges.denials import leaves_as_is
from transforms.exchanges.exchange import Exchange, change_exchange, select_exchanges, split_exchanges
from transforms.exchanges.menus import offers_next
from transforms.exchanges.passages import PASSAGE_WEIGHTS, PassageWeights
from transforms.language import cue_phrases
from transforms.language.entities import find_double_quoted
from transforms.language.relative_dates import find_stated_end
from transforms.language.sentences import QUESTION_MARKS, split_sentences
from transforms.offline import narratives
from transforms.offline.candidates import Candidate, find_lasting_kind, rename_kind, word_standing
from transforms.offline.causes.settled_causes import drop_parts_of_causes
from transforms.offline.find_candidates import (
    NARRATED_VERBS,
    SourcedCandidate,
    find_candidates,
    find_summary_candidates,
    is_small_talk,
    is_unmarked,
    is_unread,
    raise_statements,
    raise_words,
    tell_as_facts,
    tell_plainly,
)
from transforms.offline.outside.outside_facts import find_outside_facts
from transforms.offline.replies.doubted_words import mark_chat, mark_doubted
from transforms.offline.replies.statement_kinds import name_claim_kind, name_reporter
from transforms.offline.select_facts import fill_with_passages, select_candidates
from transforms.offline.summary_facts import compute_summary_budget
from transforms.offline.tasks import find_current_task, suggest_response
from transforms.offline.topics.candidates import find_carried
from transforms.offline.topics.choose import choose_title
from transforms.offline.topics.spans import join_short_topics, join_silent_topics
from transforms.offline.usefulness import (
    FEATURES,
    compute_features,
    predict_usefulness,
    raise_kinds,
    raise_new_values,
    weigh_by_usefulness,
)
from transforms.offline.user_facts import is_labelled
from transforms.tables.enums import OFFLINE, AgentMode, FactKind
from transforms.tables.tokens import count_tokens

SOON = timedelta(days=14)
"""What ends within this time is an order for these days, and no rule."""
ENGINE_VERSION = "offline-81"
MIN_SALIENCE = 0.3
"""A candidate of less salience is dropped, even when room is left."""
LASTING_SALIENCE = 0.5
"""Salience of words that the rules would drop, and learned models take for a rule."""
NARRATIVE_SHARE = 0.24
"""Largest share of the budget for titles and narratives."""
TOPIC_TOKENS = 41
"""Tokens of a title and the shortest narrative."""
Forms = npt.NDArray[np.float64]
"""Features of all candidates of a window, one row each (`compute_features`)."""
TOLD_SHARE = 0.5
"""Share of the budget that as many topics may need: the facts of a window have the other half."""


@dataclass(frozen=True, slots=True)
class ReadWindow:
    """A window as the engine reads it: its exchanges, the values that they give, and the candidates of facts.

    `wanted_tokens`: room beyond the budget for what a person says; `is_unread`: no rule reads the language that they type.
    """

    exchanges: list[Exchange]
    history: ValueHistory
    sourced: list[SourcedCandidate]
    wanted_tokens: int
    is_unread: bool


@dataclass(slots=True)
class OfflineEngine:
    """Implements `transforms.distil.engine_result.Engine`. `owner` names the person whose words facts quote; `zone` is the time
    zone of words such as "tomorrow". With a `classifier`, only paragraphs that it takes for the owner's are quoted as theirs.
    The kinds of fact that a `mode` of work is about are worth more, and so are `preferred` ones. With `usefulness`, learned trees
    leave out candidates that readers would hardly find useful, and weigh the others. What they leave of the budget is filled with
    passages of the agent, as `passages` weighs them. `exchanges` are those of the entries, when the caller has them.
    `is_foreign`: most of what the owner types, in all their sessions, is not English. `passage_tokens`: up to so many tokens of a
    window may such passages fill; None for all of the budget. With `kinds`, learned models name what a person's words do.
    """

    owner: str = "User"
    zone: tzinfo = UTC
    name: str = OFFLINE
    template_hash: str = ENGINE_VERSION
    classifier: TurnClassifier | None = None
    mode: AgentMode = "default"
    preferred: frozenset[FactKind] = frozenset()
    usefulness: BoostedTrees | None = None
    passages: PassageWeights = PASSAGE_WEIGHTS
    exchanges: tuple[Exchange, ...] = ()
    is_foreign: bool = False
    passage_tokens: int | None = None
    kinds: KindModels | None = None

    def distil(
        self,
        entries: list[Entry],
        topics: list[tuple[int, int]],
        earlier: list[str],
        budget_tokens: int,
        summarised: Sequence[Entry] = (),
    ) -> DistilledWindow:
        """Return the segments and facts of the entries; a function of its arguments alone."""
        read = self.read_window(entries, summarised)
        exchanges, history, sourced = read.exchanges, read.history, read.sourced
        spans = join_silent_topics(topics or ([(entries[0].ordinal, entries[-1].ordinal)] if entries else []), exchanges)
        spans = join_short_topics(spans, round(TOLD_SHARE * budget_tokens / TOPIC_TOKENS))
        parts = [select_exchanges(exchanges, first, last) for first, last in spans]
        limit = _compute_narrative_limit(budget_tokens, len(spans))
        written = [_write_narrative(part, self.owner, history, limit) for part in parts]
        spent = sum(count_tokens(f"{title}\n{narrative}") for title, narrative, _ in written)
        narratives = [narrative for _, narrative, _ in written]
        if read.is_unread:
            narratives = [tell_plainly(narrative, self.owner, NARRATED_VERBS) for narrative in narratives]
            written = [(title, text, ordinals) for (title, _, ordinals), text in zip(written, narratives, strict=True)]
        grown = grow_budget(budget_tokens, read.wanted_tokens + compute_summary_budget(entries))
        forms = compute_features(sourced, len(exchanges))
        weighed = self._weigh_candidates(self._spare_lasting(sourced, forms, exchanges), forms, earlier)
        agreed = _select_agreed(sourced, min(grown - spent, compute_summary_budget(entries)))
        room = grown - spent - sum(count_tokens(candidate.text) for candidate in agreed)
        others = [candidate for candidate in weighed if not any(candidate.text == same.text for same in agreed)]
        selected = drop_parts_of_causes([*select_candidates(others, room, narratives, earlier), *agreed])
        most = budget_tokens if self.passage_tokens is None else min(budget_tokens, self.passage_tokens)
        room = most - spent - sum(count_tokens(candidate.text) for candidate in selected)
        kept = [*(f"{title}\n{narrative}" for title, narrative, _ in written), *(candidate.text for candidate in selected)]
        selected += fill_with_passages(exchanges, room, kept, earlier, self.passages)
        selected = _name_claims(self._name_kinds(selected, sourced, forms, exchanges), sourced)
        if any(entry.speaker == "parent_agent" for entry in entries) and not any(part.typed.strip() for part in exchanges):
            selected = name_reporter(selected, {item.candidate.text for item in sourced if item.source in ("work", "incidents")})
        # beside the budget: they are short, and nothing is left out for them
        selected += find_outside_facts(exchanges, [candidate.text for candidate in selected])
        selected.sort(key=lambda candidate: candidate.topic_ordinal)
        fact_texts = [candidate.text for candidate in selected]
        written = [(title, tell_as_facts(text, self.owner, fact_texts), ordinals) for title, text, ordinals in written]
        days = {entry.ordinal: entry.said_at.astimezone(self.zone).date() for entry in [*summarised, *entries]}
        titles = _choose_titles(parts, [title for title, _, _ in written])
        titled_topics = zip(spans, titles, ((narrative, ordinals) for _, narrative, ordinals in written), strict=True)
        return DistilledWindow(
            segments=tuple(_build_segment(span, title, *rest, selected, days) for span, title, rest in titled_topics),
            current_task=find_current_task(exchanges),
            suggested_response=suggest_response(exchanges, self.owner, is_unread=read.is_unread),
        )

    def read_window(self, entries: list[Entry], summarised: Sequence[Entry] = ()) -> ReadWindow:
        """Return the exchanges of the entries and everything that may become a fact, before it is weighed."""
        exchanges = mark_chat([*self.exchanges] or split_exchanges(entries, self.classifier))
        is_window_unread = is_unread(exchanges, is_foreign=self.is_foreign)
        exchanges = [change_exchange(exchange, is_unread=is_window_unread) for exchange in exchanges]
        exchanges = mark_doubted(exchanges, self.classifier.openings if self.classifier else None)
        history = replace(collect_values(exchanges), is_undone=_find_undone_values(exchanges))
        sourced, wanted = [*find_candidates(exchanges, self.owner, history), *find_summary_candidates(entries, summarised)], 0
        if is_window_unread:
            sourced, wanted = raise_words(sourced, self.owner)
        elif is_small_talk(exchanges):
            sourced, wanted = raise_statements(sourced)
        else:
            is_all = is_unmarked(exchanges)
            sourced, wanted = raise_statements(sourced, in_lists=not is_all, is_all=is_all)
        return ReadWindow(exchanges, history, sourced, wanted, is_window_unread)

    def _weigh_candidates(self, sourced: list[SourcedCandidate], forms: Forms, earlier: list[str]) -> list[Candidate]:
        """Return the candidates that are salient enough, weighed by kind, by new values and by what readers find useful."""
        shares = predict_usefulness(forms, self.usefulness) if self.usefulness else [1.0] * len(sourced)
        salient = [(item, share) for item, share in zip(sourced, shares, strict=True) if item.candidate.salience >= MIN_SALIENCE]
        items = [item for item, _ in salient]
        candidates = raise_new_values(raise_kinds(items, {*MODES[self.mode].kinds, *self.preferred}), earlier)
        return weigh_by_usefulness(items, candidates, [share for _, share in salient]) if self.usefulness else candidates

    def _spare_lasting(self, sourced: list[SourcedCandidate], forms: Forms, exchanges: list[Exchange]) -> list[SourcedCandidate]:
        """Return the candidates; a person's words of little salience that learned models take for a rule with reach weigh enough
        to be looked at. Rules of language call most such words a remark."""
        return [
            replace(item, candidate=replace(item.candidate, salience=LASTING_SALIENCE))
            if item.candidate.salience < MIN_SALIENCE and self._is_lasting(item, form, exchanges)
            else item
            for item, form in zip(sourced, forms, strict=True)
        ]

    def _is_lasting(self, item: SourcedCandidate, form: npt.NDArray[np.float64], exchanges: Sequence[Exchange]) -> bool:
        exchange, reach = item.exchange, self.classifier.reach if self.classifier else None
        if item.source != "words" or self.kinds is None or self.classifier is None or reach is None:
            return False
        if exchange is None or exchange.is_chat or exchange.is_unread:
            return False
        row = describe_row(item, form, exchanges, self.classifier)
        if row is None or self._ends_soon(row.quote, exchange) or judge_reach(row.quote, reach).odds < MIN_REACH_BESIDE:
            return False
        return predict_families(row, self.kinds)["rule"] >= MIN_RULE

    def _name_kinds(
        self, selected: list[Candidate], sourced: list[SourcedCandidate], forms: Forms, exchanges: Sequence[Exchange]
    ) -> list[Candidate]:
        """Return what was selected; a person's own words are of the kind that they name, or else the learned models. In a
        language that no rule reads the line itself still tells that they "said" it."""
        if self.kinds is None or self.classifier is None:
            return selected
        spoken = {item.candidate.text: (item, form) for item, form in zip(sourced, forms, strict=True) if item.source == "words"}
        named = list[Candidate]()
        for candidate in selected:
            spoken_row = spoken.get(candidate.text)
            row = describe_row(*spoken_row, exchanges, self.classifier) if spoken_row else None
            exchange = spoken_row[0].exchange if spoken_row else None
            renamed = candidate
            if (
                row
                and exchange
                and not is_labelled(row.kind, row.quote)
                and not (candidate.kind == "decision" and leaves_as_is(exchange.typed))
            ):
                chosen = choose_row_kind(row, self.kinds, may_last=not self._ends_soon(row.quote, exchange))
                kind = word_standing(row.quote, chosen.kind, row.kind)
                renamed = rename_kind(candidate, kind, self.owner, is_named=chosen.is_sure)
            if row and exchange:
                renamed = self._name_lasting(renamed, row, exchange)
            is_plain = row is not None and "unread" in row.signs
            named.append(replace(renamed, text=candidate.text) if is_plain else renamed)
        return named

    def _name_lasting(self, candidate: Candidate, row: QuotedRow, exchange: Exchange) -> Candidate:
        """Return a person's row, as a rule or a preference where its words hold for good; not in chat, where people joke, and not
        where they say themselves that they end soon ("for today", "until Friday")."""
        reach = self.classifier.reach if self.classifier else None
        if reach is None or exchange.is_chat or exchange.is_unread or exchange.user is None:
            return candidate
        if self._ends_soon(row.quote, exchange):
            return candidate
        sentences, is_conceded = exchange.message.sentences, exchange.concession is not None
        kind = find_lasting_kind(row.quote, candidate.kind, sentences, reach, is_conceded=is_conceded)
        return rename_kind(candidate, kind, self.owner) if kind != candidate.kind else candidate

    def _ends_soon(self, quote: str, exchange: Exchange) -> bool:
        """Whether words say themselves that what they ask ends within days."""
        if exchange.user is None:
            return False
        said_on = exchange.user.said_at.astimezone(self.zone).date()
        end = find_stated_end(quote, said_on)
        return end is not None and end - said_on <= SOON


def _name_claims(selected: list[Candidate], sourced: list[SourcedCandidate]) -> list[Candidate]:
    """Return what was selected; an agent's statements are of the kind that their exchange bears out. Only what they are called
    changes: readers want such a row as much as others."""
    exchanges = {item.candidate.text: item.exchange for item in sourced if item.source == "claims" and item.exchange}
    return [
        name_claim_kind(candidate, exchanges[candidate.text]) if candidate.text in exchanges else candidate
        for candidate in selected
    ]


def describe_row(
    item: SourcedCandidate, form: npt.NDArray[np.float64], exchanges: Sequence[Exchange], classifier: TurnClassifier
) -> QuotedRow | None:
    """Return a candidate that quotes a person as the models of kinds read it; None for one without exchange or quotation.

    `form` is its row of `compute_features`.
    """
    exchange, text = item.exchange, item.candidate.text
    quote = next(iter(find_double_quoted(text)), "")
    if exchange is None or not quote:
        return None
    before = exchange.previous_reply.text if exchange.previous_reply else ""
    later = next((other for other in exchanges if other.index == exchange.index + 1), None)
    signs = {
        "outcome": "Outcome:" in text or offers_next(exchange), "reply": "Reply:" in text, "about": "(about:" in text,
        "answers": "(asked:" in text or "(chosen:" in text, "asked": quote.rstrip().endswith(QUESTION_MARKS),
        "unread": exchange.is_unread, "disputes": exchange.disputes, "first": exchange.is_first, "direct": exchange.is_direct,
        "commands": exchange.has_commands, "conceded": exchange.concession is not None, "debugging": exchange.is_debugging,
        "doubted": exchange.is_doubted, "undone": exchange.is_undone, "rejected": exchange.is_rejected,
    }  # fmt: skip
    return QuotedRow(
        quote=quote,
        message=exchange.typed,
        before=before,
        kind=item.candidate.kind,
        acts=exchange.acts,
        quote_acts=classifier.predict_act(quote, before),
        later_acts=later.acts if later else {},
        signs=frozenset(sign for sign, is_so in signs.items() if is_so),
        files=len(exchange.files),
        sentences=len(exchange.message.informative),
        form={name: float(value) for name, value in zip(FEATURES, form, strict=True) if name in FORM},
    )


def _find_undone_values(exchanges: Sequence[Exchange]) -> Callable[[str, int], bool]:
    """Return whether work behind the exchange of an index took a value of a statement out of the files."""
    entries = [entry for exchange in exchanges for entry in ([exchange.user] if exchange.user else []) + [*exchange.replies]]
    indexes = {exchange.user.ordinal: exchange.index for exchange in exchanges if exchange.user}
    works = [(indexes[work.entry.ordinal], work) for work in list_works(entries)]

    def is_undone(statement: str, index: int) -> bool:
        later = [work for done, work in works if done > index]
        return bool(later) and find_undone_value(statement, later) is not None

    return is_undone


def _select_agreed(sourced: list[SourcedCandidate], room: int) -> list[Candidate]:
    """Return what summaries list as constraints and preferences, in order, as far as there is room.

    They are few, and need not be worth more than the words that they sum up: these may be of any language, and stand in no line.
    """
    agreed = list[Candidate]()
    for item in sourced:
        cost = count_tokens(item.candidate.text)
        if item.source == "summaries" and item.candidate.kind == "convention" and cost <= room:
            agreed.append(item.candidate)
            room -= cost
    return agreed


def _write_narrative(
    exchanges: list[Exchange], owner: str, history: ValueHistory, limit: int
) -> tuple[str, str, tuple[int, ...]]:
    if not exchanges:
        return "Settings", "Nothing was said or done beyond settings.", ()
    narrative, ordinals = narratives.write_narrative(exchanges, owner, history, limit)
    title = narratives.write_title(exchanges)
    if cue_phrases.INJECTION.search(f"{title}\n{narrative}"):
        safe_sentences = [sentence for sentence in split_sentences(narrative) if not cue_phrases.INJECTION.search(sentence)]
        narrative = " ".join(safe_sentences) or "A text that instructs the memory was left out."
        title = "Conversation" if cue_phrases.INJECTION.search(title) else title
    return title, narrative, ordinals


def _compute_narrative_limit(budget_tokens: int, count: int) -> int:
    share = NARRATIVE_SHARE * budget_tokens / max(count, 1)
    return round(min(400, max(90, share * 4 - 50)))


def _build_segment(
    span: tuple[int, int],
    title: str,
    narrative: str,
    ordinals: tuple[int, ...],
    selected: Sequence[Candidate],
    days: Mapping[int, date],
) -> DistilledSegment:
    """Return a topic with its words, and the facts that were said in it."""
    first, last = span
    in_topic = (candidate for candidate in selected if first <= candidate.topic_ordinal <= last)
    facts = tuple(candidate.make_fact(days[candidate.ordinals[0]]) for candidate in in_topic)
    return DistilledSegment(
        first_ordinal=first, last_ordinal=last, title=title, narrative=narrative, ordinals=ordinals or (first,), facts=facts
    )


def _choose_titles(topics: Sequence[list[Exchange]], ruled: Sequence[str]) -> list[str]:
    """Return the titles of the topics. Facts were chosen beside the titles of rules, so that no title costs a fact."""
    titles, before = list[str](), list[Exchange]()
    for topic, title in zip(topics, ruled, strict=True):
        chosen = choose_title(topic, title, find_carried(topic, before))
        titles.append(title if cue_phrases.INJECTION.search(chosen) else chosen)
        before += topic
    return titles
