"""Reads a line of a file of settings, whose value goes to the end of its line, blanks and marks in it or not."""

from __future__ import annotations

import re
from typing import NamedTuple

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.names.field_labels import is_field_label
from transforms.redaction.value_forms import is_harmless
from transforms.redaction.written.value_ends import WrittenValue

_LINE = compile_late(r"[ \t]*(?:- )?[\"']?(?P<name>[\w.-]+)[\"']?(?P<sign>[ \t]*[=:][ \t]*|[ \t]+)(?P<value>\S[^\n]*?)[ \t\r]*$")
_SECTION, _COMMENT = compile_late(r"[ \t]*\[[^\]\n]{1,60}\][ \t\r]*$"), compile_late(r"[ \t]*(?:[#;!]|//|$)")
_PASSWORD_NAME, _JOINED = (
    compile_late(r"(?i)(?:pass|passwd|password|pwd|passphrase|(?<![a-z])(?:pw|psk))\Z"),
    compile_late(r"(?=.*[A-Z])(?=.*[a-z])[^\W\d_]+(?:[-.][^\W\d_]+)+\Z"),
)
_TYPED = compile_late(r"\s[=|]\s")
_CODE_END = compile_late(r"[,;{}()\[\]\\]$")
_CODE_START = compile_late(r"[\"'`$({<\[|>&*!]")
"""Ends of lines and beginnings of values that no setting without quotation marks has; below a section one may end so."""
_TELLING = compile_late(r"[\d@/:-]|\w\.\w")
"""Something that a word of a text for people does not have: of a host, a path, a number."""
_PLAIN_WORD = compile_late(r"[^\W\d_](?:[^\W\d]|[+-]|\.(?=\w)){4,60}\Z")
_NAMES_PLACE = compile_late(r"\d|@|://|\w\.\w")
"""What the settings around a password say that is a word: a host, a port, an address."""
_ENDING = frozenset("\"'\\,;|<>(){}[]`，。；、）】」│")
"""Marks at which a value without quotation marks ends elsewhere."""
LEAST_AROUND = 2
MOST_LINES = 3
"""Lines before and behind that say which file it is."""


def read_setting(text: str, begin: int, end: int) -> WrittenValue | None:
    """Return the value of the setting whose name stands between two places, when it has more than a word, and the lines around
    it are settings of one word each, as no lines of prose, code or messages are."""
    start, stop = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
    line = text[start : stop if stop >= 0 else len(text)]
    if len(line) > 300 or text[start:begin].strip("- \t\"'"):
        return None
    setting = _LINE.match(line)
    if setting is None or setting.end("name") + start != end:
        return None
    value = setting["value"]
    if (
        _TYPED.search(value)
        or _CODE_START.match(value)
        or not (any(char.isspace() or char in _ENDING for char in value) or _is_joined(setting) or _is_word(setting))
    ):
        return None
    sign = setting["sign"].strip()
    first = start + setting.start("value")
    if (
        sign == ":"
        and setting["name"].isupper()
        and not _is_word(setting)
        and not any(map(str.isspace, value))
        and not _CODE_END.search(value)
    ):
        return WrittenValue(first, first + len(value), value)  # a variable's, as programs list them
    before = _read_lines(text[max(0, start - 600) : max(0, start - 1)].split("\n")[::-1], sign)
    behind = _read_lines(text[stop + 1 : stop + 600].split("\n") if stop >= 0 else [], sign)
    is_word = _is_word(setting) and not _is_joined(setting)
    if is_word and before.is_clean and before.has_section:
        return WrittenValue(first, first + len(value), value)
    if not (before.is_clean and behind.is_clean and (before.has_mark or behind.has_mark)):
        return None
    if is_word and (before.settings + behind.settings < LEAST_AROUND or not _NAMES_PLACE.search(before.values + behind.values)):
        return None
    if before.settings + behind.settings < (1 if sign else 2) or (_CODE_END.search(value) and not before.has_section):
        return None
    return WrittenValue(first, first + len(value), value)


def _is_joined(setting: re.Match[str]) -> bool:
    """Whether a password in a file of settings, where blanks stand around the sign, is no word and has no digit."""
    return (
        setting["sign"] == " = "
        and _PASSWORD_NAME.search(setting["name"]) is not None
        and _JOINED.match(setting["value"]) is not None
    )


def _is_word(setting: re.Match[str]) -> bool:
    """Whether a setting has the name of a password and a word for a value, as a name, a type or a label in code has, too."""
    value = setting["value"]
    is_plain = _PASSWORD_NAME.search(setting["name"]) is not None and _PLAIN_WORD.match(value) is not None
    is_verdict = setting["name"] == "PASS"  # of a test
    return is_plain and not is_verdict and not is_harmless(value) and not is_field_label(value)


class _Around(NamedTuple):
    """Lines on one side of a setting: how many are settings, whether none is anything else, whether one has more than a word of a
    text for people, whether a section begins there, and the values of the settings."""

    settings: int
    is_clean: bool
    has_mark: bool = False
    has_section: bool = False
    values: str = ""


def _read_lines(lines: list[str], sign: str) -> _Around:
    """Return what the next lines are, up to an empty one or a section."""
    settings, has_mark, values = 0, False, ""
    for line in lines[:MOST_LINES]:
        if not line.strip():
            break
        if _COMMENT.match(line):
            continue
        if _SECTION.match(line):
            return _Around(settings + 1, True, True, True, values)
        setting = _LINE.match(line)
        if setting is None or setting["sign"].strip() != sign:
            return _Around(settings, bool(sign) and line.rstrip().endswith(":"), has_mark, values=values)
        if " " in setting["value"] or _CODE_END.search(setting["value"]) or _CODE_START.match(setting["value"]):
            return _Around(settings, False)
        settings += 1
        has_mark |= _TELLING.search(setting["value"]) is not None
        values += setting["value"] + "\n"
    return _Around(settings, True, has_mark, values=values)
