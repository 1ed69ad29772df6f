"""Reads what models told of facts: which lost a part to a later one, and which reports went by what was replaced.

It keeps the relation `named_again`, too: a choice between options, and the owner's last later statement that names both again.
Questions need the first, so polars stays out until there is such a fact.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, cast

from effects.store.run import Run
from transforms.answers.changed_parts import ChangedPart, RelatedFact, describe_replaced_parts, find_changed_parts
from transforms.tables.enums import OFFLINE

if TYPE_CHECKING:
    from transforms.pairing.named_again import StatedFact
    from transforms.tables.rows import ObservationRow, RelationRow

COLUMNS = ("observation_id", "session_id", "entry_ids", "also", "superseded_by", "said_at", "text")

NAMED_AGAIN = "named_again"
PART_COLUMNS = ("older_id", "newer_id", "relation", "keeps")
SHOWN = ["replaces_part", NAMED_AGAIN, "perhaps_over"]
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
    kept = {(row["older_id"], row["newer_id"]): tuple(row["keeps"]) for row in rows if row.get("keeps")}
    restated = [(row["older_id"], row["newer_id"]) for row in rows if row["relation"] == "restates"]
    if not (pairs or kept or restated):
        return {}
    return find_changed_parts(pairs, _read_facts(run, {*pairs, *kept, *restated}), run.zone, kept, restated)


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


def mark_named_again(run: Run) -> int:
    """Store which decisions are named again beside an option that was left, by rules; return how many are new.

    A pair that a model was asked about is the model's.
    """
    from effects.store.content_key import compute_search_key, find_settled, settle
    from transforms.pairing.named_again import find_named_again
    from transforms.tables.schema import RELATIONS, build_frame, read_rows

    key = compute_search_key(run, ("observations", "relations", "tombstones"))
    if find_settled(run, "named_again", key) is not None:
        return 0
    stored = list(read_rows(RELATIONS, run.lake.read("relations")))
    asked_about, marked = split_named_again(stored)
    judged = {(row["older_id"], row["newer_id"]) for row in asked_about}
    days = {(row["older_id"], row["newer_id"]): row["asked_on"] for row in marked}
    pairs = sorted(set(find_named_again(_read_stated(run)).items()) - judged)
    if set(pairs) == days.keys():
        settle(run, "named_again", key, {})
        return 0
    rows: list[RelationRow] = [
        {
            "older_id": older, "newer_id": newer, "relation": "named_again", "engine": OFFLINE, "template_hash": "",
            "asked_on": days.get((older, newer), run.today), "reports_asked_on": None, "keeps": [], "older_source": None,
            "newer_source": None,
        }
        for older, newer in pairs
    ]  # fmt: skip
    with run.lake.commit() as change:
        change.replace("relations", build_frame(RELATIONS, [*asked_about, *rows]))
    return len(set(pairs) - days.keys())


def split_named_again(rows: Sequence[RelationRow]) -> tuple[list[RelationRow], list[RelationRow]]:
    """Return the relations that a model told, and those of this rule."""
    return [row for row in rows if row["relation"] != NAMED_AGAIN], [row for row in rows if row["relation"] == NAMED_AGAIN]


def list_named_again(run: Run) -> list[str]:
    """Return the ids of the decisions that were named again: memory offers none of them as a line."""
    import polars as pl

    rows = run.lake.scan("relations").filter(pl.col("relation") == NAMED_AGAIN).select("older_id").collect()
    return rows["older_id"].unique().sort().to_list()


def _read_stated(run: Run) -> list[StatedFact]:
    """Return the decisions between options that are in force, and the owner's statements of their projects, replaced ones too."""
    import polars as pl

    from effects.store.forgotten import read_forgotten
    from transforms.forgetting.row_filter import drop_forgotten_rows
    from transforms.pairing.named_again import LEFT_MARK, StatedFact

    allowed = run.lake.scan("observations").filter(pl.col("verdict") == "allow")
    is_left = pl.col("text").str.contains(LEFT_MARK, literal=True)
    is_choice = (pl.col("kind") == "decision") & pl.col("superseded_by").is_null() & is_left
    projects = allowed.filter(is_choice).select("project").unique().collect()["project"]
    if projects.is_empty():
        return []
    is_owners = (pl.col("origin") == "owner") & (pl.col("kind") != "question")
    is_there = pl.col("project").is_in(projects.implode(), nulls_equal=True) & (is_choice | is_owners)
    rows = drop_forgotten_rows(
        allowed.filter(is_there).select(*COLUMNS, "project", "kind", "origin").collect(), read_forgotten(run.lake)
    )
    return [
        StatedFact(
            row["observation_id"], row["project"] or "", row["said_at"], row["text"],
            row["superseded_by"] is None,
            row["origin"] == "owner" and row["kind"] != "question",
        )
        for row in rows.iter_rows(named=True)
    ]  # fmt: skip
