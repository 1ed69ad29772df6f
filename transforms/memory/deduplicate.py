"""Which observations say the same, and which were replaced by newer ones: a pure function of the whole set.

Order of arrival never matters: rows are taken in one canonical order (persons' words first, then priority, then newest, then
id), each joins the first survivor that says the same, and chains of replacement end at the newest. Night by night and
backfill therefore agree.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from transforms.language.similarity import EXTRA_NEAR, is_restatement
from transforms.language.statement import Statement, parse_statement, profile_words, split_claim
from transforms.memory.supersession import PERSONAL_KINDS, RETIRED_BY
from transforms.memory.supersession_candidates import RETIRING, DatedClaim, find_successors
from transforms.offline.current_values import find_assignments, find_superseding_text

FindCosine = Callable[[str, str], float | None]
"""The cosine of two observations' texts, given the texts; None when a vector is missing."""

_KIND_CLASSES = {
    kind: name
    for name, kinds in {
        "assertion": "preference rule decision convention correction state_change status",
        "work": "file_change completion",
        "wish": "request task",
    }.items()
    for kind in kinds.split()
}
_PERSON_KINDS = frozenset({"preference", "rule", "correction", "decision", "convention"})
_PRIORITY_RANK = {"high": 0, "medium": 1, "low": 2}
_STANDALONE_WORDS = 3
"""Content words from which a person's quoted words stand alone; shorter ones ("yes, do it") also compare what they answer."""


@dataclass(slots=True)
class _ComparedRow:
    """An observation while it is compared."""

    id: str
    kind: str
    project: str
    order: tuple[Any, ...]
    text: str
    claim: str
    compared: str
    content: frozenset[str]
    refs: tuple[str, ...]
    members: list[_ComparedRow] = field(default_factory=list)

    @property
    def said(self) -> Statement:
        """The text taken apart: a few of many rows are compared word by word, so none holds it."""
        return parse_statement(self.compared)

    @property
    def spans_projects(self) -> bool:
        return self.kind in PERSONAL_KINDS

    @property
    def last_said(self) -> tuple[Any, ...]:
        return max([self.order, *(member.order for member in self.members)])


@dataclass(frozen=True, slots=True)
class MergeDecision:
    """What dedupe writes into an observation."""

    superseded_by: str | None
    merged_count: int
    also: tuple[str, ...]


def decide_merges(
    observations: Sequence[dict[str, Any]], near: FindCosine = lambda _first, _second: None, owner: str = ""
) -> dict[str, MergeDecision]:
    """A decision for every given observation (only `allow` rows belong here), whatever their order.

    Needs observation_id, kind, project, priority, said_at, session_id, ordinals, entry_ids and text of each.
    """
    survivors = _find_survivors(_sort_canonically(observations, owner), near)
    successors = _find_survivor_successors(survivors)
    decisions: dict[str, MergeDecision] = {}
    for row in survivors:
        last = _follow_chain(row.id, successors)
        others = {ref for member in row.members for ref in member.refs} - set(row.refs)
        decisions[row.id] = MergeDecision(None if last == row.id else last, 1 + len(row.members), tuple(sorted(others)))
        decisions |= {member.id: MergeDecision(last, 1, ()) for member in row.members}
    return decisions


def _sort_canonically(observations: Sequence[dict[str, Any]], owner: str) -> list[_ComparedRow]:
    rows = [(_build_compared_row(one, owner), _PRIORITY_RANK.get(one["priority"], 3)) for one in observations]
    rows.sort(key=lambda pair: pair[0].order, reverse=True)
    rows.sort(key=lambda pair: (pair[0].kind not in _PERSON_KINDS, pair[1]))
    return [row for row, _ in rows]


def _build_compared_row(one: dict[str, Any], owner: str) -> _ComparedRow:
    parts = split_claim(one["text"], owner)
    compared = parts.claim
    stands_alone = not parts.rest or (one["kind"] in _PERSON_KINDS and len(profile_words(compared).content) >= _STANDALONE_WORDS)
    if not stands_alone:
        compared = f"{parts.claim} {parts.rest}"
    moment = one["said_at"].timestamp() if one["said_at"] else 0.0
    ordinals = one["ordinals"] or ()
    return _ComparedRow(
        id=one["observation_id"], kind=one["kind"], project=one["project"] or "",
        order=(moment, one["session_id"] or "", min(ordinals, default=0), one["observation_id"]),
        text=one["text"], claim=parts.claim, compared=compared, content=profile_words(compared).content,
        refs=tuple(f"{one['session_id']}:{entry}" for entry in one["entry_ids"] or ()),
    )  # fmt: skip


# ---- the same


