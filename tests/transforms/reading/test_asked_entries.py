"""What was asked for before an entry, in sessions that are read at once or in parts; secrets are drawn at run time."""

from __future__ import annotations

import random
from zoneinfo import ZoneInfo

import orjson

from tests.each_case import each_case
from transforms.reading.entry_rows import make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.session_header import SessionHeader

DRAW = random.Random(29)
WORD = DRAW.choice(("tulip", "copper", "lantern")) + str(DRAW.randint(100, 999))
KEY = "".join(DRAW.choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQ23456789", k=21)) + "x9B"
TIME = "2026-11-20T10:00:00.000Z"


def say(number: int, role: str, *content: dict[str, object]) -> bytes:
    message = {"role": role, "content": list(content)}
    return orjson.dumps({"type": "message", "id": f"e{number}", "parentId": None, "timestamp": TIME, "message": message}) + b"\n"


def text(words: str) -> dict[str, object]:
    return {"type": "text", "text": words}


ASKED = [say(0, "assistant", text("What is the password of the test database?")), say(1, "user", text(WORD))]
PRINTED = [
    say(0, "assistant", {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "pass show db/test"}}),
    say(1, "toolResult", text(KEY)),
]


def read(lines: list[bytes], before: list[bytes] | None = None) -> str:
    header = SessionHeader("s", 3, TIME, "/w", None, 0)
    earlier = tuple(parse_chunk(b"".join(before or [])).objects)
    group = EntryGroup(FilePosition(header, "/s.jsonl", ZoneInfo("UTC")), parse_chunk(b"".join(lines)).objects, earlier)
    return "".join(make_entry_rows([group])[0]["raw_json"])


@each_case("lines, secret", [(ASKED, WORD), (PRINTED, KEY)])
def test_an_answer_is_a_secret_however_the_session_was_read(lines: list[bytes], secret: str) -> None:
    assert secret not in read(lines)
    assert secret not in read(lines[1:], before=lines[:1])
    assert secret in read(lines[1:])


def test_the_rest_of_an_entry_stays() -> None:
    answer = orjson.loads(ASKED[1]) | {"uuid": "0a1b2c3d-1111-4222-8333-444455556666", "slug": "warm-harbor-walk"}
    stored = read([ASKED[0], orjson.dumps(answer) + b"\n"])
    assert "0a1b2c3d-1111-4222-8333-444455556666" in stored
    assert "warm-harbor-walk" in stored
