"""The step `attribute`: judge who wrote the user entries of new and changed sessions, by signs that the format does not give.

A hash on the session's row covers the inputs of its judgement. Texts that recur and prompts that an agent handed over are found
by sketches of the whole lake, so a new session may change the judgement of an old one: that one is judged again in the same run.
The result depends on the content of the lake, not on the order of reading.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from effects.distil.stored_weights import load_turn_classifier
from effects.distil.window_step import BATCH_SESSIONS, split_sessions
from effects.store.commit import Commit
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from effects.system.process_pool import count_workers, has_idle_workers, keep_warnings, map_in_processes
from transforms.attribution.judge_session import LakeSigns, judge_session
from transforms.attribution.owner_address import find_owner_names
from transforms.attribution.recurrence import TURN_KEY, find_parents, find_recurring
from transforms.attribution.session_frames import (
    find_changed_rows,
    find_subagent,
    hash_judgement,
    list_sketches,
    make_spoken_entries,
    replace_attributions,
)
from transforms.classify.linear_model import hash_weights
from transforms.classify.turn_classifier import TurnClassifier
from transforms.conversation.speakers import RECURRENCE, Attribution
from transforms.reading.session_row import NARROW, summarise_sessions
from transforms.tables.ids import hash_fields
from transforms.tables.rows import SessionRow, SketchRow
from transforms.tables.schema import SESSIONS, SKETCHES, build_frame, read_rows

ATTRIBUTION_VERSION = 21
"""Raise it by hand to judge all sessions again."""
PROMPT_REASON = "prompt of "
"""Beginning of the sign of a session's first message that another session's agent handed over."""

CORE_TOOLS = ("read", "bash", "edit", "write", "grep", "find", "ls")
"""Tools that hand nothing over to another agent."""

Signs = dict[str, dict[int, str]]
"""Sign that the rest of the lake gives of an entry, by session and ordinal."""


PIECE_BYTES = 2_000_000
"""Bytes of sessions that a process judges at once."""
MIN_PARALLEL_BYTES = 64_000_000
"""Bytes of sessions from which a worker is started for them alone: its start takes as long as judging 20 MB."""


@dataclass(frozen=True, slots=True)
class _Due:
    """A session to judge: its row, the hash of the judgement's inputs, the days of its entries and its size in bytes."""

    row: SessionRow
    inputs: str
    days: list[date]
    size: int


@dataclass(frozen=True, slots=True)
class JudgingTask:
    """Sessions to judge in one process, with the signs that the lake gives of them. Their entries are read from the lake, which
    nobody writes meanwhile. Without a `classifier` the stored one is asked."""

    run: Run
    sessions: list[_Due]
    signs: Signs
    classifier: TurnClassifier | None


@dataclass(frozen=True, slots=True)
class JudgedSession:
    """The attributions of a session by ordinal, and whether a sub-agent had it; None where nothing tells."""

    session_id: str
    attributions: Mapping[int, Attribution]
    is_subagent: bool | None


