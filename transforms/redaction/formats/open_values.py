"""Tells values that are open although they look random: public keys, certificates, sums of files, tokens of pages of a list.

Their form tells it (DER), the lines between which they stand, their member of a JSON Web Key, or the name right before them.
"""

from __future__ import annotations

import base64
import binascii
from functools import lru_cache

from transforms.patterns.late_pattern import compile_late

PUBLIC_MEMBERS = frozenset({"kid", "x", "y", "n", "x5t", "x5c", "x5t#S256"})
"""Members of a JSON Web Key that are public, and long random words (RFC 7517, 7518)."""
LEAST_ENCODED, HEAD_CHARS = 24, 44
"""Characters of the shortest encoded key, and of its beginning, which holds the algorithm."""
_SEQUENCE, _OBJECT, _VERSION = 0x30, 0x06, b"\xa0\x03\x02\x01"
_ENCRYPTED = (bytes.fromhex("2a864886f70d0105"), bytes.fromhex("2a864886f70d010c"))
"""Beginnings of the names of algorithms that encrypt a private key: PKCS #5 and #12."""
_ENCODED = compile_late(r"[A-Za-z0-9+/]+\Z")
_BLOCK = compile_late(
    r"-----BEGIN (?:[A-Z0-9]+ )*(?:PUBLIC KEY|CERTIFICATE|CERTIFICATE REQUEST|SIGNATURE|CRL|PARAMETERS|MESSAGE)(?: BLOCK)?-----"
    r"(?:\s*[A-Z][\w-]*: [^\n]*\n)*[A-Za-z0-9+/=\s\\]*"
)
_SEALED = compile_late(r"ENC\[AES256_GCM,[^\]\s]{20,4000}\]")
"""What sops encrypted."""
_OPEN_NAME = compile_late(
    r"(?i)(?:(?:public|publishable|verif\w{1,8}|(?<![a-z])pub|(?<![a-z])site)[ _-]?keys?"
    r"|fingerprint|thumbprint|4fpr|site[ _-]verification|arn:[\w:/-]{10,120}:secret"
    r"|(?:next|next[ _-]?page|continuation|pagination|idempotency|client[ _-]?request)[ _-]?token"
    r"|(?<![a-z])(?:checksum|digest|md5|sha-?\d{1,3})(?:/[\w.-]{1,60}|\s?\([^()\n]{1,120}\))?)"
    r"[\"'`]{0,2}\s{0,3}(?:is\s|=>|:=|[:=])?\s{0,3}(?:b?\\{0,2}[\"'`])?\Z"
)
"""The name of a public key, of the id of one, of a sum, or of the place in a list from which the next page is asked for."""
NAME_CHARS = 160
_MEMBER_BEFORE = compile_late(r"\\*\"(?P<name>[\w#]{1,8})\\*\"\s{0,4}:\s{0,4}\\*\"\Z")
MEMBER_CHARS, LEAST_MEMBER, LEAST_OPEN = 24, 27, 8
"""Characters before a value in which its member stands; of the shortest such value, a thumbprint of SHA-1; and of another one."""


def is_public_key(value: str) -> bool:
    """Whether a word of base64 begins as a public key or a certificate does."""
    if len(value) < LEAST_ENCODED or not value.startswith("M") or not _ENCODED.match(head := value[:HEAD_CHARS]):
        return False
    try:
        data = base64.b64decode(head[: len(head) // 4 * 4])
    except binascii.Error:
        return False
    inner = _enter(data)
    first = _enter(inner) if inner[:1] == bytes([_SEQUENCE]) else b""
    if first.startswith(_VERSION):
        return True
    return first[:1] == bytes([_OBJECT]) and not first[2:].startswith(_ENCRYPTED)


def _enter(data: bytes) -> bytes:
    """Return what a sequence of DER holds, as far as the data goes; nothing when it begins with anything else."""
    if len(data) < 2 or data[0] != _SEQUENCE:
        return b""
    size = data[1] & 0x7F if data[1] & 0x80 else 0
    return data[2 + size :] if size <= 4 else b""


def is_open(text: str, start: int, end: int) -> bool:
    """Whether the name or the member right before a value says that it is open, or the block in which it stands."""
    if text[start - 1 : start] == '"':
        member = _MEMBER_BEFORE.search(text, max(0, start - MEMBER_CHARS), start)
        if member is not None and (member["name"] == "kid" or (end - start >= LEAST_MEMBER and member["name"] in PUBLIC_MEMBERS)):
            return True
    if any(first <= start < last for first, last in _find_open_blocks(text)):
        return True
    return end - start >= LEAST_OPEN and _OPEN_NAME.search(text, max(0, start - NAME_CHARS), start) is not None


@lru_cache(maxsize=4)
def _find_open_blocks(text: str) -> list[tuple[int, int]]:
    """Return where blocks of public keys, certificates and signatures, and encrypted values begin and end in a text."""
    blocks = [block.span() for block in _BLOCK.finditer(text)] if "-----BEGIN " in text else []
    return blocks + ([sealed.span() for sealed in _SEALED.finditer(text)] if "ENC[" in text else [])
