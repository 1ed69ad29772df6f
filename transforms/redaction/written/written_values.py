"""Finds the value of a secret's name where the syntax around it escapes, quotes or ends it otherwise than a word of text.

Other rules read a value up to the first mark or blank. Here it is read as its syntax writes it, and judged by what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.context import SecretSpan, lower_keeping_length
from transforms.redaction.named_values import find_names
from transforms.redaction.names.assignments import classify_named_value
from transforms.redaction.value_forms import is_harmless
from transforms.redaction.written.settings_lines import read_setting
from transforms.redaction.written.value_ends import WrittenValue, read_bare, read_quoted

LEAST_VALUE, LEAST_SECRET = 4, 8
"""Characters of a value, and of one whose name is not a password's."""
QUOTED, VERBATIM, BARE, BLOCK, SETTING = "quoted", "verbatim", "bare", "block", "setting"
"""Forms of values: between marks, the same behind a sign that other rules do not know, to a blank, in indented lines, to the end
of a line of settings."""
_NAME_REST = compile_late(r"[\w.]{0,40}")
MOST_BEFORE = 60
"""Characters of a name before the word for a secret in it."""
_QUOTE = r"(?:\\{0,15}[\"'`]|&(?:quot|apos|#0?3[49]|#x2[27]);)"
_TYPE = r"\s{0,4}:\s{0,4}[&A-Za-z_][\w.&<>\[\]|? ]{0,40}(?==)|\s{1,4}[&*]?[A-Za-z]\w{2,12}\s{1,4}(?==)"
_CALL = r"[A-Za-z_][\w.]{0,40}\(\s{0,4}|[bfrBFRuN]{1,2}(?=[\"'])|[@$](?=[\"'])"
_SEPARATOR = compile_late(
    rf"{_QUOTE}?\]?\)?(?:{_TYPE})?"
    rf"(?:\s{{0,24}}(?P<sign>=>|:=|=(?!=)|[:：])[ \t]{{0,24}}(?:\n[ \t]{{1,24}}(?={_QUOTE}))?(?P<call>{_CALL})?"
    rf"|[ \t]{{1,24}}(?={_QUOTE})|(?<=[\"'])\s(?:value|Value)=(?=[\"']))"
)
"""What stands between the name and the value of an assignment, a member, a typed variable, an argument, an attribute."""
_MAY_FOLLOW = compile_late(r"[\"'`\]):=>：\\&]|\s{1,24}[\"'`:=\\&]")
_FLAG_BLANK = compile_late(r"[ \t]+")
_ELEMENT = compile_late(r"(?:\s[^<>\n]{0,120})?>(?:<!\[CDATA\[)?(?P<value>[^<>\n]{4,400})(?:\]\]>)?</")
_BLOCK = compile_late(r"[\"']?:[ \t]*[|>][+-]?\d?[ \t]*\n(?P<indent>[ \t]+)(?P<value>\S[^\n]*(?:\n(?P=indent)\S[^\n]*){0,20})")
"""The value of an element, and a block of indented lines in YAML."""
_WORDS = compile_late(r"[^\s\"'`“”„‘’«»<>\\,;()\[\]{}|\x1b│]+")
"""What other rules read as one value."""
_PASSWORD = compile_late(r"(?=.*[^\W\d_])(?=.*[0-9!#$%&*?@^~+=])")
"""A letter, and a digit or a mark that no sentence has."""
_STRONG_MARK = compile_late(r"[^\W_][!#$%&*?^~]+[^\W_]")
_INSERTED = compile_late(r"\$[({]|\{\{|#\{|<%|%\(|[\"'] [+.] \w|\w [+.] [\"']|^[\"'] ?[+.]|[+.] ?[\"']$|[\"'], ?[\"']")
"""Parts of a text that a program puts in, and of code around a text."""
_CODE = compile_late(r"[\w.][(\[]|=>|->|\s(?:if|or|and|else)\s|://")
"""Parts of code in a value without quotation marks."""
_CLAUSE = compile_late(r"(?i)\b(?:create|alter|grant|connect|set)\b[^;]{0,160}\bidentified by\Z")
"""The clause of SQL whose value is nothing but a password."""


