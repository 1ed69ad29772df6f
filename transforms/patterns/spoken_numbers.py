"""Writes numbers that are said in words as digits, for comparisons: "sixty four hundred" is 6400, "siebzehn" 17.

The words are those of text2num, which reads cardinals and decimals in seven of our languages; no list of them stands here. What
it reads too freely is left as it is: a lone "one" or "null", ordinals ("second" is a time as well), "two-step", names in code.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from text_to_num import alpha2digit, text2num

from transforms.patterns.late_pattern import compile_late

ENGLISH = "en"
OTHER_LANGUAGES = ("de", "es", "fr", "pt", "it", "nl")
LEAST_OTHER = 4
"""Letters of a lone word that counts in another language: "sei", "dos" and "due" are words elsewhere, "siebzehn" is none."""
_HOMONYMS = frozenset({"once", "miles", "cent", "cents"})
"""Numbers of Spanish and French that are English words: of 270,000 words of sessions no others of so many letters."""
KEPT_CHARS = 1000
"""Longest text whose result is kept: a sentence is asked for many times, a message of a megabyte would fill memory."""
LONGEST_WORD, MOST_WORDS = 48, 10
"""Letters of a number in one word ("siebenhundertsiebenundsiebzig"), and words of one number."""
_TOKEN = compile_late(r"(?<![\w./@#$-])(?:[^\W\d_]+(?:-[^\W\d_]+)*|\d+)(?![\w/@]|[.-]\w)")
"""A word with what stands around it: between blanks it is the same, since no blank says whether it counts."""
KEPT_PART = 64
"""Longest part between blanks of which it is kept whether it says a number."""
_CODE = compile_late(r"`[^`\n]*`")
_DECIMAL = compile_late(r"(\d+)[.,](\d+)")
_ORDINAL = compile_late(r"\d+(?:st|nd|rd|th)")
_GAP = compile_late(r"[ \t\u00a0]+|\n[ \t]*")
_UNITS_BEHIND = compile_late(r"(?:milli|micro)?seconds?|minutes?|hours?|days?|weeks?|months?|years?")
"""What a number is joined with as a value: "a fifteen-minute timeout"; "two-step" is a name."""
_POINTS = frozenset({"point", "dot"})
"""What parts a number from its decimals, of which text2num reads single digits only: "three point eleven" is a version."""
_OH, _AND, _HALF, _ZERO, _SECOND, _OF = "oh", "and", ("and", "a", "half"), "0", "second", "of"
LEAST_ROW = 3
"""Single digits in a row that are one number: "four oh four", "five four three two"."""
_LEAST_PAIR, _PAIR = 20, range(10, 100)
_CENTURY, _LEAST_FACTOR = 19, 100


@dataclass(slots=True)
class _Value:
    """A number in words: its place, its digits, and whether more than one word says it."""

    start: int
    end: int
    digits: str
    is_long: bool


def write_spoken_numbers(text: str, may_be_other: bool = False) -> str:
    """Return a text with its numbers in words as digits; with those of other languages where it `may_be_other` than English."""
    return (_write_again if len(text) <= KEPT_CHARS else _write)(text, may_be_other)


def _write(text: str, may_be_other: bool) -> str:
    if not may_be_other and not any(map(_may_say_number, {*text.split()})):
        return text
    distinct = dict.fromkeys(word.lower() for word in _TOKEN.findall(text) if len(word) <= LONGEST_WORD)
    languages = (ENGLISH, *_find_other_languages(distinct)) if may_be_other else (ENGLISH,)
    numerals = {word for word in distinct if _is_numeral(word, languages)}
    if not numerals:
        return text
    matches = [match for match in _TOKEN.finditer(text) if len(match[0]) <= LONGEST_WORD]
    if "`" in text:
        edges = [edge for span in _CODE.finditer(text) for edge in span.span()]
        matches = [match for match in matches if not bisect_right(edges, match.start()) % 2]  # an odd number of edges: inside
    words = [match[0].lower() for match in matches]
    values: list[_Value] = []
    place = 0
    while place < len(words):
        may_begin = words[place] in numerals or words[place].isdecimal()
        size, digits = _read_longest(text, matches, words, place, languages) if may_begin else (0, "")
        if size:
            values.append(
                _Value(matches[place].start(), matches[place + size - 1].end(), digits, size > 1 or "-" in words[place])
            )
        place += size or 1
    written, end = [], 0
    for value in _join_rows(text, values):
        written += [text[end : value.start], value.digits]
        end = value.end
    return "".join([*written, text[end:]])


def _may_say_number(part: str) -> bool:
    """Whether a part between blanks may say an English number: nine of ten texts have none, and need no places of words."""
    return _may_say_number_again(part) if len(part) <= KEPT_PART else _has_numeral(part)


def _has_numeral(part: str) -> bool:
    return any(len(word) <= LONGEST_WORD and _is_numeral(word.lower(), (ENGLISH,)) for word in _TOKEN.findall(part))


_may_say_number_again = lru_cache(maxsize=131_072)(_has_numeral)
_write_again = lru_cache(maxsize=16_384)(_write)


def _find_other_languages(words: Iterable[str]) -> list[str]:
    """Return the languages of which some of the distinct words may be numbers. One call for all words of a text: each call of
    text2num prepares a language first, Italian for 60 µs, and then reads two words in a microsecond."""
    listed = " ; ".join(words)
    return [language for language in OTHER_LANGUAGES if alpha2digit(listed, language, threshold=0) != listed]


def _is_numeral(word: str, languages: Sequence[str]) -> bool:
    """Whether a word, in small letters, is of a number."""
    for language in languages:
        if _is_numeral_of(word, language):
            return True
    return "-" in word and _split_unit(word) is not None


@lru_cache(maxsize=131_072)
def _is_numeral_of(word: str, language: str) -> bool:
    if len(word) < 2 or word.isdigit() or (value := _parse(word, language)) is None:
        return False
    is_plural = language == ENGLISH and word.endswith("s") and _parse(word[:-1], language) == value
    return not is_plural and "º" not in alpha2digit(word + "o", language, threshold=0)  # text2num takes stems of ordinals, too


@lru_cache(maxsize=32_768)
def _parse(phrase: str, language: str) -> str | None:
    """Return the digits of a phrase that is one number, None for any other."""
    first, _, rest = phrase.partition(" ")
    if not (rest and _parse(first, language) == _ZERO):  # "zero eight" is no 8
        try:
            return str(text2num(phrase, language))
        except ValueError:
            pass
    if not rest:
        return None
    decimal = _DECIMAL.fullmatch(alpha2digit(phrase, language, threshold=0))
    return f"{decimal[1]}.{decimal[2]}" if decimal else None


@lru_cache(maxsize=4096)
def _split_unit(word: str) -> str | None:
    """Return the digits of "fifteen-minute", with the unit behind them; None for another word."""
    number, mark, unit = word.rpartition("-")
    if not mark or not _UNITS_BEHIND.fullmatch(unit) or (digits := _parse(number, ENGLISH)) is None:
        return None
    return f"{digits} {unit}"


def _read_longest(
    text: str, matches: Sequence[re.Match[str]], words: Sequence[str], place: int, languages: Sequence[str]
) -> tuple[int, str]:
    """Return how many words at a place, of which the first may begin a number, are one, the most that are, and its digits; 0 for
    none."""
    if words[place].isdecimal():  # "②" is a digit, too, and no number
        return _read_factor(text, matches, words, place)
    if (digits := _split_unit(words[place])) is not None:
        return 1, digits
    run = _count_neighbours(text, matches, place)
    is_english = _is_numeral_of(words[place], ENGLISH)
    for language in (ENGLISH,) if is_english else languages[1:]:
        if not _is_numeral_of(words[place], language):
            continue
        for size in range(_find_last_numeral(words[place : place + run], language), 0, -1):
            parts = words[place : place + size]
            if size > 1 and not _is_numeral_of(parts[-1], language):
                continue
            digits = _parse(" ".join(parts), language)
            if digits is None or (language == ENGLISH and _AND in parts and not _may_join(parts)):
                continue
            if size == 1 and language != ENGLISH and (len(parts[0]) < LEAST_OTHER or parts[0] in _HOMONYMS):
                return 0, ""
            if language == ENGLISH and _is_ordinal(words[place : place + run], size):
                return 0, ""
            return _add_decimals(words[place : place + run], size, digits) if language == ENGLISH else (size, digits)
    return 0, ""


def _count_neighbours(text: str, matches: Sequence[re.Match[str]], place: int) -> int:
    """Return how many words at a place have nothing but white space between them."""
    count = 1
    while count < MOST_WORDS and place + count < len(matches):
        if not _GAP.fullmatch(text, matches[place + count - 1].end(), matches[place + count].start()):
            break
        count += 1
    return count


def _find_last_numeral(words: Sequence[str], language: str) -> int:
    """Return how many words stand up to the last one of a number, with one other word at most between two of them."""
    last = 0
    for place, word in enumerate(words):
        if place - last > 2:
            break
        if _is_numeral_of(word, language):
            last = place
    return last + 1


def _may_join(parts: Sequence[str]) -> bool:
    """Whether "and" stands inside of a number, behind hundreds: "twenty and four" are two."""
    before = _parse(" ".join(parts[: parts.index(_AND)]), ENGLISH)
    return before is not None and before.isdigit() and int(before) >= _LEAST_FACTOR


def _is_ordinal(words: Sequence[str], size: int) -> bool:
    """Whether the word behind a number makes it an ordinal: "the twenty third", "the twenty second of May"."""
    behind = words[size : size + 2]
    if not behind or (behind[0] == _SECOND and behind[1:] != [_OF]):
        return False
    return bool(_ORDINAL.fullmatch(alpha2digit(" ".join(words[: size + 1]), ENGLISH, threshold=0)))


def _add_decimals(words: Sequence[str], size: int, digits: str) -> tuple[int, str]:
    """Return a number with the half, or the numbers behind points, that text2num leaves: "four and a half", "two dot eleven"."""
    if tuple(words[size : size + len(_HALF)]) == _HALF and digits.isdigit():
        return size + len(_HALF), f"{digits}.5"
    while len(words) > size + 1 and words[size] in _POINTS and _is_numeral_of(words[size + 1], ENGLISH):
        rest = words[size + 1 : size + 1 + _find_last_numeral(words[size + 1 :], ENGLISH)]
        parsed = ((length, _parse(" ".join(rest[:length]), ENGLISH)) for length in range(len(rest), 0, -1))
        length, minor = next((length, minor) for length, minor in parsed if minor is not None)
        size, digits = size + 1 + length, f"{digits}.{minor}"
    return size, digits


def _read_factor(text: str, matches: Sequence[re.Match[str]], words: Sequence[str], place: int) -> tuple[int, str]:
    """Return the number of "64 hundred"."""
    if _count_neighbours(text, matches, place) > 1 and _is_numeral_of(words[place + 1], ENGLISH):
        factor = int(_parse(words[place + 1], ENGLISH) or 0)
        if factor >= _LEAST_FACTOR and not factor % _LEAST_FACTOR:
            return 2, str(int(words[place]) * factor)
    return 0, ""


def _join_rows(text: str, values: Sequence[_Value]) -> list[_Value]:
    """Return the values with digits said one by one, and pairs as years and ports have them, as one number; no lone "one"."""
    joined: list[_Value] = []
    row: list[_Value] = []
    for value in [*values, None]:
        if value is not None and row:
            between = text[row[-1].end : value.start]
            if between.isspace() or between.strip().lower() == _OH:
                row.append(value)
                continue
        joined += _join_row(text, row)
        row = [value] if value is not None else []
    return joined


def _join_row(text: str, row: Sequence[_Value]) -> list[_Value]:
    """Return the values of a row without words between them, as one where they are one number."""
    if not row:
        return []
    spoken = row[0].digits
    for before, value in pairwise(row):
        spoken += ("" if text[before.end : value.start].isspace() else _ZERO) + value.digits
    is_row = len(spoken) >= LEAST_ROW and all(len(value.digits) == 1 for value in row)
    if is_row or (len(row) == 2 and len(spoken) == 4 and _is_pair(row[0].digits, row[1].digits)):
        return [_Value(row[0].start, row[-1].end, spoken, True)]
    return [value for value in row if value.is_long or value.digits not in ("0", "1")]


def _is_pair(first: str, second: str) -> bool:
    """Whether two numbers said without a word between them are one: 8085, 5432, 1999; "twelve eighteen" is a guess at a span."""
    if not (first.isdigit() and second.isdigit()):
        return False
    high, low = int(first), int(second)
    is_same = high >= _LEAST_PAIR and high // 10 == low // 10
    return high in _PAIR and low in _PAIR and (is_same or low <= high or high == _CENTURY)
