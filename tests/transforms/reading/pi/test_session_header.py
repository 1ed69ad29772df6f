from __future__ import annotations

import json

from tests.each_case import each_case
from transforms.reading.json_lines import ParsedObject, parse_chunk
from transforms.reading.pi.session_header import read_header
from transforms.reading.session_header import SessionHeader


def _parse(line: str) -> ParsedObject:
    return parse_chunk(f"{line}\n".encode()).objects[0]


@each_case(
    ("first", "reason"),
    [
        ('{"v":4,"kind":"header","id":"x","storageVersion":1}', "harness store"),
        ('{"type":"message","id":"a"}', "not a session header"),
        ('{"type":"session","version":3}', "no session id"),
        ('{"type":"session","id":7}', "no session id"),
    ],
)
def test_a_file_without_a_session_header_is_refused_with_a_reason(first: str, reason: str) -> None:
    header_seen = read_header(_parse(first))
    assert isinstance(header_seen, str)
    assert reason in header_seen


@each_case(
    ("version", "read"),
    [
        *[(None, 1), (1, 1), (2, 2), (3, 3), (9, 9), ("x", 1), (True, 1)],
        *[(3.0, 3), (2.5, 2), (0, 0), (-7, 0), (70_000, 32_767), (2**70, 32_767)],
    ],
)
def test_a_header_of_any_version_is_read(version: object, read: int) -> None:
    value = {"type": "session", "id": "s", "cwd": "/w", "branchedFrom": "/p.jsonl"} | (
        {"version": version} if version is not None else {}
    )
    header = read_header(_parse(json.dumps(value)))
    assert isinstance(header, SessionHeader)
    assert (header.version, header.cwd, header.parent_session) == (read, "/w", "/p.jsonl")
