"""Finds the claims that newer ones retire, without comparing all pairs.

Two clauses that can contradict each other share half of the longer one's words, so they share one of its rarest words (prefix
filtering: Chaudhuri, Ganti, Kaushik, "A Primitive Operator for Similarity Joins", 2006); or they name the same kind of
alternative, place or purpose. A newer clause repeats all values of the older one but one, so it has one of any two of them. The
result depends only on the two clauses: rarity only orders the work.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence, Set
from itertools import chain
from typing import NamedTuple

from transforms.language.sentences import split_sentences
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
Sides = tuple[Sequence[ClaimClause], Sequence[ClaimClause]]
"""The clauses of a claim as the older and as the newer one of a pair."""
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
    moment: tuple[float, str] | None = None
    """When it was last said, and in which session: parts of one message replace nothing of each other."""
    known_basis: frozenset[str] = frozenset()
    """Of a known claim: ids among which are those of the known claims that were found to retire it (`Succession.rests_on`)."""
    answer: str = ""
    """The answer of a model that holds the claim: its claims hold side by side, as it told what replaces what. Empty for none."""


class Succession(NamedTuple):
    """Retired claims: the id of each → the newest claim that retires it, and → all claims on which that rests.

    These are the claims that retire it, as far as they may replace each other, and one that both it and its successor replaced.
    """

    newest: dict[str, str]
    rests_on: dict[str, set[str]]


class LateSides:
    """The clauses of a claim as the older (0) and as the newer (1) one of a pair, found when a pair asks: most have one side."""

    __slots__ = ("_row", "_sides")

    def __init__(self, row: DatedClaim) -> None:
        self._row = row
        self._sides: list[Sequence[ClaimClause] | None] = [None, None]

    def __getitem__(self, side: int) -> Sequence[ClaimClause]:
        """Return the clauses of a side."""
        clauses = self._sides[side]
        if clauses is None:
            clauses = self._sides[side] = (_build_older, _build_newer)[side](self._row)
        return clauses


Clauses = dict[int, LateSides]
"""Those of claims, by their positions."""


class _Beside(NamedTuple):
    """The newest claim that replaces another one because both replaced the same `thirds`."""

    second: int
    thirds: list[int]


_NOTHING_BESIDE = _Beside(-1, [])


def trace_succession(claims: Sequence[DatedClaim], apart: Set[tuple[str, str]] = frozenset()) -> Succession:
    """Return which claims retire others, and on which claims each of these decisions rests. `claims` is sorted by time.

    Of pairs that are kept `apart` (older id, newer id), and of two of one answer, the newer claim retires nothing, whatever their
    words.

    Two known claims are compared only if the older one rests on the newer one. One project is compared after the other, because
    the clauses of claims are what takes memory: only claims that reach other projects keep theirs meanwhile.
    """
    projects: defaultdict[str, list[int]] = defaultdict(list)
    for position, row in enumerate(claims):
        projects[row.project].append(position)
    reaching = [position for position, row in enumerate(claims) if len(projects) > 1 and row.kind in STANDING_KINDS]
    clauses: Clauses = {position: LateSides(claims[position]) for position in reaching}
    newer_of: defaultdict[int, list[int]] = defaultdict(list)
    for older, newer in chain(_list_known_pairs(claims), _list_candidate_pairs(claims, reaching, clauses, is_across=True)):
        newer_of[older].append(newer)
    retired_by: dict[int, list[int]] = {}
    beside: dict[int, _Beside] = {}
    for positions in projects.values():
        own = [position for position in positions if position not in clauses]
        clauses.update((position, LateSides(claims[position])) for position in own)
        for older, newer in _list_candidate_pairs(claims, positions, clauses, is_across=False):
            newer_of[older].append(newer)
        for older in positions:
            candidates = [
                newer for newer in sorted({*newer_of.pop(older, ())}) if not _hold_both(claims[older], claims[newer], apart)
            ]
            if later := _find_retiring(older, candidates, claims, clauses):
                retired_by[older] = later
                _note_beside(beside, older, later, claims, clauses)
        for position in own:
            del clauses[position]
    newest = {position: max(later) for position, later in retired_by.items()}
    last = {
        first: pair
        for first, pair in beside.items()
        if pair.second > newest.get(first, -1) and not _hold_both(claims[first], claims[pair.second], apart)
    }
    newest |= {first: pair.second for first, pair in last.items()}
    bases = {position: (*retired_by.get(position, ()), *last.get(position, _NOTHING_BESIDE).thirds) for position in newest}
    rests_on = {claims[position].id: {claims[other].id for other in others} for position, others in bases.items()}
    return Succession({claims[older].id: claims[newer].id for older, newer in newest.items()}, rests_on)


def _hold_both(older: DatedClaim, newer: DatedClaim, apart: Set[tuple[str, str]]) -> bool:
    """Whether a model saw both and did not say that the newer one takes the place of the older."""
    return (bool(older.answer) and older.answer == newer.answer) or (older.id, newer.id) in apart


def _find_retiring(
    position: int,
    candidates: Sequence[int],
    claims: Sequence[DatedClaim],
    clauses: Clauses,
) -> list[int]:
    """Return the newest claim that retires the one at `position`, and the earlier ones that name an alternative (`_pick_newest`).

    Of a status that is said anew every day only the last one matters, so the others are not compared.
    """
    older, retiring = claims[position], list[int]()
    for newer_position in reversed(candidates):
        if retiring and not any(clause.slots for side in (0, 1) for clause in clauses[newer_position][side]):
            continue
        newer = claims[newer_position]
        if older.moment is not None and older.moment == newer.moment:
            continue
        sides = (older.kind, clauses[position][0]), (newer.kind, clauses[newer_position][1])
        if find_retirement(*sides, is_same_project=older.project == newer.project):
            retiring.append(newer_position)
    return retiring[::-1]


def build_clauses(row: DatedClaim) -> Sides:
    """Return the clauses of a claim as the older and as the newer one of a pair."""
    return _build_older(row), _build_newer(row)


def _build_older(row: DatedClaim) -> Sequence[ClaimClause]:
    """Return what newer claims can retire: nothing of a wish in several sentences, of which a newer one ends the one at most."""
    if row.kind not in RETIRED_BY or (row.kind in STANDING_KINDS and len(split_sentences(row.claim)) > 1):
        return ()
    return find_carrying_clauses(row.claim)


def _build_newer(row: DatedClaim) -> Sequence[ClaimClause]:
    return find_asserted_clauses(row.claim) if row.kind in RETIRING else ()


def _note_beside(
    beside: dict[int, _Beside], third: int, later: Sequence[int], claims: Sequence[DatedClaim], clauses: Clauses
) -> None:
    """Note of the claims that replaced a `third` one which of them also replaces an earlier one of them, the newest for each.

    Two that replaced the same claim by alternatives also replace each other, within the scope in which the later one may retire
    anything.

    "Use SQLite for storage" → "moved to Postgres" → "actually use DuckDB for storage": the last one shares no word with the
    second, but both took the place of the first.
    """
    for first in (position for position in later if any(clause.slots for clause in clauses[position][0])):
        for second in later:
            known = beside.get(first, _NOTHING_BESIDE)
            if second > first and second >= known.second and _is_replaced_beside(claims, clauses, first, second):
                if second > known.second:
                    beside[first] = _Beside(second, [])
                beside[first].thirds.append(third)


def _is_replaced_beside(claims: Sequence[DatedClaim], clauses: Clauses, first: int, second: int) -> bool:
    """Whether the second of two claims that replaced a third also replaces the first; in another project only in words."""
    is_same_project = claims[first].project == claims[second].project
    newer = [clause for clause in clauses[second][1] if is_same_project or clause.is_explicit]
    is_reached = is_in_scope(claims[first].kind, claims[second].kind, is_same_project=is_same_project)
    return is_reached and _has_alternative(clauses[first][0], newer)


def _has_alternative(older: Sequence[ClaimClause], newer: Sequence[ClaimClause]) -> bool:
    """Whether two clauses name alternatives of one kind and are not the same words; a value without its sentence is none."""
    sentences = [old for old in older if not old.is_choice]
    return any(old.slots & new.slots and not _is_same_wording(old, new) for old in sentences for new in newer)


def _is_same_wording(older: ClaimClause, newer: ClaimClause) -> bool:
    """Whether a claim is only repeated, which replaces nothing."""
    return older.text == newer.text or older.statement.sequence == newer.statement.sequence


def _list_candidate_pairs(
    claims: Sequence[DatedClaim], positions: Sequence[int], clauses: Clauses, *, is_across: bool
) -> Iterator[tuple[int, int]]:
    """Yield pairs of these positions (older, newer) with clauses that may contradict each other, by the newer one.

    They are those of one project. With `is_across` they are those that reach other projects: then pairs of two projects are
    yielded, and the newer one must say that something changes.
    """
    sides = _list_facing_sides(claims, positions, clauses)
    seen = Counter(word for clause in chain.from_iterable(map(chain.from_iterable, sides)) for word in clause.subject)
    shared = _list_shared_words(sides)
    seen_values = Counter(value for old, _ in sides for clause in old for value in clause.values)
    by_word: defaultdict[tuple[bool, str, int, str], list[tuple[int, ClaimClause]]] = defaultdict(list)
    by_key: defaultdict[tuple[bool, str], list[tuple[int, ClaimClause]]] = defaultdict(list)
    for newer_position, (old, new) in zip(positions, sides, strict=True):
        row = claims[newer_position]
        met: set[int] = set()
        compared = (False,) if row.is_known else (False, True)
        for clause in new:
            if is_across and not clause.is_explicit:
                continue
            flag_values = [flags for flags in _FLAG_VALUES if is_contradiction_possible(flags, clause.flags)]
            words = shared.intersection(_pick_rarest_words(clause, seen))
            values = (_NO_VALUE, *clause.values)
            by_shared_word = (
                entry
                for known in compared
                for word in words
                for flags in flag_values
                for value in values
                for entry in by_word.get((known, word, flags, value), ())
            )
            by_shared_key = (entry for known in compared for key in clause.new_keys for entry in by_key.get((known, key), ()))
            for position, other in chain(by_shared_word, by_shared_key):
                is_reached = not is_across or claims[position].project != row.project
                if position not in met and is_reached and is_worth_comparing(other, clause):
                    met.add(position)
        for position in sorted(met):
            yield position, newer_position
        for clause in (clause for clause in old if not clause.is_event):
            entry = (newer_position, clause)
            for word in shared.intersection(_pick_rarest_words(clause, seen)):
                for value in _pick_rarest_values(clause, seen_values):
                    by_word[row.is_known, word, clause.flags, value].append(entry)
            for key in clause.old_keys:
                by_key[row.is_known, key].append(entry)


def _list_facing_sides(claims: Sequence[DatedClaim], positions: Sequence[int], clauses: Clauses) -> list[Sides]:
    """Return the clauses of these claims that a pair may have: two known ones make none, so a known claim is the older one only
    before the last new one, and the newer one only behind the first."""
    new = [position for position in positions if not claims[position].is_known]
    first, last = (new[0], new[-1]) if new else (len(claims), -1)
    return [
        (clauses[position][0] if position <= last else (), clauses[position][1] if position >= first else ())
        for position in positions
    ]


def _list_shared_words(sides: Sequence[Sides]) -> set[str]:
    """Return the words of more than one claim: nothing is found under another one, and of the rarest words many are such."""
    words_of = ({word for clause in chain(*both) for word in clause.subject} for both in sides)
    return {word for word, count in Counter(chain.from_iterable(words_of)).items() if count > 1}


def _list_known_pairs(claims: Sequence[DatedClaim]) -> Iterator[tuple[int, int]]:
    """Yield pairs of positions (older, newer) of known claims of which the older one rests on the newer one, in its reach."""
    positions = {row.id: position for position, row in enumerate(claims) if row.is_known}
    for position, row in enumerate(claims):
        newer = sorted(positions[name] for name in row.known_basis if name in positions)
        for other in newer:
            is_same_project = claims[other].project == row.project
            if other > position and is_in_scope(row.kind, claims[other].kind, is_same_project=is_same_project):
                yield position, other


def _pick_rarest_values(clause: ClaimClause, seen: Counter[str]) -> list[str]:
    """Return two values of which a newer clause has one when it retires this one; one key for all clauses with fewer values."""
    if len(clause.values) < _TWO_VALUES:
        return [_NO_VALUE]
    return sorted(clause.values, key=lambda value: (seen[value], value))[:_TWO_VALUES]


def _pick_rarest_words(clause: ClaimClause, seen: Counter[str]) -> list[str]:
    """Return as many of the rarest words as a clause needs to share one with every clause of enough overlap."""
    size = len(clause.subject)
    return sorted(clause.subject, key=lambda word: (seen[word], word))[: size - compute_min_overlap(size) + 1]
