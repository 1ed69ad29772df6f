"""Finds the rows in which a value without a name may be a secret, with the judge itself on the surroundings of each value.

Rust cuts the words with digits out of the raw JSON and leaves out numbers, hashes, paths and ids; the form of the others, each
judged once, leaves few whose surroundings are read.
"""

# ruff: noqa: E501 - a pattern or a made text is read best on one line

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import polars as pl

from transforms.reading.named_candidates import read_surroundings
from transforms.redaction.bare_judge import find_bare_secrets, may_be_secret
from transforms.redaction.structures import WORD_HINT, decode_account

BEFORE_CHARS, AFTER_CHARS = 400, 260
"""Characters of raw JSON around a value: the words that the judge reads there, with room for escapes."""
LEAST_STRUCTURE = 16
"""Characters of the shortest word whose structure tells a secret."""
KEY_CHARS = 80
"""Characters on both sides by which places are the same."""
MOST_PLACES, MOST_JUDGED = 2, 12
"""Places of a value in one row that are judged, and different ones in all rows: a secret is not written everywhere."""

_CHARS = r"!#$%&*+\-./:=@A-Z_a-z~^?"
_MIXED = rf"[{_CHARS}]+[0-9][{_CHARS}0-9]*|[0-9]+[{_CHARS}][{_CHARS}0-9]*"
_ANY = rf"[{_CHARS}0-9]{{4,}}"
_NUMBER = r"^n?(?:[A-Za-z_.]+[=:])?\d[\d.,:+\-/%xTZ]*[a-zA-Z]{0,3}[.:]?$"
_FORMS = (
    r"^n?(?:[A-Za-z_.:\-]*[=:.\-])?(?:[0-9a-f]{6,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[.,:?*]*$",
    r"^[A-Za-z_.\-/:]*[A-Za-z][._\-/:]*\d{1,3}[:.]?$|^n?[\w./\-+]+\.[a-z]{1,5}(?:[:\-]\d+[:\-]?)*$|^n?[a-z.\-]*/.*/[^:@]*$|://[^@?]*/[a-z.\-]{0,30}$",
    r"^(?:[a-z]+_)?n?(?:toolu|tooluse|call|msg|req|resp|chatcmpl|fc|rs|run|thread|srvtoolu)_|^[A-Za-z]+:[A-Za-z]*\d{0,4}$|@v?\d+(?:\.|$)"
    r"|^n?sha\d+[:\-]|^#[0-9a-fA-F]{3,8}$|^&|[0-9a-f]{7}\.\.+[0-9a-f]{7}|\d\*[A-Za-z]|^n?[a-zA-Z]+(?:-[a-zA-Z]+)+(?:-\d+)+$|^n?[+*]?\d{1,5}[a-z]{1,6}$",
    r"^n?\w+(?:\??\.[A-Za-z]\w+)+[!?:(]*$|^\d+-(?:[A-Z]\w*-?)+$|^U000|==\d+$|img\.shields|^[A-Za-z]+\d*\+\d+:?$|\.\.\.$",
)
_SHOWN_FORM = (
    r"^[:t=+\-n]{0,3}[\d.:,\-]+[smk]?[:,.]*$|^n?(?:\./|/|[a-z]+/)[^@]*$|sha\d+:|^n?[+\-]?\d+-|^[a-z]+://[\w.:]+/[^?]{0,12}$"
)
_ORDINARY = (_NUMBER, _SHOWN_FORM, *_FORMS)
"""Forms of words that are hashes, numbers, names, files, paths and ids."""
_TYPED_ORDINARY = (
    r"^n?(?:[0-9]*[a-f][0-9a-f]{5,63}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})[.,:?*]*$", r"^(?:[a-z]+_)?n?(?:toolu|tooluse|call|msg|req|resp|run|thread|srvtoolu)_|[0-9a-f]{7}\.\.+[0-9a-f]{7}|\d\*[A-Za-z]|^#[0-9a-fA-F]{3,8}$", r"^n?[\w./\-+]+\.(?:md|py|ts|tsx|js|jsx|go|rs|sh|json|ya?ml|toml|txt|html|css|com|org|io|dev)[.,:?!]*$|^n?[\w.\-~]*/.*/",
    r"^n?[A-Za-z]{0,7}[.,:!?]*$|^n?[a-zA-Z]+(?:ing|ed|ly|tion|tions|ment|ments|ness|able|ers|ies|ents|ions|ance|ence|ity|ated|ates|ate)[.,:!?]*$|^[\-=*_.:/#~+]+$"
    r"|^n?\d{1,3}[.,:)]*$|\*\*|^n?[\-+][A-Za-z.]|^[a-z]+(?:_[a-z]+)+$|^[a-z\-]+:[a-z\-]+:?$|^n?[\w./\-]+:\d+(?:-\d+|:\d+)?$|^n?v?\d+(?:\.\d+)+$|^n?[\-*#=]+[a-z]+$|^:\d+$|^\d{9,}$|^\d{4}-\d\d-\d\d|^n?[A-Z][a-z]+[A-Z][a-zA-Z]*[.,:]*$|^n?[a-z]+(?:[A-Z][a-z]+)+[.,:]*$",
)  # fmt: skip
"""The same in words that a person typed, in which numbers and words may be secrets, too."""

