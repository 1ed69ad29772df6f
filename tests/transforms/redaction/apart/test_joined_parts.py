"""Secrets in parts; drawn at run time."""

from __future__ import annotations

import random

from tests.each_case import each_case
from transforms.redaction.redact import redact

DRAW = random.Random(62)
ONE, TWO = ("".join(DRAW.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQ23456789", k=21)) + "x9" for _ in range(2))


@each_case("frame", [
    "TOKEN={}\\\n{}\ncurl $URL", "const secret = '{}' +\n  '{}';", 'api_key = ("{}"\n           "{}")', "$token = '{}' . '{}';",
    'export API_TOKEN="{}"\\\n"{}"',
])  # fmt: skip
def test_every_part_of_a_secret_is_one(frame: str) -> None:
    cleaned = redact(frame.format(ONE, TWO))
    assert ONE not in cleaned
    assert TWO not in cleaned


@each_case("rest", ["\\\n  --user=app", '"\n"$HOME/x2"', '" + name2', '"\n\n"other text 2"'])
def test_what_follows_a_secret_on_the_next_line_stays(rest: str) -> None:
    assert redact(f'TOKEN="{ONE}{rest}').endswith(rest)
