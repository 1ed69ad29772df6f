"""Finds how an agent took up what a person said: its reply, and the outcome of the work behind it."""

from __future__ import annotations

import re
from functools import lru_cache

from transforms.conversation.entries import is_asking_tool
from transforms.exchanges import claims
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.exchange import Exchange
from transforms.exchanges.menus import lists_options
from transforms.language import cue_phrases, entities
from transforms.language.markdown.blocks import parse_blocks
from transforms.language.sentences import (
    CHARS_PER_WORD,
    QUESTION_MARKS,
    find_content_words,
    is_unspaced,
    join_lines,
    shorten,
    split_sentences,
)
from transforms.language.tokenizer import find_telling_words, stem
from transforms.patterns.late_pattern import compile_late

DEICTIC_PHRASE = compile_late(
    r"\b(?:it|that|this|these|those|them|they|same|there|one|both|the (?:first|second|last|other)|option \w)\b", re.I
)
MIN_SUBJECT_WORDS = 3
"""Content words of a saying from which its outcome must share one."""
ASKING_SENTENCES = 3
"""Sentences of a message that says how things stand and asks what to do about it."""
_NAME_MARKS = str.maketrans("_/.-`", "     ")
MIN_REPLY_WORDS = 3
"""Content words that a reply adds to a saying: what only repeats it would take the room of another fact."""
PLAIN_WORDS = 5
"""Content words from which a saying says for itself what it is about."""
NOTED_PAIRS = 2
"""Pairs of characters that name something in "了解しました。", without those of Japanese endings alone."""


def count_content_words(text: str) -> int:
    """Return the number of content words; of a script without spaces two characters say as much as one."""
    return len(find_content_words(text)) // (CHARS_PER_WORD if is_unspaced(text) else 1)


def says_little(text: str) -> bool:
    """Whether a sentence has too few words to name anything: one, or in a script without spaces the letters of "noted"."""
    return len(find_telling_words(text)) <= NOTED_PAIRS if is_unspaced(text) else count_content_words(text) <= 1


def is_related(exchange: Exchange, outcome: str, said: str) -> bool:
    """Whether an outcome is about what was said: they share a word, or it names what the work changed.

    An agent that did several things reports the last one. Words that point ("do it") are about the agent's words before them.
    """
    if is_unspaced(outcome) and any(map(is_asking_tool, exchange.tool_calls)):  # behind it the agent speaks of its answer
        about = find_telling_words(f"{said} {exchange.typed} {' '.join(exchange.files)}")
        return not find_telling_words(outcome).isdisjoint(about)
    if not said.isascii():
        return True  # the agent may answer in another language, and no stem tells
    about = _find_stems(said)
    if len(about) < MIN_SUBJECT_WORDS or DEICTIC_PHRASE.search(said):
        about |= _find_stems(exchange.typed, exchange.previous_reply.text if exchange.previous_reply else "")
    names = _find_stems(*map(entities.take_base_name, exchange.files), *_list_commits(exchange))
    return len(about) < MIN_SUBJECT_WORDS or not _find_stems(outcome).isdisjoint(about | names)


def is_answered_directly(exchange: Exchange) -> bool:
    """Whether the agent's first words stand right behind the message: they are about it, whatever they say."""
    return bool(exchange.agent_messages) and exchange.replies[0] is exchange.agent_messages[0]


def _list_commits(exchange: Exchange) -> list[str]:
    return [action.detail for action in exchange.actions if action.kind == "commit"]


@lru_cache(maxsize=64)
def _find_stems(*texts: str) -> frozenset[str]:
    """Return the stems of content words, those inside of names too."""
    plain = " ".join(texts).lower().translate(_NAME_MARKS)
    return frozenset(map(stem, find_content_words(plain)))


