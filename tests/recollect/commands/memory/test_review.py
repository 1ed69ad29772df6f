"""`recollect review` in a real terminal: proposals one by one, with edits, reasons and undo; short ids; lists elsewhere."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effects.system.errors import LockedError
from recollect.cli import run
from recollect.commands.memory import review
from recollect.review_walk import Walk, expand_ids, shorten_ids
from tests.effects.memory_world import World, copy_proposing_world

ROOT = Path(__file__).resolve().parents[4]
FIRST, SECOND, THIRD = "p-20260517-001", "p-20260517-002", "p-20260517-003"
IDS = st.builds("p-2026{:02}{:02}-{:03}".format, st.integers(1, 12), st.integers(1, 28), st.integers(1, 120))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return copy_proposing_world(tmp_path)


def settings_of(world: World) -> dict[str, str]:
    places = {"LAKE": world.run.settings.lake, "WORKSPACE": world.run.settings.workspace, "CONFIG": world.folder / "none.toml"}
    (world.folder / "none.toml").write_text("", encoding="utf-8")
    variables = {f"RECOLLECT_{name}": str(path) for name, path in places.items()}
    embedding = {"RECOLLECT_EMBEDDING__MODEL": str(world.folder / "no-model"), "RECOLLECT_REVIEW__EXPIRE_DAYS": "100000"}
    return {**os.environ, **variables, **embedding, "RECOLLECT_OWNER": "joel", "PYTHONPATH": str(ROOT), "TERM": "dumb"}


def type_into(world: World, *keys: str) -> str:
    """Run the command in a terminal, answer each prompt with one of the keys, and return the screen."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "recollect", "review"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=settings_of(world), cwd=world.folder
    ) as process:
        os.close(theirs)
        screen, waiting, deadline = "", list(keys), time.monotonic() + 90
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                screen += os.read(ours, 4096).decode()
            except OSError:  # the terminal closed
                break
            if (
                waiting
                and screen.rstrip("\r\n").endswith(("> ", "main", "pip", "slow"))
                and screen.count("> ") > len(keys) - len(waiting)
            ):
                os.write(ours, waiting.pop(0).encode())
        process.wait(30)
    os.close(ours)
    assert process.returncode == 0, screen
    return screen


def test_proposals_are_walked_through_with_undo_an_edit_and_a_reason(world: World) -> None:
    said_at = (world.run.as_of - timedelta(hours=6)).strftime("%Y-%m-%d %H:%M")
    screen = type_into(world, "y\n", "u\n", "n\n", "w\n", "e\n", "\x15Prefers uv and nothing else\n", "y\n", "q\n")
    assert world.statuses() == {FIRST: "rejected", SECOND: "approved", THIRD: "pending"}
    assert "Prefers uv and nothing else" in world.memory()
    assert "force-push" not in world.memory()
    assert world.events("edited") == [(SECOND, "Prefers uv and nothing else")]
    assert f"rejected   {FIRST}  Hard Rules: Never force-push to main" in screen
    assert f"added      {SECOND}  Joel: Prefers uv and nothing else" in screen
    assert "1 proposal waits" in screen
    assert f"{said_at}, “session-o-" in screen.replace("\r\n", "\n"), "why: when and in which session it was said"


def test_leaving_with_an_edited_line_that_was_not_approved_says_that_its_words_are_the_former_ones(world: World) -> None:
    screen = type_into(world, "e\n", "\x15Never force-push to main or trunk\n", "q\n")
    assert "1 waits with its former words: an edited line counts once `y` approves it" in screen
    assert set(world.statuses().values()) == {"pending"}
    assert world.events("edited") == []


def test_leaving_at_once_decides_nothing(world: World) -> None:
    assert "nothing was decided" in type_into(world, "q\n")
    assert set(world.statuses().values()) == {"pending"}


def test_in_a_pipe_it_lists(world: World) -> None:
    command = [sys.executable, "-m", "recollect", "review"]
    done = subprocess.run(command, env=settings_of(world), capture_output=True, text=True, timeout=90, check=False)
    assert done.stdout.count("p-20260517-") == 3
    assert set(world.statuses().values()) == {"pending"}


