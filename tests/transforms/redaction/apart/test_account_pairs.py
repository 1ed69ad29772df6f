"""Passwords behind the name of an account; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

import orjson
import polars as pl
import pytest

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.reading.redact_entries import clean_entries
from transforms.reading.secret_prefilter import find_spoken_candidates
from transforms.redaction.apart.account_pairs import find_account_pairs
from transforms.redaction.redact import redact

DRAW = random.Random(907)
WORDS = ("lantern", "Copper", "harbor", "Nebel")
JOINED = DRAW.choice(WORDS) + str(DRAW.randint(100, 999))
MARKED = DRAW.choice(WORDS) + "_" + DRAW.choice(WORDS).title() + str(DRAW.randint(10, 99))


@pytest.mark.parametrize("value", [JOINED, MARKED])
@pytest.mark.parametrize("frame", [
    "log in with mkaranja/{} on the staging box", "Zugang zum NAS: admin/{}, liegt im Keller", "zaloguj się jako tester/{}",
    "just log in as root, {}", "the vpn user is bo@firm.example / {}", "use pavel:{} for basic auth on the wiki",
    "wifi: Gartenhaus / {}", "credenziali: pino / {}", "connect as mara, {}",
    "войти под admin/{} и посмотри", "login: erp_service\n{}\n\nthat is for the ERP",
])  # fmt: skip
def test_what_a_person_types_behind_an_account_is_a_password(frame: str, value: str) -> None:
    text = frame.format(value)
    assert value not in redact(text, is_user=True)
    assert 0 in find_spoken_candidates(pl.Series([orjson.dumps({"text": text}).decode()]))


def test_of_an_agent_s_words_pairs_count_that_are_quoted_as_code() -> None:
    quoted, plain = f"I made two users: `anna` / `{JOINED}`.", f"the login of anna/{JOINED} fails"
    entries = [
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}
        for text in (quoted, plain)
    ]
    stored = clean_entries(entries, [orjson.dumps(entry) for entry in entries]).raw_json.to_list()
    assert JOINED not in stored[0]
    assert JOINED in stored[1]


@each_case("text", [
    "user story PAY-123/Story7 is done, login next", "log in to app/Login2Page and check the tab order", "login takes 350ms / 1200ms p99",
    "the account service is accounts/v2beta1 on port 8080", "use auth/jwt2 as the module", "unlock the account of mia/ops-team2 in LDAP",
    "access points: lobby, floor12", "sign in as tester with chrome126", "log in as root with python312 installed",
    "switch the auth to forgejo/worker16", "take alma/minimal95 as the box, then log in",
    'setenv("x-auth-token", "sha256")', "login fails on llama3.1:70b-instruct-q4_K_M", "I renamed admin/Users2 to staff/People3",
])  # fmt: skip
def test_names_paths_and_figures_in_sentences_about_accounts_stay(text: str) -> None:
    assert list(find_account_pairs(text, is_user=True)) == []


def test_a_long_text_of_pairs_costs_what_its_words_cost() -> None:
    assert grows_with_text(lambda text: list(find_account_pairs(text, is_user=True)), "user ab/cd12 log in, ", 200)
