"""Finds words in texts, in any case, width, form and digits and with any white space, and replaces them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import orjson
import polars as pl

from transforms.patterns.folding import fold_with_places, fold_writing
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject

FORGOTTEN_MARK = "[forgotten]"
_BLANKS_OR_ESCAPES = r"(?:\s|\\[nrt])+"
"""White space, also as JSON writes it."""
_ESCAPED_LETTER = compile_late(r"\\u([0-9a-fA-F]{4})")
_FOLDED_CHARACTERS = r"\\u[0-9a-fA-F]{4}|[\p{L}\p{M}\p{Nd}\x{3000}\x{ff01}-\x{ffef}--[\x00-\x7f]]"
"""What a text has in which words may stand in another spelling, as polars reads patterns; most texts in English have none."""


def fold_case(text: str) -> str:
    """Return a text in one case and spelling, with single spaces: texts that are equal so are the same words."""
    return " ".join(fold_writing(text).split()).casefold()


def compile_words(texts: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern for these texts, the longest first, in plain text and inside JSON; None when all are blank.

    It is one for folded texts: `has_words` and `scrub_text` look with it into texts as they were typed.
    """
    variants: dict[str, None] = {}
    for text in sorted({" ".join(fold_writing(text).split()) for text in texts}, key=lambda text: (-len(text), text)):
        for spelling in (text, orjson.dumps(text).decode()[1:-1], _escape_to_ascii(text)):
            if spelling:
                variants[_BLANKS_OR_ESCAPES.join(re.escape(word) for word in spelling.split(" "))] = None
    return re.compile("|".join(variants), re.IGNORECASE) if variants else None


def has_words(text: str, pattern: re.Pattern[str]) -> bool:
    """Whether a text, or JSON that may escape its letters, has the words in any spelling."""
    if pattern.search(fold_writing(text)):
        return True
    decoded = _ESCAPED_LETTER.sub(lambda match: chr(int(match[1], 16)), text) if "\\u" in text else text
    return decoded != text and bool(pattern.search(fold_writing(decoded)))


def contains_words(column: str, pattern: re.Pattern[str]) -> pl.Expr:
    """Return whether a column has the words in any spelling; null has none."""
    text = pl.col(column)
    is_plain = text.str.contains("(?i)" + pattern.pattern).fill_null(False)
    others = pl.when(text.str.contains(_FOLDED_CHARACTERS) & ~is_plain).then(text)

    def judge_texts(texts: pl.Series) -> pl.Series:
        return pl.Series([text is not None and has_words(text, pattern) for text in texts], dtype=pl.Boolean)

    return is_plain | others.map_batches(judge_texts, return_dtype=pl.Boolean, is_elementwise=True)


def scrub_text(text: str, pattern: re.Pattern[str]) -> str:
    """Return the text with the words replaced in any spelling, and all else as it was typed."""
    if text.isascii() or not pattern.search(fold_writing(text)):
        return pattern.sub(FORGOTTEN_MARK, text)
    folded, places = fold_with_places(text)
    kept, end = [], 0
    for match in pattern.finditer(folded):
        # A sign that folds to several ("ﬁ") goes as a whole, and with it the marks behind the last character.
        last = next(place for place in places[match.end() :] if place > places[match.end() - 1])
        kept.append(text[end : max(places[match.start()], end)])
        end = last
    return FORGOTTEN_MARK.join([*kept, text[end:]])


def scrub_json(raw: str, pattern: re.Pattern[str]) -> str:
    """Return JSON with the words replaced in its strings and names; the same bytes when it has none of them."""
    if not has_words(raw, pattern):
        return raw
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return scrub_text(raw, pattern)
    return orjson.dumps(_scrub_value(value, pattern)).decode()


def _scrub_value(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return scrub_text(value, pattern)
    if isinstance(value, list):
        return [_scrub_value(item, pattern) for item in value]
    if isinstance(value, dict):
        return {scrub_text(name, pattern): _scrub_value(item, pattern) for name, item in value.items()}
    return value


def blank_entry(entry_type: str, entry_id: str, parent_id: str | None, role: str | None, flag: str) -> str:
    """Return the raw JSON of an entry whose content was removed: its place in the session, and nothing that was said."""
    entry: JsonObject = {"type": entry_type, "id": entry_id, "parentId": parent_id, flag: True}
    if role:
        entry["message"] = {"role": role, "content": []}
    return orjson.dumps(entry).decode()


def _escape_to_ascii(text: str) -> str:
    return json.dumps(text)[1:-1]
