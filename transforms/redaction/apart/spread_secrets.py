"""Finds a secret that one entry of a session gave away wherever else it stands in it, in any form that programs write.

What reads as a name may be one: `postgres` is a password beside its name, and a database everywhere else. It is followed only
when the session never writes it as a part of a name or path, and not often.
"""

# ruff: noqa: E501 - a list of forms is read best on one line

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.bare.public_names import is_public_name
from transforms.redaction.known_secrets import map_strings
from transforms.redaction.value_forms import is_harmless

LEAST_SPREAD, LEAST_NAME_LIKE, LEAST_GLUED, MOST_LENGTH = 6, 8, 8, 4_000
"""Characters of a random secret that is followed, of letters alone, of a secret that may be glued to letters, of the longest one."""
MOST_FOLLOWED, MOST_ROWS = 500, 12
"""Secrets that are followed in a session, so that a hostile one cannot hold a night; entries that hold one which reads as a name,
before it is a word of the session."""
LEAST_CORE, MOST_RUN = 10, 400
"""Characters of base64 that tell a secret inside of it; of a run of base64 that is replaced as a whole."""
_BASE64 = compile_late(r"[A-Za-z0-9+/]{8,400}={0,2}\Z")
_ACCOUNT = compile_late(r"\A[A-Za-z][\w.@+-]{0,60}:(?=.{4})")
_HALF_LETTER = compile_late("[\ud800-\udfff]")
_BEFORE, _BEHIND = compile_late(r"[A-Za-z0-9+/]+\Z"), compile_late(r"[A-Za-z0-9+/_-]+={0,2}")
_SHELL_MARK = compile_late(r"([^\w])")
_ESCAPE = compile_late(r"%[0-9A-F]{2}")
_COMMON_NUMBER = compile_late(r"(?:19|20)\d{6}\Z|1234|(?P<digit>\d)(?P=digit)*\Z|\d+0000\Z")
"""A date, the digits in order, one digit, a round number."""
_JSON_ESCAPE = compile_late(r"\\+(?:[nrtbf\"]|u[0-9a-f]{4})")
_WORDS = compile_late(r"[^\W\d_]+(?:[ '.-][^\W\d_]+)*[!?.]?\Z")
_NO_EDGE = r"(?:(?<![^\W_])(?<!\d[.,:/-])|(?<=\s-[pPaw]))"
"""Before a value that may be part of a word: no letter or digit, but a flag that is glued to its argument."""
_IN_NAME = r"(?:[\w./\\@-](?<!\s-[pPaw]){word}(?![^\W_])|(?<![^\W_]){word}(?:[\w/\\]|[.-]\w|:\d))"
"""Where a word is a part of a name or path: `postgres:16`, `lib/postgres`; a password in an address stands before `@`."""


def add_plain_forms(secrets: Mapping[str, str]) -> dict[str, str]:
    """Return secrets, and what those of them say that are written in base64 or as a part of an address, behind an account's name."""
    plain = {said: mark for secret, mark in secrets.items() for said in _list_plain_forms(secret) if said not in secrets}
    return {**secrets, **plain}


@lru_cache(maxsize=4096)
def _list_plain_forms(secret: str) -> tuple[str, ...]:
    said = [unquote(secret)] if "%" in secret else []
    if _BASE64.match(secret):
        with suppress(ValueError):
            said.append(base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True).decode())
    said = [text.strip() for text in said if text.strip().isprintable()]
    return tuple(_ACCOUNT.sub("", text) for text in said)


def choose_followed(secrets: Iterable[str]) -> list[str]:
    """Return the secrets that can be told wherever they stand, or that may be told when their session is looked at."""
    return list(islice(filter(_may_follow, secrets), MOST_FOLLOWED))


def reads_as_name(secret: str) -> bool:
    """Whether a secret may stand in its session as a word or name, too."""
    return _WORDS.match(secret) is not None or is_public_name(secret)


def is_session_word(secret: str, lines: Sequence[str]) -> bool:
    """Whether a secret that reads as a name is one in these lines, those of its session that hold it."""
    if len(lines) > MOST_ROWS:
        return True
    pattern = re.compile(_IN_NAME.format(word=re.escape(secret)))
    return any(pattern.search(_JSON_ESCAPE.sub(" ", line)) for line in lines)


