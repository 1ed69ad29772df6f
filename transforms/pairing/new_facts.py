"""Which facts are new to a model that relates facts, how many pairs it may be asked about, and what is a repetition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

import polars as pl

from transforms.language.sentences import split_words
from transforms.pairing.candidates import COMPARED_KINDS
from transforms.tables.enums import OFFLINE
from transforms.tables.rows import RelationRow

NO_FACT = ""
"""Earlier fact of a new one that was near to none."""
MAX_PAIRS, PAIRS_PER_FACT, MAX_BACKLOG_PAIRS = 320, 8, 2_400
"""Pairs of a night: 33 facts with five earlier ones and four lines of MEMORY.md each, and reports, about 7,500 tokens.
A night that had a model observe a history may ask more: a twentieth of what those facts cost, 60,000 tokens at most."""
RELATED_DAYS = 30
"""Days after which a fact of rules that nobody asked about is new no more: a newly set model does not pay for the past. A model's
own facts are new until somebody asked, behind all others: a history was read at once, or windows were distilled again."""
_TOLD = ("owner", "agent", "summary")
"""Origins of facts that may replace others: somebody else's text replaces its like only, and a tool's output no person's word."""
CLAIMED_ORIGIN, OTHERS_ORIGIN = "agent", "other"
SHOWN_ORIGIN, _SHOWN_KINDS, _STATE_KINDS = "tool", ("completion", "state_change"), ("fact", "status")
"""Origin and kinds of what a model read off the output of a command: that is how it knows that work is done. A state that such
an output shows replaces nothing, and may end what a person's words were bound to."""
_IS_OBSERVED = pl.col("engine").fill_null(OFFLINE) != OFFLINE
"""Whether a model wrote a fact."""
IS_SHOWN_WORK = ((pl.col("origin") == SHOWN_ORIGIN) & pl.col("kind").is_in(_SHOWN_KINDS) & _IS_OBSERVED).fill_null(value=False)
"""Whether a model read finished work off an output."""
_IS_NOTICE = ((pl.col("origin") == OTHERS_ORIGIN) & (pl.col("kind") == "state_change") & _IS_OBSERVED).fill_null(value=False)
"""Whether a model read a change off somebody else's text: a notice that a service ends, and the next that moves it."""
_CAN_REPLACE = pl.col("origin").fill_null("agent").is_in(_TOLD) | IS_SHOWN_WORK | _IS_NOTICE
_MAY_END = ((pl.col("origin") == SHOWN_ORIGIN) & pl.col("kind").is_in(_STATE_KINDS) & _IS_OBSERVED).fill_null(value=False)


def list_due(rows: pl.DataFrame, asked: Collection[str], as_of: datetime) -> list[str]:
    """Return the ids of facts that nobody asked about: high ones first, finished work last, and new before old."""
    is_compared = pl.col("kind").is_in(sorted(COMPARED_KINDS))
    is_recent = pl.col("said_at") >= as_of - timedelta(days=RELATED_DAYS)
    is_new = is_compared & (is_recent | _IS_OBSERVED) & ~pl.col("observation_id").is_in(sorted(asked))
    due = rows.filter(is_new & (_CAN_REPLACE | _MAY_END))
    rank = (pl.col("priority") != "high") + 2 * (pl.col("kind") == "completion") + 4 * is_recent.not_()
    ranked = due.with_columns(_rank=rank).sort("_rank", "said_at", "observation_id", descending=[False, True, False])
    return ranked["observation_id"].to_list()


def list_settled(rows: pl.DataFrame, due: Sequence[str], stored: Sequence[RelationRow]) -> list[str]:
    """Return the facts that may replace others and were compared, or never will be, before the due ones were there.

    A fact that waits since a night that had no room was there when later ones were asked about; behind a night with room left
    none waits.
    """
    counts = Counter(row["asked_on"] for row in stored if row["older_id"] != NO_FACT)
    counts.update({row["asked_on"]: 0 for row in stored})
    settled = max((day for day, count in counts.items() if count < MAX_PAIRS), default=date.min)
    last = {row["newer_id"]: row["asked_on"] for row in sorted(stored, key=lambda row: row["asked_on"])}
    can_replace = pl.col("kind").is_in(sorted(COMPARED_KINDS)) & _CAN_REPLACE
    waiting = set(due)
    return [
        key for key in rows.filter(can_replace)["observation_id"] if key not in waiting and last.get(key, date.min) <= settled
    ]


def count_room(rows: pl.DataFrame, due: Collection[str], stored: Sequence[RelationRow], day: date) -> int:
    """Return how many pairs may be asked about on a day; several runs of a day share its limit."""
    asked = [row for row in stored if row["asked_on"] == day]
    observed = set(rows.filter(_IS_OBSERVED)["observation_id"])
    facts = observed & ({row["newer_id"] for row in asked} | set(due))
    limit = max(MAX_PAIRS, min(PAIRS_PER_FACT * len(facts), MAX_BACKLOG_PAIRS))
    return limit - sum(row["older_id"] != NO_FACT for row in asked)


def find_repeated(rows: pl.DataFrame, due: Sequence[str]) -> dict[str, str]:
    """Return the id of each new fact that repeats an earlier one of its project word by word → the newest of these.

    A quarter of the pairs of four seasons were of such facts; a model called all 161 of them restatements and nothing else.
    """
    wanted, last, repeated = set(due), dict[tuple[str, ...], str](), dict[str, str]()
    compared = rows.filter(pl.col("kind").is_in(sorted(COMPARED_KINDS))).sort("said_at", "observation_id")
    for key, project, text in compared.select("observation_id", "project", "text").iter_rows():
        words = (project, *split_words(text.casefold()))
        if key in wanted and words in last:
            repeated[key] = last[words]
        last[words] = key
    return repeated
