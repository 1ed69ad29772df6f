from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from effects.config.settings import Settings
from effects.ingest.session_files import find_session_files, open_session
from effects.system.errors import SourceError
from tests.effects.session_home import START, Home, answer, fork_family, header, iso, user, write
from transforms.reading.json_lines import parse_chunk

SHARED = Path(__file__).parents[4] / "shared" / "sessions"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_entries_sessions_and_sources_say_what_the_file_says(home: Home) -> None:
    path = write(home.sessions / "--w--" / "a.jsonl", header(), user("a", None, 1, "hi there"), answer("b", "a", 125, "hello"))
    counts = home.night()
    assert (counts["files"], counts["read"], counts["entries"]) == (1, 1, 2)
    first, second = home.rows("entries")
    assert (first["entry_id"], first["ordinal"], first["line_no"], first["turn_kind"], first["text"]) == (
        "a",
        0,
        1,
        "typed",
        "hi there",
    )
    assert (first["day"], second["day"]) == (date(2026, 1, 1), date(2026, 1, 2)), (
        "22:01 and 00:05 UTC are 23:01 and 01:05 in Berlin"
    )
    assert (second["parent_id"], second["input_tokens"], second["output_tokens"], second["cost_usd"]) == ("a", 135, 20, 0.25)
    (session,) = home.rows("sessions")
    assert (session["project"], session["title"], session["entry_count"], session["user_message_count"]) == (
        "/w/app",
        "hi there",
        2,
        1,
    )
    assert (session["models"], session["cost_usd"], session["is_closed"], session["day"]) == (
        ["p/m"],
        0.25,
        False,
        date(2026, 1, 1),
    )
    (source,) = home.rows("sources")
    assert (source["status"], source["consumed_bytes"], source["line_count"]) == ("read", path.stat().st_size, 3)


def test_a_folder_without_a_first_session_is_no_error_and_a_missing_folder_is_one(home: Home) -> None:
    """Nothing is due before the first session; a problem says what to do. Both name a command."""
    counts = home.night()
    assert (counts["files"], counts["read"]) == (0, 0)
    (problem,) = counts["problems"]
    assert problem.startswith("no session file (*.jsonl) below ")
    assert "`recollect config`" in problem
    home.sessions.rmdir()
    with pytest.raises(SourceError, match="no sessions folder") as error:
        home.night()
    assert error.value.hint


def test_a_folder_that_became_empty_stops_no_night_and_marks_nothing_as_gone(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "hi there"))
    home.night()
    before = home.rows("sources")
    content = path.read_bytes()
    path.unlink()
    counts = home.night()
    assert (counts["files"], counts["read"]) == (0, 0)
    assert [problem.partition(" below ")[0] for problem in counts["problems"]] == ["no session file (*.jsonl)"]
    assert home.rows("sources") == before
    write(home.sessions / "b.jsonl", header("s-2"), user("b", None, 1, "hello"))
    assert home.night()["gone"] == 1, "a folder with a file is looked at as before"
    path.write_bytes(content)
    assert home.night()["gone"] == 0


def test_folders_with_a_comma_between_them_are_told_what_separates(tmp_path: Path) -> None:
    settings = Settings(sessions=(Path(f"{tmp_path}/a,{tmp_path}/b"),))
    with pytest.raises(SourceError) as error:
        find_session_files(settings)
    assert f"several with `{os.pathsep}` between them" in error.value.hint


def test_a_missing_folder_among_several_is_named_every_night_and_the_others_are_read(tmp_path: Path) -> None:
    home = Home(tmp_path)
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "hi there"))
    missing, file = tmp_path / "missing", write(tmp_path / "b.jsonl", header("s-2"))
    home.run = replace(home.run, settings=replace(home.run.settings, sessions=(missing, home.sessions, file)))
    named = [f"{missing} does not exist; it is skipped", f"{file} is not a folder; it is skipped"]
    first, quiet = home.night(), home.night()
    assert (first["read"], first["problems"], quiet["read"], quiet["problems"]) == (1, named, 0, named)
    missing.mkdir()
    file.unlink()
    file.mkdir()
    assert "problems" not in home.night(), "a folder that appeared is no problem any more"


