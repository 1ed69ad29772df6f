"""Sessions in the forms and places that pi and its users leave them: exports, sub-agents, labels, all known damage."""

from __future__ import annotations

import base64
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from effects.system.errors import SourceError
from tests.effects.session_home import LINES, Home, answer, header, iso, user, write
from transforms.reading.timestamps import LATEST


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def page(*lines: str) -> str:
    reply = [json.loads(line) for line in lines]
    data = json.dumps({"header": reply[0], "entries": reply[1:], "leafId": reply[-1].get("id")}).encode()
    script = f'<script id="session-data" type="application/json">{base64.b64encode(data).decode()}</script>'
    return f"<!DOCTYPE html><html><body>{script}<script>document.getElementById('session-data')</script></body></html>"


def test_an_html_export_is_read_like_the_session_that_it_shows(home: Home, tmp_path: Path) -> None:
    shown = [header(), user("a", None, 1, "from the export é"), answer("b", "a", 2, "yes")]
    (home.sessions / "export.html").write_text(page(*shown))
    (home.sessions / "notes.html").write_text("<html>no session here</html>")
    counts = home.night()
    assert (counts["files"], counts["read"], counts["entries"], counts["quarantined"]) == (1, 1, 2, 0)
    assert [(row["entry_id"], row["text"]) for row in home.rows("entries")] == [("a", "from the export é"), ("b", "yes")]
    before = home.files()
    assert home.night()["unchanged"] == 1
    assert home.files() == before


def test_a_session_file_speaks_before_its_export_and_an_export_changes_nothing(home: Home) -> None:
    shown = [header(), user("a", None, 1, "one"), answer("b", "a", 2, "two")]
    (home.sessions / "export.html").write_text(page(*shown))
    home.night()
    write(home.sessions / "own.jsonl", *shown, user("c", "b", 3, "three"))
    home.night()
    assert [row["text"] for row in home.rows("entries")] == ["one", "two", "three"]
    assert {Path(row["path"]).name: row["status"] for row in home.rows("sources")} == {
        "own.jsonl": "read",
        "export.html": "refused",
    }
    assert home.night()["unchanged"] == 2


@pytest.mark.parametrize("data", ["", "bm90IGpzb24=", "%%%", base64.b64encode(b"[1]").decode()])
def test_a_damaged_export_is_refused_with_a_reason(home: Home, data: str) -> None:
    (home.sessions / "export.html").write_text(f'<script id="session-data" type="application/json">{data}</script>')
    counts = home.night()
    assert (counts["refused"], counts["entries"], counts["quarantined"]) == (1, 0, 1)


def entry(own: str | None, parent: str | None, text: str = "x", **fields: object) -> str:
    message = {"role": "user", "content": text}
    ids = {"id": own} if own else {}
    return json.dumps({"type": "message", **ids, "parentId": parent, "timestamp": iso(1), "message": message} | fields)


HALF = chr(0xD83D)
"""Half of a surrogate pair: JSON can hold it, nothing that stores text can."""


def nested(depth: int) -> Any:
    results: Any = 1
    for _ in range(depth):
        results = [results]
    return results


