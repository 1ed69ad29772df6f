"""Find the specifics of a text that must be kept verbatim (paths, identifiers, values, quotations), and check them in a source.

For the check everything is compared as a whole: `main.ts` is not in `main.tsx`, `153` not in `a1533f`, `10 min` not in `10 s`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from transforms.calendars.day_names import MONTH_OF
from transforms.language.cue_phrases import CODE_SPAN
from transforms.language.sentences import UNSPACED_SIGNS, has_other_script
from transforms.language.statement import parse_number
from transforms.patterns.late_pattern import compile_late

_EXTENSIONS = re.findall(
    r"\S+",
    """
    bash c cc cfg conf cpp cs css csv dart env ex exs go gradle graphql h hpp html ini ipynb java js json jsonl jsx kt
    lock lua m md mdx mjs cjs mk mm nix php pl prisma proto ps1 py pyi r rb rs sass scala scss sh sql svelte swift tf
    toml ts tsx txt vue xml yaml yml zig zsh
    """,
)
_FILE_NAME = compile_late(
    rf"(?<![\w.])@?((?:[~.\w@+-]*/)*[\w@+.-]*\w\.(?:{'|'.join(_EXTENSIONS)}))(?![\w-])(?:[:#]L?(\d+))?",
    by_words=True,
)
_PATH = compile_late(r"(?<![\w/:.])((?:~|\.{1,2})?/?(?:[\w@.+-]+/)+[\w@.+-]*)(?!\w)")
_QUOTED_CODE = compile_late(r"`([^`\n]{1,160})`")
_CODE_IDENTIFIER = compile_late(
    r"(?<![\w/.-])(?:[A-Za-z_$]*[a-z0-9][A-Z][\w$]*|[A-Za-z]\w*_\w+|_[A-Za-z]\w+|[A-Z]{2,}\d*(?:_[A-Z\d]+)+)(?:\(\))?(?![\w/])"
)
_LITERAL_VALUE = compile_late(
    r"(?<!\w)(?:\#[0-9a-fA-F]{3,8}\b|v?\d+\.\d+(?:\.\d+)*(?:-[\w.]+)?|\d[\d,]*(?:\.\d+)?\s?(?:%|ms|s|min|h|kb|mb|gb|px|k)?(?!\w)"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{6,40}(?!\w)|--?[a-z][\w-]+)",
    re.I,
)
IDENTIFIER = compile_late(r"(?<![\w$])(?:[A-Za-z$][\w$]*[a-z][A-Z][\w$]*|[a-z]\w*_\w+)(?![\w$])")
"""A camelCase or snake_case name in code."""
_QUOTED_TEXT = compile_late(r"[\"“]([^\"“”\n]{2,300})[\"”]")
_PROSE_PATH = compile_late(r"[A-Za-z]{2,}/[A-Za-z]{2,}/?")


def find_paths(text: str) -> list[str]:
    """Return the file names and paths in a text, in order, once each, without line suffix and `@`."""
    matches = [match[1] for match in _FILE_NAME.finditer(text)] if "." in text else []
    if "/" in text:
        matches += [match[1] for match in _PATH.finditer(text) if not _PROSE_PATH.fullmatch(match[1]) and len(match[1]) > 3]
    return list(dict.fromkeys(path.removeprefix("@") for path in matches))


def find_file_names(text: str) -> list[str]:
    """Return the names with a known file extension, in order, once each."""
    return list(dict.fromkeys(match[1].removeprefix("@") for match in _FILE_NAME.finditer(text))) if "." in text else []


def find_line_numbers(text: str) -> list[int]:
    """Return the line numbers written after a file name (`text.ts:116`, `text.ts#L9`), in order."""
    return list(dict.fromkeys(int(match[2]) for match in _FILE_NAME.finditer(text) if match[2]))


def find_names(text: str) -> list[str]:
    """Return the identifiers: code spans, camelCase, snake_case and constants, in order, once each."""
    return list(dict.fromkeys([*(match[1] for match in _QUOTED_CODE.finditer(text)), *_CODE_IDENTIFIER.findall(text)]))


def find_values(text: str) -> list[str]:
    """Return colours, versions, numbers with their unit, hashes and flags, in order, once each."""
    return list(dict.fromkeys(match[0].strip() for match in _LITERAL_VALUE.finditer(text)))


def find_double_quoted(text: str) -> list[str]:
    """Return the texts between double quotes."""
    return [match[1] for match in _QUOTED_TEXT.finditer(text)]


@lru_cache(maxsize=4096)
def count_specifics(text: str) -> int:
    """Count the distinct specifics of a text, without bare one-digit numbers."""
    bare = [value for value in find_values(text) if not (value.isdecimal() and len(value) < 2)]
    return len({*find_names(text), *find_paths(text), *bare})


def take_base_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rstrip("/").rsplit("/", 1)[-1] or path


_PAIRS = {"“": "”", "„": "“", "«": "»", "‘": "’", "»": "«", "‚": "‘", "「": "」", "『": "』"}
_WIDE_PAIRS = "「」『』"
"""Marks of scripts without spaces: they open and close wherever they stand."""
_CLOSES = compile_late(r"[\w.,;:!?…)\]}'*%]")
_OPENS_AFTER = compile_late(r"[\s(\[{:=,—–/-]")
_NUMBER_AND_UNIT = compile_late(
    r"(?<![\w.])(?P<mark>[#v~$€±]?)(?P<value>\d(?:[\d_]|,(?=\d))*(?:\.\d+)*)(?:(?P<close>%|[a-zA-Z]{1,8})(?!\w)|(?!\w)(?:\s(?P<far>%|[a-zA-Z]{1,12}\b))?)"
)
_FIRST_WORD = compile_late(r"%|[a-zA-Z]{1,12}\b")
"""What a text begins with and may be the unit of a number that ends the line before: the `far` of a number."""
INNER_NUMBER = compile_late(r"\d(?<![0-9a-fA-F]\d)\d*(?:\.\d+)*(?![0-9a-fA-F])")
"""Digits that no hash surrounds. It begins with a digit, which `re` skips quickly to, and then looks back."""
_ISO_DATE = compile_late(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])")
_MONTH_NAMES = "|".join(sorted(MONTH_OF, key=len, reverse=True))
_DAY_OF_MONTH = compile_late(
    rf"\b(?:(?P<first>{_MONTH_NAMES})\.?\s+(?P<day>\d{{1,2}})"
    rf"|(?P<before>\d{{1,2}})(?:\.|er|º|°)?\s+(?:de\s+)?(?P<last>{_MONTH_NAMES}))\b",
    re.I,
    by_words=True,
)
_NUMERIC_DATE = compile_late(
    r"(?<![\w.,:-])([0-3]?\d)\.([01]?\d)\.(?:(?:19|20)\d\d)?(?![\w.])|(?<![\w/])([0-3]\d)/([01]?\d)/20\d\d(?![\w/])"
    r"|(?:(?<!\d)(?:19|20)\d\d\s*[年년]\s*)?(?<!\d)(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日일]"
)
""" "15.10.", "15.10.2026", "15/10/2026": the day goes first; 10月15日, 2026年10月15日: the month."""
MONTHS, DAYS = 12, 31
_SWAPPED = str.maketrans(".,", ",.")
_THOUSANDS = compile_late(r"(?<![\d.,])\d{1,3}(?:[ .,'’\u00a0\u202f]\d{3})+(?!\d)")
_SCRIPT_EDGE = compile_late(rf"(?<=[!-~])(?=[{UNSPACED_SIGNS}])|(?<=[{UNSPACED_SIGNS}])(?=[!-~])")

Number = tuple[str, str]
"""A value and its unit ("" for none)."""


def find_quotations(text: str) -> list[str]:
    """Return the texts between quotation marks, even when some marks have no partner.

    A mark opens at the beginning of a word and closes at the end of one, and closes the innermost open mark. Single quotes
    count around two words or more.
    """
    plain = CODE_SPAN.sub(lambda span: span[0].replace('"', " ").replace("'", " "), text).replace('""', "  ")
    quotations: list[tuple[int, str]] = []
    waiting: list[tuple[int, str]] = []
    open_of = defaultdict[str, list[int]](list)  # a mark that may close → the places in `waiting` of those that it closes
    for position, mark in enumerate(plain):
        if mark not in "\"'“”„«»‘’‚「」『』":
            continue
        preceding, following = plain[position - 1 : position], plain[position + 1 : position + 2]
        partner = open_of[mark][-1] if open_of[mark] else None
        closes = (
            partner is not None
            and (mark in _WIDE_PAIRS or bool(_CLOSES.match(preceding)))
            and not (mark in "'’" and following.isalnum())
        )
        if closes and partner is not None:
            start = waiting[partner][0] + 1
            for _, closing in waiting[partner:]:
                for other in set(closing):
                    open_of[other].pop()
            del waiting[partner:]
            inner = plain[start:position]
            if mark not in "'’" or len(inner.split()) > 1:
                quotations.append((start, inner))
        elif (mark in _PAIRS and not (mark == "»" and not following.strip())) or (
            mark in "\"'" and following.strip() and (not preceding or _OPENS_AFTER.match(preceding))
        ):
            for other in {mark, _PAIRS.get(mark, mark)}:
                open_of[other].append(len(waiting))
            waiting.append((position, _PAIRS.get(mark, mark) + mark))
    return [inner for _, inner in sorted(quotations) if inner.strip()]


def separate_scripts(text: str) -> str:
    """Return a text with a space wherever Chinese, Japanese or Korean meets ASCII: a name or number between its characters is a
    word of its own."""
    return _SCRIPT_EDGE.sub(" ", text) if has_other_script(text) else text


def join_thousands(text: str) -> str:
    """Return a text in which groups of three digits that a space parts are one number: 12 000 is 12000."""
    return _THOUSANDS.sub(lambda match: "".join(match[0].split()), text)


def is_written_otherwise(number: str, source: str) -> bool:
    """Whether a source has a number in the notation of another language: 1.500 for 1,500 and 1500, 2,5 for 2.5, 7.15 for 7:15."""
    forms = {number.translate(_SWAPPED)} - {number}
    if _THOUSANDS.fullmatch(number):
        forms |= {number, re.sub(r"\D", "", number)}
    elif number.isdigit() and len(number) > 3:
        digits = f"{int(number):,}"
        forms |= {digits, digits.replace(",", "."), digits.replace(",", " "), digits.replace(",", "'")}
    elif (parts := re.fullmatch(r"(\d+)[.,](\d{1,2})", number)) is not None:
        forms |= {f"{parts[1]}:{parts[2]}"} | ({parts[1]} if not parts[2].strip("0") else set())
    return any(re.search(rf"(?<![\d.,:]){re.escape(form)}(?![.,:]?\d)", source) for form in forms)


def find_written_numbers(text: str) -> Iterator[tuple[str, Number]]:
    """Yield values as they are written, without their unit, each beside the number in one notation."""
    for match in _NUMBER_AND_UNIT.finditer(text):
        yield match["value"], _normalise_number(*match.groups(""))


def is_group_of_thousands(written: str) -> bool:
    """Whether dots or commas part a number after every third digit: 12.000 may be twelve thousand, or twelve."""
    return bool(_THOUSANDS.fullmatch(written))


def is_whole_name_in(name: str, source: str) -> bool:
    """Whether a name occurs as a whole in the source; both lower case."""
    is_open_before, is_open_after = not _is_word_character(name[:1]), not _is_word_character(name[-1:])
    start = source.find(name)
    while start >= 0:
        end = start + len(name)
        if (is_open_before or not _is_word_character(source[max(start - 1, 0) : start])) and (
            is_open_after or not _is_word_character(source[end : end + 1])
        ):
            return True
        start = source.find(name, start + 1)
    return False


def _is_word_character(character: str) -> bool:
    """Whether a regular expression takes a character for one of a word."""
    return character.isalnum() or character == "_"


@dataclass(frozen=True, slots=True)
class TextNumbers:
    """The numbers of one text, ready to be joined with those of the texts on the lines before and after it.

    `last` is a number without a unit that ends the text, which the next line may begin with (`first_word`).
    """

    numbers: frozenset[Number]
    last: str
    first_word: str


def read_numbers(text: str) -> TextNumbers:
    """Return the numbers of a text; those inside of names (`utf8`, `claude-3-7`) without unit, digits of hashes not at all."""
    taken: set[int] = set()
    written: set[tuple[str, ...]] = set()
    fields: tuple[str, ...] = ()
    end = 0
    for match in _NUMBER_AND_UNIT.finditer(text):
        if fields:
            written.add(fields)  # of thousands of numbers in a listing most are repeated
        fields = match.groups("")
        taken.add(match.start("value"))
        end = match.end("value")
    last = fields if fields and end == len(text) else ()
    if fields and not last:
        written.add(fields)
    inside = {(match[0], "") for match in INNER_NUMBER.finditer(text) if match.start() not in taken}
    first_word = _FIRST_WORD.match(text)
    numbers = frozenset(_normalise_number(*number) for number in written) | inside
    return TextNumbers(numbers, _write_number(*last[:3]) if last else "", first_word[0] if first_word else "")


def join_numbers(texts: Sequence[TextNumbers]) -> frozenset[Number]:
    """Return the numbers of texts that stand under each other; equal to those of the one text with a line for each."""
    following = [*(text.first_word for text in texts[1:]), ""]
    ends = {parse_number(text.last, word) for text, word in zip(texts, following, strict=True) if text.last}
    return frozenset(ends.union(*(text.numbers for text in texts)))


@lru_cache(maxsize=16_384)
def _normalise_number(mark: str, value: str, close: str, far: str) -> Number:
    return parse_number(_write_number(mark, value, close), far)


def _write_number(mark: str, value: str, close: str) -> str:
    """Return a number as it is written, without a mark that says "about"."""
    return mark.strip("~±") + value + close


def is_known_number(number: Number, known: frozenset[Number], bare: frozenset[Number]) -> bool:
    """Whether a number is known with its unit; without a unit whether it is in `bare` (`ttl_seconds: 300` for "300 s").

    A version may be shortened (3.12 for 3.12.4).
    """
    value, unit = number
    if number in known:
        return True
    if unit:
        return (value, "") in bare and not any(other == value and its for other, its in known)
    return any(other == value or ("." in value and other.startswith(value + ".")) for other, _ in known)


def find_dates(text: str) -> list[tuple[str, tuple[int, int]]]:
    """Return the written dates with their month and day."""
    dates = [(match[0], (int(match[2]), int(match[3]))) for match in _ISO_DATE.finditer(text)]
    for match in _DAY_OF_MONTH.finditer(text):
        month = MONTH_OF[(match["first"] or match["last"]).lower()]
        dates.append((match[0], (month, int(match["day"] or match["before"]))))
    for match in _NUMERIC_DATE.finditer(text):
        dotted_day, dotted_month, day, month, wide_month, wide_day = (int(number or 0) for number in match.groups())
        dates.append((match[0], (dotted_month or month or wide_month, dotted_day or day or wide_day)))
    return [(written, (month, day)) for written, (month, day) in dates if 1 <= month <= MONTHS and 1 <= day <= DAYS]