def test_a_folder_that_may_not_be_read_is_named_and_the_others_are_read(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "hi there"))
    closed = home.sessions / "closed"
    closed.mkdir()
    listing = os.scandir

    def refuse(folder: str) -> Any:
        if folder == str(closed):
            raise PermissionError(13, "Permission denied", folder)
        return listing(folder)

    monkeypatch.setattr("effects.ingest.session_files.os.scandir", refuse)
    counts = home.night()
    assert counts["read"] == 1
    assert counts["problems"] == [f"{closed} cannot be read (Permission denied); its sessions are skipped"]


def test_a_symbolic_link_to_itself_stops_no_night(home: Home) -> None:
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "hi there"))
    for name in ("self.jsonl", "folder"):
        (home.sessions / name).symlink_to(home.sessions / name)
    (home.sessions / "parent").symlink_to(home.sessions)
    assert home.night()["read"] == 1


def test_a_second_run_opens_nothing_and_changes_no_byte(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "hi"))
    home.night()
    before = home.files()
    path.chmod(0)
    try:
        assert home.night()["unchanged"] == 1
    finally:
        path.chmod(0o600)
    assert home.files() == before


def test_nested_folders_are_read_and_other_names_are_not(home: Home) -> None:
    write(home.sessions / "--w--" / "sub" / "agent.jsonl", header("s-2"), user("a", None, 1, "hi"))
    write(home.sessions / "notes.txt", header("s-3"))
    assert home.night()["files"] == 1
    assert [row["session_id"] for row in home.rows("sessions")] == ["s-2"]


@pytest.mark.parametrize("exclude", ["*/secret/*", "/w/private", "/w/priv*"])
def test_excluded_paths_and_cwds_are_never_read_until_the_setting_changes(tmp_path: Path, exclude: str) -> None:
    home = Home(tmp_path, exclude=(exclude,))
    write(home.sessions / "secret" / "a.jsonl", header("s-1", cwd="/w/private/x"), user("a", None, 1, "hi"))
    assert home.night()["excluded"] == 1
    assert home.rows("entries") == []
    before = home.files()
    home.night()
    assert home.files() == before
    again = Home(tmp_path)
    assert again.night()["entries"] == 1


def test_an_unfinished_line_waits_and_the_rest_of_the_file_is_not_read_again(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), user("b", "a", 2, "two")[:-20], end="")
    assert home.night()["entries"] == 1
    write(path, header(), user("a", None, 1, "one"), user("b", "a", 2, "two"), user("c", "b", 3, "three"))
    assert home.night()["entries"] == 2
    assert [(row["ordinal"], row["line_no"], row["text"]) for row in home.rows("entries")] == [
        (0, 1, "one"),
        (1, 2, "two"),
        (2, 3, "three"),
    ]


@pytest.mark.parametrize("again", [[user("x", None, 5, "other")], [user("a", None, 1, "one"), user("b", "a", 2, "TWO")]])
def test_a_rewritten_file_replaces_its_rows_and_tells_what_went(home: Home, again: list[str]) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), user("b", "a", 200, "two"), "junk")
    home.night()
    write(path, header(), *again)
    os.utime(path, ns=(1, 1))
    problems = home.night().get("problems", [])
    assert [row["text"] for row in home.rows("entries")] == [json.loads(line)["message"]["content"][0]["text"] for line in again]
    lost = f"{3 - len(again)} of 2 entries that were read are no longer in the file"
    assert [(row["rule"], row["detail"].partition(";")[0]) for row in home.rows("quarantine")] == [("shrunk", lost)]
    assert [problem.split(": ")[1] for problem in problems] == [lost]
    assert home.rows("sessions")[0]["entry_count"] == len(again)


