"""The hooks of Claude Code and Codex, with payloads as both clients send them."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from effects.health.outside_checks import check_hooks
from effects.opening.client_hooks import expect_first_prompt, parse_hook_event, take_prompt_mark
from effects.opening.late_opening import read_last_opening
from effects.pages.render_step import render
from effects.store.run import Run
from effects.system.errors import UsageError
from recollect.cli import run as run_command_line
from tests.each_case import each_case
from tests.effects.recall_world import SHOP, fact, filled, write
from transforms.tables.tokens import count_tokens

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def memory(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a lake that the settings of the environment name, and a cache of its own."""
    run = filled(tmp_path / "memory", model=str(tmp_path / "no-model"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_home / "cache"))
    monkeypatch.setenv("RECOLLECT_LAKE", str(run.settings.lake))
    monkeypatch.setenv("RECOLLECT_WORKSPACE", str(run.settings.workspace))
    monkeypatch.setenv("RECOLLECT_TIMEZONE", run.settings.timezone)
    monkeypatch.setenv("RECOLLECT_OWNER", run.settings.owner)
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", run.settings.embedding.model)
    return run


def payload(name: str, **more: str) -> bytes:
    """Return what a client writes to the hook's stdin."""
    transcript = "/nowhere/projects/-home-joel-code-shop/5f0c.jsonl"
    return orjson.dumps({"session_id": "5f0c", "transcript_path": transcript, "cwd": SHOP, "hook_event_name": name} | more)


