"""Secrets that are written in several pieces; drawn at run time."""

from __future__ import annotations

import random
import string

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.reading.redact_entries import clean_entries
from transforms.redaction.apart.joined_literals import find_joined_secrets

DRAW = random.Random(62)
FIRST, SECOND = ("".join(DRAW.choice(string.ascii_letters + string.digits) for _ in range(16)) for _ in range(2))
FORMS = [
    'const secret = "{}" +\n  "{}";', 'API_KEY = (\n    "{}"\n    "{}"\n)', "token = b'{}' \\\n        b'{}'",
    'String key = "{}"\n    .concat("{}");', "TOKEN={}\\\n{}\ncurl $URL",
    "client_secret: >-\n    {}\n    {}\n", "token: |\n  {}\n  {}",
    "key:\n  {}\n  {}", 'export API_TOKEN="{}"\\\n"{}"',
]  # fmt: skip


@each_case("form", FORMS)
def test_the_pieces_of_a_secret_go(form: str) -> None:
    text = form.replace("{}", FIRST, 1).replace("{}", SECOND, 1)
    content = [{"type": "text", "text": text}]
    entry = {"type": "message", "message": {"role": "toolResult", "toolCallId": "c", "toolName": "bash", "content": content}}
    cleaned = str(clean_entries([entry], [orjson.dumps(entry)]).raw_json[0])
    assert FIRST not in cleaned
    assert SECOND not in cleaned


@each_case("text", [
    'key = "the name of the column"\n      "in the table"', 'token = "first" + "second"', "keys:\n  first\n  second\n",
    'secret = "{}" + name',
    'password = "Enter the" " password"', "public key:\n  one\n  two", 'key: "a.b.c" + "d.e.f"',
])  # fmt: skip
def test_joined_words_are_no_secret(text: str) -> None:
    assert list(find_joined_secrets(text)) == []


@given(st.integers(2, 12))
def test_a_thousand_pieces_take_no_longer_than_their_characters(power: int) -> None:
    assert len(list(find_joined_secrets("key = " + '"ab" ' * 2**power))) == 0
