"""What cured a failing command is found from the order of commands and their exit codes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from time import process_time
from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, result, user
from transforms.friction.command_runs import (
    CommandRun,
    find_error_line,
    list_command_runs,
    name_program,
    normalise_error,
    strip_setup,
)
from transforms.friction.cures import Cure, _find_cure, find_cures, take_cures
from transforms.tables.tokens import count_tokens

START = datetime(2026, 3, 2, tzinfo=UTC)


def ran_command(command: str, output: str, call_id: str) -> list[dict[str, Any]]:
    is_error = "error" in output.partition("\n")[0] or output == "rejected"
    return [agent("", call("bash", call_id, command=command)), result(call_id, output, is_error=is_error)]


def ran(number: int, command: str, error: str = "") -> CommandRun:
    at = START + timedelta(minutes=number)
    return CommandRun("s", number, (f"e{number}",), (number,), at, command, bool(error), 1 if error else 0, error)


@each_case(
    ("commands", "edits", "cure"),
    [
        (["pip install x!", "uv pip install x"], [], "uv pip install x"),
        (["npm test!", "npm ci", "npm test"], [], "npm ci"),
        (["go test ./...!", "go build ./..."], [], None),  # another piece of work of the same program
        (["make migrate!", "LOCK=180 make migrate"], [], "LOCK=180 make migrate"),
        (["make migrate!", "git status", "LOCK=180 make migrate"], [1], None),
        (["npm test!", "npm ci", "npm test"], [1], None),  # an edit in between: ordinary work
        (["npm test!", "git status", "npm test"], [], None),  # looking cures nothing
        (["npm test!", "npm test"], [], None),  # by itself
        (["make build!", "ls src", "cat x"], [], None),
        (["pip install x!", "uv pip install x!", "pipx install x"], [], "pipx install x"),
        (["just ship!", "systemctl restart api", "just ship!", "just partitions 3", "just ship"], [], "just partitions 3"),
        (["lint run!", "env CACHE=/tmp/c /opt/bin/lint run"], [], "env CACHE=/tmp/c /opt/bin/lint run"),
        (["go test ./mod/a/kv!", "go test ./a/kv"], [], "go test ./a/kv"),  # the same files, named from elsewhere
        (["go test ./mod/a/kv!", "go test ./b/queue"], [], None),
    ],
)  # fmt: skip
def test_the_cure_is_what_did_the_same_work_or_ran_in_between(commands: list[str], edits: list[int], cure: str | None) -> None:
    """A mark `!` fails."""
    runs = [ran(number, command.rstrip("!"), "boom" if command.endswith("!") else "") for number, command in enumerate(commands)]
    cure_seen = _find_cure(runs[0], runs[1:], edits)
    assert (cure_seen.cured_by.command if isinstance(cure_seen, Cure) else None) == cure


def test_a_cure_says_where_it_ran() -> None:
    """The folder of a command is its `cd` or the argument of its tool; another project's command is no cure."""
    code = {"cmd": "go test ./mod/a/kv", "workdir": "/repo"}
    runs = list_command_runs(
        conversation(
            agent("", call("exec_command", "c1", **code)), result("c1", "go: cannot find main module", is_error=True),
            agent("", call("exec_command", "c2", cmd="go test ./a/kv", workdir="/repo/mod")), result("c2", "ok"),
            ran_command("cd web && npm test", "npm error Missing script", "c3"), ran_command("npm test", "ok", "c4"),
            ran_command("cd /one && make push", "rejected", "c5"), ran_command("make all", "ok", "c6"),
            ran_command("cd /two && make push", "ok", "c7"),
        )
    )  # fmt: skip
    failed = [place for place, run in enumerate(runs) if run.is_failed]
    cures = [_find_cure(runs[place], runs[place + 1 :], []) for place in failed]
    assert [cure.text.partition("; ")[2] if cure else None for cure in cures] == [
        "`go test ./a/kv` works instead in `mod` (exit 0)",
        "`npm test` works instead without `cd web` (exit 0)",
        None,
    ]


