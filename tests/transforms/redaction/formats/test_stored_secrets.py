"""Secrets of files made for them: which values count, and in which rows they stand."""

from __future__ import annotations

import json

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.redaction.plain_redaction import redact_value
from transforms.redaction.formats.stored_secrets import (
    choose_secrets,
    find_rows_with_secrets,
    is_distinctive,
    list_stored_secrets,
)

KEY = "p3Q8tGzz9KLm" + "N2xXyYw1Qq"
DOTENV = f"""# the shop
NODE_ENV=production
PORT=3000
DB_NAME=hull_prod_2
DATABASE_URL=postgres://hull:walnut%40soup614@db.local:5432/hull
REDIS_PASSWORD=postgres
ADMIN_PASSWORD=plum7cellar
SECRET_KEY=changeme
SITE=https://example.com
IMAGE=registry.local/hull:1.4.2
RELEASE=9f1c2d3e4b5a69788796a5b4c3d2e1f001122334
export WHATEVER='{KEY}'
"""


def test_values_that_sessions_may_use_as_words_are_no_stored_secrets() -> None:
    """A port, a name, an address, a commit and a default password would be taken out of everything that is said about them."""
    assert set(list_stored_secrets(DOTENV)) == {"walnut%40soup614", "walnut@soup614", "plum7cellar", KEY}


@each_case(
    ("text", "secret"),
    [
        ("machine api.example login ann password plum77cellar\n", "plum77cellar"),
        ("db:5432:shop:ann:zirepobuko9\n", "zirepobuko9"),
        ("https://ann:plum264cellar@git.example.com\n", "plum264cellar"),
        (json.dumps({"acme": {"type": "api_key", "key": f"sk-{KEY}"}}), f"sk-{KEY}"),
    ],
)
def test_files_of_programs_give_their_secrets(text: str, secret: str) -> None:
    assert secret in list_stored_secrets(text)


@each_case("word", ["postgres", "development", "12345678", "changeme", "short7", "two\nlines77"])
def test_words_numbers_and_short_values_are_not_distinctive(word: str) -> None:
    assert not is_distinctive(word)


@settings(max_examples=40, deadline=None)
@given(
    secret=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=30),
    before=st.text(max_size=20),
    after=st.text(max_size=20),
    is_ascii=st.booleans(),
)
def test_a_stored_secret_is_seen_in_json_however_it_is_escaped_and_goes(
    secret: str, before: str, after: str, is_ascii: bool
) -> None:
    text = f"{before} {secret} {after}"
    if "redacted" in secret:
        return
    line = json.dumps({"text": text}, ensure_ascii=is_ascii)
    stored = {secret: "[redacted:secret:0000]", "another one": "[redacted:secret:1111]"}
    assert find_rows_with_secrets(pl.Series(["{}", line]), stored) == [1]
    chosen = choose_secrets(line, stored)
    assert secret in chosen
    clean, count = redact_value({"text": text}, False, 0, 0, chosen)
    assert secret not in clean["text"]
    assert count == len(chosen)


def test_a_longer_secret_that_begins_with_a_stored_one_leaves_no_rest() -> None:
    token = "ghp_" + "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2"
    clean, _ = redact_value({"text": f"use {token} here"}, stored={token[:12]: "[redacted:token:0000]"})
    assert token[12:] not in clean["text"]
