"""Names what whoever reads a fact in force has to be told beside it: what other facts say of it that are not shown.

A later fact replaced a side remark of it (relation `replaces_part`). The owner spoke of both options of a choice again
(`named_again`), so the choice may be another one. Work replaced a number of it (`changed_number`). A command showed that what it
was bound to may be over (`perhaps_over`). Words of a replaced fact go on to hold (`replaces` with `keeps`), or a fact that it
absorbed says more (`restates`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from types import MappingProxyType
from typing import Literal, TypedDict

from transforms.language.entities import find_names
from transforms.language.statement import find_content_words
from transforms.quoting.closed_cut import cut_as_line, cut_closed
from transforms.tables.fact_notes import LEFT_MARK, SAID_TOO_LEAD, STILL_LEAD, cut_notes, split_turned_down, stands_for
from transforms.tables.ids import shorten_id

SHOWN_CHARS = 140
"""Characters of the later fact beside the earlier one: what holds now, not why."""
MORE_CHARS, MORE_WORDS, MORE_FACTS = 300, 3, 2
"""Of absorbed facts: the characters of one that is shown, the content words that it must add, and the most that are shown."""

PartKind = Literal["replaced", "named_again", "changed_number", "perhaps_over", "kept", "said_too"]
"""What another fact says of a fact in force."""
_LEADS: Mapping[PartKind, str] = {
    "replaced": "in part replaced {}:",
    "named_again": "later, {}:",
    "changed_number": "in part replaced {}:",
    "perhaps_over": "perhaps over since {}:",
    "kept": f"{STILL_LEAD}{{}}:",
    "said_too": f"{SAID_TOO_LEAD}{{}}:",
}
_PART_OF_RELATION: Mapping[str, PartKind] = {
    "replaces_part": "replaced",
    "named_again": "named_again",
    "changed_number": "changed_number",
    "perhaps_over": "perhaps_over",
}

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
    """What another fact says of a fact in force, with its day: a later one in force, or one whose place the fact took."""

    newer_id: str
    day: date
    text: str
    kind: PartKind = "replaced"

    @property
    def is_shown_elsewhere(self) -> bool:
        """Whether it comes from a fact whose place the fact took, which is among those that the fact supersedes."""
        return self.kind in ("kept", "said_too")

    def describe(self) -> str:
        """Return the mark behind the fact: since when a part of it is over, and what holds there now; or what goes on to hold of
        a fact whose place it took."""
        lead = _LEADS[self.kind].format(self.day)
        return f"{lead} {self.text.translate(_NO_CITATION)} ({shorten_id(self.newer_id)})"


def find_changed_parts(
    pairs: Mapping[tuple[str, str], str],
    facts: Mapping[str, RelatedFact],
    zone: tzinfo,
    kept: Mapping[tuple[str, str], Sequence[int]] = MappingProxyType({}),
    restated: Iterable[tuple[str, str]] = (),
) -> dict[str, tuple[ChangedPart, ...]]:
    """Return the changed parts of facts in force, by id, from `pairs` of an earlier and a later fact with their relation.

    `facts` are the allowed ones that were not forgotten: both of each pair, all that followed them, and what they absorbed.
    A fact that absorbed an earlier one stands for it. What was said again after the change holds again, as far as words can tell.
    `kept` has, of pairs of which the later fact replaced the earlier one, the first and last place of words that go on to hold;
    `restated` are pairs that a model called the same: the one that was absorbed is said where its words are more.
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
        text = cut_as_line(cut_notes(newer["text"]), SHOWN_CHARS)
        parts.setdefault(older["observation_id"], {})[newer["observation_id"]] = ChangedPart(
            newer["observation_id"], day, text, _PART_OF_RELATION[relation]
        )
    for (older_id, newer_id), (begin, end) in sorted(kept.items()):
        older, newer = facts.get(older_id), _find_survivor(newer_id, facts)
        if (
            older is None
            or newer is None
            or older["superseded_by"] is None
            or stands_for(newer["also"], older["session_id"], older["entry_ids"])
        ):
            continue
        day, words = older["said_at"].astimezone(zone).date(), cut_closed(older["text"][begin:end], SHOWN_CHARS)
        parts.setdefault(newer["observation_id"], {})[older_id] = ChangedPart(older_id, day, words, "kept")
    for key, absorbed in _find_absorbed(restated, facts).items():
        for row in _choose_saying_more(facts[key], absorbed):
            day = row["said_at"].astimezone(zone).date()
            part = ChangedPart(row["observation_id"], day, _tell_whole(row["text"]), "said_too")
            parts.setdefault(key, {})[row["observation_id"]] = part
    return {key: tuple(sorted(changed.values(), key=_find_place)) for key, changed in parts.items()}


