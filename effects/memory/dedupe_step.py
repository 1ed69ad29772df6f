"""The dedupe step: marks observations that newer ones absorbed or retired, as if all had been compared at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import date
from functools import cache
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from effects.store.forgotten import read_forgotten
from effects.store.run import Counts, Run
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.language.similarity import compute_cosine
from transforms.memory.normalise_claim import identify_wording
from transforms.merging.deduplicate import MergeDecision, update_merges
from transforms.merging.group_restatements import FindCosine, Relations
from transforms.pairing.candidates import LINE_ID
from transforms.tables.enums import Relation
from transforms.tables.ids import hash_fields, hash_text
from transforms.tables.rows import ObservationRow

_COMPARED_COLUMNS = (
    "observation_id", "kind", "project", "priority", "said_at", "session_id", "ordinals", "entry_ids", "text",
)  # fmt: skip
_DECIDED_COLUMNS = ("superseded_by", "merged_count", "also")
_WRITTEN_COLUMNS = (*_DECIDED_COLUMNS, "compared_with")
WITHOUT_VECTOR = "words"
"""Mark of a row in `compared_with` that was compared by its words alone."""
DEDUPE_VERSION = 7
"""Raised by hand when the same rows are decided otherwise: all rows are then compared again."""


def dedupe(run: Run) -> Counts:
    """Compare allowed observations, rewrite the days on which something changed, and return counts.

    The rows hold every decision and, in `compared_with`, its basis. So a run compares only projects with rows that are new,
    gone or newly embedded (and the rules and preferences of all projects), and in these no two rows of which an earlier run found
    that they have nothing to do with each other.
    """
    lake = run.lake
    relations = _read_relations(run)
    stored = (
        lake.scan("observations")
        .filter(pl.col("verdict") == "allow")
        .select(*_COMPARED_COLUMNS, "day", *_WRITTEN_COLUMNS)
        .collect()
    )
    allowed = drop_forgotten_rows(stored, read_forgotten(lake))
    allowed = allowed.with_columns(
        project=pl.col("project").fill_null(""), wanted=_fingerprint_comparison(run, allowed, relations)
    )
    changed = _find_changed_projects(allowed)
    days: list[date] = []
    decisions: dict[str, MergeDecision] = {}
    if changed:
        run.progress(f"{allowed.height} observations")
        find_cosine = _make_cosine(run, allowed["text"])
        rows = cast(list[ObservationRow], allowed.select(*_COMPARED_COLUMNS, *_DECIDED_COLUMNS).to_dicts())  # these columns only
        settled = set(allowed.filter(pl.col("compared_with") == pl.col("wanted"))["observation_id"])
        decisions = update_merges(rows, changed, find_cosine, run.settings.owner, relations, settled)
        is_compared = pl.col("observation_id").is_in(list(decisions))
        decided = _apply_decisions(allowed.filter(is_compared), decisions)
        days = _write_days(run, allowed, decided)
        allowed = pl.concat([allowed.filter(~is_compared), decided])
    kept_count, merged_count = allowed["superseded_by"].null_count(), int((allowed["merged_count"] - 1).sum())
    return {
        "read": allowed.height,
        "kept": kept_count,
        "merged": merged_count,
        "retired": allowed.height - kept_count - merged_count,
        "without_vector": allowed.filter(pl.col("wanted").str.ends_with(f" {WITHOUT_VECTOR}")).height,
        "compared": len(decisions),
        "days_rewritten": len(days),
    }


def _read_relations(run: Run) -> dict[tuple[str, str], Relation]:
    """Return the relations of facts that a model told and that change something."""
    is_line = pl.col("older_id").str.starts_with(LINE_ID)
    rows = run.lake.scan("relations").filter(pl.col("relation").is_in(["replaces", "restates", "outdates"]) & ~is_line)
    columns = ("older_id", "newer_id", "relation")
    return {(older, newer): relation for older, newer, relation in rows.select(columns).collect().iter_rows()}


def _fingerprint_comparison(run: Run, rows: pl.DataFrame, relations: Relations) -> pl.Series:
    """Return the basis of a comparison of each row now: the version, the owner and the project, a model's relations of it, and
    the model of its vector, or `words`."""
    texts = rows["text"]
    verdicts_of: defaultdict[str, list[str]] = defaultdict(list)
    for (older, newer), relation in sorted(relations.items()):
        verdicts_of[older].append(f"{relation} {newer}")
        verdicts_of[newer].append(f"{relation} {older}")
    marks = [f"{hash_fields(*verdicts_of[name], size=8)} " if name in verdicts_of else "" for name in rows["observation_id"]]
    embedded = run.lake.scan("embeddings").select("text_hash", "model").unique().collect()
    hashes = pl.DataFrame({"text_hash": [hash_text(text) for text in texts]}, schema={"text_hash": pl.String})
    model = _pick_model(embedded.join(hashes.unique(), on="text_hash", how="semi"))
    known = set(embedded.filter(pl.col("model") == model)["text_hash"]) if model else set()
    projects = rows["project"].fill_null("")
    places = {project: hash_fields(run.settings.owner, project, size=4) for project in projects.unique()}
    bases = [
        f"{DEDUPE_VERSION} {places[project]} {mark}{model if name in known else WITHOUT_VECTOR}"
        for project, mark, name in zip(projects, marks, hashes["text_hash"], strict=True)
    ]
    return pl.Series(bases, dtype=pl.String)


def _pick_model(embedded: pl.DataFrame) -> str | None:
    """Return the model with vectors of most texts; ties by name."""
    counted = embedded.group_by("model").len().sort(["len", "model"], descending=[True, False])
    return str(counted["model"][0]) if counted.height else None


def _find_changed_projects(allowed: pl.DataFrame) -> set[str]:
    """Return projects with a row that was compared on another basis, or that is linked to a row that is gone."""
    is_new = pl.col("compared_with").is_null() | (pl.col("compared_with") != pl.col("wanted"))
    is_dangling = pl.col("superseded_by").is_not_null() & ~pl.col("superseded_by").is_in(allowed["observation_id"].implode())
    projects = set(allowed.filter(is_new | is_dangling)["project"])
    cited = allowed.select("session_id", pl.col("entry_ids").alias("entry")).explode("entry")
    refs = cited.select((pl.col("session_id") + ":" + pl.col("entry")).alias("also")).unique()
    merged = allowed.select("project", "also").explode("also").drop_nulls("also")
    return projects | set(merged.join(refs, on="also", how="anti")["project"])


def _apply_decisions(rows: pl.DataFrame, by_id: dict[str, MergeDecision]) -> pl.DataFrame:
    decisions = [by_id[name] for name in rows["observation_id"]]
    return rows.with_columns(
        pl.Series("superseded_by", [decision.superseded_by for decision in decisions], pl.String),
        pl.Series("merged_count", [decision.merged_count for decision in decisions], pl.Int32),
        pl.Series("also", [list(decision.also) for decision in decisions], pl.List(pl.String)),
        compared_with=pl.col("wanted"),
    )


def _write_days(run: Run, before: pl.DataFrame, decided: pl.DataFrame) -> list[date]:
    """Rewrite the days with a changed row in one commit: a survivor and the rows that it absorbed may lie on different days."""
    columns = ("observation_id", "day", *_WRITTEN_COLUMNS)
    former = {row[0]: row for row in before.select(columns).iter_rows()}
    days = sorted({row[1] for row in decided.select(columns).iter_rows() if row != former[row[0]]})
    with run.lake.commit() as change:
        for day in days:
            frame = run.lake.read("observations", [day]).drop("schema_version")
            change.replace(
                "observations",
                frame.update(decided.select("observation_id", *_WRITTEN_COLUMNS), on="observation_id", include_nulls=True),
                day,
            )
    return days


def read_vectors(run: Run, texts: pl.Series) -> tuple[dict[str, int], NDArray[np.float16]]:
    """Return the hashes of texts → their rows of a matrix, and the matrix: the vectors of the one model that most texts have."""
    wanted = pl.DataFrame({"text_hash": [hash_text(text) for text in texts.unique()]}, schema={"text_hash": pl.String})
    stored = run.lake.scan("embeddings").join(wanted.lazy(), on="text_hash", how="semi").unique(["text_hash", "model"])
    frame = stored.collect()
    model = _pick_model(frame)
    frame = frame.filter(pl.col("model") == model) if model else frame.clear()
    rows = {name: index for index, name in enumerate(frame["text_hash"])}
    return rows, frame["vector"].explode().to_numpy().astype(np.float16, copy=False).reshape(len(rows), -1 if rows else 0)


def _make_cosine(run: Run, texts: pl.Series) -> FindCosine:
    """Return a function for the cosine of two texts, from the vectors of the one model that most texts have.

    Vectors are read when the first pair asks, as float16 (Python floats would need ten times the memory), and only for `texts`.
    """

    @cache
    def read_once() -> tuple[dict[str, int], NDArray[np.float16]]:
        """Return the rows of the known texts and their vectors, read at the first use."""
        return read_vectors(run, texts)

    def find_cosine(first: str, second: str) -> float | None:
        """Return the cosine of two texts, None when one of them has no vector yet."""
        rows, matrix = read_once()
        first_row, second_row = rows.get(hash_text(first)), rows.get(hash_text(second))
        return None if first_row is None or second_row is None else compute_cosine(matrix[first_row], matrix[second_row])

    return find_cosine


def count_wordings(run: Run, rows: Collection[ObservationRow]) -> dict[str, int]:
    """Return the id of each observation → in how many wordings it was said, those of the rows that were merged into it included.

    Words that are sent again are a prompt, other words are a restatement. A merged row that is no longer there counts as one more
    wording.
    """
    wordings = {row["observation_id"]: {identify_wording(row["text"])} for row in rows}
    missing = {row["observation_id"]: set(row["also"]) for row in rows if row["also"]}
    columns = ("superseded_by", "session_id", "entry_ids", "text")
    below = run.lake.scan("observations").filter(pl.col("superseded_by").is_in(sorted(missing))).select(columns).collect()
    for heir, session_id, entry_ids, text in below.iter_rows():
        cited = {f"{session_id}:{entry}" for entry in entry_ids or ()}
        if missing[heir] & cited:  # one that was replaced is not cited
            wordings[heir].add(identify_wording(text))
            missing[heir] -= cited
    return {key: len(texts) + bool(missing.get(key)) for key, texts in wordings.items()}
