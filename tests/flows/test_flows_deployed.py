"""Deploying prefect.yaml works; that it names flows that exist stands in tests/effects/config/test_prefect_settings.py."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from effects.store.lake import Lake
from effects.system.errors import LockedError
from tests.flows.conftest import read_exports, read_lines
from tests.flows.test_fleet import write_owner
from tests.flows.test_prefect_run import STEPS
from tests.flows.test_prefect_run import session_file as write_zanzibar
from tests.flows.test_runner_closing_together import session_file
from tests.prefect_commands import RunPrefect, call_server

ROOT = Path(__file__).resolve().parent.parent.parent
DEPLOYMENTS = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]


def post(environment: dict[str, str], path: str, body: dict[str, Any] | None = None) -> Any:
    """Return the answer of the server."""
    return call_server(environment, "POST", path, body).json()


def pause_pool(environment: dict[str, str], is_paused: bool) -> None:
    """Let the worker take up no run, or runs again."""
    call_server(environment, "PATCH", "work_pools/recollect", {"is_paused": is_paused}).raise_for_status()


def wait_until(done: Callable[[], Any], seconds: float = 600.0) -> Any:
    """Return the first true value of `done`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := done():
            return value
        time.sleep(0.2)
    raise AssertionError("it did not happen in time")


@contextmanager
def holding(lake: Path, command: str) -> Iterator[None]:
    """Hold the lake, once the runs that other tests started have left it."""
    with ExitStack() as held:

        def enter() -> bool:
            try:
                held.enter_context(Lake(lake).writing(command))
            except LockedError:
                return False
            return True

        wait_until(enter)
        yield


