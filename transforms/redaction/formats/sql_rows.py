"""Finds secrets in rows of a database whose statement names its columns: `COPY t (…) FROM stdin`, `INSERT INTO t (…) VALUES`."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.table_secrets import classify_header, is_cell_secret, may_be_word, may_be_words
from transforms.redaction.value_forms import is_secret_hex

ROWS_HINT = r"(?i:copy [a-z0-9_.\\\"]{1,80} \([^)]{3,600}\) from stdin|insert into [a-z0-9_.\\\"`]{1,80} ?\([^)]{3,600}\) ?(?:\\n)?values)"
"""Finds something in the raw JSON of every text with such a statement."""
_COPY = compile_late(r"(?im)^[ \t]*copy [\w.\"]{1,80} \((?P<columns>[^()\n]{3,600})\) from stdin[^\n]*\n")
_INSERT = compile_late(r"(?i)insert into [\w.\"`]{1,80} ?\((?P<columns>[^()]{3,600})\)\s{0,3}values\s{0,3}")
_ROW = compile_late(r"\s{0,8}\((?P<row>(?:[^()'\"]|'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|\([^()]*\)){1,4000})\)\s{0,3},?")
_FIELD = compile_late(
    r"\s*(?:'(?P<single>(?:[^'\\]|\\.|'')*)'|(?P<other>(?:[^,'\"()]|\"(?:[^\"\\]|\\.)*\"|\([^()]*\))*))\s*(?:,|\Z)"
)
MOST_ROWS = 400


def find_row_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the values of columns that hold secrets begin and end, and their family."""
    for statement in _COPY.finditer(text):
        if named := _list_named(statement["columns"]):
            yield from _find_copied(text, statement.end(), named)
    for statement in _INSERT.finditer(text):
        if named := _list_named(statement["columns"]):
            yield from _find_inserted(text, statement.end(), named)


def _list_named(columns: str) -> list[tuple[int, str]]:
    """Return the places of the columns that hold secrets, with the families of their values."""
    names = [name.strip(" \t\n\"'`") for name in columns.split(",")]
    return [(place, kind) for place, name in enumerate(names) if (kind := classify_header(name))]


def _find_copied(text: str, start: int, named: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    for _ in range(MOST_ROWS):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        fields = text[start:end].split("\t")
        if len(fields) < 2:
            return
        for place, kind in named:
            if place < len(fields) and _is_secret(fields[place], kind, text[start:end]):
                first = start + sum(map(len, fields[:place])) + place
                yield first, first + len(fields[place]), kind
        start = end + 1


def _find_inserted(text: str, start: int, named: list[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    for _ in range(MOST_ROWS):
        row = _ROW.match(text, start)
        if row is None:
            return
        fields = [field.span("single") for field in _FIELD.finditer(text, *row.span("row"))]
        for place, kind in named:
            if place < len(fields) and fields[place][0] >= 0 and _is_secret(text[slice(*fields[place])], kind, row["row"]):
                yield *fields[place], kind
        start = row.end()


def _is_secret(value: str, kind: str, row: str) -> bool:
    if is_cell_secret(value, kind) or is_secret_hex(value):
        return True
    return kind == "password" and (may_be_words(value) or may_be_word(value, row))
