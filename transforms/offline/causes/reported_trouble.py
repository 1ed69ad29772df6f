"""Tells a message that goes on about the trouble that is looked for from one that reports another."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from transforms.conversation.entries import Entry
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases
from transforms.language.sentences import find_content_words, split_words
from transforms.language.tokenizer import stem
from transforms.offline.candidates import CAUSE_NOUNS

LEAST_COMMON = 2
"""Words that a diagnosis, with the message that it answers, has in common with a search that it goes on with."""
REPEATED_SHARE = 0.5
"""Least share of a report's words that were said in a search which nobody disputes, if it is no report of its own."""
WHY = "why"
_IF, _WOULD = "if", "would"


def is_same_trouble(search: Sequence[Exchange], exchange: Exchange, reply: Entry | None) -> bool:
    """Whether a message, and the diagnosis that answers it, are about the trouble for which these exchanges looked.

    Another fault is reported by words that were not said in the search; who disputes a guess says new ones of the same.
    """
    subject = _find_subject(exchange.typed)
    if not subject:
        return True  # "look again"
    said = frozenset(word for earlier in search for text in _list_texts(earlier) for word in _find_subject(text))
    explained = _find_subject(reply.text) if reply else frozenset()
    repeated = len(subject & said)
    if _disputes(search[-1], exchange):
        is_other = reports_trouble(exchange) and not repeated
    else:
        is_taken_up = exchange.asks and bool((subject - said) & explained)  # "and the mail page?"
        is_new = is_taken_up and explained.isdisjoint(_find_subject(search[0].typed) | _find_subject(search[0].pasted))
        is_other = is_new or (reports_trouble(exchange) and repeated < REPEATED_SHARE * len(subject))
    return not is_other and (reply is None or len((subject | explained) & said) >= LEAST_COMMON)


def reports_trouble(exchange: Exchange) -> bool:
    """Whether a message says that something failed, or asks why."""
    is_said = exchange.message.act == "report" or any(
        sentence.assertion == "problem" for sentence in exchange.message.informative
    )
    cues = (cue_phrases.DEBUGGING, cue_phrases.BREAKAGE)
    return is_said or asks_why(exchange) or any(cue.search(exchange.typed) for cue in cues)


def asks_why(exchange: Exchange) -> bool:
    """Whether a message asks why."""
    return WHY in split_words(exchange.typed.lower())


def supposes(typed: str) -> bool:
    """Whether a message draws a consequence that is not so: "if that was it, all of them would fail"."""
    words = [word.lower() for word in split_words(typed)]
    return words[:1] == [_IF] and _WOULD in words


def _disputes(before: Exchange, exchange: Exchange) -> bool:
    """Whether a message speaks against the agent's words before it."""
    is_objection = exchange.disputes or exchange.message.act == "correction"
    return is_objection or before.is_rejected or supposes(exchange.typed)


def _list_texts(exchange: Exchange) -> list[str]:
    return [exchange.typed, exchange.pasted, *(entry.text for entry in exchange.agent_messages)]


@lru_cache(maxsize=1024)  # the messages of a search are looked at again with each exchange of it
def _find_subject(text: str) -> frozenset[str]:
    """Return the stems of what a text is about, without the words that only say that something failed or is a cause."""
    bare = cue_phrases.BREAKAGE.sub(" ", cue_phrases.DEBUGGING.sub(" ", text.replace("’", "'")))
    return frozenset(stem(word) for word in find_content_words(bare.lower()) - CAUSE_NOUNS if "'" not in word)