@pytest.fixture(scope="module")
def deployed(
    prefect_server: dict[str, str], prefect: RunPrefect, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Return the environment of an owner who typed the README's lines up to the worker, the deployment twice."""
    home = tmp_path_factory.mktemp("owner")
    session_file(home / "sessions", "gateway")
    write_zanzibar(home / "sessions")
    environment = prefect_server | {f"RECOLLECT_{name.upper()}": str(home / name) for name in ("lake", "workspace", "sessions")}
    environment |= {"RECOLLECT_TIMEZONE": "Europe/Berlin", "RECOLLECT_EMBEDDING__MODEL": str(home / "no-model")}
    _, pool, deploy, worker, _ = read_lines()
    call_server(prefect_server, "DELETE", "work_pools/recollect")  # of another file's test, if there is one
    for arguments in (pool, deploy, deploy):
        done = prefect(environment, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    log = home / "worker.log"
    command = [sys.executable, "-m", "prefect", *worker]
    with log.open("wb") as out, subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out) as running:
        try:
            yield environment
        finally:
            running.terminate()
            running.wait(timeout=120)


@pytest.mark.flow
def test_deploying_twice_gives_the_schedule_in_the_owners_zone(deployed: dict[str, str]) -> None:
    """The second time changes nothing; the nightly runs at 03:30, backfill has no schedule, and its days are dates."""
    replies = {item["name"]: item for item in post(deployed, "deployments/filter")}
    assert set(replies) == {deployment["name"] for deployment in DEPLOYMENTS}
    schedule = replies["nightly"]["schedules"][0]["schedule"]
    assert (schedule["cron"], schedule["timezone"]) == ("30 3 * * *", "Europe/Berlin")
    assert replies["backfill"]["schedules"] == []
    days = replies["backfill"]["parameter_openapi_schema"]["properties"]
    assert days["since"]["anyOf"][0]["format"] == "date"
    assert "First day" in days["since"]["description"]
    assert replies["nightly"]["pull_steps"] == [{"prefect.deployments.steps.set_working_directory": {"directory": str(ROOT)}}]
    assert set(replies) == {"nightly", "friction", "timeline", "backfill", "fleet"}
    assert replies["fleet"]["parameter_openapi_schema"]["required"] == ["file"]
    assert all("recollect" in item["tags"] for item in replies.values())


@pytest.mark.flow
def test_the_scheduler_of_the_server_starts_due_runs(deployed: dict[str, str]) -> None:
    """Prefect 3.8 fails to insert runs with SQLAlchemy 2.1: the cap in pyproject.toml may go when this passes without it."""
    wanted = {"flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}}
    assert len(wait_until(lambda: post(deployed, "flow_runs/filter", wanted))) >= 3


@pytest.mark.flow
def test_a_worker_runs_a_night_and_leaves_a_page(deployed: dict[str, str], prefect: RunPrefect) -> None:
    """The last line of the README; the run has a name with its day, tags, progress in its log, and a page with links.

    Its steps are tasks, in order. Prefect's database may be shared: counts and reasons go there, what was said does not.
    """
    done = prefect(deployed, *read_lines()[-1], "--param", "as_of=2026-05-18T03:30:00Z")
    assert done.returncode == 0, done.stdout + done.stderr
    wanted = {"name": {"any_": ["nightly 2026-05-18"]}, "deployment_id": {"is_null_": False}}  # others run it without one
    replies = post(deployed, "flow_runs/filter", {"flow_runs": wanted})
    assert [(item["state_name"], item["tags"]) for item in replies] == [("Completed", ["recollect"])]
    of_run = {"flow_run_id": {"any_": [replies[0]["id"]]}}
    page = next(
        item["data"] for item in post(deployed, "artifacts/filter", {"artifacts": of_run}) if item["key"] == "nightly-counts"
    )
    assert all(f"| {step} |" in page for step in STEPS)
    assert all(Path(deployed["RECOLLECT_WORKSPACE"], name).as_uri() in page for name in ("REVIEW.md", "report.html"))
    assert "<svg" in Path(deployed["RECOLLECT_WORKSPACE"], "report.html").read_text(encoding="utf-8")
    in_order = {"sort": "EXPECTED_START_TIME_ASC", "flow_runs": {"id": {"any_": [replies[0]["id"]]}}}
    tasks = {item["name"].rpartition("-")[0]: item for item in post(deployed, "task_runs/filter", in_order)}
    assert list(tasks) == STEPS
    assert {item["state_name"] for item in tasks.values()} == {"Completed"}
    assert (sorted(tasks["distil"]["tags"]), tasks["render"]["tags"]) == (["recollect", "recollect-models"], ["recollect"])
    lines = [item["message"] for item in post(deployed, "logs/filter", {"logs": of_run, "limit": 200})]
    assert any(line.startswith("nightly 1/") for line in lines)
    shared = [post(deployed, f"{kind}/filter") for kind in ("artifacts", "task_runs", "flow_runs", "logs")]
    assert "zanzibar" not in json.dumps(shared)
    home = httpx.get(deployed["PREFECT_API_URL"].removesuffix("/api"), timeout=120, verify=False, follow_redirects=True)
    assert "<html" in home.text.lower()


@pytest.mark.flow
def test_a_worker_runs_a_fleet_and_one_locked_or_broken_owner_stops_no_other(
    deployed: dict[str, str], prefect: RunPrefect, tmp_path: Path
) -> None:
    """The run ends as failed, so that an automation notices, after every other owner's night; a page tells whom to look after."""
    homes = {name: write_owner(tmp_path, name, name) for name in ("ana", "bo", "cy")}
    (homes["bo"] / "recollect.toml").write_text('timezone = "Nowhere/At-All"\n', encoding="utf-8")
    file = tmp_path / "fleet.toml"
    file.write_text('owners = ["owners/*"]\nparallel = 1\n', encoding="utf-8")
    with holding(homes["cy"] / "lake", "a repair"):
        parameters = ("--param", f"file={file}", "--param", "as_of=2026-05-18T04:00:00Z")
        done = prefect(deployed, "deployment", "run", "fleet/fleet", *parameters, "--watch")
    assert done.returncode == 1, done.stdout + done.stderr
    wanted = {"flow_runs": {"name": {"any_": [f"fleet {file}"]}}}
    (found,) = post(deployed, "flow_runs/filter", wanted)
    assert (found["state_type"], found["tags"]) == ("FAILED", ["recollect"])
    assert "2 of 3 owners" in found["state"]["message"]
    of_run = {"artifacts": {"flow_run_id": {"any_": [found["id"]]}}}
    page = next(item["data"] for item in post(deployed, "artifacts/filter", of_run) if item["key"] == "fleet-report")
    outcomes = {cells[1].strip(): cells[2].strip() for line in page.splitlines() if len(cells := line.split("|")) > 3}
    assert outcomes["ana"].startswith("done in")
    assert outcomes["bo"].startswith("failed:")
    assert "Nowhere/At-All" in outcomes["bo"]
    assert outcomes["cy"].startswith("locked:")
    assert "a repair" in outcomes["cy"]
    assert (homes["ana"] / "workspace" / "REVIEW.md").is_file()
    assert page == (tmp_path / "fleet.md").read_text(encoding="utf-8")


@pytest.mark.flow
def test_a_run_waits_for_a_locked_lake_and_can_be_cancelled(deployed: dict[str, str], prefect: RunPrefect) -> None:
    """Its log says who holds the lake; after the cancellation the next run finds nothing broken."""
    with holding(Path(deployed["RECOLLECT_LAKE"]), "recollect nightly"):
        started = prefect(deployed, "deployment", "run", "nightly/nightly", "--param", "as_of=2026-05-19T03:30:00Z")
        assert started.returncode == 0, started.stderr
        wanted = {"flow_runs": {"name": {"any_": ["nightly 2026-05-19"]}}}
        replies = wait_until(lambda: post(deployed, "flow_runs/filter", wanted))[0]
        of_run = {"logs": {"flow_run_id": {"any_": [replies["id"]]}}, "limit": 200}
        wait_until(lambda: [item for item in post(deployed, "logs/filter", of_run) if "tries again" in item["message"]])
        assert prefect(deployed, "flow-run", "cancel", replies["id"]).returncode == 0
        wait_until(lambda: post(deployed, "flow_runs/filter", wanted)[0]["state_type"] == "CANCELLED")
    with holding(Path(deployed["RECOLLECT_LAKE"]), "test"):
        assert not list((Path(deployed["RECOLLECT_LAKE"]) / "_tx").glob("*"))


@pytest.mark.flow
def test_the_lines_of_the_page_about_prefect_work(deployed: dict[str, str], prefect: RunPrefect) -> None:
    """The limit of a tag, and a backfill whose days the server checks and keeps as dates; no worker takes it up."""
    page = (ROOT / "docs" / "prefect.md").read_text(encoding="utf-8")
    lines = [line.split()[1:] for line in re.findall(r"^\.venv/bin/prefect .*$", page, re.MULTILINE)]
    assert [words[0] for words in lines] == ["concurrency-limit", "deployment"]
    pause_pool(deployed, True)
    backfills = {"flows": {"name": {"any_": ["backfill"]}}}
    runs_of_other_tests = {item["id"] for item in post(deployed, "flow_runs/filter", backfills)}
    for arguments in lines:
        done = prefect(deployed, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
    (limit,) = post(deployed, "concurrency_limits/filter")
    assert (limit["tag"], limit["concurrency_limit"]) == ("recollect-models", 1)
    started = [item for item in post(deployed, "flow_runs/filter", backfills) if item["id"] not in runs_of_other_tests]
    assert [item["parameters"] for item in started] == [{"since": "2025-01-01", "until": "2025-12-31"}]
    for item in started:
        call_server(deployed, "DELETE", f"flow_runs/{item['id']}").raise_for_status()
    pause_pool(deployed, False)


@pytest.mark.flow
@pytest.mark.parametrize("parameter", ["since=yesterday", "since=1.3.2026", "as_of=tomorrow"])
def test_a_day_or_time_in_another_form_makes_no_run(deployed: dict[str, str], prefect: RunPrefect, parameter: str) -> None:
    """The server refuses it and says which parameter and which form; before, a run began and failed without a name."""
    backfills = {"flows": {"name": {"any_": ["backfill"]}}}
    before = {item["id"] for item in post(deployed, "flow_runs/filter", backfills)}
    done = prefect(deployed, "deployment", "run", "backfill/backfill", "--param", parameter)
    said = "".join((done.stdout + done.stderr).split())
    assert done.returncode != 0
    assert f"field'{parameter.partition('=')[0]}'" in said
    assert r"{4}-" in said
    assert {item["id"] for item in post(deployed, "flow_runs/filter", backfills)} == before


@pytest.mark.flow
def test_the_example_of_an_automation_makes_one_however_often_it_is_run(prefect_server: dict[str, str]) -> None:
    """The page's own words are run, twice; the second time what they say is brought up to date. One process runs them: to import
    Prefect is nearly all that it does."""
    text = (ROOT / "docs" / "prefect.md").read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    runs = [f"exec({words!r}, {{}})" for words in (text, text.replace("}} failed", "}} ended badly"))]
    command = [sys.executable, "-c", "\n".join(runs)]
    done = subprocess.run(command, cwd=ROOT, env=prefect_server, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (automation,) = post(prefect_server, "automations/filter")
    assert automation["name"] == "a nightly run failed"
    assert automation["actions"][0]["subject"].endswith("ended badly")


def test_nothing_that_is_named_sends_telemetry() -> None:
    """The README's exports, the settings of this folder, and the environment of the worker's runs."""
    assert read_exports() == {"DO_NOT_TRACK": "1", "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    assert tomllib.loads((ROOT / "prefect.toml").read_text(encoding="utf-8"))["server"]["analytics_enabled"] is False
    for deployment in DEPLOYMENTS:
        assert deployment["work_pool"]["job_variables"]["env"].items() >= read_exports().items()
