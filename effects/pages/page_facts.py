"""Reads additions to facts for pages and openings: warnings from repositories, and stated ends that have passed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import polars as pl

from effects.store.run import Run
from transforms.language.relative_dates import MAY_END, has_ended
from transforms.pages.fact_marks import word_marks
from transforms.tables.schema import CONFIRMATIONS, read_rows


def read_marks(run: Run) -> Mapping[str, str]:
    """Return the warnings of the ground check about facts, by their ids."""
    return word_marks(read_rows(CONFIRMATIONS, run.lake.read("confirmations")))


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
