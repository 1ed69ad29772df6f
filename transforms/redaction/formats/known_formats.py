"""Finds secrets in formats whose fields say what they are: files of accounts and cookies, logs of keys, verifiers, bodies of keys,
secrets of a cluster, rows of a database."""

# ruff: noqa: E501 - a pattern is read best on one line

from __future__ import annotations

from collections.abc import Iterator

from transforms.patterns.late_pattern import compile_late
from transforms.redaction.formats.cluster_secrets import CLUSTER_HINT, find_cluster_secrets
from transforms.redaction.formats.sql_rows import ROWS_HINT, find_row_secrets
from transforms.redaction.value_forms import is_harmless, is_random_key

_ACCOUNT_LINE = compile_late(
    r"(?m)^[ \t]*(?:\d+[:\t ]+)?(?:[\w.-]+|\*):(?:\d{2,5}|\*):[^\s:]{1,60}:[^\s:]{1,60}:(?P<secret>(?:[^\s:\\]|\\[:\\]){4,200})[ \t\r]*$"
)
"""A line of `.pgpass`: host, port, database, account, password."""
_COOKIE_LINE = compile_late(
    r"(?m)^(?:#HttpOnly_)?\.?[\w.-]+\t(?:TRUE|FALSE)\t/[^\t\n]*\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,80}\t(?P<secret>[^\s]{16,4000})[ \t\r]*$"
)
"""A line of a cookie jar of Netscape's form."""
_TLS_KEYS = compile_late(r"(?m)^(?:[A-Z_]*_SECRET(?:_\d+)?|CLIENT_RANDOM) [0-9a-f]{64} (?P<secret>[0-9a-f]{64,96})\b")
_TYPED_HASH = compile_late(r"(?<![\w$])\$[89]\$[./A-Za-z0-9$]{14}\$[./A-Za-z0-9]{40,44}(?![./A-Za-z0-9])")
"""Hashes that routers write behind `secret`."""
_SCRAM = compile_late(
    r"SCRAM-SHA-(?:1|256|512)\$\d{3,7}:[A-Za-z0-9+/]{8,64}={0,2}\$[A-Za-z0-9+/]{20,90}={0,2}:[A-Za-z0-9+/]{20,90}={0,2}"
)
_KEY_BODY = compile_late(
    r"(?<![A-Za-z0-9+/])(?:MHcCAQEE|MIGkAgEBBD|MIHcAgEBBEI|MIGHAgEAMBMG|MIG2AgEAMBAG|MIHuAgEAMBAG|MC4CAQAwBQYDK2V|MII[A-Za-z0-9]{2}[AQgw]IBA[A-Za-z0-9+/])"
    r"(?:[A-Za-z0-9+/]|(?<=[A-Za-z0-9+/=])(?:\r?\n|\\n)[ \t>]{0,8}(?=[A-Za-z0-9+/]{8})){24,8000}={0,2}"
)
"""Base64 of the DER of a private key, with or without its first line: its first numbers are the version of such a key."""
_HEX_ARRAY = compile_late(
    r"(?P<name>[A-Za-z_][\w.]{0,40})(?:\s{0,3}\[\d{0,4}\])?\s{0,3}(?:=\s{0,3}|:\s{0,3})?(?:new byte\[\]\s{0,3})?[\[{(]\s{0,8}(?P<secret>0x[0-9A-Fa-f]{2}(?:\s{0,8},\s{0,8}0x[0-9A-Fa-f]{2}){15,63})\s{0,8},?\s{0,8}[\]})]"
)
_KEY_NAME = compile_late(r"(?i)(?:key|secret|seed|psk|token)(?!board|code|map|s?cancode|frame|point)\w{0,6}\Z")
_MAIL_PASSWORD = compile_late(r"334 UGFzc3dvcmQ6\s*\n(?:[CS<>-]{1,2}:? )?(?P<secret>[A-Za-z0-9+/]{4,200}={0,2})")
_LINK = compile_late(
    r"(?i:https?://[^\s\"'<>]{3,200}?/(?:invit|join|accept|magic|reset|verif|confirm|activat|sign-?in)[a-z_-]{0,16}/(?:[a-z_-]{1,20}/)?)(?P<secret>[A-Za-z0-9_-]{20,200})(?=[/?#)\]\s\"'<>]|\Z)"
)
"""An address that lets in whoever opens it."""
_LOGIN_CODE = compile_late(
    r"(?i:https?://[^\s\"'<>]{3,200}?(?:callback|oauth|login|auth|signin)[^\s\"'<>?]{0,60}\?(?:[^\s\"'<>]{1,200}&)?code=)(?P<secret>[A-Za-z0-9._~-]{20,400})(?=[&#)\s\"'<>]|\Z)"
)
FORMAT_HINT = (
    r":5432:|:\*:\*:|\*:\*:\*|\\t(?:TRUE|FALSE)\\t/|_SECRET(?:_[0-9])? [0-9a-f]{8}|CLIENT_RANDOM [0-9a-f]{8}|\$[89]\$[./A-Za-z0-9$]{14}\$|SCRAM-SHA-"
    r"|MHcCAQEE|MIGkAgEBBD|MIHcAgEBBEI|MIGHAgEAMBMG|MIG2AgEAMBAG|MIHuAgEAMBAG|MC4CAQAwBQYDK2V|MII[A-Za-z0-9]{2}[AQgw]IBA|334 UGFz|0x[0-9A-Fa-f]{2}, ?0x"
    r"|/(?:invit|join|accept|magic|reset|verif|confirm|activat|sign-?in)[a-z_-]{0,16}/(?:[a-z_-]{1,20}/)?[A-Za-z0-9_-]{20}|[?&]code=[A-Za-z0-9._~-]{20}"
    rf"|{CLUSTER_HINT}|{ROWS_HINT}"
)
"""Finds something in the raw JSON of every text with one of these formats; by it no other port tells a `.pgpass`."""
_HINT = compile_late(FORMAT_HINT.replace(r"\\t", r"(?:\\t|\t)"))

_PATTERNS = (
    (_ACCOUNT_LINE, "password"), (_COOKIE_LINE, "cookie"), (_TLS_KEYS, "secret"), (_TYPED_HASH, "password-hash"), (_SCRAM, "password-hash"),
    (_KEY_BODY, "private-key"), (_HEX_ARRAY, "private-key"), (_MAIL_PASSWORD, "password"),
    (_LINK, "link"), (_LOGIN_CODE, "link"),
)  # fmt: skip


def find_known_formats(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where secrets begin and end that the format of a file or an output tells, and their family."""
    if _HINT.search(text) is None:
        return
    yield from find_cluster_secrets(text)
    yield from find_row_secrets(text)
    for pattern, family in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("secret" if "secret" in match.re.groupindex else 0)
            if pattern is _HEX_ARRAY and not _KEY_NAME.search(match["name"]):
                continue
            if family == "link" and not is_random_key(text[start:end]):
                continue
            if family not in ("password", "cookie") or not is_harmless(text[start:end]):
                yield start, end, family
