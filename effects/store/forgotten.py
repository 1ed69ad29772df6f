"""The tombstones that hold, and rows without those that they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from effects.store.layout import find_table
from transforms.forgetting.named_documents import TURN
from transforms.forgetting.row_filter import LINE, RAW, TASK, TITLE, drop_forgotten_rows, find_resting_periods

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    import polars as pl

    from effects.store.lake import Lake

_FACT_COLUMNS = ("observation_id", "segment_id", "window_id", "session_id", "entry_ids", "text")
_PERIOD_COLUMNS = ("distillate_id", "tier", "child_ids", "source_ids", "entry_refs")
COMPARISON_COLUMNS = ("rests_on", "compared_keys")
"""Columns of observations for `effects.memory.dedupe_step` alone: some 300 numbers a fact."""


def read_forgotten(lake: Lake) -> list[str]:
    """Return the targets of the tombstones that were not undone, sorted."""
    import polars as pl

    rows = lake.read("tombstones")
    if rows.is_empty():  # most lakes, and every step asks
        return []
    return sorted(rows.filter(pl.col("is_undone").not_().fill_null(True))["target"].unique())


def list_forgotten_ids(lake: Lake) -> list[str]:
    """Return the targets with the ids of all that they name otherwise: facts by their text or by an entry that they cite, and
    condensed periods that rest on something forgotten. For readers that know ids alone."""
    targets = set(read_forgotten(lake))
    if not targets:
        return []
    facts = lake.collect(lake.scan("observations").select(_FACT_COLUMNS), "observations")
    remembered = drop_forgotten_rows(facts, targets)
    targets |= set(facts.join(remembered, on="observation_id", how="anti")["observation_id"])
    periods = lake.collect(lake.scan("distillates").select(_PERIOD_COLUMNS), "distillates")
    return sorted(targets | find_resting_periods(periods, targets))


def scan_facts(lake: Lake, days: Sequence[date] | None = None) -> pl.LazyFrame:
    """Return all observations (or those of some days) without what only their comparison looks at: its columns are null.

    These are nine tenths of the memory that a fact takes.
    """
    import polars as pl

    rows = lake.scan("observations", days)
    dtypes = rows.collect_schema()
    return rows.drop(COMPARISON_COLUMNS).with_columns(pl.lit(None, dtypes[name]).alias(name) for name in COMPARISON_COLUMNS)


def read_facts(lake: Lake, days: Sequence[date] | None = None) -> pl.DataFrame:
    """Return the rows of `scan_facts`, sorted by key."""
    return lake.collect(scan_facts(lake, days).sort(find_table("observations").key), "observations")


def read_remembered(lake: Lake, table: str, days: Sequence[date] | None = None) -> pl.DataFrame:
    """Return the rows of a table that were not forgotten, sorted by key; observations as `scan_facts` has them."""
    rows = read_facts(lake, days) if table == "observations" else lake.read(table, days)
    return drop_forgotten_rows(rows, read_forgotten(lake))


def read_purged(lake: Lake) -> tuple[set[str], set[str]]:
    """Return the sessions and the entries (`session:entry`) whose text was removed for good."""
    import polars as pl

    is_kept = pl.col("is_purged").fill_null(False) & pl.col("is_undone").not_().fill_null(True)
    rows = lake.scan("tombstones").filter(is_kept).select("target", "reason").collect().rows()
    sessions = {target for target, reason in rows if reason == f"session {target}"}
    named = {target.removeprefix(TURN) for target, _ in rows if not target.startswith((TASK, TITLE, LINE, RAW))}
    return sessions, {target for target in named if ":" in target}


def read_holding_facts(lake: Lake) -> pl.DataFrame:
    """Return ids and texts of the facts that hold: allowed ones that no other replaced or stands for, and that nobody forgot.

    Wherever somebody reads how many facts memory holds, it is the number of these.
    """
    import polars as pl

    holds = (pl.col("verdict") == "allow") & pl.col("superseded_by").is_null()
    rows = lake.collect(lake.scan("observations").filter(holds).select(_FACT_COLUMNS), "observations")
    return drop_forgotten_rows(rows, read_forgotten(lake)).select("observation_id", "text")
