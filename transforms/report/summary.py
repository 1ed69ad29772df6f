"""The figures of the report: rows, new facts, proposals, spending, and sessions that the clients have deleted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from transforms.report.pictures import Series, draw_counts, draw_days
from transforms.report.proposal_yield import ProposalYield, compute_yield, word_reasons

DAYS = 60
"""Days that the pictures show."""
LEARNED = 15
"""Facts of the week that are listed."""
LASTING_KINDS = ("rule", "preference", "correction", "decision", "convention", "root_cause", "fix", "state_change")
"""Kinds that are worth reading a week later: no requests, no completed steps."""
CLAUDE_KEEPS_DAYS = 30
"""Claude Code deletes a session file this long after its last change (`cleanupPeriodDays`)."""
SOON_DAYS = 7

TIERS = ("facts", "days", "weeks", "months", "years")
REPORT_TABLES = (
    "sessions",
    "entries",
    "segments",
    "observations",
    "distillates",
    "proposals",
    "proposal_events",
    "model_calls",
    "sources",
)
_PRIORITIES = (("high", "c1"), ("medium", "c2"), ("low", "c3"))


@dataclass(frozen=True, slots=True)
class LearnedFact:
    """A fact of the last seven days."""

    text: str
    kind: str
    project: str
    day: date
    observation_id: str


@dataclass(frozen=True, slots=True)
class Report:
    """The values of the template; `pictures` are SVG by name."""

    as_of: datetime
    tiles: tuple[tuple[str, str], ...]
    learned: tuple[LearnedFact, ...]
    learned_count: int
    pictures: Mapping[str, str]
    accepted_percent: int | None
    proposals: ProposalYield
    left_out: tuple[tuple[str, int], ...]
    archive: tuple[str, ...]
    spent_usd: float
    has_proposals: bool


def build_report(frames: Mapping[str, pl.DataFrame], as_of: datetime, zone: ZoneInfo) -> Report:
    """Return the values of the report from the tables REPORT_TABLES, as of a moment; the clock is not read."""
    today = as_of.astimezone(zone).date()
    days = [today - timedelta(days=DAYS - 1 - back) for back in range(DAYS)]
    sessions, facts = frames["sessions"], _select_facts(frames["observations"])
    week = facts.filter((pl.col("day") > today - timedelta(days=7)) & pl.col("kind").is_in(LASTING_KINDS))
    calls = frames["model_calls"].with_columns(day=pl.col("at").dt.convert_time_zone(str(zone)).dt.date())
    proposals = compute_yield(frames["proposals"], frames["proposal_events"])
    decided = proposals.approved + proposals.fates["rejected"]
    spent = float(calls["cost_usd"].sum())
    return Report(
        as_of=as_of.astimezone(zone),
        tiles=(
            ("sessions", f"{sessions.height:,}"),
            ("entries", f"{frames['entries'].height:,}"),
            ("facts kept", f"{facts.height:,}"),
            ("projects", f"{sessions['project'].n_unique():,}"),
            ("proposals waiting", f"{proposals.fates['pending']:,}"),
            ("spent on models", f"{spent:,.2f} $"),
        ),
        learned=_list_learned(week),
        learned_count=week.height,
        pictures={
            "facts": draw_days(days, _count_priorities(facts, days), "Facts kept per day"),
            "topics": draw_days(days, [Series("topics", "c4", _count_days(frames["segments"], days))], "Topics per day"),
            "tiers": draw_counts(_count_tiers(facts, frames["distillates"]), "What is stored, by tier"),
            "proposals": draw_counts([(fate, count) for fate, count in proposals.fates.items() if count], "Proposals by outcome"),
            "spend": draw_days(days, [Series("USD", "c2", _sum_costs(calls))], "Spent on models per day", " $"),
        },
        accepted_percent=round(100 * proposals.approved / decided) if decided else None,
        proposals=proposals,
        left_out=word_reasons(proposals.left_out),
        archive=tuple(_describe_archive(sessions, frames["sources"], as_of)),
        spent_usd=spent,
        has_proposals=bool(proposals.proposed),
    )


def _select_facts(observations: pl.DataFrame) -> pl.DataFrame:
    return observations.filter((pl.col("verdict") == "allow") & pl.col("superseded_by").is_null())


def _list_learned(week: pl.DataFrame) -> tuple[LearnedFact, ...]:
    rank = pl.col("priority").replace_strict({"high": 0, "medium": 1}, default=2, return_dtype=pl.Int8)
    top = week.sort(rank, "said_at", "observation_id", descending=[False, True, False]).head(LEARNED)
    return tuple(
        LearnedFact(row["text"], row["kind"].replace("_", " "), _shorten(row["project"]), row["day"], row["observation_id"])
        for row in top.iter_rows(named=True)
    )


def _shorten(project: str | None) -> str:
    return (project or "").rstrip("/").rsplit("/", 1)[-1]


def _count_days(frame: pl.DataFrame, days: Sequence[date]) -> dict[date, float]:
    return {day: count for day, count in frame.group_by("day").len().iter_rows() if day >= days[0]}


def _count_priorities(facts: pl.DataFrame, days: Sequence[date]) -> list[Series]:
    return [Series(name, style, _count_days(facts.filter(pl.col("priority") == name), days)) for name, style in _PRIORITIES]


def _count_tiers(facts: pl.DataFrame, distillates: pl.DataFrame) -> list[tuple[str, float]]:
    counts = Counter(distillates["tier"].to_list())
    return [(TIERS[0], facts.height), *((name, counts[tier]) for tier, name in enumerate(TIERS) if tier)]


def _sum_costs(calls: pl.DataFrame) -> dict[date, float]:
    return dict(calls.group_by("day").agg(pl.col("cost_usd").sum()).iter_rows())


def _describe_archive(sessions: pl.DataFrame, sources: pl.DataFrame, as_of: datetime) -> list[str]:
    """Return sentences about files that clients have deleted or will, and whose sessions are in the lake."""
    by_agent = Counter(agent or "pi" for agent in sessions["agent"].to_list())
    names = {"pi": "pi", "claude": "Claude Code", "codex": "Codex"}
    lines = [f"{by_agent[agent]:,} sessions of {names.get(agent, agent)} are in the lake." for agent in sorted(by_agent)]
    gone = sources.filter(pl.col("status") == "gone").height
    if gone:
        lines.append(f"{gone:,} session files are gone from the disk; their entries are kept here.")
    claude = sessions.filter(pl.col("agent") == "claude").select("session_id")
    known = sources.join(claude, on="session_id", how="semi").filter(pl.col("status") == "read")
    limit = int((as_of - timedelta(days=CLAUDE_KEEPS_DAYS - SOON_DAYS)).timestamp() * 1e9)
    if soon := known.filter(pl.col("mtime_ns") < limit).height:
        lines.append(
            f"Claude Code deletes session files {CLAUDE_KEEPS_DAYS} days after the last change: {soon:,} of {known.height:,} are"
            f" due within {SOON_DAYS} days, and all of them are in the lake."
        )
    return lines
