"""Joined words and hexadecimal that a person types behind a name; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

import orjson
import polars as pl

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.reading.secret_prefilter import find_spoken_candidates
from transforms.redaction.names.typed_forms import find_typed_forms
from transforms.redaction.redact import redact

DRAW = random.Random(1427)
PHRASE = "-".join(DRAW.sample(["lantern", "copper", "harbor", "nebel", "tortilla", "abacaxi"], 4)) + str(DRAW.randint(10, 99))
HEX = "".join(DRAW.choices("0123456789abcdef", k=30)) + "a1"

UUID = f"{HEX[:8]}-{HEX[8:12]}-4{HEX[13:16]}-a{HEX[17:20]}-{HEX[20:]}"


@each_case("frame", [
    "the wifi on the pi is 'Attic 2.4' and the key is {}", "passphrase for the key: {}", "clé du wifi de l'atelier : {}", "la clave del wifi del taller es {} por si la pide",
    "wachtwoord van de pi is {}", "luks key {} at boot", "borg passphrase -> {}", "kennwort {}\nlos",
])  # fmt: skip
def test_joined_words_with_a_number_are_a_secret_that_a_name_introduces(frame: str) -> None:
    text = frame.format(PHRASE)
    assert PHRASE not in redact(text, is_user=True)
    assert 0 in find_spoken_candidates(pl.Series([orjson.dumps({"text": text}).decode()]))


@each_case(
    "frame",
    [
        "here's the key {} put it there",
        "te paso la llave de la api: {} , es nueva",
        "my openweather key, {} , free tier",
        "zone key {}",
    ],
)
def test_long_hexadecimal_is_a_secret_that_a_name_introduces(frame: str) -> None:
    text = frame.format(HEX)
    assert HEX not in redact(text, is_user=True)
    assert 0 in find_spoken_candidates(pl.Series([orjson.dumps({"text": text}).decode()]))


@each_case("text", [
    "does the key change break booking-calendar-grid4", "password reset mail uses template auth-reset-mail3", "the token test lives in auth-token-spec2",
    f"the key file has md5 {HEX}", f"the key is new since commit {HEX}", f"the token expired. See run {HEX}", "key: docs/booking-calendar-grid4.md",
    f"GIT_COMMIT={HEX}", f"TRACE_ID={HEX}", f"the primary key is {UUID}", f"MD5={HEX}",
    "the primary key is clinic-slot-list2", "key: eu-west-1", "branch fix-login-flow2", "password is required-for-all-users",
])  # fmt: skip
def test_names_hashes_and_values_that_no_name_introduces_stay(text: str) -> None:
    assert list(find_typed_forms(text)) == []


@each_case("frame", ["client secret {} for the realm", "the token is {}", "password: {}"])
def test_a_uuid_behind_the_name_of_a_secret_is_one(frame: str) -> None:
    assert UUID not in redact(frame.format(UUID), is_user=True)


@each_case("frame", ["TIBBER={}\nMQTT_HOST=10.0.0.4", "export JWT_SIGNING='{}'", "A=1\nOTA={}\n"])
def test_long_hexadecimal_in_a_variable_of_an_environment_is_a_secret(frame: str) -> None:
    text = frame.format(HEX)
    assert HEX not in redact(text, is_user=True)
    assert 0 in find_spoken_candidates(pl.Series([orjson.dumps({"text": text}).decode()]))


def test_joined_words_without_a_number_are_a_secret_behind_a_password_only() -> None:
    words = PHRASE.rstrip("0123456789")
    assert words not in redact(f"the password is {words}", is_user=True)
    assert words in redact(f"the secret is called {words}, the key is {words}", is_user=True)


def test_what_an_agent_writes_is_not_judged_by_its_form() -> None:
    text = f"The key: {PHRASE}"
    assert redact(text) == text


def test_long_texts_cost_what_they_are_long() -> None:
    for part in ("key lantern-copper-", f"key {PHRASE} ", "abc-" * 20, "0123456789abcdef" * 8, f"{HEX}\n"):
        assert grows_with_text(lambda text: list(find_typed_forms(text)), part, 200)
