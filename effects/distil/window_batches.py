"""Distils windows without writing: the sessions of a batch run in parallel, the windows of a session in order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date, timedelta

import polars as pl

from effects.distil.second_reading import WindowReading, read_window
from effects.distil.window_distillers import DistilWindow, WindowResult, build_offline_engine, make_engine_distiller
from effects.judging.second_reader import SecondReader
from effects.store.forgotten import read_forgotten
from effects.store.lake import Lake
from effects.store.run import Run
from effects.system.work_tally import add_done
from transforms.conversation.entries import SUMMARY_TYPES, Entry, build_entries
from transforms.distil.earlier_facts import EarlierFact
from transforms.distil.result_rows import DueWindowRow, build_observation_rows, build_segment_rows, list_retired
from transforms.distil.window_evidence import WindowEvidence
from transforms.forgetting.blank_entries import FORGOTTEN_FLAG, WITHOUT_FORGOTTEN, blank_forgotten_entries
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.tables.enums import OFFLINE
from transforms.tables.rows import ObservationRow, SegmentRow
from transforms.tables.window_tables import KEPT_REASON

MAX_EARLIER_FACTS = 60
"""Former facts of the session that an engine gets, newest last: enough not to repeat them, few enough to send."""

WINDOWS_AT_ONCE = 200
"""Windows whose entries are in memory together: of a session of 300 MB, which has thousands, all took more than a GB."""

_FACT_FIELDS = ("session_id", "first_ordinal", "observation_id", "text", "kind", "priority", "said_at")

EarlierFacts = dict[str, list[EarlierFact]]
"""Session → facts of its former windows."""
WindowTexts = tuple[dict[str, list[Entry]], dict[str, list[Entry]]]
"""Window → its entries, and those that a summary in it sums up."""


@dataclass(frozen=True, slots=True)
class WindowOutcome:
    """A window's row after an engine was asked, with the rows that it yields."""

    row: DueWindowRow
    result: WindowResult
    segments: list[SegmentRow]
    observations: list[ObservationRow]
    retired: dict[str, str]
    """Earlier observations that this window retires, with their successors."""
    keeps_rows: bool = False
    """Whether the rows that another version of the offline engine made stay: this one broke on the same words."""
    reading: WindowReading | None = None
    """The second reading of its facts; None when nobody read them."""


@dataclass(frozen=True, slots=True)
class OfflineTask:
    """Windows of whole sessions for the offline engine, with the facts of their other windows.

    A worker process looks nothing up in tables that another process writes. Its run reports no progress. `is_foreign`: whether
    most of what the owner types is not English.
    """

    run: Run
    windows: list[DueWindowRow]
    earlier: EarlierFacts
    is_foreign: bool


def distil_offline(task: OfflineTask) -> list[WindowOutcome]:
    """Distil the windows of a task with the offline engine; their entries are read from the lake."""
    engine = build_offline_engine(task.run, is_foreign=task.is_foreign)
    return distil_batch(task.run, make_engine_distiller(engine, task.run), task.windows, 1, task.earlier)


def distil_batch(
    run: Run,
    distil_window: DistilWindow,
    batch: list[DueWindowRow],
    workers: int,
    earlier: EarlierFacts,
    reader: SecondReader | None = None,
    count: Callable[[int], None] = add_done,
) -> list[WindowOutcome]:
    """Distil every window of a batch: sessions in parallel, the windows of one session in order, each with the former facts.

    With a `reader` the facts of each window are read a second time. `count` is told of each window that is done.
    """
    texts = _read_texts(run, batch) if len(batch) <= WINDOWS_AT_ONCE else None
    sessions: dict[str, list[DueWindowRow]] = {}
    for row in batch:
        sessions.setdefault(row["session_id"], []).append(row)

    def distil_session(rows: list[DueWindowRow]) -> list[WindowOutcome]:
        """Distil the windows of one session in order: each is shown the facts of those before it that none of these retired."""
        facts = list(earlier.get(rows[0]["session_id"], []))
        retired: set[str] = set()
        outcomes = []
        for row, entries, before in _walk_texts(run, rows, texts):
            known = [fact for fact in facts if fact.first_ordinal < row["first_ordinal"]][-MAX_EARLIER_FACTS:]
            shown = [fact for fact in known if fact.observation_id not in retired]
            result = distil_window(row, entries, shown, before) if entries else WindowResult(None, "no entries")
            known_texts = tuple(fact.text for fact in known)
            evidence = WindowEvidence(tuple(entries), run.zone, tuple(before), known_texts, run.settings.owner)
            outcomes.append(_build_outcome(row, evidence, result, reader))
            facts += _list_facts(row, outcomes[-1].observations)
            retired |= outcomes[-1].retired.keys()
            count(1)
        return outcomes

    groups = list(sessions.values())
    if workers < 2 or len(groups) < 2:
        return [outcome for rows in groups for outcome in distil_session(rows)]
    with ThreadPoolExecutor(workers, "distil") as pool:
        futures = [pool.submit(distil_session, rows) for rows in groups]
        try:
            return [outcome for future in futures for outcome in future.result()]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # answers under way are still stored, no new request leaves
            raise