def attribute(run: Run, classifier: TurnClassifier | None = None) -> Counts:
    """Judge the user entries of every session that changed, or that other sessions shed a new light on.

    Without a `classifier` the stored one is asked. Another classifier judges all sessions again.
    Returns counts: sessions in all and judged ones, entries that changed their speaker, and judged entries by speaker.
    """
    version = f"{ATTRIBUTION_VERSION}.{hash_weights((classifier or load_turn_classifier()).typed)}.{run.settings.owner}"
    key = compute_search_key(run, ("sessions", "sources", "sketches"), version)
    if (settled := find_settled(run, "attribute", key)) is not None:
        return settled
    sessions, sources = run.lake.read("sessions"), run.lake.read("sources")
    inputs = _hash_inputs(sessions, sources, version)
    stored = dict(sessions.select("session_id", "attribution_hash").iter_rows())
    due_ids = {own for own, new in inputs.items() if new != (stored[own] or "").partition(".")[0]}
    changed = _make_due(sessions, sources, inputs, due_ids)
    dropped = _drop_lost_sketches(run.lake, set(inputs))
    for batch in _split_batches(changed):
        _write_sketches(run.lake, batch)
    signs, former = _find_signs(run.lake)
    touched = {session for session in signs.keys() | former.keys() if signs.get(session) != former.get(session)}
    seen = {due.row["session_id"] for due in changed}
    due = [*changed, *_make_due(sessions, sources, inputs, touched - seen)]
    counts: Counter[str] = Counter()
    failures: list[str] = []
    for number, batch in enumerate(_split_batches(due)):
        run.progress("sessions", min(number * BATCH_SESSIONS, len(due)), len(due))
        judged = _judge_in_processes(run, batch, signs, classifier, failures)
        counts += _store_batch(run, batch, signs, judged)
    speakers = {name.removeprefix("by "): counts[name] for name in sorted(counts) if name.startswith("by ")}
    summary: Counts = {"sessions": len(inputs), "judged": len(due), "changed": counts["changed"], "speakers": speakers}
    if not due and not dropped:
        settle(run, "attribute", key, summary)
    return summary | ({"worker_failures": failures} if failures else {})


def _hash_inputs(sessions: pl.DataFrame, sources: pl.DataFrame, version: str) -> dict[str, str]:
    """Return the hash of the inputs of each session's judgement. Whole rows are made of the due sessions only."""
    digests = dict(sources.select("path", "prefix_hash").iter_rows())
    columns = sessions.select("session_id", "source_path", "entry_count", "started_at", "ended_at", "parent_session")
    return {own: hash_fields(version, digests.get(path) or "", *map(str, values)) for own, path, *values in columns.iter_rows()}


def _make_due(sessions: pl.DataFrame, sources: pl.DataFrame, inputs: dict[str, str], ids: set[str]) -> list[_Due]:
    """Return the sessions with these ids that are in the lake."""
    if not ids:
        return []
    rows = list(read_rows(SESSIONS, sessions.filter(pl.col("session_id").is_in(sorted(ids)))))
    paths = [row["source_path"] for row in rows]
    places = sources.filter(pl.col("path").is_in(paths)).select("path", "days", "size")
    days_and_sizes = {path: (list(days or []), size or 0) for path, days, size in places.iter_rows()}
    return [_Due(row, inputs[row["session_id"]], *days_and_sizes.get(row["source_path"], ([], 0))) for row in rows]


def _split_batches(due: Sequence[_Due]) -> Iterator[list[_Due]]:
    return split_sessions(sorted(due, key=lambda due_session: (due_session.row["day"], due_session.row["session_id"])))


def _scan_entries(lake: Lake, batch: Sequence[_Due]) -> pl.LazyFrame:
    days = sorted({day for due_session in batch for day in due_session.days})
    sessions = [due_session.row["session_id"] for due_session in batch]
    return lake.scan("entries", days or None).filter(pl.col("session_id").is_in(sessions))


def _write_sketches(lake: Lake, batch: Sequence[_Due]) -> None:
    """Replace the sketches of these sessions; the signs of former ones are kept, to detect changes."""
    scan = _scan_entries(lake, batch)
    is_user = (pl.col("entry_type") == "message") & (pl.col("role") == "user")
    asked = scan.filter((pl.col("role") == "toolResult") & ~pl.col("tool_name").is_in(CORE_TOOLS))
    calling = scan.filter(pl.col("role") == "assistant").join(asked.select("session_id").unique(), on="session_id", how="semi")
    calling = calling.filter(pl.col("raw_json").str.contains('"toolCall"', literal=True))
    messages = scan.filter(is_user).select(NARROW).sort(TURN_KEY).collect()
    calls = calling.select("session_id", "ordinal", "raw_json", "said_at", "flags", "day").sort(TURN_KEY).collect()
    rows = list_sketches(messages, calls, CORE_TOOLS)
    former = {(row["session_id"], row["ordinal"], row["part"]): row["sign"] for row in read_rows(SKETCHES, lake.read("sketches"))}
    for row in rows:
        row["sign"] = former.get((row["session_id"], row["ordinal"], row["part"]))
    _replace_sketches(lake, rows, {due_session.row["session_id"] for due_session in batch})


