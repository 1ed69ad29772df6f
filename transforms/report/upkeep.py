"""Coverage, friction and recall of the report: the fate of all entries, repeated failures, and searchable texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl

Bars = tuple[tuple[str, float], ...]
"""Labels with their numbers."""

WINDOW_STATES = {
    ("distilled", ""): "distilled",
    ("pending", "open"): "wait: the session may go on",
    ("pending", ""): "wait for the next night",
    ("failed", ""): "failed",
    ("skipped", "copied"): "skipped: a fork repeats them",
    ("skipped", "too_few_user_messages"): "skipped: too few messages of yours",
    ("skipped", ""): "skipped",
}
MEMORY_PARTS = {
    "memory": "lines of MEMORY.md",
    "observations": "facts, replaced ones too",
    "distillates": "pieces of condensed periods",
    "segments": "topics",
    "entries": "pieces of conversations",
}
"""Part of the index → words for a person, in the order of the page."""
TOOLS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FrictionSummary:
    """Results of tools and how many failed, by day and by tool, and the proposals that would end it: pattern, status, text."""

    results: int
    failed: int
    failed_by_day: Mapping[date, float]
    by_tool: Bars
    proposals: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class RecallSummary:
    """Texts that a question searches, by source, and how many of them are found by their meaning, too."""

    documents: int
    with_vectors: int
    by_source: Bars


def count_coverage(coverage: pl.DataFrame) -> Bars:
    """Return the entries by state of their window, from counts of `status`, `reason`, `entries`."""
    counts: Counter[str] = Counter()
    for status, reason, entries in coverage.select("status", "reason", "entries").iter_rows():
        counts[_name_state(status or "", reason or "")] += entries
    names = dict.fromkeys([*WINDOW_STATES.values(), *sorted(counts)])
    return tuple((name, counts[name]) for name in names if counts[name])


def _name_state(status: str, reason: str) -> str:
    known = (
        name for (known_status, begins), name in WINDOW_STATES.items() if status == known_status and reason.startswith(begins)
    )
    return next(known, status)


def summarise_friction(results: pl.DataFrame, proposals: pl.DataFrame) -> FrictionSummary:
    """Return the friction from counts of `day`, `tool_name`, `results`, `failed`, and the table of proposals."""
    # One client writes `Bash`, the others `bash`.
    by_tool = results.group_by(pl.col("tool_name").str.to_lowercase()).agg(pl.col("failed").sum()).filter(pl.col("failed") > 0)
    top = by_tool.sort("failed", "tool_name", descending=[True, False]).head(TOOLS_SHOWN)
    others = int(by_tool["failed"].sum()) - int(top["failed"].sum())
    by_day = results.group_by("day").agg(pl.col("failed").sum())
    rows = proposals.filter(pl.col("kind") == "friction").sort(
        "severity", "proposal_id", descending=[True, False], nulls_last=True
    )
    return FrictionSummary(
        results=int(results["results"].sum()),
        failed=int(results["failed"].sum()),
        failed_by_day=dict(by_day.iter_rows()),
        by_tool=(*((tool or "unknown", failed) for tool, failed in top.iter_rows()), *([("others", others)] if others else [])),
        proposals=tuple(
            ((pattern or "friction").replace("_", " "), status, text)
            for pattern, status, text in rows.select("pattern", "status", "text").head(TOOLS_SHOWN).iter_rows()
        ),
    )


def summarise_recall(parts: Mapping[str, tuple[int, int]]) -> RecallSummary:
    """Return the searchable texts, from documents and vectors per part of the index (`entries/2026-02-03`, `memory`, …)."""
    documents: Counter[str] = Counter()
    vectors = 0
    for part, (count, with_vector) in parts.items():
        documents[part.partition("/")[0]] += count
        vectors += with_vector
    shown = tuple((words, documents[source]) for source, words in MEMORY_PARTS.items() if documents[source])
    return RecallSummary(documents.total(), vectors, shown)
