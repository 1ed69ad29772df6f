"""Reads which facts in force lost a part to a later one. Questions need it, so polars stays out until there is such a fact."""

from __future__ import annotations

from typing import cast

from effects.store.run import Run
from transforms.memory.changed_parts import ChangedPart, RelatedFact, find_changed_parts

COLUMNS = ("observation_id", "session_id", "entry_ids", "also", "superseded_by", "said_at", "text")


def read_changed_parts(run: Run) -> dict[str, tuple[ChangedPart, ...]]:
    """Return the parts of facts in force that later facts replaced, by the id of the earlier fact."""
    from pyarrow import parquet

    tables = [
        parquet.read_table(path, columns=["older_id", "newer_id"], filters=[("relation", "=", "replaces_part")])
        for path in run.lake.list_files("relations")
    ]
    pairs = [(row["older_id"], row["newer_id"]) for table in tables for row in table.to_pylist()]
    return find_changed_parts(pairs, _read_facts(run, pairs), run.zone) if pairs else {}


def _read_facts(run: Run, pairs: list[tuple[str, str]]) -> dict[str, RelatedFact]:
    """Return the facts of the pairs, those that followed them, and those that they absorbed: allowed and not forgotten."""
    import polars as pl

    from effects.store.forgotten import read_forgotten, scan_facts
    from transforms.forgetting.row_filter import drop_forgotten_rows

    forgotten, facts = read_forgotten(run.lake), dict[str, RelatedFact]()
    wanted, asked = {key for pair in pairs for key in pair}, set[str]()
    while missing := wanted - asked:
        is_wanted = pl.col("observation_id").is_in(sorted(missing)) | pl.col("superseded_by").is_in(sorted(missing))
        rows = scan_facts(run.lake).filter(is_wanted & (pl.col("verdict") == "allow")).collect()
        remembered = drop_forgotten_rows(rows, forgotten).select(COLUMNS)
        facts |= {row["observation_id"]: cast(RelatedFact, row) for row in remembered.iter_rows(named=True)}
        asked |= missing
        wanted |= {facts[key]["superseded_by"] or key for key in missing & facts.keys()}
    return facts
