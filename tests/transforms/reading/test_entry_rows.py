from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.each_case import each_case
from transforms.reading.entry_rows import add_tree_columns, make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.pi.entry_text import is_failed, read_entry_text, read_usage
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.session_header import SessionHeader
from transforms.reading.timestamps import EPOCH, parse_time
from transforms.tables.json_object import parse_raw_json
from transforms.tables.schema import ENTRIES

AT = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def frame_of(data: bytes, version: int = 3, timestamp: object = None, first_line: int = 1) -> pl.DataFrame:
    position = FilePosition(SessionHeader("s", version, timestamp, "/w", None, 0), "/s/a.jsonl", ZoneInfo("UTC"))
    frame, _, _ = make_entry_rows([EntryGroup(position, parse_chunk(data, first_line).objects)])
    return frame


def rows_of(*entries: dict[str, Any], timestamp: object = "2026-01-01T12:00:00.000Z", version: int = 3) -> list[dict[str, Any]]:
    data = "".join(f"{json.dumps(entry)}\n" for entry in entries).encode()
    return add_tree_columns(frame_of(data, version, timestamp)).rows(named=True)


def message(role: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "id": "a",
        "parentId": None,
        "timestamp": "2026-01-01T12:00:01.000Z",
        "message": {"role": role, **fields},
    }


def test_rows_have_exactly_the_columns_of_the_table() -> None:
    assert frame_of(b"").schema == ENTRIES.row_schema


@each_case(
    ("entry", "text"),
    [
        (message("user", content="plain"), "plain"),
        (
            message(
                "user", content=[{"type": "text", "text": "a"}, {"type": "image", "data": "AA"}, {"type": "text", "text": "b"}]
            ),
            "a\nb",
        ),
        (message("user", content=None), ""),
        (message("assistant", content=[{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "x"}]), "x"),
        (message("assistant", content=[], stopReason="error", errorMessage="400 no"), "400 no"),
        (message("assistant", content="foreign"), "foreign"),
        (message("toolResult", content=[{"type": "text", "text": "out"}]), "out"),
        (message("bashExecution", command="ls", output="a\nb\n"), "$ ls\na\nb"),
        (message("bashExecution", command="true", output=""), "$ true"),
        (message("system", content="", sections={"a": "long"}), ""),
        ({"type": "custom_message", "content": "injected"}, "injected"),
        ({"type": "custom_message", "content": [{"type": "text", "text": "injected"}]}, "injected"),
        ({"type": "compaction", "summary": "S"}, "S"),
        ({"type": "branch_summary", "summary": "B"}, "B"),
        ({"type": "session_info", "name": "N"}, "N"),
        ({"type": "label", "targetId": "a", "label": "L"}, "L"),
        ({"type": "model_change", "provider": "p", "modelId": "m"}, "p/m"),
        ({"type": "thinking_level_change", "thinkingLevel": "high"}, "high"),
        ({"type": "context_edit", "targetId": "a", "replacement": {"content": "shorter"}}, "shorter"),
        ({"type": "context_edit", "targetId": "a", "replacement": None}, ""),
        ({"type": "custom", "customType": "x", "data": {"a": 1}}, ""),
        ({"type": "weird", "text": "kept"}, "kept"),
        ({"foo": 1}, ""),
    ],
)
def test_every_kind_of_entry_says_something_sensible(entry: dict[str, Any], text: str) -> None:
    assert read_entry_text(entry) == text
    (row,) = rows_of(entry)
    assert row["text"] == text
    assert row["entry_type"] == entry.get("type", "unknown")


@each_case(
    ("fields", "failed"),
    [
        ({"role": "toolResult", "isError": True}, True),
        ({"role": "toolResult"}, False),
        ({"role": "bashExecution", "exitCode": 0}, False),
        ({"role": "bashExecution", "exitCode": 2}, True),
        ({"role": "bashExecution", "cancelled": True}, True),
        ({"role": "assistant", "stopReason": "error"}, True),
        ({"role": "assistant", "stopReason": "aborted"}, False),
    ],
)
def test_what_counts_as_failed(fields: dict[str, Any], failed: bool) -> None:
    assert is_failed(fields) is failed


def test_a_missing_time_is_that_of_the_entry_before_and_the_first_is_the_headers() -> None:
    entries = [
        {"type": "label"},
        {"type": "label", "timestamp": "2026-01-01T13:00:00+01:00"},
        {"type": "label", "timestamp": "t"},
        message("user", content="x") | {"timestamp": None},
    ]
    entries[3]["message"]["timestamp"] = int((AT + timedelta(hours=1)).timestamp() * 1000)
    rows = rows_of(*entries)
    assert [row["said_at"] for row in rows] == [AT, AT, AT, AT + timedelta(hours=1)]
    assert ["no_time" in row["flags"] for row in rows] == [True, False, True, False]
    later = rows_of({"type": "label"}, {"type": "label", "timestamp": "2026-01-02T00:00:00Z"}, timestamp=None)
    assert later[0]["said_at"] == later[1]["said_at"]
    assert rows_of({"type": "label"}, timestamp="?")[0]["said_at"] == EPOCH


