"""Finds the rows of JSON that may hold a secret. Rust searches all rows, Python judges only the rows that are left.

First come cheap filters, then the exact filters on their rows, at last Python on the assignments alone: code is full of
`apiKey: options.apiKey`, and searching all strings of such a row is much slower than judging its assignments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

import polars as pl

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.reading.bare_candidates import find_bare_rows, list_digit_words
from transforms.reading.named_candidates import find_named_rows
from transforms.reading.printed_candidates import find_printed_rows
from transforms.reading.structure_candidates import ROW_HINTS, find_structured_rows
from transforms.redaction.context import (
    BARE,
    FIRST_SURROUNDINGS,
    LISTS,
    PASSWORDS,
    PRINTED,
    STRUCTURES,
    TOKENS,
    find_context_secrets,
)
from transforms.redaction.context_rules import (
    LIST_HINT,
    OTHER_PASSWORD_HINT,
    PASSWORD_HINT,
    PEOPLE_HINT,
    TOKEN_HINT,
    join_hints,
)
from transforms.redaction.numbers.access_codes import CODE_HINT
from transforms.redaction.redact import ASSIGNED, COMMANDS
from transforms.redaction.secret_rules import (
    ASSIGNMENT_HINTS,
    BRIDGE_CANDIDATE,
    BRIDGE_RUN,
    CANDIDATE_NAME,
    CANDIDATE_RUN,
    CANDIDATES,
    COMMAND_FILTERS,
    COMMAND_HINT,
    FLAG_HINT,
    LITERAL_FILTERS,
    LONG_RUN,
    SHAPE_BITS,
    SHAPE_HINTS,
    SPOKEN_HINT,
    TELLING_ROW,
)
from transforms.redaction.value_forms import CODE_NAME, is_harmless, is_random_key, looks_random

LEAST_CHARS = 8
"""A shorter value is a secret only when its name says `pass`."""

BRIDGED_CHARS = 12
"""The same for a value some words after its name."""

MOST_CHARS = 400
"""The part of an unquoted value that ASSIGNMENT matches."""

CONTEXT_HINTS: dict[str, list[tuple[str, int]]] = {
    TOKEN_HINT: [(TOKEN_HINT, TOKENS)],
    LIST_HINT: [(LIST_HINT, LISTS)],
} | join_hints(FIRST_SURROUNDINGS)
"""Rust regexes, each with the hints that it joins and the bits of the search that a place is worth which a hint finds."""

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
BEFORE_CHARS, WINDOW_CHARS = 60, 400
"""Characters of raw JSON around such a place: escapes double those of the text."""

_LONG_RUN = compile_late(LONG_RUN)
_COMMAND_FILTERS = [(literals, compile_late(pattern)) for literals, pattern in COMMAND_FILTERS]
_ESCAPE = compile_late(r"\\(?:u001b|.)")
_ESCAPED_CHARS = {"\\\\": "\\", "\\n": "\n", '\\"': '"', "\\t": "\t", "\\u001b": "\x1b"}
_BARE_END = compile_late(r"[\s\"'`\\,;|<>(){}\[\]]")
_CALLED = ("(", "[", "{")
_BLANK_ESCAPES = ("t", "r", "f")
_GENERIC = compile_late(r"(?i)[_-]?key\d?$")
_HIDING = compile_late(r"(?i)\\\\|&(?:quot|apos|#)|u001b\[|pass|pwd")
_PASSWORD = compile_late(r"(?i)pass|pwd")
_NO_ROWS = pl.Series(dtype=pl.UInt32)


def find_secret_candidates(texts: pl.Series, users: Sequence[int] = ()) -> dict[int, tuple[int, int]]:
    """Return the rows that may hold a secret, in order, with bits: possible shapes, possible assignments (ASSIGNED, COMMANDS).

    No other row holds a secret by shape, by assignment, by a name near it or by structure, except in a person's own words
    (`find_spoken_candidates`); in the rows `users`, which a person typed, more structures count.
    """
    patterns = (*SHAPE_HINTS, *LITERAL_FILTERS, *ASSIGNMENT_HINTS, FLAG_HINT, *ROW_HINTS)
    matching = dict(zip(patterns, find_matching_rows(texts, patterns), strict=True))
    hinted = pl.Series(sorted({row for pattern in ASSIGNMENT_HINTS for row in matching[pattern]}), dtype=pl.UInt32)
    assigned = {
        **_find_assignment_rows(texts, matching[FLAG_HINT], CANDIDATES[1], None, _may_assign_secret),
        **_find_assignment_rows(texts, hinted, CANDIDATES[0], TELLING_ROW, _may_assign_secret),
        **_find_assignment_rows(texts, hinted, BRIDGE_CANDIDATE, None, _may_bridge_secret),
    }
    shapes: dict[int, int] = {}
    literal_bits = [1 << bit for bit in range(len(LITERAL_FILTERS))]
    for pattern, bits in zip((*LITERAL_FILTERS, *SHAPE_HINTS), (*literal_bits, *SHAPE_BITS), strict=True):
        shapes |= {row: shapes.get(row, 0) | bits for row in matching[pattern]}
    commands = dict.fromkeys(_find_command_rows(texts, matching[COMMAND_HINT]), COMMANDS)
    contexts = _find_context_rows(texts)
    structured = dict.fromkeys(find_structured_rows(texts, users, matching), STRUCTURES)
    for row, bits in (*find_named_rows(texts).items(), *structured.items()):
        contexts[row] = contexts.get(row, 0) | bits
    rows = sorted({*shapes, *assigned, *commands, *contexts})
    return {row: (shapes.get(row, 0), assigned.get(row, 0) | commands.get(row, 0) | contexts.get(row, 0)) for row in rows}


def _find_context_rows(texts: pl.Series) -> dict[int, int]:
    """Return the rows in which surroundings may tell a secret, with the bits to search for."""
    rows: dict[int, int] = {}
    for hint, rows_with_hint in zip(CONTEXT_HINTS, find_matching_rows(texts, list(CONTEXT_HINTS)), strict=True):
        pieces = texts.gather(rows_with_hint).str.extract_all(hint).to_list() if len(rows_with_hint) else []
        known: dict[str, int] = {}
        for row, row_pieces in zip(rows_with_hint, pieces, strict=True):
            for window in _find_windows(texts[row], set(row_pieces)):
                if window not in known:
                    known[window] = _find_told_bits(window, CONTEXT_HINTS[hint])
                rows[row] = rows.get(row, 0) | known[window]
    return {row: bits for row, bits in rows.items() if bits}


def _find_windows(json: str, pieces: set[str]) -> Iterator[str]:
    """Yield the surroundings of each place of the pieces; places close together share them."""
    covered_until = -1
    for place in sorted(find_places(json, *pieces)):
        if place > covered_until:
            covered_until = place + WINDOW_CHARS // 3
            yield json[max(0, place - BEFORE_CHARS) : place + WINDOW_CHARS]


def _find_told_bits(json: str, hints: Sequence[tuple[str, int]]) -> int:
    """Return the bits of the surroundings that tell a secret in a piece of raw JSON, once its escapes are read."""
    text = _ESCAPE.sub(lambda match: _ESCAPED_CHARS.get(match[0], match[0]), json) if "\\" in json else json
    bits = [bit for hint, bit in hints if len(hints) == 1 or re.search(hint, json)]
    return sum(bit for bit in bits if next(find_context_secrets(text, bit), None) is not None)


def find_matching_rows(texts: pl.Series, patterns: Sequence[str]) -> list[pl.Series]:
    """Return the rows in which each pattern finds something."""
    name = pl.col(texts.name)
    columns = texts.to_frame().select(name.str.contains(pattern).alias(str(number)) for number, pattern in enumerate(patterns))
    return [column.arg_true() if column.any() else _NO_ROWS for column in columns]  # most find nothing, which is known at once


def find_spoken_candidates(texts: pl.Series) -> dict[int, int]:
    """Return the rows of a person's texts, or of the JSON of their entries, that may hold a spoken or bare secret, with bits."""
    every = pl.Series(range(len(texts)), dtype=pl.UInt32)
    words = list_digit_words(texts)
    hinted = {row for hint in (PEOPLE_HINTS, BARE_HINT) for row in _find_rows(texts, every, hint)}
    hinted.update(row for row, some in enumerate(words) if any(_is_mixed(run) for run in _LONG_RUN.findall(" ".join(some))))
    bits = dict.fromkeys(sorted(hinted), PASSWORDS | TOKENS | LISTS)
    for row in find_bare_rows(texts, words, is_user=True):
        bits[row] = bits.get(row, 0) | BARE
    return bits


