"""Judges whether a value near the name of a secret is one: a small logistic regression over its form and its surroundings.

The weights and the table of how letters follow each other in ordinary text are in `transforms/redaction/judge_weights.py`, which
`benchmarks/learning/secrets.py` writes.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from operator import mul

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.judge_weights import PACKED_TABLE, VALUE_WEIGHTS
from transforms.redaction.named_values import SECRET_NAMES, NamedValue
from transforms.redaction.value_forms import CODE_NAME, compute_entropy, is_harmless

Pairs = list[list[float]]

CLASSES = tuple(SECRET_NAMES)
_HEX_DIGITS = compile_late(r"(?:[0-9a-f]+|[0-9A-F]+)$")
_UUID = compile_late(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_NUMBER_LIKE = compile_late(r"[\d.,:+\-/%xT]+[a-zA-Z]{0,3}$")
_VERSION = compile_late(r"[v^~]?\d+(?:\.\d+)+[\w.+-]*$")
_EXTENSION = compile_late(r"\.[A-Za-z]{1,5}(?::\d+)*$")
_WORDY = compile_late(r"[A-Za-z]{3,}")
_SMALL_WORD = compile_late(
    r"(?i)\b(?:is|ist|es|est|jest|was|war|to|auf|now|jetzt|new|neu|be|are|lautet|=|ahora|agora|teraz|adesso)\b"
)
_CLASS_RUN = compile_late(rb"l+|u+|d+|m+")
_NAME_MARKS = compile_late(r"[^A-Za-z0-9_.$:?]")
_NAME_RUN = compile_late(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
LEAST_WORD, LEAST_IN_WORDS, MOST_IN_DIGITS, MOST_NAME_SURPRISE = 3, 0.7, 0.35, 5.2
"""Letters of a word in the name of a program's thing, the share of its letters in words, the share of its characters that are
digits, and the bits by which its letters surprise."""
MOST_JUDGED = 64
_ALNUM = compile_late(r"[^\W_]+")
STRONG_MARKS = frozenset("!#$%&*?@^~+=")
_PREVIOUS = {'"': 0, "'": 0, "`": 1, "=": 2, ":": 3, " ": 4, "\n": 5, "\t": 4, ">": 6, "|": 7, "(": 8, "": 5}
_CHAR_BEHIND = {
    '"': 0,
    "'": 0,
    "`": 1,
    "\n": 2,
    "": 2,
    " ": 3,
    ",": 4,
    ";": 5,
    "(": 6,
    ")": 7,
    "]": 8,
    "<": 9,
    ".": 10,
    "[": 11,
    "{": 12,
}


MEAN_SURPRISE, TOP_SURPRISE, RANDOMNESS, IS_HEX, HAS_EXTENSION, IS_NAME, HAS_MARK, IS_MIXED, IS_MANIFOLD = (
    17, 18, 20, 25, 32, 33, 45, 54, 55,
)  # fmt: skip
"""Places in `describe_value` of features that are crossed with others. Mixed: digits and letters of both cases; manifold: two
digits or more beside other characters."""
BETWEEN, SOME_WORDS, MANY_WORDS, SAME_LINE, HAS_VERB, IS_NEAREST, RIGHT_BEHIND, RIGHT_BELOW = 0, 4, 5, 6, 11, 12, 27, 28
"""Places in `describe_surroundings` of features that are crossed with those of the value."""


def compute_surprise(value: str, pairs: Pairs | None = None) -> tuple[float, float]:
    """Return the mean surprise of the letters of a value in bits, and that of its most surprising half.

    `pairs` are the bits of each letter behind another; without them those of `judge_weights`.
    """
    pairs = _PAIR_WEIGHTS if pairs is None else pairs
    codes = ("\x1f" + value).encode("latin-1", "replace").translate(_CODES)
    bits = sorted([pairs[first][second] for first, second in pairwise(codes)])
    top = bits[len(bits) // 2 :]
    return sum(bits) / len(bits), sum(top) / len(top)


def count_name_words(value: str, pairs: Pairs | None = None) -> int:
    """Return how many words a value with digits has that reads like a name in code (`OAuth2TokenAuth`, `keys_int64s`), up to two;
    0 for one that does not."""
    runs = [] if _NAME_MARKS.search(value) else _NAME_RUN.findall(value)
    letters = sum(len(run) for run in runs if run.isalpha())
    words = [run for run in runs if run.isalpha() and len(run) >= LEAST_WORD]
    digits = len(value) - letters - sum(not char.isalnum() for char in value)
    if not words or sum(map(len, words)) < LEAST_IN_WORDS * letters or digits > MOST_IN_DIGITS * len(value):
        return 0
    spelled = "".join(char for char in value if not char.isdigit()).lower()
    return min(len(words), 2) if compute_surprise(spelled, pairs)[0] <= MOST_NAME_SURPRISE else 0


def describe_value(value: str, pairs: Pairs | None = None) -> tuple[float, ...]:
    """Return the features of a value alone, of its first MOST_JUDGED characters."""
    value, whole = value[:MOST_JUDGED], len(value)
    size = len(value)
    letters = value.encode("ascii", "replace").translate(_KINDS)
    if value.isascii():
        digits, upper, lower = letters.count(b"d"), letters.count(b"u"), letters.count(b"l")
    else:
        digits, upper, lower = (sum(map(test, value)) for test in (str.isdigit, str.isupper, str.islower))
    marks = size - digits - upper - lower
    kinds = (digits > 0) + (upper > 0) + (lower > 0) + (marks > 0)
    mean, top = compute_surprise(value, pairs)
    words = _WORDY.findall(value)
    longest = max(map(len, words), default=0)
    is_hex = bool(_HEX_DIGITS.match(value)) and digits > 0
    is_identifier = bool(CODE_NAME.match(value))
    has_slash = "/" in value
    inner_marks = sum(char in STRONG_MARKS for char in value)
    random = max(0.0, mean - 5.0) * min(size, 40) / 20
    return (
        min(size, 40) / 40, size < 8, 8 <= size < 12, 12 <= size < 20, 20 <= size < 32, size >= 32, whole > 80,
        digits / size, upper / size, lower / size, marks / size, kinds == 1, kinds == 2, kinds == 3, kinds == 4,
        (len(_CLASS_RUN.findall(letters)) - 1) / size, compute_entropy(value) / max(1.0, math.log2(size)),
        mean / 6, top / 8, max(0.0, mean - 5.5), random,
        longest / size, (longest >= 4), len(words) >= 2, len(words) >= 3,
        is_hex, is_hex and size in (32, 40, 64, 128), is_hex and size < 16, bool(_UUID.match(value)),
        digits == size, bool(_NUMBER_LIKE.match(value)), bool(_VERSION.match(value)), bool(_EXTENSION.search(value)),
        is_identifier, has_slash, has_slash and value.count("/") >= 2, value.startswith(("/", "./", "~/", "../", "@")),
        "://" in value,
        "." in value, value.count(".") >= 2, "-" in value, "_" in value, ":" in value, "=" in value.rstrip("="),
        is_harmless(value), inner_marks > 0, inner_marks > 1, value[-1] in STRONG_MARKS, value[0] in "$%<{#-&@",
        "@" in value and "." in value.rpartition("@")[2], value.endswith("="), value.isalpha() and value.islower(),
        value.isalpha(), value.isupper() and marks > 0, digits > 0 and upper > 0 and lower > 0,
        digits >= 2 and kinds >= 2 and not is_hex,
        not value.isascii(), "..." in value or "…" in value, "\\" in value, "--" in value,
    )  # fmt: skip


def describe_form(value: str, pairs: Pairs | None = None) -> tuple[float, ...]:
    """Return the features of a value alone, and whether it is called like a thing in code, with a digit at its end or not."""
    words, ends_in_digit = count_name_words(value[:MOST_JUDGED], pairs), value[:MOST_JUDGED][-1].isdigit()
    return (*describe_value(value, pairs), words == 2, words == 2 and ends_in_digit)


def find_marks(text: str, near: NamedValue) -> tuple[int, int]:
    """Return the features of the characters before and behind a value."""
    previous, following = text[near.start - 1 : near.start], text[near.end : near.end + 1]
    return _PREVIOUS.get(previous, 9), 10 + _CHAR_BEHIND.get(following, 13)


def describe_surroundings(text: str, near: NamedValue) -> list[float]:
    """Return the features of the name and of the text between it and the value."""
    between = text[near.name_end : near.start]
    name = text[near.name_start : near.name_end]
    words = len(_ALNUM.findall(between))
    lines = between.count("\n")
    before = text[near.name_start - 1 : near.name_start]
    has_colon, has_equals = ":" in between, "=" in between or near.start == near.name_end
    return [
        min(len(between), 110) / 110, words == 0, words == 1, words == 2, words >= 3, words >= 6,
        lines == 0, lines == 1, lines >= 2, has_colon, has_equals, bool(_SMALL_WORD.search(between)),
        near.rank == 0, near.rank == 1, near.rank == 2, near.rank >= 3,
        before.isalnum() or before in ("_", "-"), len(name) > 12, name.isupper(), name[:1].isupper() and not name.isupper(),
        '"' in between or "'" in between, "|" in between, "(" in between, "," in between, ";" in between,
        "{" in between, "." in between,
        lines == 0 and words == 0, lines == 1 and words == 0,
        before == "-" and "--" in text[max(0, near.name_start - 20) : near.name_start],
    ]  # fmt: skip


def exceeds_odds(text: str, near: NamedValue, least: float) -> bool:
    """Return whether the log-odds that a value is a secret exceed `least`; for most values their form alone tells that none is.

    They are the product of the weights with the features that `describe_place` of `benchmarks/learning/secrets.py` writes out.
    """
    own, by_place, best = _weigh_value(text[near.start : near.end], CLASSES.index(near.name))
    odds = own + _weigh_marks(text, near)
    if odds + best + by_place[RANKS + min(near.rank, 3)] <= least:
        return False
    return odds + _multiply(by_place, describe_surroundings(text, near)) > least


def _multiply(weights: Sequence[float], features: Sequence[float]) -> float:
    """Return the scalar product."""
    return float(sum(map(mul, weights, features)))


@lru_cache(maxsize=16384)
def _weigh_value(value: str, kind: int) -> tuple[float, tuple[float, ...], float]:
    """Return the log-odds of a value itself, the weight of each feature of its place, and the most that these can add.

    Some features are products of one of the value and one of the place, so that a place weighs more for a random value.
    """
    form = describe_form(value)
    mixed, random, strange = form[IS_MIXED], form[RANDOMNESS], form[TOP_SURPRISE]
    cross, more = _WEIGHTS[_CROSSES + 12 * kind :], _WEIGHTS[_CROSSES + 12 * len(CLASSES) :]
    own = _WEIGHTS[0] + _multiply(form, _WEIGHTS[1 : 1 + len(form)]) + _WEIGHTS[1 + len(form) + kind]
    own += _multiply(cross[:4], (mixed, random, strange, form[IS_MANIFOLD]))
    own += _multiply(cross[8:12], (form[HAS_EXTENSION], form[IS_NAME], form[IS_HEX], form[HAS_MARK]))
    places = _WEIGHTS[_PLACES : _PLACES + PLACE_FEATURES]
    places[BETWEEN] += cross[4]
    places[IS_NEAREST] += cross[5] + more[0] * random
    places[RIGHT_BEHIND] += cross[6] + more[1] * mixed + more[4] * strange
    places[RIGHT_BELOW] += cross[7] + more[2] * mixed + more[3] * strange
    places[SOME_WORDS] += more[5] * random + more[6] * strange
    places[HAS_VERB] += more[7] * strange + more[8] * mixed
    places[SAME_LINE] += more[9] * strange
    places[MANY_WORDS] += more[10] * strange
    alone = sum(max(0.0, weight) for place, weight in enumerate(places) if not any(place in group for group in _EXCLUSIVE))
    best = alone + sum(max(0.0, *(places[place] for place in group)) for group in _EXCLUSIVE if group[0] != RANKS)
    return own, tuple(places), best


def _weigh_marks(text: str, near: NamedValue) -> float:
    """Return the weights of the characters before and behind a value."""
    previous, following = find_marks(text, near)
    return _WEIGHTS[_MARKS_AT + previous] + _WEIGHTS[_MARKS_AT + following]


def unpack_table(packed: str) -> Pairs:
    """Return the bits by which each letter surprises behind another, from a table as text: a sixteenth of a bit each."""
    sixteenths = base64.b85decode(packed)
    return [[bits / 16 for bits in sixteenths[start : start + 96]] for start in range(0, 96 * 96, 96)]


_CODES = bytes(95 if code < 31 or code > 126 else code - 31 for code in range(256))
_KINDS = bytes(ord("d" if chr(code).isdigit() else "u" if chr(code).isupper() else "l" if chr(code).islower() else "m")
               if code < 128 else ord("m") for code in range(256))  # fmt: skip
PLACE_FEATURES, MARK_FEATURES, NAME_FEATURES, RANKS = 30, 24, 2, IS_NEAREST
"""How many features surroundings, marks and names in code have, and the first one of the ranks."""
_EXCLUSIVE = ((1, 2, 3, 4), (6, 7, 8), tuple(range(RANKS, RANKS + 4)), (RIGHT_BEHIND, RIGHT_BELOW))
"""Features of the surroundings of which one is set at most."""
_PAIR_WEIGHTS = unpack_table("".join(PACKED_TABLE)) if PACKED_TABLE else [[1.0] * 96 for _ in range(96)]
_WEIGHTS = list(VALUE_WEIGHTS)
_PLACES = 1 + len(describe_value("value")) + NAME_FEATURES + len(CLASSES)
_MARKS_AT = _PLACES + PLACE_FEATURES
_CROSSES = _MARKS_AT + MARK_FEATURES
