"""The rows in which a value without a name is a secret; no other row loses one."""

import json
import string
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.reading.candidates.bare_candidates import find_bare_rows, list_digit_words
from transforms.redaction.bare.bare_judge import find_bare_secrets

FRAMES = (
    "log in as mara / {}",
    "try {}",
    "its {} btw",
    "{} -> {}",
    "jwt.sign(u, '{}')",
    '{{"k": "{}"}}',
    "a\n{}\nb",
    "C:\\{}",
    "user {} works",
)
PASSWORD = "Kaffee" + "!Otter" + "4821"


def find_rows(texts: list[str], is_user: bool) -> list[int]:
    rows = pl.Series([json.dumps({"id": "m1", "text": text}, ensure_ascii=False) for text in texts])
    return list(find_bare_rows(rows, list_digit_words(rows), is_user))


@settings(max_examples=200, deadline=None)
@given(
    chance=st.randoms(use_true_random=False), frame=st.sampled_from(FRAMES), before=st.text(max_size=30),
    after=st.text(max_size=30), is_user=st.booleans(),
)  # fmt: skip
def test_a_row_that_is_left_out_holds_no_such_value(chance: Random, frame: str, before: str, after: str, is_user: bool) -> None:
    words = ["".join(chance.choices(string.ascii_letters + string.digits + "!#-_", k=chance.randrange(8, 30))) for _ in range(2)]
    text = f"{before} {frame.format(*words)} {after}"
    if next(find_bare_secrets(text, is_user), None) is not None:
        assert find_rows([text], is_user) == [0]


@each_case("code", range(32))
def test_no_escape_of_json_hides_a_value_right_behind_it(code: int) -> None:
    """JSON writes a control character as letters that stand in front of the value: `\\b`, `\\f`, `\\u001f`."""
    chance = Random(code)
    for frame in FRAMES:
        words = [chr(code) + "".join(chance.choices(string.ascii_letters + string.digits + "!#-_", k=16)) for _ in range(2)]
        text = frame.format(*words)
        for is_user in (True, False):
            if next(find_bare_secrets(text, is_user), None) is not None:
                assert find_rows([text], is_user) == [0]


def test_the_right_row_is_found() -> None:
    assert find_rows(["nothing", f"log in as mara / {PASSWORD}", "v1.2.3"], is_user=True) == [1]


@each_case("member", ["requestId", "uuid", "encrypted_content", "cwd", "signature"])
def test_a_member_with_an_id_makes_no_row_a_candidate(member: str) -> None:
    rows = pl.Series([json.dumps({member: f"{PASSWORD}"})])
    assert list(find_bare_rows(rows, list_digit_words(rows), True)) == []
