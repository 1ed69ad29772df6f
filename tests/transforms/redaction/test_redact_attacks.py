"""The secrets that a red team planted, class by class, in what a tool printed; what stays is listed, and the list is kept true."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import base64
import random
import string

import pytest

from tests.each_case import each_case
from transforms.redaction.redact import redact

DRAW = random.Random(3)
LETTERS, HEX = string.ascii_letters + string.digits, "0123456789abcdef"


def draw(count: int, alphabet: str = LETTERS) -> str:
    return "".join(DRAW.choices(alphabet, k=count))


PASSWORD = f"Otter{draw(4, string.digits)}!k"
ACCOUNT = base64.b64encode(f"mara:{draw(20)}".encode()).decode()
SEED = "abandon ability able about above absent absorb abstract absurd abuse access accident"
JWT = f"eyJ{draw(20)}.eyJ{draw(40)}.{draw(43)}"

FOUND = {
    "a JWT behind GitHub's prefix": ("Use {}", f"ghs_{JWT}"), "bb_live_": ("Use {}", f"bb_live_{draw(39)}7"), "aph0_": ("Use {}", f"aph0_{draw(39)}7"),
    "crsr_": ("Use {}", f"crsr_{draw(64, HEX)}"), "rpa_": ("Use {}", f"rpa_{draw(43)}7"), "polar_oat_": ("Use {}", f"polar_oat_{draw(39)}7"),
    "mdb_sa_sk_": ("Use {}", f"mdb_sa_sk_{draw(39)}7"), "ctx7sk-": ("Use {}", f"ctx7sk-{draw(8, HEX)}-{draw(4, HEX)}-4{draw(3, HEX)}-a{draw(3, HEX)}-{draw(12, HEX)}"),
    "pdl_live_apikey_": ("Use {}", f"pdl_live_apikey_01{draw(50)}"),
    "a table of AWS": ("| SecretAccessKey | {} |", draw(40)), "a prompt of AWS": ("AWS Secret Access Key [None]: {}", draw(40)), "psk=": ("psk={}", PASSWORD),
    ".pgpass": ("db.internal:5432:*:mara:{}", PASSWORD), "docker auth": ('"auths": {{"ghcr.io": {{"auth": "{}"}}}}', ACCOUNT),
    "Kubernetes data": ("kind: Secret\ndata:\n  password: {}", base64.b64encode(draw(16).encode()).decode()), "-storepass": ("keytool -list -keystore a.jks -storepass {}", PASSWORD),
    "htpasswd -b": ("htpasswd -b f mara {}", PASSWORD), "chpasswd": ("echo 'mara:{}' | chpasswd", PASSWORD), "sudo -S": ("echo {} | sudo -S ls", PASSWORD),
    "7z -p": ("7z a -p{} a.7z b", PASSWORD), "smbclient -U": ("smbclient //n/x -U a%{}", PASSWORD), "a password with @ and :": ("https://bob:{}@host.example/x", "p@ss:w0rd"),
    "X-Amz-Signature": ("https://s3.example/a?X-Amz-Expires=60&X-Amz-Signature={}", draw(64, HEX)), "X-Goog-Signature": ("https://s.example/a?X-Goog-Signature={}", draw(128, HEX)),
    "a magic link": ("https://app.example/magic?token={}", draw(32)), "a seed phrase": ("seed: {}", SEED),
    "English": ("the password is {}", PASSWORD), "German": ("das Passwort ist {}", PASSWORD), "Spanish": ("la contraseña es {}", PASSWORD), "French": ("le mot de passe est {}", PASSWORD),
    "a PIN": ("PIN: {}", "482913"), "a passphrase": ("the passphrase is '{}'", "correct horse battery staple"), "an alarm code": ("the alarm code is {}", "4471"),
    "shadow": ("root:{}:19812:0:", f"$6${draw(16)}${draw(86)}"), "bcrypt": ("hash {}", f"$2b$12${draw(53)}"),
    "a card": ("card {}", "4532 0151 1283 0366"), "an IBAN": ("IBAN {}", "DE89 3704 0044 0532 0130 00"),
    "a cookie jar": ("#HttpOnly_.example.org\tTRUE\t/\tTRUE\t1790000000\tsession\t{}", draw(40)),
}  # fmt: skip
STAYS = {
    "a token whose prefix no form lists": ("Use {}", f"fk-{draw(40)}"), "a token without a name": ("Use {}", f"00{draw(40)}"), "curl -b": ("curl -b 'sid={}' https://x.example", draw(32)),
    "an OAuth code": ("https://app.example/callback?code={}&state=x", f"4/0A{draw(60)}"),
    "an address of a hook": ("https://hooks.example.com/services/{}", f"T{draw(8)}/B{draw(8)}/{draw(24)}"),
}  # fmt: skip
"""In what a tool printed; where a person typed them or an agent wrote them, most are found (`bare/`)."""


@each_case("name", FOUND)
def test_a_planted_secret_is_taken_out(name: str) -> None:
    frame, secret = FOUND[name]
    assert secret not in redact(frame.format(secret))


@pytest.mark.parametrize("name", STAYS)
@pytest.mark.xfail(strict=True, reason="docs/security.md says that these stay")
def test_what_stays_is_known(name: str) -> None:
    frame, secret = STAYS[name]
    assert secret not in redact(frame.format(secret))
