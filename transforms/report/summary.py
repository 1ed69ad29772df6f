"""The figures of the report: rows, new facts, proposals, spending, and sessions that the clients have deleted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from transforms.report.archive import ClientArchive, build_archive
from transforms.report.pictures import Series, draw_days
from transforms.report.proposal_yield import ProposalYield, compute_yield, word_reasons
from transforms.report.time_bins import TimeBins, choose_bins
from transforms.report.upkeep import Bars, FrictionSummary, RecallSummary, count_coverage, summarise_friction, summarise_recall
from transforms.tables.enums import KEPT_KINDS
from transforms.tables.fact_notes import name_origin

REPORTED_DAYS = 60
"""Days that the first picture shows, when there is something in them; the other one shows the whole time."""
LEARNED = 15
"""Facts of the week that are listed."""

TIER_NAMES = ("facts", "days", "weeks", "months", "years")
REPORT_TABLES = (
    "sessions",
    "segments",
    "observations",
    "distillates",
    "proposals",
    "proposal_events",
    "model_calls",
    "sources",
)
_PRIORITY_STYLES = (("high", "c1"), ("medium", "c2"), ("low", "c3"))


@dataclass(frozen=True, slots=True)
class LearnedFact:
    """A fact of the last seven days."""

    text: str
    kind: str
    """With who stated it where that is not the owner: `fix by the agent`."""
    project: str
    day: date
    observation_id: str


@dataclass(frozen=True, slots=True)
class ReportInputs:
    """Inputs of the report: the tables REPORT_TABLES, and counts of the lake and the index.

    `coverage` has `status`, `reason`, `entries`; `tool_results` has `day`, `tool_name`, `results`, `failed`; `index_parts` has
    the documents and the vectors of each part, None without an index.
    """

    frames: Mapping[str, pl.DataFrame]
    coverage: pl.DataFrame
    tool_results: pl.DataFrame
    index_parts: Mapping[str, tuple[int, int]] | None
    claude_keeps_days: int


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG and the span that it shows."""

    span: str
    svg: str


@dataclass(frozen=True, slots=True)
class Report:
    """The values of the template; pictures by name, none where there is nothing to show."""

    as_of: datetime
    tiles: tuple[tuple[str, str], ...]
    learned: tuple[LearnedFact, ...]
    learned_count: int
    learned_since: date
    is_learned_lately: bool
    pictures: Mapping[str, tuple[Picture, ...]]
    tiers: Bars
    accepted_percent: int | None
    proposals: ProposalYield
    left_out: tuple[tuple[str, int], ...]
    coverage: Bars
    friction: FrictionSummary
    recall: RecallSummary | None
    archive: tuple[ClientArchive, ...]
    spent_usd: float


def build_report(inputs: ReportInputs, as_of: datetime, zone: ZoneInfo) -> Report:
    """Return the values of the report as of a moment; the clock is not read."""
    frames, today = inputs.frames, as_of.astimezone(zone).date()
    sessions, facts = frames["sessions"], _select_facts(frames["observations"])
    lasting = facts.filter((pl.col("day") <= today) & pl.col("kind").is_in(KEPT_KINDS))
    newest = lasting["day"].max() if lasting.height else today
    last_day = newest if isinstance(newest, date) else today
    is_lately = last_day > today - timedelta(days=7)
    since = (today if is_lately else last_day) - timedelta(days=6)
    week = lasting.filter(pl.col("day") >= since)
    calls = frames["model_calls"].with_columns(day=pl.col("at").dt.convert_time_zone(str(zone)).dt.date())
    proposals = compute_yield(frames["proposals"], frames["proposal_events"])
    spent = float(calls["cost_usd"].sum())
    friction = summarise_friction(inputs.tool_results, frames["proposals"])
    return Report(
        as_of=as_of.astimezone(zone),
        tiles=(
            ("sessions", f"{sessions.height:,}"),
            ("entries", f"{sum(inputs.coverage['entries'].to_list()):,}"),
            ("facts kept", f"{facts.height:,}"),
            ("projects", f"{sessions['project'].n_unique():,}"),
            ("proposals waiting", f"{proposals.fates['pending']:,}"),
            ("spent on models", f"{spent:,.2f} $"),
        ),
        learned=_list_learned(week),
        learned_count=week.height,
        learned_since=since,
        is_learned_lately=is_lately,
        pictures={
            "facts": _draw("Facts kept", _count_priorities(facts), today),
            "topics": _draw("Topics", [Series("topics", "c4", _count_days(frames["segments"]))], today),
            "spend": _draw("Spent on models", [Series("$", "c2", _sum_costs(calls))], today, " $"),
            "friction": _draw("Failed results of tools", [Series("failed", "c2", friction.failed_by_day)], today),
        },
        tiers=_count_tiers(facts, frames["distillates"]),
        accepted_percent=None if proposals.accepted_share is None else round(100 * proposals.accepted_share),
        proposals=proposals,
        left_out=word_reasons(proposals.left_out),
        coverage=count_coverage(inputs.coverage),
        friction=friction,
        recall=None if inputs.index_parts is None else summarise_recall(inputs.index_parts),
        archive=build_archive(sessions, frames["sources"], as_of, zone, inputs.claude_keeps_days),
        spent_usd=spent,
    )


