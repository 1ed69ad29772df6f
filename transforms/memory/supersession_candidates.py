"""Finds the claims that newer ones retire, without comparing all pairs.

Two clauses that can contradict each other share half of the longer one's words, so they share one of its rarest words (prefix
filtering: Chaudhuri, Ganti, Kaushik, "A Primitive Operator for Similarity Joins", 2006); or they name the same kind of
alternative, place or purpose. A newer clause repeats all values of the older one but one, so it has one of any two of them. The
result depends only on the two clauses: rarity only orders the work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from transforms.memory.claim_clauses import (
    ClaimClause,
    compute_min_overlap,
    find_asserted_clauses,
    find_carrying_clauses,
    is_contradiction_possible,
    is_worth_comparing,
)
from transforms.memory.supersession import RETIRED_BY, find_retirement, is_in_scope
from transforms.tables.enums import STANDING_KINDS

RETIRING = frozenset().union(*RETIRED_BY.values())
"""Kinds that retire another kind."""
_FLAG_VALUES = range(8)
_TWO_VALUES, _NO_VALUE = 2, ""


class DatedClaim(NamedTuple):
    """A claim that may retire or be retired; sequences are sorted by the time when it was last said."""

    id: str
    kind: str
    project: str
    claim: str
    is_known: bool = False
    """Whether an earlier comparison, with all others of which this is said, found out which of them retire another."""
    known_basis: frozenset[str] = frozenset()
    """Of a known claim: ids among which are those of the known claims that were found to retire it (`Succession.rests_on`)."""


class Succession(NamedTuple):
    """Retired claims: the id of each → the newest claim that retires it, and → all claims on which that rests.

    These are the claims that retire it, as far as they may replace each other, and one that both it and its successor replaced.
    """

    newest: dict[str, str]
    rests_on: dict[str, set[str]]


def trace_succession(claims: Sequence[DatedClaim]) -> Succession:
    """Return which claims retire others, and on which claims each of these decisions rests. `claims` is sorted by time.

    Two known claims are compared only if the older one rests on the newer one.
    """
    clauses = [build_clauses(row) for row in claims]
    old, new = [pair[0] for pair in clauses], [pair[1] for pair in clauses]
    newer_of: defaultdict[int, list[int]] = defaultdict(list)
    for older_position, newer_position in chain(_list_candidate_pairs(claims, old, new), _list_known_pairs(claims)):
        newer_of[older_position].append(newer_position)
    retired_by: dict[int, list[int]] = {}
    for older_position, candidates in newer_of.items():
        if later := _find_retiring(older_position, sorted(candidates), claims, old, new):
            retired_by[older_position] = later
    newest, beside = _pick_newest(retired_by, claims, old, new)
    rests_on = {
        claims[position].id: {claims[other].id for other in (*retired_by.get(position, ()), *beside.get(position, ()))}
        for position in newest
    }
    return Succession({claims[older].id: claims[newer].id for older, newer in newest.items()}, rests_on)


def _find_retiring(
    position: int,
    candidates: Sequence[int],
    claims: Sequence[DatedClaim],
    old: Sequence[Sequence[ClaimClause]],
    new: Sequence[Sequence[ClaimClause]],
) -> list[int]:
    """Return the newest claim that retires the one at `position`, and the earlier ones that name an alternative (`_pick_newest`).

    Of a status that is said anew every day only the last one matters, so the others are not compared.
    """
    older, retiring = claims[position], list[int]()
    for newer_position in reversed(candidates):
        if retiring and not any(clause.slots for clause in (*old[newer_position], *new[newer_position])):
            continue
        newer = claims[newer_position]
        if find_retirement(
            (older.kind, old[position]), (newer.kind, new[newer_position]), is_same_project=older.project == newer.project
        ):
            retiring.append(newer_position)
    return retiring[::-1]


def build_clauses(row: DatedClaim) -> tuple[Sequence[ClaimClause], Sequence[ClaimClause]]:
    """Return the clauses of a claim as the older and as the newer one of a pair."""
    carrying = find_carrying_clauses(row.claim) if row.kind in RETIRED_BY else ()
    asserted = find_asserted_clauses(row.claim) if row.kind in RETIRING else ()
    return carrying, asserted


def _pick_newest(
    retired_by: dict[int, list[int]],
    claims: Sequence[DatedClaim],
    old: Sequence[Sequence[ClaimClause]],
    new: Sequence[Sequence[ClaimClause]],
) -> tuple[dict[int, int], dict[int, list[int]]]:
    """Return each retired position's newest successor, and the positions that both replaced if that is why.

    Two that replaced the same claim by alternatives also replace each other, within the scope in which the later one may retire
    anything.

    "Use SQLite for storage" → "moved to Postgres" → "actually use DuckDB for storage": the last one shares no word with the
    second, but both took the place of the first.
    """
    direct = {position: max(later) for position, later in retired_by.items()}
    beside: dict[int, list[int]] = {}
    for third, later in retired_by.items():
        for first in (position for position in later if any(clause.slots for clause in old[position])):
            for second in later:
                if first < second and _is_replaced_beside(claims, old, new, first, second):
                    if second > direct.get(first, -1):
                        direct[first], beside[first] = second, []
                    if first in beside and second == direct[first]:
                        beside[first].append(third)
    return direct, beside


def _is_replaced_beside(
    claims: Sequence[DatedClaim],
    old: Sequence[Sequence[ClaimClause]],
    new: Sequence[Sequence[ClaimClause]],
    first: int,
    second: int,
) -> bool:
    """Whether the second of two claims that replaced a third also replaces the first; in another project only in words."""
    is_same_project = claims[first].project == claims[second].project
    newer = [clause for clause in new[second] if is_same_project or clause.is_explicit]
    is_reached = is_in_scope(claims[first].kind, claims[second].kind, is_same_project=is_same_project)
    return is_reached and _has_alternative(old[first], newer)


def _has_alternative(older: Sequence[ClaimClause], newer: Sequence[ClaimClause]) -> bool:
    """Whether two clauses name alternatives of one kind and are not the same words; a value without its sentence is none."""
    sentences = [old for old in older if not old.is_choice]
    return any(old.slots & new.slots and not _is_same_wording(old, new) for old in sentences for new in newer)


def _is_same_wording(older: ClaimClause, newer: ClaimClause) -> bool:
    """Whether a claim is only repeated, which replaces nothing."""
    return older.text == newer.text or older.statement.sequence == newer.statement.sequence


def _list_candidate_pairs(
    claims: Sequence[DatedClaim], old: Sequence[Sequence[ClaimClause]], new: Sequence[Sequence[ClaimClause]]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of positions (older, newer) with clauses that may contradict each other, by the newer one."""
    seen = Counter(word for clauses in (*old, *new) for clause in clauses for word in clause.subject)
    shared = _list_shared_words(old, new)
    seen_values = Counter(value for clauses in old for clause in clauses for value in clause.values)
    by_word: defaultdict[tuple[bool, str, str, int, str], list[tuple[int, ClaimClause]]] = defaultdict(list)
    by_key: defaultdict[tuple[bool, str, str], list[tuple[int, ClaimClause]]] = defaultdict(list)
    for newer_position, row in enumerate(claims):
        positions: set[int] = set()
        compared = (False,) if row.is_known else (False, True)
        for clause in new[newer_position]:
            flag_values = [flags for flags in _FLAG_VALUES if is_contradiction_possible(flags, clause.flags)]
            words = shared.intersection(_pick_rarest_words(clause, seen))
            values = (_NO_VALUE, *clause.values)
            for scope in _list_scopes(row) if clause.is_explicit else (row.project,):
                by_shared_word = (
                    entry
                    for known in compared
                    for word in words
                    for flags in flag_values
                    for value in values
                    for entry in by_word.get((known, scope, word, flags, value), ())
                )
                by_shared_key = (
                    entry for known in compared for key in clause.new_keys for entry in by_key.get((known, scope, key), ())
                )
                for entries in (by_shared_word, by_shared_key):
                    positions.update(
                        position for position, other in entries if position not in positions and is_worth_comparing(other, clause)
                    )
        for position in sorted(positions):
            yield position, newer_position
        for clause in (clause for clause in old[newer_position] if not clause.is_event):
            entry = (newer_position, clause)
            words = shared.intersection(_pick_rarest_words(clause, seen))
            for scope in _list_scopes(row):
                for word in words:
                    for value in _pick_rarest_values(clause, seen_values):
                        by_word[row.is_known, scope, word, clause.flags, value].append(entry)
                for key in clause.old_keys:
                    by_key[row.is_known, scope, key].append(entry)


