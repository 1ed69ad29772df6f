"""Chooses the earlier facts that a new fact may replace or restate: widely, because a model decides.

A fact and its replacement share a subject but often no word ("yew" → "we're on htmx now"), so the nearest by vector are joined
with the nearest by rare words. Of these the unlikely are left out: most of those that replace or restate a fact are of its kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from math import log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.language.sentences import is_unspaced
from transforms.language.statement import profile_words
from transforms.language.tokenizer import tokenize
from transforms.memory.supersession import RETIRED_BY
from transforms.tables.enums import OPEN_KINDS, PERSON_KINDS, STANDING_KINDS, FactKind

BY_VECTOR, BY_WORDS = 8, 3
"""Earlier facts that each new one may be compared with: the nearest by vector and by shared rare words."""
MIN_LIKELIHOOD = 3.0
"""The least that the resemblance of two facts, the place of the earlier one among all, and the same kind add up to."""
_COSINE_WEIGHT, _PLACE_WEIGHT, _KIND_WEIGHT = 3.0, 1.2, 2.3
"""Weights of a logistic model of the labelled pairs of six voices; the other six and a season were not fitted."""
LINES_BY_VECTOR, LINES_BY_WORDS = 4, 1
"""Lines of MEMORY.md that each new fact is compared with: a page has fewer lines than a project has facts."""
OTHERS_BY_VECTOR, MIN_OTHERS_COSINE = 2, 0.4
"""Facts beyond the nearest ones that a new one is compared with: those of other projects, because two share a call, a rule or a
release, and what is asked for in one is done in the other; and words of a person that what a command printed may end. Rules of
other projects had places among the nearest: of 451 such pairs of six owners a model acted on three, which these two find, too."""
REPORTS_BY_VECTOR, REPORTS_BY_WORDS, MAX_REPORTS = 3, 2, 5
"""Reports of work that are looked for near each fact that was replaced, and the most of one new fact."""
LATER_BY_VECTOR, LATER_BY_WORDS = 5, 3
"""Later facts that one which appears behind them is compared with."""
MAX_EARLIER = 16
"""Earlier facts below a later one in a request: each has a letter of its own."""
MIN_COSINE = 0.1
LINE_ID = "m-"
"""Beginning of the id of a line of MEMORY.md."""
_FINISHING_KINDS = frozenset({"completion", "state_change"})
"""Kinds of finished work. Any other fact that a command printed replaces and finishes nothing."""
_WORK_LOG = frozenset({"file_change", "progress"})
COMPARED_KINDS = (frozenset(RETIRED_BY) | {"task", "correction", "root_cause"}) - _WORK_LOG
"""Kinds that hold until something else does. An event stays true, a question asserts nothing, and the log of an agent's work
would fill the night's pairs."""


class PairRow(NamedTuple):
    """A fact as it is compared with others, or a line of MEMORY.md, whose id begins with `m-`.

    `is_from_owner` says that it rests on a person's own words, whatever its kind: "the demo is over, the folder is open again",
    `is_shown` that it rests on what a command printed: a test that passed, a commit, `is_claimed` on an agent's words alone,
    `is_others` on somebody else's text.
    `answer` names the model's answer that it came with; empty for rules and lines.
    """

    id: str
    kind: FactKind
    project: str
    said_at: datetime
    text: str
    is_from_owner: bool = False
    is_shown: bool = False
    answer: str = ""
    is_claimed: bool = False
    is_others: bool = False


class CandidatePair(NamedTuple):
    """Two facts that may replace or restate each other; `newer` was said later."""

    older: PairRow
    newer: PairRow


