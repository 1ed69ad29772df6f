"""prefect.yaml names flows that exist, and deploying it works."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
DEPLOYMENTS = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]


def prefect(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line of Prefect against the server of the test."""
    command = [sys.executable, "-m", "prefect", "--no-prompt", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_every_entry_point_is_a_module_path_to_a_flow() -> None:
    """The test uses a fresh interpreter, because importing Prefect leaves threads and warnings behind."""
    entry_points = [deployment["entrypoint"] for deployment in DEPLOYMENTS]
    code = (
        "from importlib import import_module\nfrom prefect import Flow\n"
        f"for path in {entry_points!r}:\n"
        "    module, _, name = path.rpartition('.')\n"
        "    assert isinstance(getattr(import_module(module), name), Flow), path\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(":" not in path for path in entry_points)


@pytest.mark.flow
@pytest.mark.xdist_group("prefect")
def test_deploying_twice_gives_the_schedule_in_the_owners_zone(prefect_server: dict[str, str]) -> None:
    """The second time changes nothing; the nightly runs at 03:30, backfill has no schedule."""
    environment = prefect_server | {"RECOLLECT_TIMEZONE": "Europe/Berlin"}
    assert prefect(environment, "work-pool", "create", "recollect", "--type", "process").returncode == 0
    for _ in range(2):
        done = prefect(environment, "deploy", "--all")
        assert done.returncode == 0, done.stdout + done.stderr
    answer = httpx.post(f"{prefect_server['PREFECT_API_URL']}/deployments/filter", json={}, timeout=30).json()
    found = {item["name"]: item for item in answer}
    assert set(found) == {deployment["name"] for deployment in DEPLOYMENTS}
    schedule = found["nightly"]["schedules"][0]["schedule"]
    assert (schedule["cron"], schedule["timezone"]) == ("30 3 * * *", "Europe/Berlin")
    assert found["backfill"]["schedules"] == []
    assert found["nightly"]["pull_steps"] == [{"prefect.deployments.steps.set_working_directory": {"directory": str(ROOT)}}]
