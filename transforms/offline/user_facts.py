"""Finds facts in typed text: quotations with their reference and outcome, one row each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from transforms.classify.message_points import split_points
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import Tail
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.denials import leaves_as_is, name_object, points_at_thing
from transforms.exchanges.exchange import Exchange, change_exchange
from transforms.exchanges.quoted_answers import add_verdict, drop_quotations, split_replies
from transforms.language import assertion_patterns, assertions, cue_phrases, entities
from transforms.language.assertion_rules import AssertionKind
from transforms.language.dialogue_acts import Act, ClassifiedSentence, names_in_latin
from transforms.language.relative_dates import find_stated_end
from transforms.language.sentences import ends_asking, find_content_words, join_lines, shorten, split_words
from transforms.offline.candidates import (
    CANDIDATE_CHARS,
    LEAD_OF_KIND,
    OWNER_PRIORITIES,
    RECORDED,
    Candidate,
    append_files,
    is_unfit,
    join_quotation,
    show_quotation,
)
from transforms.offline.quotation_context import QUOTE_CHARS, Quotation, find_context, quote_whole, states_change
from transforms.offline.replies.outcomes import find_explaining_reply, find_outcome, is_related
from transforms.offline.salience_factors import SALIENCE_OF_KIND, USER, compute_salience, names_its_kind
from transforms.offline.topics.ordered_task import find_imperative
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.unread_pieces import cut_by_form
from transforms.quoting.whole_words import drop_fillers
from transforms.tables.enums import SETTLING_KINDS, STANDING_KINDS, WISH_KINDS, FactKind

_KIND_OF_ACT: dict[Act, FactKind] = {
    "rule": "rule", "preference": "preference", "decision": "decision", "correction": "correction", "request": "request",
    "question": "question", "report": "error", "statement": "status", "agreement": "decision", "chatter": "status",
}  # fmt: skip
_ASSERTIONS_BY_STRENGTH: tuple[AssertionKind, ...] = (
    "completion",
    "failed_attempt",
    "problem",
    "fix",
    "root_cause",
    "state_change",
    "decision",
    "open_question",
    "correction",
    "preference",
    "convention",
    "rule",
)
"""The kind of a row with several assertions is the last of these that occurs."""
_KIND_OF_ASSERTION: dict[AssertionKind, FactKind] = {
    "problem": "error", "open_question": "question", "failed_attempt": "error", "state_change": "state_change",
    "decision": "decision", "correction": "correction", "preference": "preference", "convention": "convention", "rule": "rule",
    "completion": "completion", "fix": "fix", "root_cause": "root_cause",
}  # fmt: skip
ROW_CHARS = 300
"""Longest message of one row; a longer one is as many rows of about the same length. 250 to 330 keep as much."""
OUTCOME_GAIN = 1.25
"""Factor on the salience of a row that states the outcome."""
OUTCOME_CHARS, LEAST_ROOM = 200, 40
"""Longest outcome behind a quotation, and the room of a row without which it has none."""
REPLY_CHARS, REPLY_GAIN = 160, 1.05
"""Longest reply behind a quotation, and its factor: it explains the words and adds nothing else."""
UNDO_WORDS = 4
"""A request to undo something with fewer content words is not a fact."""
MOMENTARY_WORDS = 5
"""A request with fewer content words and without a name is a row only with its outcome."""
GROUP_CHARS = 24
"""Beginning of a quotation that identifies its wordings, of which one is selected."""


def find_user_facts(exchange: Exchange, owner: str, history: ValueHistory, said: Sequence[Entry] = ()) -> Iterator[Candidate]:
    """Yield rows for groups of sentences that belong together, each with and without its outcome; points of a list stay whole.

    What stands below a quotation stands with it. `said` is what the agent said before, the newest first.
    """
    if exchange.user is None:
        return
    replies = split_replies(exchange.user.text, exchange.typed, said) if exchange.pasted else []
    pasted = drop_quotations(exchange.pasted, replies)
    spoken = [
        change_exchange(
            exchange,
            typed=reply.typed,
            pasted=pasted,
            quoted=reply.quoted,
            quoted_source=reply.source,
            previous_reply=exchange.previous_reply if reply.source else None,  # what is another matter answers nothing
        )
        for reply in replies
    ] or [exchange]
    parts = [(whole, part, place == 0) for whole in spoken for place, part in enumerate(split_points(whole.typed) or [None])]
    for number, (whole, part, is_first) in enumerate(parts, 1):
        here = change_exchange(whole, typed=part.text) if part else whole
        is_point, is_end = bool(part and part.is_point), number == len(parts)
        yield from _find_part_facts(here, exchange.user, owner, history, is_point=is_point, is_first=is_first, is_end=is_end)


def _find_part_facts(
    exchange: Exchange, user: Entry, owner: str, history: ValueHistory, *, is_point: bool, is_first: bool, is_end: bool
) -> Iterator[Candidate]:
    """Yield the rows of a message, or of a part of one, at the end of which its outcome may stand."""
    sentences = list(exchange.message.informative)
    is_one = is_point and bool(sentences) and len(exchange.typed) <= QUOTE_CHARS
    pieces = cut_by_form(sentences, exchange.typed, QUOTE_CHARS) if exchange.is_unread and not is_one else []
    groups = [sentences] if is_one else [group for group, _ in pieces] or list(_group_sentences(sentences, user.said_at.date()))
    is_clean = not cue_phrases.INJECTION.search(exchange.typed)  # what instructs a memory takes no words beside it along
    whole = "" if pieces or not is_clean else quote_whole(exchange, groups)
    for index, group in enumerate(groups):
        act = (
            exchange.message.act
            if len(groups) == 1
            else max((sentence.act for sentence in group), key=lambda act: SALIENCE_OF_KIND[_KIND_OF_ACT[act]])
        )
        if all(sentence.is_question for sentence in group) and not any(sentence.assertion for sentence in group):
            act = "correction" if any(sentence.act == "correction" for sentence in group) else "question"
        typed = pieces[index][1] if pieces else join_lines(exchange.typed) if is_one else ""
        quote = typed.replace('"', "'") or join_quotation(group, exchange.typed)
        is_shown = not (is_one or exchange.is_unread)
        shown = show_quotation(exchange.message, group, exchange.typed) if is_shown else quote
        is_whole = len(groups) == 1 and len(exchange.typed) <= ROW_CHARS and is_clean
        if is_shown and is_whole:  # as typed: "Thirty seconds." may be all of it
            shown = (drop_fillers(join_lines(exchange.typed)) or shown).replace('"', "'")
        if exchange.quoted and is_first and index == 0:
            quote, shown = (add_verdict(words, exchange.typed) for words in (quote, shown))
        if exchange.is_unread and act == "question" and not (ends_asking(quote) and all(part.is_question for part in group)):
            act = "statement"  # who answers what they asked states it: "float64? int64, always"
        assertions = [sentence.assertion for sentence in group if sentence.assertion]
        assertion = max(assertions, key=_ASSERTIONS_BY_STRENGTH.index) if assertions else None
        is_guess = assertion is not None and all(sentence.is_guess for sentence in group if sentence.assertion)
        quotation = Quotation(
            quote, act, is_end and index == len(groups) - 1, assertion, is_guess, whole, is_first and index == 0, shown
        )
        if split_words(quotation.quote) and not cue_phrases.INJECTION.search(quotation.quote):
            yield from _make_rows(exchange, user, owner, quotation, history)


def _group_sentences(sentences: list[ClassifiedSentence], said_on: date) -> Iterator[list[ClassifiedSentence]]:
    """Yield groups that make one row: a message of up to `ROW_CHARS` whole, a longer one in pieces of about the same length.

    A subject, a number or a reason mostly stands in the sentence beside the one that settles something. What another person says
    stands apart, what is left open from what is settled, and what says when it ends from what lasts.
    """
    whole = sum(len(sentence.text) + 1 for sentence in sentences) - 1  # a blank between two, and none behind the last
    most = whole / max(1, -(-whole // ROW_CHARS))
    group: list[ClassifiedSentence] = []
    size = 0
    for sentence in sentences:
        is_full = size + len(sentence.text) / 2 > most or size + len(sentence.text) > QUOTE_CHARS
        if group and (is_full or _is_apart(group[-1], sentence, said_on)):
            yield group
            group, size = [], 0
        group.append(sentence)
        size += len(sentence.text) + 1
    if group:
        yield group


def _is_apart(last: ClassifiedSentence, sentence: ClassifiedSentence, said_on: date) -> bool:
    """Whether two sentences are of two speakers, or one leaves open or says when it ends what the other settles or does not.

    What instructs a memory stands apart, too: nothing of its row is kept.
    """
    instructs, instructed = (bool(cue_phrases.INJECTION.search(said.text)) for said in (sentence, last))
    is_open, was_open = (assertions.is_open_question(said.text) for said in (sentence, last))
    ends, ended = (find_stated_end(said.text, said_on) is not None for said in (sentence, last))
    settles = (last if is_open else sentence).assertion is not None
    return (
        sentence.is_reported != last.is_reported
        or ends != ended
        or instructs != instructed
        or (is_open != was_open and settles and not _answers_open_question([last], sentence))
    )


def _answers_open_question(group: list[ClassifiedSentence], sentence: ClassifiedSentence) -> bool:
    """Whether a sentence leaves the question before it open ("I don't know yet"): both are one open question."""
    is_asked = any(grouped.is_question for grouped in group)
    return is_asked and assertions.is_open_question(sentence.text) and len(find_content_words(sentence.text)) < 8


def _make_rows(exchange: Exchange, user: Entry, owner: str, quotation: Quotation, history: ValueHistory) -> Iterator[Candidate]:
    chosen = _choose_kind(exchange, quotation)
    is_brief = chosen == "request" and bool(cue_phrases.PASSING.match(find_imperative(quotation.quote)))
    salience = compute_salience(exchange, quotation, chosen, is_passing=is_brief) * (
        USER.stale
        if history.is_stale(quotation.quote, exchange.index, by_names=chosen in ("request", "question", "status"))
        else 1.0
    )
    is_settled = states_change(exchange, quotation) or _takes_back(exchange)
    kind = chosen if is_settled else _doubt_kind(exchange, chosen, quotation.quote)
    lead = "{} left open" if kind == "question" and assertions.is_open_question(quotation.quote) else LEAD_OF_KIND[kind]
    if quotation.whole and kind in WISH_KINDS:
        quotation = replace(quotation, quote=quotation.whole, shown=quotation.whole)
    text = f'{lead.format(owner)}: "{quotation.shown or quotation.quote}"'
    ordinals = [user.ordinal]
    context, source = find_context(exchange, quotation, history)
    if _takes_back(exchange) and points_at_thing(
        quotation.quote, exchange.previous_reply.text if exchange.previous_reply else ""
    ):
        thing = shorten(name_object(exchange.previous_typed), 130).replace('"', "'")
        context, source = (f'"{thing}"', source) if thing else (context, source)
    is_bare = len(find_content_words(quotation.quote)) < 2 and not entities.count_specifics(quotation.quote)
    if is_bare and (not context or kind == "status"):
        return
    tails = list[Tail]()
    if context:
        text += f" (about: {context})"
        ordinals += source
        tails.append(Tail(f" (about: {context})", tuple(source), is_needed=is_bare))
    is_undo = (
        bool(cue_phrases.UNDO_REQUEST.search(quotation.quote))
        and len(find_content_words(quotation.quote)) < UNDO_WORDS
        and not entities.count_specifics(quotation.quote)
    )
    is_momentary = _is_momentary(quotation, kind) and not (exchange.is_unread and names_in_latin(quotation.quote))
    if is_unfit(text) or is_undo or _is_slip(quotation.quote, exchange):
        return
    priority = "medium" if quotation.is_guess else OWNER_PRIORITIES.get(kind, "medium")
    short = Candidate(
        append_files(shorten(text, CANDIDATE_CHARS), exchange.files), kind, priority, tuple(ordinals),
        tuple(_find_files(exchange, text)), salience, RECORDED,
        tuple(entities.find_line_numbers(quotation.quote)), f"{user.ordinal}:{quotation.quote[:GROUP_CHARS]}", tails=tuple(tails),
    )  # fmt: skip
    is_asking = kind == "question" and not assertions.is_open_question(quotation.quote)
    if not is_momentary:
        yield replace(short, salience=salience * USER.bare_question) if is_asking else short
    label, outcome, source = _find_end(exchange, quotation, kind, CANDIDATE_CHARS - len(text) - 12, history)
    if outcome:
        full = append_files(f"{text} {label}: {outcome}", exchange.files)
        cited = tuple(dict.fromkeys([*ordinals, *source]))
        gain = (REPLY_GAIN if label == "Reply" else OUTCOME_GAIN) * (USER.answered_question if is_asking else 1.0)
        tails.append(Tail(f" {label}: {outcome}", tuple(source), is_needed=is_momentary or is_asking))
        files = tuple(_find_files(exchange, full))
        yield replace(short, text=full, ordinals=cited, files=files, salience=salience * gain, tails=tuple(tails))


def _find_end(
    exchange: Exchange, quotation: Quotation, kind: FactKind, room: int, history: ValueHistory
) -> tuple[str, str, list[int]]:
    """Return what came of the last words of a message, behind its label, and where it stands: an answer, an outcome about them,
    or how the agent took them up."""
    if not quotation.is_last or room <= LEAST_ROOM:
        return "", "", []
    if kind == "question":
        is_open = assertions.is_open_question(quotation.quote)
        return "Answer", *(("", []) if is_open else find_outcome(exchange, history, min(room, OUTCOME_CHARS), asks=True))
    if not assertions.is_open_question(quotation.quote):
        outcome, source = find_outcome(exchange, history, min(room, OUTCOME_CHARS))
        if outcome and is_related(exchange, outcome, quotation.quote):
            return "Outcome", outcome, source
    return "Reply", *find_explaining_reply(exchange, quotation.quote, history, min(room, REPLY_CHARS))


def _is_momentary(quotation: Quotation, kind: FactKind) -> bool:
    """Whether a short request or remark names nothing: it needs its outcome."""
    return (
        kind in ("request", "status")
        and quotation.act not in STANDING_KINDS
        and len(find_content_words(quotation.quote)) < MOMENTARY_WORDS
        and not entities.count_specifics(quotation.quote)
    )


_WONDERS = compile_late(
    rf"(?:what (?:happens|does|is|are|was|did|were)|why|how (?:does|do|is|are|did|come)|who|where|when)\b"
    rf"|(?:{cue_phrases.STATUS_CHECK.pattern})",
    re.I,
)
"""Questions that ask for an explanation, even if the agent changed files."""


def _is_slip(quote: str, exchange: Exchange) -> bool:
    """Whether a "not" was a typing error for "now": the agent did the opposite and nobody objected."""
    denied = re.findall(r"\bnot (\w+)", quote.lower())
    done = exchange.final_reply.text.lower() if denied and exchange.final_reply and not exchange.is_rejected else ""
    return any(f"now {word}" in done for word in denied)


def _choose_kind(exchange: Exchange, quotation: Quotation) -> FactKind:
    """Return the kind of fact. A question that made the agent change files is a request, but never a decision.

    Wishes and obligations that assert nothing lasting are requests.
    """
    is_asked_for = quotation.act == "question" and exchange.files and not _WONDERS.match(quotation.quote)
    if quotation.assertion != "open_question" and is_asked_for:
        return "request"
    if quotation.assertion == "open_question" or (quotation.assertion and quotation.act != "question"):
        return _KIND_OF_ASSERTION[quotation.assertion]
    if states_change(exchange, quotation):
        return "state_change"
    if exchange.objects_to_used(quotation.quote):
        return "correction"
    if _takes_back(exchange):
        return "decision"
    if quotation.act in STANDING_KINDS:
        return "request"
    kind = _KIND_OF_ACT[quotation.act]
    return "request" if kind == "status" and assertions.is_wish(quotation.quote) else kind


def _takes_back(exchange: Exchange) -> bool:
    """Whether a short message right behind what the agent said leaves as it was what its person had asked for before."""
    return exchange.is_direct and exchange.previous_reply is not None and leaves_as_is(exchange.typed)


SETTLING_ACTS = ("guidance", "decision", "correction")
MIN_CHAT_SETTLING = 0.25
"""The same in chat, where people joke, complain and quote others."""
MIN_SETTLING = 0.05
"""Least learned probability that a message settles, corrects or guides anything, for a row of a doubted kind."""


def is_labelled(kind: FactKind, quote: str) -> bool:
    """Whether a person's words of a lasting kind say themselves what they are, so that no classifier doubts it."""
    return kind in SETTLING_KINDS and names_its_kind(quote)


