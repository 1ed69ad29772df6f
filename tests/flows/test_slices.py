"""A big history is distilled in slices, newest first: useful early, and the same in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from effects.ingest.ingest_step import ingest
from effects.ingest.session_files import stat_file
from effects.recall.ask import ask, open_recall
from effects.store.run import Counts
from effects.store.run_record import Step
from flows import slices
from flows.pipeline import PlanSteps, StepPlan
from flows.pipelines import nightly_pipeline, whole_history_pipeline
from flows.runner import name_step, run_pipeline
from flows.slices import _cut_slices, _pick_newest, plan_reading, plan_slices
from tests.flows.pipelines.test_pipelines import run_in, samples
from transforms.pages.run_progress import Progress
from transforms.recall.types import Filters
from transforms.tables.schema import TABLES


class SlicedHistory(NamedTuple):
    """What two nights in slices left: progress, steps of the second one, and days when the first one was stopped."""

    lines: list[Progress]
    names: list[str]
    stopped: tuple[set[date], set[date], set[date]]
    """Days of distilled windows, of due windows and of daily logs."""


def test_slices_are_useful_early_and_end_as_one_piece(tmp_path: Path, sample_night: Path) -> None:
    """Stopped in its second slice, a night has the pages of the newest sessions; every row and page ends as in one piece."""
    history = run_slices(tmp_path)
    distilled, due, logs = history.stopped
    assert distilled
    assert distilled <= logs, "pages follow a slice"
    assert max(due) <= min(distilled), "the newest sessions go first"
    begin, end = history.names.index("distil"), len(history.names) - history.names[::-1].index("distil") - 1
    shown = ["distil", "embed_kept", "review", "render", "index"]
    assert history.names[begin:end] == shown * ((end - begin) // 5)
    assert (end - begin) // 5 >= 2
    units = [line.unit for line in history.lines if line.step == "distil" and "slice" in line.unit]
    assert units[0].startswith("windows of slice 1 of ")
    assert "pages and answers reach back to 2026-" in units[-1]
    _check_same_night(tmp_path, sample_night)
    before = _read_bytes(tmp_path)
    run_pipeline(run_in(tmp_path), nightly_pipeline(None))
    assert _read_bytes(tmp_path) == before, "slices leave nothing due"


def test_the_newest_sessions_answer_before_the_others_are_read(tmp_path: Path, sample_night: Path) -> None:
    """Stopped when the rest is due, a first night has the newest sessions on pages and in answers; then it ends as any other."""
    samples(tmp_path / "sessions")
    lines: list[Progress] = []
    run = replace(run_in(tmp_path), report=lines.append)
    names: list[str] = []

    def stop_at_the_rest(name: str, call: Callable[[], Counts]) -> Counts:
        names.append(name)
        if name == "ingest":
            raise KeyboardInterrupt
        return call()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "BIG_BYTES", 500_000)
        patch.setattr(slices, "NEWEST_BYTES", 100_000)
        with pytest.raises(KeyboardInterrupt):
            run_pipeline(run, nightly_pipeline(None), stop_at_the_rest)
    assert names == [
        "ingest_slice", "blank_forgotten", "attribute", "join_projects", "window", "distil", "review", "render", "index",
        "ingest",
    ]  # fmt: skip
    assert any("pages and answers have them before the others are read" in line.unit for line in lines)
    starts = sorted(run_in(sample_night).lake.read("sessions")["started_at"])
    newest = sorted(run.lake.read("sessions")["started_at"])
    assert 0 < len(newest) < len(starts)
    assert newest == starts[-len(newest) :]
    assert list((run.settings.workspace / "memory").rglob("2???-??-??.md")), "the newest days have pages"
    assert ask(open_recall(run), "which test failed?", Filters(project="all")).hits
    run_pipeline(run, nightly_pipeline(None))
    _check_same_night(tmp_path, sample_night)


def test_a_small_history_is_read_as_one(tmp_path: Path) -> None:
    """A usual night, and a first one of some days, has no more steps than those of a night."""
    samples(tmp_path / "sessions")
    plan = plan_reading(run_in(tmp_path))
    assert (plan.steps, plan.parts, plan.later_parts) == ((ingest,), (), {})
    assert plan.work is not None
    assert not plan.work.has_vectors, "there is no model here"


def test_a_plan_tells_which_part_of_the_work_each_step_does(tmp_path: Path) -> None:
    """The parts of slices, and of the newest sessions and the others, make up the whole: the time that is left rests on them."""
    samples(tmp_path / "sessions")
    run = run_in(tmp_path)
    plans: list[StepPlan] = []

    def note(plan: PlanSteps) -> PlanSteps:
        return lambda run: plans.append(plan(run)) or plans[-1]  # type: ignore[func-returns-value]

    def stop_when_planned(_: str, call: Callable[[], Counts]) -> Counts:
        """Do no step of the last plan: what it does is told by other tests."""
        if len(plans) == 2:
            raise KeyboardInterrupt
        return call()

    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"BIG_BYTES": 500_000, "NEWEST_BYTES": 100_000, "FIRST_WINDOWS": 2, "SLICE_WINDOWS": 6}.items():
            patch.setattr(slices, name, value)
        night = nightly_pipeline(None)
        with pytest.raises(KeyboardInterrupt):
            run_pipeline(run, replace(night, plans={step: note(plan) for step, plan in night.plans.items()}), stop_when_planned)
    reading, slicing = plans
    assert reading.parts[0] + reading.parts[-1] == pytest.approx(1)
    assert 0 < reading.parts[0] < reading.parts[-1]
    parts: dict[str, list[float]] = {}
    for step, part in zip(slicing.steps, slicing.parts, strict=True):
        parts.setdefault(name_step(step), []).append(part)
    assert len(parts["distil"]) >= 2
    assert not slicing.forgets_models, "a short history keeps its models"
    assert sum(parts["distil"]) == pytest.approx(1)
    assert sum(parts["embed_kept"]) + slicing.later_parts["embed_kept"] == pytest.approx(1)
    assert slicing.work is not None
    spoken = run.lake.read("entries").filter(pl.col("role").is_in(["user", "assistant"]) & (pl.col("text") != ""))
    assert 0.5 * spoken.height < slicing.work.turns <= spoken.height


def test_the_sessions_that_began_last_are_the_first(tmp_path: Path) -> None:
    """Their times decide, not their names; they are picked until they have enough bytes together."""
    paths = []
    for number, day in enumerate(("2026-01-03", "2026-01-05", "2026-01-04")):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_text(f'{{"type":"session","id":"s{number}","timestamp":"{day}T08:00:00Z","cwd":"/code"}}\n')
    files = [file for path in paths if (file := stat_file(path))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "NEWEST_BYTES", files[0].size + 1)
        assert _pick_newest(files) == [paths[1], paths[2]]


def run_slices(folder: Path) -> SlicedHistory:
    """Run a night in small slices that stops in the second one, then another to the end, without a model of embeddings."""
    samples(folder / "sessions")
    names: list[str] = []
    lines: list[Progress] = []

    def call_step(name: str, call: Callable[[], Counts]) -> Counts:
        names.append(name)
        if stops and names.count("distil") == 2:
            raise KeyboardInterrupt
        return call()

    stops = True
    run = replace(run_in(folder), report=lines.append)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(slices, "FIRST_WINDOWS", 2)
        patch.setattr(slices, "SLICE_WINDOWS", 6)
        with pytest.raises(KeyboardInterrupt):
            run_pipeline(run, nightly_pipeline(None), call_step)
        windows = run.lake.read("windows")
        distilled, due = (set(windows.filter(pl.col("status") == status)["day"]) for status in ("distilled", "pending"))
        logs = {date.fromisoformat(path.stem) for path in (run.settings.workspace / "memory").rglob("2???-??-??.md")}
        names.clear()
        stops = False
        run_pipeline(run, nightly_pipeline(None), call_step)
    return SlicedHistory(lines, names, (distilled, due, logs))


def test_small_histories_are_one_slice_and_sessions_stay_whole() -> None:
    """The first slice is small; a small rest joins the slice before it."""
    due = [(f"s{number}", date(2026, 1, 31 - number), 30) for number in range(9)]
    assert len(list(_cut_slices(due[:6]))) == 1, "180 windows: the rest after the first slice would be small"
    cut = list(_cut_slices(due))
    assert [len(sessions) for sessions, _ in cut] == [4, 5]
    assert cut[0][1] == date(2026, 1, 28)
    assert list(_cut_slices([])) == []


def test_a_long_history_gives_up_models_between_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would stand beside the comparison of all its facts."""
    due = [(f"s{number}", date(2026, 1, 31 - number), 60) for number in range(17)]
    monkeypatch.setattr(slices, "list_due_sessions", lambda _run: due)
    assert plan_slices(run_in(tmp_path)).forgets_models
    monkeypatch.setattr(slices, "list_due_sessions", lambda _run: due[:16])
    assert not plan_slices(run_in(tmp_path)).forgets_models


def test_a_backfill_of_everything_embeds_all_turns() -> None:
    """What a night leaves for later nights: vectors of turns beyond its minutes."""
    last: list[Step] = [step for step in whole_history_pipeline().steps if getattr(step, "keywords", {}).get("is_complete")]
    assert len(last) == 1
    assert nightly_pipeline(None).plans == whole_history_pipeline().plans


def _check_same_night(folder: Path, whole: Path) -> None:
    """Every row and page is the one of a night in one piece."""
    for table in sorted(TABLES.keys() - {"runs", "sources"}):
        item, other = (run_in(root).lake.read(table) for root in (whole, folder))
        paths = [name for name in item.columns if name in ("source_path", "path")]
        assert item.drop(paths).equals(other.drop(paths)), table
    assert run_in(folder).lake.read("observations").height > 50
    assert _read_pages(folder) == _read_pages(whole)


def _read_pages(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in (folder / "workspace").rglob("*.md")}


def _read_bytes(folder: Path) -> dict[Path, bytes]:
    kept = {path: path.read_bytes() for path in (folder / "lake").rglob("*.parquet") if "runs" not in path.parts}
    return kept | {path: path.read_bytes() for path in (folder / "workspace").rglob("*") if path.is_file()}
