"""Values near the name of a secret, in languages and notations that no rule names, and what stands there without one."""

from __future__ import annotations

import random
import string

import numpy as np
import pytest

from transforms.redaction.context import lower_keeping_length
from transforms.redaction.judge_weights import VALUE_WEIGHTS
from transforms.redaction.named_values import list_named_values
from transforms.redaction.redact import redact
from transforms.redaction.value_judge import describe_place, exceeds_odds, judge

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


@pytest.mark.parametrize("between", [": ", " = ", "\n", " für den Server ist ", " | ", '": "', "\n\n", " a, b (c); {d} "])
@pytest.mark.parametrize("value", [TOKEN, PASSWORD, HASH, "v2.11.3-rc1", "TestKiro_Sub77", "naïve77!", "x" * 90 + "1A"])
def test_the_odds_are_the_product_of_weights_and_features(between: str, value: str) -> None:
    text = f"see --token{between}{value}; password{between}{value}, 7z -p{value} pin{between}[{value}]"
    values = list(list_named_values(text, lower_keeping_length(text)))
    assert values
    for near in values:
        odds = float(np.dot(describe_place(text, near), VALUE_WEIGHTS))
        assert judge(text, near) == pytest.approx(odds, abs=1e-9)
        assert [exceeds_odds(text, near, least) for least in (odds - 0.1, odds + 0.1)] == [True, False]