def _replace_sketches(lake: Lake, rows: Sequence[SketchRow], sessions: set[str]) -> None:
    stored = lake.read("sketches").drop("schema_version")
    own = stored.filter(pl.col("session_id").is_in(sorted(sessions)))
    days = sorted({*own["day"], *(row["day"] for row in rows)})
    if not days:
        return
    other_sketches = stored.filter(pl.col("day").is_in(days) & ~pl.col("session_id").is_in(sorted(sessions)))
    with lake.commit() as change:
        change.replace_days("sketches", pl.concat([other_sketches, build_frame(SKETCHES, rows)]), days)


def _drop_lost_sketches(lake: Lake, sessions: set[str]) -> bool:
    """Remove the sketches of sessions that are no longer in the lake, and return whether there were any."""
    lost = set(lake.scan("sketches").select("session_id").unique().collect()["session_id"]) - sessions
    if lost:
        _replace_sketches(lake, [], lost)
    return bool(lost)


def _find_signs(lake: Lake) -> tuple[Signs, Signs]:
    """Return the signs that the lake gives now, and those of the last judgement."""
    sketches = lake.read("sketches")
    signs: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for session, ordinal in find_recurring(sketches):
        signs[session][ordinal] = RECURRENCE
    parents = find_parents(sketches)
    for session, ordinal in sketches.filter(pl.col("is_first")).select(TURN_KEY).iter_rows():
        if session in parents:
            signs[session][ordinal] = f"{PROMPT_REASON}{parents[session]}"
    former: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for session, ordinal, sign in sketches.filter(pl.col("sign").is_not_null()).select(*TURN_KEY, "sign").iter_rows():
        former[session][ordinal] = sign
    return dict(signs), dict(former)


def _judge_in_processes(
    run: Run, batch: Sequence[_Due], signs: Signs, classifier: TurnClassifier | None, failures: list[str]
) -> dict[str, JudgedSession]:
    """Return the judgements of these sessions, many of them made by workers; reasons of failed ones are added to `failures`."""
    silent_run, size = Run(run.settings, run.lake, run.as_of), sum(due.size for due in batch)
    tasks = [
        JudgingTask(silent_run, piece, {own: signs[own] for due in piece if (own := due.row["session_id"]) in signs}, classifier)
        for piece in split_sessions(batch, PIECE_BYTES)
    ]
    workers = count_workers() if size >= MIN_PARALLEL_BYTES or has_idle_workers() else 1
    pieces = map_in_processes(judge_sessions, tasks, workers, keep_warnings(run.progress, failures))
    return {judged.session_id: judged for piece in pieces for judged in piece}


def judge_sessions(task: JudgingTask) -> list[JudgedSession]:
    """Judge the user entries of the sessions of a task that have entries; nothing is written."""
    run, classifier = task.run, task.classifier or load_turn_classifier()
    entries = _read_narrow(run.lake, task.sessions)
    by_session = {str(key[0]): frame for key, frame in entries.partition_by("session_id", as_dict=True).items()}
    judged = []
    for due_session in task.sessions:
        if (frame := by_session.get(due_session.row["session_id"])) is None:
            continue
        own = task.signs.get(due_session.row["session_id"], {})
        lake_signs = LakeSigns(
            {ordinal for ordinal, sign in own.items() if sign == RECURRENCE},
            is_child=bool(_find_opener(own)),
            has_parent=bool(due_session.row["parent_session"]),
            owner_names=find_owner_names(run.settings.owner, due_session.row["project"]),
        )
        spoken = make_spoken_entries(frame)
        attributions = judge_session(spoken, classifier, lake_signs)
        judged.append(JudgedSession(due_session.row["session_id"], attributions, find_subagent(spoken, attributions)))
    return judged


