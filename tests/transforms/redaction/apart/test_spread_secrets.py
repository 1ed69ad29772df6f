"""Secrets of a session wherever else they stand in it; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import base64
import html
import json
import random
import shlex
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import orjson
import polars as pl

from tests.each_case import each_case
from transforms.reading.redact_entries import clean_entries, find_followed
from transforms.redaction.apart.spread_secrets import add_plain_forms, choose_followed, is_session_word, replace_followed

DRAW = random.Random(29)
LETTERS = "abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789"
RANDOM = "".join(DRAW.choices(LETTERS, k=13)) + "7x"
MARKED = "q" + "".join(DRAW.choices(LETTERS, k=4)) + "!&\"'$ " + "".join(DRAW.choices(LETTERS, k=5))
NAME_LIKE = f"{DRAW.choice(('basket', 'kettle', 'meadow'))}-{DRAW.randint(1000, 1999)}"


def make_entry(text: str, role: str = "toolResult") -> dict[str, object]:
    return {"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}]}}


def clean_session(*texts: str) -> list[str]:
    entries = [make_entry(text) for text in texts]
    clean = clean_entries(entries, [orjson.dumps(entry) for entry in entries], sessions=[(len(texts), {})])
    return [orjson.loads(line)["message"]["content"][0]["text"] for line in clean.raw_json]


@each_case("secret", [RANDOM, NAME_LIKE])
def test_what_one_entry_gives_away_goes_from_the_entries_before_and_behind_it(secret: str) -> None:
    before, named, behind, other = clean_session(
        f"so it says {secret} here", f"DB_PASSWORD={secret}", f"wrote:\n{secret}\nend", "nothing of it"
    )
    assert secret not in before + named + behind
    assert before.startswith("so it says [redacted:")
    assert other == "nothing of it"


def test_entries_of_another_session_keep_a_value_that_nothing_there_gives_away() -> None:
    entries = [make_entry(f"DB_PASSWORD={NAME_LIKE}"), make_entry(f"the place {NAME_LIKE} is fine")]
    clean = clean_entries(entries, [orjson.dumps(entry) for entry in entries], sessions=[(1, {}), (1, {})])
    assert NAME_LIKE not in clean.raw_json[0]
    assert NAME_LIKE in clean.raw_json[1]
    assert [NAME_LIKE in given for given in clean.given_away] == [True, False]


@each_case("write", [
    quote, lambda secret: quote(secret, safe=""), quote_plus, shlex.quote, html.escape,
    lambda secret: json.dumps({"deep": secret}), lambda secret: json.dumps(json.dumps({"deep": secret})), lambda secret: f"mysql -p{secret}",
    *(lambda secret, user=user: "Basic " + base64.b64encode(f"{user}:{secret}".encode()).decode() for user in ("a", "ab", "abc")),
    lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(), lambda secret: secret.encode().hex(),
])  # fmt: skip
def test_a_secret_is_known_in_the_forms_that_other_programs_write(write: Callable[[str], str]) -> None:
    for secret in (RANDOM, MARKED, NAME_LIKE):
        text, given_away = f"sent {write(secret)} twice", {secret: "[redacted:password:0000]"}
        lines = pl.Series("raw_json", [json.dumps(make_entry(text))])
        assert find_followed(lines, given_away) == {0: given_away}
        cleaned = replace_followed(text, given_away)
        assert write(secret).strip("'\"") not in cleaned
        assert cleaned.startswith("sent ")
        assert cleaned.endswith(" twice")


@each_case("line", ["image: {}:16-alpine", "cd /var/lib/{}", "{}_backup.sql", "pod/{}-0 is ready", "db.{}.svc"])
def test_a_password_that_the_session_writes_as_a_part_of_names_stays_there(line: str) -> None:
    word = "quellbach"
    assert is_session_word(word, [line.format(word)])
    first, second = clean_session(f"DB_PASSWORD={word}", line.format(word) + f" and {word}")
    assert word not in first
    assert second.count(word) == 2


def test_a_word_that_many_entries_hold_is_no_secret_in_them() -> None:
    assert not is_session_word(NAME_LIKE, [f"use {NAME_LIKE}"] * 12)
    assert is_session_word(NAME_LIKE, [f"use {NAME_LIKE}"] * 13)


def test_what_base64_or_an_address_says_is_followed_too() -> None:
    said = base64.b64encode(f"ann:{NAME_LIKE}".encode()).decode()
    assert set(add_plain_forms({said: "[]"})) == {said, NAME_LIKE}
    assert set(add_plain_forms({"kettle%2D77": "[]"})) == {"kettle%2D77", "kettle-77"}
    assert add_plain_forms({RANDOM: "[]"}) == {RANDOM: "[]"}
    secret, words = clean_session(
        "kind: Secret\ndata:\n  password: " + base64.b64encode(NAME_LIKE.encode()).decode(), f"it says {NAME_LIKE} there"
    )
    assert "redacted" in secret
    assert NAME_LIKE not in words


def test_a_number_of_six_digits_is_followed_unless_many_texts_have_it() -> None:
    assert choose_followed(["480456", "20261129", "123456", "777777"]) == ["480456"]
    assert replace_followed("pin 480456, 1.480456 and x480456", {"480456": "[]"}) == "pin [], 1.480456 and x480456"


def test_numbers_short_words_and_blocks_are_not_followed() -> None:
    assert choose_followed(["4711", "kurz", "two\nlines of it", "password", "<value>"]) == []
    assert choose_followed([RANDOM, NAME_LIKE]) == [RANDOM, NAME_LIKE]


def test_a_name_inside_of_a_longer_word_is_not_replaced() -> None:
    secret = "kettlebell"
    assert replace_followed(f"{secret}s and x{secret}", {secret: "[]"}) == f"{secret}s and x{secret}"
    assert secret not in replace_followed(f"'{secret}' and -p{secret}", {secret: "[]"})
