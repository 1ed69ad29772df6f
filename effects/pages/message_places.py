"""Reads from the messages of sessions what pages need to show facts and topics in their order: places of words, and times."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, datetime, timedelta

import polars as pl

from effects.store.run import Run
from transforms.patterns.message_places import find_repeated, order_facts
from transforms.tables.enums import PRIORITY_ORDER

DAYS_AT_ONCE = 30
"""Days whose messages are read together: those of a history are many more."""


def find_repeated_facts(observations: pl.DataFrame) -> dict[str, str]:
    """Return the facts that stand whole in another one of the same message which is as important and holds, too, each with that
    one, by id."""
    holding = observations.filter(pl.col("superseded_by").is_null()).select(
        "observation_id", "session_id", "text", "files", "priority", ordinal=pl.col("ordinals").list.first()
    )
    shared = holding.filter((pl.len() > 1).over("session_id", "ordinal") & pl.col("ordinal").is_not_null())
    repeated: dict[str, str] = {}
    for _, facts in shared.group_by("session_id", "ordinal"):
        rows = list(facts.select("observation_id", "text", pl.col("files").fill_null([]), "priority").iter_rows())
        for priority in facts["priority"].unique():
            place = PRIORITY_ORDER[priority]
            others = [(key, text, files) for key, text, files, other in rows if PRIORITY_ORDER[other] <= place]
            own = {key for key, _, _, other in rows if other == priority}
            repeated |= {key: whole for key, whole in find_repeated(others).items() if key in own}
    return repeated


def read_places(run: Run, observations: pl.DataFrame) -> dict[str, int]:
    """Return the places of facts among those that rest on the same message first, by id; a fact alone on its message has none."""
    first = observations.select(
        "observation_id", "session_id", "text", "said_at", ordinal=pl.col("ordinals").list.first().cast(pl.Int64)
    )
    shared = first.filter((pl.len() > 1).over("session_id", "ordinal") & pl.col("ordinal").is_not_null())
    facts: defaultdict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
    for key, session, text, ordinal in shared.select("observation_id", "session_id", "text", "ordinal").iter_rows():
        facts[session, ordinal].append((key, text))
    places: dict[str, int] = {}
    days = _list_days_around(run, shared["said_at"], shared["said_at"])
    for start in range(0, len(days), DAYS_AT_ONCE):
        is_wanted = pl.col("session_id").is_in(sorted({session for session, _ in facts}))
        is_wanted &= pl.col("ordinal").is_in(sorted({ordinal for _, ordinal in facts}))
        scan = run.lake.scan("entries", days[start : start + DAYS_AT_ONCE]).filter(is_wanted)
        for session, ordinal, text in scan.select("session_id", "ordinal", "text").collect().iter_rows():
            places |= order_facts(facts.get((session, ordinal), ()), text or "")
    return places


def read_topic_times(run: Run, segments: pl.DataFrame) -> dict[str, datetime]:
    """Return when topics began, by id: at their first message. What a program notes before it may be hours older."""
    segments = segments.drop_nulls(["started_at", "ended_at", "first_ordinal"])
    days = _list_days_around(run, segments["started_at"], segments["ended_at"])
    is_message = (pl.col("entry_type") == "message") & pl.col("session_id").is_in(segments["session_id"].unique().to_list())
    messages = run.lake.scan("entries", days).filter(is_message).select("session_id", "ordinal", "said_at").collect()
    topics = segments.select("segment_id", "session_id", "last_ordinal", ordinal="first_ordinal").sort("session_id", "ordinal")
    ordered = messages.sort("session_id", "ordinal").with_columns(at="ordinal")
    began = topics.join_asof(  # within groups polars cannot check that both are sorted, and would warn each night
        ordered, on="ordinal", by="session_id", strategy="forward", check_sortedness=False
    )
    within = began.filter(pl.col("at") <= pl.col("last_ordinal"))
    return dict(within.select("segment_id", "said_at").iter_rows())


def _list_days_around(run: Run, started_at: pl.Series, ended_at: pl.Series) -> list[date]:
    """Return the days of which there are entries, from a day before the first of some times to one behind the last of others."""
    starts, ends = ([moment.astimezone(run.zone).date() for moment in moments.to_list()] for moments in (started_at, ended_at))
    around = {
        start + timedelta(days=offset)
        for start, end in zip(starts, ends, strict=True)
        for offset in range(-1, (end - start).days + 2)
    }
    return [day for day in run.lake.list_days("entries") if day in around]
