"""What is read of a part of the index: of the condensed periods only those that changed, and all when nothing tells which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.index import source_parts
from effects.index.index_step import index, rebuild
from effects.index.manifest import find_index_folder, read_manifest
from effects.index.record_store import open_record_store
from effects.store.run import Run
from tests.effects.index.test_index_step import rows_of
from tests.effects.recall_world import DAY, SHOP, filled, recall_run, write

Made = list[list[str]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """The ids of the periods whose documents were made, call by call."""
    ids, real = Made(), source_parts.make_distillate_documents

    def make(rows: pl.DataFrame, *more: Any) -> pl.DataFrame:
        ids.append(sorted(rows["distillate_id"]))
        return real(rows, *more)

    monkeypatch.setattr(source_parts, "make_distillate_documents", make)
    return ids


def test_a_night_makes_the_documents_of_changed_periods_only(tmp_path: Path, made: Made) -> None:
    """One that is new, one that another took in, and one that went; then a night without any change of a document."""
    run = condensed(tmp_path)
    change_periods(run, lambda rows: rows.filter(pl.col("distillate_id") != "d-2"))
    change_periods(
        run, lambda rows: rows.with_columns(superseded_by=pl.when(pl.col("distillate_id") == "d-3").then(pl.lit("d-5")))
    )
    write(run, "distillates", [period(5, tier=2)])
    assert night(run, made) == ["d-3", "d-5"]
    equals_rebuilt(run)
    change_periods(run, lambda rows: rows.with_columns(reason=pl.lit("no document has it")))
    assert night(run, made) == []
    equals_rebuilt(run)


@pytest.mark.parametrize(
    "statement", ["DELETE FROM files WHERE path = 'distillates/'", "UPDATE parts SET mark = '1'", "UPDATE parts SET mark = ''"]
)
def test_all_periods_are_made_when_the_index_cannot_tell_what_changed(tmp_path: Path, made: Made, statement: str) -> None:
    """No mark is there, another version wrote documents since, or the part was made due: each document is looked at."""
    run = condensed(tmp_path)
    with_rows(run, "UPDATE documents SET row_hash = 'other' WHERE part = 'distillates'")
    with_rows(run, statement)
    change_periods(run, lambda rows: rows.filter(pl.col("distillate_id") != "d-2"))
    assert night(run, made) == ["d-1", "d-3", "d-4"]
    equals_rebuilt(run)


def test_a_zone_dates_all_periods_anew(tmp_path: Path, made: Made) -> None:
    run = condensed(tmp_path)
    moved = Run(replace(run.settings, timezone="Asia/Tokyo"), run.lake, run.as_of)
    assert night(moved, made) == ["d-1", "d-2", "d-3", "d-4"]
    equals_rebuilt(moved)


def condensed(root: Path) -> Run:
    """Return a run over an indexed lake with four periods, the last of them in two pieces."""
    filled(root, model=str(root / "no-model"))
    run = recall_run(root, str(root / "no-model"))
    for number in range(2, 5):
        write(run, "distillates", [period(number)])
    with run.lake.writing("test"):
        index(run)
    return run


def period(number: int, tier: int = 1) -> dict[str, Any]:
    """Return a row of `distillates`."""
    day = DAY + timedelta(days=number)
    text = " ".join(f"Invoice {number}-{part} was sent." for part in range(40 if number == 4 else 2))
    row = {"distillate_id": f"d-{number}", "tier": tier, "project": f"{SHOP}-{number}", "period_start": day, "period_end": day}
    return row | {"text": text, "entry_refs": ["shop-1:00000005"], "child_ids": ["o-ttl"]}


def change_periods(run: Run, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
    """Replace the rows of `distillates`."""
    rows = run.lake.read("distillates").drop("schema_version")
    with run.lake.writing("test"), run.lake.commit() as commit:
        commit.replace("distillates", change(rows))


def with_rows(run: Run, statement: str) -> None:
    """Execute a statement on the index's database."""
    store = open_record_store(find_index_folder(run.lake) / read_manifest(run.lake).generation, is_writing=True)
    store.database.execute(statement)
    store.close()


def night(run: Run, made: Made) -> list[str]:
    """Index; return the ids of the periods whose documents were made, none twice."""
    made.clear()
    with run.lake.writing("test"):
        assert not index(run)["rebuilt"]
    return [name for ids in made for name in ids]


def equals_rebuilt(run: Run) -> None:
    """Check documents, words, the summaries of parts and the manifest against an index built from the start."""
    upkept, manifest = rows_of(run), read_manifest(run.lake)
    with run.lake.writing("test"):
        rebuild(run)
    anew = read_manifest(run.lake)
    assert rows_of(run) == upkept
    assert (anew.document_count, anew.mean_words, anew.projects, anew.fresh_as_of) == (
        manifest.document_count, manifest.mean_words, manifest.projects, manifest.fresh_as_of,
    )  # fmt: skip
