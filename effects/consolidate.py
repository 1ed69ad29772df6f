"""The consolidate step: days, weeks, months and years of each project condensed once they are old enough."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl

from effects.run import Counts, Run
from transforms.schema import TABLES
from transforms.tiers import Node, Plan, leaves_of, plan, row_of

NAMES = {1: "days", 2: "weeks", 3: "months", 4: "years"}
CAP = 5_000
"""Distillates made in one run. What is due is found over everything first, so the rest follows in the next runs."""

_OBSERVED = (
    "observation_id", "project", "day", "said_at", "session_id", "kind", "priority", "text", "ordinals", "entry_ids", "files",
    "superseded_by", "also",
)  # fmt: skip
_TOLD = ("segment_id", "project", "day", "session_id", "narrative", "entry_ids", "started_at", "first_ordinal")


def consolidate(run: Run, cap: int = CAP) -> Counts:
    """Makes the distillates that are due and not stored for exactly these inputs, at most `cap`; drops what is stale.

    Returns what was due, made, kept and waiting, and per tier the periods that could not be made smaller than their input:
    their children stay as they are and go into the next tier themselves.
    """
    wanted = _plan(run)
    stored = {row["distillate_id"]: row for row in run.lake.read("distillates").drop("schema_version").to_dicts()}
    rows, failures, made, waiting = _rows(run, wanted, stored, cap)
    parents = wanted.by_parent()
    for row in rows.values():
        successor = parents.get(row["distillate_id"], row["superseded_by"])
        row["superseded_by"] = successor if successor in rows else None
    if rows != stored:
        schema = {name: kind for name, kind in TABLES["distillates"].schema.items() if name != "schema_version"}
        with run.lake.commit() as change:
            change.replace("distillates", pl.DataFrame(list(rows.values()), schema=schema))
    return {
        "due": len(wanted.nodes),
        "made": {NAMES[tier]: count for tier, count in sorted(made.items())},
        "kept": len(rows) - sum(made.values()),
        "not_smaller": {NAMES[tier]: count for tier, count in sorted(failures.items())},
        "waiting": waiting,
    }


def _plan(run: Run) -> Plan:
    lake = run.lake
    allowed = lake.scan("observations").filter(pl.col("verdict") == "allow").select(_OBSERVED).collect().to_dicts()
    segments = lake.scan("segments").select(_TOLD).collect().to_dicts()
    return plan(leaves_of(allowed, segments), run.settings.tiers.after_days, run.today)


def _rows(
    run: Run, wanted: Plan, stored: dict[str, dict[str, Any]], cap: int
) -> tuple[dict[str, dict[str, Any]], Counter[int], Counter[int], int]:
    """Rows by id, what could not be made smaller, what was made, and how many wait for the next run."""
    rows: dict[str, dict[str, Any]] = {}
    failures: Counter[int] = Counter()
    made: Counter[int] = Counter()
    waiting: set[str] = set()
    for node in wanted.nodes:
        if node.id in stored:
            rows[node.id] = dict(stored[node.id])
        elif made.total() >= cap or any(isinstance(child, Node) and child.id in waiting for child in node.inputs):
            waiting.add(node.id)
        elif row := row_of(node):
            rows[node.id] = row
            made[node.period.tier] += 1
            if made.total() % 200 == 0:
                run.progress(f"consolidate {made.total()} distillates")
        else:
            failures[node.period.tier] += 1
    postponed = {(node.period.tier, node.project, node.period.start) for node in wanted.nodes if node.id in waiting}
    for name, row in stored.items():
        if name not in rows and (row["tier"], row["project"], row["period_start"]) in postponed:
            rows[name] = dict(row)  # the former text stays until its successor is made
    return rows, failures, made, len(waiting)