def test_two_failures_are_the_same_but_for_numbers_and_folders() -> None:
    """The program and its error count, not the folder and the line."""
    assert normalise_error("/a/b/main.py:12: error: x at 0x7f") == normalise_error("/c/main.py:99: error: x at 0x11")
    assert normalise_error("main.py: error: x") != normalise_error("main.py: error: y")


def test_the_program_that_does_the_work_is_found() -> None:
    """Not the change of folder in front of it, nor the pipe behind it."""
    assert strip_setup("cd /repo && FOO=1 && make test 2>&1 | tail -5") == "make test"
    assert [name_program(text) for text in ("uv pip install x", "/usr/bin/git -C x push", "npm run check:types")] == [
        "uv pip", "git", "npm run",
    ]  # fmt: skip


def test_the_line_of_an_error_is_the_first_that_names_one() -> None:
    """Else the last line; the line with the exit code is none."""
    assert (
        find_error_line("collecting\nError: no such table: users\nmore\n\nCommand exited with code 1")
        == "Error: no such table: users"
    )
    assert find_error_line("a\nb\n\nCommand exited with code 1") == "b"
    manager = "The format of 1 file is invalid.\nFinished in 558ms.\n[ELIFECYCLE] Command failed with exit code 1."
    assert find_error_line(manager) == "The format of 1 file is invalid."


def test_a_command_that_works_behind_another_one_was_cured_by_it() -> None:
    """`a && b` after `b` failed; joined by anything else the line says nothing."""
    failed = ran_command("./deploy.sh", "error: connect to host edge1: Connection timed out", "c1")
    (cure,) = find_cures(conversation(*failed, *ran_command("cd ops && wg-quick up tide0 && ./deploy.sh", "deployed", "c2")))
    assert "`wg-quick up tide0 && ./deploy.sh` works instead" in cure.text
    assert not find_cures(conversation(*failed, *ran_command("wg-quick up tide0; ./deploy.sh", "deployed", "c2")))


def test_a_check_that_fails_again_for_another_reason_was_not_cured() -> None:
    """Its work went on; what cures the same failure each time is a cure."""
    first = [*ran_command("pnpm check", "error: format", "c1"), *ran_command("pnpm fix && pnpm check", "ok", "c2")]
    edit = [agent("", call("edit", "e1", path="a.md", oldText="a", newText="b")), result("e1", "ok")]
    again = ran_command("pnpm check", "error: format", "c3")
    assert find_cures(conversation(*first))
    assert find_cures(conversation(*first, *edit, *again, *ran_command("pnpm fix && pnpm check", "ok", "c4")))
    assert not find_cures(conversation(*first, *edit, *again))


@each_case(("printed", "is_cured"), [("all parts verified", True), ("sh: 4711 error: verify (core dumped)", False)])
def test_what_prints_the_same_error_again_has_cured_nothing(printed: str, is_cured: bool) -> None:
    """Of `build; verify; journal | tail -1` the exit code is that of `tail`."""
    entries = conversation(
        *ran_command("make build", "sh: 4702 error: verify (core dumped)", "c1"),
        *ran_command("STATIC=1 make build; verify | tail -1", f"linking\n{printed}\n(journal)", "c2"),
    )
    assert bool(find_cures(entries)) == is_cured


def test_cures_beyond_the_room_of_a_window_are_left_out() -> None:
    """A cure that is too long makes way for a shorter one behind it."""
    cures = [
        Cure(ran(at, "make build", "x" * size), ran(at + 1, "make setup"), is_other_command=True)
        for at, size in enumerate((9, 400, 9))
    ]
    size = count_tokens(cures[0].text)
    assert take_cures(cures, 2 * size) == [cures[0], cures[2]]
    assert take_cures(cures, size - 1) == []


