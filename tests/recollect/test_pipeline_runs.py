"""What a run leaves on the screen: its exit code and its last lines, with a server of a model that gives no answer."""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path

import pytest
import stamina

from effects.config import prefect_settings
from effects.system import retry_notes
from effects.system.errors import RecollectError
from flows import temporary_server
from flows.runner import RunSummary
from recollect import pipeline_runs
from recollect.cli import run
from tests.effects.engines.model_server import Said, serving
from tests.flows.test_runner_closing_together import session_file
from transforms.pricing.engine_choice import MISSED_OFFLINE


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a few sessions, which the settings of the environment name."""
    for name in ("lake", "workspace", "sessions"):
        monkeypatch.setenv(f"RECOLLECT_{name.upper()}", str(tmp_path / name))
    monkeypatch.setenv("RECOLLECT_EMBEDDING__MODEL", str(tmp_path / "no-model"))
    monkeypatch.setenv("RECOLLECT_WINDOW__MIN_USER_MESSAGES", "1")
    monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "instructor:openai/gpt-4o-mini")
    monkeypatch.setattr(retry_notes, "_NUMBERS", itertools.count(1))
    for name in ("one", "two", "three", "four", "five"):
        session_file(tmp_path / "sessions" / f"--{name}--", name)
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_night_in_which_no_model_answered_fails_in_its_last_lines(
    options: list[str], places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1, with the share, the reason and the next command; under `--json` the counts come first, then the error."""
    with (
        serving(lambda *_: Said(status=429, headers={"retry-after": "0"})) as server,
        stamina.set_testing(True, attempts=2, cap=True),
    ):
        monkeypatch.setenv("RECOLLECT_ENGINE__BASE_URL", server.url)
        assert run(["nightly", "--direct", *options]) == 1
    out, err = capsys.readouterr()
    if options:
        counts, error = map(json.loads, out.splitlines())
        assert counts["counts"]["distil"]["due"] == 5
        assert (error["error"]["code"], error["error"]["retryable"]) == ("engine", True)
        message = error["error"]["message"]
    else:
        message, hint = err.splitlines()[-2:]
        assert hint.startswith("  next: check RECOLLECT_ENGINE__OBSERVER")
    assert "0 of 5 windows were distilled" in message
    assert "HTTP 429" in message
    assert "retry_scheduled" not in err


def test_repetitions_are_announced_calmly_and_three_times_at_most(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The logger's own handler listens: Prefect, loaded by another test, takes those of the root logger away."""
    records: list[logging.LogRecord] = []
    listening = logging.Handler()
    monkeypatch.setattr(listening, "emit", records.append)
    monkeypatch.setattr(logging.getLogger("recollect"), "handlers", [listening])
    monkeypatch.setattr(retry_notes, "_NUMBERS", count(1))  # another test of this process may have announced some
    with serving(lambda *_: Said(status=500)) as server, stamina.set_testing(True, attempts=3, cap=True):
        monkeypatch.setenv("RECOLLECT_ENGINE__BASE_URL", server.url)
        assert run(["nightly", "--direct"]) == 1
    lines = [record.getMessage() for record in records]
    assert len(lines) == retry_notes.MOST_LINES
    assert all("HTTP 500" in line and "goes out again in" in line for line in lines)
    assert sum(line.endswith("further repetitions are not announced") for line in lines) == 1  # requests go out at once


def test_a_night_tells_the_time_that_is_in_no_step(
    places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 190 seconds a table explained 124: the rest was loading, on a machine with much else to do."""
    monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "offline")
    assert run(["nightly", "--direct"]) == 0
    assert "for starting" not in capsys.readouterr().out
    monkeypatch.setattr(pipeline_runs, "LONG_START_SECONDS", 0.0)
    assert run(["nightly", "--direct"]) == 0
    assert re.search(r"done in [\d.]+ s and \d+ s for starting; pages: ", capsys.readouterr().out)


@pytest.mark.parametrize("is_chosen", [False, True])
def test_a_night_says_what_offline_misses_until_its_owner_chose_an_engine(
    is_chosen: bool, places: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without `recollect init` nobody knows that there is another one."""
    monkeypatch.setenv("HOME", str(places / "home"))
    if is_chosen:
        monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "offline")
    else:
        monkeypatch.delenv("RECOLLECT_ENGINE__OBSERVER")
    assert run(["nightly", "--direct"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("engine: "))
    assert line.startswith("engine: offline")
    assert (MISSED_OFFLINE in line) != is_chosen


def test_a_flow_is_imported_while_its_server_starts_and_dropped_when_none_does(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both take seconds, so one waits for the other at the end; a run that cannot begin names the way without a server."""
    called: list[str] = []

    @contextmanager
    def starting_server() -> Iterator[Callable[[], None]]:
        def wait() -> None:
            called.append("wait")
            raise RuntimeError("it does not start")

        yield wait

    async def flow() -> RunSummary:
        raise AssertionError("it must not run")

    def start() -> Coroutine[None, None, RunSummary]:
        called.append("flow")
        return flow_run

    flow_run = flow()
    monkeypatch.setattr(temporary_server, "running_server", starting_server)
    monkeypatch.setattr(prefect_settings, "prepared_for_prefect", nullcontext)
    monkeypatch.setattr(pipeline_runs, "import_module", called.append)
    with pytest.raises(RecollectError, match="Prefect could not start the run") as error:
        pipeline_runs.run_through_prefect(start)
    assert "--direct" in error.value.hint
    assert called == ["flows.prefect_run", "flow", "wait"]
    assert flow_run.cr_frame is None, "an unfinished flow would warn at the end that nobody awaited it"
