"""A big history is distilled in slices, newest first: useful early, and the same in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from effects.store.run import Counts
from effects.store.run_record import Step
from flows import slices
from flows.pipelines import nightly_pipeline, whole_history_pipeline
from flows.runner import run_pipeline
from flows.slices import _cut_slices
from tests.flows.test_pipelines import run_in, samples
from transforms.pages.run_progress import Progress
from transforms.tables.schema import TABLES


class SlicedHistory(NamedTuple):
    """What two nights in slices left: progress, steps of the second one, and days when the first one was stopped."""

    lines: list[Progress]
    names: list[str]
    stopped: tuple[set[date], set[date], set[date]]
    """Days of distilled windows, of due windows and of daily logs."""


@pytest.mark.xdist_group("sample_night")
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
    for table in sorted(TABLES.keys() - {"runs", "sources"}):
        item, other = (run_in(folder).lake.read(table) for folder in (sample_night, tmp_path))
        paths = [name for name in item.columns if name in ("source_path", "path")]
        assert item.drop(paths).equals(other.drop(paths)), table
    assert run_in(tmp_path).lake.read("observations").height > 50
    assert _read_pages(tmp_path) == _read_pages(sample_night)
    before = _read_bytes(tmp_path)
    run_pipeline(run_in(tmp_path), nightly_pipeline(None))
    assert _read_bytes(tmp_path) == before, "slices leave nothing due"


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


def test_a_backfill_of_everything_embeds_all_turns() -> None:
    """What a night leaves for later nights: vectors of turns beyond its minutes."""
    last: list[Step] = [step for step in whole_history_pipeline().steps if getattr(step, "keywords", {}).get("is_complete")]
    assert len(last) == 1
    assert nightly_pipeline(None).plans == whole_history_pipeline().plans


def _read_pages(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in (folder / "workspace").rglob("*.md")}


def _read_bytes(folder: Path) -> dict[Path, bytes]:
    kept = {path: path.read_bytes() for path in (folder / "lake").rglob("*.parquet") if "runs" not in path.parts}
    return kept | {path: path.read_bytes() for path in (folder / "workspace").rglob("*") if path.is_file()}
