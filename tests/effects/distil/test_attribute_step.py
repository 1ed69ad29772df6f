"""The step attribute: what the lake tells of who spoke, in any order of reading."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.distil import attribute_step
from effects.distil.attribute_step import attribute
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.store.run import Counts
from tests.effects.session_home import Home, answer, header, iso, user, write

TEMPLATE = "\n".join(
    f"{at}. Check part {chr(96 + at)} of the release list and write down all that is missing from it" for at in range(1, 12)
)
TASK = (
    "Resolve the type errors of the parser module only, keep its behaviour, and never edit the files of the other workers please."
)


def night(home: Home) -> Counts:
    """Run the first three steps of a night."""
    with home.lake.writing("test"):
        ingest(home.run)
        counts = attribute(home.run)
        window(home.run)
    return counts


def write_templates(home: Home, name: str, minute: int) -> Path:
    """Write a session with a typed question and an expanded template."""
    return write(
        home.sessions / f"{name}.jsonl", header(name, timestamp=iso(minute)), user("a", None, minute, "is the release ready?"),
        answer("b", "a", minute + 1, "Not yet."), user("c", "b", minute + 2, TEMPLATE), answer("d", "c", minute + 3, "Checked."),
    )  # fmt: skip


def write_parent(home: Home) -> Path:
    """Write a session whose agent hands a task over."""
    call = {"type": "toolCall", "id": "t1", "name": "spawn", "arguments": {"tasks": [{"prompt": TASK}]}}
    asking = {"role": "assistant", "content": [call], "provider": "p", "model": "m"}
    result = {"role": "toolResult", "toolCallId": "t1", "toolName": "spawn", "content": [{"type": "text", "text": "started"}]}
    lines: list[dict[str, Any]] = [
        {"type": "message", "id": "b", "parentId": "a", "timestamp": iso(2), "message": asking},
        {"type": "message", "id": "c", "parentId": "b", "timestamp": iso(3), "message": result},
    ]
    first = user("a", None, 1, "let other agents fix the type errors")
    return write(home.sessions / "boss.jsonl", header("boss"), first, *(json.dumps(line) for line in lines))


def write_child(home: Home) -> Path:
    """Write the session of the agent that got the task."""
    prompt = f"You work for another agent.\n\nTask:\n{TASK}\n\nReport when you are done."
    return write(home.sessions / "worker.jsonl", header("worker"), user("a", None, 4, prompt), answer("b", "a", 5, "Done."))


def speakers(home: Home) -> dict[tuple[str, int], tuple[str, str]]:
    """Return speaker and reason of the user entries."""
    rows = home.lake.read("entries").filter(pl.col("role") == "user").select("session_id", "ordinal", "speaker", "speaker_reason")
    return {(session, ordinal): (speaker, reason) for session, ordinal, speaker, reason in rows.iter_rows()}


def test_a_text_is_judged_again_when_it_recurs_in_a_later_session(tmp_path: Path) -> None:
    """Two nights end like one; a third changes no byte."""
    home = Home(tmp_path)
    write_templates(home, "one", 1)
    night(home)
    assert speakers(home)["one", 2][0] != "command"
    write_templates(home, "two", 9000)
    assert night(home)["judged"] == 2
    assert speakers(home)["one", 2] == speakers(home)["two", 2] == ("command", "recurrence")
    assert speakers(home)["one", 0] == ("owner", "format:user_text")
    at_once = Home(tmp_path, "at-once")
    night(at_once)
    before = home.files()
    assert at_once.files() == before
    assert night(home)["judged"] == 0
    assert home.files() == before


def test_the_other_session_gone_the_text_is_its_owners_again(tmp_path: Path) -> None:
    """The judgement depends on what the lake holds."""
    home = Home(tmp_path)
    write_templates(home, "one", 1)
    path = write_templates(home, "two", 9000)
    night(home)
    assert speakers(home)["one", 2] == ("command", "recurrence")
    write(path, header("two", timestamp=iso(9000)), user("a", None, 9000, "something else entirely"))
    night(home)
    assert speakers(home)["one", 2][1] != "recurrence"


def test_the_session_of_a_sub_agent_belongs_to_its_parent_and_is_distilled(tmp_path: Path) -> None:
    """Whichever is read first; without a typed message, which an owner's session of that size would be skipped for."""
    home = Home(tmp_path)
    write_child(home)
    night(home)
    write_parent(home)
    night(home)
    rows = {row["session_id"]: row for row in home.rows("sessions")}
    assert (rows["worker"]["is_subagent"], rows["worker"]["opened_by"], rows["worker"]["user_message_count"]) == (True, "boss", 0)
    assert (rows["boss"]["is_subagent"], rows["boss"]["opened_by"], rows["boss"]["user_message_count"]) == (False, None, 1)
    assert speakers(home)["worker", 0] == ("parent_agent", "child_session")
    at_once = Home(tmp_path, "at-once")
    night(at_once)
    assert at_once.files() == home.files()


def test_a_lake_of_an_older_version_is_judged_once(tmp_path: Path) -> None:
    """Its entries have no speakers, its sessions no hash."""
    home = Home(tmp_path)
    write_templates(home, "one", 1)
    night(home)
    fresh = speakers(home)
    with home.lake.writing("test"), home.lake.commit() as change:
        gone = ("speaker", "speaker_reason", "speaker_parts")
        for day in home.lake.list_days("entries"):
            change.replace("entries", home.lake.read("entries", [day]).drop("schema_version", *gone), day)
        for day in home.lake.list_days("sessions"):
            change.replace("sessions", home.lake.read("sessions", [day]).drop("schema_version", "attribution_hash"), day)
    night(home)
    assert speakers(home) == fresh


def test_a_quiet_night_makes_no_row_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of sessions that did not change are compared by their columns; only the one that changed becomes a row."""
    home = Home(tmp_path)
    write_templates(home, "one", 1)
    write_child(home)
    night(home)
    made: list[str] = []
    read_rows = attribute_step.read_rows

    def note_sessions(table: Any, frame: pl.DataFrame) -> Any:
        made.extend(frame["session_id"] if table is attribute_step.SESSIONS else [])
        return read_rows(table, frame)

    monkeypatch.setattr(attribute_step, "read_rows", note_sessions)
    assert (night(home)["judged"], made) == (0, [])
    write_parent(home)
    assert (night(home)["judged"], sorted(made)) == (2, ["boss", "worker"])


def test_workers_judge_as_one_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also what only the rest of the lake tells: handed-over tasks and recurring texts."""
    homes = []
    for name in ("one", "many"):
        (tmp_path / name).mkdir()
        home = Home(tmp_path / name)
        homes.append(home)
        for at in range(4):
            write_templates(home, f"templates-{at}", 60 * at)
        write_parent(home)
        write_child(home)
    counts = night(homes[0])
    used: list[int] = []
    whole = attribute_step.map_in_processes
    monkeypatch.setattr(attribute_step, "MIN_PARALLEL_BYTES", 0)
    monkeypatch.setattr(attribute_step, "PIECE_BYTES", 1)
    monkeypatch.setattr(attribute_step, "count_workers", lambda: 2)
    monkeypatch.setattr(
        attribute_step, "map_in_processes", lambda work, pieces, *how: used.append(len(pieces)) or whole(work, pieces, *how)
    )
    assert night(homes[1]) == counts
    assert used == [6]
    for table in ("entries", "sessions", "sketches"):
        one, many = (home.lake.read(table) for home in homes)
        assert one.drop("source_path", strict=False).equals(many.drop("source_path", strict=False))
