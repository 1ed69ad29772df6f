"""Reads which reports of work went by something that was replaced: nothing took the place of the report itself."""

from __future__ import annotations

import polars as pl

from effects.store.run import Run


def read_outdated_reports(run: Run) -> frozenset[str]:
    """Return the ids of facts that a model called outdated by a later one (`outdates`), and none that a later one replaced."""
    rows = run.lake.scan("relations").filter(pl.col("relation").is_in(["outdates", "replaces"])).select("older_id", "relation")
    names: dict[str, set[str]] = {"outdates": set(), "replaces": set()}
    for key, relation in rows.collect().iter_rows():
        names[relation].add(key)
    return frozenset(names["outdates"] - names["replaces"])