def choose_pairs(
    rows: Sequence[PairRow], new: Collection[str], vectors: NDArray[np.float32] | None = None
) -> dict[str, list[CandidatePair]]:
    """Return the id of each new row → its pairs with earlier rows, the nearest first; rows without any are left out.

    `vectors` are unit vectors of the rows in their order; without them words alone find the candidates.
    """
    near = _Nearness(rows, vectors)
    by_project: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        if row.kind in COMPARED_KINDS:
            by_project.setdefault(row.project, []).append(index)
    chosen: dict[str, list[CandidatePair]] = {}
    wanted = frozenset(new)
    for index, row in enumerate(rows):
        if row.id not in wanted or row.kind not in COMPARED_KINDS:
            continue
        ended = [other for other, older in enumerate(rows) if older.project == row.project and _may_end(older, row)]
        if row.is_shown and row.kind not in _FINISHING_KINDS:
            if nearest := near.find(index, ended, OTHERS_BY_VECTOR, 0, MIN_OTHERS_COSINE):
                chosen[row.id] = [CandidatePair(rows[other], row) for other in nearest]
            continue
        earlier = [other for other in by_project[row.project] if _may_pair(rows[other], row)]
        same_kind = {other for other in earlier if rows[other].kind == row.kind or _may_finish(row, rows[other])}
        nearest = near.find_likely(index, earlier, same_kind)
        elsewhere = [
            other
            for other, older in enumerate(rows)
            if older.project != row.project and _may_reach(older, row) and _may_pair(older, row) and other not in nearest
        ]
        nearest += near.find(index, ended, OTHERS_BY_VECTOR, 0, MIN_OTHERS_COSINE)
        by_words = OTHERS_BY_VECTOR if vectors is None and row.kind in STANDING_KINDS else 0
        nearest += near.find(index, elsewhere, OTHERS_BY_VECTOR, by_words, MIN_OTHERS_COSINE)
        if nearest:
            chosen[row.id] = [CandidatePair(rows[other], row) for other in nearest]
    return chosen


def choose_later_pairs(
    rows: Sequence[PairRow],
    behind: Mapping[str, Collection[str]],
    asked: Collection[tuple[str, str]],
    vectors: NDArray[np.float32] | None = None,
) -> dict[str, list[CandidatePair]]:
    """Return the id of each fact that appeared behind later ones → its pairs with the nearest of these, as the earlier one.

    `behind` holds the ids of the later facts; of the nearest those pairs (older id, newer id) are left out that were `asked`.
    """
    near = _Nearness(rows, vectors)
    places = {row.id: index for index, row in enumerate(rows)}
    chosen: dict[str, list[CandidatePair]] = {}
    for key, later in behind.items():
        own = rows[places[key]]
        may_follow = [
            places[other]
            for other in later
            if other in places and _may_pair(own, newer := rows[places[other]]) and _share_scope(own, newer)
        ]
        nearest = near.find(places[key], sorted(may_follow), LATER_BY_VECTOR, LATER_BY_WORDS)
        if pairs := [CandidatePair(own, rows[other]) for other in nearest if (key, rows[other].id) not in asked]:
            chosen[key] = pairs
    return chosen


def group_by_newer(pairs: Sequence[CandidatePair]) -> list[list[CandidatePair]]:
    """Return the pairs in groups of one newer fact, as a request shows them: none has more than there are letters."""
    groups: dict[str, list[CandidatePair]] = {}
    for pair in sorted(set(pairs), key=lambda pair: (pair.newer.said_at, pair.newer.id, pair.older.said_at, pair.older.id)):
        groups.setdefault(pair.newer.id, []).append(pair)
    return [group[start : start + MAX_EARLIER] for group in groups.values() for start in range(0, len(group), MAX_EARLIER)]


