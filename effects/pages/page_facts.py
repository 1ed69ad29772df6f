"""Reads additions to facts for pages and openings: warnings from repositories, and stated ends that have passed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import cast
from zoneinfo import ZoneInfo

import polars as pl

from effects.store.run import Run
from transforms.language.relative_dates import MAY_END, has_ended
from transforms.pages.fact_marks import word_marks
from transforms.tables.ids import shorten_id
from transforms.tables.rows import ObservationRow
from transforms.tables.schema import CONFIRMATIONS, read_rows


def read_marks(run: Run) -> Mapping[str, str]:
    """Return the warnings of the ground check about facts, by their ids."""
    return word_marks(read_rows(CONFIRMATIONS, run.lake.read("confirmations")))


def mark_former_facts(observations: pl.DataFrame, zone: ZoneInfo) -> dict[str, str]:
    """Return, for facts of which newer words of the owner name a number as the former one, since when it is another one."""
    from transforms.memory.former_values import find_former_facts  # loads numpy, and an opening marks nothing

    columns = ("observation_id", "project", "kind", "said_at", "superseded_by", "text")
    rows = cast(list[ObservationRow], observations.filter(pl.col("verdict") == "allow").select(columns).to_dicts())
    said = {row["observation_id"]: row["said_at"].astimezone(zone).date() for row in rows}
    return {
        older: f"another value since {said[newer]}: `{shorten_id(newer)}`" for older, newer in find_former_facts(rows).items()
    }


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
