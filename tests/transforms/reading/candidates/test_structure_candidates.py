"""The rows in which structure tells a secret."""

import base64
import json
import random
import string

import polars as pl

from tests.each_case import each_case
from transforms.reading.candidates.structure_candidates import ROW_HINTS, find_structured_rows
from transforms.reading.secret_prefilter import find_matching_rows

DRAW = random.Random(5)


def draw(alphabet: str, count: int) -> str:
    return "".join(DRAW.choices(alphabet, k=count))


ACCOUNT = base64.b64encode(b"svc_backup:" + b"lantern1983").decode()
PRODUCT_KEY = "-".join(draw(string.ascii_uppercase, 4) + draw(string.digits, 1) for _ in range(5))
NUMBERS = "-".join(draw(string.digits, 6) for _ in range(8))


def find_rows(*texts: str, users: list[int]) -> list[int]:
    rows = pl.Series([json.dumps({"text": text}, ensure_ascii=False) for text in texts])
    return find_structured_rows(rows, users, dict(zip(ROW_HINTS, find_matching_rows(rows, ROW_HINTS), strict=True)))


@each_case(
    "secret",
    [ACCOUNT, PRODUCT_KEY, NUMBERS, f"/private-{draw('0123456789abcdef', 24)}/ics"],
    frame=["it is {} now", "first\n{}\nlast", "auth={}"],
    users=[[], [1]],
)
def test_a_word_whose_structure_is_a_secrets_selects_its_row(secret: str, frame: str, users: list[int]) -> None:
    assert find_rows("nothing here", frame.format(secret), users=users) == [1]


@each_case(
    "text",
    [
        "commit 43c285d9d48b09bec3125d66d21a63c132f40664",
        base64.b64encode(b"just a sentence of words").decode(),
        "see https://docs.example/private/2026/report.html",
        "git log --oneline; ls src/app/main.py",
        "2026-01-02T10:00:00.000Z",
    ],
)
def test_hashes_paths_and_encoded_sentences_select_none(text: str) -> None:
    assert find_rows(text, text, users=[1]) == []


def test_commands_tables_and_lists_select_their_rows() -> None:
    value = "zebra" + "71x"
    codes = "\n".join(f"{draw('0123456789abcdef', 4)}7-a{draw('0123456789abcdef', 4)}" for _ in range(6))
    texts = (f"smbclient //nas/x -U ann%{value}", f"name,login,password,note\nshop,ann,{value},\n", f"codes\n{codes}\n", "ls")
    assert find_rows(*texts, users=[]) == [0, 1, 2]


def test_a_key_in_groups_of_base32_selects_the_row_of_an_output() -> None:
    groups = " ".join("".join(random.Random(place).choices("bcdfghjkqvxz234567", k=4)) for place in range(8))
    texts = [f"Setup key\n{piece}" for piece in (groups, groups.upper(), "this text will have four each word here")]
    assert find_rows(*texts, users=[]) == [0, 1]
