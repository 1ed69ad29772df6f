"""Ranks candidates: a weighted sum of ranking features (`transforms/recall/ranking_features.py`), boosts, and folded duplicates.

The index only proposes candidates. The order is exact over them, so that it does not depend on how an index approximates. Kept
lines (facts in a model's words, and lines of MEMORY.md beside them) stand alone where other documents quote, and their owner asks
for them in other words months later. Therefore they are lifted and count the words of the turns that they cite, too, and of two
that are alike the newer one goes first, whether or not anything retired the older one. A fact that took the place of another one
goes before the turns that said the former; a question about the past gets the former beside it. What is said of projects that
the question is not about gets no lift and comes last, unless it leads by far.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo

import numpy as np
import numpy.typing as npt

from transforms.language.similarity import Vectors
from transforms.recall.echoes import mark_echoes, quotes_own_turn
from transforms.recall.question import Question
from transforms.recall.ranking_features import (
    NEIGHBOUR_REACH,
    CorpusStatistics,
    Floats,
    RankingFeatures,
    compute_features,
    find_neighbours,
    mark_embedded_turns,
)
from transforms.recall.ranking_record import RankingRecord
from transforms.tables.enums import LASTING_KINDS
from transforms.tables.periods import SECONDS_PER_DAY, find_local_day

__all__ = [
    "NEIGHBOUR_REACH", "CorpusStatistics", "RankedCandidate", "Vectors", "compute_boosts", "find_neighbours", "fold_duplicates",
    "put_elsewhere_last", "rank_candidates",
]  # fmt: skip

RANKING_WEIGHTS = {
    "lexical": 4.5,
    "semantic": 12.5,
    "session": 2.0,
    "length": 0.9,
    "speaker": 1.2,
    "owner": 1.4,
    "question": -1.5,
    "reply": 0.4,
    "time": 1.2,
    "number": 1.0,
    "boost": 3.5,
    "kept_line": 3.0,
}
"""Weight of each ranking feature, found by coordinate search over dialogues and coding sessions together and rounded.

`boost` multiplies the logarithm of `compute_boosts`. `benchmarks/recall/locomo.py --ablate`
prints the worth of each feature."""
WEIGHTS_BY_WORDS = RANKING_WEIGHTS | {
    "lexical": 5.5, "session": 2.8, "length": 0.4, "owner": 0.7, "question": -1.2, "reply": 1.1,
}  # fmt: skip
"""Weights when there are no vectors, over the same sets and then moved by hand until tests of replies and past questions held:
words must outweigh length, which else puts the full pieces of long chats first."""
FACT_LEAD = 1.4
"""Score by which a fact, which is short, is ahead of turns without vectors; it goes as turns get theirs."""
SESSION_PENALTY = 0.2
"""Penalty for each better hit of the same session when a question asks for several things; such questions ignore `session`."""
SUPERSEDED_MARGIN = 0.1
"""Score by which a superseded row stays below its successor."""
FORMER_FACTS = 3
"""Facts that one replaced which a question about the past gets beside it."""
PERFECT_SCORE = 24.0
"""About the sum of a perfect hit: reported scores are shares of it."""
DATE_BOOST, SUPERSEDED_BOOST = 1.3, 0.5
PRIORITY_BOOSTS = {"high": 1.1, "medium": 1.0, "low": 0.95}
SOURCE_BOOSTS = {"memory": 1.8, "observation": 1.1}
KIND_BOOSTS: dict[str, float] = dict.fromkeys(map(str, sorted(LASTING_KINDS)), 1.3) | dict.fromkeys(
    ("file_change", "request", "task", "question", "status", "progress"), 0.6
)
ANSWER_KIND_BOOST = 1.6
"""Boost of facts whose kind answers the question. A line of MEMORY.md must not sink below them, hence its 1.8."""
RECENCY_BOOST, RECENCY_HALF_LIFE_DAYS = 0.1, 90.0
DUPLICATE_OVERLAP = 0.8
"""Share of common words from which two hits are duplicates: the better one stays."""
LEAST_DUPLICATE_WORDS = 3
CITED_WORD_SHARE = 0.6
"""How far a fact's score by words moves to the best one of the turns that it cites."""
ALIKE_COSINE, SAME_COSINE = 0.7, 0.97
"""Cosines from which two lines are about one subject, and from which they say the same."""
COMPARED_LINES = 15
"""First kept lines of a question that are compared with each other."""
ELSEWHERE_LEAD = 1.0
"""Score by which what is said of other projects must lead all that is the question's own to come before it."""
TELLING_WORDS, TELLING_DOCUMENTS, TELLING_SHARE, TELLING_WEIGHT = 2, 3, 0.05, 0.25
"""Words that a question shares with what concerns it: so many, one of them in no more documents or no larger share of them, and
together of this share of the weight, as for facts about a first prompt."""
REACH = 5.0
"""Score by which a newer line may be behind an older one and still go first."""
MEMORY = "memory"
PRIOR_SPREAD = 40.0
"""Spread of scores by words (a sum of squares) from which the candidates' own line counts more than one of slope 1."""
Marks = npt.NDArray[np.bool_]