def send(event: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """Run `recollect hook` on an event; return the context that it adds."""
    stdin = io.TextIOWrapper(io.BytesIO(event))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert run_command_line(["hook", "--wait", "1e6"]) == 0
    out = capsys.readouterr().out
    answer: dict[str, Any] = orjson.loads(out) if out else {}
    return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


def test_a_session_gets_its_briefing_at_the_start_and_facts_with_its_first_prompt_only(
    memory: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Recall on every prompt was found to be worse than none."""
    briefing = send(payload("SessionStart", source="startup"), monkeypatch, capsys)
    assert briefing.startswith("<recollect-briefing>")
    assert "Session cache TTL stays below 20 minutes" in briefing
    facts = send(payload("UserPromptSubmit", prompt="raise the session cache TTL in Redis"), monkeypatch, capsys)
    assert "TTL 15 minutes" in facts
    assert "# Briefing" not in facts
    assert send(payload("UserPromptSubmit", prompt="raise the session cache TTL in Redis"), monkeypatch, capsys) == ""


def test_a_prompt_about_nothing_leaves_the_facts_to_one_of_the_next(
    memory: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ "hi" spent them. The rest of the briefing comes once, and the fourth prompt is not asked about."""
    about = payload("UserPromptSubmit", prompt="raise the session cache TTL in Redis")
    nothing = payload("UserPromptSubmit", prompt="hi")
    for count, is_answered in ((0, True), (1, True), (2, True), (3, False)):
        send(payload("SessionStart", source="startup"), monkeypatch, capsys)
        silent = [send(nothing, monkeypatch, capsys) for _ in range(count)]
        assert not any("about this request" in text for text in silent)
        assert ("TTL 15 minutes" in send(about, monkeypatch, capsys)) == is_answered
        assert send(about, monkeypatch, capsys) == ""


def test_the_room_that_facts_about_the_first_prompt_leave_goes_to_the_rest_of_the_briefing(
    memory: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Start and first prompt together stay within the 2,000 tokens of a whole, and say nothing twice."""
    fill_briefing(memory)
    start = send(payload("SessionStart", source="startup"), monkeypatch, capsys)
    prompt = send(payload("UserPromptSubmit", prompt="what about the zebra crossing?"), monkeypatch, capsys)
    assert "# More of the briefing" in prompt
    assert count_tokens(start) <= 1_400
    assert count_tokens(start) + count_tokens(prompt) <= 2_000
    facts = [line for line in prompt.splitlines() if line.startswith("- ")]
    assert facts
    assert not [line for line in facts if line in start]
    [page] = (memory.settings.workspace / "briefing").glob("shop.md")
    assert all(line in page.read_text(encoding="utf-8") for line in facts)


def test_a_session_that_began_with_the_whole_page_gets_no_rest_of_it(
    memory: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A late start falls back to the page of the night, which has everything. The log says that nothing was given."""
    fill_briefing(memory)
    command = [sys.executable, "-m", "recollect", "hook", "--wait", "0"]
    event = payload("SessionStart", source="startup")
    assert subprocess.run(command, input=event, capture_output=True, check=True, cwd=ROOT, timeout=60).stdout
    assert send(payload("UserPromptSubmit", prompt="what about the zebra crossing?"), monkeypatch, capsys) == ""
    log = (own_home / "cache" / "recollect" / "hooks.log").read_text(encoding="utf-8").splitlines()
    assert log[-1].endswith("UserPromptSubmit: no fact of the project is about the prompt; nothing was given")


def fill_briefing(memory: Run) -> None:
    """Give the project more facts than its short briefing holds, and render its page."""
    subjects = ("lathe", "anvil", "ferry", "orchard", "glacier", "violin", "harbour", "kiln", "meadow", "turbine")
    texts = [
        f"User decided: the {subject} of hall {hall} is painted blue before the {subjects[(hall + at) % 10]} number {at * 7},"
        f" after a long talk with the painters of hall {hall}, who had wished for another colour, and with foreman {at}, who had"
        f" no wish at all, so that the order of spring {at + hall} leaves the yard before the feast of {subject}s"
        for at, subject in enumerate(subjects)
        for hall in (1, 2, 3)
    ]
    write(memory, "observations", [fact(f"x{number}", text) for number, text in enumerate(texts)])
    with memory.lake.writing("test"):
        render(memory)


@pytest.mark.parametrize(("source", "is_answered"), [("startup", True), ("clear", True), ("compact", True), ("resume", False)])
def test_a_context_that_lost_the_briefing_gets_it_again(
    source: str, is_answered: bool, memory: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bool(send(payload("SessionStart", source=source), monkeypatch, capsys)) == is_answered


def test_before_the_first_night_and_for_unknown_events_a_hook_adds_nothing(
    memory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert send(payload("Notification"), monkeypatch, capsys) == ""
    assert send(payload("SessionEnd"), monkeypatch, capsys) == "", "its transcript is gone"
    monkeypatch.setenv("RECOLLECT_LAKE", str(tmp_path / "none"))
    assert send(payload("SessionStart", source="startup"), monkeypatch, capsys) == ""


def test_a_slow_process_gives_the_page_of_the_last_night_and_logs_the_miss(memory: Run, own_home: Path) -> None:
    """Facts about a first prompt have no page: the client goes on without them, and the log says so."""
    with memory.lake.writing("test"):
        render(memory)
    page = next((memory.settings.workspace / "briefing").glob("shop.md"))
    command = [sys.executable, "-m", "recollect", "hook", "--wait", "0"]
    outs = []
    for event in (payload("SessionStart", source="startup"), payload("UserPromptSubmit", prompt="raise the cache TTL in Redis")):
        done = subprocess.run(command, input=event, capture_output=True, check=True, cwd=ROOT, timeout=60)
        outs.append(orjson.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else "")
    assert outs == [f"<recollect-briefing>\n{page.read_text(encoding='utf-8').strip()}\n</recollect-briefing>\n", ""]
    log = (own_home / "cache" / "recollect" / "hooks.log").read_text(encoding="utf-8").splitlines()
    assert "SessionStart: not within 0 s; the page of the last night was given" in log[0]
    assert "UserPromptSubmit: not within 0 s; nothing was given" in log[1]


def test_a_slow_process_gives_the_page_of_this_memory_where_another_machine_wrote_the_page_of_that_name(memory: Run) -> None:
    page = memory.settings.workspace / "briefing" / "shop.md"
    page.parent.mkdir(parents=True)
    page.write_text("<!-- recollect:briefing -->\n# Briefing: shop\n\n- The other machine's words.\n", encoding="utf-8")
    with memory.lake.writing("test"):
        render(memory)
    opening = read_last_opening(memory.lake.root, memory.settings.workspace, Path(SHOP))
    own = page.with_name("shop.md.new").read_text(encoding="utf-8")
    assert opening == f"<recollect-briefing>\n{own.strip()}\n</recollect-briefing>\n"


def test_a_damaged_lake_is_logged_and_costs_a_session_nothing(
    memory: Run, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (memory.lake.root / "sessions").rglob("*.parquet"):
        path.write_bytes(b"damaged")
    assert send(payload("SessionStart", source="startup"), monkeypatch, capsys) == ""
    assert "hook failed: " in (own_home / "cache" / "recollect" / "hooks.log").read_text(encoding="utf-8")


HOOK_FAULTS: dict[str, tuple[dict[str, str], list[str], bytes]] = {
    "a settings file that is no TOML": ({"RECOLLECT_CONFIG": "{folder}/bad.toml"}, [], b""),
    "a setting that does not exist": ({"RECOLLECT_ENGINE__OBSERVR": "auto"}, [], b""),
    "a zone that does not exist": ({"RECOLLECT_TIMEZONE": "Mars"}, [], b""),
    "an option that does not exist": ({}, ["--nonsense", "--json"], b""),
    "a value that is no number": ({}, ["--max-tokens", "many"], b""),
    "no event on stdin": ({}, [], b"garbage"),
    "a settings file that is not there": ({"RECOLLECT_CONFIG": "{folder}/none.toml"}, [], b""),
}


@pytest.mark.parametrize("fault", HOOK_FAULTS)
def test_whatever_is_wrong_a_hook_ends_with_0_says_nothing_to_the_session_and_leaves_a_line_for_doctor(
    fault: str, memory: Run, tmp_path: Path, own_home: Path
) -> None:
    """With 2, Claude Code erases the prompt that its user has typed; what stands on stdout is read by its model."""
    variables, options, event = HOOK_FAULTS[fault]
    (tmp_path / "bad.toml").write_text("owner = [", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", *options],
        input=event or payload("UserPromptSubmit", prompt="raise the cache TTL"),
        env=os.environ | {name: value.format(folder=tmp_path) for name, value in variables.items()},
        capture_output=True, check=False, cwd=ROOT, timeout=60,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    (check,) = check_hooks(replace(memory, as_of=datetime.now(UTC)))
    assert check.level == "note"
    assert "failed 1 time in 7 days" in check.detail
    assert check.next.startswith(("correct", "unset", "recollect hook"))
    assert check.detail.rpartition("UTC: ")[2] in done.stderr.decode(), "a person who tries it by hand reads the same words"


def test_a_cache_that_takes_no_files_costs_a_failing_hook_nothing(memory: Run, own_home: Path, tmp_path: Path) -> None:
    """The line is in a temporary file then, and doctor reads that, too."""
    (own_home / "cache").write_text("in the way", encoding="utf-8")
    variables = {"RECOLLECT_TIMEZONE": "Mars", "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "recollect", "hook"]
    done = subprocess.run(command, input=b"", env=os.environ | variables, capture_output=True, check=False, cwd=ROOT, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"")
    (log,) = tmp_path.glob("recollect-hooks-*.log")
    assert "RECOLLECT_TIMEZONE" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


@each_case("text", [b"", b"[]", b"{}", b"null", b'{"hook_event_name"'])
def test_stdin_without_an_event_is_a_usage_error(text: bytes) -> None:
    with pytest.raises(UsageError, match="no hook event"):
        parse_hook_event(text)


def test_sessions_that_never_got_a_prompt_are_forgotten(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks are named by a hash: an id of a session is not a path."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(own_home / "cache"))
    old = parse_hook_event(payload("SessionStart", session_id="../../old"))
    expect_first_prompt(old)
    mark = next((own_home / "cache" / "recollect" / "first_prompts").iterdir())
    week_ago = time.time() - 8 * 86_400
    os.utime(mark, (week_ago, week_ago))
    expect_first_prompt(parse_hook_event(payload("SessionStart", session_id="new")))
    assert take_prompt_mark(old) is None
    assert take_prompt_mark(parse_hook_event(payload("UserPromptSubmit", session_id="new")))


@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")  # it outlives the hook on purpose
def test_what_reading_a_transcript_complains_about_is_in_the_log(
    memory: Run, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The client has ended when it is read, so nobody sees its output."""
    transcript = tmp_path / "5f0c.jsonl"
    transcript.write_text("this is no session\n", encoding="utf-8")
    assert send(payload("SessionEnd", transcript_path=str(transcript)), monkeypatch, capsys) == ""
    log = own_home / "cache" / "recollect" / "hooks.log"
    for _ in range(600):
        if "5f0c.jsonl was not read" in log.read_text(encoding="utf-8"):
            break
        time.sleep(0.1)
    assert "next: recollect session FILE" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600
