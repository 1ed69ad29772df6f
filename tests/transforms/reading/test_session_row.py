from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import orjson
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tests.each_case import each_case
from transforms.reading.entry_rows import add_tree_columns, make_entry_rows
from transforms.reading.json_lines import parse_chunk
from transforms.reading.placed_entry import EntryGroup, FilePosition
from transforms.reading.session_header import SessionHeader
from transforms.reading.session_row import (
    find_origins,
    find_touched_forks,
    resolve_parent_id,
    summarise_empty_session,
    summarise_sessions,
)

ZONE = ZoneInfo("Europe/Berlin")
START = datetime(2026, 1, 1, tzinfo=UTC)


@each_case(
    ("path", "parent"),
    [
        (None, None),
        ("/s/known.jsonl", "k-1"),
        ("/elsewhere/2026-01-01T00-00-00-000Z_my_id-1.jsonl", "my_id-1"),
        ("C:\\s\\2026_x.jsonl", "x"),
        ("plain.jsonl", "plain"),
    ],
)
def test_a_parent_is_a_known_file_or_the_id_in_its_name(path: str | None, parent: str | None) -> None:
    assert resolve_parent_id(path, {"/s/known.jsonl": "k-1"}) == parent


def test_a_fork_is_compared_with_its_parent_or_with_earlier_siblings_when_that_is_missing() -> None:
    parents = {"a": None, "b": "a", "x": "lost", "y": "lost", "z": "lost"}
    assert find_origins("a", parents) == []
    assert find_origins("b", parents) == ["a"]
    assert find_origins("x", parents) == []
    assert find_origins("z", parents) == ["x", "y"]


@each_case("size", [1, 2, 3])
def test_a_ring_of_parents_leaves_one_original(size: int) -> None:
    names = "abc"[:size]
    parents: dict[str, str | None] = {name: names[(index + 1) % size] for index, name in enumerate(names)}
    originals = [name for name in names if not find_origins(name, parents)]
    assert originals == ["a"]


def test_a_new_parent_child_or_sibling_makes_a_fork_be_looked_at_again() -> None:
    parents = {"a": None, "b": "a", "c": None, "x": "lost", "y": "lost"}
    assert find_touched_forks({"a"}, parents) == ["b"]
    assert find_touched_forks({"b"}, parents) == ["b"]
    assert find_touched_forks({"c"}, parents) == []
    assert find_touched_forks({"x"}, parents) == ["x", "y"]


def _rows(session_id: str, session: list[dict[str, Any]]) -> pl.DataFrame:
    header = SessionHeader(session_id, 3, "2026-01-01T00:00:00.000Z", "/w", None, 0)
    data = b"".join(orjson.dumps(entry) + b"\n" for entry in session)
    return make_entry_rows([EntryGroup(FilePosition(header, "/s", ZONE), parse_chunk(data).objects)])[0]


def _message(role: str, text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}], **fields}}


SAID = st.sampled_from(["Fix the tests", "```\npasted\n```", "/help", "Zeile eins\nzwei", "word " * 40, ""])
ENTRIES = st.one_of(
    SAID.map(lambda text: _message("user", text)),
    st.builds(
        lambda provider, model, cost: _message("assistant", "", provider=provider, model=model, usage={"input": 3, "cost": cost}),
        st.sampled_from(["p", None]), st.sampled_from(["m", "n", None]), st.sampled_from([None, {"total": 0.1}, {"total": 1e-9}]),
    ),
    st.sampled_from(["  a \n name ", "", None]).map(lambda name: {"type": "session_info", "name": name}),
    st.just({"type": "custom"}),
)  # fmt: skip
PLACED = st.tuples(
    ENTRIES, st.sampled_from("abcd"), st.sampled_from(["a", "b", "x", None]), st.sampled_from([None, "2026-03-01T23:30:00.000Z"])
).map(lambda made: {"id": made[1], "parentId": made[2], "timestamp": made[3]} | made[0])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.lists(PLACED, min_size=1, max_size=6), min_size=1, max_size=4))
def test_new_sessions_all_at_once_are_what_each_is_by_itself(sessions: list[list[dict[str, Any]]]) -> None:
    frames = [_rows(f"s{at}", session) for at, session in enumerate(sessions)]
    apart = [add_tree_columns(frame, copied=set()) for frame in frames]
    together = add_tree_columns(pl.concat(frames), [frame.height for frame in frames], set())
    assert_frame_equal(together, pl.concat(apart))
    summaries = [summarise_sessions(frame, ZONE) for frame in apart]
    assert summarise_sessions(together, ZONE) == {own: row for rows in summaries for own, row in rows.items()}


@each_case(("said", "title"), [
    (["hi", "1", "Fix the tests"], "Fix the tests"), (["clear", "fix auth", "and the docs"], "fix auth"), (["commit"], "commit"),
    (["하이", "로그인 오류를 고쳐줘"], "로그인 오류를 고쳐줘"), (["修复登录错误", "go on"], "修复登录错误"), ([], None),
])  # fmt: skip
def test_a_title_is_the_first_line_that_names_a_matter(said: list[str], title: str | None) -> None:
    """A single word names none; where nothing else was typed it is better than nothing."""
    lines = [
        _message("user", text) | {"id": str(number), "timestamp": f"2026-03-01T10:0{number}:00.000Z"}
        for number, text in enumerate(said)
    ]
    frame = add_tree_columns(_rows("s", lines or [{"type": "custom", "id": "a"}]), copied=set())
    assert summarise_sessions(frame, ZONE)["s"]["title"] == title


def test_copied_entries_count_as_entries_and_for_the_title_only() -> None:
    lines = [
        _message("user", "Fix the tests") | {"id": "a", "parentId": None, "timestamp": "2026-03-01T10:00:00.000Z"},
        _message("assistant", "", provider="p", model="m", usage={"input": 3, "output": 4, "cost": {"total": 0.5}})
        | {"id": "b", "parentId": "a", "timestamp": "2026-03-01T10:01:00.000Z"},
        {"type": "custom", "id": "c", "parentId": "b", "timestamp": "2026-03-01T23:30:00.000Z"},
    ]
    row = summarise_sessions(add_tree_columns(_rows("s", lines), copied={0, 1}), ZONE)["s"]
    assert (row["title"], row["entry_count"], row["user_message_count"], row["models"]) == ("Fix the tests", 3, 0, [])
    assert (row["input_tokens"], row["output_tokens"], row["cost_usd"]) == (0, 0, 0.0)
    assert (row["started_at"], row["day"]) == (datetime(2026, 3, 1, 23, 30, tzinfo=UTC), date(2026, 3, 2))
    only_copied = summarise_sessions(add_tree_columns(_rows("s", lines), copied={0, 1, 2}), ZONE)["s"]
    assert only_copied["started_at"] == only_copied["ended_at"]


def test_an_empty_session_has_the_columns_of_any_other() -> None:
    assert summarise_empty_session(START, ZONE).keys() == summarise_sessions(_rows("s", [{"type": "custom"}]), ZONE)["s"].keys()
