"""A program that is run once: its group ends with it, and its words are cleaned."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from effects.engines.programs import program
from effects.engines.programs.program import is_busy, is_login_missing, is_used_up, run_program
from effects.engines.requests import TransportError
from tests.each_case import each_case

LEAVER = """import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("child", "w").write(str(child.pid))
sys.stdout.write(sys.stdin.read())
"""


def run(folder: Path, code: str, prompt: str = "", timeout: float = 30.0) -> str:
    return run_program("it", [sys.executable, "-c", code], prompt, str(folder), dict(os.environ), timeout).text


def wait_until_gone(process: int) -> bool:
    """Whether a process ends within some seconds; one that only waits for its parent has ended."""
    state = Path(f"/proc/{process}/stat")
    for _ in range(100):
        try:
            os.kill(process, 0)
            if state.exists() and state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def test_a_child_that_holds_the_output_open_ends_with_the_program_whose_answer_counts(tmp_path: Path) -> None:
    """It was waited for until the time limit, and the answer, which was paid, was lost with it."""
    began = time.monotonic()
    assert run(tmp_path, LEAVER, "words") == "words"
    assert time.monotonic() - began < 10
    assert wait_until_gone(int((tmp_path / "child").read_text(encoding="utf-8")))


@pytest.mark.parametrize("then", ["", "import time; time.sleep(60)"])
def test_a_daemon_that_holds_the_output_open_keeps_nobody_waiting(tmp_path: Path, then: str) -> None:
    """It has a session of its own, so nothing ends it with the program; the night waited for its end, limit or not."""
    code = LEAVER.replace('time.sleep(60)"]', 'time.sleep(60)"], start_new_session=True').replace(
        "sys.stdout.write", f"{then}\nsys.stdout.write"
    )
    began = time.monotonic()
    try:
        if then:
            with pytest.raises(TransportError, match="timeout"):
                run(tmp_path, code, timeout=1)
        else:
            assert run(tmp_path, code, "words") == "words"
        assert time.monotonic() - began < 10
    finally:
        os.kill(int((tmp_path / "child").read_text(encoding="utf-8")), signal.SIGKILL)


def test_output_without_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MOST_OUTPUT_BYTES", 1_000_000)
    with pytest.raises(TransportError, match="more than 1000000 bytes"):
        run(tmp_path, "while True: print('x' * 10_000)")


def test_a_long_prompt_and_a_long_answer_pass_each_other(tmp_path: Path) -> None:
    echo = "import sys\nfor line in sys.stdin: sys.stdout.write(line); sys.stderr.write(line)"
    prompt = "a line of words\n" * 100_000
    assert run(tmp_path, echo, prompt) == prompt


def test_a_child_that_is_left_behind_ends_with_the_program(tmp_path: Path) -> None:
    quiet = LEAVER.replace('time.sleep(60)"]', 'time.sleep(60)"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL')
    assert run(tmp_path, quiet, "words €") == "words €"
    assert wait_until_gone(int((tmp_path / "child").read_text(encoding="utf-8")))


def test_a_program_that_reads_nothing_or_is_not_there_is_no_crash(tmp_path: Path) -> None:
    assert run(tmp_path, "print('done')", "x" * 1_000_000).strip() == "done"
    with pytest.raises(TransportError, match="it does not start"):
        run_program("it", [str(tmp_path / "none")], "", str(tmp_path), {}, 1.0)


@each_case(
    "message",
    [
        "Your plan includes this model",
        "set a time limit",
        "The session was closed.",
        "a rate limit of 5 per minute",
        "no limit is set",
    ],
)
def test_other_words_are_no_limit_and_no_missing_login(message: str) -> None:
    assert not is_used_up(message)
    assert not is_login_missing(message)


def test_a_busy_provider_is_told_from_a_limit() -> None:
    assert is_busy("429 Too Many Requests")
    assert not is_used_up("429 Too Many Requests")
    assert is_used_up("Claude AI usage limit reached, resets at 1795790000")
