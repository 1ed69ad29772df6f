"""The error contract: exit codes, one readable line with the next command, the JSON envelope, never a traceback."""

from __future__ import annotations

import io
import json
import os
import pwd
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from effects.store.lake import Lake
from recollect.cli import run
from recollect.command_list import COMMANDS

SILENT = ("fleet", "hook")
"""Commands that end with 0 over a broken setting: one reads the settings of its owners, one must cost a client nothing."""


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Set a lake, a workspace and an empty folder of sessions in the folder of the test."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    (tmp_path / "sessions").mkdir()
    return tmp_path


def fails(capsys: pytest.CaptureFixture[str], code: int, *arguments: str) -> str:
    """Check that a command ends with this code and a readable message; return the message."""
    assert run(list(arguments)) == code
    out, err = capsys.readouterr()
    if "--json" in arguments:
        envelope = json.loads(out)["error"]
        assert set(envelope) == {"code", "message", "hint", "retryable"}
        assert err == ""
        return str(envelope["message"])
    assert out == ""
    assert "Traceback" not in err
    assert err.startswith("recollect: ")
    assert err.count("\n") <= 2
    return err


@pytest.mark.parametrize("variable", ["WORKSPACE", "LAKE", "SESSIONS", "CONFIG"])
@pytest.mark.parametrize(
    "command", [["nightly", "--direct"], ["doctor", "--json"], ["init", "--yes", "--no-night", "--no-model"]]
)
def test_a_place_that_the_system_refuses_to_look_at_is_named_without_a_traceback(
    variable: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a folder without rights does, a name that is too long makes even the question fail whether something is there."""
    place = tmp_path / ("x" * 300)
    monkeypatch.setenv(f"RECOLLECT_{variable}", str(place))
    code = run(command)
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    if variable in ("SESSIONS", "LAKE") and command[0] == "init":
        return  # the set-up goes on, and the first night complains
    assert code in (1, 2)
    assert "File name too long" in out + err
    assert str(place) in out + err


@pytest.mark.parametrize(
    "arguments",
    [
        ["nightlyy"],
        ["nightly", "--as-off", "2026-05-17"],
        ["nightly", "--as-of", "yesterday"],
        ["nightly", "--as-of", ""],
        ["doctor", "--as-of", ""],
        ["nightly", "--as-of", "0001-01-01"],
        ["doctor", "--as-of", "9999-12-31"],
        ["review", "apply", "--as-of", "0001-01-01T00:00:00+14:00"],
        ["export", "--since", "0001-01-01"],
        ["session", "~nouser/a.jsonl"],
        ["briefing", "--opening", "--loaded", "~nouser/CLAUDE.md"],
        ["session"],
        ["backfill"],
        ["backfill", "--since", "last week"],
        ["backfill", "--since", "2026-05-17", "--until", "2026-05-01"],
        ["ask"],
        ["export", "--tier", "9"],
        ["rebuild", "everything"],
        ["sql", "SELECT 1", "--csv", "--json"],
    ],
)
def test_usage_errors_exit_2_and_name_the_next_command(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """This holds under --json too."""
    message = fails(capsys, 2, *arguments)
    assert "--json" in arguments or "next: " in message


@pytest.mark.parametrize("action", ["run", "report"])
def test_an_empty_time_of_a_fleet_is_refused(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It meant now, though it is a variable of a script that was never set. Options are read before the file."""
    assert "neither a date" in fails(capsys, 2, "fleet", action, "fleet.toml", "--as-of", "")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in SILENT])
