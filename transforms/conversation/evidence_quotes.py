"""Quotes the words of a source that support a fact, short enough for a line of evidence, and what a person answered with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late

_SENTENCE = compile_late(r"(?<=[.!?…])(?<!^\d\.)(?<!\s\d\.)\s+|\n+", re.M)
"""The end of a sentence or line; the number of an option ends none."""
_LABEL = compile_late(r"(?<!\w)(?:\d{1,2}|[A-Z])(?!\w)")
"""What may be the number or letter of an option, in an answer and at the beginning of the option."""
_CHOICE = compile_late(r'"(?P<answer>[^"]+)" \(asked: (?P<question>.+?)(?:; not: [^()]+?)?(?:; meaning: .+)?\)$', re.S)
"""A fact of the offline engine about an answer to a question tool, whose result holds all questions and answers of a form."""
_EVIDENCE_WORD = compile_late(r"[\w./#-]{2,}")
MAX_QUOTE = 240
"""Longest quotation: most short messages whole, so that what denies a sentence or says whose it is stands beside it."""
MAX_ANSWERED = 160
MAX_POINTING_WORDS = 6
"""Words of a message up to which it may point at an option although it shares a word with the line."""
LEAST_WORD_CHARS = 4
"""Characters from which a word is compared where two texts have only one or two in common; shorter ones stand everywhere."""
MIN_NEW_WORDS = 2
"""Words of the fact that a distant sentence must add to be quoted, too."""
MIN_BORNE_SHARE = 0.25
"""Least share of a summary's words that the owner's must have to be quoted for them: with less they are about something else, and
what the summary says was said in an earlier session, or in another language."""
MIN_SAID_SHARE = 0.5
"""Least share of a summary's words that a message of the owner has which says the same, in whatever session."""


@dataclass(frozen=True, slots=True)
class QuotableEntry:
    """An entry that a fact cites: the owner's words in it (`is_owners`), or all its words where it has none of them; `before` are
    the agent's messages that they may answer. `is_summary`: the agent summed up the session in it."""

    words: str
    is_owners: bool
    before: Sequence[str] = ()
    is_summary: bool = False


class QuotedEvidence(NamedTuple):
    """The words that support a line, and the question or option that they answer; each empty when there are none. `is_summed_up`:
    an agent's summary has more of the line than they have."""

    words: str
    answered: str = ""
    is_summed_up: bool = False


def quote_evidence(cited: Sequence[QuotableEntry], line: str, fact: str) -> QuotedEvidence:
    """Return the words on which a line rests: the owner's where the fact cites any, else those of the first entry.

    Where the owner only points ("2", "yes"), the sentence of the agent that the line is about comes along. A summary speaks for
    itself where the owner's words that it cites hardly share a word with the line.
    """
    if choice := _find_choice(cited, fact):
        return choice
    owners = [entry for entry in cited if entry.is_owners and entry.words.strip()]
    if not owners:
        return QuotedEvidence(find_best_quote(cited[0].words, line) or find_best_quote(cited[0].words, fact) if cited else "")

    def weigh_support(entry: QuotableEntry, text: str) -> int:
        return _weigh(_split_words(find_best_quote(entry.words, text)) & _split_words(text))

    said = max(owners, key=lambda entry: (weigh_support(entry, line), weigh_support(entry, fact)))
    quote = (
        find_best_quote(said.words, line) or find_best_quote(said.words, fact) or _cut(" ".join(said.words.split()), MAX_QUOTE)
    )
    offered = max((_quote_offer(words, quote, line) for words in said.before), key=partial(_count_shared, line), default="")
    shared = _count_shared(quote, line)
    is_pointing = shared < _count_shared(offered, line) and (not shared or len(quote.split()) <= MAX_POINTING_WORDS)
    own = max(shared, _count_shared(offered, line) if is_pointing else 0)
    summaries = [find_best_quote(entry.words, line) for entry in cited if entry.is_summary]
    is_summed_up = any(_count_shared(sentence, line) > own for sentence in summaries)
    answered = offered if is_pointing else ""
    own_words = f"{quote} {answered}" if len(quote.split()) <= MAX_POINTING_WORDS else quote
    if is_summed_up and _compute_share(own_words, line) < MIN_BORNE_SHARE:
        items = [_quote_item(entry.words, line) for entry in cited if entry.is_summary]
        return QuotedEvidence(max(items, key=partial(_count_shared, line)), "", True)
    return QuotedEvidence(quote, answered, is_summed_up)


def find_place_of_words(texts: Sequence[str], line: str) -> int:
    """Return the place of the first text that has the largest share of a line's words, at least `MIN_SAID_SHARE`; -1 for none."""
    shares = [_compute_share(text, line) for text in texts]
    best = max(shares, default=0.0)
    return shares.index(best) if best >= MIN_SAID_SHARE else -1