def _draw(title: str, series: Sequence[Series], today: date, unit: str = "") -> tuple[Picture, ...]:
    """Return the picture of the last days, unless they are empty, and the one of the whole time, when it began earlier."""
    shown = [
        replace(line, values={day: value for day, value in line.values.items() if value and day <= today}) for line in series
    ]
    days = {day for line in shown for day in line.values}
    first_shown = today - timedelta(days=REPORTED_DAYS - 1)
    pictures = []
    if days and max(days) >= first_shown:
        pictures.append(_draw_span(title, f"last {REPORTED_DAYS} days", choose_bins(first_shown, today), shown, unit))
    if days and min(days) < first_shown:
        bins = choose_bins(min(days), today)
        pictures.append(_draw_span(title, f"the whole time, by {bins.unit}", bins, shown, unit))
    return tuple(pictures)


def _draw_span(title: str, span: str, bins: TimeBins, series: Sequence[Series], unit: str) -> Picture:
    return Picture(span[0].upper() + span[1:], draw_days(bins, series, f"{title}, {span}", unit))


def _select_facts(observations: pl.DataFrame) -> pl.DataFrame:
    return observations.filter((pl.col("verdict") == "allow") & pl.col("superseded_by").is_null())


def _list_learned(week: pl.DataFrame) -> tuple[LearnedFact, ...]:
    rank = pl.col("priority").replace_strict({"high": 0, "medium": 1}, default=2, return_dtype=pl.Int8)
    top = week.sort(rank, "said_at", "observation_id", descending=[False, True, False]).head(LEARNED)
    return tuple(
        LearnedFact(
            row["text"],
            f"{row['kind'].replace('_', ' ')} {name_origin(row['origin'])}".rstrip(),
            _shorten(row["project"]),
            row["day"],
            row["observation_id"],
        )
        for row in top.iter_rows(named=True)
    )


def _shorten(project: str | None) -> str:
    return (project or "").rstrip("/").rsplit("/", 1)[-1]


def _count_days(frame: pl.DataFrame) -> dict[date, float]:
    return dict(frame.group_by("day").len().iter_rows())


def _count_priorities(facts: pl.DataFrame) -> list[Series]:
    return [Series(name, style, _count_days(facts.filter(pl.col("priority") == name))) for name, style in _PRIORITY_STYLES]


def _count_tiers(facts: pl.DataFrame, distillates: pl.DataFrame) -> Bars:
    counts = Counter(distillates["tier"].to_list())
    return ((TIER_NAMES[0], facts.height), *((name, counts[tier]) for tier, name in enumerate(TIER_NAMES) if tier))


def _sum_costs(calls: pl.DataFrame) -> dict[date, float]:
    return dict(calls.group_by("day").agg(pl.col("cost_usd").sum()).iter_rows())