class _SurvivorIndex:
    """Survivors by class and scope, found by a rare word that a duplicate must share with them.

    One text's words contain the other's and the rest is at most EXTRA_NEAR of them, so they share 1 / (1 + EXTRA_NEAR) of
    the longer one's words, and one of these is among the rarest words of either (see `transforms.memory.supersession_candidates`).
    """

    def __init__(self, rows: Sequence[_ComparedRow]) -> None:
        self.seen = Counter(word for row in rows for word in row.content)
        self.by_word: defaultdict[tuple[str, str, str], list[int]] = defaultdict(list)

    def add(self, row: _ComparedRow, position: int) -> None:
        for kind, scope in _list_scopes(row):
            for word in self._rarest(row):
                self.by_word[kind, scope, word].append(position)

    def candidates(self, row: _ComparedRow, survivors: list[_ComparedRow]) -> list[int]:
        """Positions of survivors with content words that contain the row's, or are contained."""
        words, content = self._rarest(row), row.content
        found = {
            at
            for kind, scope in _list_scopes(row)
            for word in words
            for at in self.by_word.get((kind, scope, word), ())
            if content <= survivors[at].content or survivors[at].content <= content
        }
        return sorted(found)

    def _rarest(self, row: _ComparedRow) -> list[str]:
        """Without any content word ("yes, do it") the words as they are."""
        if not row.content:
            return [" ".join(row.said.sequence)]
        size = len(row.content)
        needed = size - int(size / (1 + EXTRA_NEAR) - 1e-9)
        return sorted(row.content, key=lambda word: (self.seen[word], word))[:needed]


def _list_scopes(row: _ComparedRow) -> list[tuple[str, str]]:
    kind = _KIND_CLASSES.get(row.kind, row.kind)
    return [(kind, row.project), *([(f"{kind}*", "")] if row.spans_projects else [])]


def _find_survivors(rows: list[_ComparedRow], near: FindCosine) -> list[_ComparedRow]:
    survivors: list[_ComparedRow] = []
    index = _SurvivorIndex(rows)
    for row in rows:
        for at in index.candidates(row, survivors):
            kept = survivors[at]
            if is_restatement(kept.said, row.said, lambda kept=kept, row=row: near(kept.text, row.text)):  # type: ignore[misc]
                kept.members.append(row)
                break
        else:
            index.add(row, len(survivors))
            survivors.append(row)
    return survivors


# ---- the newer


def _find_survivor_successors(survivors: list[_ComparedRow]) -> dict[str, str]:
    """Retired survivor → the newest survivor that retires it."""
    stated = sorted((row for row in survivors if row.kind in RETIRED_BY or row.kind in RETIRING), key=lambda row: row.last_said)
    return _find_outdated_values(stated) | find_successors(
        [DatedClaim(row.id, row.kind, row.project, row.claim) for row in stated]
    )


_VALUE_KINDS = frozenset({"decision", "state_change", "file_change", "completion", "status", "fix"})


def _find_outdated_values(stated: list[_ComparedRow]) -> dict[str, str]:
    """Rows of a session that give names values which later rows of the same session replaced, with the first that did."""
    sessions: defaultdict[str, list[_ComparedRow]] = defaultdict(list)
    for row in stated:
        if row.kind in _VALUE_KINDS and find_assignments(row.text):
            sessions[row.order[1]].append(row)
    found: dict[str, str] = {}
    for rows in sessions.values():
        for at, row in enumerate(rows):
            later = rows[at + 1 :]
            if (by := find_superseding_text(row.text, [one.text for one in later])) is not None:
                found[row.id] = later[by].id
    return found


def _follow_chain(start: str, successors: dict[str, str]) -> str:
    """The end of the chain; time only grows along it, so it ends."""
    at = start
    while at in successors:
        at = successors[at]
    return at


# ---- what a change can reach


def update_merges(
    observations: Sequence[dict[str, Any]], changed: set[str], near: FindCosine, owner: str
) -> dict[str, MergeDecision]:
    """Decisions of every row that a change in the projects `changed` may touch; all other rows keep what they have.

    Needs `superseded_by`, `merged_count` and `also` as decided before, beside the columns of `decide`. Rules and preferences
    reach over projects, so all of them are compared, with the rows that they absorbed or retired; a project in which that
    alters anything is compared whole. Measured at 100,000 rows of 12 projects, 60 of them new in one: 29,205 are compared.
    """
    stored = {row["observation_id"]: _read_decision(row) for row in observations}
    tied = _collect_linked(observations, {row["observation_id"] for row in observations if row["kind"] in PERSONAL_KINDS})
    while True:
        rows = [row for row in observations if (row["project"] or "") in changed or row["observation_id"] in tied]
        decisions = decide_merges(rows, near, owner)
        altered = {row["project"] or "" for row in rows if decisions[row["observation_id"]] != stored[row["observation_id"]]}
        if altered <= changed:
            return decisions
        changed = changed | altered


def _read_decision(row: dict[str, Any]) -> MergeDecision:
    return MergeDecision(row["superseded_by"], row["merged_count"] or 1, tuple(row["also"] or ()))


def _collect_linked(observations: Sequence[dict[str, Any]], start: set[str]) -> set[str]:
    """`start` and every row that one of them absorbed, retired, or points to, and so on."""
    citing: defaultdict[str, list[str]] = defaultdict(list)
    for row in observations:
        for entry in row["entry_ids"] or ():
            citing[f"{row['session_id']}:{entry}"].append(row["observation_id"])
    links: defaultdict[str, set[str]] = defaultdict(set)
    for row in observations:
        own = row["observation_id"]
        others = [row["superseded_by"]] if row["superseded_by"] else []
        for other in [*others, *(name for ref in row["also"] or () for name in citing.get(ref, ()))]:
            links[own].add(other)
            links[other].add(own)
    found, waiting = set(start), list(start)
    while waiting:
        new = links[waiting.pop()] - found
        found |= new
        waiting += new
    return found