def test_short_ids_decide(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in settings_of(world).items():
        monkeypatch.setenv(name, value)
    assert run(["review", "approve", "3"]) == 0
    assert run(["review", "reject", "17-001"]) == 0
    assert world.statuses() == {FIRST: "rejected", SECOND: "pending", THIRD: "approved"}
    assert run(["review", "approve", "9"]) == 1
    capsys.readouterr()
    assert run(["review", "undo"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"taken back {FIRST}  Hard Rules: Never force-push to main", "2 proposals wait",
    ]  # fmt: skip
    assert world.statuses() == {FIRST: "pending", SECOND: "pending", THIRD: "approved"}


def test_reading_the_page_back_says_line_by_line_what_it_did(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in settings_of(world).items():
        monkeypatch.setenv(name, value)
    world.mark(FIRST, "x")
    world.edit(f"- [ ] `{SECOND}` Prefers uv over pip", f"- [ ] ~~`{SECOND}` Prefers uv over pip~~")
    world.edit("## Proposed for: Joel", "- [x] Tea, not coffee\n\n## Proposed for: Joel")
    assert run(["review", "apply", "--as-of", "2026-05-18"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"added      {FIRST}  Hard Rules: Never force-push to main",
        f"rejected   {SECOND}  Joel: Prefers uv over pip",
        "added      p-20260518-001  Joel: Tea, not coffee",
        "1 proposal waits",
    ]
    assert run(["review", "apply", "--as-of", "2026-05-18", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["decisions"] == []


@given(st.sets(IDS, max_size=30).map(sorted))
def test_every_proposal_has_a_short_name_that_means_it_alone(ids: list[str]) -> None:
    short = shorten_ids(ids)
    for own in ids:
        assert expand_ids([short[own]], ids) == [own]
        assert expand_ids([own], ids) == [own]


def test_short_names_have_one_form() -> None:
    """A number alone, while no two days have it."""
    ids = ["p-20260516-001", "p-20260517-001", "p-20260517-003"]
    assert list(shorten_ids(ids).values()) == ["16-001", "17-001", "17-003"]
    assert list(shorten_ids(ids[1:]).values()) == ["1", "3"]
    assert list(shorten_ids([ids[0], "p-20260616-001"]).values()) == ["0516-001", "0616-001"]


@pytest.mark.parametrize("is_patient", [True, False])
def test_the_answers_of_a_walk_wait_for_a_run_that_holds_the_lake(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_patient: bool
) -> None:
    """Whoever stops waiting sees the commands that decide the same."""
    for name, value in settings_of(world).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(review, "WALK_PATIENCE_S", 60.0 if is_patient else 0.0)
    walk = Walk({FIRST: "approve", SECOND: "reject"}, {FIRST: "Never force-push to trunk"})
    monkeypatch.setattr("recollect.review_walk.walk_through", lambda *_: walk)
    with ExitStack() as stack:
        stack.enter_context(world.run.lake.writing("a night"))
        if is_patient:
            Timer(1, stack.close).start()
            assert review.walk_proposals() == 0
        else:
            with pytest.raises(LockedError):
                review.walk_proposals()
    notes = capsys.readouterr().err
    assert "your answers are applied when it is free" in notes
    wanted = (
        {FIRST: "approved", SECOND: "rejected", THIRD: "pending"}
        if is_patient
        else dict.fromkeys((FIRST, SECOND, THIRD), "pending")
    )
    assert world.statuses() == wanted
    assert ("Never force-push to trunk" in world.memory()) is is_patient
    assert (f"recollect review approve {FIRST}\nrecollect review reject {SECOND}" in notes) is not is_patient


def test_a_secret_and_too_many_words_do_not_leave_the_prompt_of_a_walk(world: World) -> None:
    secret = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8"
    screen = type_into(world, "e\n", f"\x15Never push {secret}\n", "q\n")
    assert "+ Never push [redacted:" in screen
