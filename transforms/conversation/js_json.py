"""JSON.stringify as JavaScript does it, byte for byte: key order, numbers, strings. pi's serializer and estimates need it.

Rules: ECMAScript Number::toString and SerializeJSONProperty.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import orjson

from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject
from transforms.tables.surrogates import LONE_SURROGATE
from transforms.tables.tokens import count_utf16_units

_ARRAY_INDEX = compile_late(r"0|[1-9][0-9]{0,9}")
_MAX_ARRAY_INDEX = 2**32 - 2


def stringify_as_javascript(value: Any) -> str:
    """Return the value as JSON without spaces, exactly as JavaScript prints it."""
    if isinstance(value, str):
        return quote_js_string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return format_js_number(value)
    if isinstance(value, list):
        return "[" + ",".join(stringify_as_javascript(item) for item in value) + "]"
    return "{" + ",".join(f"{quote_js_string(key)}:{stringify_as_javascript(item)}" for key, item in order_js_items(value)) + "}"


def count_js_units(value: Any) -> int:
    """Return the length of `js_stringify(value)` in UTF-16 units, without building that text where orjson gives the same.

    The order of members does not matter for the length, and orjson escapes the same characters.
    """
    if (type(value) is dict and _is_plain(value)) or _is_printed_alike(value):
        try:
            data = orjson.dumps(value)
        except (TypeError, orjson.JSONEncodeError):  # a lone surrogate
            return count_utf16_units(stringify_as_javascript(value))
        return len(data) if data.isascii() else count_utf16_units(data.decode())
    return count_utf16_units(stringify_as_javascript(value))


def _is_plain(members: JsonObject) -> bool:
    """Whether all members are texts and small whole numbers, as in most arguments of tools; needs no recursion."""
    for item in members.values():  # a generator here would cost more than the check
        kind = type(item)
        if kind is not str and kind is not bool and not (kind is int and -(2**53) < item < 2**53):
            return False
    return True


def _is_printed_alike(value: Any) -> bool:
    if isinstance(value, str) or value is None or isinstance(value, bool):
        return True
    if isinstance(value, int):
        return abs(value) < 2**53
    if isinstance(value, dict):
        return all(map(_is_printed_alike, value.values()))
    return isinstance(value, list) and all(map(_is_printed_alike, value))


def order_js_items(value: JsonObject) -> list[tuple[str, Any]]:
    """Return the members in JavaScript's order: array indices ascending, then the rest as written."""
    indices = [key for key in value if _ARRAY_INDEX.fullmatch(key) and int(key) <= _MAX_ARRAY_INDEX]
    if not indices:
        return list(value.items())
    first = sorted(indices, key=int)
    rest = [key for key in value if key not in set(indices)]
    return [(key, value[key]) for key in (*first, *rest)]


def quote_js_string(text: str) -> str:
    """Return a string literal: only quotes, backslashes, control characters and lone surrogates are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def format_js_number(number: int | float) -> str:
    """Return a number as an IEEE double in JavaScript's notation, null for one that is not finite."""
    try:
        double = float(number)
    except OverflowError:
        return "null"
    if not math.isfinite(double):
        return "null"
    if double == 0:
        return "0"
    sign, digit_tuple, exponent = Decimal(repr(double)).as_tuple()
    digits = "".join(map(str, digit_tuple)).rstrip("0") or "0"
    point = len(digit_tuple) + int(exponent)  # the decimal point stands before this digit
    return ("-" if sign else "") + _place_point(digits, point)


def _place_point(digits: str, point: int) -> str:
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{mantissa}e{point - 1:+d}"
