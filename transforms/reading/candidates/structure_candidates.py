"""Finds the rows in which the structure of a text tells a secret: commands, tables, blocks and lists.

Rust selects few rows, with few patterns: polars keeps 32 compiled ones per thread, and to compile them again for every batch
costs more than to search. The functions that redaction asks judge these rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson
import polars as pl

from transforms.patterns.alternatives import halve_alternatives
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.reading.candidates.named_candidates import read_surroundings
from transforms.reading.candidates.translated_candidates import find_translated_rows
from transforms.redaction.apart.login_flags import find_login_flags
from transforms.redaction.command_secrets import AROUND_CHARS, COMMAND_HINTS, find_command_secrets
from transforms.redaction.formats.command_answers import find_command_answers
from transforms.redaction.formats.known_formats import FORMAT_HINT, find_known_formats
from transforms.redaction.known_secrets import LEAST_NAME, LEAST_TEXT
from transforms.redaction.named_values import CERTAIN_CLASSES, SECRET_NAMES, SHORT_NAMES
from transforms.redaction.names.network_keys import NETWORK_WORDS, find_network_keys
from transforms.redaction.names.translated_secrets import find_translated_secrets
from transforms.redaction.numbers.account_numbers import NUMBER_HINT, find_account_numbers
from transforms.redaction.secret_rules import COMMAND_HINT
from transforms.redaction.structure_hints import (
    BLOCK_HINTS,
    GROUPS,
    LONG_WORD,
    MOST_WORD_CHARS,
    SEED_HINT,
    STRUCTURE_HINT,
    WORD_HINT,
)
from transforms.redaction.structure_signs import LETTER_GROUPS, has_sign, map_letters, may_hold_digit_lines, may_hold_seed_phrase
from transforms.redaction.structures import (
    LEAST_SEED_WORDS,
    find_encoded,
    find_seed_phrases,
    find_structures,
    is_random_groups,
)
from transforms.redaction.table_secrets import TABLE_HINT, find_table_secrets, is_header_name
from transforms.redaction.written.label_lines import find_label_lines
from transforms.tables.json_object import list_strings

_STRUCTURE_HINTS = halve_alternatives(STRUCTURE_HINT)
"""In one automaton of Rust they take three times as long."""
ROW_HINTS = (*_STRUCTURE_HINTS, SEED_HINT, TABLE_HINT, COMMAND_HINTS[0], COMMAND_HINT)
"""Rust regexes over raw JSON, whose rows `find_structured_rows` asks for."""
_COMMAND_PLACE = compile_late("|".join(COMMAND_HINTS))
_NUMBER, _FORMAT = compile_late(NUMBER_HINT), compile_late(FORMAT_HINT)
_ESCAPED_MARK = compile_late(r"\\[nrt\"]")
PIPE_CHARS = len("| sudo ch")
"""Characters before `passwd`, or another command, in which the pipe stands that feeds it."""
BEFORE_HEADER, AFTER_HEADER = 48, 120
"""Characters of raw JSON around the name of a column that tell whether it may stand in a header."""
NOTE_NAMES = (*(name for kind in CERTAIN_CLASSES for name in SECRET_NAMES[kind]), *SHORT_NAMES, *NETWORK_WORDS)
"""Words of which one stands in every person's text with a note of a secret, beside names in other languages."""
LEAST_STRING, LEAST_NAMED = 12, LEAST_TEXT
"""Characters of the shortest string that can hold a secret told by structure, and of one that can hold a name and a value."""


def find_structured_rows(texts: pl.Series, users: Sequence[int], matching: Mapping[str, pl.Series]) -> list[int]:
    """Return the rows of JSON in which structure tells a secret.

    `users` are the rows that a person typed, `matching` the rows in which each of ROW_HINTS finds something.
    """
    typed = frozenset(users)
    rows = {
        row
        for row in {row for hint in _STRUCTURE_HINTS for row in matching[hint]}
        if _holds_block(texts[row], row in typed)
        or _holds_word(texts[row], row in typed)
        or _holds_number(texts[row])
        or _holds_format(texts[row])
    }
    translated = find_translated_rows(texts, users)
    rows.update(row for row, names in translated.items() if _holds_translated(texts[row], row in typed, names))
    said = texts.gather(list(users))
    rows.update(row for row, json in zip(users, said.to_list(), strict=True) if _holds_groups(json))
    named = said.str.contains_any([*NOTE_NAMES], ascii_case_insensitive=True).to_list()
    rows.update(
        row for row, has_name in zip(users, named, strict=True)
        if (has_name or row in translated) and _holds_note(texts[row], translated.get(row, set()))
    )  # fmt: skip
    rows.update(row for row, json, runs in _cut_pieces(texts, matching[SEED_HINT], SEED_HINT) if _holds_seed_phrase(json, runs))
    for hint in (COMMAND_HINTS[0], COMMAND_HINT):
        rows.update(row for row, json, pieces in _cut_pieces(texts, matching[hint], hint) if _holds_command(json, pieces))
    rows.update(row for row, json, pieces in _cut_pieces(texts, matching[TABLE_HINT], TABLE_HINT) if _holds_table(json, pieces))
    return sorted(rows)


