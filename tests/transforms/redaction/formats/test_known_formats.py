"""Secrets in formats whose fields say what they are."""

import base64
import json
import random
import re
import string

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.formats.known_formats import FORMAT_HINT, find_known_formats
from transforms.redaction.redact import redact

DRAW = random.Random(21)


def draw(count: int, letters: str = string.ascii_letters + string.digits) -> str:
    return "".join(DRAW.choices(letters, k=count))


HEX = "0123456789abcdef"
KEY = base64.b64encode(bytes.fromhex("3077020101" + "0420") + DRAW.randbytes(115)).decode()
FOUND = {
    "pgpass": ("# hostname:port\ndb1.example:5432:ledger:reader:{}\n", "Kaffee-Otter48"),
    "pgpass of any host": ("*:*:*:mara:{}", "kaffeeotter"),
    "cookie jar": ("# Netscape\n.example.org\tTRUE\t/\tTRUE\t1790000000\tsession\t{}\n", draw(32, HEX)),
    "TLS keys": (f"CLIENT_TRAFFIC_SECRET_0 {draw(64, HEX)} {{}}\n", draw(64, HEX)),
    "router": ("username noc privilege 15 secret 9 {}", f"$9${draw(14)}${draw(43)}"),
    "SCRAM": ("ledger | {}", f"SCRAM-SHA-256$4096:{draw(22)}==${draw(43)}=:{draw(43)}="),
    "key without its first line": ("the key body:\n\n{}\n", KEY),
    "bytes of a key": ("static const u1_t APPKEY[16] = {{ {} }};", ", ".join(f"0x{draw(2, HEX).upper()}" for _ in range(16))),
    "link that signs in": ("open https://app.example/magic-link/{} now", draw(30) + "4x"),
    "link of an invitation": ("https://team.example/join/{}?x=1", draw(24, string.ascii_lowercase + string.digits)),
    "code of a sign-in": ("GET https://id.example/oauth/callback?state=a&code={}", draw(30) + "4x"),
    "mail": ("<- 334 UGFzc3dvcmQ6\n-> {}\n", base64.b64encode(b"Kaffee!Otter").decode()),
}
KEPT = [
    "static const uint8_t table[16] = { " + ", ".join(["0x1F"] * 16) + " };",
    "const keyboard = [" + ", ".join(["0x1F"] * 16) + "]",
    "src/app.py:5432:def main(): return 1",
    "https://app.example/confirm/order/1234567890123456789012",
    "https://app.example/reset/password-reset-tutorial-for-beginners",
    "https://app.example/verify/0b7f2c1e-8a4d-4c11-9b3e-5d6f7a8b9c0d",
    "localhost:5432 accepts connections",
    "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA" + draw(60),
    ".example.org\tTRUE\t/\tFALSE\t1790000000\tlang\tnb",
]


@each_case("name", FOUND)
def test_the_field_of_a_format_is_taken_out(name: str) -> None:
    frame, secret = FOUND[name]
    text = frame.format(secret)
    assert secret not in redact(text)
    assert [text[start:end] for start, end, _ in find_known_formats(text)] == [secret]


@each_case("name", FOUND)
def test_the_search_for_rows_finds_the_same(name: str) -> None:
    frame, secret = FOUND[name]
    assert re.search(FORMAT_HINT, json.dumps({"text": f"first\n{frame.format(secret)}\nlast"}))


@each_case("text", KEPT)
def test_what_only_looks_alike_stays(text: str) -> None:
    assert list(find_known_formats(text)) == []


@each_case("piece", ["a:5432:", "0xAF, ", "MIIEpAIBA", "\tTRUE\t/", "*:*:*:a:", "$9$", "key = {0x1F,0x2F "])
def test_the_search_takes_linear_time(piece: str) -> None:
    assert grows_with_text(lambda text: list(find_known_formats(text)), piece, 200)
