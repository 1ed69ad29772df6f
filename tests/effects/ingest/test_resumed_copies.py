"""Sessions of Claude Code that the client copied when the owner resumed them, under ids of their own."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path

import pytest

from tests.agent_lines import CLAUDE_ID, claude_answer, claude_prompt, text_part
from tests.effects.session_home import Home, write

FIRST = [
    json.dumps({"type": "summary", "summary": "Title", "leafUuid": "x"}),
    claude_prompt("p1", None, 0, "We decided to use Postgres for the queue."),
    claude_answer("a1", "p1", 1, "m1", text_part("It uses Postgres now."), output=9),
]
SECOND = claude_prompt("p2", "a1", 90, "Never use Redis for it.")
THIRD = claude_prompt("p3", "p2", 2000, "And name it jobs.")
IDS = (CLAUDE_ID, "00000000-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def copy_under(session_id: str, *lines: str) -> list[str]:
    """Return the lines as the client copies them into the file of another session."""
    return [line.replace(CLAUDE_ID, session_id) for line in lines]


def write_session(home: Home, session_id: str, *lines: str) -> Path:
    return write(home.sessions / f"{session_id}.jsonl", *copy_under(session_id, *lines))


def count_turns(home: Home) -> dict[str, tuple[int, int]]:
    return {row["session_id"]: (row["user_message_count"], row["output_tokens"]) for row in home.rows("sessions")}


@pytest.mark.parametrize("own", IDS[1:])
def test_a_session_that_was_resumed_under_another_id_counts_nothing_twice(home: Home, own: str) -> None:
    write_session(home, CLAUDE_ID, *FIRST)
    home.night()
    write_session(home, own, *FIRST, SECOND)
    home.night()
    assert count_turns(home) == {CLAUDE_ID: (1, 9), own: (1, 0)}
    write_session(home, own, *FIRST, SECOND, THIRD)
    home.night()
    assert count_turns(home) == {CLAUDE_ID: (1, 9), own: (2, 0)}, "it stays so while the copy grows"
    (home.sessions / f"{CLAUDE_ID}.jsonl").unlink()
    home.night()
    assert count_turns(home) == {CLAUDE_ID: (1, 9), own: (2, 0)}, "and when the client deletes the original"


@pytest.mark.parametrize("ids", [*permutations(IDS)])
def test_a_session_that_was_resumed_twice_counts_every_turn_once_in_one_night(home: Home, ids: tuple[str, str, str]) -> None:
    for own, lines in zip(ids, ([*FIRST], [*FIRST, SECOND], [*FIRST, SECOND, THIRD]), strict=True):
        write_session(home, own, *lines)
    home.night()
    assert count_turns(home) == {ids[0]: (1, 9), ids[1]: (1, 0), ids[2]: (1, 0)}


@pytest.mark.parametrize("order", [*permutations(range(3))])
@pytest.mark.parametrize("nights", [(1, 2), (2, 1), (1, 1, 1)])
def test_in_whatever_order_a_session_and_its_copies_are_read_every_turn_counts_once(
    home: Home, order: tuple[int, ...], nights: tuple[int, ...]
) -> None:
    texts = [*FIRST], [*FIRST, SECOND], [*FIRST, SECOND, THIRD]
    waiting = [*order]
    for count in nights:
        for number in waiting[:count]:
            write_session(home, IDS[number], *texts[number])
        waiting = waiting[count:]
        home.night()
    assert [sum(counts) for counts in zip(*count_turns(home).values(), strict=True)] == [3, 9]


def test_an_original_that_comes_back_behind_its_copy_counts_nothing_twice(home: Home) -> None:
    write_session(home, IDS[1], *FIRST, SECOND)
    home.night()
    write_session(home, CLAUDE_ID, *FIRST)
    home.night()
    assert count_turns(home) == {IDS[1]: (2, 9), CLAUDE_ID: (0, 0)}


def test_sessions_that_share_no_line_have_no_parent(home: Home) -> None:
    write_session(home, CLAUDE_ID, *FIRST)
    write_session(home, IDS[1], claude_prompt("q1", None, 0, "We decided to use Postgres for the queue."))
    home.night()
    assert {row["parent_session"] for row in home.rows("sessions")} == {None}
    assert {own: turns for own, (turns, _) in count_turns(home).items()} == {CLAUDE_ID: 1, IDS[1]: 1}