def choose_report_pairs(
    rows: Sequence[PairRow],
    replaced: Collection[CandidatePair],
    asked: Collection[tuple[str, str]],
    vectors: NDArray[np.float32] | None = None,
) -> dict[str, list[CandidatePair]]:
    """Return the id of each replacing fact → its pairs with earlier reports of work near the facts that it replaced.

    Pairs (older id, newer id) that were `asked` already are left out, and so are facts that were replaced themselves: dedupe
    retires them later in the night.

    A check, a cure or a finding names the command, place or value that held then. It resembles the replaced fact, not the new
    one, so it is looked for when the replacement is known.
    """
    near = _Nearness(rows, vectors)
    places = {row.id: index for index, row in enumerate(rows)}
    gone = {older.id for older, _ in replaced}
    chosen: dict[str, list[CandidatePair]] = {}
    for older, newer in replaced:
        reports = [
            index
            for index, row in enumerate(rows)
            if row.kind not in PERSON_KINDS
            and row.id not in gone
            and row.project == older.project
            and (row.id, newer.id) not in asked
            and _may_pair(row, newer)
        ]
        nearest = near.find(places[older.id], reports, REPORTS_BY_VECTOR, REPORTS_BY_WORDS)
        pairs = chosen.setdefault(newer.id, [])
        pairs += [pair for index in nearest if (pair := CandidatePair(rows[index], newer)) not in pairs]
    return {key: pairs[:MAX_REPORTS] for key, pairs in chosen.items() if pairs}


def choose_line_pairs(
    rows: Sequence[PairRow], lines: Sequence[PairRow], vectors: NDArray[np.float32] | None = None
) -> dict[str, list[CandidatePair]]:
    """Return the id of each new row → its pairs with lines of MEMORY.md, the nearest first.

    Lines have their places beside the earlier facts, because a promoted one is as near as the fact that it came from. They hold
    in every project. `vectors` are those of the rows, then of the lines.
    """
    near = _Nearness([*rows, *lines], vectors)
    chosen: dict[str, list[CandidatePair]] = {}
    for index, row in enumerate(rows):
        if row.kind not in COMPARED_KINDS or row.is_shown:
            continue
        earlier = [len(rows) + place for place, line in enumerate(lines) if _may_pair(line, row)]
        if nearest := near.find(index, earlier, LINES_BY_VECTOR, LINES_BY_WORDS):
            chosen[row.id] = [CandidatePair(lines[other - len(rows)], row) for other in nearest]
    return chosen


def _may_pair(older: PairRow, newer: PairRow) -> bool:
    """Whether the second was said after the first and may speak about it: a person's rule yields to a person only, and to what a
    command printed or an agent alone claims no word of a person yields but a request, and to a text of others only its like."""
    if not _may_follow(older, newer) or is_only_shown(older, newer) or _is_only_claimed(older, newer):
        return False
    if newer.is_others and not older.is_others:
        return False
    return older.kind not in STANDING_KINDS or newer.kind in PERSON_KINDS or newer.is_from_owner


def _may_follow(older: PairRow, newer: PairRow) -> bool:
    """Whether the second was said after the first, and in another answer. What a model wrote in one answer holds together: it was
    asked how a discussion ended (369 such pairs of two owners: two exceptions and nothing else)."""
    return (older.said_at, older.id) < (newer.said_at, newer.id) and not (older.answer and older.answer == newer.answer)


def is_only_shown(older: PairRow, newer: PairRow) -> bool:
    """Whether the second rests on what a command printed and the first on a person's words, which yield to no output."""
    return newer.is_shown and _is_persons(older)


def _is_only_claimed(older: PairRow, newer: PairRow) -> bool:
    """Whether the second is what an agent says and nothing shows, and the first a person's words: of 80 such pairs of four owners
    none was related, and one that is would put an agent's claim in the place of its owner's decision."""
    return newer.is_claimed and _is_persons(older) and not older.is_claimed


def _is_persons(row: PairRow) -> bool:
    return row.kind not in OPEN_KINDS and (row.kind in PERSON_KINDS or row.is_from_owner)


def _may_end(older: PairRow, newer: PairRow) -> bool:
    """Whether what a command printed may show that what a person's words were bound to is over: "until the release is out"."""
    return is_only_shown(older, newer) and older.kind in COMPARED_KINDS and _may_follow(older, newer)


def _may_reach(older: PairRow, newer: PairRow) -> bool:
    """Whether a fact may speak about one of another project: a person about what persons said, done work about what is open."""
    return (newer.kind in PERSON_KINDS and older.kind in PERSON_KINDS) or _may_finish(newer, older)


