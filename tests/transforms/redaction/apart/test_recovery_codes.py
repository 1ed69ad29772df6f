"""Recovery codes behind their name; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

import orjson

from tests.each_case import each_case
from transforms.reading.redact_entries import clean_entries
from transforms.redaction.apart.recovery_codes import find_recovery_codes
from transforms.redaction.redact import redact

DRAW = random.Random(87)


def draw(size: int, letters: str = "0123456789") -> str:
    return "".join(DRAW.choices(letters, k=size))


GROUPS = [draw(4) for _ in range(4)]
MIXED = ["a" + draw(3, "bcdfgh23456789") + "7" for _ in range(4)]


@each_case("frame", [
    "my google backup codes are {} {} and {} {}", "Backup-Codes sind {} {}, {} {}", "códigos de recuperación {} {}, {} {}",
    "recovery codes:\n  1. {} {}\n  2. {} {}",
], codes=[GROUPS, MIXED])  # fmt: skip
def test_groups_with_blanks_behind_the_name_of_recovery_codes_are_secrets(frame: str, codes: list[str]) -> None:
    cleaned = redact(frame.format(*codes), is_user=True)
    assert [code for code in codes if code in cleaned] == []


def test_columns_of_codes_in_an_output_are_secrets() -> None:
    text = "Save these recovery codes:\n\n    {}    {}\n    {}    {}".format(
        *(draw(9, "abcdfgh23456789") + "5" for _ in range(4))
    )
    assert text.count("[redacted:") == 0
    assert redact(text).count("[redacted:recovery-code:") == 4


@each_case("frame", ['{"backup_codes": ["%s", "%s"]}', "Códigos de recuperación\n%s\n%s", "kurtarma kodları: %s, %s"])
def test_the_search_for_rows_finds_codes_of_an_output_by_their_name_in_any_language(frame: str) -> None:
    codes = [f"{code}-{code[::-1]}" for code in MIXED[:2]]
    entry = {"type": "message", "message": {"role": "toolResult", "content": [{"type": "text", "text": frame % tuple(codes)}]}}
    stored = clean_entries([entry], [orjson.dumps(entry)]).raw_json[0]
    assert [code for code in codes if code in stored] == []


@each_case("text", [
    "error codes 4001 4002 and 5003 come from the gateway", "the codes E1001, E1002 and E2003 mean timeout", "color codes ff00aa 00ff11 a1b2c3",
    "zip codes 10115 80331 20095", "recovery codes: 10 left, generated 2024-03-01", "backup keys rotate on 2024-05-01 and 2024-06-01",
])  # fmt: skip
def test_other_codes_counts_and_dates_stay(text: str) -> None:
    assert list(find_recovery_codes(text, is_user=True)) == []