_BASE64_WORD = r"^(?:[\w.-]{1,40}[=:])?[A-Za-z0-9+/]{15,400}={0,2}$"
_SEPARATORS = r"\s\"'`<>,;()\[\]{}|\\"
_WORD_END, _WORD_START = re.compile(rf"[^{_SEPARATORS}]{{0,160}}\Z"), re.compile(rf"[^{_SEPARATORS}]*")
_ID_MEMBER = re.compile(r'"(?:\w{0,30}(?:[iI]d|ID|uuid|Uuid|UUID)|timestamp|type|role|data|version)":"\Z')
"""A member that holds an id; redaction keeps its value."""


def find_bare_rows(texts: pl.Series, users: list[int]) -> tuple[list[int], list[int]]:
    """Return the rows of JSON in which a value that no name tells is a secret, and those with a word whose structure is one's.

    `users` are the rows that a person typed.
    """
    rows, structured = set(), set()
    known: dict[tuple[str, str, bool], bool] = {}
    judged: Counter[str] = Counter()
    typed = set(users)
    for row, token, is_structure in _find_tokens(texts, users):
        is_user = row in typed
        if is_structure:
            structured.add(row)
            continue
        judged[token] += 1
        if (
            row not in rows
            and judged[token] <= MOST_JUDGED
            and any(_is_secret(before, after, is_user, known) for before, after in _cut_places(texts[row], token))
        ):
            rows.add(row)
    return sorted(rows), sorted(structured)


def _find_tokens(texts: pl.Series, users: list[int]) -> Iterator[tuple[int, str, bool]]:
    """Yield the row and the word of each value whose form does not rule out a secret, and whether its structure is a secret's."""
    name = texts.name
    rows = texts.to_frame().with_row_index("row")
    is_user = pl.col("row").is_in(users)
    for some, pattern, ordinary, typed in (
        (rows.filter(~is_user), _MIXED, _ORDINARY, False),
        (rows.filter(is_user), _ANY, _TYPED_ORDINARY, True),
    ):
        tokens = some.select("row", token=pl.col(name).str.extract_all(pattern)).explode("token").drop_nulls()
        tokens = tokens.filter(pl.col("token").str.len_bytes().is_between(4 if typed else 6, 300))
        words = tokens.select(pl.col("token").unique(maintain_order=True))
        long = words.filter(pl.col("token").str.len_bytes() >= LEAST_STRUCTURE)
        structured = long.filter(pl.col("token").str.contains(WORD_HINT) | pl.col("token").str.contains(_BASE64_WORD))[
            "token"
        ].to_list()
        secret_words = [word for word in structured if re.search(WORD_HINT, word) or _holds_account(word)]
        for row, word in tokens.filter(pl.col("token").is_in(secret_words)).unique(maintain_order=True).iter_rows():
            yield row, word, True
        words = words.filter(~pl.any_horizontal(pl.col("token").str.contains(form) for form in ordinary))
        kept = [word for word in words["token"].to_list() if may_be_secret(word, typed)]
        for row, word in tokens.filter(pl.col("token").is_in(kept)).unique(maintain_order=True).iter_rows():
            yield row, word, False


def _holds_account(word: str) -> bool:
    word = word.split("=", 1)[-1] if "=" in word.rstrip("=") else word
    return any(decode_account(part) is not None for part in (word, word[1:]))


def _cut_places(json: str, token: str) -> Iterator[tuple[str, str]]:
    position = json.find(token)
    for _ in range(MOST_PLACES):
        if position < 0:
            return
        yield json[max(0, position - BEFORE_CHARS) : position], json[position : position + AFTER_CHARS]
        position = json.find(token, position + len(token))


def _is_secret(before: str, after: str, is_user: bool, known: dict[tuple[str, str, bool], bool]) -> bool:
    """Whether a secret begins in the word between two pieces of raw JSON, which may reach beyond its string."""
    key = (before[-KEY_CHARS:], after[:KEY_CHARS], is_user)
    if (verdict := known.get(key)) is None:
        verdict = known[key] = _judge(before, after, is_user)
    return verdict


def _judge(before: str, after: str, is_user: bool) -> bool:
    if (len(before) - len(before.rstrip("\\"))) % 2:  # the word begins with the letter of an escape
        before, after = before + after[0], after[1:]
    if _ID_MEMBER.search(before):
        return False
    text_before, text_after = read_surroundings(before, after)
    start = len(text_before) - len(_WORD_END.search(text_before)[0])  # type: ignore[index]  # it matches nothing, too
    end = len(text_before) + len(_WORD_START.match(text_after)[0])  # type: ignore[index]
    return next(find_bare_secrets(text_before + text_after, is_user, start, end), None) is not None
