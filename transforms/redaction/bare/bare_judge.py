"""Judges values that may be secrets although no name of one stands near: a logistic regression over form, place and words around.

Only what a person typed and what an agent wrote is judged: outputs and files are full of ids that look the same. The weights are
in `bare_weights.py`, which `benchmarks/learning/bare_secrets.py` writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import mul

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.bare.bare_weights import CONSTANTS, FORM_WEIGHTS, PACKED_SLOTS, SLOT_SCALE, TYPED_WEIGHTS
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.bare.value_tokens import (
    CODE_TOKEN,
    HEX,
    LEAST_TOKEN,
    cut_line,
    find_flag,
    find_key_before,
    hash_name,
    name_words,
    split_name,
    split_token,
    unpack_slots,
    write_shape,
)
from transforms.redaction.context import lower_keeping_length
from transforms.redaction.named_values import is_id
from transforms.redaction.names.introductions import is_introduced
from transforms.redaction.value_judge import describe_value

LEAST_ODDS, LEAST_TYPED_ODDS = 3.0, 2.5
"""Log-odds from which a value is a secret: one that an agent wrote, and one that a person typed."""
MOST_OF_PLACE, MOST_OF_TYPED_PLACE = 7.0, 10.0
"""What place and words add to the log-odds in most texts; a value whose form is further below is not looked at.
The form of a random token of 24 letters and digits has -7 to -1 in a person's words, and "use this:" adds 13."""
_SLOT_WEIGHTS = unpack_slots(PACKED_SLOTS, SLOT_SCALE)
LEAST_VALUE, MOST_VALUE = 5, 160

_TOKEN = compile_late(r"[!#$%&*+\-./0-9:=?@A-Z^_a-z~À-ſ]{4,600}")
_PROMPT = compile_late(r"^\s*(?:\S*[$#>] )?(?:sudo )?([A-Za-z][\w.-]{1,24})\b")
_PLAIN = compile_late(
    r"(?:v?\d+(?:\.\d+)+[\w.+-]*|[\d.,:+\-/%xT]+[a-zA-Z]{0,3}|\d{4}-\d\d-\d\d.*|[\w.-]+\.(?:[a-z]{2,5}|mp[34]|h5|7z|rs|sh|d)(?::\d+)*|[A-Za-z]+\d{1,2})\Z"
)
_MADE_ID = compile_late(
    r"[a-z]{2,12}_01[A-Za-z0-9]{20,}\Z|\d+m[\d.]+s\Z|[A-Z]\d+k\Z|[0-9a-f]{7,40}\.\.+[0-9a-f]{7,40}\Z|[\w-]+\.sqlite3?\Z"
)
"""Ids with a time in them, durations, sizes, ranges of commits, files."""
_OTHER = compile_late(
    r"\d+\*|0[ox]\w+\Z|[\w]*(?:msg|req|tooluse|toolu)_\w+\Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z|[0-9a-fA-F]+\Z|[&+][A-Za-z]"
    r"|(?:[a-z]+|[a-zA-Z]\d[a-zA-Z])(?:[-_.](?:[a-z]+|[a-zA-Z]\d[a-zA-Z]))*[?!*]*\Z|[A-Z0-9]+(?:_[A-Z0-9]+)+\Z"
    r"|[a-z]{2,}(?:-[a-z]{2,})+-\d{1,2}[?!]*\Z|[a-z]+\d{0,2}(?:_[a-z]+\d?)+\Z|(?:[a-z]+_){2,}[a-z]+\d{0,2}\Z|[A-Za-z]+-\d+(?:\.\d+)*\+?\Z|\d{1,2}m[A-Z]|\d{1,3}-[A-Z]|[a-z]+\d[a-z]*\.[A-Za-z]+\Z"
)
"""Products, octal numbers, ids of messages, UUIDs, hashes, names (`test-e2e-binary`), counted ones (`feat-search-2`), variables,
licences, colours."""
_PART_NUMBER = compile_late(r"(?:[a-z]{2,3}|[A-Z]{2,3})\d{2,5}(?:[A-Za-z]{1,2}|[A-Za-z]\d{1,3})?\Z")
"""Chips and boards by their makers' letters and a number (`nrf52840`, `stm32h743`, `MCP2515`): too little for a secret."""
_CAMEL_NAME = compile_late(r"[a-z]+\d*(?:[A-Z][a-z]{2,}\d{0,2})+\Z|(?:[A-Z][a-z]{2,}\d{0,3}){2,}\Z(?<!\d\d)")


@dataclass(frozen=True, slots=True)
class BareValue:
    """A value in its text, and the name right before it: of an assignment, a parameter of an address, or a flag."""

    start: int
    end: int
    key: str
    is_in_address: bool


