"""Finds the rows of JSON that may hold a secret. Rust searches all rows, Python judges only the rows that are left.

Each hint of Rust finds something in every row in which its exact rules do; the rows that it finds are judged by these rules
themselves, because code is full of `apiKey: options.apiKey`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson
import polars as pl

from transforms.patterns.late_pattern import compile_late
from transforms.reading.candidates.assigned_candidates import may_be_assigned
from transforms.reading.candidates.bare_candidates import find_bare_rows, list_digit_words
from transforms.reading.candidates.named_candidates import search_names
from transforms.reading.candidates.printed_candidates import find_printed_rows
from transforms.reading.candidates.structure_candidates import ROW_HINTS, find_structured_rows
from transforms.reading.candidates.translated_candidates import fold_rows
from transforms.redaction.context import (
    BARE,
    FIRST_SURROUNDINGS,
    LISTS,
    PASSWORDS,
    PRINTED,
    RUNS,
    STRUCTURES,
    TOKENS,
)
from transforms.redaction.context_rules import (
    LIST_HINT,
    OTHER_PASSWORD_HINT,
    PASSWORD_HINT,
    PEOPLE_HINT,
    TOKEN_HINT,
    join_hints,
)
from transforms.redaction.formats.form_fields import FIELD_HINT, holds_entered_secret
from transforms.redaction.names.recovery_phrases import RECOVERY_PHRASES
from transforms.redaction.numbers.access_codes import CODE_HINT
from transforms.redaction.redact import ASSIGNED, COMMANDS, redact_value
from transforms.redaction.secret_rules import (
    COMMAND_HINT,
    FLAG_HINT,
    FLAG_SIGNS,
    LITERAL_BITS,
    LITERAL_FILTERS,
    LONG_RUN,
    SHAPE_BITS,
    SHAPE_HINTS,
    SPOKEN_HINT,
)

CONTEXT_HINTS: dict[str, list[tuple[str, int]]] = {
    TOKEN_HINT: [(TOKEN_HINT, TOKENS)],
    LIST_HINT: [(LIST_HINT, LISTS)],
} | join_hints(FIRST_SURROUNDINGS)
"""Rust regexes, each with the hints that it joins and the bits of the search that a place is worth which a hint finds."""

_SEARCHES = {hint: compile_late(hint, by_words=True) for hints in CONTEXT_HINTS.values() if len(hints) > 1 for hint, _ in hints}

PEOPLE_HINTS = f"{SPOKEN_HINT}|{PEOPLE_HINT}|{PASSWORD_HINT}|{OTHER_PASSWORD_HINT}|{CODE_HINT}"
"""A person's entry in which one of these finds something is searched as a whole."""
_PASSWORD_MARKS = "!#$%&*?^~"
_VALUE_ENDS = r"\s\"'`<>\\,;()\[\]{}|"
BARE_HINT = (
    rf"[{_PASSWORD_MARKS}][^{_VALUE_ENDS}0-9{_PASSWORD_MARKS}]{{0,62}}[0-9]"
    rf"|[0-9][^{_VALUE_ENDS}0-9{_PASSWORD_MARKS}]{{0,62}}[{_PASSWORD_MARKS}][^{_VALUE_ENDS}]"
)
"""A word with a digit and a mark inside, in either order, is in every row with a bare password. Between the nearest two there is
neither, and to say so keeps the search from counting from each digit of a row of numbers."""
_LONG_RUN = compile_late(LONG_RUN)
_SPACED_MEMBER = compile_late(r'"[ \t\r]+:')
_NO_ROWS = pl.Series(dtype=pl.UInt32)


def find_secret_candidates(texts: pl.Series, users: Sequence[int] = ()) -> dict[int, tuple[int, int]]:
    """Return the rows that may hold a secret, in order, with bits: possible shapes, possible assignments (ASSIGNED, COMMANDS).

    No other row holds a secret by shape, by assignment, by a name near it or by structure, except in a person's own words
    (`find_spoken_candidates`); in the rows `users`, which a person typed, more structures count.
    """
    texts = fold_rows(texts)
    patterns = (*SHAPE_HINTS, *LITERAL_FILTERS, FLAG_HINT, *ROW_HINTS, *CONTEXT_HINTS)
    matching = dict(zip(patterns, find_matching_rows(texts, patterns), strict=True))
    shapes: dict[int, int] = {}
    for pattern, literals in zip(LITERAL_FILTERS, LITERAL_BITS, strict=True):
        rows = matching[pattern]
        standing = texts.gather(rows).str.extract_many(list(literals), overlapping=True).to_list() if len(rows) else []
        for row, some in zip(rows, standing, strict=True):
            shapes[row] = shapes.get(row, 0) | sum(map(literals.__getitem__, set(some)))
    for pattern, bits in zip(SHAPE_HINTS, SHAPE_BITS, strict=True):
        shapes |= {row: shapes.get(row, 0) | bits for row in matching[pattern]}
    hinted = _list_hinted_rows(texts, matching)
    named, assigned = search_names(texts)
    judged = {row: bits for row, bits in hinted.items() if _may_hold_secret(texts[row], bits)}
    for row in _find_assigned_rows(texts, assigned):
        judged[row] = judged.get(row, 0) | ASSIGNED
    hinted |= {row: hinted.get(row, 0) | ASSIGNED for row in assigned}
    structured = dict.fromkeys(find_structured_rows(texts, users, matching), STRUCTURES)
    for row, bits in (*named.items(), *structured.items()):
        judged[row] = judged.get(row, 0) | bits
    return {row: (shapes.get(row, 0), judged.get(row, 0) | hinted.get(row, 0)) for row in sorted({*shapes, *judged})}


