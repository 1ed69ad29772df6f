"""`recollect remember`: from the command line into REVIEW.md or MEMORY.md."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from effects.store.lake import Lake
from recollect.cli import run
from transforms.tables.schema import SESSIONS, build_frame


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a lake, a workspace and no sessions, without a model."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    monkeypatch.setenv("RECOLLECT_OWNER", "mara")
    monkeypatch.chdir(Path.home())  # no project
    return tmp_path


def test_in_a_folder_without_sessions_a_line_is_of_this_folder(
    own_places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It held everywhere, and nothing said so; only in the home folder it does."""
    new = own_places / "blog"
    new.mkdir()
    monkeypatch.chdir(new)
    assert run(["remember", "Posts have a summary"]) == 0
    assert capsys.readouterr().out.endswith("Posts have a summary  (in blog)\n")
    assert run(["remember", "Never use emojis", "--everywhere"]) == 0
    assert capsys.readouterr().out.endswith("Never use emojis\n")


def test_in_a_folder_of_recollect_a_line_holds_everywhere(
    own_places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its owner stands in the workspace to look at a page, and no session will ever be held there."""
    for number, name in enumerate(("workspace", "lake")):
        place = own_places / name / "inside"
        place.mkdir(parents=True)
        monkeypatch.chdir(place)
        assert run(["remember", f"Answer in {number + 3} lines"]) == 0
        assert capsys.readouterr().out.endswith(f"Answer in {number + 3} lines\n")


def test_it_waits_in_review_and_nothing_else_changes(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """This holds for the very first command, before any night."""
    assert run(["remember", "Deploys happen on Tuesdays", "--section", "patterns", "--as-of", "2026-05-17"]) == 0
    out, err = capsys.readouterr()
    assert out == "p-20260517-001 waits in REVIEW.md  Patterns: Deploys happen on Tuesdays\n"
    assert err == "MEMORY.md and `recollect ask` have it after: recollect review approve p-20260517-001\n"
    assert "Deploys happen on Tuesdays" in (own_places / "workspace" / "REVIEW.md").read_text(encoding="utf-8")
    memory = own_places / "workspace" / "MEMORY.md"
    assert not memory.exists() or "Tuesdays" not in memory.read_text(encoding="utf-8")


def test_now_writes_it_and_the_next_question_finds_it(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without review, and without waiting for the night's index."""
    assert run(["remember", "Deploys happen on Tuesdays", "--now", "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out)["promoted"], err) == (1, "")
    memory = (own_places / "workspace" / "MEMORY.md").read_text(encoding="utf-8")
    assert "Deploys happen on Tuesdays" in memory.partition("## Mara")[2]
    assert run(["ask", "when do deploys happen?", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)["hits"]
    assert [(hit["source"], hit["text"]) for hit in hits] == [("memory", "Deploys happen on Tuesdays")]


def test_what_cannot_be_used_is_told_with_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    """The next command was "one of: …" and "for example …"."""
    assert run(["remember", "Deploys happen on Tuesdays", "--section", "Nonsense"]) == 2
    assert '  next: recollect remember "what to remember" --section "' in capsys.readouterr().err
    assert run(["ask", "deploys", "--since", "foo"]) == 2
    assert "`foo` is not a date; for example 2026-05-17\n  next: recollect ask --help\n" in capsys.readouterr().err
    assert run(["remember", "Deploys happen on Tuesdays", "--now"]) == 0
    assert run(["ask", "deploys", "--in", "facts"]) == 2
    assert "memory, observations, distillates, segments, turns" in capsys.readouterr().err


@pytest.mark.parametrize("way", ["command", "page"])
def test_an_approved_line_is_found_by_the_next_question(way: str, own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Approved on the command line or ticked in REVIEW.md and applied; "X is called Y" answers what X is called."""
    assert run(["remember", "Backups happen on Sundays", "--now"]) == 0  # the index is there, and must not stay behind
    capsys.readouterr()
    assert run(["remember", "The deploy server is called zanzibar"]) == 0
    proposal = capsys.readouterr().out.split()[0]
    if way == "command":
        assert run(["review", "approve", proposal]) == 0
    else:
        page = own_places / "workspace" / "REVIEW.md"
        page.write_text(page.read_text(encoding="utf-8").replace("- [ ]", "- [x]"), encoding="utf-8")
        assert run(["review", "apply"]) == 0
    capsys.readouterr()
    assert run(["ask", "what is the deploy server called?", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)["answer"]
    assert answer is not None
    assert answer.startswith("The deploy server is called zanzibar")


@pytest.mark.parametrize("is_everywhere", [False, True])
def test_a_line_is_of_this_folders_project_unless_it_holds_everywhere(
    is_everywhere: bool, own_places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other projects' briefings show the project's line last, with its name."""
    tide = own_places / "tide"
    tide.mkdir()
    lake = Lake(own_places / "lake")
    with lake.writing("test"), lake.commit() as change:
        rows = [{"session_id": "s", "project": str(tide)}, {"session_id": "t", "project": "/w/shop"}]
        change.replace("sessions", build_frame(SESSIONS, rows), date(2026, 5, 17))
    monkeypatch.chdir(tide)
    arguments = ["remember", "Deploys happen on Tuesdays", "--now", "--json", *(["--everywhere"] if is_everywhere else [])]
    assert run(arguments) == 0
    assert json.loads(capsys.readouterr().out)["project"] == (None if is_everywhere else str(tide))
    assert run(["briefing", "--project", "shop"]) == 0
    assert ("**tide**" in capsys.readouterr().out) is not is_everywhere
