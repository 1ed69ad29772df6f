"""Reads what models told of facts: which lost a part to a later one, and which reports went by what was replaced.

Of what rules found (`rule_relations`) it reads what is said beside a fact, too. Questions need that, so polars stays out until
there is such a fact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, cast

from effects.store.run import Run
from transforms.answers.changed_parts import ChangedPart, RelatedFact, describe_replaced_parts, find_changed_parts

if TYPE_CHECKING:
    from transforms.tables.rows import ObservationRow

COLUMNS = ("observation_id", "session_id", "entry_ids", "also", "superseded_by", "said_at", "text")

PART_COLUMNS = ("older_id", "newer_id", "relation", "keeps")
SHOWN = ["replaces_part", "named_again", "changed_number", "perhaps_over"]
"""Relations that are said beside the earlier fact, which stays in force."""


def read_changed_parts(run: Run) -> dict[str, tuple[ChangedPart, ...]]:
    """Return the parts of facts in force that later ones replaced, choices that were named again, and what may be over, by the
    earlier one's id; and what facts that were replaced or absorbed say more, by the id of the fact that took their place."""
    from pyarrow import parquet

    shown = {*SHOWN, "replaces", "restates"}
    files = map(parquet.ParquetFile, run.lake.list_files("relations"))  # `read_table` takes a tenth of a second more to import
    tables = (file.read(columns=[name for name in PART_COLUMNS if name in file.schema_arrow.names]) for file in files)
    rows = [row for table in tables for row in table.to_pylist() if row["relation"] in shown]
    pairs = {(row["older_id"], row["newer_id"]): row["relation"] for row in rows if row["relation"] in SHOWN}
    places = {(row["older_id"], row["newer_id"]): tuple(row["keeps"]) for row in rows if row.get("keeps")}
    # a later version may keep more places of one pair: to 0.9.0 four were new, and it answered nothing until its next night
    kept = {pair: words for pair, words in places.items() if pair not in pairs and len(words) == 2}
    places = {pair: words for pair, words in places.items() if len(words) in (2, 4)}
    restated = [(row["older_id"], row["newer_id"]) for row in rows if row["relation"] == "restates"]
    if not (pairs or kept or restated):
        return {}
    return find_changed_parts(pairs, _read_facts(run, {*pairs, *kept, *restated}), run.zone, kept, restated, places)


def mark_changed_parts(run: Run, rows: Sequence[ObservationRow]) -> list[ObservationRow]:
    """Return the rows with what holds instead of a part of them, and what goes on to hold of a fact whose place they took."""
    marks = describe_replaced_parts(read_changed_parts(run))
    marked = ((row, marks.get(row["observation_id"])) for row in rows)
    return [{**row, "text": f"{row['text']} ({mark})"} if mark else row for row, mark in marked]


def _read_facts(run: Run, pairs: Collection[tuple[str, str]]) -> dict[str, RelatedFact]:
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