def _walk_texts(
    run: Run, rows: list[DueWindowRow], texts: WindowTexts | None
) -> Iterator[tuple[DueWindowRow, list[Entry], list[Entry]]]:
    """Yield the windows of a session with their entries and those that a summary sums up; texts that were not read for all
    are read for some windows at a time, and the former ones go before."""
    for start in range(0, len(rows), WINDOWS_AT_ONCE):
        yield from _walk_piece(run, rows[start : start + WINDOWS_AT_ONCE], texts)


def _walk_piece(
    run: Run, rows: list[DueWindowRow], texts: WindowTexts | None
) -> Iterator[tuple[DueWindowRow, list[Entry], list[Entry]]]:
    members, summarised = texts or _read_texts(run, rows)
    for row in rows:
        yield row, members.get(row["window_id"], []), summarised.get(row["window_id"], [])


def _read_texts(run: Run, batch: list[DueWindowRow]) -> WindowTexts:
    """Return the entries of each window, the forgotten ones empty: what is made from them now, no tombstone could name."""
    targets = read_forgotten(run.lake)
    members = _read_members(run, batch, targets)
    return members, _read_summarised(run.lake, members, targets)


def _build_outcome(
    row: DueWindowRow, evidence: WindowEvidence, result: WindowResult, reader: SecondReader | None
) -> WindowOutcome:
    if result.is_waiting:
        return WindowOutcome(row, result, [], [], {})
    is_forgotten = any(FORGOTTEN_FLAG in entry.flags for entry in (*evidence.entries, *evidence.summarised))
    keeps_rows = result.distilled is None and row["status"] == "distilled" and row["engine"] == OFFLINE and not is_forgotten
    row["attempts"] = (row["attempts"] or 0) + result.is_attempt
    row["engine"], row["template_hash"] = result.engine, result.template_hash
    row["status"], row["reason"] = ("failed", result.reason) if result.distilled is None else ("distilled", "")
    if keeps_rows:
        row["status"], row["reason"] = "distilled", f"{KEPT_REASON}{result.reason}"
        return WindowOutcome(row, result, [], [], {}, keeps_rows=True)
    if is_forgotten:
        row["reason"] = f"{WITHOUT_FORGOTTEN}: {result.reason}".removesuffix(": ")  # due again when the forgetting is undone
    if result.distilled is None:
        return WindowOutcome(row, result, [], [], {})
    row["current_task"], row["suggested_response"] = result.distilled.current_task, result.distilled.suggested_response
    row["mode"] = result.mode
    segments = build_segment_rows(result.distilled, row, evidence.entries)
    reading = read_window(reader, result.distilled, evidence) if reader and not result.given_up else None
    observations = build_observation_rows(
        result.distilled, row, evidence, *((reading.verdicts, reading.kept) if reading else (None, None))
    )
    return WindowOutcome(row, result, segments, observations, list_retired(observations), reading=reading)


def _list_facts(row: DueWindowRow, observations: list[ObservationRow]) -> list[EarlierFact]:
    return [
        EarlierFact(row["first_ordinal"], fact["observation_id"], fact["text"], fact["kind"], fact["priority"], fact["said_at"])
        for fact in observations
        if fact["verdict"] == "allow"
    ]


