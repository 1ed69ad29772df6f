"""Whether what a text names is borne out by a source: names, paths, values with their unit, dates and quoted words.

`transforms.language.entities` finds specifics in order to keep them; here they are held against the evidence, so everything is
compared as a whole: `main.ts` does not stand in `main.tsx`, `153` not in `a1533f`, `10 min` not in `10 s`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.language.statement import number_of

_CODE = re.compile(r"`[^`\n]*`")
_PAIRS = {"“": "”", "„": "“", "«": "»", "‘": "’"}
_CLOSES = re.compile(r"[\w.,;:!?…)\]}'*%]")
_OPENS_AFTER = re.compile(r"[\s(\[{:=,—–/-]")
_NUMBER = re.compile(
    r"(?<![\w.])(?P<mark>[#v~$€±]?)(?P<value>\d(?:[\d_]|,(?=\d))*(?:\.\d+)*)(?:(?P<close>%|[a-zA-Z]{1,8})(?!\w)|(?!\w)(?:\s(?P<far>%|[a-zA-Z]{1,12}\b))?)"
)
_INSIDE = re.compile(r"(?<![0-9a-fA-F])\d+(?:\.\d+)*(?![0-9a-fA-F])")
_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])")
_MONTHS = {name: at // 2 + 1 for at, name in enumerate(re.findall(
    r"\w+", "january jan february feb march mar april apr may may june jun july jul august aug september sep october oct "
    "november nov december dec"))}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_OF_MONTH = re.compile(
    rf"\b(?:(?P<first>{_MONTH})\.?\s+(?P<day>\d{{1,2}})|(?P<before>\d{{1,2}})\.?\s+(?P<last>{_MONTH}))\b", re.I
)

Number = tuple[str, str]
"""A value and its unit ("" for none)."""


def quotations(text: str) -> list[str]:
    """What stands between quotation marks, however many are missing their partner: nested and empty ones are told apart.

    A mark opens where a word begins and closes where one ends; whatever it closes is the innermost open one. Single quotes count
    around two and more words.
    """
    plain = _CODE.sub(lambda span: span[0].replace('"', " ").replace("'", " "), text).replace('""', "  ")
    found: list[tuple[int, str]] = []
    waiting: list[tuple[int, str]] = []
    for at, mark in enumerate(plain):
        if mark not in "\"'“”„«»‘’":
            continue
        before, after = plain[at - 1 : at], plain[at + 1 : at + 2]
        partner = next((number for number in range(len(waiting) - 1, -1, -1) if mark in waiting[number][1]), None)
        closes = partner is not None and bool(_CLOSES.match(before)) and not (mark in "'’" and after.isalnum())
        if closes and partner is not None:
            start = waiting[partner][0] + 1
            del waiting[partner:]
            inner = plain[start:at]
            if mark not in "'’" or len(inner.split()) > 1:
                found.append((start, inner))
        elif mark in _PAIRS or (mark in "\"'" and after.strip() and (not before or _OPENS_AFTER.match(before))):
            waiting.append((at, _PAIRS.get(mark, mark) + mark))
    return [inner for _, inner in sorted(found) if inner.strip()]


def occurs(name: str, source: str) -> bool:
    """Whether a name stands in the source as a whole; both lower case."""
    left = r"(?<!\w)" if name[:1].isalnum() or name[:1] == "_" else ""
    right = r"(?!\w)" if name[-1:].isalnum() or name[-1:] == "_" else ""
    at = source.find(name)
    if at < 0:
        return False
    return bool(not (left or right) or re.compile(left + re.escape(name) + right).search(source, max(at - 1, 0)))


def numbers(text: str) -> Iterator[Number]:
    """Values with the unit behind them, in one notation: `5 minutes` and `5min` are the same."""
    yield from map(_number, _NUMBER.finditer(text))


def known_numbers(source: str) -> frozenset[Number]:
    """The numbers of a source, those inside of names (`utf8`, `claude-3-7`) without a unit; not the digits of a hash."""
    found = list(_NUMBER.finditer(source))
    taken = {match.start("value") for match in found}
    inside = {(match[0], "") for match in _INSIDE.finditer(source) if match.start() not in taken}
    return frozenset(map(_number, found)) | inside


def _number(match: re.Match[str]) -> Number:
    return number_of(match["mark"].strip("~±") + match["value"] + (match["close"] or ""), match["far"] or "")


def is_known(number: Number, known: frozenset[Number], bare: frozenset[Number]) -> bool:
    """Whether a number is among the known ones with its unit, or without one among `bare` (`ttl_seconds: 300` for "300 s").

    A version may be shortened (3.12 for 3.12.4).
    """
    value, unit = number
    if number in known:
        return True
    if unit:
        return (value, "") in bare and not any(other == value and its for other, its in known)
    return any(other == value or ("." in value and other.startswith(value + ".")) for other, _ in known)


def dates(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Written dates with their month and day."""
    found = [(match[0], (int(match[2]), int(match[3]))) for match in _ISO.finditer(text)]
    for match in _DAY_OF_MONTH.finditer(text):
        month = _MONTHS[(match["first"] or match["last"]).lower()]
        found.append((match[0], (month, int(match["day"] or match["before"]))))
    return found
