from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.cli import run
from tests.agent_lines import codex_meta, codex_prompt
from tests.effects.session_home import Home, header, user, write


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    home = Home(tmp_path)
    write(home.sessions / "codex.jsonl", codex_meta(), *codex_prompt(1, "rename the giraffe class"))
    home.night()
    monkeypatch.setenv("RECOLLECT_LAKE", str(home.lake.root))
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "UTC")
    return home


def test_a_session_is_printed_with_the_command_that_opens_it(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "giraffe"]) == 0
    out = capsys.readouterr().out
    assert "codex   app  rename the giraffe class" in out
    assert "cd /w/app && codex resume 019b0000" in out
    assert run(["sessions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agent"] == "codex"


def test_open_prints_the_command_and_says_what_is_missing(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "giraffe", "--open"]) == 0
    assert capsys.readouterr().out.startswith("cd /w/app && codex resume")
    assert run(["sessions", "xylophone", "--open"]) == 1
    assert "no session matches" in capsys.readouterr().err
    assert run(["sessions", "giraffe", "--open", "--json"]) == 0
    session = json.loads(capsys.readouterr().out)
    assert (session["agent"], session["open"].startswith("cd /w/app && codex resume")) == ("codex", True)
    (home.sessions / "codex.jsonl").unlink()
    assert run(["sessions", "giraffe", "--open"]) == 1
    assert "all of it is in the lake" in capsys.readouterr().err


def test_a_folder_with_a_line_break_in_its_name_stays_one_line(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    write(home.sessions / "broken.jsonl", header("s-2", cwd="/w/two\nlines"), user("b", None, 2, "feed the okapi"))
    home.night()
    assert run(["sessions", "okapi"]) == 0
    assert "  two lines  feed the okapi\n" in capsys.readouterr().out


def test_nothing_found_is_not_an_error(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "xylophone"]) == 0
    assert capsys.readouterr() == ("", "no session matches `xylophone`\n")


def test_no_sessions_at_all_cannot_be_asked_for(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sessions", "-k", "0"]) == 2
    assert "a number from 1" in capsys.readouterr().err