def _doubt_kind(exchange: Exchange, kind: FactKind, quote: str) -> FactKind:
    """Return `kind`, or a request, a question or a remark where the classifier finds nothing settled in the message.

    A standing order is not doubted: an imperative with an adverb of frequency at its beginning holds for every time by its
    grammar; nor is what the person calls a rule, a convention, a decision or a preference. Both stand so seldom in the labelled
    turns that the classifier knows nothing of them.
    """
    if kind not in SETTLING_KINDS or not exchange.acts or is_labelled(kind, quote):
        return kind
    if kind == "rule" and assertion_patterns.ORDER_FOR_GOOD.match(quote):
        return kind
    least = MIN_CHAT_SETTLING if exchange.is_chat else MIN_SETTLING
    if sum(exchange.acts.get(act, 0.0) for act in SETTLING_ACTS) >= least:
        return kind
    plain: dict[str, FactKind] = {"request": "request", "question": "question"}
    if exchange.is_unread and not ends_asking(quote):
        plain.pop("question")  # the classifier learned from English: in other languages a mark tells a question
    likeliest = max(exchange.acts, key=lambda act: exchange.acts[act])
    return plain.get(likeliest, "status")


def _find_files(exchange: Exchange, text: str) -> list[str]:
    return list(dict.fromkeys([*entities.find_file_names(text), *exchange.files[:4]]))[:8]