def find_written_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield the values of secrets' names that are written with escapes, quotation marks or blanks, and their families."""
    lower = lower_keeping_length(text)
    for start, stop, name in find_names(text, lower):
        if span := _read_secret(text, start, stop, name):
            yield span


def holds_written_secret(text: str, position: int, name: tuple[int, str] | None) -> bool:
    """Whether the value of the name at `position` is a secret that its syntax tells; `name`: see `find_name_at`."""
    return name is not None and _read_secret(text, position, *name) is not None


def _read_secret(text: str, start: int, stop: int, name: str) -> SecretSpan | None:
    if name == "flag" or text.startswith("redacted:", start):
        return None
    end = _NAME_REST.match(text, stop).end()  # type: ignore[union-attr]  # it matches nothing, too
    begin = start
    while begin and start - begin < MOST_BEFORE and (text[begin - 1].isalnum() or text[begin - 1] in "_.-"):
        begin -= 1
    if not (_MAY_FOLLOW.match(text, end) or text.startswith("--", begin) or text[begin - 1 : begin] in ("", "\n")):
        return None
    value, form = _read_value(text, begin, end)
    if value is None or len(value.plain) < LEAST_VALUE or "redacted:" in value.plain:
        return None
    is_clause = " " in text[start:stop] and _is_clause(text, start, stop, value)
    if form in (QUOTED, BARE) and not is_clause and _WORDS.fullmatch(text, value.start, value.end):  # other rules read it as well
        return None
    if form == BARE and _CODE.search(value.plain):
        return None
    word = text[begin:end].rstrip(".")
    if is_clause or " " in text[start:stop]:  # what is identified by something outside of SQL is no secret
        family = "password" if is_clause and not _is_placeholder(value.plain) else None
    else:
        family = _classify(word, name, value.plain, form)
    return (value.start, value.end, family) if family else None


def _is_clause(text: str, start: int, stop: int, value: WrittenValue) -> bool:
    return text[value.start - 1] in "\"'" and _CLAUSE.search(text, max(0, start - 200), stop) is not None


def _read_value(text: str, begin: int, end: int) -> tuple[WrittenValue | None, str]:
    """Return the value behind a name, and the form in which it is written."""
    if text[begin - 1 : begin] == "<" and (element := _ELEMENT.match(text, end)):
        return _unescape(element), QUOTED
    if block := _BLOCK.match(text, end):
        return WrittenValue(*block.span("value"), re.sub(r"\s*\n\s*", "", block["value"])), BLOCK
    if setting := read_setting(text, begin, end):
        return setting, SETTING
    separator = _SEPARATOR.match(text, end)
    if separator is None:
        blank = _FLAG_BLANK.match(text, end) if text.startswith("--", begin) else None
        return (read_bare(text, blank.end(), is_shell=True) if blank else None), BARE
    at = separator.end()
    if value := read_quoted(text, at):
        return value, VERBATIM if separator["call"] == "@" else QUOTED
    is_shell = separator[0] == "=" and (text.startswith("--", begin) or text[begin:end].isupper())
    return (read_bare(text, at, is_shell) if separator["sign"] and not separator["call"] else None), BARE


def _unescape(element: re.Match[str]) -> WrittenValue:
    start, end = element.span("value")
    value = read_quoted(f'"{element["value"]}"', 0)
    return WrittenValue(start, end, value.plain if value else element["value"])


def _classify(word: str, name: str, plain: str, form: str) -> str | None:
    """Return the family of a value by its name and what it says; None when it may be words, code or a placeholder."""
    if _is_placeholder(plain) or (form == BLOCK and " " in plain):
        return None
    has_marks = _PASSWORD.match(plain) is not None
    if name == "password" and (word.isupper() or has_marks or form == SETTING):
        return "password"
    if " " in plain:
        return None
    if name == "secret" and has_marks and (word.isupper() or _STRONG_MARK.search(plain)) and len(plain) >= LEAST_SECRET:
        return "secret"
    return classify_named_value(word, plain)


def _is_placeholder(plain: str) -> bool:
    """Whether a value is put in later; one mark of a placeholder alone may begin a password."""
    opened = plain[1:] if plain[0] in "<{" and not plain.endswith((">", "}")) else plain
    return is_harmless(opened) or _INSERTED.search(plain) is not None
