"""Judges values in outputs and files that no name tells: a logistic regression over form, place, words and values around.

Outputs are full of ids that look like secrets. What tells them apart is their name, that many of the same kind stand together,
and the forms of public keys and hashes. The weights are in `printed_weights.py`, which `benchmarks/learning/printed_secrets.py`
writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from operator import mul

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.bare.printed_values import (
    PrintedValue,
    ValueBlock,
    cut_blocks,
    name_kind,
    scale_count,
    split_printed,
)
from transforms.redaction.bare.printed_weights import CONSTANT, PACKED_SLOTS, SLOT_SCALE, WEIGHTS
from transforms.redaction.bare.value_tokens import (
    HEX,
    LEAST_TOKEN,
    MOST_WORDS,
    cut_line,
    find_flag,
    hash_name,
    name_words,
    split_name,
    split_words,
    unpack_slots,
    write_shape,
)
from transforms.redaction.value_judge import MEAN_SURPRISE, RANDOMNESS, describe_value

LEAST_ODDS, MOST_OF_PLACE = 3.5, 3.5
"""Log-odds from which a value is a secret; what its place adds at most, so that most values are told by their form alone."""
MOST_OF_WORDS = 3.5
"""What the words around a value add at most."""
MOST_DISTINCT, MOST_OF_KIND = 24, 20
"""Different values of a block, and values of one kind in it: where more stand together they are ids."""

FORM_SIZE = len(describe_value("value"))
_SLOT_WEIGHTS = unpack_slots(PACKED_SLOTS, SLOT_SCALE)
_SETTING = compile_late(
    r"(?m)^\s{0,20}(?:- |export |set |define\( ?)?[\"']?[A-Za-z_][\w.\-/ ]{0,40}[\"']?\s{0,20}(?:[:=]|=>)\s{0,20}\S"
)
_PROMPT = compile_late(r"(?m)^(?:[\w@.:~/\-\[\]]{0,40}[$#>%] |PS [^\n>]{0,40}> )([^\n]{1,120})")


def find_printed_secrets(text: str, blocks: Iterable[tuple[int, int]] | None = None) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets without a name begin and end in an output or a file, and their family.

    With `blocks` only these of its blocks are judged.
    """
    for start, end in cut_blocks(text) if blocks is None else blocks:
        block = ValueBlock(text, start, end)
        for value in block.values if len(block.words) <= MOST_DISTINCT else ():
            word = text[value.start : value.end]
            may_be_secret = weigh_form(word) + MOST_OF_PLACE > LEAST_ODDS and block.kinds[name_kind(word)] <= MOST_OF_KIND
            if may_be_secret and judge_printed(block, value) > LEAST_ODDS:
                yield value.start, value.end, "password" if len(word) < LEAST_TOKEN else "token"


def judge_printed(block: ValueBlock, value: PrintedValue) -> float:
    """Return the log-odds that a value is a secret; without the words around it when they cannot be enough."""
    line = cut_line(block.text, value.start, value.end)
    place = describe_place(block, value, line)
    odds = weigh_form(block.text[value.start : value.end]) + sum(map(mul, place, WEIGHTS[FORM_SIZE:]))
    if odds + MOST_OF_WORDS <= LEAST_ODDS:
        return float(odds)
    return float(odds + sum(_SLOT_WEIGHTS[slot] for slot in hash_place(block, value, line)))


def list_possible_secrets(word: str) -> list[str]:
    """Return the values in a word whose form may be a secret's in some place."""
    values = [word[start:end] for start, end, _, _ in split_printed(word)]
    return [value for value in values if weigh_form(value) + MOST_OF_PLACE > LEAST_ODDS]


@lru_cache(maxsize=1 << 15)
def weigh_form(word: str) -> float:
    """Return the part of the log-odds that a value has in any place."""
    odds = CONSTANT + sum(map(mul, describe_form(word), WEIGHTS))
    return float(odds + sum(_SLOT_WEIGHTS[slot] for slot in hash_form(word)))