def _list_hinted_rows(texts: pl.Series, matching: Mapping[str, pl.Series]) -> dict[int, int]:
    """Return the rows with a hint of a flag, a command or surroundings, each with the bits of these searches."""
    rows: dict[int, int] = {}
    rows |= dict.fromkeys(matching[FLAG_HINT], ASSIGNED)
    for row in _find_flag_rows(texts, matching[COMMAND_HINT]):
        rows[row] = rows.get(row, 0) | COMMANDS
    for joined, hints in CONTEXT_HINTS.items():
        for row in matching[joined]:
            json = texts[row]
            bits = sum(bit for hint, bit in hints if len(hints) == 1 or _SEARCHES[hint].search(json))
            rows[row] = rows.get(row, 0) | bits
    return rows


def _find_flag_rows(texts: pl.Series, rows: pl.Series) -> Iterator[int]:
    """Yield those of `rows` with a command that takes a password, and the flag for it."""
    some = texts.gather(rows)
    for command, signs in FLAG_SIGNS.items():
        places = some.str.contains(command, literal=True).arg_true() if len(rows) else rows
        if len(places):
            yield from rows.gather(places.filter(some.gather(places).str.contains_any(list(signs))))


def _find_assigned_rows(texts: pl.Series, places: Mapping[int, Sequence[int]]) -> list[int]:
    """Return the rows in which an assigned value is a secret; `places` are those of the names in each row."""
    rows = pl.Series(list(places), dtype=pl.UInt32)
    fields = set(_find_rows(texts, rows, FIELD_HINT))
    return [
        row
        for row in rows.to_list()
        if (row in fields or may_be_assigned(texts[row], places[row])) and _may_hold_secret(texts[row], ASSIGNED)
    ]


def _may_hold_secret(json: str, bits: int) -> bool:
    """Whether the exact rules of the bits find a secret in JSON, or the JSON has more than its value."""
    try:
        value = orjson.loads(json)
    except orjson.JSONDecodeError:  # nested deeper than orjson reads
        return True
    return redact_value(value, False, 0, bits)[1] > 0 or _hides_members(json, value)


def _hides_members(json: str, value: Any) -> bool:
    """Whether JSON has more members than its value: of those with the same name the last one counts."""
    spaced = sum(json[match.start() - 1] != "\\" for match in _SPACED_MEMBER.finditer(json))
    return json.count('":') - json.count('\\":') + spaced != _count_members(value)


def _count_members(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_members, value.values()))
    return sum(map(_count_members, value)) if isinstance(value, list) else 0


def find_matching_rows(texts: pl.Series, patterns: Sequence[str]) -> list[pl.Series]:
    """Return the rows in which each pattern finds something."""
    name = pl.col(texts.name)
    columns = texts.to_frame().select(name.str.contains(pattern).alias(str(number)) for number, pattern in enumerate(patterns))
    return [column.arg_true() if column.any() else _NO_ROWS for column in columns]  # most find nothing, which is known at once


def find_spoken_candidates(texts: pl.Series) -> dict[int, int]:
    """Return the rows of a person's texts, or of the JSON of their entries, that may hold a spoken or bare secret, with bits."""
    texts = fold_rows(texts)
    every = pl.Series(range(len(texts)), dtype=pl.UInt32)
    digit_words = list_digit_words(texts)
    words = digit_words.to_list()
    hinted = {row for hint in (PEOPLE_HINTS, BARE_HINT) for row in _find_rows(texts, every, hint)}
    runs = [row for row, some in enumerate(words) if any(_is_mixed(run) for run in _LONG_RUN.findall(" ".join(some)))]
    bits = dict.fromkeys(sorted({*hinted, *runs}), PASSWORDS | TOKENS | LISTS)
    for rows, bit in ((runs, RUNS), (find_bare_rows(texts, digit_words, is_user=True), BARE)):
        for row in rows:
            bits[row] = bits.get(row, 0) | bit
    return bits


def find_agent_candidates(texts: pl.Series) -> dict[int, int]:
    """Return the rows of the JSON of agents' entries in which a value without a name is a secret, with the bit of that search.

    Rows in which a password is entered into a field of a page have no bit: redaction looks at all members.
    """
    folded = fold_rows(texts)
    if not len(texts):
        return {}
    bits = dict.fromkeys(find_bare_rows(folded, list_digit_words(folded), is_user=False), BARE)
    hinted = texts.str.contains(FIELD_HINT).arg_true().to_list()
    return dict.fromkeys((row for row in hinted if _holds_entered_secret(texts[row])), 0) | bits


def _holds_entered_secret(json: str) -> bool:
    try:
        return holds_entered_secret(orjson.loads(json))
    except orjson.JSONDecodeError:  # nested deeper than orjson reads
        return True


def find_output_candidates(texts: pl.Series) -> dict[int, int]:
    """Return the rows of outputs and files, as JSON, in which a value without a name is a secret or recovery codes may
    stand, with the bits of these searches."""
    if not len(texts):
        return {}
    folded = fold_rows(texts)
    bits = dict.fromkeys(folded.str.contains_any(list(RECOVERY_PHRASES), ascii_case_insensitive=True).arg_true().to_list(), LISTS)
    for row in find_printed_rows(folded):
        bits[row] = bits.get(row, 0) | PRINTED
    return bits


def _is_mixed(run: str) -> bool:
    """Whether a long word looks like a random token: both cases, digits, and hardly a slash."""
    return run.count("/") <= 2 and any(map(str.isdigit, run)) and not run.islower() and not run.isupper()


def _find_rows(texts: pl.Series, rows: pl.Series, pattern: str) -> list[int]:
    """Return those of `rows` in which the pattern finds something."""
    return rows.filter(texts.gather(rows).str.contains(pattern)).to_list() if len(rows) else []
