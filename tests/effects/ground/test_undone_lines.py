"""Lines of MEMORY.md, also by hand, of which recent work took a value out of the files become questions in REVIEW.md."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from effects.ground.ground_step import check_ground
from effects.ground.undone_lines import MAX_A_WEEK, PERHAPS_OVER
from effects.memory.forget import forget
from effects.memory.forget_targets import ForgetRequest
from effects.memory.review_page import render_review
from effects.memory.review_step import approve, reject
from effects.store.run import Run
from tests.effects.session_home import START, Home, answer, header, iso, user, write

GRACE = "- A check-in more than 15 minutes after the slot counts as a no-show"
MEMORY = "# Memory\n\n## System Architecture\n\n{}\n- Prefers short answers\n"
ASKED = "they agreed on twenty from october"


def call(own: str, parent: str, minute: float, **arguments: Any) -> str:
    parts = [{"type": "text", "text": "Changed."}, {"type": "toolCall", "id": own, "name": "edit", "arguments": arguments}]
    message = {"role": "assistant", "content": parts}
    return json.dumps({"type": "message", "id": own, "parentId": parent, "timestamp": iso(minute), "message": message})


def edit(own: str, minute: float, name: str, old: int, new: int) -> tuple[str, str, str]:
    change = {"path": "settings.yml", "edits": [{"oldText": f"{name}: {old}", "newText": f"{name}: {new}"}]}
    done = answer(f"{own}r", f"{own}a", minute + 2, f"The {name.replace('_', ' ')} is changed.")
    return user(f"{own}u", None, minute, ASKED), call(f"{own}a", f"{own}u", minute + 1, **change), done


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """One session, in which the agent made twenty of fifteen."""
    home = Home(tmp_path)
    write(home.sessions / "one.jsonl", header("one"), *edit("a", 1, "no_show_grace_minutes", 15, 20))
    home.night()
    write_memory(home, GRACE)
    return home


def write_memory(home: Home, *lines: str) -> None:
    path = home.run.settings.workspace / "MEMORY.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(MEMORY.format("\n".join(lines)), encoding="utf-8")


def check(home: Home, days: float = 1) -> int:
    run = Run(home.run.settings, home.lake, START + timedelta(days=days))
    with home.lake.writing("test"):
        return int(check_ground(run)["proposed"])


def test_a_line_by_hand_whose_number_was_changed_becomes_a_question_and_is_replaced_by_a_tick(home: Home) -> None:
    assert check(home) == 1
    (row,) = home.rows("proposals")
    assert (row["op"], row["old_text"], row["text"]) == ("replace", GRACE, GRACE[2:].replace("15", "20"))
    assert row["pattern"] == f"{PERHAPS_OVER}15 became 20 in settings.yml after you wrote “{ASKED}”"
    page = render_review(home.run)[0]
    assert f"Replaces in MEMORY.md: `{GRACE}`" in page
    assert row["pattern"] in page
    with home.lake.writing("test"):
        approve(home.run, [row["proposal_id"]])
    memory = (home.run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8")
    assert "more than 20 minutes" in memory
    assert GRACE not in memory


def test_a_tag_that_an_edit_replaced_is_asked_about_too(home: Home) -> None:
    """It is no number, and the file names it alone."""
    change = {
        "path": "envs/dev/providers.tf",
        "edits": [{"oldText": 'CostCentre = "CC-44X"', "newText": 'CostCentre = "CC-45X"'}],
    }
    turns = user("tu", None, 40, "finance rang, the other one"), call("ta", "tu", 41, **change), answer("tr", "ta", 42, "Done.")
    write(home.sessions / "tags.jsonl", header("tags"), *turns)
    home.night()
    write_memory(home, "- Every resource has CostCentre CC-44X")
    assert check(home) == 1
    (row,) = home.rows("proposals")
    assert (row["op"], row["text"]) == ("replace", "Every resource has CostCentre CC-45X")
    assert "CC-44X became CC-45X in envs/dev/providers.tf" in row["pattern"]


def test_a_line_is_asked_about_once(home: Home) -> None:
    assert (check(home), check(home)) == (1, 0)
    with home.lake.writing("test"):
        reject(home.run, [home.rows("proposals")[0]["proposal_id"]])
    assert check(home, days=3) == 0


def test_a_few_lines_a_week_are_asked_about_and_the_others_in_the_next_week(home: Home) -> None:
    names = [f"{name}_limit_hours" for name in ("alpha", "bravo", "delta", "gamma")]
    turns = [edit(name, 9 + 9 * at, name, 30 + at, 60 + at) for at, name in enumerate(names)]
    write(home.sessions / "two.jsonl", header("two"), *(line for turn in turns for line in turn))
    home.night()
    write_memory(home, *(f"- The {name.replace('_', ' ')} are {30 + at}" for at, name in enumerate(names)))
    assert [check(home, days) for days in (1, 2, 9)] == [MAX_A_WEEK, 0, MAX_A_WEEK]


@pytest.mark.parametrize(
    "line", ["- (2026-02-01) A check-in more than 15 minutes after the slot counts as a no-show", "- 15 retries are enough"]
)
def test_a_line_that_is_newer_or_about_something_else_is_no_question(home: Home, line: str) -> None:
    write_memory(home, line)
    assert check(home) == 0


def test_a_line_that_names_a_project_is_asked_about_for_work_there_alone(home: Home) -> None:
    other = write(home.sessions / "other.jsonl", header("other", cwd="/w/depot"), *edit("z", 40, "parcel_limit_kilos", 31, 45))
    assert other.exists()
    home.night()
    write_memory(home, GRACE.replace("- ", "- **depot** — "))
    assert check(home) == 0
    write_memory(home, GRACE.replace("- ", "- **app** — "))
    assert check(home) == 1


def test_a_forgotten_session_asks_nothing(home: Home) -> None:
    with home.lake.writing("test"):
        forget(home.run, ForgetRequest(session="one"))
    assert check(home) == 0


@pytest.mark.parametrize(
    "request_",
    [ForgetRequest(session="one"), ForgetRequest(record_id="one:au"), ForgetRequest(match="agreed on twenty")],
    ids=["session", "entry", "words"],
)
def test_a_question_goes_with_the_words_that_its_note_quotes_and_the_line_stays(home: Home, request_: ForgetRequest) -> None:
    """The note stood on REVIEW.md after its entry was forgotten."""
    assert check(home) == 1
    with home.lake.writing("test"):
        forget(home.run, request_)
    assert ASKED not in render_review(home.run)[0]
    assert GRACE in (home.run.settings.workspace / "MEMORY.md").read_text(encoding="utf-8")