def test_a_rewritten_file_that_is_restored_is_as_if_nothing_had_happened(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), user("b", "a", 200, "two"))
    home.night()
    data, before = path.read_bytes(), [home.rows(table) for table in ("entries", "sessions", "quarantine")]
    write(path, header(), user("a", None, 1, "ONE"))
    assert "problems" in home.night()
    assert "problems" not in home.night(), "it is said once; the row of quarantine stays"
    write(path, header(), user("a", None, 1, "other"))
    assert "1 of 1 entries" in home.night()["problems"][0], "as many entries as the night before, with other words"
    assert len(home.rows("quarantine")) == 2, "those of the first night are missing still"
    path.write_bytes(data)
    assert "problems" not in home.night()
    assert [home.rows(table) for table in ("entries", "sessions", "quarantine")] == before


def test_a_vanished_file_is_gone_and_its_rows_stay_and_it_may_come_back(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"))
    write(home.sessions / "b.jsonl", header("s-2"), user("a", None, 1, "other"))
    home.night()
    data = path.read_bytes()
    path.unlink()
    assert home.night()["gone"] == 1
    assert len(home.rows("entries")) == 2
    path.write_bytes(data)
    counts = home.night()
    assert (counts["gone"], counts["entries"]) == (0, 0)
    assert len(home.rows("entries")) == 2


def test_a_navigation_rewrites_the_branch_of_earlier_rows(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), user("b", "a", 2, "two"))
    home.night()
    write(path, header(), user("a", None, 1, "one"), user("b", "a", 2, "two"), user("c", "a", 3, "three"))
    home.night()
    assert [row["on_active_branch"] for row in home.rows("entries")] == [True, False, True]


def test_of_two_equally_long_copies_the_one_that_is_named_by_its_session_speaks(home: Home) -> None:
    """A sync tool names its copy "… (conflicted copy)", which comes first by letters."""
    lines = (header("5f0c-11"), user("a", None, 1, "one"))
    for name in ("2026_5f0c-11 (conflicted copy).jsonl", "2026_5f0c-11.jsonl"):
        write(home.sessions / name, *lines)
    home.night()
    statuses = {Path(row["path"]).name: row["status"] for row in home.rows("sources")}
    assert statuses == {"2026_5f0c-11.jsonl": "read", "2026_5f0c-11 (conflicted copy).jsonl": "refused"}


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_of_two_files_with_one_session_id_the_longer_one_speaks_whatever_the_order(home: Home, order: tuple[str, str]) -> None:
    lines = {"a": [user("a", None, 1, "one")], "b": [user("a", None, 1, "one"), user("b", "a", 2, "two")]}
    for name in order:
        write(home.sessions / f"{name}.jsonl", header(), *lines[name])
        home.night()
    assert [row["text"] for row in home.rows("entries")] == ["one", "two"]
    statuses = {Path(row["path"]).name: (row["status"], row["reason"]) for row in home.rows("sources")}
    assert statuses["b.jsonl"] == ("read", "")
    assert statuses["a.jsonl"][0] == "refused"
    assert "same session id as" in statuses["a.jsonl"][1]
    before = home.files()
    home.night()
    assert home.files() == before


def test_a_moved_file_takes_its_session_along(home: Home) -> None:
    path = write(home.sessions / "b.jsonl", header(), user("a", None, 1, "one"))
    home.night()
    path.rename(home.sessions / "moved.jsonl")
    home.night()
    assert [Path(row["source_path"]).name for row in home.rows("entries")] == ["moved.jsonl"]
    assert {Path(row["path"]).name: row["status"] for row in home.rows("sources")} == {"b.jsonl": "gone", "moved.jsonl": "read"}


