"""Reads what models told of facts: which lost a part to a later one, and which reports went by what was replaced.

Questions need the first, so polars stays out until there is such a fact.
"""

from __future__ import annotations

from typing import cast

from effects.store.run import Run
from transforms.answers.changed_parts import ChangedPart, RelatedFact, find_changed_parts

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


def read_outdated_reports(run: Run) -> frozenset[str]:
    """Return the ids of facts that a model called outdated by a later one (`outdates`), and none that a later one replaced."""
    import polars as pl

    rows = run.lake.scan("relations").filter(pl.col("relation").is_in(["outdates", "replaces"])).select("older_id", "relation")
    names: dict[str, set[str]] = {"outdates": set(), "replaces": set()}
    for key, relation in rows.collect().iter_rows():
        names[relation].add(key)
    return frozenset(names["outdates"] - names["replaces"])
