"""Cuts an answer out of the words around it, and closes one that was cut off, so that what stands in it whole can be read."""

from __future__ import annotations

import json

import orjson
from pydantic_core import from_json

from transforms.model_answers.answer_xml import strip_fences
from transforms.patterns.late_pattern import compile_late

_CLOSED = ("facts", "segment", "observations")
"""Elements of the plain form that a cut answer leaves open, from the inside."""
_OBJECT = compile_late(r"\{\s*\"")
"""The beginning of an object; a brace in prose has no name in quotation marks behind it."""
_OF_NUMBERS = "0123456789.eE+-"
"""Signs of a number: where an answer ends in one, more of its digits may have been due, and half a citation is another one."""


def cut_out_object(text: str) -> str:
    """Return the first JSON object of a text; empty when there is none that ends."""
    start = _find_object(text)
    try:
        return text[start : json.JSONDecoder().raw_decode(text, start)[1]] if start >= 0 else ""
    except (ValueError, RecursionError):
        return ""


def close_answer(form: str, raw: str) -> str:
    """Return an answer in `json` or `xml` with its open ends closed; empty when nothing of it can be read.

    What was being written when it ended is left out: half a sentence is another one.
    """
    return _close_elements(raw) if form == "xml" else _close_object(raw)


def _close_object(raw: str) -> str:
    start = _find_object(raw)
    if start < 0:
        return ""
    try:
        return orjson.dumps(from_json(raw[start:].rstrip(_OF_NUMBERS), allow_partial=True)).decode()
    except (ValueError, orjson.JSONEncodeError):  # no JSON, or with more behind it
        return ""


def _find_object(text: str) -> int:
    begun = _OBJECT.search(text)
    return begun.start() if begun else text.find("{")


def _close_elements(raw: str) -> str:
    whole_lines = strip_fences(raw).rpartition("\n")[0]
    start = whole_lines.find("<observations")
    if start < 0:
        return ""
    body = whole_lines[start:]
    is_open = [name for name in _CLOSED if body.rfind(f"<{name}") > body.rfind(f"</{name}>")]
    return "\n".join([body, *(f"</{name}>" for name in is_open)])