def find_bare_secrets(text: str, is_user: bool, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets without a name begin and end in a text, and their family; those that begin from `start` to `end`."""
    for value in list_bare_values(text, start, end):
        least = LEAST_TYPED_ODDS if is_user else LEAST_ODDS
        word = text[value.start : value.end]
        if (
            _weigh_form(word, is_user) + (MOST_OF_TYPED_PLACE if is_user else MOST_OF_PLACE) > least
            and judge_bare(text, value, is_user) > least
            and not (is_public_name(word) and not is_introduced(text, value.start, value.end, lower_keeping_length(text)))
        ):
            yield value.start, value.end, "password" if len(word) < LEAST_TOKEN else "token"


def judge_bare(text: str, value: BareValue, is_user: bool) -> float:
    """Return the log-odds that a value is a secret."""
    form = _describe_form(text[value.start : value.end])
    place, slots = describe_bare(text, value, is_user)
    odds = CONSTANTS[0] + sum(map(mul, (*form, *place), FORM_WEIGHTS)) + sum(_SLOT_WEIGHTS[slot] for slot in slots)
    return float(odds + (CONSTANTS[1] + sum(map(mul, (*form, *place), TYPED_WEIGHTS)) if is_user else 0.0))


def may_be_secret(word: str, is_user: bool) -> bool:
    """Whether a word of raw JSON has a form that may be a secret's in some place."""
    least = LEAST_TYPED_ODDS - MOST_OF_TYPED_PLACE if is_user else LEAST_ODDS - MOST_OF_PLACE
    return any(_weigh_form(word[value.start : value.end], is_user) > least for value in list_bare_values(word))


@lru_cache(maxsize=16384)
def _weigh_form(word: str, is_user: bool) -> float:
    """Return the part of the log-odds that a value has in any place."""
    form = _describe_form(word)
    odds = (
        CONSTANTS[0]
        + sum(map(mul, form, FORM_WEIGHTS))
        + sum(_SLOT_WEIGHTS[slot] for slot in hash_names(name_form(word, is_user)))
    )
    return float(odds + (CONSTANTS[1] + sum(map(mul, form, TYPED_WEIGHTS)) if is_user else 0.0))


@lru_cache(maxsize=2048)
def _describe_form(word: str) -> tuple[float, ...]:
    """Return the features of a value alone: its form is weighed first, then the value in its place."""
    return describe_value(word)


def list_bare_values(text: str, start: int = 0, end: int | None = None) -> Iterator[BareValue]:
    """Yield the values of a text that may be secrets by their form; words and numbers count in few places only."""
    for token in _TOKEN.finditer(text, start, len(text) if end is None else end):
        for first, last, key, is_in_address in split_token(token[0]):
            value, at = token[0][first:last], token.start() + first
            if (is_in_address or LEAST_VALUE <= len(value) <= MOST_VALUE) and _may_be_secret(value):
                yield BareValue(at, token.start() + last, key or find_key_before(text, at), is_in_address)


def _may_be_secret(value: str) -> bool:
    """Whether a value has a digit and is no number, code, hash, id or name."""
    if not any(map(str.isdigit, value)) or not any(map(str.isalpha, value)):
        return False
    return not (
        CODE_TOKEN.search(value)
        or _OTHER.match(value)
        or _PLAIN.match(value)
        or is_id(value)
        or _PART_NUMBER.match(value)
        or _CAMEL_NAME.match(value)
        or _MADE_ID.match(value)
    )


def name_form(word: str, is_user: bool) -> list[str]:
    """Return the names of the slots of a value's form: its shape and its length."""
    shape = f"s={write_shape(word)}"
    return [shape, f"z={min(len(word), 24)}", *([f"t{shape}"] if is_user else [])]


def hash_names(names: list[str]) -> set[int]:
    """Return the slots of names."""
    return {hash_name(name) for name in names}


def describe_bare(text: str, value: BareValue, is_user: bool) -> tuple[tuple[float, ...], set[int]]:
    """Return the features of the place of a value, and the slots of its form and of the words around it."""
    word = text[value.start : value.end]
    line_start, line_end = cut_line(text, value.start, value.end)
    before, behind = text[line_start : value.start], text[value.end : line_end]
    above = text[max(0, line_start - 1 - 120) : max(0, line_start - 1)].rsplit("\n", 1)[-1]
    size = len(word)
    place = (
        is_user, value.is_in_address, not before.strip(" \t>|*-"), not behind.strip(" \t|*."), bool(value.key),
        text.count(word, max(0, value.start - 300), value.end + 300) > 1, size < 6, bool(HEX.match(word)),
        bool(HEX.match(word)) and size in (7, 8, 32, 40, 64), before.endswith(('"', "'", "`")), before.endswith(("/ ", ": ")),
    )  # fmt: skip
    names, key_parts, flag = name_words(before, behind, above), split_name(value.key), find_flag(before)
    names += [f"k={part[:8]}" for part in key_parts] + ([f"K={key_parts[-1]}"] if key_parts else [])
    if flag:
        names += [f"f={flag}"]
    if command := _PROMPT.match(before):
        names += [f"c={command[1].lower()}", f"cf={command[1].lower()}{flag}"]
    names += [f"t{name}" for name in names if name[0] in "pbaqn"] if is_user else []
    return tuple(map(float, place)), hash_names(names + name_form(word, is_user))
