"""The rows of outputs and files in which a value without a name is a secret."""

# ruff: noqa: E501

import json
import string
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.reading.candidates.printed_candidates import FEW_VALUES, find_printed_rows, list_blocks_with
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


@each_case("code", range(32))
def test_no_escape_of_json_hides_a_value_right_behind_it(code: int) -> None:
    """JSON writes a control character as letters that stand in front of the value: `\\b`, `\\f`, `\\u001f`."""
    chance = Random(code)
    for frame in FRAMES:
        value = "".join(chance.choices(string.ascii_letters + string.digits + "!#-_+", k=chance.randrange(8, 44)))
        for text in (frame.format(chr(code) + value), json.dumps({"inner": frame.format(chr(code) + value)})):
            if next(find_printed_secrets(text), None) is not None:
                assert find_rows([text]) == [0]


def test_the_right_row_is_found_and_ids_are_none() -> None:
    assert find_rows(["nothing", f"host: nas\nwifi_home: {PASSWORD}\nport: 80", "v1.2.3"]) == [1]
    rows = pl.Series([json.dumps({"requestId": PASSWORD, "uuid": PASSWORD})])
    assert list(find_printed_rows(rows)) == []


def test_looking_for_values_takes_time_in_proportion_to_the_text_however_many_there_are() -> None:
    """A printed line of 60 MB had 300,000 of them, and looking for each in all of it took hours."""
    chance = Random(1)
    values = [f"{chance.getrandbits(128):032x}" for _ in range(9600)]
    assert grows_with_text(lambda text: list_blocks_with(text, values[: text.count(" ")]), "a word and " * 4 + "more", 50)


@settings(max_examples=8, deadline=None)
@given(chance=st.randoms(use_true_random=False), count=st.sampled_from([0, FEW_VALUES - 1, FEW_VALUES, 2 * FEW_VALUES]))
def test_a_value_among_many_is_found_as_among_few(chance: Random, count: int) -> None:
    """Few values are looked for one by one, many at once."""
    others = [f"{chance.getrandbits(128):032x}" for _ in range(count)]
    plain = "plain words and no more\n" * 120
    text = "\n".join([*others, f"{plain}host: nas\nwifi_home: {PASSWORD}\nport: 80"])
    [(start, end)] = list_blocks_with(text, [PASSWORD])
    assert PASSWORD in text[start:end]
    assert (start, end) in list_blocks_with(text, [PASSWORD, *others])
    if next(find_printed_secrets(text), None) is not None:
        assert find_rows([text]) == [0]
