"""Finds passwords among the arguments of any command that names its user, and those that a command is fed or asked to hash."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.apart.value_kinds import is_password, may_be_password
from transforms.redaction.context import SecretSpan
from transforms.redaction.written.value_ends import write_argument

_Q = r"\\{0,3}[\"'`]?"
_BARE = r"[^\s\"'`\\;|<>(){}$][^\s\"'`\\;|<>(){}]{3,120}"
_VALUE = rf"{_Q}(?P<secret>{write_argument(_BARE)})"
_USER = r"(?:-u|-U|-l|--user(?:name)?|--login)[ =]?"
_NAMED_USER = compile_late(
    rf"(?<=[\s\"']){_USER}{_Q}(?P<user>[A-Za-z][\w.@\\-]{{0,60}}){_Q}[^\n|;&]{{0,120}}?\s(?:-p|-P|-w|-W|-k|--pw)(?:[ =]|(?=[^\s-])){_VALUE}"
)
"""A user by a flag, and behind it a flag that holds the password in most programs."""
_PAIRED_USER = compile_late(
    rf"(?<=[\s\"'])(?:-u|-U|--user(?:name)?|--auth|--creds?)[ =]?{_Q}[A-Za-z][\w.@\\-]{{0,60}}:(?P<secret>[^\s\"'`\\;|<>(){{}}$/:][^\s\"'`\\;|<>(){{}}/:]{{3,120}})"
)
"""An account and its password in one argument, of any program."""
_SETS_ACCOUNT = compile_late(
    rf"(?<![\w./-])[\w.-]{{2,30}}[ \t](?:[\w:-]{{1,20}}[ \t]){{0,2}}(?:add[-_ ]?user|user[-_ :](?:add|create)|create[-_ ]?user|(?:change|set|reset)[-_](?:\w{{1,20}}[-_])?pass(?:word|wd))"
    rf"[ \t]+(?:--?\w[\w-]*[ \t]+)*{_Q}[A-Za-z][\w.@-]{{0,60}}{_Q}[ \t]+{_VALUE}"
)
"""A command of a program that sets up an account: its name and its password follow the verb."""
_HASHED = compile_late(
    rf"(?<![\w./-])(?:passwd|mkpasswd|obscure|hash-password|hash_password|bcrypt|encrypt_string|ConvertTo-SecureString|--encrypt)(?:[ \t]+--?\w[\w-]*(?:=\S+)?|[ \t]+-\d)*[ \t]+{_VALUE}(?=[\s\"'`)]|\Z)"
)
"""What a command turns into a hash or hides."""
_FED = compile_late(rf"(?:stdin|with-token|-S|--passphrase-fd[ =]\d|passwd\b)[^\n|;&]{{0,60}}?<<<[ \t]*\$?{_VALUE}")
"""A here-string for a flag that reads a secret."""
_ENCODED = compile_late(
    rf"(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?{_VALUE}{_Q}[ \t]*\|[ \t]*(?:base64(?! -d| --d)|mkpasswd|argon2|openssl (?:passwd|enc)|htpasswd)"
)
"""A word that is encoded or hashed."""


_PIPED = compile_late(r"(?:echo|printf)[ \t](?P<words>[^\n|;&]{4,300})\|[ \t]*(?:sudo )?(?:ch|smb)?passwd\b")
_QUOTED = compile_late(r"(?P<quote>[\"'])(?P<secret>[^\s\"'%:\\]{5,80})(?P=quote)")
"""The words that a command is fed which sets a password."""
_CLASS = compile_late(r"\\[dwsbDWSB]")
"""A class of characters in a regular expression."""
_PATTERNS = (
    (_NAMED_USER, (" -p", " -P", " -w", " -W", " -k", " --pw")),
    (
        _HASHED,
        ("passwd", "obscure", "hash-password", "hash_password", "bcrypt", "encrypt_string", "ConvertTo-Secure", "--encrypt"),
    ),
    (_FED, ("<<<",)),
    (_PAIRED_USER, (" -u", " -U", " --user", " --auth", " --cred")),
    (_SETS_ACCOUNT, ("user", "_pass", "-pass")),
    (_ENCODED, ("base64", "mkpasswd", "argon2", "openssl", "htpasswd")),
)
"""The patterns, and texts of which one stands in every match."""


def find_login_flags(text: str) -> Iterator[SecretSpan]:
    """Yield the passwords that such commands hold; ports, paths, variables and names are none."""
    for piped in _PIPED.finditer(text) if "passwd" in text else ():
        for word in _QUOTED.finditer(text, *piped.span("words")):
            if is_password(word["secret"]):
                yield *word.span("secret"), "password"
    for pattern, signs in _PATTERNS:
        for match in pattern.finditer(text) if any(sign in text for sign in signs) else ():
            may_be = may_be_password if pattern in (_PAIRED_USER, _SETS_ACCOUNT) else is_password
            if may_be(match["secret"]) and not match["secret"].startswith("-") and not _CLASS.search(match["secret"]):
                yield *match.span("secret"), "password"
