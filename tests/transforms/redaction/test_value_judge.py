"""Values near the name of a secret, in languages and notations that no rule names, and what stands there without one."""

from __future__ import annotations

import random
import string

import numpy as np

from benchmarks.learning.secrets import describe_place
from tests.each_case import each_case
from transforms.redaction import value_judge
from transforms.redaction.context import lower_keeping_length
from transforms.redaction.judge_weights import VALUE_WEIGHTS
from transforms.redaction.named_values import list_named_values
from transforms.redaction.redact import redact
from transforms.redaction.value_judge import CLASSES, compute_surprise, describe_value, exceeds_odds

DRAW = random.Random("judge")
TOKEN = "".join(DRAW.choices(string.ascii_letters + string.digits, k=32))
PASSWORD = "Krokus" + "77" + "!xQ"
HASH = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


@each_case(
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


@each_case(
    "text",
    [
        f"the key of the commit {HASH} is small", "authenticate('google-oauth20')",
        f"[redacted:password:12ab] in commit {HASH}", "token: ${DEPLOY_TOKEN}", "password = getpass2('prompt')",
        "passport photo 2024-11-20", "`make-env.sh` writes `.env` from `pass`. (2026-03-11, `o-9f669c3886727278`)",
        "import { OAuth2TokenAuth } from './auth'; type Key = OAuth2TokenAuth;", '"dependencies": {"minipass": "^7.1.3"}',
        "self._auth = sigv4_signer(keys_int64s=None)", "const key = traits.ec2QueryName; this.tokenUrl = opts.imdsV2TokenUrl;",
        "supports extended keys (iTerm2, WezTerm)", "secret: sha256-" + TOKEN,
    ],
)  # fmt: skip
def test_words_ids_and_code_near_a_name_stay(text: str) -> None:
    assert redact(text) == text


@each_case("value", [TOKEN, PASSWORD, HASH, "v2.11.3-rc1", "TestKiro_Sub77", "naïve77!", "x" * 90 + "1A"])
def test_the_odds_are_the_product_of_weights_and_features(value: str) -> None:
    for between in (": ", " = ", "\n", " für den Server ist ", " | ", '": "', "\n\n", " a, b (c); {d} "):
        check_odds(f"see --token{between}{value}; password{between}{value}, 7z -p{value} pin{between}[{value}]")


def check_odds(text: str) -> None:
    values = list(list_named_values(text, lower_keeping_length(text)))
    assert values
    for near in values:
        odds = float(np.dot(describe_place(text, near), VALUE_WEIGHTS))
        assert [exceeds_odds(text, near, least) for least in (odds - 1e-6, odds + 1e-6)] == [True, False]


FORMS = {
    "IS_HEX": "deadbeef12", "HAS_EXTENSION": ";.pem", "IS_NAME": "foo_bar", "HAS_MARK": "1!", "IS_MIXED": "aB1",
    "IS_MANIFOLD": "12-34",
}  # fmt: skip


@each_case("name", FORMS)
def test_a_value_that_has_one_crossed_feature_sets_the_place_of_its_name(name: str) -> None:
    """The places are numbers: a feature put in between must move them."""
    form = describe_value(FORMS[name])
    assert {each for each in FORMS if form[getattr(value_judge, each)]} == {name}


def test_the_surprise_of_a_value_stands_where_its_names_say() -> None:
    form = describe_value("x9q7w2")
    mean, top = compute_surprise("x9q7w2")
    assert (form[value_judge.MEAN_SURPRISE], form[value_judge.TOP_SURPRISE]) == (mean / 6, top / 8)
    assert form[value_judge.RANDOMNESS] > describe_value("password")[value_judge.RANDOMNESS] == 0


def test_the_training_weighs_letters_by_a_table_of_its_own_and_changes_none() -> None:
    before = compute_surprise(PASSWORD)
    assert compute_surprise(PASSWORD, [[1.0] * 96 for _ in range(96)]) == (1.0, 1.0)
    assert describe_value(PASSWORD, [[1.0] * 96 for _ in range(96)])[value_judge.MEAN_SURPRISE] == 1 / 6
    assert compute_surprise(PASSWORD) == before


SURROUNDINGS = {
    "password: {}": {"SAME_LINE", "IS_NEAREST", "RIGHT_BEHIND"},
    "password\n{}": {"IS_NEAREST", "RIGHT_BELOW"},
    "password is {}": {"SAME_LINE", "IS_NEAREST", "HAS_VERB"},
    "password of that old server: {}": {"SAME_LINE", "SOME_WORDS"},
    "password of that very old server over there: {}": {"SAME_LINE", "SOME_WORDS", "MANY_WORDS"},
}  # fmt: skip


@each_case("text", SURROUNDINGS)
def test_the_place_of_a_value_sets_the_features_of_its_names(text: str) -> None:
    written = text.format(PASSWORD)
    named = list_named_values(written, lower_keeping_length(written))
    near = next(near for near in named if PASSWORD in written[near.start : near.end])
    place = describe_place(written, near)[1 + len(describe_value("value")) + value_judge.NAME_FEATURES + len(CLASSES) :]
    names = ("SAME_LINE", "IS_NEAREST", "RIGHT_BEHIND", "RIGHT_BELOW", "HAS_VERB", "SOME_WORDS", "MANY_WORDS")
    assert {name for name in names if place[getattr(value_judge, name)]} == SURROUNDINGS[text]
    assert place[value_judge.BETWEEN] == min(near.start - near.name_end, 110) / 110
