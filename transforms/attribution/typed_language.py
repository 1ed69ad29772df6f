"""Tells whether the words of an owner are English: the word rules of the offline engine read no other language.

The sign is the share of English function words, the closed class that no writer can avoid: in each of the English lakes that were
looked at it is 0.4 of all words, in German, Spanish and Japanese ones below 0.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from transforms.language.sentences import split_words
from transforms.language.tokenizer import is_english
from transforms.patterns.late_pattern import compile_late

SHORTEST = 5
"""Words of the shortest message that is judged: "ok, run pytest" is of no language."""
OTHER_SHARE = 0.5
ENOUGH_WORDS = 50
"""Judged words from which a share says something about the writer."""
ENOUGH_OF_ONE_CONVERSATION = 15
"""Judged words from which a share says something about one conversation."""
SHARED_SHARE = 0.45
"""Share of words outside of English sentences ("fix failing test") from which they are English: what English answers say, too."""
SAMPLE_WORDS = 400
"""Words that are not English, of an owner's first messages, which are kept: enough to tell whether a model knows them."""
_QUOTED = compile_late(r'"([^"]+)"')
_CODE_WORD = compile_late(r"`[^`]*`|(?:(?<![!-~])|(?<=`))[!-~]*(?:[/_\\@<>={}#]|[.:](?=\w)|\d)[!-~]*", re.A)
"""Code spans, and ASCII words with a mark or digit as paths, identifiers and numbers have them. A word that has none is not
searched again from each of its signs: ten thousand dots took a second."""


@dataclass(frozen=True, slots=True)
class TypedLanguage:
    """Messages that an owner typed, their words that were judged, those of them in English messages, and those of the others that
    the agents' English answers say, too; `sample` are the first of the others."""

    messages: int
    words: int
    english: int
    shared: int = 0
    sample: tuple[str, ...] = ()

    @property
    def other_share(self) -> float:
        """Share of the judged words that are not English; 0 when there are none."""
        return 1 - self.english / self.words if self.words else 0.0

    @property
    def is_other(self) -> bool:
        """Whether most typed words are not English; never with few words."""
        return self.words >= ENOUGH_WORDS and self.other_share > OTHER_SHARE

    @property
    def is_clearly_other(self) -> bool:
        """Whether the owner hears that most typed words are not English: not where they are terse English."""
        return self.is_other and self.shared < SHARED_SHARE * (self.words - self.english)

    @property
    def is_unread(self) -> bool:
        """Whether these words, of one conversation or project, are of a language that the word rules do not read."""
        return self.words >= ENOUGH_OF_ONE_CONVERSATION and self.other_share > OTHER_SHARE


def measure_language(messages: Iterable[str]) -> TypedLanguage:
    """Return the language of typed messages. A character of a script without spaces counts as a word."""
    count = judged = english = 0
    sample: list[str] = []
    for message in messages:
        count += 1
        words = list_prose_words(message)
        if len(words) < SHORTEST:
            continue
        judged += len(words)
        if is_english(words):
            english += len(words)
        else:
            sample += words[: SAMPLE_WORDS - len(sample)]
    return TypedLanguage(count, judged, english, sample=tuple(sample))


def count_shared_words(messages: Iterable[str], answers: Iterable[str]) -> int:
    """Return how many judged words of the messages that are not English stand in the answers that are."""
    known: set[str] = set()
    for answer in answers:
        words = list_prose_words(answer)
        if len(words) >= SHORTEST and is_english(words):
            known.update(words)
    return sum(_count_known(list_prose_words(message), known) for message in messages) if known else 0


def _count_known(words: list[str], known: Collection[str]) -> int:
    is_judged = len(words) >= SHORTEST and not is_english(words)
    return sum(word in known for word in words) if is_judged else 0


def list_prose_words(text: str) -> list[str]:
    """Return the words of a text outside of code spans, paths, identifiers and numbers."""
    return split_words(_CODE_WORD.sub(" ", text))


def measure_quotations(texts: Iterable[str]) -> TypedLanguage:
    """Return the language of what facts quote of a person."""
    return measure_language(" ".join(_QUOTED.findall(text)) for text in texts)


def describe_language(typed: TypedLanguage, *, is_judged: bool = False, is_foreign: bool = False) -> str:
    """Return a notice that most typed words are not English; empty when they are, or when there are too few. `is_judged`: the
    multilingual model works here, by which the offline engine judges such words. `is_foreign`: they are none that it knows."""
    if not typed.is_clearly_other:
        return ""
    limits = (
        "they are kept, but not of the 16 languages of the multilingual model, which tells few of the rules, decisions and"
        " corrections among them: a language model is needed"
        if is_foreign
        else "what is a rule, a decision or a correction is told by the multilingual model, which misses many and knows 16"
        " languages; a language model reads better"
        if is_judged
        else "most rules, decisions and corrections are not recognised: a model is needed, or, if yours is one of its 16"
        " languages, at least the package of the multilingual one (31 MB)"
    )
    share = f"{typed.other_share:.0%}".replace("%", " %")
    return f"offline reads English, and {share} of the words that you typed lately are in another language: {limits}"


def describe_model_language(typed: TypedLanguage, *, is_foreign: bool = False) -> str:
    """Return a notice that vectors come from a model which reads English alone; empty when most typed words are English.
    `is_foreign`: the multilingual model is here and does not know them, so that it is hardly a remedy."""
    if not typed.is_clearly_other:
        return ""
    remedy = (
        ", and little more with RECOLLECT_EMBEDDING__MODEL=multilingual, which does not know them either: ask in words once said"
        if is_foreign
        else ". RECOLLECT_EMBEDDING__MODEL=multilingual (31 MB) reads 16 languages; the next night then computes all vectors anew"
    )
    return (
        f"the embedding model reads English, and {typed.other_share:.0%} of the words that you typed lately are in another"
        f" language: what you ask in other words finds little{remedy}"
    ).replace("%", " %")