@dataclass(slots=True)  # a frozen one takes three times as long to make, and each question makes 600
class RankedCandidate:
    """A candidate (its index in the rows) with its score and the features that later steps read."""

    index: int
    score: float
    lexical: float
    cosine: float
    coverage: float


def rank_candidates(
    rows: Sequence[RankingRecord],
    question: Question,
    corpus: CorpusStatistics,
    vectors: tuple[Vectors, Vectors] | None,
    as_of: datetime,
    zone: tzinfo = UTC,
) -> list[RankedCandidate]:
    """Rank the rows, best first; ties are broken by key. Left out are rows that match neither words nor meaning, and echoes of
    the question (`transforms.recall.echoes`).

    `vectors` are the rows' (zeros where there is none) and the question's, all of unit length.
    """
    mark_echoes(rows, question)
    features = compute_features(rows, question, corpus, vectors)
    boosts = np.log(compute_boosts(rows, question, as_of, zone))
    scores = _weigh_features(rows, question, features, boosts, WEIGHTS_BY_WORDS if vectors is None else RANKING_WEIGHTS)
    if vectors is None:
        scores += FACT_LEAD * np.array([row["source"] != "turn" for row in rows], dtype=np.float64)
    else:
        is_turn, has_vector = mark_embedded_turns(rows), np.asarray(vectors[0].any(axis=1), dtype=np.bool_)
        if (is_turn & ~has_vector).any():
            words = compute_features(rows, question, corpus, None)
            by_words = _weigh_features(rows, question, words, boosts, WEIGHTS_BY_WORDS)
            scores = blend_scores(scores, by_words, is_turn, has_vector, features.lexical > 0)
    index_of = {row["id"]: index for index, row in enumerate(rows)}
    for index, row in enumerate(rows):
        if row["superseded_by"] in index_of:
            scores[index] = min(scores[index], scores[index_of[row["superseded_by"]]] - SUPERSEDED_MARGIN)
    lift_successors(rows, scores, index_of)
    if vectors is not None:
        put_newer_first(rows, scores, vectors[0])
    if question.is_past:
        lift_former_facts(rows, scores, index_of)
    by_key = np.array(sorted(range(len(rows)), key=[str(row["key"]) for row in rows].__getitem__), dtype=np.intp)
    if question.is_list:
        scores -= SESSION_PENALTY * _count_better_in_session(rows, scores, by_key)
    order = _sort_by_score(scores, by_key)
    order = order[features.is_related[order]]  # the session or form alone proves nothing
    columns = np.maximum(scores / PERFECT_SCORE, 0.0), features.lexical, features.cosine, features.coverage
    return list(map(RankedCandidate, order.tolist(), *(column[order].tolist() for column in columns)))


def _weigh_features(
    rows: Sequence[RankingRecord], question: Question, features: RankingFeatures, boosts: Floats, weights: Mapping[str, float]
) -> Floats:
    """Return the weighted sum of the features and of the logarithms of the boosts."""
    features.weighted["kept_line"] = mark_kept_lines(rows)
    features.weighted["lexical"] = add_cited_words(rows, features.weighted["lexical"])
    scores = weights["boost"] * boosts
    for name, values in features.weighted.items():
        scores += weights[name] * (0.0 if question.is_list and name == "session" else 1.0) * values
    return scores


