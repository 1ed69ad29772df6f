"""The groups of a briefing as they are kept between renderings: ids, ranks and weights, and no word of a fact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

import polars as pl

from transforms.briefing.brief import BriefFact, FactGroup
from transforms.briefing.row_signs import LEAD
from transforms.tables.fact_notes import lead_with_chosen

PackedFact = tuple[str, bool, int, float, int, str]
"""Id, whether the text stands without its lead, rank, weight, number of the facts alike, and the day of the oldest of these or
nothing."""
PackedGroup = tuple[str, Sequence[PackedFact]]


def pack_groups(
    groups: Sequence[FactGroup], observations: pl.DataFrame, marks: Mapping[str, str], zone: ZoneInfo
) -> list[PackedGroup] | None:
    """Return the groups without their words; None when `unpack_groups` would not give them back from the same rows.

    What a fact was weighed by is not among them: they have their weights.
    """
    ids = [fact.observation_id for _, facts in groups for fact in facts]
    texts = {key: text for key, text, _, _ in _read_shown(observations, ids)}
    packed: list[PackedGroup] = [
        (
            heading,
            [
                (
                    fact.observation_id,
                    fact.text != lead_with_chosen(texts.get(fact.observation_id, "")),
                    fact.rank,
                    fact.weight,
                    fact.alike,
                    fact.since.isoformat() if fact.since else "",
                )
                for fact in facts
            ],
        )
        for heading, facts in groups
    ]
    plain = tuple((heading, tuple(replace(fact, features=()) for fact in facts)) for heading, facts in groups)
    return packed if unpack_groups(packed, observations, marks, zone) == plain else None


def unpack_groups(
    packed: Sequence[PackedGroup], observations: pl.DataFrame, marks: Mapping[str, str], zone: ZoneInfo
) -> tuple[FactGroup, ...] | None:
    """Return the groups with the words of the rows and the `marks` of now; None when a row is missing."""
    rows = {row[0]: row for row in _read_shown(observations, [key for _, facts in packed for key, *_ in facts])}
    if any(key not in rows for _, facts in packed for key, *_ in facts):
        return None
    groups = []
    for heading, facts in packed:
        shown = []
        for key, is_bare, rank, weight, alike, since in facts:
            _, text, bare, said_at = rows[key]
            words, day = lead_with_chosen(bare if is_bare else text), said_at.astimezone(zone).date()
            oldest = date.fromisoformat(since) if since else None
            shown.append(BriefFact(words, day, key, marks.get(key, ""), rank, weight, (), said_at, alike, oldest))
        groups.append((heading, tuple(shown)))
    return tuple(groups)


def _read_shown(observations: pl.DataFrame, ids: Sequence[str]) -> list[tuple[str, str, str, datetime]]:
    """Return id, text, text without its lead, and time of some rows."""
    rows = observations.filter(pl.col("observation_id").is_in(list(ids)))
    return rows.select("observation_id", "text", pl.col("text").str.replace(LEAD, '"').alias("bare"), "said_at").rows()
