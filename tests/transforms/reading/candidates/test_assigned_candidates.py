"""The search for assigned secrets around the names of a row finds what the whole rule finds in it."""

from typing import Any

import orjson
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.reading.candidates.assigned_candidates import SHARED_BYTES, may_be_assigned
from transforms.reading.secret_prefilter import find_secret_candidates
from transforms.redaction.redact import ASSIGNED, redact_value

DIGITS, MIXED = "5727" + "1234", "a8Kd93" + "xQzz71bb"
ASSIGNMENTS = (
    f"DB_PASSWORD='{DIGITS}'",
    f"encryption_key = {MIXED}",
    f'\\"api_hash\\": \\"{MIXED}{DIGITS}\\"',
    f"secret:\n    {MIXED}",
    f"set API_TOKEN | {MIXED}{DIGITS}",
    f"--access-token {MIXED}",
)
HARMLESS = ("token: options.token, ", "the key = value. ", "auth: none\n", 'const secret = getSecret("x");\n', "деплой ключа ")


def holds_assigned(value: Any) -> bool:
    return redact_value(value, False, 0, ASSIGNED)[1] > 0


@given(
    before=st.lists(st.sampled_from(HARMLESS), max_size=40),
    gap=st.integers(0, 2 * SHARED_BYTES),
    assignment=st.sampled_from(ASSIGNMENTS),
    after=st.lists(st.sampled_from(HARMLESS), max_size=40),
)
def test_a_row_with_an_assigned_secret_is_found_wherever_it_stands_among_other_names(
    before: list[str], gap: int, assignment: str, after: list[str]
) -> None:
    value = {"content": [{"text": "".join([*before, "x " * (gap // 2), assignment, "\n", *after])}]}
    found = find_secret_candidates(pl.Series("raw_json", [orjson.dumps(value).decode()]))
    assert 0 in found or not holds_assigned(value)


@given(texts=st.lists(st.sampled_from(HARMLESS), max_size=60))
def test_assignments_that_are_no_secret_select_no_row(texts: list[str]) -> None:
    value = {"content": [{"text": "".join(texts)}]}
    assert not holds_assigned(value)
    assert find_secret_candidates(pl.Series("raw_json", [orjson.dumps(value).decode()])) == {}


@each_case("value", [{"db": {"password": DIGITS}}, {"API_TOKEN": [MIXED + DIGITS]}])
def test_a_member_with_the_name_of_a_secret_selects_its_row(value: Any) -> None:
    assert holds_assigned(value)
    assert 0 in find_secret_candidates(pl.Series("raw_json", [orjson.dumps(value).decode()]))


def test_names_far_from_an_assignment_are_looked_at_without_the_text_between_them() -> None:
    """Of a row of a megabyte only the surroundings of its names are judged."""
    row = orjson.dumps({"text": "token: options.token " + "words of a long file " * 50_000}).decode()
    assert not may_be_assigned(row, [row.index("token")])
