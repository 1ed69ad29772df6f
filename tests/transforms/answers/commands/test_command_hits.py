"""The command for the work that is asked for is the present habit of its project."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

from transforms.answers.commands.command_hits import find_asked_command
from transforms.habits.command_row import RanCommand, write_command_row
from transforms.recall.rank import RankedCandidate
from transforms.recall.ranking_record import RankingRecord

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def row(command: str, day: int = 0, **changed: Any) -> RankingRecord:
    told = {"id": f"{command} {day}", "text": write_command_row(RanCommand(command)), "said_at": START + timedelta(days=day)}
    place = {"source": "observation", "kind": "command", "project": "/p", "session_id": f"s{day}", "speaker": None}
    return cast(RankingRecord, told | place | {"entry_ids": ["e"]} | changed)


def find(words: tuple[str, ...], *rows: RankingRecord, hits: tuple[int, ...] = (), **weights: float) -> str:
    folded = [(RankedCandidate(place, 1.0, 0.0, 0.0, 0.0), list[int]()) for place in hits]
    place = find_asked_command(rows, words, ("/p",), weights, folded, UTC)
    return "" if place is None else rows[place]["id"]


def test_a_command_answers_by_its_own_words_and_the_newest_row_is_told() -> None:
    assert find(("test",), row("zola build"), row("uv run pytest -q"), row("uv run pytest -q", 3)) == "uv run pytest -q 3"


def test_a_command_of_another_project_or_for_other_work_does_not() -> None:
    assert find(("test",), row("make test", project="/q"), row("make lint")) == ""
    assert find(("reset", "test", "password"), row("make test"), reset=9.0, password=9.0) == ""


def test_the_newest_form_answers() -> None:
    assert find(("check",), row("make check"), row("make check", 1), row("just check", 5)) == "just check 5"


def test_the_command_that_is_for_little_else_and_ran_often_answers() -> None:
    """All the tests, also where one of them ran on a later day; a build, and not the tests that the same program runs."""
    often = {"entry_ids": ["a", "b", "c"]}
    assert find(("test",), row("make test", 1, **often), row("make test:unit -- -run TestOne", 2)) == "make test 1"
    assert find(("build",), row("zig build", 1, session_id="s"), row("zig build test", 1, session_id="s")) == "zig build 1"
    assert (
        find(("test",), row("go test ./...", 1), row("mise run test:ci", 1, entry_ids=list("abcdefgh"))) == "mise run test:ci 1"
    )


def test_later_words_of_the_owner_among_the_first_hits_deny_it() -> None:
    said = row("", 9, source="turn", kind=None, text="never use poetry again", speaker="owner")
    assert find(("build",), row("poetry build"), said, hits=(1,)) == ""
    assert find(("build",), row("poetry build"), said) == "poetry build 0"
