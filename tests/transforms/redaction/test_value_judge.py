"""Values near the name of a secret, in languages and notations that no rule names, and what stands there without one."""

from __future__ import annotations

import random
import string

import pytest

from transforms.redaction.redact import redact

DRAW = random.Random("judge")
TOKEN = "".join(DRAW.choices(string.ascii_letters + string.digits, k=32))
PASSWORD = "Krokus" + "77" + "!xQ"
HASH = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@pytest.mark.parametrize(
    "text",
    [
        f"la contraseña del servidor es {PASSWORD}", f"Zugangsdaten: admin / {PASSWORD}", f"heslo do routeru je {PASSWORD}",
        f"пароль от базы: {PASSWORD}", f"Hasło\n{PASSWORD}\n", f"| mot de passe | {PASSWORD} |", f"the deploy token is `{TOKEN}`",
        f"clave de API → {TOKEN}", f"7z x -p{PASSWORD} backup.7z", f"@shared_secret \"{TOKEN}\"", f"(setq api-key \"{TOKEN}\")",
    ],
)  # fmt: skip
def test_a_secret_near_its_name_goes_in_any_language(text: str) -> None:
    cleaned = redact(text)
    assert PASSWORD not in cleaned
    assert TOKEN not in cleaned
    assert redact(cleaned) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        f"the key of the commit {HASH} is small", "authenticate('google-oauth20')",
        f"[redacted:password:12ab] in commit {HASH}", "token: ${DEPLOY_TOKEN}", "password = getpass2('prompt')",
        "passport photo 2024-11-20", "`make-env.sh` writes `.env` from `pass`. (2026-03-11, `o-9f669c3886727278`)",
        "supports extended keys (iTerm2, WezTerm)", "secret: sha256-" + TOKEN,
    ],
)  # fmt: skip
def test_words_ids_and_code_near_a_name_stay(text: str) -> None:
    assert redact(text) == text