@lru_cache(maxsize=1 << 13)
def describe_form(word: str) -> tuple[float, ...]:
    """Return the features of the form of a value."""
    return describe_value(word)


def hash_form(word: str) -> list[int]:
    """Return the slots of the form of a value."""
    return [hash_name(name) for name in (f"s={write_shape(word)}", f"z={min(len(word), 70)}", f"x={word[:3]}")]


def hash_place(block: ValueBlock, value: PrintedValue, line: tuple[int, int]) -> list[int]:
    """Return the slots of the words in the line of a value, in those around it, of its name and of the command."""
    text = block.text
    before, behind = text[line[0] : value.start], text[value.end : line[1]]
    above, below = text[max(0, line[0] - 240) : max(0, line[0] - 1)].split("\n"), text[line[1] + 1 : line[1] + 200].split("\n")
    names = {*name_words(before, behind, above[-1]), *_name_key(value.key, text[value.start : value.end])}
    names.update(f"L={near[:7]}" for near in split_words(" ".join(above[-3:])))
    names.update(f"M={near[:7]}" for near in split_words(below[0]))
    if flag := find_flag(before):
        names.add(f"f={flag}")
    words = split_words(_find_command(block, value.start))[:MOST_WORDS]
    names.update(f"c={near[:7]}" for near in words)
    names.update(f"c0={near}" for near in words[:1])
    return [hash_name(name) for name in sorted(names)]


def describe_place(block: ValueBlock, value: PrintedValue, line: tuple[int, int]) -> tuple[float, ...]:
    """Return the features of the place of a value in its line and block, and crosses with how random the value is."""
    text = block.text
    word, before, behind = text[value.start : value.end], text[line[0] : value.start], text[value.end : line[1]]
    near = text[max(block.start, line[0] - 300) : min(block.end, line[1] + 300)]
    settings = len(_SETTING.findall(near)) / (near.count("\n") + 1)
    is_hex, has_key = HEX.match(word) is not None, bool(value.key)
    same, of_key = block.kinds[name_kind(word)] - 1, block.keys[value.key] - 1 if has_key else 0
    is_alone = not before.strip(" \t>|*-\"'`,[") and not behind.strip(" \t|*.\"'`,;]")
    is_short, has_placeholder = block.end - block.start < 1500, "[redacted:" in near
    form = describe_form(word)
    mean, random = form[MEAN_SURPRISE], form[RANDOMNESS]
    has_command = _PROMPT.search(text, block.start, value.start) is not None
    distinct = len(block.words)
    return (
        value.is_in_address, not before.strip(" \t>|*-"), not behind.strip(" \t|*."), has_key, is_alone, block.words[word] > 1,
        is_hex, is_hex and len(word) in (32, 40, 64), before.endswith(('"', "'", "`")), scale_count(same), same > 2, same > 9,
        scale_count(of_key), of_key > 1, scale_count(distinct), distinct > 12, settings, has_placeholder, block.placeholders > 0,
        scale_count(block.placeholders), scale_count((block.end - block.start) / 500), has_command, has_key * mean,
        is_alone * mean, has_placeholder * mean, scale_count(same) * mean, has_key * random, is_alone * random, is_short,
        is_short * random, settings * random, (settings > 0.5) * has_key, is_hex * has_key * (settings > 0.4),
        is_hex * scale_count(distinct), scale_count((line[1] - line[0]) / 20), line[1] - line[0] > 300,
    )  # fmt: skip


def _name_key(key: str, word: str) -> list[str]:
    parts = split_name(key)
    return [*(f"k={part[:8]}" for part in parts), *(f"K={part}{end}" for part in parts[-1:] for end in ("", name_kind(word)[0]))]


def _find_command(block: ValueBlock, position: int) -> str:
    """Return the command behind the last prompt of a block before a place."""
    command = ""
    for prompt in _PROMPT.finditer(block.text, block.start, position):
        command = prompt[1]
    return command
