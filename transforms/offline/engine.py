"""The offline engine: exchanges → candidates → the best within the budget → segments with narrative and cited facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledSegment, DistilledWindow
from transforms.language import cues
from transforms.language.sentences import sentences
from transforms.offline import narratives
from transforms.offline.actions import root_of
from transforms.offline.agent_facts import agent_facts
from transforms.offline.candidates import Candidate, is_unfit
from transforms.offline.current_values import Settled, assignments, outdated_by, settled
from transforms.offline.exchanges import Exchange, exchanges_of
from transforms.offline.incident_facts import incident_facts
from transforms.offline.next_steps import current_task, suggested_response
from transforms.offline.select_facts import choose
from transforms.offline.user_facts import user_facts
from transforms.offline.work_facts import final_values, gone_files, work_facts
from transforms.tables.enums import FactKind
from transforms.tables.tokens import tokens

VERSION = "offline-6"
MIN_WORTH = 0.3
"""What is worth less is not kept, however much room is left."""
NARRATIVE_SHARE = 0.24
"""At most this share of the budget goes to titles and narratives."""


@dataclass(slots=True)
class OfflineEngine:
    """Implements `transforms.distil.engine_result.Engine`. `owner` is how facts name the person whose words they quote,
    `zone` the zone in which "tomorrow" is reckoned.
    """

    owner: str = "User"
    zone: tzinfo = UTC
    name: str = "offline"
    template_hash: str = VERSION

    def distil(
        self, entries: list[Entry], topics: list[tuple[int, int]], earlier: list[str], budget_tokens: int
    ) -> DistilledWindow:
        """What is kept of these entries; a function of its arguments alone."""
        exchanges = exchanges_of(entries)
        spans = topics or ([(entries[0].ordinal, entries[-1].ordinal)] if entries else [])
        parts = [_within(exchanges, first, last) for first, last in spans]
        known = settled(exchanges)
        limit = _narrative_chars(budget_tokens, len(spans))
        told = [_told(part, self.owner, known, limit) for part in parts]
        spent = sum(tokens(f"{title}\n{narrative}") for title, narrative, _ in told)
        narratives = [narrative for _, narrative, _ in told]
        kept = choose(_news_first(_candidates(exchanges, self.owner, known), earlier), budget_tokens - spent, narratives, earlier)
        kept = _with_one_high(kept)
        days = {entry.ordinal: entry.said_at.astimezone(self.zone).date() for entry in entries}
        segments = []
        for (first, last), (title, narrative, ordinals) in zip(spans, told, strict=True):
            facts = tuple(one.fact(days[one.topic_ordinal]) for one in kept if first <= one.topic_ordinal <= last)
            segments.append(
                DistilledSegment(
                    first_ordinal=first,
                    last_ordinal=last,
                    title=title,
                    narrative=narrative,
                    ordinals=ordinals or (first,),
                    facts=facts,
                )
            )
        return DistilledWindow(
            segments=tuple(segments),
            current_task=current_task(exchanges),
            suggested_response=suggested_response(exchanges, self.owner),
        )


_RAISED: tuple[FactKind, ...] = (
    "decision", "state_change", "root_cause", "convention", "correction", "fix", "completion", "request", "error", "task",
)  # fmt: skip


def _with_one_high(kept: list[Candidate]) -> list[Candidate]:
    """A window that is worth keeping has something important: where nothing is, its worthiest fact (ADR-0021's golden test)."""
    if not kept or any(one.priority == "high" for one in kept):
        return kept
    order = {kind: at for at, kind in enumerate(_RAISED)}
    best = min(range(len(kept)), key=lambda at: (order.get(kept[at].kind, len(order)), -kept[at].worth, at))
    return [replace(one, priority="high") if at == best else one for at, one in enumerate(kept)]


def _candidates(exchanges: list[Exchange], owner: str, known: Settled) -> list[Candidate]:
    final = final_values(exchanges)
    gone = gone_files(exchanges)
    last_check = max((one.at for one in exchanges if any(action.kind == "check" for action in one.actions)), default=-1)
    root = root_of([action for exchange in exchanges for action in exchange.actions])
    found: list[Candidate] = []
    for exchange in exchanges:
        found += user_facts(exchange, owner, known)
        found += agent_facts(exchange, known)
        found += work_facts(exchange, final, root, gone)
        found += incident_facts(exchange, is_last=exchange.at == last_check)
    return [one for one in found if one.worth >= MIN_WORTH and not is_unfit(one.text)]


NEWS_WORTH = 1.1


def _news_first(candidates: list[Candidate], earlier: list[str]) -> list[Candidate]:
    """What gives another value to something that memory holds is worth keeping: it retires what is wrong by now."""
    held = [text for text in earlier if assignments(text)]
    return [
        replace(one, worth=max(one.worth, NEWS_WORTH)) if any(outdated_by(text, [one.text]) == 0 for text in held) else one
        for one in candidates
    ]


def _within(exchanges: list[Exchange], first: int, last: int) -> list[Exchange]:
    """What happens in a topic: exchanges that begin in it and the part of others that lies in it, without its words."""
    found = []
    for one in exchanges:
        begin, end = one.ordinals
        if first <= begin and end <= last:
            found.append(one)
        elif begin <= last and end >= first:
            replies = tuple(entry for entry in one.replies if first <= entry.ordinal <= last)
            if begin >= first:
                found.append(replace(one, replies=replies))
            elif replies:
                found.append(replace(one, user=None, typed="", pasted="", replies=replies))
    return found


def _told(part: list[Exchange], owner: str, known: Settled, limit: int) -> tuple[str, str, tuple[int, ...]]:
    if not part:
        return "Settings", "Nothing was said or done beyond settings.", ()
    narrative, ordinals = narratives.narrative_of(part, owner, known, limit)
    title = narratives.title_of(part)
    if cues.INJECTION.search(f"{title}\n{narrative}"):
        kept = [one for one in sentences(narrative) if not cues.INJECTION.search(one)]
        narrative = " ".join(kept) or "A text that instructs the memory was left out."
        title = "Conversation" if cues.INJECTION.search(title) else title
    return title, narrative, ordinals


def _narrative_chars(budget_tokens: int, count: int) -> int:
    share = NARRATIVE_SHARE * budget_tokens / max(count, 1)
    return round(min(400, max(90, share * 4 - 50)))
