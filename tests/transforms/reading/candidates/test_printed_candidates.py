"""The rows of outputs and files in which a value without a name is a secret."""

# ruff: noqa: E501

import json
import string
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.reading.candidates.printed_candidates import find_printed_rows
from transforms.redaction.bare.printed_judge import find_printed_secrets

FRAMES = ["wifi_home: {}\nport: 80", "  shh: '{}',\n", "$ cat .env\nRELAY={}", "tried {} with mara: ok", "{}", "https://x.example/hooks/{}", "{{\"bot\": \"{}\"}}"]  # fmt: skip
PASSWORD = "Kaffee" + "+Otter" + "4821!"


def find_rows(texts: list[str]) -> list[int]:
    rows = pl.Series([json.dumps({"id": "m1", "text": text}, ensure_ascii=False) for text in texts])
    return list(find_printed_rows(rows))


@settings(max_examples=150, deadline=None)
@given(
    chance=st.randoms(use_true_random=False), frame=st.sampled_from(FRAMES),
    before=st.text(st.characters(max_codepoint=126), max_size=30), after=st.text(st.characters(max_codepoint=126), max_size=30),
)  # fmt: skip
def test_a_row_that_is_left_out_holds_no_such_value(chance: Random, frame: str, before: str, after: str) -> None:
    value = "".join(chance.choices(string.ascii_letters + string.digits + "!#-_+", k=chance.randrange(8, 44)))
    text = f"{before}\n{frame.format(value)}\n{after}"
    if next(find_printed_secrets(text), None) is not None:
        assert find_rows([text]) == [0]


def test_the_right_row_is_found_and_ids_are_none() -> None:
    assert find_rows(["nothing", f"host: nas\nwifi_home: {PASSWORD}\nport: 80", "v1.2.3"]) == [1]
    rows = pl.Series([json.dumps({"requestId": PASSWORD, "uuid": PASSWORD})])
    assert list(find_printed_rows(rows)) == []
