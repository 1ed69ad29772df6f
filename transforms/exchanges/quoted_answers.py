"""Reads a message that quotes what the agent asked, line by line, with an answer below each: "> keep 15 min, or 10?" / "15".

Only the marks of a quotation are read. What is quoted must stand in one of the agent's replies, as its words or as the label of
one of its questions: lines of anybody else are no questions to the owner. Who quotes statements answers each of them, too, so the
words below a quotation are a part of the message with what they answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from transforms.conversation.entries import Entry
from transforms.conversation.pasted_lines import quotes_words, read_quotation
from transforms.exchanges.itemised_answers import ITEM_CHARS, asks, read_items
from transforms.exchanges.offers import flatten
from transforms.language.sentences import QUESTION_MARKS, join_lines, shorten

MIN_QUOTED_WORDS = 3
"""Words of the agent from which a line quotes it; fewer are said by chance."""
VERDICT_CHARS = 24
"""Longest words in front of a quotation that say how its owner takes what they answer."""
MOST_QUOTED = 500
"""Quotations of a message that are looked for in the agent's words: those of a mailbox of ten thousand would take seconds."""
JOINED_QUOTES = " … "
"""Between quoted lines that do not stand together in the agent's words."""


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


@dataclass(frozen=True, slots=True)
class MessageReply:
    """A stretch of what an owner typed, with the words of the agent quoted right above it and the entry that says these.

    Without any it stands below no such words.
    """

    typed: str
    quoted: str = ""
    source: Entry | None = None


def split_replies(text: str, typed: str, said: Sequence[Entry]) -> list[MessageReply]:
    """Return the stretches of what an owner typed in a message that quotes the agent, in order; empty for any other message.

    What stands below a quotation answers it up to the end of its paragraph, and with the list that this one announces: what
    follows is another matter. Whoever else is quoted, the message is about all of it.

    Args:
        text: the whole message.
        typed: what of it is the owner's.
        said: what the agent said before, the newest first.
    """
    stretches = list[tuple[list[str], str, Entry | None]]()
    own = deque(line.strip() for line in typed.split("\n") if line.strip())
    for number, (quoted, below) in enumerate(_split_by_quotations(text, own)):
        words, source = _find_quoted_words(quoted, said) if number < MOST_QUOTED else ("", None)
        if source is None and stretches and stretches[-1][2] is None:
            stretches[-1][0].extend(below)
        else:
            stretches.append((below, words if source else "", source))
    replies = [MessageReply("\n".join(lines), words, source) for lines, words, source in stretches]
    return replies if any(reply.source for reply in replies) else []


def add_verdict(quote: str, typed: str) -> str:
    """Return a quotation of typed words with the short ones in front of it ("nack."): they say how their owner takes what they
    answer, and without them a reason reads as if it stood for the words above it."""
    start = typed.find(quote[:VERDICT_CHARS])
    return f"{join_lines(typed[:start])} {quote}" if 0 < start <= VERDICT_CHARS else quote


def drop_quotations(pasted: str, replies: Sequence[MessageReply]) -> str:
    """Return the words of others in a message without those that the replies answer."""
    answered = " ".join(reply.quoted for reply in replies)
    lines = pasted.split("\n") if answered else []
    return "\n".join(line for line in lines if read_quotation(line)[1] not in answered) if answered else pasted


def _split_by_quotations(text: str, own: deque[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the lines of an owner in order, each run with the quoted lines that it answers."""
    quoted, below, is_apart = list[str](), list[str](), False
    for line in text.split("\n"):
        words = line.strip()
        depth, said_before = read_quotation(line)
        if depth and not said_before:
            continue  # a blank line of a quotation
        is_quoted = depth > 0
        is_own = bool(own) and _holds_typed(words, own[0])
        if below and (is_quoted or (is_own and is_apart and not below[-1].endswith(_HEAD_ENDS))):
            yield quoted, below
            quoted, below = [], []
        if is_quoted:
            quoted = [line] if is_apart else [*quoted, line]
        elif is_own:
            below += _take_pieces(words, own)
        elif words and not below:
            quoted = []  # somebody else's words stand between
        is_apart = not words
    if below or own:
        yield quoted, [*below, *own]


def _take_pieces(line: str, own: deque[str]) -> list[str]:
    """Take the typed words that a line holds from `own`, and return them."""
    pieces = [own.popleft()]
    while own and pieces[-1] != line and line.endswith(own[0]) and len(own[0]) >= MIN_CUT_CHARS:
        pieces.append(own.popleft())
    return pieces


_HEAD_ENDS = (":", "：")
MIN_CUT_CHARS = 8
"""Characters of typed words that are known again as a piece of a line."""


def _holds_typed(line: str, typed: str) -> bool:
    """Whether a line is what was typed, or begins or ends with it, where the rest of it is somebody else's."""
    return line == typed or (len(typed) >= MIN_CUT_CHARS and (line.startswith(typed) or line.endswith(typed)))


def _find_quoted_words(lines: Sequence[str], said: Sequence[Entry]) -> tuple[str, Entry | None]:
    """Return the words of quoted lines without their marks, and the newest entry that says the last of them.

    Of a quotation in a quotation only the words of who was answered last count.
    """
    if not lines:
        return "", None
    marked = [read_quotation(line) for line in lines]
    least = min((depth for depth, _ in marked), default=0)
    words = [text for depth, text in marked if depth == least and text]
    joined = " ".join(words)
    source = _find_speaker(joined, said)
    if source is None and len(words) > 1:
        source = _find_speaker(words[-1], said)
        joined = JOINED_QUOTES.join(words)
    return joined, source


def _find_speaker(words: str, said: Sequence[Entry]) -> Entry | None:
    plain = _flatten_once(words)
    if plain.count(" ") + 1 < MIN_QUOTED_WORDS:
        return None
    return next((entry for entry in said if plain in _flatten_once(entry.text)), None)


@lru_cache(maxsize=1024)
def _flatten_once(text: str) -> str:
    return flatten(text)
