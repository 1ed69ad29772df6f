"""Finds words in texts, in any case, width, form and digits and with any white space, and replaces them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import orjson
import polars as pl

from transforms.patterns.folding import fold_with_places, fold_writing
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import replace_surrogates

FORGOTTEN_MARK = "[forgotten]"
_BLANKS_OR_ESCAPES = r"(?:[\s\x1c-\x1f]|\\[nrtf])+"
"""White space, also as JSON writes it; polars counts the four separators of ASCII as none."""
_ESCAPE = compile_late(r'\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_STRING_OR_NUMBER = compile_late(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*', re.DOTALL)
_SPELLING, _LETTERS = compile_late(r"(?:\\.|[^\\|])+", re.DOTALL), compile_late(r"[A-Za-z]{3,}")
"""A spelling in a pattern of `compile_words`, and letters of it that no escape holds."""
_SPACED = r"a-z0-9\u00df-\u024f\u0370-\u052f"
"""Letters and digits of scripts that write spaces between words."""
_WORD_START, _WORD_END = f"(?<![{_SPACED}])", f"(?![{_SPACED}])"
_IN_WORD = compile_late(f"[{_SPACED}]", re.IGNORECASE)
_FOLDED_CHARACTERS = r'\\["\\/bfu]|[\p{L}\p{M}\p{Nd}\x{3000}\x{ff01}-\x{ffef}--[\x00-\x7f]]'
"""What a text has in which words may stand in another spelling, as polars reads patterns; most texts in English have none."""


def fold_case(text: str) -> str:
    """Return a text in one case and spelling, with single spaces: texts that are equal so are the same words."""
    return " ".join(fold_writing(text).split()).casefold()


def compile_words(texts: Iterable[str], quoted: Iterable[str] = ()) -> re.Pattern[str] | None:
    """Return a pattern for these texts, the longest first, in plain text and inside JSON; None when all are blank. Those that are
    `quoted` are found as words alone, never as a part of longer ones.

    It is one for folded texts: `has_words` and `scrub_text` look with it into texts as they were typed.
    """
    variants: dict[str, None] = {}
    bare, whole = [{" ".join(fold_writing(replace_surrogates(text)).split()) for text in group} for group in (texts, quoted)]
    for text in sorted(bare | whole, key=lambda text: (-len(text), text)):
        for spelling in (text, orjson.dumps(text).decode()[1:-1], _escape_to_ascii(text)):
            if spelling:
                start, end = (_WORD_START, _WORD_END) if text in whole else ("", "")
                start, end = start if _IN_WORD.match(spelling[0]) else "", end if _IN_WORD.match(spelling[-1]) else ""
                variants[start + _BLANKS_OR_ESCAPES.join(re.escape(word) for word in spelling.split(" ")) + end] = None
    return re.compile("|".join(variants), re.IGNORECASE) if variants else None


def has_words(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether a text, or JSON that may escape its letters (also JSON inside of JSON), has the words in any spelling."""
    if "\\u" not in text and (letters := _compile_letters(pattern.pattern)) and not letters.search(fold_writing(text)):
        return False  # other escapes stand for no letter, so no reading has more letters in a row
    return any(pattern.search(fold_writing(reading)) for reading in _list_readings(text))


