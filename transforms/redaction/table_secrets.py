"""Finds secrets in the columns of tables whose header names one: Markdown, boxes, CSV, tabs, columns of blanks."""

# ruff: noqa: E501 - a pattern or a made text is read best on one line

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.patterns.literal_places import find_places
from transforms.redaction.context import lower_keeping_length
from transforms.redaction.names.field_labels import is_field_label
from transforms.redaction.value_forms import is_harmless
from transforms.redaction.value_judge import compute_surprise

_PASSWORD_HEADER = compile_late(
    r"(?i)^\W*(?:[^\W\d]{0,14}[ _-]|[^\W\d]{0,2})?(?:pass(?:word|wort|wd|phrase|code)?s?|pwd|pw|psk|mdp|mot de passe(?: \w+)?|kennwort|contrase\w+|clave|senha|wachtwoord|has[lł]o|heslo|parola|[sş]ifre|"
    r"l[oö]senord|adgangskode|salasana|jelsz\w+|пароль|パスワード|初期パスワード|初期PW|密码|密碼|비밀번호|pin(?: code)?|code pin|puk|secret)\W*$"
)
_TOKEN_HEADER = compile_late(
    r"(?i)^\W*(?:\S{0,14}[ _-])?(?:api[ _-]?key|secret(?:[ _-]?key)?|token|access[ _-]?token|consumer[ _-]?(?:key|secret)|client[ _-]?secret|private[ _-]?key|local[ _-]?key|key|app[ _-]?key|licen[cs]e(?: key)?)s?\W*$"
)
_WHOLE_HEADERS = ("credentials", "credential", "creds", "cred")
"""Names that are a header by themselves only: `mail-credentials` is the name of a row."""
_RULE = compile_late(r"^[\s|+:=\-─━┌┬┐├┼┤└┴┘╒╤╕╞╪╡╘╧╛═]*$")
_CELLS = {"|": compile_late(r"[^|│┃]+"), "\t": compile_late(r"[^\t]+"), ";": compile_late(r"[^;]+"), ",": compile_late(r"[^,]+")}
_QUOTED_CELLS = {
    mark: compile_late(rf"(?:(?<={mark})|^)(?:\"(?:[^\"]|\"\")*\"(?={mark}|\s*$)|[^{mark}]*)") for mark in ("\t", ";", ",")
}
"""A cell between quotation marks, in which a mark doubled is one, or without any."""
_BLANKS = compile_late(r"\S+(?: \S+)*")
_WORD_VALUE = compile_late(r"[^\W\d_]+(?:[ _-][^\W\d_]+)*\Z")
_HEADER_WORDS = (
    r"(?:[pP]ass(?:word|wort|wd|phrase|code)?s?|PASS(?:WORD)?|pw|PW|[pP]wd|[pP]sk|PSK|PIN|[pP]in|[cC]red(?:ential)?s?|[kK]ey|[tT]oken|[sS]ecret|[sS]enha|[pP]arola|[hH]eslo|[cC]lave|[cC]ontrase\w+|[mM]dp|[kK]ennwort|[wW]achtwoord"
    r"|[hH]as[lł]o|[şsŞS]ifre|パスワード|密码|[mM]ot de passe(?: \w+)?)"
)
_MARKS_AROUND = r"(?: {0,40}[|│┃;,]|\\t|\t|  )"
TABLE_HINT = rf"{_HEADER_WORDS}(?:[`*]|\\?\"){{0,2}}(?:{_MARKS_AROUND}| ?\\n)"
"""Rust regex over raw JSON: it finds something in every text with such a header."""
_HEADER_NAME = compile_late(rf"{_HEADER_WORDS}[`*\"]{{0,2}}(?= {{0,40}}[|│┃;,]|\t|  | ?\n)")
_NAME_STARTS = ("pass", "pw", "psk", "pin", "cred", "key", "token", "secret", "senha", "parola", "heslo", "clave", "contrase", "mdp", "kennwort",
                "wachtwoord", "hasl", "hasł", "şifre", "sifre", "mot de passe", "パスワード", "密码")  # fmt: skip
"""The beginnings of `_HEADER_WORDS`, in lower case."""
_BEFORE_NAME = compile_late(r"(?:[|│┃;,\t\n]|  |^)[ `*\"]{0,3}(?:[^\W\d]{0,14}[ _-]|[^\W\d]{0,2})?\Z")
_NAMES_ACCOUNT = compile_late(r"\w@\w|://|\d{2}")
LEAST_WORD = 6
MOST_ROWS, LEAST_VALUE, LONGEST_HEADER, MOST_BLANKS = 400, 4, 400, 6
_DIGIT_WITH_LETTERS = compile_late(r"[^\W\d_].*\d|\d.*[^\W\d_]")