def blend_scores(scores: Floats, by_words: Floats, is_turn: Marks, has_vector: Marks, has_words: Marks) -> Floats:
    """Return the scores while turns wait for their vectors: `scores` by all features, for turns mixed with those `by_words`.

    A turn that waits has what its words promise: else the best of the few with a vector crowd out what nobody has compared yet.
    What vectors add to a turn counts as much as the share of turns that have one, so that the order begins as that of words and
    ends as that of all features. Facts have their vectors first, and keep their scores; their lead goes with the same share.

    `is_turn` marks the turns that have a vector or wait for it, `has_words` rows with words of the question. The line is fitted
    to such rows alone, because one that only its vector proposed says nothing about those that words propose.
    """
    due = is_turn & has_words
    share = float(has_vector[due].mean()) if due.any() else 0.0
    turns, facts = has_vector & has_words & is_turn, has_vector & has_words & ~is_turn
    promised = _draw_line(by_words, scores, turns, facts)
    if facts.any():  # one that only its vector proposed leads no turn that has the words
        promised -= (1.0 - share) * FACT_LEAD
    mixed = np.where(has_vector, promised + share * (scores - promised), promised)
    blended: Floats = np.where(is_turn, mixed, scores)
    return blended


def _draw_line(by_words: Floats, scores: Floats, turns: Marks, facts: Marks) -> Floats:
    """Return the score that words promise to each row: by the line of these turns, without any by the distance of the facts."""
    if not turns.any():
        return by_words + (float((scores - by_words)[facts].mean()) if facts.any() else 0.0)
    words, full = by_words[turns], scores[turns]
    away = words - words.mean()
    slope = (float(away @ (full - full.mean())) + PRIOR_SPREAD) / (float(away @ away) + PRIOR_SPREAD)
    line: Floats = full.mean() + max(slope, 0.0) * (by_words - words.mean())
    return line


def compute_boosts(rows: Sequence[RankingRecord], question: Question, as_of: datetime, zone: tzinfo) -> Floats:
    """Return multiplicative boosts per row: source, kind, priority, supersession, recency, and the local days of the question."""
    sources = ["" if row.get("is_elsewhere") and row["source"] == MEMORY else row["source"] for row in rows]
    forms = [
        (row["priority"], source, row["kind"], bool(row["superseded_by"])) for row, source in zip(rows, sources, strict=True)
    ]
    form_boosts = {form: _boost_form(*form, question) for form in set(forms)}
    boosts = np.array([form_boosts[form] for form in forms], dtype=np.float64)
    times = [row["said_at"] for row in rows]
    ages = np.array([math.inf if time is None else (as_of - time).total_seconds() for time in times], dtype=np.float64)
    boosts *= 1 + RECENCY_BOOST * 0.5 ** (np.maximum(ages / SECONDS_PER_DAY, 0.0) / RECENCY_HALF_LIFE_DAYS)
    if question.days:
        first, last = question.days
        boosts[[time is not None and first <= find_local_day(time, zone) <= last for time in times]] *= DATE_BOOST
    return boosts


def _boost_form(priority: str | None, source: str, kind: str | None, is_superseded: bool, question: Question) -> float:
    boost = PRIORITY_BOOSTS.get(priority or "medium", 1.0) * SOURCE_BOOSTS.get(source, 1.0)
    if source == "observation":
        boost *= KIND_BOOSTS.get(kind or "", 1.0) * (ANSWER_KIND_BOOST if kind in question.kinds else 1.0)
    return boost * (SUPERSEDED_BOOST if is_superseded and not question.is_past else 1.0)


def shares_telling_words(row: RankingRecord, question: Question, corpus: CorpusStatistics) -> bool:
    """Whether a row has two words of the question, or all that memory knows, with enough of their weight and a rare one."""
    weights = {word: corpus.compute_inverse_frequency(word) for word in question.words if corpus.frequency.get(word)}
    shared = set(row["terms"]).intersection(weights)
    if not shared or len(shared) < min(TELLING_WORDS, len(weights)):
        return False
    is_rare = any(corpus.frequency[word] <= max(TELLING_DOCUMENTS, TELLING_SHARE * corpus.documents) for word in shared)
    return is_rare and math.fsum(weights[word] for word in shared) >= TELLING_WEIGHT * math.fsum(weights.values())