def test_an_entry_of_a_file_that_tells_no_time_has_that_of_the_file() -> None:
    position = FilePosition(SessionHeader("s", 3, "?", "/w", None, 0), "/s/a.jsonl", ZoneInfo("UTC"), file_time=AT)
    frame, _, _ = make_entry_rows([EntryGroup(position, parse_chunk(b'{"type":"label","timestamp":"?"}\n').objects)])
    assert frame["said_at"].to_list() == [AT]


@each_case(
    ("value", "time"),
    [
        (1767268800, "2026-01-01T12:00:00"),
        (1767268800.5, "2026-01-01T12:00:00.500000"),
        (1767268800123, "2026-01-01T12:00:00.123000"),
        (1767268800123456, "2026-01-01T12:00:00.123456"),
        (1767268800123456789, "2026-01-01T12:00:00.123457"),
        ("1767268800", "2026-01-01T12:00:00"),
        ("1767268800123", "2026-01-01T12:00:00.123000"),
        ("2001010112345", "2033-05-29T20:08:32.345000"),
        ("1767268800.25", "2026-01-01T12:00:00.250000"),
        ("2025-12-31T23:59:60Z", "2026-01-01T00:00:00"),
        ("2025-12-31T18:59:60.5-05:00", "2026-01-01T00:00:00.500000"),
        ("20251231T235960Z", "2026-01-01T00:00:00"),
        ("2025-12-31T24:00:00Z", "2026-01-01T00:00:00"),
        ("2025-12-31T24:00Z", "2026-01-01T00:00:00"),
        ("2026-W01-4T12:00:00Z", "2026-01-01T12:00:00"),
        ("2026w014t120000z", "2026-01-01T12:00:00"),
        ("20260101T120000Z", "2026-01-01T12:00:00"),
        ("2026-01-01T17:30:00+0530", "2026-01-01T12:00:00"),
        ("2026-01-01T12:00:00,123Z", "2026-01-01T12:00:00.123000"),
        ("2026-01-01 12:00:00Z", "2026-01-01T12:00:00"),
        ("2026-01-01 12:00:00 UTC", "2026-01-01T12:00:00"),
        ("2026-01-01t12:00:00z", "2026-01-01T12:00:00"),
        ("2026-01-01", "2026-01-01T00:00:00"),
        ("2026-001T12:00Z", "2026-01-01T12:00:00"),
        (" 2026-01-01T12:00:00Z ", "2026-01-01T12:00:00"),
    ],
)
def test_times_of_all_units_and_forms_of_the_standard_are_read(value: object, time: str) -> None:
    assert parse_time(value) == datetime.fromisoformat(f"{time}+00:00")


@each_case(
    "value", ["2025-366", "2026-000", "2026-01-01T24:00:01Z", "2026-01-01T12:60:60Z", "01/02/2026", "9" * 400, "nan", 10**400]
)
def test_a_text_that_is_nearly_a_time_is_none(value: object) -> None:
    assert parse_time(value) is None


@each_case("value", [None, "", "t", 1, True, [], "0001-01-01T00:00:00Z", 10**30, float("inf")])
def test_what_cannot_be_a_time_is_none(value: object) -> None:
    assert parse_time(value) is None


