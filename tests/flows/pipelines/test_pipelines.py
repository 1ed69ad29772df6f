"""The order of the steps, without Prefect."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.health.sample_sessions import copy_sample_sessions
from effects.ingest.waiting_sessions import WaitingSession, enqueue_session, list_waiting_sessions
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from flows.owner_pipelines import remember_pipeline
from flows.pipeline import VERSIONED_STEPS, Pipeline, StepPlan
from flows.pipelines import (
    STEP_VERSIONS,
    backfill_pipeline,
    nightly_pipeline,
    session_pipeline,
    whole_history_pipeline,
)
from flows.runner import name_step, run_pipeline
from flows.slices import ingest_slice
from transforms.pages.run_progress import FAMILIES, STEP_SECONDS

ROOT = Path(__file__).resolve().parents[3]
NIGHT = datetime(2026, 3, 16, 2, 30, tzinfo=UTC)


def names_of(pipeline: Pipeline) -> list[str]:
    """Return the names of a pipeline's steps, in order."""
    return [name_step(step) for step in pipeline.steps]


def run_in(folder: Path) -> Run:
    """Return a run over `folder/sessions` that embeds nothing: there is no such model."""
    model = EmbeddingSettings(model=str(folder / "no-model"))
    settings = Settings(
        sessions=(folder / "sessions",), lake=folder / "lake", workspace=folder / "workspace", embedding=model, owner="mara"
    )
    return Run(settings, Lake(settings.lake), NIGHT)


def samples(folder: Path) -> Path:
    """Copy the sample sessions below `folder`."""
    copy_sample_sessions(ROOT / "data" / "samples" / "sessions", folder)
    return folder


def test_the_night_reads_decisions_before_it_proposes_and_renders() -> None:
    """A decision in REVIEW.md must not be rendered over."""
    assert names_of(nightly_pipeline(None)) == [
        "ingest", "blank_forgotten", "attribute", "join_projects", "window", "distil", "embed_kept", "relate", "dedupe",
        "mark_by_rules",
        "consolidate", "read_todoist", "review", "reflect", "check_ground", "archive", "render", "write_todoist", "embed",
        "index",
    ]  # fmt: skip


def test_what_a_step_has_freed_goes_back_before_the_next_one_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of a long history would else stand beside the comparison of its facts."""
    done: list[str] = []

    def first(run: Run) -> Counts:
        done.append("first")
        return {}

    def second(run: Run) -> Counts:
        done.append("second")
        return {}

    monkeypatch.setattr(
        "flows.runner.give_memory_back", lambda *, with_models: done.append("models" if with_models else "given back")
    )
    run_pipeline(run_in(tmp_path), Pipeline("rebuild", (first, second), {}))
    assert done == ["first", "given back", "second", "given back"]
    done.clear()
    plans = {second: lambda _run: StepPlan((second,), forgets_models=True)}
    run_pipeline(run_in(tmp_path), Pipeline("rebuild", (first, second, first), {}, plans))
    assert done == ["first", "given back", "second", "models", "first", "models"]


def test_the_record_of_a_night_has_the_versions_of_its_steps(sample_night: Path) -> None:
    """Who asks why a night decided everything anew finds the raised version."""
    nights = Lake(sample_night / "lake").read("runs").filter(pl.col("flow") == "nightly")
    assert json.loads(nights["versions"][0])["steps"] == {
        name: version for name, version in STEP_VERSIONS.items() if name in names_of(nightly_pipeline(None))
    }
    assert STEP_VERSIONS.keys() == VERSIONED_STEPS >= {"attribute", "window", "dedupe", "friction"}


def test_a_session_is_never_reflected_on_by_itself(tmp_path: Path) -> None:
    """pi's shutdown hook fires many times a day; reflection is at most once a day."""
    names = names_of(session_pipeline(tmp_path / "a.jsonl", True))
    assert "reflect" not in names
    assert names.index("review") < names.index("render")


