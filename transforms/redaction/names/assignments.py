"""Judges the value of an assignment by its name and its form."""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.named_values import TEST_RESULT
from transforms.redaction.names.field_labels import is_field_label
from transforms.redaction.secret_rules import ASSIGNMENT, BRIDGED, GENERIC_KEY, SECRET_NAME
from transforms.redaction.value_forms import (
    CODE_NAME,
    NUMBER_LIKE,
    compute_change_rate,
    is_harmless,
    is_random_key,
    is_secret_hex,
    looks_random,
)

_PASSWORD_NAME = compile_late(r"(?i)pass(?:word|wd|phrase|code)?$|pwd$|password|passwort")
_NAME_CHAR = compile_late(r"[A-Za-z0-9_.-]")

_VARIABLE_NAME = compile_late(r"(?i)^(?=.*_|.*(?:pass|pwd|secret|token|key))[a-z_.]+$")
"""The name of a variable after `password=` in code: `Client(password=encoded_pwd)`."""
LEAST_WORD = 8
"""Small letters of a password that stands alone behind the name of a variable: `POSTGRES_PASSWORD: …` in YAML."""
_FILE = compile_late(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}\Z")
"""A file behind a flag without a value: `--ask-become-pass site.yml`."""
_LINE_END = compile_late(r"[ \t\r]*(?:\n|\Z)")
_LINE_BREAK, _NEXT_SETTING = compile_late(r"\n|\\+n"), compile_late(r"(?:export )?[A-Z_][A-Z0-9_]*=")
_REST_OF_LINE = compile_late(r"(?P<words>(?: {1,8}[^\W\d_][^\s\d]*){0,6})")
_NO_LABEL = compile_late(r"[0-9!#$%^&*?~+=@_-]")
_KEYWORD = compile_late(r"[A-Za-z_]\w*=[A-Za-z0-9]")
_OWN_NAME = compile_late(r"([a-z][a-z_.-]*)=([a-z_-]+|\d+)\Z")
"""A setting of plain words with its own name, behind that of a connection: `DSN: sslmode=disable`."""


def _classify_assignment(match: re.Match[str], value: str) -> str | None:
    """Return the family of `name = value`; None when the name or the value is harmless."""
    separator = match["separator"]
    is_flag = not separator.strip()
    name = _extract_name(match)
    if is_flag and not name.startswith("--"):
        return None
    if (
        match.string.endswith(TEST_RESULT, 0, match.start())
        or (is_flag and _FILE.match(value))
        or (separator.strip() == ":" and value.startswith(":"))
    ):
        return None
    if separator == "=" and match["quoted"] is None and name.islower() and _VARIABLE_NAME.match(value):
        return None
    is_setting = name.isupper() and value.islower() and len(value) >= LEAST_WORD and _LINE_END.match(match.string, match.end())
    is_code = match["quoted"] is None and separator != "=" and not is_flag and not is_setting
    family = classify_named_value(name, value, is_code)
    if family and (_is_closing(match, name) if match["open"] else _is_no_value(match, value, is_flag)):
        return None
    return family


def _is_closing(match: re.Match[str], name: str) -> bool:
    """Whether the mark before a value closes the text that the name stands in: `prompt('Password: ', '*')`."""
    start, mark = match.end("word") - len(name), match["open"]
    return match.string[start - 1 : start] == mark and mark not in match.string[match.end("word") : match.start("open")]


def _is_no_value(match: re.Match[str], value: str, is_flag: bool) -> bool:
    """Whether what follows a name without marks around it is no value: the next setting, the words of a help or a sentence, the
    words of a label."""
    between = match.string[match.end("word") : match.start("bare")]
    if _LINE_BREAK.search(between) and _NEXT_SETTING.match(value):
        return True
    rest = _REST_OF_LINE.match(match.string, match.end())
    words = rest["words"] if rest else ""
    if is_flag and words and value.isalpha():
        return len(between) > 1  # behind a flag in a shell stands one blank
    if not is_flag and value.isalpha() and value.isupper() and _is_of_flag(match):
        return True
    return words != "" and not _NO_LABEL.search(value) and is_field_label(words)


def _is_of_flag(match: re.Match[str]) -> bool:
    """Whether the name of an assignment is a flag, whose value in capitals stands for one in a help: `--password=SECRET`."""
    return _extract_name(match).startswith("--")


def _extract_name(match: re.Match[str]) -> str:
    start = match.start()
    while start and match.start() - start < 60 and _NAME_CHAR.match(match.string[start - 1]):
        start -= 1
    return match.string[start : match.start()] + match["word"]


def _classify_distant_value(match: re.Match[str], value: str) -> str | None:
    """Return the family of a value some words after its name; None when it may be anything else."""
    name = _extract_name(match)
    if _KEYWORD.match(value):
        return None
    is_password, is_secret = bool(_PASSWORD_NAME.search(name)), bool(SECRET_NAME.search(name.lstrip("-")))
    if is_password and match["open"] and looks_random(value, 8):
        return "password"
    if is_password and looks_random(value, 10) and "." not in value and compute_change_rate(value) >= 0.3:
        return "password"
    if is_secret and match["open"] and looks_random(value, 12) and compute_change_rate(value) >= 0.3:
        return "secret"
    return ("password" if is_password else "secret") if (is_secret or GENERIC_KEY.search(name)) and is_random_key(value) else None


def classify_named_value(name: str, value: str, is_code: bool = False) -> str | None:
    """Return the family of the value of a name; None when the name or the value is harmless."""
    is_secret = bool(SECRET_NAME.search(name.lstrip("-")))
    value = value.lstrip("=:>\"'` \n\t").rstrip("\"'`")  # of JSON inside of JSON, and of marks that begin a line
    if not (is_secret or GENERIC_KEY.search(name)) or is_harmless(value):
        return None
    if _PASSWORD_NAME.search(name):
        is_password = len(value) >= 4 and (not is_code or looks_random(value, 6)) and not is_field_label(value)
        return "password" if is_password else None
    if name.casefold().endswith("dsn") and (setting := _OWN_NAME.match(value)):
        return classify_named_value(setting[1], setting[2], is_code)
    if not is_secret:
        return "secret" if is_random_key(value) else None
    is_env = name.isupper() and len(value) >= 8 and not CODE_NAME.match(value) and not NUMBER_LIKE.match(value)
    is_value = is_env or looks_random(value, 12) or is_secret_hex(value)
    return "secret" if is_value and not is_field_label(value) else None


ASSIGNMENTS = ((ASSIGNMENT, _classify_assignment), (BRIDGED, _classify_distant_value))
"""Patterns of assigned values, and what chooses the family of each."""