def test_usage_counts_cache_as_input_and_is_found_on_summaries_too() -> None:
    usage = {"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "cost": {"total": 0.5}}
    assert read_usage(message("assistant", usage=usage)) == (8, 2, 0.5)
    assert read_usage({"type": "compaction", "usage": usage}) == (8, 2, 0.5)
    assert read_usage({"type": "compaction"}) == (None, None, None)
    assert read_usage(message("assistant", usage={"input": "x", "cost": None})) == (0, 0, None)


def test_lone_surrogates_are_replaced_so_that_every_reader_accepts_the_row() -> None:
    (row,) = rows_of(message("user", content="x\ud83dy"))
    assert row["text"] == "x\ufffdy"
    assert orjson.loads(row["raw_json"])["message"]["content"] == "x\ufffdy"
    row["raw_json"].encode()


def test_numbers_beyond_64_bits_do_not_stop_a_row() -> None:
    (row,) = rows_of({"type": "custom", "data": 10**30, "text": "\ud800"})
    assert json.loads(row["raw_json"])["data"] == pytest.approx(1e30)


def test_flags_tell_what_was_odd() -> None:
    rows = rows_of(
        message("assistant", content="text"),
        message("user", content=[{"type": "image", "data": "AA"}]) | {"id": None, "parentId": "nowhere"},
        message("user", content="again"),
    )
    assert [row["flags"] for row in rows] == [["string_content"], ["image", "no_id", "orphan"], ["duplicate_id"]]
    assert [row["turn_kind"] for row in rows] == [None, "pasted", "typed"]


def test_raw_json_keeps_unknown_members() -> None:
    entry = {"type": "future_thing", "id": "a", "zone": {"deep": [1, None]}, "timestamp": "2026-01-01T00:00:00Z"}
    assert json.loads(rows_of(entry)[0]["raw_json"]) == entry


def test_a_secret_in_the_first_of_two_members_with_one_name_is_not_stored() -> None:
    secret = "sk-" + "ant-" + "kX7" * 14
    line = json.dumps({"type": "custom", "id": "a", "parentId": None, "data": secret})[:-1] + ', "data": "harmless"}\n'
    frame = frame_of(line.encode())
    assert json.loads(frame["raw_json"][0])["data"] == "harmless"
    assert secret not in frame["raw_json"][0]


def test_an_ordinary_line_is_stored_byte_for_byte() -> None:
    line = '{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T12:00:01.000Z","data":{"n":1.0,"é":[ ]}}'
    assert frame_of(f"{line}\n".encode())["raw_json"][0] == line


@each_case(
    "written",
    ["2026-01-01T12:00:01.123Z", "2026-01-01T12:00:60.000Z", "2026-02-30T12:00:01.123Z", "1999-01-01T12:00:01.123Z",
     "2026-01-01T12:00:01Z", "2026-01-01T12:00:01.12345", "2026-01-01T13:00:01.12+01:0", "2026-01-01T24:00:00.000Z",
     "2026-01-01 12:00:01.123Z", "٢٠٢٦-01-01T12:00:01.123Z", "2026-01-01T12:00:01,123Z", "2026-01-01T12:00:01.123z",
     "2200-01-01T12:00:01.123Z", 5, None],
)  # fmt: skip
def test_a_time_in_the_column_is_the_one_that_python_reads(written: object) -> None:
    at_start = datetime(2026, 1, 1, 11, 59, tzinfo=UTC)
    (row,) = rows_of({"type": "custom", "id": "a", "timestamp": written}, timestamp=at_start.isoformat())
    assert row["said_at"] == (parse_time(written) or at_start)


@each_case("member", [b'"odd":%s', b'"usage":{"input":%s,"cost":{"total":%s}}'], number=[b"1e999", b"-1e999", b"1" * 400])
def test_numbers_beyond_all_doubles_cost_nothing_and_lose_no_entry(number: bytes, member: bytes) -> None:
    odd = member.replace(b"%s", number)
    data = b'{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"text","text":"hi"}],%s}}\n' % odd
    for version in (1, 3):
        frame = frame_of(data, version)
        assert (frame["text"].to_list(), frame["cost_usd"].to_list()) == (["hi"], [None])
        assert frame["raw_json"].to_list() == [data.decode().strip()]


def test_a_number_beyond_all_doubles_is_read_back_from_the_stored_line() -> None:
    frame = frame_of(b'{"type":"message","id":"a","message":{"role":"user","content":"hi","odd":-1e999}}\n')
    assert parse_raw_json(frame["raw_json"][0])["message"]["odd"] == -math.inf


def test_groups_below_each_other_give_the_rows_of_each_by_itself() -> None:
    secret = b"sk-" + b"ant-" + b"kX7" * 14
    lines = [b'{"type":"message","id":"%d","message":{"role":"user","content":"%s"}}\n' % (at, secret) for at in range(3)]
    groups = [
        EntryGroup(
            FilePosition(
                SessionHeader(name, 3, "2026-01-01T00:00:00Z", "/w", None, 0), f"/s/{name}.jsonl", ZoneInfo("UTC"), first
            ),
            parse_chunk(data, 7).objects,
        )
        for name, first, data in (("a", 0, b"".join(lines)), ("b", 5, b' {"id":"odd line"}\n'), ("c", 0, b""), ("d", 0, lines[0]))
    ]
    frame, secrets, _ = make_entry_rows(groups)
    assert_frame_equal(frame, pl.concat([make_entry_rows([group])[0] for group in groups]))
    assert secrets == [3, 0, 0, 1]
    assert frame["ordinal"].to_list() == [0, 1, 2, 5, 0]
    assert frame["line_no"].to_list() == [7, 8, 9, 7, 7]