def _cut_pieces(texts: pl.Series, rows: pl.Series, hint: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield some rows with their JSON and the different texts that a hint finds in it."""
    some = texts.gather(rows)
    extracted = some.str.extract_all(hint).to_list() if len(rows) else []
    for row, json, pieces in zip(rows, some.to_list(), extracted, strict=True):
        yield row, json, list(dict.fromkeys(pieces))


def _holds_block(json: str, is_user: bool) -> bool:
    """Whether a row holds a block or list that is a secret."""
    return any(hint.search(json) for hint in BLOCK_HINTS) and _holds_structure(json, is_user)


def _holds_word(json: str, is_user: bool) -> bool:
    """Whether a row holds a word whose structure is a secret's; where no person typed, it has digits and other characters."""
    return any(
        (is_user or (any(map(str.isdigit, word)) and not word.isdigit())) and _is_secret_word(word)
        for word in LONG_WORD.findall(json)
        if len(word) <= MOST_WORD_CHARS
    )


def _holds_number(json: str) -> bool:
    """Whether a row holds the number of a card or an IBAN."""
    return _NUMBER.search(json) is not None and any(
        next(find_account_numbers(text), None) is not None for text in read_strings(json)
    )


def _holds_translated(json: str, is_user: bool, beginnings: set[str]) -> bool:
    """Whether a row holds a value behind the name of a secret in another language, which begins with one of `beginnings`."""
    if not is_user and all(map(str.isascii, beginnings)) and json.isascii():
        return False
    strings = read_strings(json, LEAST_NAMED)
    return any(next(find_translated_secrets(text, is_user, beginnings), None) is not None for text in strings)


def _holds_format(json: str) -> bool:
    """Whether a row holds a file or an output whose format tells a secret."""
    return _FORMAT.search(json) is not None and any(
        next(find_known_formats(text), None) is not None for text in read_strings(json)
    )


@lru_cache(maxsize=4096)
def _is_secret_word(word: str) -> bool:
    """Whether a word's structure is a secret's; base64 of an account, too, maybe behind a name or the letter of an escape."""
    if WORD_HINT.search(word):
        return True
    return any(next(find_encoded(part), None) is not None for part in (word, word[1:]))


def _holds_groups(json: str) -> bool:
    """Whether a person's row holds groups of random letters, or lines of digits that are a secret."""
    if not (has_sign(map_letters(json), LETTER_GROUPS) or may_hold_digit_lines(json)):
        return False
    pieces = GROUPS.findall(json)
    return any(piece[:4].isdigit() or is_random_groups(piece.replace(" ", "")) for piece in pieces) and _holds_structure(
        json, True
    )


def _holds_note(json: str, beginnings: set[str]) -> bool:
    """Whether a person's row holds a secret as the value of a label, or the key of a network; `beginnings` of names are in it."""
    return any(
        next(find_label_lines(text, beginnings), None) is not None or next(find_network_keys(text), None) is not None
        for text in read_strings(json, LEAST_NAMED)
        if " " in text or "\n" in text
    )


def _holds_structure(json: str, is_user: bool) -> bool:
    return any(next(find_structures(text, is_user), None) is not None for text in read_strings(json))


def _holds_seed_phrase(json: str, runs: Sequence[str]) -> bool:
    """Whether one of the runs of words in a row is a seed phrase."""
    return any(may_hold_seed_phrase(_ESCAPED_MARK.sub(" ", run), LEAST_SEED_WORDS) for run in runs) and any(
        next(find_seed_phrases(text), None) is not None for text in read_strings(json)
    )


def _holds_command(json: str, pieces: Sequence[str]) -> bool:
    """Whether a command that begins with one of the pieces holds a secret, or printed one."""
    return any(
        any(next(find(text), None) is not None for find in (find_command_secrets, find_command_answers, find_login_flags))
        for before, after in _cut_places(json, pieces)
        for text in ("".join(read_surroundings(before, after)),)
    )


def _cut_places(json: str, pieces: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the JSON around each command; of those that are written alike and close together only the first."""
    last: dict[str, int] = {}
    named = set(find_places(json, *pieces))
    piped = {json.rfind("|", max(0, place - PIPE_CHARS), place) for place in named}
    for place in sorted(named | piped - {-1}):
        command = _COMMAND_PLACE.match(json, place)
        if command and place >= last.get(command[0], 0):
            last[command[0]] = place + AROUND_CHARS // 2
            yield json[max(0, place - AROUND_CHARS) : place], json[place : place + AROUND_CHARS]


def _holds_table(json: str, pieces: Sequence[str]) -> bool:
    """Whether one of the pieces stands in the header of a table whose column holds secrets."""
    return any(_may_be_header(json, place) for place in find_places(json, *pieces)) and any(
        next(find_table_secrets(text), None) is not None for text in read_strings(json)
    )


def _may_be_header(json: str, place: int) -> bool:
    before, after = read_surroundings(json[max(0, place - BEFORE_HEADER) : place], json[place : place + AFTER_HEADER])
    return is_header_name(before + after, len(before))


def read_strings(json: str, least: int = LEAST_STRING) -> list[str]:
    """Return the strings of JSON, and the long names of its members; the JSON itself when it cannot be read."""
    try:
        value = orjson.loads(json)
        return [text for text in (*list_strings(value), *_list_long_names(value)) if len(text) >= least]
    except orjson.JSONDecodeError:
        return [json]


def _list_long_names(value: Any) -> Iterator[str]:
    """Yield the names of members that redaction searches."""
    if isinstance(value, dict):
        yield from (name for name in value if len(name) >= LEAST_NAME)
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _list_long_names(item)
