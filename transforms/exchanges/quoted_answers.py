"""Reads a message that quotes what the agent asked, line by line, with an answer below each: "> keep 15 min, or 10?" / "15".

Only the marks of a quotation are read. What is quoted must stand in one of the agent's replies, as its words or as the label of
one of its questions: lines of anybody else are no questions to the owner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from transforms.conversation.pasted_lines import quotes_words
from transforms.exchanges.itemised_answers import ITEM_CHARS, asks, read_items
from transforms.exchanges.offers import flatten
from transforms.language.sentences import QUESTION_MARKS, join_lines, shorten


@dataclass(frozen=True, slots=True)
class QuotedAnswer:
    """What an owner typed below a question of the agent that they quoted; `reply` is the index of the reply that asked it, and
    `lines` are the lines as typed."""

    asked: str
    answer: str
    reply: int
    lines: tuple[str, ...]


def read_quoted_answers(text: str, typed: str, replies: Sequence[str]) -> list[QuotedAnswer]:
    """Return the answers of a message to questions of the replies that it quotes; `typed` is what of the message is the owner's.

    An answer ends with its paragraph, or where the next quotation begins.
    """
    own = {line.strip() for line in typed.split("\n")}
    answers = []
    for quoted, lines in _split_quotations(text):
        answer = join_lines("\n".join(lines)).strip()
        if not answer or len(answer) > ITEM_CHARS or answer.endswith(QUESTION_MARKS) or not own.issuperset(map(str.strip, lines)):
            continue
        for index, reply in enumerate(replies):
            if asked := _find_question(quoted, reply):
                answers.append(QuotedAnswer(asked, answer, index, tuple(lines)))
                break
    return answers


def _split_quotations(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each quotation with the lines right below it, up to a blank line or the next quotation."""
    quoted, below, is_open = list[str](), list[str](), False
    for line in [*text.split("\n"), ""]:
        if quotes_words(line):
            if below:
                yield " ".join(quoted), below
                quoted, below = [], []
            quoted.append(line.lstrip(" >\t").strip())
            is_open = True
        elif line.strip() and is_open:
            below.append(line)
        else:
            if below:
                yield " ".join(quoted), below
            quoted, below, is_open = [], [], False


def _find_question(quoted: str, reply: str) -> str:
    """Return the question of a reply that was quoted, by its label or in its words; empty when it asks no such."""
    label = quoted.rstrip(".):").upper().removeprefix("QUESTION").removeprefix("Q").strip()
    if item := read_items(reply).get(label):
        return item if asks(item) else ""
    plain = flatten(quoted)
    return shorten(quoted, ITEM_CHARS) if asks(quoted) and plain and plain in flatten(reply) else ""
