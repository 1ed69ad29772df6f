"""Progress of a whole run: a bar in a terminal, plain lines in a pipe; a run that is interrupted goes on."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from effects.store.lake import Lake
from effects.store.progress_meter import ProgressMeter, throttle
from recollect import terminal
from recollect.cli import run
from recollect.terminal import show_progress
from tests.flows.test_runner_closing_together import distilled, session_file
from transforms.pages.run_progress import Progress, RunWork, StepPart, format_step

ROOT = Path(__file__).resolve().parents[2]


class Screen(io.StringIO):
    """What a terminal shows."""

    def isatty(self) -> bool:
        """Return True: it stands for a terminal."""
        return True


def report_steps() -> None:
    """Report a run of two steps."""
    with show_progress() as report:
        meter = ProgressMeter("nightly", ["distil", "index"], report)
        meter.begin_step()
        meter.advance("windows [a]", 5, 10)
        meter.begin_step()


def test_a_pipe_gets_plain_lines_now_and_then(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A short run says nothing; a long one a line with step and units."""
    report_steps()
    assert capsys.readouterr().err == ""
    for name in ("FIRST_PROGRESS_SECONDS", "PLAIN_PROGRESS_SECONDS"):
        monkeypatch.setattr(terminal, name, 0.0)
    report_steps()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["nightly 1/2 distil", "nightly 1/2 distil", "nightly 2/2 index"]
    assert "5/10 windows [a]" in lines[1]


def test_a_run_of_which_no_step_reports_says_that_it_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading and reading take a minute on a busy machine; the first line came when all files were read."""
    for name in ("FIRST_PROGRESS_SECONDS", "WATCH_SECONDS"):
        monkeypatch.setattr(terminal, name, 0.01)
    seen = ""
    with show_progress("starting"):
        while not seen:
            time.sleep(0.01)
            seen = capsys.readouterr().err
    assert seen == "recollect: starting\n"
    time.sleep(0.05)
    assert capsys.readouterr().err == "", "one line, and then one in thirty seconds"


def test_steps_that_are_planned_while_a_run_goes_on_change_no_number() -> None:
    """A first night went from 19 steps to 29 and back."""
    seen: list[Progress] = []
    meter = ProgressMeter("nightly", ["ingest", "distil", "index"], seen.append)
    meter.begin_step()
    meter.replace_step([StepPart("distil", 0.2), StepPart("render"), StepPart("distil", 0.8)], {"index": 0.5})
    assert [step.part for step in meter.steps] == [1, 0.2, 1, 0.8, 0.5]
    for _ in range(4):
        meter.begin_step()
    assert [format_step(progress) for progress in seen] == [
        "nightly 1/3 ingest", "nightly 2/3 distil", "nightly 2/3 render", "nightly 2/3 distil", "nightly 3/3 index",
    ]  # fmt: skip
    assert [progress.share for progress in seen] == sorted(progress.share for progress in seen)


def test_the_bar_waits_when_there_is_more_to_do_than_was_known() -> None:
    """Windows are counted when sessions were read; the bar went from 28 % to 26."""
    seen: list[Progress] = []
    meter = ProgressMeter("nightly", ["ingest", "distil", "index"], seen.append)
    meter.begin_step()
    meter.advance("MB", 9, 10)
    meter.work = RunWork(100, 50_000, 50_000_000)
    meter.replace_step([StepPart("distil", 0.5), StepPart("index", 0.1), StepPart("distil", 0.5)])
    meter.begin_step()
    assert seen[-1].share == seen[-2].share > 0
    assert meter.finished == [pytest.approx(0, abs=1)]


def test_a_terminal_gets_one_bar_over_the_whole_run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels are text, not markup; stdout stays free."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    report_steps()
    assert "nightly 2/2 index" in screen.getvalue()
    assert "%" in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_a_log_gets_the_beginning_of_each_step_and_little_else() -> None:
    """Prefect stores every line."""
    seen: list[Progress] = []
    meter = ProgressMeter("nightly", ["distil", "index"], throttle(seen.append, 3600.0))
    for _ in range(2):
        meter.begin_step()
        for done in range(5):
            meter.advance("windows", done, 5)
    assert [progress.step for progress in seen] == ["distil", "index"]


def test_ctrl_c_keeps_finished_work_and_the_next_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 1 and one line; the rest is distilled by the same command."""
    names = [f"s-{number}" for number in range(12)]
    for name in names:
        session_file(tmp_path / "sessions", name)
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    command = [sys.executable, "-m", "recollect", "nightly", "--direct", "--as-of", "2026-05-18T03:30"]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not list((tmp_path / "lake" / "entries").glob("day=2026*")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, text = process.communicate()
    assert process.returncode == 1
    assert "recollect: stopped; finished work is kept" in text
    assert Lake(tmp_path / "lake").read("entries").height > 0
    assert run(command[3:]) == 0
    assert distilled(Lake(tmp_path / "lake")) == set(names)


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_doctor_says_how_far_its_search_is_but_not_to_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    session_file(tmp_path / "sessions", "shop")
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    run(["nightly", "--direct", "--as-of", "2026-05-18T03:30"])
    capsys.readouterr()
    for name in ("FIRST_PROGRESS_SECONDS", "PLAIN_PROGRESS_SECONDS"):
        monkeypatch.setattr(terminal, name, 0.0)
    run(["doctor", *options])
    progress = [line for line in capsys.readouterr().err.splitlines() if "doctor 1/1 check" in line]
    assert any("MB of text searched for secrets" in line for line in progress) != bool(options)
    assert not (options and progress)