def find_agent_candidates(texts: pl.Series) -> dict[int, int]:
    """Return the rows of the JSON of agents' entries in which a value without a name is a secret, with the bit of that search."""
    return dict.fromkeys(find_bare_rows(texts, list_digit_words(texts), is_user=False), BARE) if len(texts) else {}


def find_output_candidates(texts: pl.Series, certain: Collection[int]) -> dict[int, int]:
    """Return the rows of the JSON of outputs and files in which a value without a name is a secret, with the bit of that search.

    `certain` are rows with other secrets.
    """
    return dict.fromkeys(find_printed_rows(texts, certain), PRINTED) if len(texts) else {}


def _is_mixed(run: str) -> bool:
    """Whether a long word looks like a random token: both cases, digits, and hardly a slash."""
    return run.count("/") <= 2 and any(map(str.isdigit, run)) and not run.islower() and not run.isupper()


def _find_rows(texts: pl.Series, rows: pl.Series, pattern: str) -> list[int]:
    """Return those of `rows` in which the pattern finds something."""
    return rows.filter(texts.gather(rows).str.contains(pattern)).to_list() if len(rows) else []


def _find_command_rows(texts: pl.Series, rows: pl.Series) -> list[int]:
    """Return those of `rows` in which a command may have a password among its arguments."""
    return [
        row
        for row, text in zip(rows, texts.gather(rows).to_list(), strict=True)
        if any(any(literal in text for literal in literals) and pattern.search(text) for literals, pattern in _COMMAND_FILTERS)
    ]