def _may_finish(newer: PairRow, older: PairRow) -> bool:
    """Whether the second is open and the first is of a kind that finishes such facts; they are of two kinds by nature."""
    return older.kind in OPEN_KINDS and newer.kind in _FINISHING_KINDS


def _share_scope(older: PairRow, newer: PairRow) -> bool:
    """Whether two facts are of one project, or both are standing wishes."""
    return older.project == newer.project or {older.kind, newer.kind} <= STANDING_KINDS


class _Nearness:
    """Facts with their vectors and rare words, by which the nearest of some to one are found."""

    def __init__(self, rows: Sequence[PairRow], vectors: NDArray[np.float32] | None) -> None:
        self._vectors = vectors
        self._words = [_list_words(row.text) for row in rows]
        counted = Counter(word for own in self._words for word in own)
        self._weights = {word: log(1 + len(rows) / count) for word, count in counted.items()}
        self._sizes = [sum(self._weights[word] for word in own) for own in self._words]

    def find(self, index: int, others: Sequence[int], by_vector: int, by_words: int, min_cosine: float = MIN_COSINE) -> list[int]:
        """Return the nearest of some facts to one, those by vector first, each once."""
        by_meaning = self._rank_by_vector(index, others, min_cosine)[:by_vector]
        return list(dict.fromkeys([*by_meaning, *(self._rank_by_words(index, others)[:by_words] if by_words else ())]))

    def find_likely(self, index: int, others: Sequence[int], same_kind: Collection[int]) -> list[int]:
        """Return those of the nearest that may replace or restate one, in the same order. What has no vector yet stays.

        A cosine counts as a share of the best one, because models of vectors differ in their scale.
        """
        by_vector, by_words = self._rank_by_vector(index, others, -1.0), self._rank_by_words(index, others)
        best = self._find_cosine(index, by_vector[0]) if by_vector else 0.0
        near = [other for other in by_vector[:BY_VECTOR] if self._find_cosine(index, other) >= MIN_COSINE]
        nearest = list(dict.fromkeys([*near, *by_words[:BY_WORDS]]))
        if best < MIN_COSINE:
            return nearest
        places = [{other: place for place, other in enumerate(ranked, 1)} for ranked in (by_vector, by_words)]

        def weigh(other: int) -> float:
            place_sum = sum(1 / ranked[other] for ranked in places if other in ranked)
            share = self._find_cosine(index, other) / best
            return _COSINE_WEIGHT * share + _PLACE_WEIGHT * place_sum + _KIND_WEIGHT * (other in same_kind)

        return [other for other in nearest if self._has_no_vector(other) or round(weigh(other), 4) >= MIN_LIKELIHOOD]

    def _has_no_vector(self, index: int) -> bool:
        return self._vectors is None or not self._vectors[index].any()

    def _find_cosine(self, index: int, other: int) -> float:
        return 0.0 if self._vectors is None else round(float(self._vectors[other] @ self._vectors[index]), 4)

    def _rank_by_vector(self, index: int, others: Sequence[int], min_cosine: float) -> list[int]:
        if self._vectors is None or not len(self._vectors) or not others:
            return []
        cosines = np.round(self._vectors[list(others)] @ self._vectors[index], 4)
        ranked = sorted(zip(cosines, others, strict=True), key=lambda pair: (-pair[0], pair[1]))
        return [other for cosine, other in ranked if cosine >= min_cosine]

    def _rank_by_words(self, index: int, others: Sequence[int]) -> list[int]:
        own = self._words[index]
        scores = {
            other: round(sum(self._weights[word] for word in shared) / sqrt(self._sizes[index] * self._sizes[other]), 6)
            for other in others
            if (shared := own & self._words[other])
        }
        return sorted(scores, key=lambda other: (-scores[other], other))


def _list_words(text: str) -> frozenset[str]:
    """Return the content words of a text; of a script without spaces, where a clause is a word, its index words."""
    words = frozenset(profile_words(text).content)
    return words if text.isascii() or not is_unspaced(text) else words | frozenset(tokenize(text))