@pytest.mark.parametrize(
    "order", [("parent", "child", "child-2"), ("child-2", "child", "parent"), ("child", "parent", "child-2")]
)
def test_entries_that_a_fork_copied_are_flagged_in_any_order_of_arrival(home: Home, order: tuple[str, ...]) -> None:
    family = fork_family(home)
    for name in order:
        family[name]()
        home.night()
    copied = {(row["session_id"], row["text"]) for row in home.rows("entries") if "copied" in row["flags"]}
    texts = ("shared question", "shared answer")
    assert copied == {(own, text) for own in ("child", "child-2") for text in texts}
    sessions = {row["session_id"]: row for row in home.rows("sessions")}
    assert sessions["child"]["started_at"] == START + timedelta(minutes=301)
    assert (sessions["child"]["title"], sessions["child"]["user_message_count"]) == ("only the child", 1)
    assert (sessions["child"]["cost_usd"], sessions["parent"]["cost_usd"], sessions["child"]["entry_count"]) == (0.0, 0.25, 3)
    whole = Home(home.sessions.parent, "whole")
    whole.night()
    for table in ("entries", "sessions"):
        assert_frame_equal(home.lake.read(table), whole.lake.read(table))


def test_forks_of_a_parent_that_is_not_here_share_their_copies_once(home: Home) -> None:
    family = fork_family(home)
    family["child-2"]()
    home.night()
    family["child"]()
    home.night()
    assert {row["session_id"] for row in home.rows("entries") if "copied" in row["flags"]} == {"child-2"}


def test_a_closed_session_stays_closed_until_its_file_grows(home: Home) -> None:
    path = write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"))
    home.read_file(path, is_closed=True)
    assert home.rows("sessions")[0]["is_closed"]
    home.night()
    os.utime(path, ns=(5, 5))
    home.night()
    assert home.rows("sessions")[0]["is_closed"]
    write(path, header(), user("a", None, 1, "one"), user("b", "a", 2, "two"))
    home.night()
    assert not home.rows("sessions")[0]["is_closed"]


def test_one_file_outside_of_the_folders_can_be_read_and_a_night_leaves_it_alone(home: Home, tmp_path: Path) -> None:
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"))
    outside = write(tmp_path / "else" / "b.jsonl", header("s-2"), user("a", None, 1, "two"))
    home.read_file(outside)
    home.night()
    assert {Path(row["path"]).name: row["status"] for row in home.rows("sources")} == {"a.jsonl": "read", "b.jsonl": "read"}
    with pytest.raises(SourceError, match="no session file at"):
        home.read_file(tmp_path / "nowhere.jsonl")
    with pytest.raises(SourceError, match="not a session header"):
        home.read_file(write(tmp_path / "else" / "c.jsonl", user("a", None, 1, "two")))


def test_a_file_that_is_read_by_its_name_and_gives_nothing_says_why(tmp_path: Path) -> None:
    home = Home(tmp_path, exclude=("/w/app",))
    empty = write(tmp_path / "empty.jsonl", end="")
    excluded = write(tmp_path / "a.jsonl", header(), user("a", None, 1, "hi"))
    assert home.read_file(empty)["problems"] == [f"{empty} has no complete line yet: nothing was read"]
    assert home.read_file(excluded)["problems"] == [f"{excluded} was not read: cwd matches /w/app (RECOLLECT_EXCLUDE)"]
    allowed = Home(tmp_path, "other")
    assert "problems" not in allowed.read_file(excluded)


def test_one_unreadable_file_does_not_stop_the_others_and_is_tried_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, session_id in (("bad", "s-2"), ("good", "s-1")):
        write(home.sessions / f"{name}.jsonl", header(session_id), user("a", None, 1, name))

    def fail(path: Path) -> BinaryIO:
        if path.name == "bad.jsonl":
            raise PermissionError(13, "Permission denied")
        return open_session(path)

    with monkeypatch.context() as patched:
        patched.setattr("effects.ingest.read_file.open_session", fail)
        assert home.night()["refused"] == 1
    assert [row["text"] for row in home.rows("entries")] == ["good"]
    assert [row["detail"] for row in home.rows("quarantine")] == ["cannot be read: Permission denied"]
    assert home.night()["refused"] == 0
    assert {row["text"] for row in home.rows("entries")} == {"bad", "good"}
    assert home.rows("quarantine") == []