ODD_FILES = {
    # name: (file name, text, its entries, its reason)
    "half a letter in the cwd": ("x.jsonl", header("odd", cwd=f"/w/{HALF}") + "\n" + user("a", None, 1, "x") + "\n", 1, ""),
    "half a letter in the parent": ("x.jsonl", header("odd", parentSession=f"/w/{HALF}.jsonl") + "\n", 0, ""),
    "half a letter in the session id": ("x.jsonl", header(f"odd{HALF}") + "\n" + user("a", None, 1, "x") + "\n", 1, ""),
    "half a letter in the type": ("x.jsonl", json.dumps({"type": HALF}) + "\n", 0, "not a session header but `\ufffd`"),
    "half a letter in a time": ("x.jsonl", header("odd") + "\n" + entry("a", None, timestamp=iso(1)[:-1] + HALF) + "\n", 1, ""),
    "a version beyond 16 bits": ("x.jsonl", header("odd", version=-(2**40)) + "\n", 0, ""),
    "a deep export": ("x.html", page(header("odd"), json.dumps({"type": "custom", "id": "a", "data": nested(190)})), 1, ""),
    "a too deep export": ("x.html", page(header("odd"), json.dumps({"type": "custom", "id": "a", "data": nested(400)})), 0, ""),
    "a name that is not UTF-8": (os.fsdecode(b"x\xff.jsonl"), header("odd") + "\n", 0, "its path is not UTF-8: rename it"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_FILES)
def test_no_odd_file_stops_a_night(home: Home, name: str) -> None:
    file_name, text, entries, reason = ODD_FILES[name]
    try:
        (home.sessions / file_name).write_text(text)
    except (OSError, UnicodeEncodeError):
        pytest.skip("this file system has names in UTF-8 only")
    write(home.sessions / "good.jsonl", header("good"), user("g", None, 1, "good"))
    counts = home.night()
    assert (counts["files"], counts["entries"], counts["refused"]) == (2, entries + 1, 1 if reason else 0)
    assert [row["reason"] for row in home.rows("sources") if reason in row["reason"]]
    before = home.files()
    home.night()
    assert home.files() == before


def test_half_letters_in_ids_are_stored_as_replaced_and_keep_the_tree(home: Home) -> None:
    write(home.sessions / "a.jsonl", header(), entry(f"a{HALF}", None), entry("b", f"a{HALF}"))
    home.night()
    assert [(row["entry_id"], row["parent_id"], row["on_active_branch"]) for row in home.rows("entries")] == [
        ("a\ufffd", None, True),
        ("b", "a\ufffd", True),
    ]


def test_an_export_with_half_a_letter_is_read(home: Home) -> None:
    (home.sessions / "export.html").write_text(page(header(), entry("a", None, f"cut {HALF}"), entry("b", "a")))
    assert home.night()["entries"] == 2
    assert [row["text"] for row in home.rows("entries")] == ["cut \ufffd", "x"]


def test_a_quarantine_that_empties_is_laid_out_as_one_that_was_always_empty(home: Home, tmp_path: Path) -> None:
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), "junk")
    home.night()
    assert home.rows("quarantine")
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"))
    home.night()
    once = Home(tmp_path, "once")
    once.night()
    assert home.files() == once.files()


def test_sub_agent_sessions_in_nested_folders_are_sessions_of_their_own(home: Home) -> None:
    parent = write(home.sessions / "--w--" / "2026_p.jsonl", header("p"), user("a", None, 1, "delegate"))
    folder = home.sessions / "--w--" / "p" / "subagents" / "run-1"
    write(
        folder / "2026_c.jsonl",
        header("c", parentSession=str(parent)),
        user("x", None, 2, "do the part"),
        answer("y", "x", 3, "done"),
    )
    write(folder / "artifacts.txt", "not a session")
    counts = home.night()
    assert (counts["files"], counts["read"]) == (2, 2)
    sessions = {row["session_id"]: row for row in home.rows("sessions")}
    assert sessions["c"]["parent_session"] == str(parent)
    assert not any("copied" in row["flags"] for row in home.rows("entries"))


def test_labels_and_names_are_kept_and_the_last_name_in_file_order_is_the_title(home: Home) -> None:
    def named(own: str, parent: str, minute: int, name: str) -> str:
        return json.dumps({"type": "session_info", "id": own, "parentId": parent, "timestamp": iso(minute), "name": name})

    label = json.dumps({"type": "label", "id": "l", "parentId": "a", "timestamp": iso(2), "targetId": "a", "label": "start here"})
    cleared = json.dumps({"type": "label", "id": "m", "parentId": "l", "timestamp": iso(3), "targetId": "a"})
    first = [header(), user("a", None, 1, "typed words"), label, cleared, named("n", "m", 4, " first "), user("b", "a", 5, "x")]
    path = write(home.sessions / "a.jsonl", *first, named("o", "a", 6, "  last\nname "), user("c", "n", 7, "y"))
    home.night()
    rows = {row["entry_id"]: row for row in home.rows("entries")}
    assert [(rows[own]["entry_type"], rows[own]["text"]) for own in "lm"] == [("label", "start here"), ("label", "")]
    assert json.loads(rows["l"]["raw_json"])["targetId"] == "a"
    assert home.rows("sessions")[0]["title"] == "last name", "of an abandoned branch, as pi does"
    write(path, *first, named("o", "a", 6, "last"), user("c", "n", 7, "y"), named("p", "c", 8, ""))
    home.night()
    assert home.rows("sessions")[0]["title"] == "typed words", "an empty name clears the title"


def test_a_harness_store_is_refused_with_a_clear_message(home: Home) -> None:
    line = json.dumps({"v": 4, "kind": "header", "id": "h", "storageVersion": 1, "createdAt": 1, "cwd": "/w"})
    path = write(home.sessions / "a.jsonl", line, json.dumps({"v": 4, "kind": "entry"}))
    with pytest.raises(SourceError, match="harness store"):
        home.read_file(path)
    assert home.rows("entries") == []