@each_case(
    ("commands", "cure"),
    [
        (["just ship!", "sed -i 's/a/b/' conf && just audit", "just ship"], None),  # the edit cured it, not the audit
        (["just ship!", "perl -pi -e 's/a/b/' conf", "just ship"], None),
        (["just ship!", "cat > conf <<'E'\nb\nE", "just ship"], None),
        (["just ship!", "just partitions 3 >/dev/null 2>&1", "just ship"], "just partitions 3"),
        (["time just ship!", "just ship"], None),  # the same command
        (["time just ship!", "just partitions 3", "nice -n 5 just ship"], "just partitions 3"),
    ],
)
def test_a_command_that_changes_a_file_is_an_edit_and_a_wrapper_is_no_other_command(
    commands: list[str], cure: str | None
) -> None:
    parts = [
        part
        for number, command in enumerate(commands)
        for part in ran_command(command.rstrip("!"), "error: boom" if command.endswith("!") else "ok", f"c{number}")
    ]
    assert [cure_seen.cured_by.command for cure_seen in find_cures(conversation(*parts))] == ([cure] if cure else [])


@each_case(
    ("failed", "cured", "change"),
    [
        ("pytest tests", "uv run pytest tests",
         "Run `pytest tests` as `uv run pytest tests`: without `uv run` it fails here with “error: boom”"),
        ("git push", "git lfs install && git push",
         "Run `git lfs install` before `git push`, which fails here without it: error: boom"),
        ("make migrate 2>&1 | tail -5", "LOCK=180 make migrate | head",
         "Run `make migrate` as `LOCK=180 make migrate`: without `LOCK=180` it fails here with “error: boom”"),
        ("make e2e", "cd web && make e2e", "Run `make e2e` in `web`: elsewhere it fails with “error: boom”"),
        ("pip install x", "pipx install x",
         "Use `pipx install x` instead of `pip install x`, which fails here: error: boom"),
        ("npm run a && npm run b", "npm run a --force && npm run b", ""),  # which of the two failed, nobody said
        ("pip install x", f"pipx install x {'--with y ' * 30}", ""),  # too long to be quoted whole
        ("make migrate", "LOCK=180 make migrate; make tidy", ""),  # what came of the first one, its exit code does not say
        ("make migrate", "LOCK=180 make migrate || tail log", ""),  # nor here: "LOCK=180 make migrate |" is no command
        ('git commit -m "a | tail b"', 'git commit --no-verify -m "a | tail b"',
         'Use `git commit --no-verify -m "a | tail b"` instead of `git commit -m "a | tail b"`, which fails here: error: boom'),
    ],
)  # fmt: skip
def test_friction_names_whole_commands_as_they_ran_or_what_was_put_before_them(failed: str, cured: str, change: str) -> None:
    """Never their first words: these are a rule about other commands, and a file for agents takes it over."""
    cures = find_cures(conversation(*ran_command(failed, "error: boom", "c1"), *ran_command(cured, "ok", "c2")))
    assert [cure.change for cure in cures] == [change]


def test_a_command_that_a_failure_waited_for_is_named_whole() -> None:
    entries = conversation(
        *ran_command("npm test", "error: boom", "c1"),
        *ran_command("npm ci --silent", "ok", "c2"),
        *ran_command("npm test", "ok", "c3"),
    )
    assert [cure.change for cure in find_cures(entries)] == [
        "When `npm test` fails with “error: boom”, run `npm ci --silent`, which cured it before"
    ]


def test_a_command_of_many_pipes_or_blanks_costs_what_it_is_long() -> None:
    """Each pipe more that only shows output had doubled the time where something else ended the command."""
    started = process_time()
    for command in (f"make{' | tail -3' * 3_000} > log", f"make{' ' * 30_000}all", f"make{' 2>&1 | cat' * 3_000}"):
        list_command_runs(conversation(*ran_command(command, "ok", "c1")))
    assert process_time() - started < 2


@each_case(
    ("said", "is_cured"),
    [
        ("no sudo on my machine, tell me the command and i run it", False),
        ("is sudo not allowed here?", True),
        ("thanks, that works. no rush with the rest", True),
    ],
)
def test_what_the_owner_forbids_is_no_cure(said: str, is_cured: bool) -> None:
    """It worked, and must not be done again."""
    parts = [
        *ran_command("mpremote connect tty0 cp a.py", "error: failed to access tty0", "c1"),
        *ran_command("sudo systemctl stop ModemManager && mpremote connect tty0 cp a.py", "copied", "c2"),
    ]
    assert bool(find_cures(conversation(*parts, user(said)))) == is_cured