def test_a_backfill_goes_month_by_month_and_reflects_once(tmp_path: Path) -> None:
    """Each month stands on pages and is found before an older one is read."""
    samples(tmp_path / "sessions")
    names = names_of(backfill_pipeline(run_in(tmp_path), date(2025, 12, 1), date(2026, 3, 31)))
    assert names[:30] == [
        "ingest_slice", "blank_forgotten", "attribute", "join_projects", "window", "distil", "embed_kept", "review", "render",
        "index",
    ] * 3  # fmt: skip
    assert names.count("reflect") == 1


def test_every_share_of_a_run_is_that_of_a_step() -> None:
    """A step with a new name would fall to the smallest share, and the bar would stand still."""
    names = {*names_of(whole_history_pipeline()), name_step(ingest_slice)}
    assert {*STEP_SECONDS, *FAMILIES} <= names


def test_only_a_line_that_is_remembered_at_once_reaches_the_index_at_once() -> None:
    """A proposal changes no document of the index."""
    assert names_of(remember_pipeline("Use ruff.", None, True, "owner"))[-1] == "index"
    assert "index" not in names_of(remember_pipeline("Use ruff.", None, False, "owner"))


def stop_after(run: Run, last: str) -> None:
    """Run a backfill that is stopped when it has done its first step of this name."""

    def stopping(name: str, call: object) -> Counts:
        counts: Counts = call()  # type: ignore[operator]
        if name == last:
            raise KeyboardInterrupt
        return counts

    with pytest.raises(KeyboardInterrupt):
        run_pipeline(run, backfill_pipeline(run, date(2025, 1, 1), None), stopping)


@pytest.mark.parametrize("stops", [[], ["attribute", "index", "window", "dedupe"]])
def test_a_backfill_gives_the_lake_of_a_night_also_when_it_was_stopped(
    tmp_path: Path, sample_night: Path, stops: list[str]
) -> None:
    """Up to observations the lake depends on the files alone, not on when or how often runs happened.

    It is useful before it is complete: stopped after its first slice it has the pages of the newest month, an index, and no
    session of an older one.
    """
    night, past, since = run_in(sample_night), run_in(tmp_path), date(2025, 1, 1)
    samples(past.settings.sessions[0])
    for last in stops:
        stop_after(past, last)
        if last == "index":
            months = {f"{started:%Y-%m}" for started in past.lake.read("sessions")["started_at"]}
            logs = {path.stem[:7] for path in (past.settings.workspace / "memory").rglob("2???-??-??.md")}
            assert months == logs == {"2026-03"}
            assert (past.lake.root / "_index" / "manifest.json").exists()
    run_pipeline(past, backfill_pipeline(past, since, None))
    paths = {"source_path", "path"}
    for table in ("sessions", "entries", "coverage", "windows", "segments", "observations"):
        item, other = (run.lake.read(table).select(pl_without(run, table, paths)) for run in (night, past))
        assert item.equals(other), table
    assert night.lake.read("observations").height > 50


def pl_without(run: Run, table: str, columns: set[str]) -> list[str]:
    """Return the other columns of a table: the two lakes were made from different folders."""
    return [name for name in run.lake.scan(table).collect_schema().names() if name not in columns]


def test_what_waited_is_read_first_by_the_run_that_comes_next(tmp_path: Path) -> None:
    """Sessions outside of the configured folders are read too; a note of a missing file is reported and removed."""
    run = run_in(tmp_path)
    elsewhere = sorted(samples(tmp_path / "elsewhere").rglob("*.jsonl"))[0]
    mine = sorted(samples(run.settings.sessions[0]).rglob("*.jsonl"))[-1]
    enqueue_session(run.lake, WaitingSession(elsewhere, is_closed=True))
    enqueue_session(run.lake, WaitingSession(tmp_path / "vanished.jsonl", is_closed=False))
    summary = run_pipeline(run, session_pipeline(mine, False))
    assert summary["counts"]["read_waiting"]["read"] == 1
    assert "vanished.jsonl" in summary["counts"]["read_waiting"]["problems"][0]
    assert list_waiting_sessions(run.lake) == []
    assert run.lake.read("sessions").height == 2
    assert run.lake.read("runs")["flow"].to_list() == ["session"]
