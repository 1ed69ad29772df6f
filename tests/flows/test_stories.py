"""Which step follows which, without Prefect."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from effects.config.settings import EmbeddingSettings, Settings
from effects.health.sample_sessions import materialise
from effects.ingest.waiting_sessions import Waiting, enqueue, waiting
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.store.run_record import Step
from flows.backfill import backfill_parameters, backfill_story
from flows.nightly import story
from flows.runner import perform, step_name
from flows.session import session_parameters, session_story

ROOT = Path(__file__).resolve().parent.parent.parent
NIGHT = datetime(2026, 3, 16, 2, 30, tzinfo=UTC)


class Written:
    """Writes down the steps of a story instead of running them."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, step: Step) -> Counts:
        self.names.append(step_name(step))
        return {}


def run_in(folder: Path) -> Run:
    """A run over `folder/sessions` that embeds nothing: there is no such model."""
    model = EmbeddingSettings(model=str(folder / "no-model"))
    settings = Settings(
        sessions=(folder / "sessions",), lake=folder / "lake", workspace=folder / "workspace", embedding=model, owner="mara"
    )
    return Run(settings, Lake(settings.lake), NIGHT)


def samples(folder: Path) -> Path:
    """The sample sessions below `folder`."""
    materialise(ROOT / "data" / "samples" / "sessions", folder)
    return folder


def test_the_night_reads_decisions_before_it_proposes_and_renders() -> None:
    """A decision in REVIEW.md must not be rendered over."""
    written = Written()
    story(written)
    assert written.names == [
        "ingest", "window", "distil", "embed_kept", "dedupe", "consolidate", "review", "reflect", "render", "embed", "index",
    ]  # fmt: skip


def test_a_session_is_never_reflected_on_by_itself(tmp_path: Path) -> None:
    """pi's shutdown hook fires many times a day; reflection is at most once a day."""
    written = Written()
    session_story(str(tmp_path / "a.jsonl"), True)(written)
    assert "reflect" not in written.names
    assert written.names.index("review") < written.names.index("render")


def test_a_backfill_goes_month_by_month_and_reflects_once(tmp_path: Path) -> None:
    """Each month is kept before the next begins."""
    samples(tmp_path / "sessions")
    written = Written()
    backfill_story(run_in(tmp_path), date(2025, 12, 1), date(2026, 3, 31))(written)
    assert written.names[:9] == ["ingest_files", "window", "distil"] * 3
    assert written.names.count("reflect") == 1


@pytest.mark.parametrize("stops_after", [None, "window", "dedupe"])
def test_a_backfill_gives_the_lake_of_a_night_also_when_it_was_stopped(tmp_path: Path, stops_after: str | None) -> None:
    """Up to observations the lake depends on the files alone, not on when or how often runs happened."""
    night, past = run_in(tmp_path / "night"), run_in(tmp_path / "past")
    for run in (night, past):
        samples(run.settings.sessions[0])
    perform(night, "nightly", {}, story)

    def stopping(name: str, call: object) -> Counts:
        counts: Counts = call()  # type: ignore[operator]
        if name == stops_after:
            raise KeyboardInterrupt
        return counts

    since = date(2025, 1, 1)
    if stops_after:
        with pytest.raises(KeyboardInterrupt):
            perform(past, "backfill", {}, backfill_story(past, since, None), stopping)
    perform(past, "backfill", backfill_parameters(since, None), backfill_story(past, since, None))
    paths = {"source_path", "path"}
    for table in ("sessions", "entries", "coverage", "windows", "segments", "observations"):
        one, other = (run.lake.read(table).select(pl_without(run, table, paths)) for run in (night, past))
        assert one.equals(other), table
    assert night.lake.read("observations").height > 50


def pl_without(run: Run, table: str, columns: set[str]) -> list[str]:
    """The columns of a table but these: the two lakes were made from different folders."""
    return [name for name in run.lake.scan(table).collect_schema().names() if name not in columns]


def test_what_waited_is_read_first_by_the_run_that_comes_next(tmp_path: Path) -> None:
    """Also a session outside the configured folders; a note that leads nowhere is told and taken away."""
    run = run_in(tmp_path)
    elsewhere = sorted(samples(tmp_path / "elsewhere").rglob("*.jsonl"))[0]
    mine = sorted(samples(run.settings.sessions[0]).rglob("*.jsonl"))[-1]
    enqueue(run.lake, Waiting(elsewhere, is_closed=True))
    enqueue(run.lake, Waiting(tmp_path / "vanished.jsonl", is_closed=False))
    summary = perform(run, "session", session_parameters(str(mine), False), session_story(str(mine), False))
    assert summary.counts["read_waiting"]["read"] == 1
    assert "vanished.jsonl" in summary.counts["read_waiting"]["problems"][0]
    assert waiting(run.lake) == []
    assert run.lake.read("sessions").height == 2
    assert run.lake.read("runs")["flow"].to_list() == ["session"]