def put_elsewhere_last(
    rows: Sequence[RankingRecord],
    ranked: Sequence[RankedCandidate],
    lead: float = ELSEWHERE_LEAD,
    newer: Collection[int] = (),
) -> list[RankedCandidate]:
    """Return the candidates with what is said of other projects last, unless it leads the best own one by `lead` or is among
    the `newer`."""
    foreign = {candidate.index for candidate in ranked if rows[candidate.index].get("is_elsewhere")}
    best = max((candidate.score for candidate in ranked if candidate.index not in foreign), default=0.0)
    last = foreign.difference(newer)
    return sorted(ranked, key=lambda candidate: candidate.index in last and candidate.score < best + lead / PERFECT_SCORE)


def fold_duplicates(
    rows: Sequence[RankingRecord], ranked: Sequence[RankedCandidate], limit: int
) -> list[tuple[RankedCandidate, list[int]]]:
    """Return the first `limit` candidates, each with the rows of its worse near duplicates (indices).

    A message is one hit: of its pieces only the best one stays, and a near duplicate's other pieces go with it. A fact and the
    turn that it quotes are one hit, too: the better one stays.
    """
    unique: list[tuple[RankedCandidate, list[int], set[str]]] = []
    shown: set[str] = set()
    for candidate in ranked:
        row, terms = rows[candidate.index], set(rows[candidate.index]["terms"])
        if row["id"] in shown:
            continue
        shown.add(row["id"])
        duplicate = next((other for other in unique if _is_duplicate(terms, other[2], row, rows[other[0].index])), None)
        if duplicate:
            duplicate[1].append(candidate.index)
            if quotes_own_turn(terms, duplicate[2], row, rows[duplicate[0].index]):
                shown.discard(row["id"])  # the other pieces of its message say more than this fact
        elif len(unique) < limit:
            unique.append((candidate, [], terms))
        else:
            break
    return [(candidate, duplicates) for candidate, duplicates, _ in unique]


def _is_duplicate(terms: set[str], kept_terms: set[str], row: RankingRecord, kept_row: RankingRecord) -> bool:
    if quotes_own_turn(terms, kept_terms, row, kept_row):
        return True
    shorter, longer = sorted((len(terms), len(kept_terms)))
    # Nearly all pairs differ too much in length already, which is quickest to see.
    if shorter < LEAST_DUPLICATE_WORDS or shorter < DUPLICATE_OVERLAP * longer:
        return False
    if bool(row["superseded_by"]) != bool(kept_row["superseded_by"]):
        return False
    if len(terms & kept_terms) < DUPLICATE_OVERLAP * len(terms | kept_terms):
        return False
    return not any(char.isdigit() for term in terms ^ kept_terms for char in term)  # other numbers are other facts