def _read_members(run: Run, batch: list[DueWindowRow], targets: Collection[str]) -> dict[str, list[Entry]]:
    """Return the entries of each window by coverage, in order; other days are read only when the windows' days lack some."""
    wanted = sum(row["entry_count"] or 0 for row in batch)
    first = min(row["started_at"] for row in batch).astimezone(run.zone).date()
    last = max(row["ended_at"] for row in batch).astimezone(run.zone).date()
    days = [first + timedelta(days=offset) for offset in range((last - first).days + 1)]
    frame = _scan_members(run.lake, batch, days)
    if frame.height < wanted:
        frame = _scan_members(run.lake, batch, None)
    groups = blank_forgotten_entries(frame, targets).partition_by("window_id", as_dict=True)
    return {str(key[0]): build_entries(rows.drop("window_id")) for key, rows in groups.items()}


def _read_summarised(lake: Lake, members: dict[str, list[Entry]], targets: Collection[str] = ()) -> dict[str, list[Entry]]:
    """Return per window with a summary the entries of its session since the summary before, up to the window."""
    with_summary = {
        window: entries[0] for window, entries in members.items() if any(entry.entry_type in SUMMARY_TYPES for entry in entries)
    }
    if not with_summary:
        return {}
    is_theirs = pl.col("session_id").is_in(sorted({entry.session_id for entry in with_summary.values()}))
    places = lake.scan("entries").filter(is_theirs).select("session_id", "ordinal", "entry_type", "day").collect()
    summarised: dict[str, list[Entry]] = {}
    for window, first in with_summary.items():
        is_before = (pl.col("session_id") == first.session_id) & (pl.col("ordinal") < first.ordinal)
        last = places.filter(is_before & pl.col("entry_type").is_in(SUMMARY_TYPES))["ordinal"].max()
        is_wanted = is_before & (pl.col("ordinal") > (-1 if last is None else last))
        days = places.filter(is_wanted)["day"].unique().sort().to_list()  # a long history has hundreds of others
        frame = lake.scan("entries", days).filter(is_wanted).collect()
        frame = frame.unique("ordinal", keep="first", maintain_order=True)
        summarised[window] = build_entries(blank_forgotten_entries(frame, targets))
    return summarised


def _scan_members(lake: Lake, batch: list[DueWindowRow], days: list[date] | None) -> pl.DataFrame:
    windows = [row["window_id"] for row in batch]
    sessions = sorted({row["session_id"] for row in batch})
    coverage = lake.scan("coverage", days).filter(pl.col("window_id").is_in(windows)).select("session_id", "ordinal", "window_id")
    ordinals = min(row["first_ordinal"] for row in batch), max(row["last_ordinal"] for row in batch)
    is_near = pl.col("ordinal").is_between(*ordinals) if len(sessions) == 1 else pl.lit(value=True)
    entries = lake.scan("entries", days).filter(pl.col("session_id").is_in(sessions) & is_near)
    return (
        entries.join(coverage, on=["session_id", "ordinal"])
        .unique(["session_id", "ordinal"], keep="first", maintain_order=True)
        .collect()
    )


def read_earlier_facts(lake: Lake, batch: list[DueWindowRow]) -> EarlierFacts:
    """Return the facts of the sessions' other windows; the windows of the batch itself are distilled anew."""
    facts: defaultdict[str, list[EarlierFact]] = defaultdict(list)
    if not batch:
        return facts
    ids = [row["window_id"] for row in batch]
    is_other = pl.col("session_id").is_in(sorted({row["session_id"] for row in batch})) & ~pl.col("window_id").is_in(ids)
    is_distilled = pl.col("status") == "distilled"
    windows = lake.scan("windows").filter(is_other & is_distilled).select("window_id", "first_ordinal", "day").collect()
    if windows.is_empty():
        return facts
    rows = (
        lake.scan("observations", sorted(set(windows["day"])))
        .filter(pl.col("verdict") == "allow")
        .join(windows.lazy().select("window_id", "first_ordinal"), on="window_id")
        .sort("session_id", "first_ordinal", "observation_id")
        .select(*_FACT_FIELDS, "window_id", "segment_id", "entry_ids")
        .collect()
    )
    for session, *fields in drop_forgotten_rows(rows, read_forgotten(lake)).select(_FACT_FIELDS).iter_rows():
        facts[session].append(EarlierFact(*fields))
    return facts
