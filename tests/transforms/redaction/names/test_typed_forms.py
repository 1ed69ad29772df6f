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
    "the primary key is clinic-slot-list2", "key: eu-west-1", "branch fix-login-flow2", "password is required-for-all-users",
])  # fmt: skip
def test_names_hashes_and_values_that_no_name_introduces_stay(text: str) -> None:
    assert list(find_typed_forms(text)) == []


def test_what_an_agent_writes_is_not_judged_by_its_form() -> None:
    text = f"The key: {PHRASE}"
    assert redact(text) == text


def test_long_texts_cost_what_they_are_long() -> None:
    for part in ("key lantern-copper-", f"key {PHRASE} ", "abc-" * 20, "0123456789abcdef" * 8, f"{HEX}\n"):
        assert grows_with_text(lambda text: list(find_typed_forms(text)), part, 200)
