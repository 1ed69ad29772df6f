"""Lists what may name a topic: what was typed, the names of commits and requests, and how the agent closed its work."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from transforms.exchanges import claims
from transforms.exchanges.exchange import Exchange
from transforms.language import entities
from transforms.language.dialogue_acts import ClassifiedSentence
from transforms.language.markdown.blocks import parse_blocks
from transforms.language.sentences import shorten, split_sentences
from transforms.language.tokenizer import find_telling_words
from transforms.offline.topics.form import format_title
from transforms.offline.topics.ordered_task import describe_task
from transforms.patterns.late_pattern import compile_late

Source = Literal["typed", "carried", "commit", "opened", "result", "heading", "order"]
"""Whose words they are: typed in the topic, typed before it and still worked on, the subject of a commit, the title of an opened
request, the first statement and the headings of a closing reply, and the order of an agent to its sub-agent."""
MOST_SENTENCES = 4
"""Sentences of a message or an order that may name a topic."""
MOST_HEADINGS = 2
SAYING_WORDS = 3
"""Telling words from which a message says what it is about, and from which a title names something."""
HEADLINE_CHARS = 160
UNKNOWN_COMMIT, COMMIT_CHARS = "Set out to commit", 52
"""Begins the title of a commit of which no result is recorded, and characters of its subject there."""
REQUEST_PREFIX = "Find out why: "
_COMMENT = compile_late(r"<!--.*?-->", re.S)


@dataclass(frozen=True, slots=True)
class TitleCandidate:
    """A title, the words that it was made from, whose they are, and the exchange (its place in the topic) that has them."""

    title: str
    words: str
    source: Source
    place: int
    sentence: ClassifiedSentence | None = None


def find_carried(exchanges: Sequence[Exchange], before: Sequence[Exchange]) -> tuple[str, ...]:
    """Return what was typed before a topic and is still worked on in it: nothing where one of its messages says what it is about,
    or where nothing is done first.

    `before` are the exchanges of its window before it. Facts of former windows are not asked: which of them are known, and in
    which order, depends on the nights, and a title must not.
    """
    is_named = any(_says_much(exchange.typed) for exchange in exchanges)
    if is_named or not exchanges or exchanges[0].is_first or not exchanges[0].tool_calls:
        return ()
    said = next((exchange.typed for exchange in reversed(before) if _says_much(exchange.typed)), "")
    return (said,) if said else ()


def _says_much(typed: str) -> bool:
    return len(find_telling_words(typed)) >= SAYING_WORDS


def list_candidates(exchanges: Sequence[Exchange], carried: Sequence[str] = ()) -> list[TitleCandidate]:
    """Return what may name a topic, each title once; `carried` as `find_carried` returns it."""
    by_title: dict[str, TitleCandidate] = {}
    for text in (sentence for said in carried for sentence in split_sentences(said)[:MOST_SENTENCES]):
        _add(by_title, TitleCandidate(format_title(text), text, "carried", 0))
    for place, exchange in enumerate(exchanges):
        for candidate in _find_candidates(exchange, place):
            if not (carried and place == 0 and candidate.source == "typed"):  # "yes, do it" names nothing
                _add(by_title, candidate)
    return list(by_title.values())


def _add(by_title: dict[str, TitleCandidate], candidate: TitleCandidate) -> None:
    """Add a candidate that names something; a recorded name says enough in one word."""
    is_recorded = candidate.source in ("commit", "opened")
    if candidate.title and (is_recorded or len(find_telling_words(candidate.title)) > 1):
        by_title.setdefault(candidate.title.casefold(), candidate)


def _find_candidates(exchange: Exchange, place: int) -> Iterator[TitleCandidate]:
    for action in exchange.actions:
        if action.kind == "commit" and (action.is_ok or not action.is_known):
            title = format_title(action.detail) if action.is_ok else f'{UNKNOWN_COMMIT} "{shorten(action.detail, COMMIT_CHARS)}"'
            yield TitleCandidate(title, action.detail, "commit", place)
        if action.kind == "open" and action.is_ok:
            name = next(iter(entities.find_double_quoted(action.detail)), action.detail)
            yield TitleCandidate(format_title(name), name, "opened", place)
    for sentence in exchange.message.informative[:MOST_SENTENCES]:
        task = "" if sentence.is_question else describe_task(sentence)
        title = format_title(task.removeprefix(REQUEST_PREFIX) or sentence.text)
        yield TitleCandidate(title, sentence.text, "typed", place, sentence)
    yield from _find_closing(exchange, place)
    if exchange.user and exchange.user.speaker == "parent_agent":
        for block in parse_blocks(_COMMENT.sub("", exchange.user.text))[:MOST_SENTENCES]:
            for text in split_sentences(block.text)[:1]:
                yield TitleCandidate(format_title(text), text, "order", place)


def _find_closing(exchange: Exchange, place: int) -> Iterator[TitleCandidate]:
    """Yield the first headings and the first statement of the reply that ends an exchange, unless later words refuse it. Where
    no rule reads the language, none tells a result from talk."""
    reply = exchange.final_reply
    if reply is None or exchange.is_fallen or exchange.is_undone:
        return
    headings = [block.text for block in parse_blocks(reply.text) if block.kind == "heading"]
    for text in headings[:MOST_HEADINGS]:
        yield TitleCandidate(format_title(text), text, "heading", place)
    text = next(iter(split_sentences(claims.choose_headline(reply.text, HEADLINE_CHARS))), "")
    if text and not (exchange.is_unread or exchange.is_refuted(text) or claims.is_talk(text)):
        yield TitleCandidate(format_title(text), text, "result", place)