def _find_assignment_rows(
    texts: pl.Series, rows: pl.Series, pattern: str, telling: str | None, judge: Callable[[str], bool]
) -> dict[int, int]:
    """Return those of `rows` with an assignment whose value may be a secret."""
    if rows.is_empty():
        return {}
    some = texts.gather(rows)
    known: dict[str, bool] = {}
    certain = set(_find_rows(texts, rows, telling)) if telling else set()
    return {
        row: ASSIGNED
        for row, candidates in zip(rows, some.str.extract_all(pattern).to_list(), strict=True)
        if row in certain or any(_may_be_secret(candidate, known, judge) for candidate in candidates)
    }


def _may_be_secret(candidate: str, known: dict[str, bool], judge: Callable[[str], bool]) -> bool:
    if (verdict := known.get(candidate)) is None:
        verdict = known[candidate] = judge(candidate)
    return verdict


def _may_bridge_secret(candidate: str) -> bool:
    """Whether the long word at the end of a candidate may be random."""
    run = BRIDGE_RUN.search(candidate)
    least = LEAST_CHARS if _PASSWORD.search(candidate) else BRIDGED_CHARS
    if run is None:
        return False
    value = run[0][:MOST_CHARS]
    return looks_random(value, least) or is_random_key(value)


def _may_assign_secret(candidate: str) -> bool:
    """Whether any assignment of a candidate may have a secret value; true when that is uncertain."""
    if _HIDING.search(candidate):
        return True
    for name in CANDIDATE_NAME.finditer(candidate):
        if name["blank"] and "--" not in candidate:
            continue
        run = CANDIDATE_RUN.match(candidate, name.end(), name.end() + MOST_CHARS + 1)
        value, end = (run[0], run.end()) if run else ("", name.end())
        is_quoted = any(quote in name["open"] for quote in "\"'`")
        is_cut = name.end() >= len(candidate)  # the next assignment begins at this one's end: its value is not in sight
        if is_cut:
            return True
        if is_quoted and candidate[end : end + 1] == " ":  # with a blank in it only a variable of the environment is one
            if name["word"].isupper():
                return True
            continue
        if not is_quoted and (stop := _BARE_END.search(value)):
            if stop[0] in _CALLED and stop.start() <= MOST_CHARS:
                continue
            if stop[0] == "\\" and value[stop.end() : stop.end() + 1] not in _BLANK_ESCAPES:
                return True
            value = value[: stop.start()]
        value = value[:MOST_CHARS]
        if _GENERIC.match(name["word"]) and not is_random_key(value):
            continue
        if len(value) >= LEAST_CHARS and (looks_random(value, 12) if CODE_NAME.match(value) else not is_harmless(value)):
            return True
    return False
