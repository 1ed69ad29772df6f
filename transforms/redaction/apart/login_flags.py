"""Finds passwords behind an account in an argument of any command, and those that a command is asked to hash."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.account_pairs import may_be_password
from transforms.redaction.apart.value_kinds import is_password
from transforms.redaction.context import SecretSpan

_Q = r"\\{0,3}[\"'`]?"
_VALUE = rf"{_Q}(?P<secret>[^\s\"'`\\;|<>(){{}}$][^\s\"'`\\;|<>(){{}}]{{3,120}})"
_PAIRED_USER = compile_late(
    rf"(?<=[\s\"'])(?:-u|-U|--user(?:name)?|--auth|--creds?)[ =]?{_Q}[A-Za-z][\w.@\\-]{{0,60}}:(?P<secret>[^\s\"'`\\;|<>(){{}}$/:][^\s\"'`\\;|<>(){{}}/:]{{3,120}})"
)
"""An account and its password in one argument, of any program."""
_HASHED = compile_late(
    rf"(?<![\w./-])(?:passwd|mkpasswd|obscure|hash-password|hash_password|bcrypt|encrypt_string|ConvertTo-SecureString|--encrypt)(?:[ \t]+--?\w[\w-]*(?:=\S+)?|[ \t]+-\d)*[ \t]+{_VALUE}(?=[\s\"'`)]|\Z)"
)
"""What a command turns into a hash or hides."""
_PATTERNS = (
    (
        _HASHED,
        ("passwd", "obscure", "hash-password", "hash_password", "bcrypt", "encrypt_string", "ConvertTo-Secure", "--encrypt"),
    ),
    (_PAIRED_USER, (" -u", " -U", " --user", " --auth", " --cred")),
)
"""The patterns, and texts of which one stands in every match."""


def find_login_flags(text: str) -> Iterator[SecretSpan]:
    """Yield the passwords that such commands hold; ports, paths, variables and names are none."""
    for pattern, signs in _PATTERNS:
        for match in pattern.finditer(text) if any(sign in text for sign in signs) else ():
            may_be = may_be_password if pattern is _PAIRED_USER else is_password
            if may_be(match["secret"]) and not match["secret"].startswith("-"):
                yield *match.span("secret"), "password"
