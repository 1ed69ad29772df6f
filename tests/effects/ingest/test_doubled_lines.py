"""Lines that a client or a sync tool wrote twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent_lines import CODEX_ID, codex_answer, codex_meta, codex_prompt
from tests.effects.session_home import Home, answer, header, user, write

PI = [header(), user("a", None, 1, "one"), answer("b", "a", 2, "two"), user("c", "b", 200, "three")]
CODEX = [codex_meta(), *codex_prompt(1, "one"), codex_answer(2, "two"), *codex_prompt(200, "three")]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def count_turns(home: Home) -> list[int]:
    return [row["user_message_count"] for row in home.rows("sessions")]


@pytest.mark.parametrize("lines", [PI, CODEX], ids=["pi", "codex"])
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
    write(home.sessions / "a.jsonl", *CODEX, *codex_prompt(300, "three"))
    home.night()
    assert count_turns(home) == [3]