def _sort_by_score(scores: Floats, by_key: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return the rows best first; of scores equal to nine digits the lower key comes first."""
    return by_key[np.argsort(-np.rint(scores[by_key] * 1e9), kind="stable")]


def _count_better_in_session(rows: Sequence[RankingRecord], scores: Floats, by_key: npt.NDArray[np.intp]) -> Floats:
    """Return for each row the number of better rows of its session."""
    seen: dict[str, int] = {}
    better = np.zeros(len(rows))
    for index in _sort_by_score(scores, by_key):
        if session := rows[index]["session_id"]:
            better[index] = seen.get(session, 0)
            seen[session] = seen.get(session, 0) + 1
    return better


def mark_kept_lines(rows: Sequence[RankingRecord]) -> Floats:
    """Return 1 for each fact in a model's words, and for lines of MEMORY.md about its project or none beside them; else all 0.

    Beside facts of the offline engine, which quote turns, a line of MEMORY.md needs no lift: it would lead in any case.
    """
    is_fact = np.array([row["cites"] is not None for row in rows], dtype=bool)
    is_memory = np.array([row["source"] == MEMORY for row in rows], dtype=bool)
    is_own = np.array([not row.get("is_elsewhere") for row in rows], dtype=bool)
    return (is_own & (is_fact | (is_memory & is_fact.any()))).astype(np.float64)


def add_cited_words(rows: Sequence[RankingRecord], lexical: Floats) -> Floats:
    """Return the scores by words in which a fact is lifted towards the best of the turns that it cites."""
    best: dict[str, float] = {}
    for row, score in zip(rows, lexical.tolist(), strict=True):
        if row["source"] == "turn" and score > best.get(row["id"], 0.0):
            best[row["id"]] = score
    cited = np.array([max((best.get(turn, 0.0) for turn in row["cites"] or ()), default=0.0) for row in rows])
    lifted: Floats = lexical + CITED_WORD_SHARE * np.maximum(cited - lexical, 0.0)
    return lifted


def lift_successors(rows: Sequence[RankingRecord], scores: Floats, index_of: Mapping[str, int]) -> None:
    """Lift the fact that took the place of another one above the turns in which the former was said, when they lead it closely.

    A turn is no fact and is never superseded, and yet what it decided may be over. A far lead means that the question asks for
    something else in the turn. A fact that was merged, because the other one says the same, lifts nothing.
    """
    turns: defaultdict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        if row["source"] == "turn":
            turns[row["id"]].append(index)
    for row in rows:
        successor = index_of.get(row["superseded_by"] or "")
        if successor is None or not row["outdated_turns"] or _says_the_same(row, rows[successor]):
            continue
        leading = max((scores[index] for turn in row["outdated_turns"] for index in turns.get(turn, ())), default=-math.inf)
        if scores[successor] < leading <= scores[successor] + REACH:
            scores[successor] = leading + SUPERSEDED_MARGIN


def lift_former_facts(rows: Sequence[RankingRecord], scores: Floats, index_of: Mapping[str, int]) -> None:
    """Lift the best facts that another one replaced to the place behind it, and what these replaced behind them.

    They share little with a question that names what holds now. A fact that was merged says nothing else and stays.
    """
    former: defaultdict[int, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        successor = index_of.get(row["superseded_by"] or "")
        if successor is not None and successor != index and not _says_the_same(row, rows[successor]):
            former[successor].append(index)
    waiting, seen = [successor for successor in former if rows[successor]["superseded_by"] not in index_of], set[int]()
    while waiting:
        successor = waiting.pop()
        best = sorted(former.get(successor, ()), key=lambda index: (-scores[index], rows[index]["key"]))[:FORMER_FACTS]
        for place, index in enumerate(best, 1):
            scores[index] = max(scores[index], scores[successor] - place * SUPERSEDED_MARGIN)
        waiting += [index for index in best if index not in seen]
        seen.update(best)


def _says_the_same(row: RankingRecord, other: RankingRecord) -> bool:
    """Whether the words of one row are nearly all in the other, and no number differs."""
    terms, other_terms = set(row["terms"]), set(other["terms"])
    is_contained = len(terms & other_terms) >= DUPLICATE_OVERLAP * min(len(terms), len(other_terms))
    return is_contained and not any(char.isdigit() for term in terms ^ other_terms for char in term)


def put_newer_first(rows: Sequence[RankingRecord], scores: Floats, vectors: Vectors) -> None:
    """Exchange the scores of two kept lines that are alike when the older one leads, among the first ones."""
    kept_line_indices = np.flatnonzero(mark_kept_lines(rows))
    first = kept_line_indices[np.argsort(-scores[kept_line_indices], kind="stable")][:COMPARED_LINES].tolist()
    alike = vectors[first] @ vectors[first].T >= ALIKE_COSINE
    times = {index: _find_time(rows, index, kept_line_indices, vectors) for index in first}
    dated = sorted((time, place, index) for place, index in enumerate(first) if (time := times[index]) is not None)
    for number, (time, place, older) in enumerate(dated):
        for later, other_place, newer in dated[number + 1 :]:
            is_behind = scores[newer] < scores[older] <= scores[newer] + REACH
            if later > time and is_behind and alike[place, other_place]:
                scores[older], scores[newer] = scores[newer], scores[older]


def _find_time(
    rows: Sequence[RankingRecord], index: int, kept_line_indices: npt.NDArray[np.intp], vectors: Vectors
) -> datetime | None:
    """Return when a line was said; of a line of MEMORY.md without a date, when a fact last said the same."""
    if rows[index]["said_at"] is not None or rows[index]["source"] != MEMORY:
        return rows[index]["said_at"]
    same = kept_line_indices[vectors[kept_line_indices] @ vectors[index] >= SAME_COSINE].tolist()
    return max((time for other in same if (time := rows[other]["said_at"]) is not None), default=None)