def test_secrets_never_reach_the_lake_not_even_in_quarantine_or_titles(home: Home) -> None:
    secret = "sk-" + "ant-" + "aB3" * 20
    stub = json.dumps({"type": "message", "text": f"use {secret}"})[:-3]
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, f"use {secret} please"), f"junk {secret}", stub)
    assert home.night()["redacted"] == 1
    everything = "".join(json.dumps(home.rows(table), default=str) for table in ("entries", "sessions", "quarantine", "sources"))
    assert secret not in everything
    assert everything.count("[redacted:anthropic-key:") == 5, "text, raw JSON, title and two damaged lines"
    assert home.rows("entries")[0]["flags"] == ["redacted"]


def test_v1_files_get_ids_by_position_and_compactions_name_the_entry_they_kept_from(home: Home) -> None:
    lines = [
        json.dumps({"type": "message", "timestamp": iso(n), "message": {"role": "user", "content": f"m{n}"}}) for n in range(3)
    ]
    compactions = [
        json.dumps({"type": "compaction", "timestamp": iso(5), "summary": "S", "firstKeptEntryIndex": kept}) for kept in (2, 9, 0)
    ]
    write(home.sessions / "a.jsonl", header(version=None), *lines, *compactions)
    home.night()
    rows = home.rows("entries")
    assert [row["entry_id"] for row in rows] == [f"n{n:07d}" for n in range(6)]
    assert [row["parent_id"] for row in rows] == [None, *(f"n{n:07d}" for n in range(5))]
    assert all(row["is_synthetic_id"] and row["on_active_branch"] for row in rows)
    assert [json.loads(row["raw_json"]).get("firstKeptEntryId") for row in rows[3:]] == ["n0000001", None, None]


def test_images_signatures_and_second_copies_are_cut_and_noted(home: Home) -> None:
    parts = [
        {"type": "image", "data": "A" * 5000, "mimeType": "image/png"},
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "S" * 999},
    ]
    entry = {
        "type": "message",
        "id": "a",
        "parentId": None,
        "timestamp": iso(1),
        "message": {"role": "assistant", "content": parts},
    }
    write(home.sessions / "a.jsonl", header(), json.dumps(entry))
    home.night()
    (row,) = home.rows("entries")
    assert "[cut: image of 5000 base64 characters]" in row["raw_json"]
    assert "[cut: signature of 999 characters]" in row["raw_json"]
    assert (row["thinking"], row["flags"]) == ("hm", ["image"])


@pytest.mark.skipif(not SHARED.exists(), reason="the real sessions are not here")
def test_damaged_files_give_what_the_reference_advises(tmp_path: Path) -> None:
    results: dict[str, tuple[str, list[str], list[str], list[str]]] = {}
    for path in sorted((SHARED / "damaged").glob("*.jsonl")):
        home = Home(tmp_path, path.stem)
        target = home.sessions / path.name
        target.write_bytes(path.read_bytes())
        home.night()
        target.unlink()
        entries = home.rows("entries")
        flags = sorted({flag for row in entries for flag in row["flags"]})
        rules = sorted(row["rule"] for row in home.rows("quarantine"))
        results[path.stem] = (home.rows("sources")[0]["status"], [row["entry_id"] for row in entries], flags, rules)
    assert results == {
        "arr": ("read", ["a"], [], ["not_an_object"] * 3),
        "bom": ("read", ["a"], [], []),
        "crlf": ("read", ["a"], [], []),
        "dupId": ("read", ["a", "a"], ["duplicate_id"], []),
        "empty": ("read", [], [], []),
        "future": ("read", ["a"], [], []),
        "garbage": ("refused", [], [], ["refused"]),
        "headerSecond": ("read", ["a"], [], ["damaged"]),
        "idlessTail": ("read", ["a", "n0000001"], ["no_id", "no_time"], ["unread_time"]),
        "noParent": ("read", ["a"], [], []),
        "noheader": ("refused", [], [], ["refused"]),
        "nul": ("read", ["a"], [], ["not_an_object"]),
        "orphan": ("read", ["a", "b"], ["orphan"], []),
        "trunc": ("read", ["a"], [], []),
        "truncMid": ("read", ["a", "c", "d"], ["glued", "recovered"], ["damaged"]),
        "twoHeaders": ("read", ["a", "b"], [], ["extra_header"]),
        "unknown": ("read", ["a", "w", "b"], ["no_time"], ["unread_time"]),
    }