def _find_opener(signs: Mapping[int, str]) -> str | None:
    """Return the session whose agent handed over the first message, if one did."""
    return next((sign.removeprefix(PROMPT_REASON) for sign in signs.values() if sign.startswith(PROMPT_REASON)), None)


def _read_narrow(lake: Lake, batch: Sequence[_Due]) -> pl.DataFrame:
    return _scan_entries(lake, batch).select(NARROW).unique(TURN_KEY, keep="first").sort(TURN_KEY).collect()


def _store_batch(run: Run, batch: Sequence[_Due], signs: Signs, judged: Mapping[str, JudgedSession]) -> Counter[str]:
    """Store the changes of these sessions in one commit: columns of entries, rows of sessions, signs of sketches."""
    counts = Counter[str]()
    entries = _read_narrow(run.lake, batch)
    sessions: list[SessionRow] = []
    for due_session in batch:
        own = due_session.row["session_id"]
        opened_by = _find_opener(signs.get(own, {}))
        row: SessionRow = {**due_session.row, "opened_by": opened_by, "attribution_hash": f"{due_session.inputs}."}
        if own in judged:
            attributions, is_subagent = judged[own].attributions, judged[own].is_subagent
            row["attribution_hash"] = f"{due_session.inputs}.{hash_judgement(attributions)}"
            row["is_subagent"] = row["is_subagent"] if is_subagent is None else is_subagent
            counts.update(f"by {attribution.speaker}" for attribution in attributions.values())
        sessions.append(row)
    changed = find_changed_rows(entries, {own: session.attributions for own, session in judged.items()})
    counts["changed"] += changed.height
    summaries = summarise_sessions(replace_attributions(entries, changed), run.zone)
    rows: list[SessionRow] = [{**row, **summaries.get(row["session_id"], {})} for row in sessions]  # type: ignore[typeddict-item]
    _commit(run.lake, changed, rows, signs)
    return counts


def _commit(lake: Lake, changed: pl.DataFrame, sessions: list[SessionRow], signs: Signs) -> None:
    ids = sorted(row["session_id"] for row in sessions)
    with lake.commit() as change:
        for day in sorted(set(changed["day"])):
            rows = lake.read("entries", [day]).drop("schema_version")
            change.replace("entries", replace_attributions(rows, changed), day)
        days = sorted({row["day"] for row in sessions})
        others = lake.read("sessions", days).drop("schema_version").filter(~pl.col("session_id").is_in(ids))
        change.replace_days("sessions", pl.concat([others, build_frame(SESSIONS, sessions)]), days)
        _mark_sketches(change, ids, signs)


def _mark_sketches(change: Commit, sessions: list[str], signs: Signs) -> None:
    """Write the signs of these sessions on their sketches, where they changed."""
    stored = change.lake.read("sketches").drop("schema_version")
    marks = [(session, ordinal, sign) for session in sessions for ordinal, sign in signs.get(session, {}).items()]
    schema = {"session_id": pl.String, "ordinal": pl.Int32, "new_sign": pl.String}
    marked = stored.join(pl.DataFrame(marks, schema=schema, orient="row"), on=TURN_KEY, how="left", maintain_order="left")
    is_own = pl.col("session_id").is_in(sessions) & (pl.col("kind") == "message")
    now = marked.with_columns(new_sign=pl.when(is_own).then("new_sign").otherwise("sign"))
    days = sorted(set(now.filter(pl.col("new_sign").ne_missing(pl.col("sign")))["day"]))
    if days:
        rows = now.with_columns(sign="new_sign").select(stored.columns)
        change.replace_days("sketches", rows.filter(pl.col("day").is_in(days)), days)