@lru_cache(maxsize=4096)
def list_written_forms(secret: str) -> tuple[str, ...]:
    """Return a secret as programs write it in texts: plain, quoted in addresses, shells, JSON and HTML, and as hexadecimal."""
    quoted = {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    in_json = json.dumps(secret)[1:-1]
    forms = {
        secret, in_json, json.dumps(secret, ensure_ascii=False)[1:-1], json.dumps(in_json)[1:-1], html.escape(secret),
        html.escape(secret, quote=False), secret.replace("'", "'\\''"), secret.replace("'", "'\"'\"'"), _SHELL_MARK.sub(r"\\\1", secret), *quoted,
        *(_ESCAPE.sub(lambda match: match[0].lower(), form) for form in quoted), secret.encode().hex(),
    }  # fmt: skip
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


@lru_cache(maxsize=4096)
def list_base64_cores(secret: str) -> tuple[str, ...]:
    """Return what base64 of a text shows of a secret in it, for each place in a group of three bytes that it may begin at."""
    data = secret.encode()
    cores = set[str]()
    for shift in range(3):
        shown = base64.b64encode(b"\0" * shift + data).decode()[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]
        cores |= {shown, shown.translate(str.maketrans("+/", "-_"))}
    return tuple(sorted(core for core in cores if len(core) >= LEAST_CORE))


def list_line_forms(secret: str) -> set[str]:
    """Return all forms of a secret as lines of JSON write them."""
    plain = list_written_forms(secret)
    return {
        *list_base64_cores(secret),
        *plain,
        *(json.dumps(form, ensure_ascii=is_ascii)[1:-1] for form in plain for is_ascii in (True, False)),
    }


def replace_followed(value: Any, secrets: Mapping[str, str]) -> Any:
    """Return a JSON value without these secrets (each with its placeholder), in whichever form they stand in it."""
    marks = {form: mark for secret, mark in secrets.items() for form in list_written_forms(secret)}
    cores = {core: mark for secret, mark in secrets.items() for core in list_base64_cores(secret)}
    return map_strings(value, lambda text: _replace_forms(_replace_cores(text, cores), marks))


def _may_follow(secret: str) -> bool:
    if not LEAST_SPREAD <= len(secret) <= MOST_LENGTH or "\n" in secret or (secret[0] in "{[<$" and secret[-1] in "}]>"):
        return False
    if not any(map(str.isalpha, secret)):
        return secret.isdigit() and not _COMMON_NUMBER.match(secret)
    if _HALF_LETTER.search(secret):  # of which there are no bytes
        return False
    if reads_as_name(secret):
        is_long = len(secret) >= LEAST_NAME_LIKE or not secret.isalpha()
        return is_long and not is_harmless(secret.lower().replace(" ", "-"))
    return not is_harmless(secret)


def _replace_forms(text: str, marks: Mapping[str, str]) -> str:
    standing = [form for form in marks if form in text]
    if not standing:
        return text
    pattern = re.compile("|".join(map(_write_pattern, sorted(standing, key=lambda form: (-len(form), form)))))
    return pattern.sub(lambda match: marks[match[0]], text)


def _write_pattern(form: str) -> str:
    """Return the pattern of a form: a short one, or one that reads as a name, has no letters or digits around it."""
    if len(form) >= LEAST_GLUED and not reads_as_name(form):
        return re.escape(form)
    return (_NO_EDGE if form[0].isalnum() else "") + re.escape(form) + (r"(?![^\W_]|[.,:/-]\d)" if form[-1].isalnum() else "")


def _replace_cores(text: str, cores: Mapping[str, str]) -> str:
    """Replace base64 that holds a secret, with what it holds beside it."""
    for core, mark in cores.items():
        place = text.find(core)
        while place >= 0:
            before, behind = _BEFORE.search(text, max(0, place - MOST_RUN), place), _BEHIND.match(text, place, place + MOST_RUN)
            start, end = before.start() if before else place, behind.end() if behind else place + len(core)
            text = text[:start] + mark + text[end:]
            place = text.find(core, start + len(mark))
    return text