def _find_place(part: ChangedPart) -> tuple[bool, date, str]:
    """Return the place of a part in the mark of its fact: what is over first."""
    return part.is_shown_elsewhere, part.day, part.newer_id


def describe_changed_parts(parts: Mapping[str, Iterable[ChangedPart]]) -> dict[str, str]:
    """Return the marks of facts of which parts changed, by id."""
    return {key: "; ".join(part.describe() for part in changed) for key, changed in parts.items()}


def describe_replaced_parts(parts: Mapping[str, Iterable[ChangedPart]]) -> dict[str, str]:
    """Return what is said of facts but that a choice was named again, by id, for texts that name no ids."""
    replaced = {key: [part for part in changed if part.kind != "named_again"] for key, changed in parts.items()}
    return {
        key: "; ".join(part.describe().removesuffix(f" ({shorten_id(part.newer_id)})") for part in changed)
        for key, changed in replaced.items()
        if changed
    }


def list_later_words(parts: Mapping[str, Iterable[ChangedPart]]) -> dict[str, str]:
    """Return the id of each choice that was named again → the later statement."""
    return {key: part.newer_id for key, changed in parts.items() for part in changed if part.kind == "named_again"}


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
        if heir is None or not stands_for(heir["also"], row["session_id"], row["entry_ids"]):
            return None
        key = heir["observation_id"]
    return None


def _find_absorbed(restated: Iterable[tuple[str, str]], facts: Mapping[str, RelatedFact]) -> dict[str, dict[str, RelatedFact]]:
    """Return the id of each fact in force → the facts that it absorbed because a model called them the same, by id."""
    absorbed: dict[str, dict[str, RelatedFact]] = {}
    for pair in restated:
        for key in pair:
            survivor = _find_survivor(key, facts)
            if survivor is not None and survivor["observation_id"] != key:
                absorbed.setdefault(survivor["observation_id"], {})[key] = facts[key]
    return absorbed


def _choose_saying_more(fact: RelatedFact, absorbed: Mapping[str, RelatedFact]) -> list[RelatedFact]:
    """Return the absorbed facts that say more, those with most words of their own first; each adds to those before it: several
    words, or a name of code ("`make race`")."""
    told_words, chosen, left = find_content_words(fact["text"]), list[RelatedFact](), dict(absorbed)
    told_names = set(find_names(fact["text"]))
    while left and len(chosen) < MORE_FACTS:
        names = {key: len(set(find_names(row["text"])) - told_names) for key, row in left.items()}
        new = {key: len(find_content_words(row["text"]) - told_words) for key, row in left.items()}
        best = max(new, key=lambda key: (new[key] >= MORE_WORDS or names[key] > 0, new[key], left[key]["said_at"], key))
        if new[best] < MORE_WORDS and not names[best]:
            break
        chosen.append(left.pop(best))
        told_words |= find_content_words(chosen[-1]["text"])
        told_names |= set(find_names(chosen[-1]["text"]))
    return chosen


def _tell_whole(text: str) -> str:
    """Return a fact with what it calls wrong or rejected behind it, in no brackets of its own: it stands in brackets."""
    said, turned_down = split_turned_down(" ".join(text.split()))
    return cut_closed(LEFT_MARK.join([said, *turned_down]), MORE_CHARS)


def _find_last_moment(row: RelatedFact, facts: Mapping[str, RelatedFact]) -> datetime:
    """Return when the fact was last said, in its own words or in those that it absorbed."""
    absorbed = (
        other["said_at"]
        for other in facts.values()
        if other["superseded_by"] == row["observation_id"] and stands_for(row["also"], other["session_id"], other["entry_ids"])
    )
    return max([row["said_at"], *absorbed])