def _quote_item(summary: str, line: str) -> str:
    """Return the item of a summary that says the line."""
    sentences = _split_sentences(summary)
    return _cut(sentences[_find_best_place(sentences, _split_words(line))].lstrip("-*•+ "), MAX_QUOTE)


def _compute_share(text: str, line: str) -> float:
    """Return the share of a line's words, by their letters, that a text has; the head with the line's project does not count."""
    wanted = _split_words(line.partition("** — ")[2] or line)
    return _weigh(_split_words(text) & wanted) / max(1, _weigh(wanted))


def _find_choice(cited: Sequence[QuotableEntry], fact: str) -> QuotedEvidence | None:
    """Return the answer that a fact tells with its question, when a source has it letter by letter; None for other facts."""
    choice = _CHOICE.search(fact)
    if choice is None or not any(choice["answer"] in " ".join(entry.words.split()) for entry in cited):
        return None
    return QuotedEvidence(_cut(choice["answer"], MAX_QUOTE), _cut(choice["question"], MAX_ANSWERED))


def _quote_offer(offer: str, answer: str, line: str) -> str:
    """Return the sentence of an agent's message that an answer points at, by its label, or else the one most like the line."""
    sentences, labels = _split_sentences(offer), set(_LABEL.findall(answer))
    picked = [place for place, sentence in enumerate(sentences) if (label := _LABEL.match(sentence)) and label[0] in labels]
    best = picked[0] if picked else _find_best_place(sentences, _split_words(line))
    if best < 0:
        return ""
    return _cut(_join_sentences(sentences, _choose_places(sentences, best, _split_words(line), MAX_ANSWERED)), MAX_ANSWERED)


def find_best_quote(source: str, fact: str, limit: int = MAX_QUOTE) -> str:
    """Return the sentence of the source that shares most words with the fact, cut to `limit` characters; the first one on a tie.

    Sentences right beside it come along as far as they fit, as they may say whose it is, or deny it; then others that have more
    of the fact's words, with "…" for what is left out between. Empty when no sentence shares a word.
    """
    wanted, sentences = _split_words(fact), _split_sentences(source)
    best = _find_best_place(sentences, wanted)
    if best < 0:
        return ""
    quote = _join_sentences(sentences, _choose_places(sentences, best, wanted, limit))
    return _cut(quote, limit)


def _choose_places(sentences: Sequence[str], best: int, wanted: set[str], limit: int) -> list[int]:
    """Return which sentences are quoted, in order."""
    chosen, covered = [best], _split_words(sentences[best])

    def add(place: int) -> None:
        nonlocal covered
        is_new = 0 <= place < len(sentences) and place not in chosen
        if is_new and len(_join_sentences(sentences, sorted([*chosen, place]))) <= limit:
            chosen.append(place)
            covered = covered | _split_words(sentences[place])

    add(best - 1)
    add(best + 1)
    for place in sorted(range(len(sentences)), key=lambda place: -len(_split_words(sentences[place]) & wanted)):
        new = (_split_words(sentences[place]) & wanted) - covered
        if sum(len(word) >= LEAST_WORD_CHARS for word in new) >= MIN_NEW_WORDS:
            add(place)
    for distance in range(2, len(sentences)):  # until nothing more fits, the ones before first
        for place, neighbour in ((best - distance, best - distance + 1), (best + distance, best + distance - 1)):
            if neighbour in chosen:
                add(place)
    return sorted(chosen)


def _join_sentences(sentences: Sequence[str], places: Sequence[int]) -> str:
    parts = [("" if place - 1 in places else "… ") * (index > 0) + sentences[place] for index, place in enumerate(places)]
    return " ".join(parts)


def _find_best_place(sentences: Sequence[str], wanted: set[str]) -> int:
    """Return the place of the sentence that shares most words with those wanted; -1 when none does."""
    scores = [_score_words(_split_words(sentence), wanted) for sentence in sentences]
    best = max(scores, default=0.0)
    return scores.index(best) if best else -1


def _score_words(words: set[str], wanted: set[str]) -> float:
    shared = _weigh(words & wanted)
    return shared / (_weigh(words) + _weigh(wanted)) if shared else 0.0


def _weigh(words: set[str]) -> int:
    """Return the weight of words: a long one says more than an article does, in every language."""
    return sum(map(len, words))


def _count_shared(text: str, fact: str) -> int:
    return sum(len(word) >= LEAST_WORD_CHARS for word in _split_words(text) & _split_words(fact))


def _split_sentences(source: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.split(source) if sentence.strip()]


def _split_words(text: str) -> set[str]:
    return {word.casefold().strip(".-/") for word in _EVIDENCE_WORD.findall(text)}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rsplit(" ", 1)[0] + "…"
