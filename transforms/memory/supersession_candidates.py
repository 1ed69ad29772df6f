"""Which claims the newer ones replace, found without comparing all with all.

Two clauses that can contradict each other share half of the longer one's words, so they share one of its rarest words
(prefix filtering: Chaudhuri, Ganti, Kaushik, "A Primitive Operator for Similarity Joins", 2006); or they name the same kind of
thing, place or purpose. What is found depends on nothing but the two clauses: rarity only orders the work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transforms.memory.supersession import (
    PERSONAL_KINDS,
    RETIRED_BY,
    ClaimClause,
    compute_min_overlap,
    find_asserted_clauses,
    find_carrying_clauses,
    find_retirement,
    is_contradiction_possible,
    is_worth_comparing,
)

RETIRING = frozenset().union(*RETIRED_BY.values())
"""Kinds that retire something."""
_CHARGE_VALUES = range(8)


class DatedClaim(NamedTuple):
    """A claim that may retire or be retired; given in the order in which it was last said."""

    id: str
    kind: str
    project: str
    claim: str


def find_successors(stated: Sequence[DatedClaim]) -> dict[str, str]:
    """Id of a retired claim → the newest claim that retires it. `stated` is sorted by time."""
    clauses = [_build_clauses(row) for row in stated]
    old, new = [pair[0] for pair in clauses], [pair[1] for pair in clauses]
    retired_by: defaultdict[int, list[int]] = defaultdict(list)
    for position, at in _list_candidate_pairs(stated, old, new):
        older, newer = stated[position], stated[at]
        if find_retirement((older.kind, old[position]), (newer.kind, new[at]), is_same_project=older.project == newer.project):
            retired_by[position].append(at)
    return {stated[one].id: stated[other].id for one, other in _pick_newest(retired_by, old, new).items()}


def _build_clauses(row: DatedClaim) -> tuple[list[ClaimClause], list[ClaimClause]]:
    """As the older and as the newer one of a pair."""
    return find_carrying_clauses(row.claim) if row.kind in RETIRED_BY else [], find_asserted_clauses(
        row.claim
    ) if row.kind in RETIRING else []


def _pick_newest(retired_by: dict[int, list[int]], old: list[list[ClaimClause]], new: list[list[ClaimClause]]) -> dict[int, int]:
    """Each retired position's newest successor. Two that replaced the same claim by things of one kind replace each other too.

    "Use SQLite for storage" → "moved to Postgres" → "actually use DuckDB for storage": the last one says nothing that
    touches the second, but both took the place of the first.
    """
    direct = {position: max(later) for position, later in retired_by.items()}
    for later in retired_by.values():
        for one in later:
            for other in later:
                if one < other and any(a.slots & b.slots and not _is_same_wording(a, b) for a in old[one] for b in new[other]):
                    direct[one] = max(direct.get(one, other), other)
    return direct


def _is_same_wording(one: ClaimClause, other: ClaimClause) -> bool:
    """Said again, which replaces nothing."""
    return one.text == other.text or one.statement.sequence == other.statement.sequence


def _list_candidate_pairs(
    stated: Sequence[DatedClaim], old: Sequence[Sequence[ClaimClause]], new: Sequence[Sequence[ClaimClause]]
) -> Iterator[tuple[int, int]]:
    """Pairs of positions (older, newer) with clauses that may concern each other."""
    seen = Counter(word for clauses in (*old, *new) for clause in clauses for word in clause.subject)
    by_word: defaultdict[tuple[str, str, int], list[tuple[int, ClaimClause]]] = defaultdict(list)
    by_key: defaultdict[tuple[str, str], list[tuple[int, ClaimClause]]] = defaultdict(list)
    for at, row in enumerate(stated):
        found: set[int] = set()
        for clause in new[at]:
            charges = [charge for charge in _CHARGE_VALUES if is_contradiction_possible(charge, clause.charge)]
            words = _pick_rarest_words(clause, seen)
            for scope in _list_scopes(row) if clause.is_explicit else (row.project,):
                near = (entry for word in words for charge in charges for entry in by_word.get((scope, word, charge), ()))
                kin = (entry for key in clause.new_keys for entry in by_key.get((scope, key), ()))
                for lists in (near, kin):
                    found.update(
                        position for position, other in lists if position not in found and is_worth_comparing(other, clause)
                    )
        for position in sorted(found):
            yield position, at
        for clause in old[at]:
            for scope in _list_scopes(row):
                for word in _pick_rarest_words(clause, seen):
                    by_word[scope, word, clause.charge].append((at, clause))
                for key in clause.old_keys:
                    by_key[scope, key].append((at, clause))


def _pick_rarest_words(clause: ClaimClause, seen: Counter[str]) -> list[str]:
    """So many of the rarest words that a clause with enough words in common has one of them."""
    size = len(clause.subject)
    return sorted(clause.subject, key=lambda word: (seen[word], word))[: size - compute_min_overlap(size) + 1]


def _list_scopes(row: DatedClaim) -> tuple[str, ...]:
    return (row.project, "*") if row.kind in PERSONAL_KINDS else (row.project,)