def asks_about_state(text: str, headline: str) -> bool:
    """Whether a short message ends in a question that points back to its headline, which reports no change ("The mails go to you.
    Where should they go?"): the answer may change it."""
    if not text.rstrip().endswith(QUESTION_MARKS):
        return False  # most do not, and long ones have many sentences
    sentences = split_sentences(text)
    if len(sentences) > ASKING_SENTENCES or not DEICTIC_PHRASE.search(sentences[-1]):
        return False
    return not any(cue.search(headline) for cue in (cue_phrases.COMPLETION, cue_phrases.CHANGE, cue_phrases.FIX))


def find_reply(exchange: Exchange, quote: str, history: ValueHistory, limit: int) -> tuple[str, list[int]]:
    """Return how an agent took up what a person said: its reply's beginning, and the entry; nothing where the person objects.

    People answer "2" or "the one without the minimum"; what that means stands in the agent's next words.
    """
    if exchange.is_fallen or exchange.is_undone or not exchange.agent_messages:
        return "", []
    entry = exchange.agent_messages[0]
    blocks = parse_blocks(entry.text)
    sentences = split_sentences(blocks[0].text) if blocks and blocks[0].kind == "paragraph" else []
    while len(sentences) > 1 and is_unspaced(sentences[0]) and says_little(sentences[0]):
        sentences = sentences[1:]  # "承知しました。": the words of the reply stand behind it
    text = next(iter(sentences), "")
    text = text if exchange.has_published else claims.drop_pushes(text)
    text = history.remove_stale_clauses(shorten(join_lines(text), limit), exchange.index).replace('"', "'")
    if (
        text.endswith(":")
        or claims.is_intended(text)
        or len(find_content_words(text) - find_content_words(quote)) < MIN_REPLY_WORDS
        or says_little(text)
        or cue_phrases.INJECTION.search(text)
        or cue_phrases.HEDGE.search(text)
        or asks_about_state(entry.text, text)
        or exchange.is_refuted(text)
    ):
        return "", []
    return text, [entry.ordinal]


def find_explaining_reply(exchange: Exchange, quote: str, history: ValueHistory, limit: int) -> tuple[str, list[int]]:
    """Return the reply to a saying when it is about it; nothing where the saying needs none and nobody can read the reply.

    A reply without work is an answer, a guess or an offer: in a language that no rule reads, only a short saying has one.
    """
    if exchange.is_unread and count_content_words(quote) >= PLAIN_WORDS:
        return "", []
    reply, source = find_reply(exchange, quote, history, limit)
    is_about = is_answered_directly(exchange) or is_related(exchange, reply, quote)
    return (reply, source) if is_about else ("", [])


def find_outcome(exchange: Exchange, history: ValueHistory, limit: int, *, asks: bool = False) -> tuple[str, list[int]]:
    """Return the outcome of an exchange and the entry that states it, unless it was rejected or replaced later."""
    if exchange.is_fallen or not (exchange.actions or exchange.has_commands or asks):
        return "", []
    granted = [exchange.concession] if exchange.concession and entities.count_specifics(exchange.concession.text) else []
    plain: tuple[str, list[int]] = ("", [])
    for entry in [*granted, *reversed(exchange.agent_messages[-6:])]:
        text = history.remove_stale_clauses(claims.choose_headline(entry.text, 400), exchange.index)
        text = text if exchange.has_published else claims.drop_pushes(text)
        is_offered = not asks and lists_options(text, exchange)
        if is_offered or asks_about_state(entry.text, text) or exchange.is_refuted(text):
            continue
        is_result = (
            entry in (exchange.final_reply, exchange.concession)
            or cue_phrases.COMPLETION.search(text)
            or cue_phrases.CHANGE.search(text)
            or cue_phrases.FIX.search(text)
        )
        is_failure = (
            cue_phrases.FAILED_ATTEMPT_CUE.search(cue_phrases.CODE_SPAN.sub("", text)) is not None
        )  # becomes a row of its own
        if text and is_result and not is_failure and not cue_phrases.HEDGE.search(text) and not claims.is_talk(text):
            if entities.count_specifics(text):
                return shorten(text, limit), [entry.ordinal]
            plain = plain if plain[0] else (shorten(text, limit), [entry.ordinal])
    return plain