def lines(*rest: str, first: str | None = None) -> bytes:
    return "".join(f"{line}\n" for line in [first or header(), *rest]).encode()


PLAIN = {"role": "assistant", "content": "plain"}
A = entry("a", None)
DAMAGE: dict[str, tuple[bytes, str, list[str], list[str], list[str]]] = {
    # name: (bytes, status, ids of the entries, flags, rules in quarantine)
    "empty": (b"", "read", [], [], []),
    "no header": (f"{A}\n".encode(), "refused", [], [], ["refused"]),
    "only junk": (b"nothing\n", "refused", [], [], ["refused"]),
    "junk before the header": (b"junk\n" + lines(A), "read", ["a"], [], ["damaged"]),
    "byte order mark": (b"\xef\xbb\xbf" + lines(A), "read", ["a"], [], []),
    "carriage returns": (lines(A).replace(b"\n", b"\r\n"), "read", ["a"], [], []),
    "truncated tail": (lines(A, entry("b", "a"))[:-9], "read", ["a"], [], []),
    "stub glued to the next": (
        lines(A, entry("b", "a")[:-30] + entry("c", "b"), entry("d", "c")),
        "read", ["a", "c", "d"], ["glued", "orphan", "recovered"], ["damaged"],
    ),
    "two on one line": (lines(A + entry("b", "a")), "read", ["a", "b"], ["glued"], []),
    "null": (lines("null", A), "read", ["a"], [], ["not_an_object"]),
    "a number and a list": (lines("5", "[]", A), "read", ["a"], [], ["not_an_object"] * 2),
    "no id at the end": (lines(A, entry(None, "a")), "read", ["a", "n0000001"], ["no_id"], []),
    "no parent": (lines(A.replace('"parentId": null, ', "")), "read", ["a"], [], []),
    "orphan": (lines(entry("a", "gone")), "read", ["a"], ["orphan"], []),
    "same id twice": (lines(A, entry("a", "a")), "read", ["a", "a"], ["copied", "cycle", "duplicate_id"], []),
    "unknown type": (lines(entry("a", None, type="of the future", extra=[1])), "read", ["a"], [], []),
    "future version": (lines(A, first=header(version=9)), "read", ["a"], [], []),
    "two headers": (lines(A, header("other"), entry("b", "a")), "read", ["a", "b"], [], ["extra_header"]),
    "answer as a string": (lines(entry("a", None, message=PLAIN)), "read", ["a"], ["string_content"], []),
    "not a number": (lines(entry("a", None, n=1).replace('"n": 1', '"n": NaN')), "read", [], [], ["damaged"]),
    "lone surrogate": (lines(entry("a", None, chr(0xD83D) + "x")), "read", ["a"], [], []),
    "separators inside": (lines(user("a", None, 1, "x\u2028y\u2029z\u0085\x0c")), "read", ["a"], [], []),
    "a cycle": (lines(entry("a", "b"), entry("b", "a")), "read", ["a", "b"], ["cycle"], []),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_gives_what_the_reference_advises(home: Home, name: str) -> None:
    data, status, ids, flags, rules = DAMAGE[name]
    (home.sessions / "a.jsonl").write_bytes(data)
    home.night()
    rows = home.rows("entries")
    assert home.rows("sources")[0]["status"] == status
    assert [row["entry_id"] for row in rows] == ids
    assert sorted({flag for row in rows for flag in row["flags"]}) == flags
    assert sorted(row["rule"] for row in home.rows("quarantine")) == sorted(rules)
    assert all(orjson.loads(row["raw_json"]) for row in rows)


def test_two_writers_on_one_file_leave_two_branches_and_the_last_line_is_the_leaf(home: Home) -> None:
    both = [
        user("a", None, 1, "common"),
        user("x1", "a", 2, "one"),
        user("y1", "a", 3, "other"),
        answer("x2", "x1", 5, "to one"),
    ]
    write(home.sessions / "a.jsonl", header(), *both, answer("y2", "y1", 4, "to other"))
    home.night()
    assert [row["entry_id"] for row in home.rows("entries") if row["on_active_branch"]] == ["a", "y1", "y2"]


def test_every_line_of_a_messy_file_is_an_entry_damage_or_the_header(home: Home) -> None:
    write(home.sessions / "a.jsonl", *LINES)
    home.night()
    seen = {row["line_no"] for row in home.rows("entries")} | {row["line_no"] for row in home.rows("quarantine")}
    assert seen == set(range(1, len(LINES)))


def test_times_that_cannot_be_read_are_those_of_the_neighbours_and_are_said(home: Home) -> None:
    lines = [header(), user("a", None, 1, "one"), entry("b", "a", timestamp="yesterday"), entry("c", "b", timestamp=None)]
    path = write(home.sessions / "a.jsonl", *lines)
    counts = home.night()
    assert [row["said_at"].isoformat()[:16] for row in home.rows("entries")] == ["2026-01-01T22:01"] * 3
    assert [(row["line_no"], row["rule"], row["detail"]) for row in home.rows("quarantine")] == [(2, "unread_time", "yesterday")]
    assert (counts["quarantined"], counts["problems"]) == (
        1,
        [f"{path}: the time of 1 line cannot be read; that of its neighbours counts"],
    )


def test_a_file_without_any_readable_time_has_that_of_the_file(home: Home) -> None:
    written = datetime(2026, 3, 4, 5, tzinfo=UTC)
    path = write(home.sessions / "a.jsonl", header(timestamp="?"), entry("a", None, timestamp="?"))
    empty = write(home.sessions / "b.jsonl", header("s-2", timestamp="?"))
    for one_path in (path, empty):
        os.utime(one_path, (0, written.timestamp()))
    home.night()
    assert [row["said_at"] for row in home.rows("entries")] == [written]
    assert [row["started_at"] for row in home.rows("sessions")] == [written, written]


def test_a_lake_with_entries_in_the_year_2000_reads_their_files_once_more(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home.sessions / "a.jsonl", header(timestamp=1767304800), entry("a", None, timestamp=1767304860))
    with monkeypatch.context() as old_version:
        for module in ("pi.place_entries", "pi.entry_text"):
            old_version.setattr(f"transforms.reading.{module}.parse_time", lambda *_: None)
        old_version.setattr("effects.ingest.read_file.read_file_time", lambda _: None)
        home.night()
    assert [row["said_at"].year for row in home.rows("entries")] == [2000]
    assert home.night()["read"] == 1
    assert [row["said_at"].isoformat()[:16] for row in home.rows("entries")] == ["2026-01-01T22:01"]
    before = home.files()
    assert home.night()["unchanged"] == 1
    assert home.files() == before


def test_a_session_from_the_future_is_as_old_as_its_neighbours_or_the_night_and_is_said(home: Home) -> None:
    lines = [header(), user("a", None, 1, "one"), entry("b", "a", timestamp="2099-01-01T00:00:00Z"), user("c", "b", 3, "three")]
    mixed = write(home.sessions / "a.jsonl", *lines)
    wrong = [header("s-2", timestamp="2099-01-01T00:00:00Z"), entry("d", None, timestamp="2099-01-01T00:01:00Z")]
    whole = write(home.sessions / "b.jsonl", *wrong)
    os.utime(whole, (0, datetime(2099, 1, 1, tzinfo=UTC).timestamp()))
    before = datetime.now(UTC)
    counts = home.night()
    said = {row["entry_id"]: row["said_at"] for row in home.rows("entries")}
    assert [said[own].isoformat()[:16] for own in "abc"] == ["2026-01-01T22:01", "2026-01-01T22:01", "2026-01-01T22:03"]
    assert before <= said["d"] <= datetime.now(UTC)
    fault = "is in the future (a clock was set wrong); that of its neighbours counts"
    assert counts["problems"] == [f"{mixed}: the time of 1 line {fault}", f"{whole}: the time of 2 lines {fault}"]
    assert {row["rule"] for row in home.rows("quarantine")} == {"future_time"}
    assert home.night()["unchanged"] == 2


def test_a_lake_with_entries_of_the_future_reads_their_files_once_more(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home.sessions / "a.jsonl", header(), user("a", None, 1, "one"), entry("b", "a", timestamp="2099-01-01T00:00:00Z"))
    with monkeypatch.context() as old_version:
        old_version.setattr("effects.ingest.ingest_step.find_latest_time", lambda _: LATEST)
        home.night()
    assert [row["said_at"].year for row in home.rows("entries")] == [2026, 2099]
    assert home.night()["read"] == 1
    assert [row["said_at"].year for row in home.rows("entries")] == [2026, 2026]
    assert home.night()["unchanged"] == 1
