"""Reads additions to facts for pages and openings: warnings of repositories, changed parts, ends that have passed, refusals."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import polars as pl

from effects.memory.changed_parts import read_changed_parts
from effects.store.run import Run
from transforms.language.relative_dates import MAY_END, has_ended
from transforms.memory.changed_parts import describe_changed_parts
from transforms.pages.fact_marks import word_marks
from transforms.tables.enums import STANDING_KINDS
from transforms.tables.schema import CONFIRMATIONS, read_rows


def read_marks(run: Run) -> Mapping[str, str]:
    """Return what stands beside facts, by their ids: warnings of the ground check, and parts that later facts replaced."""
    warnings = word_marks(read_rows(CONFIRMATIONS, run.lake.read("confirmations")))
    changed = describe_changed_parts(read_changed_parts(run))
    return {key: "; ".join(filter(None, [changed.get(key), warnings.get(key)])) for key in sorted({*warnings, *changed})}


def drop_ended_facts(run: Run, observations: pl.DataFrame, project: str | None = None) -> pl.DataFrame:
    """Return the facts, or those of a project, without those whose stated end lies before the last day that memory knows.

    That day, not the clock, so that a page stays as it is.
    """
    own = observations if project is None else observations.filter(pl.col("project") == project)
    latest = observations["said_at"].max()
    if not isinstance(latest, datetime):
        return own
    last_day = latest.astimezone(run.zone).date()
    may_end = own.filter(pl.col("text").str.contains(MAY_END)).select("observation_id", "text", "said_at")
    ended = [key for key, text, said_at in may_end.iter_rows() if has_ended(text, said_at.astimezone(run.zone).date(), last_day)]
    return own.filter(~pl.col("observation_id").is_in(ended))


def drop_refused_facts(observations: pl.DataFrame, proposals: pl.DataFrame) -> pl.DataFrame:
    """Return the facts without the rules and preferences that the owner refused as a line of MEMORY.md and has not said since.

    A decision or a finding may hold without a line; a wish for good that is none binds nobody.
    """
    refused = (
        proposals.filter((pl.col("status") == "rejected") & pl.col("decided_at").is_not_null() & (pl.col("op") == "add"))
        .explode("evidence_ids")
        .group_by(observation_id="evidence_ids")
        .agg(pl.col("decided_at").max())
    )
    is_refused = pl.col("kind").is_in(sorted(STANDING_KINDS)) & (pl.col("said_at") <= pl.col("decided_at"))
    judged = observations.join(refused, on="observation_id", how="left", maintain_order="left")
    return judged.filter(~is_refused.fill_null(value=False)).drop("decided_at")
