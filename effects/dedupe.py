"""The dedupe step: writes into observations what absorbed or replaced them, exactly as if all had been compared at once."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
from numpy.typing import NDArray

from effects.run import Counts, Run
from transforms.dedupe import Decision, Near, decide
from transforms.ids import text_hash
from transforms.similarity import cosine

_COMPARED = (
    "observation_id", "kind", "project", "priority", "said_at", "session_id", "ordinals", "entry_ids", "text",
)  # fmt: skip
_WRITTEN = ("superseded_by", "merged_count", "also")


def dedupe(run: Run) -> Counts:
    """Compares all allowed observations and rewrites the days on which something changed; how many of which.

    There is no memory of earlier runs: what was decided is in the rows, and only rows that differ from it are written.
    """
    lake = run.lake
    allowed = lake.scan("observations").filter(pl.col("verdict") == "allow").select(*_COMPARED, "day", *_WRITTEN).collect()
    run.progress(f"dedupe {allowed.height} observations")
    vectors = _vectors(run, allowed["text"])
    decisions = decide(allowed.select(_COMPARED).to_dicts(), _near(vectors), run.settings.owner)
    days = _changed_days(allowed, decisions)
    with lake.commit() as change:  # all days or none: a survivor and what it absorbed often lie on different days
        for day in days:
            change.replace("observations", _decided(lake.read("observations", [day]), decisions), day)
    kept = sum(decision.superseded_by is None for decision in decisions.values())
    merged = sum(decision.merged_count - 1 for decision in decisions.values())
    return {
        "read": allowed.height,
        "kept": kept,
        "merged": merged,
        "retired": allowed.height - kept - merged,
        "without_vector": allowed.height - sum(text_hash(text) in vectors for text in allowed["text"]),
        "days_rewritten": len(days),
    }


def _vectors(run: Run, texts: pl.Series) -> dict[str, NDArray[np.float32]]:
    """Vectors by text hash, of the one model that most texts have (ties by name)."""
    wanted = pl.DataFrame({"text_hash": [text_hash(text) for text in texts.unique()]}, schema={"text_hash": pl.String})
    stored = run.lake.scan("embeddings").join(wanted.lazy(), on="text_hash", how="semi").unique(["text_hash", "model"])
    frame = stored.collect()
    if frame.is_empty():
        return {}
    model = frame.group_by("model").len().sort(["len", "model"], descending=[True, False])["model"][0]
    frame = frame.filter(pl.col("model") == model)
    matrix = np.array(frame["vector"].to_list(), dtype=np.float32)
    return dict(zip(frame["text_hash"], matrix, strict=True))


def _near(vectors: dict[str, NDArray[np.float32]]) -> Near:
    return lambda first, second: cosine(vectors.get(text_hash(first)), vectors.get(text_hash(second)))


def _changed_days(allowed: pl.DataFrame, decisions: dict[str, Decision]) -> list[date]:
    columns = ("observation_id", "day", *_WRITTEN)
    return sorted(
        {
            day
            for name, day, superseded_by, merged_count, also in allowed.select(columns).iter_rows()
            if Decision(superseded_by, merged_count or 1, tuple(also or ())) != decisions[name]
        }
    )


def _decided(frame: pl.DataFrame, decisions: dict[str, Decision]) -> pl.DataFrame:
    """A day's rows with what was decided about them; rows that are not allowed stand for themselves."""
    plain = Decision(None, 1, ())
    made = [decisions.get(name, plain) for name in frame["observation_id"]]
    return frame.drop("schema_version").with_columns(
        pl.Series("superseded_by", [one.superseded_by for one in made], pl.String),
        pl.Series("merged_count", [one.merged_count for one in made], pl.Int32),
        pl.Series("also", [list(one.also) for one in made], pl.List(pl.String)),
    )
