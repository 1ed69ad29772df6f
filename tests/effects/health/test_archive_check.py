"""`recollect doctor` says what the clients delete and that the lake has it."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from effects.health.archive_check import check_archive, check_cut_files
from effects.store.run import Run
from tests.agent_lines import CLAUDE_ID, claude_prompt
from tests.effects.session_home import START, Home, header, user, write


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def say(home: Home, days_later: float = 0) -> list[tuple[str, str]]:
    later = Run(home.run.settings, home.lake, START + timedelta(days=days_later))
    return [(check.level, check.detail) for check in check_archive(later)]


def test_claude_code_deletes_and_the_lake_has_it(home: Home, own_home: Path) -> None:
    path = write(home.sessions / f"{CLAUDE_ID}.jsonl", claude_prompt("p", None, 0, "hello there"))
    os.utime(path, (START.timestamp(), START.timestamp()))
    home.night()
    ((level, detail),) = say(home)
    assert level == "ok"
    assert "30 days after their last change" in detail
    assert detail.endswith("the lake has its file")
    assert say(home, 25)[0][1].endswith("1 of them due within 7 days")
    (own_home / ".claude" / "projects").mkdir(parents=True)
    (own_home / ".claude" / "settings.json").write_text(json.dumps({"cleanupPeriodDays": 90}))
    assert "90 days" in say(home)[0][1]
    path.unlink()
    write(home.sessions / "pi.jsonl", header(), user("a", None, 1, "hi"))
    home.night()
    assert "no file is left there; 1 that are deleted are in the lake only" in say(home)[0][1]


def test_sessions_that_will_be_deleted_unread_are_named(home: Home, own_home: Path) -> None:
    write(own_home / ".claude" / "projects" / "-w" / f"{CLAUDE_ID}.jsonl", claude_prompt("p", None, 0, "hello there"))
    write(home.sessions / "pi.jsonl", header(), user("a", None, 1, "hi"))
    home.night()
    ((level, detail),) = say(home)
    assert level == "note"
    assert "the 1 files in" in detail


def test_where_only_pi_writes_nothing_is_deleted(home: Home) -> None:
    write(home.sessions / "pi.jsonl", header(), user("a", None, 1, "hi"))
    home.night()
    assert say(home) == [("ok", "1 files are in the lake; no client deletes them")]


def test_a_file_that_was_cut_is_named_until_it_is_whole_again(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), user("b", "a", 2, "two"))
    home.night()
    assert [*check_cut_files(home.run)] == []
    data = path.read_bytes()
    for left in (data[:-20], b""):
        path.write_bytes(left)
        home.night()
        (check,) = check_cut_files(home.run)
        lost = "1 entry that was read is" if left else "2 entries that were read are"
        assert (check.level, check.detail) == ("note", f"{path}: {lost} no longer in the file; memory keeps what it said")
        assert "forget --session s-1" in check.next
    path.write_bytes(data)
    home.night()
    assert [*check_cut_files(home.run)] == []
