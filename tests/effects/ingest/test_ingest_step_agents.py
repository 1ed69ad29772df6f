"""Sessions of Claude Code and Codex in the ingest step: told by content, whole, the same in any number of nights."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from effects.ingest.plan import make_source_row
from effects.ingest.session_files import stat_file
from effects.store.run import Run
from tests.agent_lines import (
    CLAUDE_ID,
    CODEX_ID,
    call_part,
    claude_answer,
    claude_prompt,
    claude_result,
    codex_answer,
    codex_line,
    codex_meta,
    codex_prompt,
    text_part,
)
from tests.effects.session_home import START, Home, answer, header, user, write
from transforms.tables.schema import SOURCES, build_frame

CLAUDE = [
    json.dumps({"type": "summary", "summary": "Title", "leafUuid": "a3"}),
    claude_prompt("p1", None, 0, "read é😀 please"),
    claude_answer("a1", "p1", 1, "m1", text_part("Reading."), output=1),
    claude_answer("a2", "a1", 1, "m1", call_part("c1", "Read", file_path="/w/a"), output=2),
    claude_result("r1", "a2", 2, "c1", "text of a"),
    claude_answer("a3", "a2", 3, "m1", call_part("c2", "Read", file_path="/w/b"), output=9),
    claude_result("r2", "a3", 3, "c2", "text of b"),
    claude_prompt("p1", None, 0, "read é😀 please"),
    "junk",
    claude_prompt("p2", "r2", 4, "thank you both"),
]
CODEX = [
    codex_meta(),
    *codex_prompt(1, "fix the linter é😀"),
    codex_answer(2, "It is fixed."),
    codex_line("event_msg", 3, type="token_count", info={"total_token_usage": {"input_tokens": 9, "output_tokens": 3}}),
    codex_line("event_msg", 4, type="token_count", info={"total_token_usage": {"input_tokens": 19, "output_tokens": 5}}),
    "junk",
    *codex_prompt(5, "now the tests"),
]
BY_AGENT = {"claude": CLAUDE, "codex": CODEX}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_agents_in_one_folder_or_in_several_are_told_apart_by_what_they_wrote(home: Home, tmp_path: Path) -> None:
    other = write(tmp_path / "elsewhere" / "any name.jsonl", *CODEX)
    write(home.sessions / "pi.jsonl", header(), user("a", None, 1, "hi"))
    write(home.sessions / "-w-app" / "claude.jsonl", *CLAUDE)
    home.run = Run(replace(home.run.settings, sessions=(home.sessions, other.parent)), home.lake, START)
    counts = home.night()
    assert (counts["read"], counts["quarantined"]) == (3, 2)
    results = {row["agent"]: (row["session_id"], row["agent_version"], row["project"]) for row in home.rows("sessions")}
    assert results == {
        "pi": ("s-1", None, "/w/app"),
        "claude": (CLAUDE_ID, "2.1.80", "/w/app"),
        "codex": (CODEX_ID, "0.125.0", "/w/app"),
    }


@pytest.mark.parametrize("agent", BY_AGENT)
def test_every_line_is_an_entry_or_quarantined(home: Home, agent: str) -> None:
    write(home.sessions / "a.jsonl", *BY_AGENT[agent])
    home.night()
    numbers = [row["line_no"] for row in home.rows("entries")] + [row["line_no"] for row in home.rows("quarantine")]
    assert sorted(numbers) == list(range(len(BY_AGENT[agent])))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(agent=st.sampled_from(sorted(BY_AGENT)), cuts=st.sets(st.integers(1, 2500), max_size=2))
def test_nights_that_see_the_file_grow_end_in_the_rows_of_one_reading(
    tmp_path_factory: pytest.TempPathFactory, agent: str, cuts: set[int]
) -> None:
    data = ("\n".join(BY_AGENT[agent]) + "\n").encode()
    lakes = []
    for name, ends in (("grown", [*sorted(cut for cut in cuts if cut < len(data)), len(data)]), ("whole", [len(data)])):
        home = Home(tmp_path_factory.mktemp(name))
        path = home.sessions / f"{CLAUDE_ID}.jsonl"
        for second, end in enumerate(ends):
            path.write_bytes(data[:end])
            os.utime(path, (second, second))
            home.night()
        lakes.append(home)
    for table in ("entries", "sessions", "quarantine"):
        grown, whole = (_without_paths(home.lake.read(table)) for home in lakes)
        assert_frame_equal(grown, whole)


def _without_paths(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.drop([name for name in ("path", "source_path") if name in frame.columns])


def test_a_file_that_a_version_for_pi_alone_refused_is_read_now(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", *CODEX)
    file = stat_file(path)
    assert file is not None
    refused = make_source_row(file, "refused", "its first object is not a session header but `session_meta`")
    with home.lake.writing("test"), home.lake.commit() as change:
        change.replace("sources", build_frame(SOURCES, [refused]))
    assert home.night()["read"] == 1
    assert [row["agent"] for row in home.rows("sessions")] == ["codex"]


def test_a_sub_agents_file_is_a_part_of_its_parents_session(home: Home) -> None:
    write(home.sessions / "-w" / f"{CLAUDE_ID}.jsonl", *CLAUDE)
    line = claude_prompt("s1", None, 1, "review the parser", isSidechain=True, agentId="a7")
    write(home.sessions / "-w" / CLAUDE_ID / "subagents" / "agent-a7.jsonl", line)
    home.night()
    rows = {row["session_id"]: row for row in home.rows("sessions")}
    sub = rows[f"agent-a7.{CLAUDE_ID}"]
    assert (sub["is_subagent"], sub["parent_session"], sub["user_message_count"]) == (True, CLAUDE_ID, 0)
    assert [row["is_subagent"] for own, row in rows.items() if own != sub["session_id"]] == [False]


def test_a_continued_session_does_not_count_what_it_repeats(home: Home) -> None:
    own = "99999999-2222-4333-8444-555555555555"
    write(home.sessions / f"{CLAUDE_ID}.jsonl", *CLAUDE[:7])
    write(home.sessions / f"{own}.jsonl", *CLAUDE[:7], claude_prompt("p9", "r2", 90, "and one more thing", sessionId=own))
    home.night()
    counted = {row["session_id"]: (row["user_message_count"], row["output_tokens"]) for row in home.rows("sessions")}
    assert counted == {CLAUDE_ID: (1, 9), own: (1, 0)}


def test_secrets_are_taken_out_of_every_line(home: Home) -> None:
    secret = "ghp_" + "a1B2" * 9
    write(
        home.sessions / "c.jsonl", claude_prompt("p", None, 0, f"token {secret}"), claude_result("r", "p", 1, "c", f"GH={secret}")
    )
    write(home.sessions / "x.jsonl", codex_meta(), *codex_prompt(1, f"use {secret}"))
    home.night()
    stored = "".join(f"{row['raw_json']}{row['text']}" for row in home.rows("entries"))
    assert secret not in stored
    assert stored.count("[redacted:") >= 6


PI = [header(), user("a", None, 1, "one"), answer("b", "a", 2, "two"), user("c", "b", 200, "three")]
ROLLOUT = [codex_meta(), *codex_prompt(1, "one"), codex_answer(2, "two"), *codex_prompt(200, "three")]


def count_turns(home: Home) -> list[int]:
    return [row["user_message_count"] for row in home.rows("sessions")]


@pytest.mark.parametrize("lines", [PI, ROLLOUT], ids=["pi", "codex"])
@pytest.mark.parametrize("nights", [1, 2])
def test_lines_that_stand_in_a_file_twice_are_entries_but_no_turns_of_their_own(
    home: Home, lines: list[str], nights: int
) -> None:
    path = home.sessions / f"{CODEX_ID}.jsonl"
    if nights == 2:
        write(path, *lines)
        home.night()
    write(path, *lines, *lines[1:])
    home.night()
    assert count_turns(home) == [2]
    rows = home.rows("entries")
    copies = [row["line_no"] for row in rows if "copied" in row["flags"]]
    assert copies == [*range(len(lines), 2 * len(lines) - 1)]
    assert len(rows) == 2 * len(lines) - (2 if lines is PI else 1), "every line keeps its row"


def test_an_id_that_comes_back_with_other_words_or_at_another_time_is_a_turn(home: Home) -> None:
    write(home.sessions / "a.jsonl", *PI, user("a", "c", 1, "other words"), user("c", "a", 300, "three"))
    home.night()
    assert count_turns(home) == [4]


def test_a_prompt_that_is_typed_again_is_a_turn_of_its_own(home: Home) -> None:
    write(home.sessions / "a.jsonl", *ROLLOUT, *codex_prompt(300, "three"))
    home.night()
    assert count_turns(home) == [3]