def find_table_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the values of columns that hold secrets begin and end, and their family."""
    done = 0
    for cell in _list_header_names(text):
        if not _is_cell_start(text, cell.start()):
            continue
        start = text.rfind("\n", 0, cell.end()) + 1
        end = text.find("\n", cell.end())
        header = text[start:end]
        if start < done or end < 0 or len(header) > LONGEST_HEADER or not _may_be_header(header):
            continue
        done = end
        for mark in ("|", "\t", ";", ",", " "):
            if mark in ";," and header.rstrip().endswith(mark):  # a line of code: a list or the arguments of a call
                continue
            columns = _list_cells(header, mark)
            named = [(at, kind) for at, (_, name) in enumerate(columns) if (kind := classify_header(name))]
            if len(columns) >= 2 and named:
                yield from _find_in_rows(_list_lines(text, end + 1), mark, columns, named)
                break


def is_header_name(text: str, start: int) -> bool:
    """Whether the name of a secret that begins at a place may stand in the header of a table."""
    return _HEADER_NAME.match(text, start) is not None and _is_cell_start(text, start)


def _is_cell_start(text: str, start: int) -> bool:
    return _BEFORE_NAME.search(text[max(0, start - 22) : start]) is not None


def _list_header_names(text: str) -> Iterator[re.Match[str]]:
    """Yield the names in a text that may stand in a header; to look for their beginnings is faster than for the pattern."""
    lower, done = lower_keeping_length(text), 0
    for start in sorted(find_places(lower, *_NAME_STARTS)):
        if start >= done and (name := _HEADER_NAME.match(text, start)) is not None:
            yield name
            done = name.end()


def _list_lines(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield the lines below a header with their places."""
    for _ in range(MOST_ROWS):
        if start >= len(text):
            return
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, text[start:end]
        start = end + 1


def _may_be_header(line: str) -> bool:
    return any(mark in line for mark in ("|", "│", "┃", "\t", ";", ",", "  "))


def classify_header(cell: str) -> str | None:
    """Return the family of the values below a header; None when it names no secret."""
    cell = cell.strip().strip("*`\"' ")
    if len(cell) > 32:
        return None
    return (
        "password"
        if _PASSWORD_HEADER.match(cell) or cell.lower() in _WHOLE_HEADERS
        else "secret"
        if _TOKEN_HEADER.match(cell)
        else None
    )


def _list_cells(line: str, mark: str) -> list[tuple[int, str]]:
    if mark == "|" and not any(char in line for char in "|│┃"):
        return []
    if mark in ";,\t" and mark not in line:
        return []
    if mark in ";,\t" and '"' in line:
        return [(match.start(), match[0]) for match in _QUOTED_CELLS[mark].finditer(line)]
    if mark in ";,":
        cells, start = [], 0
        for cell in line.split(mark):
            cells.append((start, cell))
            start += len(cell) + 1
        return cells
    pattern = _BLANKS if mark == " " else _CELLS[mark]
    return [(match.start(), match[0]) for match in pattern.finditer(line)]


def _find_in_rows(
    rows: Iterator[tuple[int, str]], mark: str, columns: list[tuple[int, str]], named: list[tuple[int, str]]
) -> Iterator[tuple[int, int, str]]:
    is_data = mark in "\t;," and not any(_NAMES_ACCOUNT.search(name) or "." in name for _, name in columns)
    for start, line in rows:
        if not line.strip():
            return
        if _RULE.match(line):
            continue
        cells = _list_cells(line, mark)
        if len(cells) < 2 or (mark in "|\t;," and abs(len(cells) - len(columns)) > 1):
            return
        for at, kind in named:
            cell = _pick_cell(cells, columns, at, mark)
            if cell is None:
                continue
            first = cell[0] + len(cell[1]) - len(cell[1].lstrip(" \t\"'`*"))
            value = cell[1].strip(" \t\"'`*")
            is_quoted = mark in "\t;," and cell[1].startswith('"')
            may_be = (is_quoted and may_be_words(value)) or (is_data and may_be_word(value, line))
            if is_cell_secret(value, kind) or (kind == "password" and may_be):
                yield start + first, start + first + len(value), kind


def _pick_cell(cells: list[tuple[int, str]], columns: list[tuple[int, str]], at: int, mark: str) -> tuple[int, str] | None:
    """Return the cell below a header: by its number, in columns of blanks by its place."""
    if mark != " ":
        return cells[at] if at < len(cells) else None
    place = columns[at][0]
    return next((cell for cell in cells if abs(cell[0] - place) <= 2), None)


def may_be_words(value: str) -> bool:
    """Whether words between the marks of a cell are a password and no remark on one."""
    if not 1 <= value.count(" ") <= MOST_BLANKS or not _DIGIT_WITH_LETTERS.search(value):
        return False
    return not is_harmless(value.replace(" ", "")) and _HEADER_NAME.search(value + "  ") is None


def may_be_word(value: str, row: str) -> bool:
    """Whether a word in a cell of a file of data below "password" is one: its row names an account, a place or a time, too."""
    if len(value) < LEAST_WORD or " " in value or is_harmless(value) or is_field_label(value):
        return False
    return _WORD_VALUE.match(value) is not None and _NAMES_ACCOUNT.search(row.replace(value, "", 1)) is not None


def is_cell_secret(value: str, kind: str) -> bool:
    """Whether a cell below the name of a secret holds one."""
    if not LEAST_VALUE <= len(value) <= 400 or is_harmless(value) or "redacted:" in value or value.count(" ") > 5:
        return False
    if set(value) <= set("*•x.-#") or re.match(
        r"(?i)\(?(?:none|null|hidden|sensitive|n/?a|yes|no|unknown|not set|required|optional)\b", value
    ):
        return False
    if kind == "password" and " " not in value:
        if value.isdigit():
            return len(value) <= 8
        return (
            (any(map(str.isdigit, value)) and len(value) >= 5)
            or (not _WORD_VALUE.match(value) and len(value) >= 8)
            or compute_surprise(value)[0] >= 6.5
        )
    return " " not in value and len(value) >= 12 and any(map(str.isdigit, value)) and compute_surprise(value)[0] >= 5.5
