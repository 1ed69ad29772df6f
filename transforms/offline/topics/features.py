"""Measures what may name a topic: whose words they are, what they ask, how much they name, and how much of the topic has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from transforms.exchanges.exchange import Exchange
from transforms.language import entities
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_words
from transforms.language.tokenizer import find_telling_words
from transforms.offline.topics.candidates import TitleCandidate
from transforms.offline.topics.form import TITLE_CHARS
from transforms.offline.topics.ordered_task import find_imperative
from transforms.words.word_classes import FIRST_PERSONS, POINTERS

SOURCES = ("typed", "carried", "commit", "heading")
"""Sources with a weight of their own."""
FEATURES = (
    *SOURCES,
    *("asks", "question", "binds", "corrects", "names_speaker", "points"),
    *("words", "rich", "specifics", "length", "covered"),
    *("begins", "late", "ruled", "only_commit", "result_of_change"),
    *("typed_in_short", "typed_first_in_short", "typed_few", "result_in_short", "cut_result"),
)
MOST_WORDS, MOST_SPECIFICS, MOST_TEXTS, MOST_EXCHANGES, MOST_COVERED, FEW_WORDS = 10, 3, 4, 8, 3.0, 2
SHORT_TOPIC = 2
"""Exchanges of a topic that has one subject, as a rule what was asked for."""
_SPEAKERS = FIRST_PERSONS | {"you", "my", "your", "me"}


def compute_features(candidates: Sequence[TitleCandidate], exchanges: Sequence[Exchange], ruled: str) -> npt.NDArray[np.float64]:
    """Return the features of the candidates of one topic, a row each (`FEATURES`). `ruled` is the title that rules chose."""
    spread = Counter(word for exchange in exchanges for word in _read_words(exchange))
    covered = [_measure_covered(candidate, spread) for candidate in candidates]
    words = [min(len(find_telling_words(candidate.title)), MOST_WORDS) / MOST_WORDS for candidate in candidates]
    richest = max(words, default=0.0) or 1.0  # a commit "fix" and a request "🎉" are names without a telling word
    commits = sum(candidate.source == "commit" for candidate in candidates)
    rows = [
        _describe(candidate, exchanges, ruled)
        | {
            "words": count,
            "rich": count / richest,
            "covered": share,
            "only_commit": candidate.source == "commit" and commits == 1,
        }
        for candidate, share, count in zip(candidates, covered, words, strict=True)
    ]
    return np.array([[float(row[name]) for name in FEATURES] for row in rows], np.float64).reshape(-1, len(FEATURES))


def _read_words(exchange: Exchange) -> frozenset[str]:
    said = " ".join([exchange.typed, *(entry.text for entry in exchange.agent_messages)])
    done = " ".join([*(action.detail for action in exchange.actions), *map(entities.take_base_name, exchange.files)])
    return find_telling_words(f"{said} {done}")


def _measure_covered(candidate: TitleCandidate, spread: Counter[str]) -> float:
    """Return how much the other exchanges have of a title's words, up to 1: `MOST_COVERED` words that `MOST_TEXTS` have."""
    own = candidate.source != "carried"
    telling = sorted(find_telling_words(candidate.title))
    shares = sum(min(max(spread[word] - own, 0), MOST_TEXTS) / MOST_TEXTS for word in telling)
    return min(shares, MOST_COVERED) / MOST_COVERED


def _describe(candidate: TitleCandidate, exchanges: Sequence[Exchange], ruled: str) -> dict[str, float]:
    title, words, sentence, source = candidate.title, candidate.words, candidate.sentence, candidate.source
    exchange, act = exchanges[candidate.place], sentence.act if sentence else ""
    spoken = [word.lower() for word in split_words(title)]
    is_few, is_short, begins = len(find_content_words(title)) <= FEW_WORDS, len(exchanges) <= SHORT_TOPIC, candidate.place == 0
    return {
        **{name: source == name for name in SOURCES},
        "asks": bool(find_imperative(words)) or act == "request",
        "question": words.rstrip().endswith(QUESTION_MARKS) or bool(sentence and sentence.is_question),
        "binds": act in ("rule", "preference", "decision"),
        "corrects": act == "correction",
        "names_speaker": not _SPEAKERS.isdisjoint(spoken),
        "points": not POINTERS.isdisjoint(spoken[:2]),
        "specifics": min(entities.count_specifics(title), MOST_SPECIFICS) / MOST_SPECIFICS,
        "length": len(title) / TITLE_CHARS,
        "begins": begins,
        "late": min(candidate.place, MOST_EXCHANGES) / MOST_EXCHANGES,
        "ruled": title.rstrip("…") == ruled.rstrip("…"),
        "result_of_change": source == "result" and bool(exchange.files),
        "typed_in_short": source == "typed" and is_short,
        "typed_first_in_short": source == "typed" and is_short and begins,
        "typed_few": source == "typed" and is_few,
        "result_in_short": source == "result" and is_short,
        "cut_result": source == "result" and title.endswith("…"),
    }
