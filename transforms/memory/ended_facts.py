"""Finds facts that said until when they hold, once memory has seen a later day."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import polars as pl

from transforms.language.stated_ends import MAY_END, find_stated_end


def drop_ended_facts(observations: pl.DataFrame, latest: datetime | None, zone: ZoneInfo) -> pl.DataFrame:
    """Return the observations without those whose stated end lies before the day of `latest`.

    The caller passes the last moment that memory knows, not the clock, so that a page stays as it is.
    """
    if latest is None:
        return observations
    last_day, ended = latest.astimezone(zone).date(), []
    may_end = observations.filter(pl.col("text").str.contains(MAY_END)).select("observation_id", "text", "said_at")
    for observation_id, text, said_at in may_end.iter_rows():
        end = find_stated_end(text, said_at.astimezone(zone).date())
        if end is not None and end < last_day:
            ended.append(observation_id)
    return observations.filter(~pl.col("observation_id").is_in(ended))
