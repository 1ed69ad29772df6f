"""Tokenize text for the index and for questions: identifiers split, inflections cut, stop words left out.

`src/authStore.ts` gives the whole path, `authstore.ts` and the parts `src auth store ts`; `v1.2.3`, `ERR_NO_CACHE` and
`#5f8787` stay findable as written. The stemmer is light on purpose: it joins `caches`, `cached` and `caching`, and never
changes a word with a digit. Accents, widths and forms of letters do not count. Chinese, Japanese, Korean and Thai become pairs
of characters, as full-text engines index them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from unicodedata import normalize

from transforms.language.sentences import COMBINING_MARKS, has_other_script
from transforms.patterns.folding import fold_writing, remove_accents
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.spoken_numbers import write_spoken_numbers
from transforms.words.function_words import FUNCTION_WORDS

STOP_WORDS = FUNCTION_WORDS | frozenset(
    re.findall(
        r"\S+",
        """
    aren d didn doesn don hers isn ll m may might mine must nor one ones onto ours re s shall t theirs us ve wasn weren whom
    whose without yours
    """,
    )
)
"""Words that carry no topic; a question of stop words alone is searched by all its words."""
ENGLISH_SHARE, OTHER_SHARE = 0.2, 0.15
"""Shares of stop words from which a text is English (half of the usual one), and below which it is of another language: German
has .05, Portuguese with its "do", "no" and "a" up to .15, the tersest English session .23."""
LANGUAGE_GAP = 0.1
"""Difference between the shares of stop words of two texts from which one is English and the other is not."""
LEAST_JUDGED = 4
"""Words from which a text may be said to be of another language."""

_COMPOUND = compile_late(r"[^\W_](?:[\w./\\\-@:+#~]*[\w+#])?", re.ASCII)
_UNICODE = compile_late(rf"(?:[^\W_][{COMBINING_MARKS}]*)+")
"""A word with its combining marks: Python counts vowel signs of Hebrew, Arabic, Indic, Thai, Khmer and others as no letters."""
_UNSPACED = compile_late(
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003134f]+"
)
"""Scripts without spaces between words (Thai, Lao, Burmese, Khmer, Chinese, Japanese), and Hangul: its words carry particles."""
_ENDING = compile_late(r"[\u3041-\u309f]+")
LEAST_TELLING = 4
"""Letters of a word from which it may name something in a language that nobody reads."""
LEAST_STEM, MOST_ENDING = 3, 2
"""Letters that two forms of one word share at least, and those of an ending."""
_CAMEL_PART = compile_late(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_OUR = compile_late(r"our(s|ed|ing|al|ful|able|)$")
_ISE = compile_late(r"is(e|es|ed|er|ers|ing|ation|ations)$")
_VOWEL = compile_late(r"[aeiouy]")
_MAX_NAME_CHARS = 64


_JOINING, _DASHES = frozenset({"and", "but", "und", "mais", "pero", "mas"}), frozenset({"—", "–", "-"})
"""Words and signs that begin another clause."""


def tokenize(text: str) -> list[str]:
    """Return the index words of a text, in order, with repetitions; a number in words is the one in digits."""
    return tokenize_as_written(write_numbers(text))


def write_numbers(text: str) -> str:
    """Return a text with its numbers in words as digits: in English, and in other languages where it is not English."""
    words = [word for word in text.lower().split() if word.isalpha()]
    return write_spoken_numbers(text, may_be_other=_count_stop_words(words) < OTHER_SHARE * len(words))


def tokenize_as_written(text: str) -> list[str]:
    """Return the index words of a text whose numbers in words stay words."""
    tokens: list[str] = []
    plain = text if text.isascii() else _take_unicode_words(_fold_accents(text), tokens)
    tokens.extend(chain.from_iterable(map(_split_compound, _COMPOUND.findall(plain))))
    return tokens


def find_telling_words(text: str) -> frozenset[str]:
    """Return the index words that may name something in any language: without short ones, and without Japanese endings.

    Function words are short, and Japanese writes endings in letters of their own; pairs of other unspaced scripts all stay.
    """
    return frozenset(
        token
        for token in tokenize(text)
        if not _ENDING.fullmatch(token) and (len(token) >= LEAST_TELLING or _UNSPACED.match(token))
    )


def shares_telling_word(text: str, other: str) -> bool:
    """Whether a telling word of one text stands in the other, also with another ending: the language need not be known."""
    others = _index_telling_words(other)
    return any(_begin_alike(word, beside) for word in find_telling_words(text) for beside in others.get(word[:1], ()))


@lru_cache(maxsize=16)
def _index_telling_words(text: str) -> dict[str, list[str]]:
    """Return the telling words of a text by their first letter: each short sentence of a message is compared with a reply."""
    by_letter = defaultdict[str, list[str]](list)
    for word in find_telling_words(text):
        by_letter[word[:1]].append(word)
    return dict(by_letter)


def _begin_alike(word: str, beside: str) -> bool:
    shorter = min(len(word), len(beside))
    stem_length = max(shorter - MOST_ENDING, min(LEAST_STEM, shorter))
    return word[:stem_length] == beside[:stem_length] and abs(len(word) - len(beside)) <= MOST_ENDING


def list_plain_words(text: str) -> list[str]:
    """Return the words of a text in small letters, as written, without the marks around them."""
    return [word for word in (part.strip(".,;:!?…\"'“”„«»()[]*_`") for part in text.lower().split()) if word]


def split_pieces(sentence: str) -> list[list[str]]:
    """Return the small words of a sentence between its marks, dashes and words that join clauses, which begin a piece."""
    pieces: list[list[str]] = [[]]
    for token in sentence.split():
        if pieces[-1] and (token in _DASHES or token.lower() in _JOINING):
            pieces.append([])
        pieces[-1] += list_plain_words(token)
        if token.endswith((":", ";", ",")):
            pieces.append([])
    return [piece for piece in pieces if piece]


def is_english(words: Sequence[str]) -> bool:
    """Whether lower-case words are those of an English text: enough of them are English function words."""
    return _count_stop_words(words) >= ENGLISH_SHARE * len(words)


def is_other_language(words: Sequence[str]) -> bool:
    """Whether lower-case words are clearly those of another language; few words never are."""
    return len(words) >= LEAST_JUDGED and _count_stop_words(words) < OTHER_SHARE * len(words)


def are_in_other_languages(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether one of two texts is clearly English beside the other; few words never are."""
    if min(len(words), len(others)) < LEAST_JUDGED:
        return False
    return abs(_count_stop_words(words) / len(words) - _count_stop_words(others) / len(others)) >= LANGUAGE_GAP


