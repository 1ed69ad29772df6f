"""Puts what the owner said next before what it follows: behind "Agent: 90 seconds." a short "45. ppl walk off" holds.

Terse owners change a value in the message behind the one that names it, with words that share nothing with a question. Both
are among the hits, but what has the question's words leads. No word decides: the place in the conversation does, and that the
next message holds a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from transforms.answers.exchange_context import find_spoken_turns, has_foreign_words
from transforms.answers.replaced_hits import MOST_QUESTIONS
from transforms.language.sentences import split_words
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.speaker_labels import OWNER_ROLE
from transforms.recall.newer_values import Folded
from transforms.recall.question import Question
from transforms.recall.ranking_features import find_turns_around
from transforms.recall.ranking_record import RankingRecord
from transforms.recall.types import Hit

LEADING_HITS = 3
"""Hits before which the owner's next words go: those that an answer shows at any rate."""
MOST_WORDS = 40
"""Words of a next message that goes before; a longer one begins something new."""
STEPS = 2
"""Turns to the next message: the agent's reply may stand between."""
_VALUE = compile_late(r"[\d`]|\w[A-Z]|\w[_/.]\w")
"""A number, or a name in code, of a file or in mixed letters."""


def find_next_words(rows: Sequence[RankingRecord], folded: Folded, question: Question) -> dict[int, int]:
    """Return, for some of the first hits, the place of the later hit that holds the owner's next words.

    The hits have their texts. A question about the past has none: there the former value is asked for.
    """
    if question.is_past or len(folded) < 2:
        return {}
    hits = [candidate.index for candidate, _ in folded]
    turns = find_spoken_turns(rows, hits)
    following = _find_next_messages(rows, set(turns.values()))
    places: dict[int, int] = {}
    for place, hit in enumerate(hits[:LEADING_HITS]):
        message = following.get(turns.get(hit, -1))
        if message is None:
            continue
        for later in range(place + 1, len(hits)):
            is_next = turns.get(hits[later]) == message and rows[hits[later]]["project"] == rows[hit]["project"]
            if is_next and _tells_value(rows[hits[later]], rows[message]):
                places[place] = later
                break
    return places


def put_next_words_first(hits: Sequence[Hit], next_words: Mapping[int, int]) -> list[Hit]:
    """Return the hits with the owner's next words right before what they follow, for an answer; each place keeps its score.

    `next_words` are places of hits as `find_next_words` has them; a hit moves once.
    """
    order = list(range(len(hits)))
    moved = set[int]()
    for first, later in sorted(next_words.items()):
        if later < len(hits) and not {first, later} & moved:
            order.remove(later)
            order.insert(order.index(first), later)
            moved |= {first, later}
    return [replace(hits[place], score=hit.score) for place, hit in zip(order, hits, strict=True)]


def _find_next_messages(rows: Sequence[RankingRecord], turns: set[int]) -> dict[int, int]:
    """Return for each of these turns the owner's next message, at most STEPS turns behind it."""
    messages: dict[int, int] = {}
    reached = {turn: turn for turn in turns}
    for _ in range(STEPS if turns else 0):
        around = find_turns_around(rows, sorted(set(reached.values())))
        behind = {turn: later for turn, last in reached.items() if (later := around[last][1]) is not None}
        messages |= {turn: later for turn, later in behind.items() if rows[later]["speaker"] == OWNER_ROLE}
        reached = {turn: later for turn, later in behind.items() if turn not in messages}
    return messages


def _tells_value(row: RankingRecord, message: RankingRecord) -> bool:
    """Whether a hit that is or quotes a message tells a value, and the message is short, asks nothing and quotes nobody."""
    text = message.get("text") or row.get("text") or ""
    is_plain = (message["question_share"] or 0.0) < MOST_QUESTIONS and not has_foreign_words(message)
    return is_plain and len(split_words(text)) <= MOST_WORDS and bool(_VALUE.search(text))
