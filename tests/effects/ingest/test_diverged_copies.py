"""Two files of one session that went on apart: on two machines, in a conflict of a sync tool."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from effects.system.errors import SourceError
from tests.agent_lines import CLAUDE_ID, CODEX_ID, claude_answer, claude_prompt, codex_meta, codex_prompt, text_part
from tests.effects.session_home import Home, answer, header, user, write

COMMON = [header(), user("a", None, 1, "one"), answer("b", "a", 2, "two")]
HERE = [user("h", "b", 300, "said here"), answer("i", "h", 301, "done here"), user("j", "i", 302, "more here")]
THERE = [user("t", "b", 310, "said there"), answer("u", "t", 311, "done there")]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def read_texts(home: Home) -> list[str]:
    texts = [row["text"] for row in home.rows("entries")]
    assert [row["ordinal"] for row in home.rows("entries")] == [*range(len(texts))]
    return sorted(texts)


def write_both(home: Home, here: list[str], there: list[str]) -> tuple[Path, Path]:
    return write(home.sessions / "here.jsonl", *here), write(home.sessions / "sync-conflict.jsonl", *there)


@pytest.mark.parametrize("nights", ["together", "here first", "there first"])
def test_what_each_of_two_files_of_one_session_says_alone_is_read(home: Home, nights: str) -> None:
    if nights != "together":
        name, lines = ("here.jsonl", HERE) if nights == "here first" else ("sync-conflict.jsonl", THERE)
        write(home.sessions / name, *COMMON, *lines)
        home.night()
    here, there = write_both(home, [*COMMON, *HERE], [*COMMON, *THERE])
    assert "problems" not in home.night()
    whole = sorted(["one", "two", "said here", "done here", "more here", "said there", "done there"])
    assert read_texts(home) == whole
    files = home.files()
    home.night()
    assert home.files() == files, "a second night changes nothing"
    write(here, *COMMON, *HERE, user("k", "j", 400, "later here"))
    assert "problems" not in home.night()
    write(there, *COMMON, *THERE, user("v", "u", 410, "later there"))
    assert "problems" not in home.night()
    whole = sorted([*whole, "later here", "later there"])
    assert read_texts(home) == whole
    write(there, *COMMON, *THERE, user("v", "u", 410, "later there"), user("w", "v", 500, "and much later " * 20))
    assert "problems" not in home.night(), "the other file speaks for the session now"
    assert read_texts(home) == sorted([*whole, "and much later " * 20])
    assert home.rows("sessions")[0]["source_path"] == str(there)
    here.unlink()
    home.night()
    assert read_texts(home) == sorted([*whole, "and much later " * 20])


def test_sessions_of_claude_code_that_went_on_apart_are_read_both(home: Home) -> None:
    common = [claude_prompt("a", None, 1, "one"), claude_answer("b", "a", 2, "m1", text_part("two"))]
    here = [claude_prompt("h", "b", 300, "said here"), claude_answer("i", "h", 301, "m2", text_part("done here"))]
    path = write(home.sessions / f"{CLAUDE_ID}.jsonl", *common, *here)
    write(home.sessions / "backup" / f"{CLAUDE_ID}.jsonl", *common, claude_prompt("t", "b", 310, "said there"))
    home.night()
    assert read_texts(home) == sorted(["one", "two", "said here", "done here", "said there"])
    write(path, *common, *here, claude_prompt("k", "i", 400, "later here"))
    assert "problems" not in home.night(), "what the other file says was never in this one"
    assert read_texts(home) == sorted(["one", "two", "said here", "done here", "later here", "said there"])
    assert home.rows("sessions")[0]["user_message_count"] == 4


def test_what_cannot_be_told_apart_by_ids_is_counted_in_quarantine(home: Home) -> None:
    common = [codex_meta(), *codex_prompt(1, "one")]
    path = write(home.sessions / f"{CODEX_ID}.jsonl", *common, *codex_prompt(2, "said here and more"))
    write(home.sessions / "sync-conflict.jsonl", *common, *codex_prompt(3, "said there"))
    home.night()
    (row,) = home.rows("quarantine")
    assert row["detail"].startswith("1 of its entries are not in memory: same session id as ")
    write(path, *common, *codex_prompt(2, "said here and more"), *codex_prompt(4, "later"))
    home.night()
    assert len(home.rows("quarantine")) == 1, "it stays while the session goes on"
    write(home.sessions / "sync-conflict.jsonl", *common)
    home.night()
    assert home.rows("quarantine") == []


def test_a_backup_under_other_ids_or_in_another_spelling_adds_nothing(home: Home) -> None:
    write_both(home, [*COMMON, *HERE], [COMMON[0], user("x", None, 1, "one"), answer("y", "x", 2, "two")])
    write(home.sessions / "windows.jsonl", *COMMON, end="\r\n")
    home.night()
    assert read_texts(home) == sorted(["one", "two", "said here", "done here", "more here"])
    assert home.rows("quarantine") == []


def test_one_of_two_files_that_is_read_by_its_name_says_why_only_where_it_was_not_read(home: Home) -> None:
    _, there = write_both(home, [*COMMON, *HERE], [*COMMON, *THERE])
    home.night()
    assert home.read_file(there)["entries"] == 0
    copy = write(home.sessions / "copy.jsonl", *COMMON)
    with pytest.raises(SourceError, match="same session id"):
        home.read_file(copy)


def test_a_shorter_file_that_goes_on_where_the_longer_one_is_gone_is_read(home: Home) -> None:
    path = write(home.sessions / "here.jsonl", *COMMON, *HERE)
    home.night()
    path.unlink()
    write(home.sessions / "moved" / "here.jsonl", *COMMON, THERE[0])
    home.night()
    assert read_texts(home) == sorted(["one", "two", "said here", "done here", "more here", "said there"])


@pytest.mark.parametrize("lines", [[*COMMON, *THERE], COMMON])
def test_a_night_that_ends_before_it_read_a_copy_leaves_it_to_the_next_one(
    home: Home, monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    write_both(home, [*COMMON, *HERE], lines)
    with monkeypatch.context() as patched:
        patched.setattr("effects.ingest.ingest_step.read_copies", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            home.night()
    home.night()
    assert len(read_texts(home)) == len({*COMMON, *HERE, *lines}) - 1
    files = home.files()
    assert home.night()["unchanged"] == 2
    assert home.files() == files


def test_a_copy_that_cannot_be_read_is_named_and_read_the_next_night(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    _, there = write_both(home, [*COMMON, *HERE], [*COMMON, *THERE])
    with monkeypatch.context() as patched:
        patched.setattr("effects.ingest.diverged_copies.find_copied_rows", Mock(side_effect=RuntimeError("boom")))
        assert home.night()["quarantined"] == 1
    (row,) = home.rows("quarantine")
    assert (row["path"], row["detail"]) == (str(there), "cannot be read: RuntimeError: boom")
    assert "said there" not in read_texts(home)
    assert home.night()["quarantined"] == 0
    assert home.rows("quarantine") == []
    assert "said there" in read_texts(home)


def test_what_a_copy_says_is_no_loss_of_the_file_beside_it(home: Home) -> None:
    write_both(home, [*COMMON, *HERE], [*COMMON, *THERE])
    home.night()
    changed = user("a", None, 1, "one, and then some words more")
    write_both(home, [COMMON[0], changed, COMMON[2], *HERE], [*COMMON, *THERE])
    assert "problems" not in home.night()
    assert home.rows("quarantine") == []
    assert {"one, and then some words more", "said here", "said there"} < {*read_texts(home)}
