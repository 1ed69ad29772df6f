"""A fleet on the real Prefect: owners side by side on Dask, nobody's words in another's memory, one failure stops no other."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from effects.fleet.fleet_file import FleetSettings, load_fleet
from effects.fleet.owner_run import OwnerJob
from effects.system.errors import ConfigError
from flows import fleet_run
from flows.fleet_run import plan_backfill, plan_nights, run_chain, run_fleet, run_in_threads
from recollect.cli import run
from transforms.fleet.fleet_report import OwnerResult

AT = "2026-05-18T04:00:00Z"


def write_owner(folder: Path, name: str, word: str) -> Path:
    """Write the home of an owner who says a word that nobody else says; no embedding model, because loading one takes long."""
    home = folder / "owners" / name
    (home / "sessions").mkdir(parents=True)
    (home / "recollect.toml").write_text(f'[embedding]\nmodel = "{folder / "no-model"}"\n', encoding="utf-8")
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": f"s-{name}", "timestamp": "2026-05-17T10:00:00.000Z", "cwd": "/w/shop"}
    ]
    for number in range(6):
        role = "user" if number % 2 == 0 else "assistant"
        text = f"We always use {word} for the cache of part {number}, never the other one."
        lines.append(
            {
                "type": "message", "id": f"e{number}", "parentId": f"e{number - 1}" if number else None,
                "timestamp": f"2026-05-17T10:0{number}:00.000Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}], "timestamp": 1779012001000 + number},
            }
        )  # fmt: skip
    (home / "sessions" / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return home


@pytest.mark.flow
@pytest.mark.parametrize("runner", ["dask", "ray"])
def test_owners_run_side_by_side_and_share_no_word(prefect_server: dict[str, str], tmp_path: Path, runner: str) -> None:
    """Ray is not in the lock (80 MB): its half is skipped where it is not installed."""
    if find_spec(runner) is None or find_spec(f"prefect_{runner}") is None:
        pytest.skip(f"{runner} is not installed")
    homes = {word: write_owner(tmp_path, word, word) for word in ("tanager", "quagmire")}
    broken = write_owner(tmp_path, "broken", "xylophone")
    (broken / "recollect.toml").write_text('timezone = "Nowhere/At-All"\n', encoding="utf-8")
    file = tmp_path / "fleet.toml"
    file.write_text('owners = ["owners/*"]\nrunner = "' + runner + '"\nparallel = 2\n', encoding="utf-8")
    command = [sys.executable, "-m", "recollect", "fleet", "run", str(file), "--as-of", AT, "--json"]
    done = subprocess.run(command, env=prefect_server, capture_output=True, text=True, check=False, timeout=800)
    summary = json.loads(done.stdout.splitlines()[-1])
    states = {result["owner"]: result["state"] for result in summary["results"]}
    assert states == {"tanager": "done", "quagmire": "done", "broken": "failed"}, done.stderr[-2000:]
    assert done.returncode == 1
    assert "Nowhere/At-All" in next(result["message"] for result in summary["results"] if result["owner"] == "broken")
    for word, home in homes.items():
        holders = {path.relative_to(tmp_path / "owners").parts[0] for path in find_files_with(tmp_path / "owners", word)}
        assert holders == {home.name}
    report = (tmp_path / "fleet.md").read_text(encoding="utf-8")
    assert report.index("| broken |") < report.index("| quagmire |") < report.index("| tanager |")


def find_files_with(folder: Path, word: str) -> list[Path]:
    """Return the files below a folder that hold a word, also in columns of Parquet files."""
    import polars as pl

    files = [path for path in folder.rglob("*") if path.is_file()]
    tables = [path for path in files if path.suffix == ".parquet" and word in str(pl.read_parquet(path).to_dicts())]
    return [path for path in files if word.encode() in path.read_bytes()] + tables


def test_a_span_that_fails_holds_back_the_later_ones_of_its_owner_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ana", "bo"):
        (tmp_path / "owners" / name).mkdir(parents=True)
    (tmp_path / "fleet.toml").write_text('owners = ["owners/*"]\n', encoding="utf-8")
    fleet = load_fleet(tmp_path / "fleet.toml")

    def run_owner(job: OwnerJob) -> OwnerResult:
        is_bad = job.owner.name == "ana" and job.span.startswith("2026-04")
        state = "failed" if is_bad else "done"
        return {"owner": job.owner.name, "span": job.span, "state": state, "seconds": 1.0, "message": "", "hint": ""}  # type: ignore[typeddict-item]

    monkeypatch.setattr(fleet_run, "run_owner", run_owner)
    chains = plan_backfill(fleet, date(2026, 1, 1), date(2026, 12, 31), None)
    summary = run_fleet(fleet, chains, datetime(2027, 1, 1, tzinfo=UTC), run_in_threads)
    states = [(result["owner"], result["span"][:7], result["state"]) for result in summary["results"]]
    assert states == [
        ("ana", "2026-01", "done"), ("ana", "2026-04", "failed"), ("ana", "2026-07", "not_run"), ("ana", "2026-10", "not_run"),
        ("bo", "2026-01", "done"), ("bo", "2026-04", "done"), ("bo", "2026-07", "done"), ("bo", "2026-10", "done"),
    ]  # fmt: skip
    assert summary["states"] == {"done": 5, "failed": 1, "not_run": 2}


def test_the_budget_of_a_fleet_is_divided_into_equal_parts(tmp_path: Path) -> None:
    for name in ("ana", "bo"):
        (tmp_path / "owners" / name).mkdir(parents=True)
    (tmp_path / "fleet.toml").write_text('owners = ["owners/*"]\nbudget_day_usd = 1.0\n', encoding="utf-8")
    chains = plan_nights(load_fleet(tmp_path / "fleet.toml"), None)
    assert [job.budget_usd for jobs in chains for job in jobs] == [0.5, 0.5]


@pytest.mark.parametrize("text", ["2026-04-26T03:30", "2026-04-26T03:30:00+08:00"])
def test_a_time_without_a_zone_reaches_each_owner_as_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    """The owner's run reads it in the owner's zone, as the help says; it was read as UTC."""
    (tmp_path / "owners" / "ana").mkdir(parents=True)
    (tmp_path / "fleet.toml").write_text('owners = ["owners/*"]\n', encoding="utf-8")
    commands: list[tuple[str, ...]] = []

    def run_owner(job: OwnerJob) -> OwnerResult:
        """Note the arguments and do nothing."""
        commands.append(job.arguments)
        return {"owner": job.owner.name, "span": "", "state": "done", "seconds": 0.0, "message": "", "hint": ""}

    monkeypatch.setattr(fleet_run, "run_owner", run_owner)
    assert run(["fleet", "run", str(tmp_path / "fleet.toml"), "--direct", "--json", "--as-of", text]) == 0
    (arguments,) = commands
    typed = arguments[arguments.index("--as-of") + 1]
    assert datetime.fromisoformat(typed).isoformat() == datetime.fromisoformat(text).isoformat()


def test_nothing_to_do_is_done() -> None:
    assert run_chain([]) == []


def test_a_runner_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.fleet import make_task_runner

    monkeypatch.setitem(sys.modules, "prefect_ray", None)
    monkeypatch.setitem(sys.modules, "prefect_ray.task_runners", None)
    with pytest.raises(ConfigError, match="ray") as error:
        make_task_runner(FleetSettings(owners=("*",), runner="ray"))
    assert error.value.hint == "pip install 'recollect[ray]'"