@lru_cache(maxsize=8)
def _compile_letters(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern of the longest run of letters of each spelling in `pattern`: a text without any of them has not the words,
    whatever escapes it has. None when a spelling has no such run."""
    spellings = _SPELLING.findall(_drop_edges(pattern).replace(_BLANKS_OR_ESCAPES, " "))
    runs = {max(_LETTERS.findall(spelling), key=len, default="") for spelling in spellings}
    return None if "" in runs else re.compile("|".join(sorted(runs)), re.IGNORECASE)


def contains_words(column: str, pattern: re.Pattern[str]) -> pl.Expr:
    """Return whether a column has the words in any spelling; null has none."""
    text = pl.col(column)
    plain = _drop_edges(pattern.pattern)  # polars knows no edges that look behind
    is_like = text.str.contains("(?i)" + plain).fill_null(False)
    is_plain = is_like if plain == pattern.pattern else pl.lit(False)
    others = pl.when((is_like | text.str.contains(_FOLDED_CHARACTERS)) & ~is_plain).then(text)

    def judge_texts(texts: pl.Series) -> pl.Series:
        return pl.Series([text is not None and has_words(text, pattern) for text in texts], dtype=pl.Boolean)

    return is_plain | others.map_batches(judge_texts, return_dtype=pl.Boolean, is_elementwise=True)


def _drop_edges(pattern: str) -> str:
    return pattern.replace(_WORD_START, "").replace(_WORD_END, "")


def scrub_text(text: str, pattern: re.Pattern[str]) -> str:
    """Return the text with the words replaced in any spelling, and all else as it was typed."""
    for depth, reading in enumerate(_list_readings(text)):
        if pattern.search(fold_writing(reading)):
            text = _scrub_reading(text, pattern, depth)
    return text


def scrub_json(raw: str, pattern: re.Pattern[str]) -> str:
    """Return JSON with the words replaced in its strings and names; the same bytes when it has none of them."""
    if not has_words(raw, pattern):
        return raw
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:  # half of a surrogate pair, or a number beyond doubles
        if not _is_lenient_json(raw):
            return scrub_text(raw, pattern)
        return _STRING_OR_NUMBER.sub(lambda match: _scrub_written(match[0], pattern), raw)
    return orjson.dumps(_scrub_value(value, pattern)).decode()


def scrub_strings(raw: str, pattern: re.Pattern[str]) -> str:
    """Return JSON of this program's own with the words replaced in its strings, and its names and numbers as they were; the same
    bytes when no string has them."""
    if not has_words(raw, pattern):
        return raw
    value = json.loads(raw)
    scrubbed = _scrub_own(value, pattern)
    return raw if scrubbed == value else json.dumps(scrubbed, sort_keys=True)


def _scrub_own(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, dict):
        return {name: _scrub_own(item, pattern) for name, item in value.items()}
    if isinstance(value, list):
        return [_scrub_own(item, pattern) for item in value]
    return scrub_text(value, pattern) if isinstance(value, str) else value


def _scrub_written(written: str, pattern: re.Pattern[str]) -> str:
    """Return a string or number of JSON without the words, and as it was written when it has none."""
    if not has_words(written, pattern):
        return written
    return json.dumps(_scrub_value(json.loads(written), pattern))


def _is_lenient_json(raw: str) -> bool:
    try:
        json.loads(raw)
    except (ValueError, RecursionError):
        return False
    return True


def _scrub_value(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return scrub_text(value, pattern)
    if isinstance(value, list):
        return [_scrub_value(item, pattern) for item in value]
    if isinstance(value, dict):
        return {scrub_text(name, pattern): _scrub_value(item, pattern) for name, item in value.items()}
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return FORGOTTEN_MARK if is_number and has_words(json.dumps(value), pattern) else value


def blank_entry(entry_type: str, entry_id: str, parent_id: str | None, role: str | None, flag: str) -> str:
    """Return the raw JSON of an entry whose content was removed: its place in the session, and nothing that was said."""
    entry: JsonObject = {"type": entry_type, "id": entry_id, "parentId": parent_id, flag: True}
    if role:
        entry["message"] = {"role": role, "content": []}
    return orjson.dumps(entry).decode()


def _list_readings(text: str) -> Iterator[str]:
    """Yield a text as it is and then, as often as it has escapes of JSON, without them: JSON may hold JSON in its strings."""
    yield text
    while "\\" in text and (decoded := _ESCAPE.sub(_decode_escape, text)) != text:
        yield decoded
        text = decoded


def _decode_escape(escape: re.Match[str]) -> str:
    high, low, unit, sign = escape.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    return chr(int(unit, 16)) if unit else _ESCAPED.get(sign, sign)


def _scrub_reading(text: str, pattern: re.Pattern[str], depth: int) -> str:
    """Return the text without the words that it has once `depth` levels of escapes are read; an escape goes as a whole."""
    reading, places = text, list(range(len(text) + 1))
    for _ in range(depth):
        reading, places = _decode_with_places(reading, places)
    folded, starts = fold_with_places(reading)
    kept, end = [], 0
    for match in pattern.finditer(folded):
        # A sign that folds to several ("ﬁ") goes as a whole, and with it the marks behind the last character.
        last = next(start for start in starts[match.end() :] if start > starts[match.end() - 1])
        kept.append(text[end : max(places[starts[match.start()]], end)])
        end = places[last]
    return FORGOTTEN_MARK.join([*kept, text[end:]])


def _decode_with_places(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """Return the text without one level of escapes, and for each of its characters the place that the escape or sign had."""
    decoded: list[str] = []
    kept: list[int] = []
    end = 0
    for escape in _ESCAPE.finditer(text):
        decoded += [text[end : escape.start()], _decode_escape(escape)]
        kept += [*places[end : escape.start()], places[escape.start()]]
        end = escape.end()
    return "".join([*decoded, text[end:]]), [*kept, *places[end:]]


def _escape_to_ascii(text: str) -> str:
    return json.dumps(text)[1:-1]