def _list_shared_words(old: Sequence[Sequence[ClaimClause]], new: Sequence[Sequence[ClaimClause]]) -> set[str]:
    """Return the words of more than one claim: nothing is found under another one, and of the rarest words many are such."""
    words_of = ({word for clause in (*older, *newer) for word in clause.subject} for older, newer in zip(old, new, strict=True))
    return {word for word, count in Counter(chain.from_iterable(words_of)).items() if count > 1}


def _list_known_pairs(claims: Sequence[DatedClaim]) -> Iterator[tuple[int, int]]:
    """Yield pairs of positions (older, newer) of known claims of which the older one rests on the newer one."""
    positions = {row.id: position for position, row in enumerate(claims) if row.is_known}
    for position, row in enumerate(claims):
        newer = sorted(positions[name] for name in row.known_basis if name in positions)
        yield from ((position, other) for other in newer if other > position)


def _pick_rarest_values(clause: ClaimClause, seen: Counter[str]) -> list[str]:
    """Return two values of which a newer clause has one when it retires this one; one key for all clauses with fewer values."""
    if len(clause.values) < _TWO_VALUES:
        return [_NO_VALUE]
    return sorted(clause.values, key=lambda value: (seen[value], value))[:_TWO_VALUES]


def _pick_rarest_words(clause: ClaimClause, seen: Counter[str]) -> list[str]:
    """Return as many of the rarest words as a clause needs to share one with every clause of enough overlap."""
    size = len(clause.subject)
    return sorted(clause.subject, key=lambda word: (seen[word], word))[: size - compute_min_overlap(size) + 1]


def _list_scopes(row: DatedClaim) -> tuple[str, ...]:
    return (row.project, "*") if row.kind in STANDING_KINDS else (row.project,)
