"""Copy the sample sessions with fake secrets in place of their placeholders: no tracked file holds a secret.

The tracked samples hold `{{FAKE:family}}` where a transcript would show a key. The fake values are made at run time. They
match the patterns of real ones, and anybody who sees one reads that it is fake.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from effects.system.errors import RecollectError
from effects.system.files import replace_file
from transforms.patterns.late_pattern import compile_late

FAKE_SECRET = compile_late(r"\{\{FAKE:([a-z0-9-]+)\}\}")


def _repeat_word(prefix: str, length: int, word: str = "FAKE") -> str:
    """Return `prefix` and `length` characters of `word`, repeated."""
    return prefix + (word * (length // len(word) + 1))[:length]


def _make_private_key() -> str:
    rule, label = "-" * 5, "PRIVATE" + " KEY"
    body = "\n".join([_repeat_word("", 64)] * 3)
    return f"{rule}BEGIN {label}{rule}\n{body}\n{rule}END {label}{rule}"


FAMILIES: Mapping[str, Callable[[], str]] = {
    "aws-key": lambda: "AKIA" + "FAKE" * 4,
    "aws-secret": lambda: _repeat_word("", 40, "FakeSecret0/"),
    "anthropic-key": lambda: _repeat_word("sk-ant-" + "api03-", 80),
    "openai-key": lambda: _repeat_word("sk-" + "proj-", 48),
    "github-token": lambda: _repeat_word("gh" + "p_", 36),
    "npm-token": lambda: _repeat_word("npm" + "_", 36),
    "slack-token": lambda: "xox" + "b-" + "0" * 12 + "-" + _repeat_word("", 24),
    "stripe-key": lambda: _repeat_word("sk" + "_live_", 24),
    "sendgrid-key": lambda: "SG" + "." + _repeat_word("", 22) + "." + _repeat_word("", 43),
    "bearer-token": lambda: _repeat_word("", 40, "FakeBearer0"),
    "jwt": lambda: ".".join(("eyJ" + "hbGciOiJub25lIn0", "eyJ" + "mYWtlIjoidHJ1ZSJ9", _repeat_word("", 43))),
    "database-url": lambda: "postgres" + "://ferry:" + "FakePassword0" + "@db.example.org:5432/ferrypost",
    "password": lambda: "FakePassword" + "-0-" + "FAKE",
    "private-key": _make_private_key,
}  # fmt: skip


def fake_secret(family: str) -> str:
    """Return the fake secret of a family of `FAMILIES`.

    Raises:
        RecollectError: when the family is unknown.
    """
    if family not in FAMILIES:
        known = ", ".join(sorted(FAMILIES))
        raise RecollectError(f"the samples name the unknown secret family `{family}`", hint=f"use one of: {known}")
    return FAMILIES[family]()


def fill_placeholders(text: str) -> str:
    """Return JSON Lines with every placeholder replaced; values are escaped for the JSON string that holds them."""
    return FAKE_SECRET.sub(lambda match: json.dumps(fake_secret(match[1]))[1:-1], text)


def copy_sample_sessions(source: Path, target: Path) -> int:
    """Copy every session below `source` to the same path below `target`, placeholders replaced; return the number of files.

    Raises:
        RecollectError: when there is no session file.
    """
    files = sorted(path for path in source.rglob("*.jsonl") if path.is_file())
    if not files:
        raise RecollectError(f"there are no sample sessions in {source}", hint="check out data/samples again")
    for path in files:
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        replace_file(copy, fill_placeholders(path.read_text(encoding="utf-8")).encode())
    return len(files)
