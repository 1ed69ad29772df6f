"""Writes `transforms/calendars/calendar_words.py`: how 32 languages tell spans of days, from CLDR and num2words.

    pip install num2words==0.5.14 --target FOLDER && PYTHONPATH=FOLDER python -m benchmarks.distil.calendars

dateparser (which Prefect brings) has CLDR's units, patterns and names of relative days as tables. A night reads them and not the
library: its import takes a second, and it does not read "hace once días". num2words spells the numbers from 1 to 12; nothing
that is installed needs it, so it stays out of the lock.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from typing import Any

from benchmarks.arguments import ROOT
from transforms.language.sentences import split_words

MODULE = ROOT / "transforms" / "calendars" / "calendar_words.py"
LANGUAGES = tuple(
    "bg ca cs da de el es et fi fr gl hr hu id it ja ko lt lv nb nl pl pt ro ru sk sl sv tr uk vi zh".split()  # noqa: SIM905
)
UNSPACED = {"ja", "ko", "zh"}
SPELLED_AS = {"nb": "no", "zh": "ja"}
"""Languages whose numbers num2words has under another name; Chinese writes the same characters as Japanese."""
UNITS = ("day", "week", "month", "year")
MOST = 12
WIDTH = 115
HEAD = '''"""How languages tell spans of days and the days before today.

Written by `benchmarks/distil/calendars.py` from CLDR and num2words. Of each language: the numbers from 1 to 12; the units day,
week, month and year; what stands around a span that is past, and around one that is to come (`#` is the span); words for
yesterday and the day before; this week, month and year; the last ones. "/" separates
wordings, "|" places of the list, blanks words.
"""

CALENDAR_WORDS: dict[str, tuple[str, str, str, str, str, str, str]] = {
'''


def main() -> int:
    """Write the module."""
    lines = [HEAD]
    for language in LANGUAGES:
        lines.append(f'    "{language}": (\n')
        lines += [write_line(part) for part in describe_calendar(language, spell_numbers(language))]
        lines.append("    ),\n")
    MODULE.write_text("".join([*lines, "}\n"]), encoding="utf-8")
    return 0


def write_line(text: str) -> str:
    """Return a string of the module, on several lines where it is long."""
    pieces = [""]
    for part in re.split(r"(?<=[/|])", text):
        if len(pieces[-1]) + len(part) > WIDTH:
            pieces.append("")
        pieces[-1] += part
    return "\n".join(f'        "{piece}"' for piece in pieces) + ",\n"


def describe_calendar(language: str, numbers: list[set[str]]) -> tuple[str, ...]:
    """Return the words of a language as the module has them."""
    info = importlib.import_module(f"dateparser.data.date_translation_data.{language}").info
    for number, words in enumerate(numbers, 1):
        words |= {word for word, value in list_simple_numbers(info) if value == number}
    units, past, ahead = read_patterns(language, info)
    near = [_list_names(info, f"{days} day ago", language) for days in (1, 2)]
    this, last = ([_list_names(info, f"{count} {unit} ago", language) for unit in UNITS[1:]] for count in (0, 1))
    places = (numbers, [units[unit] for unit in UNITS], [past], [ahead], near, this, last)
    return tuple("|".join("/".join(sorted(map(split_name, words))) for words in place) for place in places)


def split_name(name: str) -> str:
    """Return the words of a name or of what stands around a span, as a text is split, with blanks between them."""
    return " # ".join(" ".join(split_words(part)) for part in name.split("#")).strip()


def spell_numbers(language: str) -> list[set[str]]:
    """Return the words for the numbers from 1 on, in each gender."""
    from num2words import num2words  # type: ignore[import-not-found,unused-ignore]

    spelled: list[set[str]] = []
    for number in range(1, MOST + 1):
        words = set()
        for options in ({}, {"gender": "f"}, {"gender": "n"}):
            try:
                words.add(str(num2words(number, lang=SPELLED_AS.get(language, language), **options)).lower())
            except (NotImplementedError, TypeError, KeyError, ValueError):  # a language or a gender that it lacks
                continue
        spelled.append({word for word in words if word.isalpha()})
    return spelled


def list_simple_numbers(info: dict[str, Any]) -> Iterable[tuple[str, int]]:
    """Yield the words for numbers that dateparser knows itself."""
    for simplification in info.get("simplifications", []):
        for word, value in simplification.items():
            if re.fullmatch(r"[^\W\d_]+", word) and re.fullmatch(r"\d+", str(value)):
                yield word.lower(), int(value)


def read_patterns(language: str, info: dict[str, Any]) -> tuple[dict[str, set[str]], set[str], set[str]]:
    """Return the words of each unit, and what stands around spans that are past and to come."""
    is_unspaced = language in UNSPACED
    known = {unit: [word.lower() for word in info[unit]] for unit in UNITS}
    units = {unit: {word for word in known[unit] if _is_unit(word, is_unspaced)} for unit in UNITS}
    around: dict[bool, set[str]] = {True: set(), False: set()}
    for key, patterns in info["relative-type-regex"].items():
        match = re.fullmatch(r"\\1 (\w+) ago|in \\1 (\w+)", key)
        unit = (match[1] or match[2]) if match else ""
        for pattern in patterns if unit in UNITS else ():
            before, _, behind = re.sub(r"\(\\d[^)]*\)", "#", pattern.lower()).partition("#")
            if re.search(r"[\\\[\]()?]", before + behind):
                continue
            spelled = [word for word in known[unit] if behind.strip().startswith(word)] if is_unspaced else behind.split()[:1]
            word = max(spelled, key=len, default="")
            if _is_unit(word, is_unspaced):
                units[unit].add(word)
                around["ago" in key].add(f"{before.strip()} # {behind.strip().removeprefix(word).strip()}".strip())
    return units, around[True] - {"#"}, around[False] - {"#"}


def _is_unit(word: str, is_unspaced: bool) -> bool:
    """Whether a word is a unit written out; abbreviations are words of other languages, too."""
    return word.isalpha() and (is_unspaced or len(word) > 2)


def _list_names(info: dict[str, Any], key: str, language: str) -> set[str]:
    names = (name.lower() for name in info["relative-type"].get(key, ()))
    return {name for name in names if not re.search(r"[.\d]", name) and (language in UNSPACED or len(name.split()[-1]) > 3)}


if __name__ == "__main__":
    raise SystemExit(main())
