"""The dedupe step: writes into observations what absorbed or replaced them, exactly as if all had been compared at once."""

from __future__ import annotations

from datetime import date
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from effects.store.run import Counts, Run
from transforms.language.similarity import compute_cosine
from transforms.memory.deduplicate import FindCosine, MergeDecision, update_merges
from transforms.tables.ids import text_hash

_COMPARED_COLUMNS = (
    "observation_id", "kind", "project", "priority", "said_at", "session_id", "ordinals", "entry_ids", "text",
)  # fmt: skip
_DECIDED_COLUMNS = ("superseded_by", "merged_count", "also")
_WRITTEN_COLUMNS = (*_DECIDED_COLUMNS, "compared_with")
VERSION = 2
"""Bumped when the same rows are decided otherwise: all are then compared again."""


def dedupe(run: Run) -> Counts:
    """Compares allowed observations and rewrites the days on which something changed; how many of which.

    What was decided is in the rows, `compared_with` included, so a night compares only projects with rows that are new, gone or
    newly embedded (and the rules and preferences of all), and ends as if everything had been compared at once.
    """
    lake = run.lake
    allowed = (
        lake.scan("observations")
        .filter(pl.col("verdict") == "allow")
        .select(*_COMPARED_COLUMNS, "day", *_WRITTEN_COLUMNS)
        .collect()
    )
    allowed = allowed.with_columns(project=pl.col("project").fill_null(""), wanted=_fingerprint_comparison(run, allowed["text"]))
    changed = _find_changed_projects(allowed)
    days: list[date] = []
    made: dict[str, MergeDecision] = {}
    if changed:
        run.progress(f"dedupe {allowed.height} observations")
        near = _make_cosine(run, allowed["text"])
        made = update_merges(allowed.select(*_COMPARED_COLUMNS, *_DECIDED_COLUMNS).to_dicts(), changed, near, run.settings.owner)
        is_compared = pl.col("observation_id").is_in(list(made))
        decided = _apply_decisions(allowed.filter(is_compared), made)
        days = _write_days(run, allowed, decided)
        allowed = pl.concat([allowed.filter(~is_compared), decided])
    kept, merged = allowed["superseded_by"].null_count(), int((allowed["merged_count"] - 1).sum())
    return {
        "read": allowed.height,
        "kept": kept,
        "merged": merged,
        "retired": allowed.height - kept - merged,
        "without_vector": allowed.filter(pl.col("wanted").str.ends_with(" words")).height,
        "compared": len(made),
        "days_rewritten": len(days),
    }


def _fingerprint_comparison(run: Run, texts: pl.Series) -> pl.Series:
    """What each text would be compared with now: the version and the model of its vector, or `words`."""
    embedded = run.lake.scan("embeddings").select("text_hash", "model").unique().collect()
    hashes = pl.DataFrame({"text_hash": [text_hash(text) for text in texts]}, schema={"text_hash": pl.String})
    model = _pick_model(embedded.join(hashes.unique(), on="text_hash", how="semi"))
    known = set(embedded.filter(pl.col("model") == model)["text_hash"]) if model else set()
    return pl.Series([f"{VERSION} {model if name in known else 'words'}" for name in hashes["text_hash"]], dtype=pl.String)


def _pick_model(embedded: pl.DataFrame) -> str | None:
    """The one model that most texts have a vector of; ties by name."""
    counted = embedded.group_by("model").len().sort(["len", "model"], descending=[True, False])
    return str(counted["model"][0]) if counted.height else None


def _find_changed_projects(allowed: pl.DataFrame) -> set[str]:
    """Projects with a row that was not compared like this yet, or that is tied to a row that is gone."""
    is_new = pl.col("compared_with").is_null() | (pl.col("compared_with") != pl.col("wanted"))
    is_dangling = pl.col("superseded_by").is_not_null() & ~pl.col("superseded_by").is_in(allowed["observation_id"].implode())
    found = set(allowed.filter(is_new | is_dangling)["project"])
    cited = allowed.select("session_id", pl.col("entry_ids").alias("entry")).explode("entry")
    refs = cited.select((pl.col("session_id") + ":" + pl.col("entry")).alias("also")).unique()
    merged = allowed.select("project", "also").explode("also").drop_nulls("also")
    return found | set(merged.join(refs, on="also", how="anti")["project"])


def _apply_decisions(rows: pl.DataFrame, decisions: dict[str, MergeDecision]) -> pl.DataFrame:
    made = [decisions[name] for name in rows["observation_id"]]
    return rows.with_columns(
        pl.Series("superseded_by", [one.superseded_by for one in made], pl.String),
        pl.Series("merged_count", [one.merged_count for one in made], pl.Int32),
        pl.Series("also", [list(one.also) for one in made], pl.List(pl.String)),
        compared_with=pl.col("wanted"),
    )


def _write_days(run: Run, before: pl.DataFrame, decided: pl.DataFrame) -> list[date]:
    """Rewrites the days with a row that differs; all of them or none: a survivor and what it absorbed lie on different days."""
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


def _make_cosine(run: Run, texts: pl.Series) -> FindCosine:
    """The cosine of two texts, by the vectors of the one model that most texts have (ties by name).

    Vectors are read when the first pair asks, stay as they are stored (100,000 as lists of Python floats are 1 GB, as float16
    77 MB), and only of `texts`.
    """

    @cache
    def vectors() -> tuple[dict[str, int], NDArray[np.float16]]:
        wanted = pl.DataFrame({"text_hash": [text_hash(text) for text in texts.unique()]}, schema={"text_hash": pl.String})
        stored = run.lake.scan("embeddings").join(wanted.lazy(), on="text_hash", how="semi").unique(["text_hash", "model"])
        frame = stored.collect()
        model = _pick_model(frame)
        frame = frame.filter(pl.col("model") == model) if model else frame.clear()
        rows = {name: at for at, name in enumerate(frame["text_hash"])}
        return rows, frame["vector"].explode().to_numpy().astype(np.float16, copy=False).reshape(len(rows), -1 if rows else 0)

    def near(first: str, second: str) -> float | None:
        rows, matrix = vectors()
        one, other = rows.get(text_hash(first)), rows.get(text_hash(second))
        return None if one is None or other is None else compute_cosine(matrix[one], matrix[other])

    return near