def test_a_broken_setting_is_named_by_every_command(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 2, with the variable."""
    monkeypatch.setenv("RECOLLECT_WINDOW__CAP_TOKENS", "many")
    given = {"ask": ["question"], "show": ["o-1"], "session": ["file"], "backfill": ["--since", "2026-01-01"], "review": ["list"]}
    given |= {"remember": ["text"], "init": ["--yes"], "forget": ["o-1"], "prune": ["--older-than", "30d"]}
    assert "RECOLLECT_WINDOW__CAP_TOKENS" in fails(capsys, 2, name, *given.get(name, []))


def test_a_missing_folder_of_sessions_is_said_and_nothing_is_written(
    own_places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 1: a nightly that found no folder must not mark every session as gone."""
    monkeypatch.setenv("RECOLLECT_SESSIONS", str(own_places / "nowhere"))
    for command in (["nightly", "--direct"], ["backfill", "--since", "2026-01-01", "--direct"]):
        assert "nowhere" in fails(capsys, 1, *command)
    assert not (own_places / "lake").exists()


def test_an_empty_folder_is_said_and_leaves_a_lake_that_can_be_read(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing was due before the first session: exit 0, with the folder and a command. Every table has a file all the same."""
    assert run(["nightly", "--direct"]) == 0
    said = capsys.readouterr().err
    assert str(own_places / "sessions") in said
    assert "recollect config" in said
    assert all((own_places / "lake" / table).is_dir() for table in ("entries", "windows", "observations", "runs"))


def test_a_file_without_a_session_is_refused_and_recorded(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing of it becomes an entry; what was wrong is in `sources` or `quarantine`."""
    path = own_places / "sessions" / "shopping.jsonl"
    path.write_text("milk\neggs\n", encoding="utf-8")
    assert "shopping.jsonl" in fails(capsys, 1, "session", str(path), "--direct")
    lake = Lake(own_places / "lake")
    assert lake.read("entries").is_empty()
    assert "refused" in lake.read("sources")["status"].to_list()


def test_a_file_elsewhere_that_is_no_session_is_an_error_and_leaves_no_trace(
    own_places: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise `doctor` and every night would name it for ever."""
    path = own_places / "passwd"
    path.write_text("root:x:0:0:root:/root:/bin/sh\n", encoding="utf-8")
    said = fails(capsys, 1, "session", str(path), "--direct")
    assert "passwd was not read: it contains no JSON object" in said
    lake = Lake(own_places / "lake")
    assert lake.read("sources").is_empty()
    assert lake.read("quarantine").is_empty()


def test_what_is_no_session_is_said_before_prefect_starts(
    own_places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took 25 seconds to hear that a file has no session in it."""

    def refuse(*_: object) -> None:
        """Fail where Prefect would start."""
        raise AssertionError("Prefect was started")

    monkeypatch.setattr("recollect.commands.runs.session.run_through_prefect", refuse)
    path = own_places / "passwd"
    path.write_text("root:x:0:0:root:/root:/bin/sh\n", encoding="utf-8")
    assert "passwd was not read: it contains no JSON object" in fails(capsys, 1, "session", str(path))
    assert not (own_places / "lake").exists()


def test_an_error_of_the_file_system_is_worded_once(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The path stands in the message already, and nobody knows the number of an error."""
    said = fails(capsys, 2, "fleet", "run", str(own_places / "fleet.toml")).splitlines()[0]
    assert said == f"recollect: {own_places / 'fleet.toml'} cannot be read: No such file or directory"


def test_a_file_that_does_not_exist_is_said(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1, with its name."""
    assert "none.jsonl" in fails(capsys, 1, "session", str(own_places / "none.jsonl"))


@pytest.fixture
def locked(own_places: Path) -> Iterator[Path]:
    """Hold the lake by another run."""
    with Lake(own_places / "lake").writing("recollect nightly"):
        yield own_places


@pytest.mark.parametrize("arguments", [["nightly", "--direct"], ["nightly", "--direct", "--json"], ["rebuild", "pages"]])
def test_a_locked_lake_exits_4_and_names_the_holder(
    locked: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """The holder and its process, and that trying again makes sense."""
    message = fails(capsys, 4, *arguments)
    assert "recollect nightly" in message
    assert str(os.getpid()) in message


def test_a_session_waits_when_the_lake_is_locked(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0: pi's shutdown hook has nobody to tell."""
    path = locked / "sessions" / "a.jsonl"
    path.write_text('{"type":"session","version":3,"id":"a","timestamp":"2026-05-17T10:00:00Z","cwd":"/x"}\n', encoding="utf-8")
    assert run(["session", str(path), "--closed", "--direct"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "waits" in err
    assert len(list((locked / "lake" / "_queue").glob("*.json"))) == 1


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_lake_that_cannot_be_written_is_said(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1, with the folder."""
    (own_places / "lake").mkdir(mode=0o500)
    assert "lake" in fails(capsys, 1, "nightly", "--direct")


def test_a_lake_that_is_a_file_is_said(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, with the variable; the same for root, who may write everywhere."""
    (own_places / "lake").write_text("", encoding="utf-8")
    assert "RECOLLECT_LAKE" in fails(capsys, 2, "nightly", "--direct")


@pytest.mark.parametrize("below", ["", "deep/folder"])
def test_a_workspace_that_is_a_file_is_said_before_anything_is_written(
    below: str, own_places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 2, with the variable: it is a setting that cannot be used."""
    (own_places / "notes.txt").write_text("", encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_WORKSPACE", str(own_places / "notes.txt" / below))
    assert "RECOLLECT_WORKSPACE" in fails(capsys, 2, "nightly", "--direct")
    assert not (own_places / "lake").exists()


def test_a_page_that_cannot_be_written_is_named_with_the_command_that_mends_its_place(
    own_places: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The setting that leads there was named, which is no fault of it."""
    (own_places / "workspace" / "REVIEW.md").mkdir(parents=True)
    message = fails(capsys, 1, "remember", "Deploys happen on Tuesdays")
    page = own_places / "workspace" / "REVIEW.md"
    assert f"{page} must be a page, but it is a folder" in message
    assert f"next: mv {page} {page}.moved, then recollect nightly" in message


def test_a_session_folder_that_is_a_file_is_passed_over_loudly(
    own_places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 1 when nothing else is left."""
    (own_places / "notes.txt").write_text("", encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_SESSIONS", str(own_places / "notes.txt"))
    assert f"{own_places / 'notes.txt'} is not a folder" in fails(capsys, 1, "nightly", "--direct")


@pytest.mark.parametrize(("name", "meant"), [("nightlyy", "nightly"), ("reveiw", "review"), ("conf", "config")])
def test_a_mistyped_command_is_corrected(name: str, meant: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names the nearest command."""
    assert f"did you mean `{meant}`?" in fails(capsys, 2, name)


@pytest.mark.parametrize("arguments", [["sql", "SELECT 1"], ["export"], ["export", "--json"], ["ask", "what?"], ["show", "o-1"]])
def test_reading_without_a_lake_names_the_command_that_makes_one(
    own_places: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1, and asking creates nothing."""
    fails(capsys, 1, *arguments)
    assert not (own_places / "lake").exists()


def test_doctor_without_a_lake_says_so(own_places: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its findings are data: they go to stdout, and the exit code says that something is wrong."""
    assert run(["doctor"]) == 1
    out, _ = capsys.readouterr()
    assert "recollect nightly" in out


def test_the_unexpected_is_one_line_and_its_traceback_is_logged(
    own_places: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The terminal shows no traceback even for an unforeseen error."""

    def explode(**arguments: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr("recollect.commands.recall.export.open_reading_run", explode)
    message = fails(capsys, 1, "export")
    assert "by nothing" in message
    assert "ZeroDivisionError" in (own_places / "lake" / "_logs" / "errors.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["ask", "sql", "remember", "forget"])
def test_bytes_that_are_no_text_in_an_argument_are_no_traceback(capsys: pytest.CaptureFixture[str], command: str) -> None:
    run([command, "what \udcff is it"])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "Unicode" not in out + err


@pytest.mark.parametrize("name", ["status", "last", "runs", "cost"])
def test_who_asks_for_the_last_night_is_sent_to_doctor_and_report(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`runs` was sent to `prune`."""
    message = fails(capsys, 2, name)
    assert "`recollect doctor`" in message
    assert "`recollect report`" in message
    assert "prune" not in message


@pytest.mark.parametrize(
    "command", [["nightly", "--direct"], ["backfill", "--all", "--direct"], ["doctor"], ["review", "apply"], ["timeline"]]
)
def test_a_person_is_asked_before_a_time_that_is_to_come(
    command: list[str], own_places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistyped year expired every proposal and wrote a page of 2099. Today's midnight is no such year."""
    terminal = io.StringIO("\n")  # the proposed answer
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", terminal)
    assert run([*command, "--as-of", "2099-01-01"]) == 2
    said = capsys.readouterr().err
    assert "`2099-01-01` is in the future" in said
    assert ("expire" in said) is ("--direct" in command), "only a night lets proposals expire"
    assert not (own_places / "lake").exists()
    run([*command, "--as-of", datetime.now(UTC).date().isoformat()])
    assert "in the future" not in "".join(capsys.readouterr())


def test_a_script_simulates_a_time_that_is_to_come_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody could answer."""
    assert run(["nightly", "--direct", "--as-of", "2099-01-01"]) == 0
    assert "`2099-01-01` is in the future" in capsys.readouterr().err


@pytest.mark.parametrize("home", [None, "", "not/absolute"])
@pytest.mark.parametrize(
    "command",
    [["doctor"], ["ask", "what?"], ["config"], ["init", "--yes"], ["mcp"], ["nightly", "--direct"]],
    ids=lambda words: words[0],
)
def test_without_a_home_a_command_says_so_in_a_line(
    home: str | None, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in a container whose user has a number and no name: exit 2, no traceback."""
    take_home_away(home, monkeypatch)
    message = fails(capsys, 2, *command)
    assert message.startswith("recollect: HOME is ")
    assert "next: set HOME" in message
    assert len(message.strip().splitlines()) == 2


@pytest.mark.parametrize("home", [None, "", "not/absolute"])
def test_without_a_home_a_hook_ends_well(
    home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With another exit code a client erases the prompt; the log is in no working folder either."""
    take_home_away(home, monkeypatch)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert run(["hook"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("recollect: HOME is ")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [f"recollect-hooks-{os.getuid()}.log"]
    assert not (tmp_path / "not").exists()


def take_home_away(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set HOME, or unset it for a user whom the system does not know."""

    def know_nobody(_: object) -> None:
        raise KeyError("no such user")

    monkeypatch.setattr(pwd, "getpwuid", know_nobody)
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)


@pytest.mark.parametrize(
    ("words", "missing"), [(["show"], "ID is missing"), (["ask"], "QUESTION or --batch is missing"), ([], "COMMAND is missing")]
)
def test_a_missing_argument_is_named_in_plain_words(words: list[str], missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words) == 2
    assert f"recollect: {missing}\n" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["ask", "x", "--since"], ["rebuild", "--since"], ["nightly", "--as-of"]])
def test_an_argument_of_bytes_that_are_no_text_is_refused_in_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The parser quotes it before its bytes are replaced, and JSON cannot hold them."""
    assert run([*words, "caf\udce9", "--json"]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert "caf\ufffd" in error["message"]
    assert error["code"] == "usage"