def _count_stop_words(words: Sequence[str]) -> int:
    return sum(word in STOP_WORDS for word in words)


def tokenize_question(text: str) -> list[str]:
    """Return the distinct words of a question; stop words only when it has no others."""
    tokens = list(dict.fromkeys(tokenize(text)))
    return tokens or [word for word in dict.fromkeys(re.findall(r"\w+", _fold_accents(text.lower()))) if len(word) > 1]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a word without inflection (plural, -ing, -ed, -ly); short words and words with digits stay as they are."""
    if len(word) < 4 or not word.isalpha():
        return word
    result = _make_singular(_unify_spelling(word))
    for ending in ("ingly", "edly", "ing", "ed", "ly"):
        rest = result[: -len(ending)]
        if result.endswith(ending) and len(rest) >= 3 and _VOWEL.search(rest):
            result = rest[:-1] if ending != "ly" and len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "lsz" else rest
            break
    if len(result) > 3 and result.endswith("e"):
        result = result[:-1]
    if len(result) > 3 and result.endswith("y") and result[-2] not in "aeiou":
        result = result[:-1] + "i"
    return result


def _unify_spelling(word: str) -> str:
    """Return one spelling for colour and color, initialise and initialize."""
    if len(word) > 5:
        word = _OUR.sub(r"or\1", word)
    return _ISE.sub(r"iz\1", word) if len(word) > 6 else word


def _make_singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=65_536)
def _split_compound(compound: str) -> tuple[str, ...]:
    name = compound.lower()
    parts = [part.lower() for part in _CAMEL_PART.findall(compound)]
    if len(parts) <= 1:
        return () if name in STOP_WORDS else (stem(name),)
    stems = [stem(part) for part in parts if part not in STOP_WORDS]
    joined = {name} if len(name) <= _MAX_NAME_CHARS else set()
    if "/" in name or "\\" in name:
        last = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
        joined |= {last} if last not in parts and len(last) <= _MAX_NAME_CHARS else set()
    return (*stems, *sorted(joined - STOP_WORDS))


def _fold_accents(text: str) -> str:
    """Return the text in one spelling, without accents: `depósito` is found as `deposito`, which many type, and ＣＳＶ as CSV."""
    parted = normalize("NFD", fold_writing(text))
    return normalize("NFC", remove_accents(parted) if has_other_script(parted) else parted)


def _take_unicode_words(text: str, tokens: list[str]) -> str:
    """Append words of other scripts, or with letters that ASCII lacks, to `tokens`, and return the remaining ASCII text."""
    text = _UNSPACED.sub(lambda match: _append_bigrams(match.group(), tokens), text)
    if not has_other_script(text):
        return text
    tokens.extend(word.lower() for word in _UNICODE.findall(text) if not word.isascii())
    return _UNICODE.sub(lambda match: match.group() if match.group().isascii() else " ", text)


def _append_bigrams(run: str, tokens: list[str]) -> str:
    """Append the pairs of neighbouring characters of a run to `tokens` (a single character by itself); return a space."""
    tokens.extend(run[start : start + 2] for start in range(max(len(run) - 1, 1)))
    return " "
