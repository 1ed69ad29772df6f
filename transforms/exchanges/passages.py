"""Splits an agent's texts into passages, and judges by their form how likely each says something worth noting.

A claim is the smallest statement (`transforms.exchanges.claims`); a passage keeps together what leans on each other: a list with
its lead, the rows of a table with its heads, sentences of one paragraph. Of a passage only its form is judged: how long it is,
how many names and values it has, and how much of it speaks of what is kept anyway; no word decides.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, cast

from transforms.conversation.entries import Entry
from transforms.exchanges.claims import CLAIM_CHARS, addresses_reader, announces_work, is_list_of_names, make_declarative
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases
from transforms.language.entities import count_specifics
from transforms.language.markdown.blocks import list_table_rows, parse_blocks
from transforms.language.sentences import (
    QUESTION_MARKS,
    find_content_words,
    has_question_mark,
    split_sentences,
)


class PassageWeights(NamedTuple):
    """Log-odds that a passage states what an annotator of its session noted, as weights of its features."""

    bias: float
    chars: float
    """Of the logarithm of its length."""
    specifics: float
    """Of the logarithm of its names and values, plus one."""
    covered: float
    """Of the share of its words that the rows have which are kept anyway."""


PASSAGE_WEIGHTS = PassageWeights(-7.06, 1.02, 0.39, 1.65)
MIN_PASSAGE_CHARS = 60
"""Shorter ones are never worth a row."""
_ENDS = (".", "!", ":", "…", *QUESTION_MARKS)


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence, or an item of a list or of a table."""

    text: str
    is_item: bool


@lru_cache(maxsize=1024)
def split_passages(text: str) -> tuple[str, ...]:
    """Return the passages of a message, in order, without announcements, questions, code and mere lists of names."""
    passages: list[str] = []
    heading = lead = ""
    written, last = "", cast("_Part | None", None)  # the passage so far, and its last part

    def flush() -> None:
        """Close the passage."""
        nonlocal written, last
        if last:
            passages.append(written.rstrip(":"))
        written, last = "", None

    for block in parse_blocks(list_table_rows(text)):
        if block.kind == "heading":
            flush()
            heading = lead = block.text
            continue
        is_item = block.kind == "item"
        for sentence in [block.text.rstrip(".:")] if is_item else map(make_declarative, split_sentences(block.text)):
            if not sentence or (not is_item and addresses_reader(sentence)):
                continue
            part = _Part(sentence, is_item)
            is_new_paragraph = last is not None and last.is_item and not is_item
            longer = _add_part(written, last, part, lead)
            if is_new_paragraph or len(longer.rstrip(":")) > CLAIM_CHARS:
                flush()
                longer = _add_part("", None, part, lead)
            if not is_item:
                lead = sentence.rstrip(":") if sentence.endswith(":") else heading
            written, last = longer, part
    flush()
    return tuple(passage for passage in passages if _is_fit(passage))


def _add_part(text: str, last: _Part | None, part: _Part, heading: str) -> str:
    """Return a passage with one more part: items are listed behind the sentence or else the heading that introduces them."""
    if last is None:
        return f"{heading}: {part.text}" if heading and part.is_item else part.text
    if part.is_item and last.is_item:
        return f"{text}; {part.text}"
    gap = " " if text.endswith(_ENDS) else ": " if part.is_item else ". "
    return f"{text}{gap}{part.text}"


def _is_fit(passage: str) -> bool:
    # A question offers something, it states nothing.
    is_said = not has_question_mark(passage) and not cue_phrases.INJECTION.search(passage)
    return len(passage) >= MIN_PASSAGE_CHARS and is_said and not is_list_of_names(passage)


def drop_announcements(passage: str) -> str:
    """Return a passage without the sentences in which the agent says what it is doing; they tell that work is under way, so they
    count where the passage is judged. Empty when too little is left."""
    sentences = split_sentences(passage)
    kept = [sentence for sentence in sentences if not announces_work(sentence)]
    left = passage if len(kept) == len(sentences) else " ".join(kept)
    return left if len(left) >= MIN_PASSAGE_CHARS else ""


@dataclass(frozen=True, slots=True)
class AgentPassage:
    """A passage of an agent's message."""

    text: str
    entry: Entry
    exchange: Exchange


def find_passages(exchanges: Sequence[Exchange]) -> Iterator[AgentPassage]:
    """Yield the passages of all messages and plans of the agent, in order, but what the person objected to or had undone."""
    for exchange in exchanges:
        if not (exchange.is_rejected or exchange.is_doubted or exchange.is_undone):
            for entry in exchange.replies:
                texts = [entry.text] if entry in exchange.agent_messages else []
                plans = [call.arguments.get("plan") for call in entry.tool_calls]
                for text in [*texts, *(plan for plan in plans if isinstance(plan, str))]:
                    yield from (AgentPassage(part, entry, exchange) for part in split_passages(text))


def describe_passage(text: str, kept_words: Collection[str]) -> tuple[float, float, float]:
    """Return the features of a passage, in the order of the weights, beside the words of the rows that are kept."""
    words = find_content_words(text)
    covered = sum(word in kept_words for word in words) / max(1, len(words))
    return math.log(max(1, len(text))), math.log1p(count_specifics(text)), covered


def judge_passage(features: Sequence[float], weights: PassageWeights) -> float:
    """Return the probability that a passage states something worth noting."""
    bias, *factors = weights
    odds = bias + sum(factor * feature for factor, feature in zip(factors, features, strict=True))
    return round(1 / (1 + math.exp(-odds)), 5)
