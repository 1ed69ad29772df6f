"""Parses the bytes of a session file: JSON objects with their place, and damaged lines. Nothing is dropped without a record.

Lines end at line feeds only: U+2028 and
form feeds occur raw inside strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, NoReturn

import msgspec
import orjson

from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import EntryFlag
from transforms.tables.json_object import JsonObject

BOM = b"\xef\xbb\xbf"
EXCERPT_CHARS = 400
"""Characters of a damaged line that are looked at for its quarantine row (which keeps fewer, redacted)."""


class ParsedObject(NamedTuple):  # faster to make than a frozen dataclass
    """One JSON object of the file. `line_no` is its 0-based physical line, `object_no` its 0-based number among all objects.

    `line` holds its bytes in the file, empty when they are not strict JSON in UTF-8.
    """

    value: JsonObject
    line_no: int
    object_no: int
    flags: tuple[EntryFlag, ...] = ()
    line: bytes = b""


@dataclass(frozen=True, slots=True)
class DamagedLine:
    """A part of a line that is not an entry; `excerpt` is not redacted yet."""

    line_no: int
    rule: str
    excerpt: str


@dataclass(slots=True)
class ParsedChunk:
    """Objects in file order, damage, the bytes up to the last complete line or object, and the line feeds among them."""

    objects: list[ParsedObject] = field(default_factory=list)
    damage: list[DamagedLine] = field(default_factory=list)
    consumed: int = 0
    line_count: int = 0


def parse_chunk(data: bytes, first_line: int = 0, is_line_start: bool = True) -> ParsedChunk:
    """Read every complete line of `data`, and of an unterminated last line the whole JSON objects that it begins with.

    `first_line` is the number of the line that `data` starts in; `is_line_start` is false when an object of that line was
    read before. The result for two pieces is the result for the whole, wherever it is cut.
    """
    chunk = ParsedChunk()
    position, line_no = 0, first_line
    while (end := data.find(b"\n", position)) >= 0:
        line = data[position:end]
        value = load_strict_object(line) if is_line_start else None
        if value is None or _is_too_deep(value, line):
            _read_line(chunk, line, line_no, is_line_start)
        else:
            chunk.objects.append(ParsedObject(value, line_no, len(chunk.objects), (), line))
        position, line_no, is_line_start = end + 1, line_no + 1, True
    chunk.consumed, chunk.line_count = position, line_no - first_line
    for start, end in _find_complete_objects(data[position:]):
        _read_line(chunk, data[position + start : position + end], line_no, is_line_start)
        chunk.consumed, is_line_start = position + end, False
    return chunk


def load_strict_object(line: bytes) -> JsonObject | None:
    """Return the object of a line of strict JSON; None for every other line, which needs the lenient reader."""
    if not (line.startswith(b"{") and line.endswith(b"}")):
        return None
    try:
        return orjson.loads(line)  # type: ignore[no-any-return]  # it begins with a brace: an object or an error
    except orjson.JSONDecodeError:
        return None


def _find_complete_objects(tail: bytes) -> list[tuple[int, int]]:
    """Return the byte ranges of the objects that an unterminated line begins with; a writer never adds to a closed object."""
    text = tail.decode("utf-8", "surrogateescape")
    ranges: list[tuple[int, int]] = []
    position = byte_at = 0
    while (start := _LEADING_BLANKS.match(text, position)) and text.startswith("{", start.end()):
        value, end = _decode_at(text, start.end())
        if not isinstance(value, dict):
            break
        byte_end = byte_at + len(text[position:end].encode("utf-8", "surrogateescape"))
        ranges.append((byte_at, byte_end))
        position, byte_at = end, byte_end
    return ranges


def _read_line(chunk: ParsedChunk, line: bytes, line_no: int, is_line_start: bool) -> None:
    line = line.strip(b" \t\r").removeprefix(BOM)
    if not line:
        return
    value = _load_leniently(line)
    if isinstance(value, dict):
        _add_object(chunk, value, line_no, () if is_line_start else ("glued",), line)
    elif value is not _NOT_JSON and is_line_start:
        chunk.damage.append(DamagedLine(line_no, "not_an_object", line[:EXCERPT_CHARS].decode("utf-8", "replace")))
    else:
        _recover_objects(chunk, line.decode("utf-8", "replace"), line_no, is_line_start)


def _recover_objects(chunk: ParsedChunk, line: str, line_no: int, is_line_start: bool) -> None:
    """Add the objects of a line that holds several of them, or an unfinished stub before them."""
    done, is_first = 0, is_line_start
    for value, skipped, written, end in _decode_stream(line):
        if skipped.strip(_JSON_BLANKS):
            chunk.damage.append(DamagedLine(line_no, "damaged", skipped.strip(_JSON_BLANKS)[:EXCERPT_CHARS]))
        flags: tuple[EntryFlag, ...] = () if is_first and not skipped.strip(_JSON_BLANKS) else ("glued",)
        _add_object(chunk, value, line_no, (*flags, "recovered") if skipped.strip(_JSON_BLANKS) else flags, written.encode())
        is_first, done = False, end
    if line[done:].strip(_JSON_BLANKS):
        chunk.damage.append(DamagedLine(line_no, "damaged", line[done:].strip(_JSON_BLANKS)[:EXCERPT_CHARS]))


def _decode_stream(line: str) -> Iterator[tuple[JsonObject, str, str, int]]:
    """Yield (object, text skipped before it, its JSON as written, its end) for every object on a line.

    Behind damage only a whole entry (`type` and a textual `timestamp`) counts, else a part of a broken entry would. Nobody
    writes a line with MOST_STARTS beginnings that lead to no object; the rest of it is damage.
    """
    position = junk = failures = 0
    while position < len(line) and failures < MOST_STARTS:
        value, end = _decode_at(line, position)
        skipped = line[junk:position]
        if isinstance(value, dict) and (not skipped.strip(_JSON_BLANKS) or _is_entry(value)):
            yield value, skipped, line[position:end].strip(_JSON_BLANKS), end
            position = junk = end
            continue
        failures += 1
        following = _ENTRY_START.search(line, position + 1)
        if following is None:
            return
        position = following.start()


def _decode_at(line: str, position: int) -> tuple[object, int]:
    try:
        return _DECODER.raw_decode(line, _LEADING_BLANKS.match(line, position).end())  # type: ignore[union-attr]  # matches anywhere
    except (ValueError, RecursionError):
        return _NOT_JSON, position


def _is_entry(value: JsonObject) -> bool:
    return isinstance(value.get("type"), str) and isinstance(value.get("timestamp"), str)


def _add_object(chunk: ParsedChunk, value: JsonObject, line_no: int, flags: tuple[EntryFlag, ...], written: bytes) -> None:
    if _is_too_deep(value, written):
        chunk.damage.append(DamagedLine(line_no, "too_deep", written[:EXCERPT_CHARS].decode("utf-8", "replace")))
        return
    is_strict = load_strict_object(written) is not None or _has_only_odd_numbers(written)
    chunk.objects.append(ParsedObject(value, line_no, len(chunk.objects), flags, written if is_strict else b""))


def _is_too_deep(value: JsonObject, written: bytes) -> bool:
    """Whether an object has more than MOST_LEVELS levels; most lines have too few brackets for that."""
    if written.count(b"[") + written.count(b"{") <= MOST_LEVELS:
        return False
    level: list[object] = [value]
    for _ in range(MOST_LEVELS):
        level = [
            part
            for item in level
            if isinstance(item, dict | list)
            for part in (item.values() if isinstance(item, dict) else item)
        ]
    return any(isinstance(item, dict | list) for item in level)


def _has_only_odd_numbers(written: bytes) -> bool:
    """Whether this is strict JSON but for numbers beyond the range of doubles, which msgspec does not parse."""
    try:
        msgspec.json.decode(written, type=msgspec.Raw)
        written.decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return True


MOST_LEVELS = 200
"""Levels of an entry that are read; all that walks through an entry or writes it as JSON again reaches deeper."""
MOST_STARTS = 2000
"""Beginnings of entries on one line that lead to none; each may cost a decoder's whole depth."""
_JSON_BLANKS = " \t\r\ufeff"
_LEADING_BLANKS = compile_late("[ \\t\\r\ufeff]*")
_ENTRY_START = compile_late(r'\{\s*"(?:type|id|timestamp|parentId)"\s*:')


class _NotJson:
    """Stands for text that is not JSON; None is a JSON value."""


_NOT_JSON = _NotJson()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _load_leniently(line: bytes) -> object:
    """Return the JSON value of a line, else `_NOT_JSON`, as for NaN. Replaces invalid UTF-8 and keeps lone surrogates."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass  # orjson also refuses lone surrogates and broken UTF-8, which real files hold: the lenient way decides
    try:
        return _DECODER.decode(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return _NOT_JSON
