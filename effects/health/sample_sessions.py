"""Copy the sample sessions and put fake secrets in place of their tokens: no secret stands in a tracked file.

The tracked samples hold `{{FAKE:family}}` where a transcript would show a key. The values are made here at run time,
have the shape that real ones have, and read as fake to anybody who sees one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from effects.system.errors import RecollectError
from effects.system.files import replace_file

TOKEN = re.compile(r"\{\{FAKE:([a-z0-9-]+)\}\}")


def _repeat(prefix: str, length: int, word: str = "FAKE") -> str:
    """`prefix` and then `word` again and again, `length` characters of it."""
    return prefix + (word * (length // len(word) + 1))[:length]


def _private_key() -> str:
    rule, label = "-" * 5, "PRIVATE" + " KEY"
    body = "\n".join([_repeat("", 64)] * 3)
    return f"{rule}BEGIN {label}{rule}\n{body}\n{rule}END {label}{rule}"


FAMILIES: Mapping[str, Callable[[], str]] = {
    "aws-key": lambda: "AKIA" + "FAKE" * 4,
    "aws-secret": lambda: _repeat("", 40, "FakeSecret0/"),
    "anthropic-key": lambda: _repeat("sk-ant-" + "api03-", 80),
    "openai-key": lambda: _repeat("sk-" + "proj-", 48),
    "github-token": lambda: _repeat("gh" + "p_", 36),
    "npm-token": lambda: _repeat("npm" + "_", 36),
    "slack-token": lambda: "xox" + "b-" + "0" * 12 + "-" + _repeat("", 24),
    "stripe-key": lambda: _repeat("sk" + "_live_", 24),
    "sendgrid-key": lambda: "SG" + "." + _repeat("", 22) + "." + _repeat("", 43),
    "bearer-token": lambda: _repeat("", 40, "FakeBearer0"),
    "jwt": lambda: ".".join(("eyJ" + "hbGciOiJub25lIn0", "eyJ" + "mYWtlIjoidHJ1ZSJ9", _repeat("", 43))),
    "database-url": lambda: "postgres" + "://ferry:" + "FakePassword0" + "@db.example.org:5432/ferrypost",
    "password": lambda: "FakePassword" + "-0-" + "FAKE",
    "private-key": _private_key,
}  # fmt: skip


def fake_secret(family: str) -> str:
    """The fake secret of a family of `FAMILIES`; RecollectError for an unknown family."""
    if family not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        raise RecollectError(f"The samples name a secret family `{family}` that nobody makes", hint=f"use one of: {known}")
    return FAMILIES[family]()


def filled(text: str) -> str:
    """JSON Lines `text` with every token replaced; values are escaped for the JSON string that they stand in."""
    return TOKEN.sub(lambda token: json.dumps(fake_secret(token[1]))[1:-1], text)


def materialise(source: Path, target: Path) -> int:
    """Copy every session below `source` to the same place below `target`, tokens replaced; how many files there are."""
    files = sorted(path for path in source.rglob("*.jsonl") if path.is_file())
    if not files:
        raise RecollectError(f"There are no sample sessions in {source}", hint="check out data/samples again")
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        replace_file(copy, filled(path.read_text(encoding="utf-8")).encode())
    return len(files)
