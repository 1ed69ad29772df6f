"""Finds what only asks what the question asks: an earlier turn with the same words is no evidence for an answer.

Who asks again has often got no answer yet, and of all that memory holds the earlier question is the most similar to the new one.
So an echo is no hit, and its words and vector lend nothing to the turns around it, but to the one that answers it: "7431." says
what it is about in the question before. Words that only an echo without an answer has were never said.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.language.sentences import QUESTION_MARKS
from transforms.recall.question import Question
from transforms.recall.question_type import QUESTION_WORD
from transforms.recall.ranking_features import find_turns_around
from transforms.recall.ranking_record import RankingRecord

SAME_WORDS = 0.8
"""Share of the question's words that an echo has, and share of an echo's words that are the question's."""
LEAST_WORDS = 4
"""Index words from which a text without the mark of a question asks what the same words asked before; fewer are a search."""
MOSTLY_ASKS = 0.5
"""Share of questions among the sentences of a text from which it only asks."""


def mark_echoes(rows: Sequence[RankingRecord], question: Question) -> None:
    """Mark the rows that only ask what the question asks (`echo`): `answered` when another speaker's turn behind states
    something, else `open`. A fact that quotes the reply, too, is what the turn is, if that is among the rows.
    """
    asked = {*question.words}
    is_sentence = len(asked) >= LEAST_WORDS
    is_question = any(mark in question.text for mark in QUESTION_MARKS) or bool(QUESTION_WORD.search(question.text))
    asking = [row for row in rows if _asks(row) and len(asked & {*row["terms"]}) >= SAME_WORDS * max(len(asked), 1)]
    if not is_question:  # a search by a few words finds what was asked, too
        asking = [row for row in asking if is_sentence and row["terms"] == [*question.words]]
    if not asking:
        return
    echoes = [row for row in asking if _says_no_more(row, asked)]
    turns = {row["id"] for row in echoes if row["source"] == "turn"}
    answered = _find_answered(rows, turns)
    for row in [*echoes, *(row for row in asking if turns and row["source"] == "observation")]:
        is_answered = row["id"] in answered if row["source"] == "turn" else bool(answered)
        row["echo"] = "answered" if is_answered else "open"


def _asks(row: RankingRecord) -> bool:
    """Whether a row mostly asks, or is a fact of the offline engine that quotes a question."""
    is_quoted = row["kind"] == "question" and row["cites"] is None
    return is_quoted or (row["question_share"] or 0.0) >= MOSTLY_ASKS


def _says_no_more(row: RankingRecord, asked: set[str]) -> bool:
    more = {*row["terms"]} - asked
    has_value = any(char.isdigit() for word in more for char in word)  # "on port 8080?" names what may be the answer
    return not has_value and len(more) <= (1 - SAME_WORDS) * len({*row["terms"]})


def _find_answered(rows: Sequence[RankingRecord], echoes: set[str]) -> set[str]:
    """Return those of these turns whose next turn is another speaker's and does not ask back."""
    places = [place for place, row in enumerate(rows) if row["id"] in echoes]
    replies = {place: behind for place, (_, behind) in find_turns_around(rows, places).items() if behind is not None}
    return {
        rows[place]["id"]
        for place, reply in replies.items()
        if rows[reply]["speaker"] != rows[place]["speaker"] and (rows[reply]["question_share"] or 0.0) < MOSTLY_ASKS
    }


OWN_TURN_SHARE = 0.6
"""Share of a turn's words from which a fact that was said in it repeats it."""


def quotes_own_turn(terms: set[str], kept_terms: set[str], row: RankingRecord, kept_row: RankingRecord) -> bool:
    """Whether one is a fact and the other the turn that it was said in, of which the fact says nearly all."""
    is_same = row["said_at"] == kept_row["said_at"] is not None and row["session_id"] == kept_row["session_id"]
    if not is_same or {row["source"], kept_row["source"]} != {"observation", "turn"} or row["superseded_by"]:
        return False  # what was replaced says by what
    spoken, fact = (terms, kept_terms) if row["source"] == "turn" else (kept_terms, terms)
    return len(spoken & fact) >= OWN_TURN_SHARE * len(spoken)
