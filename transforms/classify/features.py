"""Features of a user entry for the learned classifiers: words, characters and form of the text, and how the agent's text ended.

Features are named, then hashed (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"), so that weights
are one array of a fixed size and any language and spelling has features. No feature depends on a project or an owner.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from transforms.patterns.late_pattern import compile_late
from transforms.words.sentence_marks import QUESTION_MARKS

BITS = 15
"""Feature slots are 2**BITS."""
HEAD_CHARS, TAIL_CHARS = 500, 200
"""Characters of a text whose words and characters count: owners state their wish first or last."""
CONTEXT_CHARS = 300
"""Characters at the end of the agent's text that count."""
GRAM_SIZES = (2, 3, 4)
FORM_WEIGHT = 2.0
"""Weight of a feature of form against one of words, of which a text has many more."""

_FEATURE_TOKEN = compile_late(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+|[?!.,:;]+")
ITEM_MARK = compile_late(r"^[^\S\n]*(?:[-*•]|\d{1,2}[.)])\s", re.M)
_HEADING_START = compile_late(r"^[^\S\n]*#{1,6} ", re.M)
_MENU = compile_late(r"^[^\S\n]*(?:\*\*)?(?:\d{1,2}[.)]|[A-Da-d][.)]|option \w)", re.M | re.I)
_CODE_TOKEN = compile_late(r"\w+\(\)|\b\w*[a-z][A-Z]\w*|\b\w+_\w+|\w+/\w+|\b\w+\.\w{1,4}\b|--\w+")
_CHAR_STEPS = (8, 20, 45, 90, 180, 400, 900)
_LINE_STEPS = (1, 3, 8, 20)

SparseVector = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]
"""Slots and values of the features that are not zero; values have unit length."""


def extract_features(text: str, before: str) -> dict[str, float]:
    """Return the named features of `text`, to which the agent's text `before` led (empty at the start of a session)."""
    features: dict[str, float] = {}
    for name in _list_word_features(_keep_ends(text).lower()):
        features[name] = 1.0
    for name in _list_gram_features(text[:HEAD_CHARS].lower()):
        features[name] = 0.5
    for name in _list_features_before(before[-CONTEXT_CHARS:].lower()):
        features[name] = 0.7
    for name, value in _list_form_features(text, before):
        if value:
            features[f"form:{name}"] = FORM_WEIGHT * value
    return features


def hash_features(features: Mapping[str, float]) -> SparseVector:
    """Return the features as slots and values of unit length; two features that share a slot add up."""
    slots = np.fromiter(map(zlib.crc32, map(str.encode, features)), np.int64, len(features)) & ((1 << BITS) - 1)
    values = np.fromiter(features.values(), np.float32, len(features))
    return slots, values / (np.linalg.norm(values) + np.float32(1e-9))


def _keep_ends(text: str) -> str:
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return f"{text[:HEAD_CHARS]} … {text[-TAIL_CHARS:]}"


def _list_word_features(text: str) -> Iterator[str]:
    words = _FEATURE_TOKEN.findall(text)
    yield from (f"word:{word}" for word in words)
    yield from (f"pair:{first} {second}" for first, second in pairwise(words))
    if words:
        yield f"first:{words[0]}"
        yield f"opening:{' '.join(words[:2])}"
        yield f"last:{words[-1]}"
    if len(words) <= 4:
        yield f"whole:{' '.join(words)}"


def _list_gram_features(text: str) -> Iterator[str]:
    padded = f" {' '.join(text.split())} "
    for size in GRAM_SIZES:
        yield from (f"gram:{padded[start : start + size]}" for start in range(len(padded) - size + 1))


def _list_features_before(before: str) -> Iterator[str]:
    words = _FEATURE_TOKEN.findall(before)
    yield from (f"before:{word}" for word in words[-30:])


def _list_form_features(text: str, before: str) -> Iterator[tuple[str, float]]:
    lines = [line for line in text.split("\n") if line.strip()]
    count, words = max(1, len(lines)), text.split()
    yield from ((f"longer than {limit}", float(len(text) > limit)) for limit in _CHAR_STEPS)
    yield from ((f"more lines than {limit}", float(len(lines) > limit)) for limit in _LINE_STEPS)
    yield "asks at its end", float(text.rstrip().endswith(QUESTION_MARKS))
    yield "question marks", min(2.0, sum(map(text.count, QUESTION_MARKS))) / 2
    yield "exclamation marks", min(2.0, text.count("!")) / 2
    yield "begins in lower case", float(text.lstrip()[:1].islower())
    yield "ends as a sentence", float(text.rstrip()[-1:] in {".", "!", "。"})
    yield "items", min(1.0, len(ITEM_MARK.findall(text)) / 4)
    yield "headings", min(1.0, len(_HEADING_START.findall(text)) / 2)
    yield "bold", min(1.0, text.count("**") / 4)
    yield "code marks", min(1.0, text.count("`") / 4)
    yield "identifiers", min(1.5, len(_CODE_TOKEN.findall(text)) / (len(words) + 1) * 4)
    yield "symbols", min(1.5, sum(map(text.count, "{}[]()=/\\_|$<>")) / (len(text) + 1) * 10)
    yield "typography", min(1.0, sum(map(text.count, "—–→“”’…⏺⎿│─❯✓✗✅❌⚠")) / (len(text) + 1) * 30)
    yield "capitalised lines", sum(line.strip()[:1].isupper() for line in lines) / count
    yield "indented lines", sum(line[:2] == "  " for line in lines) / count
    yield "line length", min(1.5, len(text) / count / 150)
    yield "comment first", float(text.lstrip().startswith(("<!--", "<")))
    yield "no agent before", float(not before.strip())
    yield "agent asked", float(before.rstrip().endswith(QUESTION_MARKS))
    yield "agent laid out options", float(len(_MENU.findall(before)) > 1)
