"""Names the part of a fact that no longer holds: a later fact replaced a side remark of it (relation `replaces_part`), or the
owner spoke of both options of a choice again (`named_again`), so the choice may be another one.

The fact stays in force for what it was kept for, so whoever reads it has to be told what changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from types import MappingProxyType
from typing import TypedDict

from transforms.quoting.closed_cut import cut_closed
from transforms.tables.fact_notes import cut_notes
from transforms.tables.ids import shorten_id

SHOWN_CHARS = 140
"""Characters of the later fact beside the earlier one: what holds now, not why."""

_NO_CITATION = str.maketrans("[]", "()")
"""The mark stands inside the brackets of a citation, too."""


class RelatedFact(TypedDict):
    """The columns of an observation that are looked at here."""

    observation_id: str
    session_id: str
    entry_ids: list[str] | None
    also: list[str] | None
    superseded_by: str | None
    said_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """A later fact in force that replaced a part of an earlier one, or names its choice again, with its day; or an earlier fact
    that was replaced, with the words of it that go on to hold (`is_kept`)."""

    newer_id: str
    day: date
    text: str
    is_named_again: bool = False
    is_kept: bool = False

    def describe(self) -> str:
        """Return the mark behind the fact: since when a part of it is over, and what holds there now; or what goes on to hold of
        the fact whose place it took."""
        words = self.text.translate(_NO_CITATION)
        if self.is_kept:
            return f"still, from {self.day}: {words} ({shorten_id(self.newer_id)})"
        lead = "later," if self.is_named_again else "in part replaced"
        return f"{lead} {self.day}: {words} ({shorten_id(self.newer_id)})"


def find_changed_parts(
    pairs: Mapping[tuple[str, str], str],
    facts: Mapping[str, RelatedFact],
    zone: tzinfo,
    kept: Mapping[tuple[str, str], Sequence[int]] = MappingProxyType({}),
) -> dict[str, tuple[ChangedPart, ...]]:
    """Return the changed parts of facts in force, by id, from `pairs` of an earlier and a later fact with their relation.

    `facts` are the allowed ones that were not forgotten: both of each pair, all that followed them, and what they absorbed.
    A fact that absorbed an earlier one stands for it. What was said again after the change holds again, as far as words can tell.
    `kept` has, of pairs of which the later fact replaced the earlier one, the first and last place of words that go on to hold.
    """
    parts: dict[str, dict[str, ChangedPart]] = {}
    for (older_id, newer_id), relation in sorted(pairs.items()):
        older, newer = _find_survivor(older_id, facts), _find_last(newer_id, facts)
        if older is None or newer is None or older["observation_id"] == newer["observation_id"]:
            continue
        changed_at = facts[newer_id]["said_at"]
        if _find_last_moment(older, facts) >= changed_at:
            continue
        day = changed_at.astimezone(zone).date()
        text = cut_closed(" ".join(cut_notes(newer["text"]).split()), SHOWN_CHARS)
        parts.setdefault(older["observation_id"], {})[newer["observation_id"]] = ChangedPart(
            newer["observation_id"], day, text, relation == "named_again"
        )
    for (older_id, newer_id), (begin, end) in sorted(kept.items()):
        older, newer = facts.get(older_id), _find_survivor(newer_id, facts)
        if older is None or newer is None or older["superseded_by"] is None or _is_absorbed(older, newer):
            continue
        day, words = older["said_at"].astimezone(zone).date(), cut_closed(older["text"][begin:end], SHOWN_CHARS)
        parts.setdefault(newer["observation_id"], {})[older_id] = ChangedPart(older_id, day, words, is_kept=True)
    return {key: tuple(sorted(changed.values(), key=lambda part: (part.day, part.newer_id))) for key, changed in parts.items()}


def describe_changed_parts(parts: Mapping[str, Iterable[ChangedPart]]) -> dict[str, str]:
    """Return the marks of facts of which parts changed, by id."""
    return {key: "; ".join(part.describe() for part in changed) for key, changed in parts.items()}


def describe_replaced_parts(parts: Mapping[str, Iterable[ChangedPart]]) -> dict[str, str]:
    """Return what holds instead of replaced parts of facts, and what goes on to hold of those whose place they took, by id, for
    texts that name no ids."""
    replaced = {key: [part for part in changed if not part.is_named_again] for key, changed in parts.items()}
    return {
        key: "; ".join(part.describe().removesuffix(f" ({shorten_id(part.newer_id)})") for part in changed)
        for key, changed in replaced.items()
        if changed
    }


def list_later_words(parts: Mapping[str, Iterable[ChangedPart]]) -> dict[str, str]:
    """Return the id of each choice that was named again → the later statement."""
    return {key: part.newer_id for key, changed in parts.items() for part in changed if part.is_named_again}


def _find_last(key: str, facts: Mapping[str, RelatedFact]) -> RelatedFact | None:
    """Return the fact that holds instead of this one, or itself; None when that is not among the facts."""
    seen = set[str]()
    while (row := facts.get(key)) is not None and key not in seen:
        if not row["superseded_by"]:
            return row
        seen.add(key)
        key = row["superseded_by"]
    return None


def _find_survivor(key: str, facts: Mapping[str, RelatedFact]) -> RelatedFact | None:
    """Return the fact in force that says what this one says: itself, or the one that absorbed it. A replacement is none."""
    seen = set[str]()
    while (row := facts.get(key)) is not None and key not in seen:
        if not row["superseded_by"]:
            return row
        seen.add(key)
        heir = facts.get(row["superseded_by"])
        if heir is None or not _is_absorbed(row, heir):
            return None
        key = heir["observation_id"]
    return None


def _is_absorbed(row: RelatedFact, heir: RelatedFact) -> bool:
    """Whether the heir says the same as the row: it cites what the row cites."""
    return bool({f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()} & set(heir["also"] or ()))


def _find_last_moment(row: RelatedFact, facts: Mapping[str, RelatedFact]) -> datetime:
    """Return when the fact was last said, in its own words or in those that it absorbed."""
    absorbed = (
        other["said_at"]
        for other in facts.values()
        if other["superseded_by"] == row["observation_id"] and _is_absorbed(other, row)
    )
    return max([row["said_at"], *absorbed])
