"""Running through Prefect: what is left behind, what is printed, and what a failure looks like."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.pipelines import NIGHTLY_STEPS
from flows.runner import name_step
from tests.flows.conftest import FirstNight
from tests.prefect_commands import call_server

ROOT = Path(__file__).resolve().parent.parent.parent
STEPS = [name_step(step) for step in NIGHTLY_STEPS]
WORDS = "the zanzibar parser must never swallow a semicolon"

STARTED_RUNS = {"sort": "START_TIME_DESC", "flow_runs": {"start_time": {"is_null_": False}}}
"""Filter of the runs that began, newest first: deployments of other tests have scheduled ones."""

pytestmark = pytest.mark.flow


def session_file(folder: Path) -> Path:
    """Write a session with one typed message of words that occur nowhere else."""
    path = folder / "2026-05-17T10-00-00-000Z_s-1.jsonl"
    lines = [
        {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-05-17T10:00:00.000Z", "cwd": "/home/a/zanzibar"},
        {
            "type": "message", "id": "e1", "parentId": None, "timestamp": "2026-05-17T10:00:01.000Z",
            "message": {"role": "user", "content": [{"type": "text", "text": WORDS}], "timestamp": 1779012001000},
        },
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def recollect(environment: dict[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    places = {f"RECOLLECT_{name.upper()}": str(folder / name) for name in ("lake", "workspace", "sessions")}
    command = [sys.executable, "-m", "recollect", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment | places, capture_output=True, text=True, check=False)


def noise(stderr: str) -> list[str]:
    """Return stderr without the progress that a run shows on a slow machine."""
    lines = (line for line in stderr.splitlines() if not line.startswith("recollect: starting"))
    return [line for line in lines if line.partition(" ")[0].rstrip(":") not in {"nightly", *STEPS}]


def test_a_failing_step_fails_the_flow_in_one_line(prefect_server: dict[str, str], tmp_path: Path) -> None:
    """Prefect would print a traceback of its own; the flow run is Failed all the same."""
    session_file(tmp_path / "sessions")
    (tmp_path / "workspace" / "REVIEW.md").mkdir(parents=True)  # a folder where a page should be
    done = recollect(prefect_server, tmp_path, "nightly", "--as-of", "2026-05-18T03:30")
    assert done.returncode == 1
    stderr_lines = noise(done.stderr)
    assert [line.partition(":")[0] for line in stderr_lines] == ["recollect", "  next"]
    runs = call_server(prefect_server, "POST", "flow_runs/filter", STARTED_RUNS)
    assert runs.json()[0]["state_type"] == "FAILED"
    artifacts = call_server(prefect_server, "POST", "artifacts/filter").json()
    page = next(item["data"] for item in artifacts if item["key"] == "nightly-failure")
    assert "nightly failed" in page
    assert "recollect doctor" in page
    assert "zanzibar" not in page


WRONG_CALLS = (
    ("nightly", "nightly()", "RECOLLECT_ENGINE__OBSERVER"),
    ("backfill", "backfill(since='2026-03-02', until='2026-03-01')", "--until 2026-03-01 is before --since 2026-03-02"),
    ("backfill", "backfill(**{'since': '2026-02-30'})", "since: `2026-02-30` is not a date; for example 2026-05-17"),
    ("nightly", "nightly(**{'as_of': 'yesterday'})", "as_of: `yesterday` is neither a date nor an ISO time; for example"),
)
"""A flow, its call, and the words of its failure: a wrong setting, and with that corrected a wrong span, and parameters as a
server sends them that cannot be meant."""
NAMES_OF_WRONG_PARAMETERS = ("backfill since 2026-02-30", "nightly yesterday")
FLOWS_ALONE = """
import asyncio, os
from flows.backfill import backfill
from flows.nightly import nightly
for start in (%s):
    try:
        asyncio.run(start())
    except Exception:
        os.environ["RECOLLECT_ENGINE__OBSERVER"] = "offline"
"""
"""A worker of a deployment calls the flows like this, without the command line's checks before them."""


class FailedRun(NamedTuple):
    """A run of the server, the data of its page, and the words that both must have."""

    run: dict[str, Any]
    page: str
    words: str


@pytest.fixture(scope="module")
def failed_runs(prefect_server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> list[FailedRun]:
    """Return what the wrong calls left, in order; one process makes all of them, because it imports Prefect for seconds."""
    folder = tmp_path_factory.mktemp("wrong")
    session_file(folder / "sessions")
    places = {f"RECOLLECT_{name.upper()}": str(folder / name) for name in ("lake", "workspace", "sessions")}
    environment = prefect_server | places | {"RECOLLECT_ENGINE__OBSERVER": "offlin"}
    starts = ", ".join(f"lambda: {call}" for _, call, _ in WRONG_CALLS)
    command = [sys.executable, "-c", FLOWS_ALONE % starts]
    subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True)
    runs = call_server(prefect_server, "POST", "flow_runs/filter", STARTED_RUNS).json()[: len(WRONG_CALLS)]
    artifacts = call_server(prefect_server, "POST", "artifacts/filter", {"sort": "CREATED_DESC"}).json()
    pages = {(item["flow_run_id"], item["key"]): item["data"] for item in artifacts}
    return [
        FailedRun(run, pages.get((run["id"], f"{flow}-failure"), ""), words)
        for run, (flow, _, words) in zip(reversed(runs), WRONG_CALLS, strict=True)  # the newest is first
    ]


def test_a_wrong_setting_or_span_fails_a_run_of_a_worker_with_its_reason_and_a_page(failed_runs: list[FailedRun]) -> None:
    """A crash has no reason that a notification could show."""
    for failed in failed_runs[:2]:
        state = failed.run["state"]["message"]
        assert (failed.run["state_type"], failed.words in state, failed.words in failed.page) == ("FAILED", True, True)


def test_a_parameter_that_cannot_be_meant_fails_a_run_with_a_name_a_reason_and_a_page(failed_runs: list[FailedRun]) -> None:
    """Prefect checked it before the run had a name, and left no page."""
    for name, failed in zip(NAMES_OF_WRONG_PARAMETERS, failed_runs[2:], strict=True):
        state = failed.run["state"]["message"]
        assert (failed.run["name"], failed.run["state_type"], failed.words in state) == (name, "FAILED", True)
        assert failed.words in failed.page


def test_without_a_server_one_is_started_and_stopped_silently(first_night: FirstNight) -> None:
    """There are no log lines, tracebacks or files outside of PREFECT_HOME; `--json` prints one line."""
    assert (first_night.done.returncode, noise(first_night.done.stderr)) == (0, [])
    assert list(json.loads(first_night.done.stdout)["counts"]) == STEPS
    assert (first_night.prefect_home / "prefect.db").is_file()
    assert not (first_night.prefect_home.parent / "home" / ".prefect").exists()


def test_the_installed_pair_of_prefect_and_fastapi_answers_a_null_limit(prefect_server: dict[str, str]) -> None:
    """A body with `limit: null` is answered with 200.

    FastAPI 0.152 to 0.154 answer 422, so that `prefect deploy` and `flow-run ls` fail; from 0.155 on, Prefect 3.8 cannot
    even be used (`Body() got an unexpected keyword argument 'min_items'`). The cap `fastapi<0.151` can go when this test
    passes with a newer pair: raise it in pyproject.toml, make the lock again, run this test.
    """
    answer = call_server(prefect_server, "POST", "flow_runs/filter", {"limit": None})
    assert answer.status_code == 200, answer.text