@pytest.mark.skipif(not SHARED.exists(), reason="the real sessions are not here")
def test_on_the_real_sessions_only_the_pasted_token_is_redacted(tmp_path: Path) -> None:
    home = Home(tmp_path)
    for path in (SHARED / "real").glob("*.jsonl"):
        (home.sessions / path.name).write_bytes(path.read_bytes())
    counts = home.night()
    assert (counts["entries"], counts["quarantined"], counts["redacted"]) == (2064, 0, 1)
    (row,) = home.lake.read("entries").filter(pl.col("flags").list.contains("redacted")).rows(named=True)
    assert row["text"].startswith("[redacted:token:")
    assert (row["line_no"], row["turn_kind"]) == (3, "pasted")


def test_a_file_that_breaks_the_parser_is_named_and_does_not_stop_the_others(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, session_id in (("bad", "s-2"), ("good", "s-1")):
        write(home.sessions / f"{name}.jsonl", header(session_id), user("a", None, 1, name))

    def broken(data: bytes, *rest: Any) -> Any:
        if b'"bad"' in data:
            raise RuntimeError("boom")
        return parse_chunk(data, *rest)

    with monkeypatch.context() as patched:
        patched.setattr("effects.ingest.read_file.parse_chunk", broken)
        assert home.night()["refused"] == 1
    assert [row["text"] for row in home.rows("entries")] == ["good"]
    assert [row["detail"] for row in home.rows("quarantine")] == ["cannot be read: RuntimeError: boom"]
    home.night()
    assert {row["text"] for row in home.rows("entries")} == {"bad", "good"}


def test_a_second_header_is_named_by_its_id(home: Home) -> None:
    """Whatever the id looks like: it is no password that somebody typed."""
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), header("dam-15-twoHeaders"))
    home.night()
    assert [(row["rule"], row["detail"]) for row in home.rows("quarantine")] == [("extra_header", "dam-15-twoHeaders")]


def test_before_the_first_session_the_missing_folder_of_a_client_is_awaited_and_later_refused(
    tmp_path: Path, own_home: Path
) -> None:
    """A machine is set up before an agent ran on it: its nights end well. Any other folder is a mistake."""
    home = Home(tmp_path)
    awaited = own_home / ".pi" / "agent" / "sessions"
    home.run = replace(home.run, settings=replace(home.run.settings, sessions=(awaited,)))
    assert home.night()["problems"]
    write(awaited / "a.jsonl", header(), user("a", None, 1, "hi there"))
    home.night()
    shutil.rmtree(awaited)
    with pytest.raises(SourceError, match="no sessions folder"):
        home.night()
    assert [row["status"] for row in home.rows("sources")] == ["read"], "an unmounted disk marks nothing as gone"


@pytest.mark.usefixtures("own_home")
def test_a_folder_that_no_client_makes_is_refused_before_the_first_session(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.run = replace(home.run, settings=replace(home.run.settings, sessions=(tmp_path / "typo",)))
    with pytest.raises(SourceError, match="no sessions folder"):
        home.night()
