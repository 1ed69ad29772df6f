"""The data dictionary: every table of the lake, its columns, units and keys, who makes it and who reads it.

Rules for names: `<thing>_id`; `<thing>_at` is a UTC datetime; `day` is a calendar date in the owner's zone; `<thing>_count`,
`<thing>_tokens` (pi's estimate: UTF-16 code units / 4, rounded up); `is_`/`has_` booleans; units in names (`duration_s`).
The README's table is generated from `TABLES`, the DuckDB views and the empty files of a fresh lake too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import polars as pl

from transforms.tables import fact_kinds

SCHEMA_VERSION = 1

UTC, TEXTS, INTS = pl.Datetime("us", "UTC"), pl.List(pl.String), pl.List(pl.Int32)

KINDS, PRIORITIES = fact_kinds.KINDS, fact_kinds.PRIORITIES
CATEGORIES = ("preferences", "rules", "architecture", "operations", "projects", "people", "memory")
VERDICTS = ("allow", "hold", "discard")
WINDOW_KINDS = ("compaction", "closing", "cap")
WINDOW_STATUSES = ("pending", "distilled", "skipped", "failed")
TURN_KINDS = ("typed", "pasted", "skill", "file", "command", "machine", "memory")
PROPOSAL_STATUSES = ("pending", "approved", "rejected", "expired", "merged")

Type = pl.DataType | type[pl.DataType]


@dataclass(frozen=True, slots=True)
class Table:
    """One table: what a row is, its columns with their meaning, and how it is laid out on disk.

    `layout` "state" tables keep one file per partition, rewritten whole; "append" tables keep content-named part
    files that are compacted per day. `is_daily` tables are partitioned by `day`.
    """

    name: str
    row: str
    key: tuple[str, ...]
    made_by: str
    read_by: str
    layout: Literal["state", "append"]
    is_daily: bool
    columns: Mapping[str, tuple[Type, str]]

    @property
    def schema(self) -> pl.Schema:
        """The polars schema of every file of this table, `schema_version` last."""
        return pl.Schema({name: dtype for name, (dtype, _) in self.columns.items()} | {"schema_version": pl.Int16})

    def empty(self) -> pl.DataFrame:
        """A frame of this table without rows."""
        return self.schema.to_frame()


SOURCES = Table(
    "sources", "a session file as last read", ("path",), "effects.ingest.ingest_step", "effects.ingest.ingest_step, doctor", "state", False,
    {
        "path": (pl.String, "absolute path of the file"),
        "session_id": (pl.String, "id in its header; null when it is not a session"),
        "size": (pl.Int64, "bytes when last read"),
        "mtime_ns": (pl.Int64, "modification time when last read"),
        "consumed_bytes": (pl.Int64, "offset after the last complete line that was read"),
        "prefix_hash": (pl.String, "hash of the consumed bytes: a rewritten file shows here"),
        "status": (pl.String, "read | refused | gone | excluded"),
        "reason": (pl.String, "why it was refused, empty otherwise"),
        "header_version": (pl.Int16, "version in the header; 1 when absent"),
        "line_count": (pl.Int32, "line feeds consumed"),
        "days": (pl.List(pl.Date), "days that its entries lie on"),
    },
)  # fmt: skip

SESSIONS = Table(
    "sessions", "a session", ("session_id",), "effects.ingest.ingest_step", "windows, pages, recall", "state", True,
    {
        "session_id": (pl.String, "pi's session id"),
        "source_path": (pl.String, "the file that it was read from"),
        "project": (pl.String, "cwd of the session; worktrees may be joined by a setting"),
        "title": (pl.String, "last session name, else the first typed words"),
        "parent_session": (pl.String, "path of the session it was forked from, or null"),
        "started_at": (UTC, "earliest entry that it does not share with its parent"),
        "ended_at": (UTC, "latest entry"),
        "entry_count": (pl.Int32, "entries, the header not counted"),
        "user_message_count": (pl.Int32, "typed user messages"),
        "models": (TEXTS, "provider/model, in order of first use"),
        "input_tokens": (pl.Int64, "billed input, cache reads and writes included"),
        "output_tokens": (pl.Int64, "billed output"),
        "cost_usd": (pl.Float64, "sum of the costs that pi recorded"),
        "is_closed": (pl.Boolean, "pi told us that it shut down (`recollect session FILE --closed`)"),
        "day": (pl.Date, "local day of started_at"),
    },
)  # fmt: skip

ENTRIES = Table(
    "entries", "a JSONL entry, typed columns plus its raw JSON, redacted", ("session_id", "ordinal"),
    "effects.ingest.ingest_step", "windows, segments, engines, recall", "append", True,
    {
        "session_id": (pl.String, "pi's session id"),
        "entry_id": (pl.String, "pi's id, unique in a sound file only; made from the position when missing"),
        "parent_id": (pl.String, "id of the parent entry, or null for a root"),
        "ordinal": (pl.Int32, "0-based position among the file's entries, the header not counted"),
        "line_no": (pl.Int32, "0-based physical line; objects glued on one line share it"),
        "source_path": (pl.String, "the file"),
        "entry_type": (pl.String, "message, compaction, branch_summary, custom, label, … as pi wrote it"),
        "role": (pl.String, "role of a message: user, assistant, toolResult, bashExecution, system, custom"),
        "turn_kind": (pl.String, "what a user entry is (TURN_KINDS); null for everything else"),
        "text": (pl.String, "what it says: text parts, summary, content, command and output; redacted"),
        "thinking": (pl.String, "thinking of an assistant message, redacted"),
        "tool_name": (pl.String, "tool of a tool result"),
        "tool_call_id": (pl.String, "call that a tool result answers"),
        "is_error": (pl.Boolean, "a failed tool result, a failed command, or an assistant message that ended in error"),
        "provider": (pl.String, "provider of an assistant message or model change"),
        "model": (pl.String, "model of an assistant message or model change"),
        "stop_reason": (pl.String, "stopReason of an assistant message"),
        "input_tokens": (pl.Int64, "billed input of an assistant message, cache included"),
        "output_tokens": (pl.Int64, "billed output of an assistant message"),
        "cost_usd": (pl.Float64, "cost that pi recorded"),
        "token_count": (pl.Int32, "pi's estimateTokens of the message, 0 for entries outside the context"),
        "said_at": (UTC, "time of the entry; filled from its neighbours when missing"),
        "is_synthetic_id": (pl.Boolean, "the entry id was made by us"),
        "on_active_branch": (pl.Boolean, "on the path from the file's last entry to its root"),
        "flags": (TEXTS, "glued, orphan, duplicate_id, no_id, string_content, copied, redacted, …"),
        "raw_json": (pl.String, "the entry as written, redacted, signatures and image data cut"),
        "day": (pl.Date, "local day of said_at"),
    },
)  # fmt: skip

COVERAGE = Table(
    "coverage", "which window an entry belongs to", ("session_id", "ordinal"), "effects.distil.window_step", "doctor, show",
    "state", True,
    {
        "session_id": (pl.String, "pi's session id"),
        "ordinal": (pl.Int32, "position of the entry"),
        "window_id": (pl.String, "its window"),
        "day": (pl.Date, "day of the entry"),
    },
)  # fmt: skip

WINDOWS = Table(
    "windows", "entries distilled together, with their status", ("window_id",), "effects.distil.window_step, effects.distil.distil_step",
    "distil, pages, doctor", "state", True,
    {
        "window_id": (pl.String, "hash of session, kind and member positions"),
        "session_id": (pl.String, "pi's session id"),
        "kind": (pl.String, "WINDOW_KINDS: what ended it"),
        "first_ordinal": (pl.Int32, "lowest member"),
        "last_ordinal": (pl.Int32, "highest member (between them other windows may own entries: see coverage)"),
        "entry_count": (pl.Int32, "members of every type"),
        "user_message_count": (pl.Int32, "typed user messages among them"),
        "token_count": (pl.Int32, "sum of the members' token_count"),
        "started_at": (UTC, "first member"),
        "ended_at": (UTC, "last member"),
        "files_read": (TEXTS, "paths that read was called with, minus the modified ones"),
        "files_modified": (TEXTS, "paths that edit and write were called with"),
        "current_task": (pl.String, "what was being worked on at its end; null until distilled"),
        "suggested_response": (pl.String, "how to go on; null until distilled"),
        "status": (pl.String, "WINDOW_STATUSES"),
        "reason": (pl.String, "why it was skipped, failed or is pending; empty otherwise"),
        "attempts": (pl.Int16, "times that an engine was asked"),
        "engine": (pl.String, "engine that distilled it; null before"),
        "template_hash": (pl.String, "hash of the prompt, or the offline engine's version; null before"),
        "content_hash": (pl.String, "hash of its members: a rewritten file shows here"),
        "session_hash": (pl.String, "on a session's last window: state of the session that its windows were cut from"),
        "day": (pl.Date, "local day of started_at: the daily log that shows it"),
    },
)  # fmt: skip

SEGMENTS = Table(
    "segments", "a topic inside a window", ("segment_id",), "effects.distil.distil_step", "pages, tiers, recall", "state", True,
    {
        "segment_id": (pl.String, "hash of window and first member"),
        "window_id": (pl.String, "its window"),
        "session_id": (pl.String, "pi's session id"),
        "project": (pl.String, "project of the session"),
        "title": (pl.String, "a few words"),
        "narrative": (pl.String, "one to three sentences: what happened"),
        "first_ordinal": (pl.Int32, "first member"),
        "last_ordinal": (pl.Int32, "last member"),
        "first_line": (pl.Int32, "line of the first member"),
        "last_line": (pl.Int32, "line of the last member"),
        "entry_ids": (TEXTS, "entries that prove the narrative"),
        "lines": (INTS, "their 0-based lines"),
        "started_at": (UTC, "first member"),
        "ended_at": (UTC, "last member"),
        "tokens": (pl.Int32, "of title and narrative"),
        "engine": (pl.String, "engine that wrote it"),
        "day": (pl.Date, "day of its window"),
    },
)  # fmt: skip

OBSERVATIONS = Table(
    "observations", "one cited fact (tier 0)", ("observation_id",), "effects.distil.distil_step, effects.memory.dedupe_step",
    "tiers, reflect, recall, pages", "state", True,
    {
        "observation_id": (pl.String, "hash of segment, kind and text"),
        "segment_id": (pl.String, "its segment"),
        "window_id": (pl.String, "its window"),
        "session_id": (pl.String, "pi's session id"),
        "project": (pl.String, "project of the session"),
        "day": (pl.Date, "day of its window"),
        "said_at": (UTC, "time of the first cited entry"),
        "refers_to": (pl.Date, "date that it speaks of, when it can be computed"),
        "kind": (pl.String, "KINDS"),
        "priority": (pl.String, "PRIORITIES"),
        "category": (pl.String, "CATEGORIES"),
        "text": (pl.String, "the fact; stands alone"),
        "ordinals": (INTS, "positions of the cited entries in their session, best first"),
        "entry_ids": (TEXTS, "ids of the cited entries, in the same order"),
        "lines": (INTS, "0-based lines of the cited entries in the session file, in the same order"),
        "files": (TEXTS, "files that it is about"),
        "line_numbers": (INTS, "line numbers in those files, where the transcript names them"),
        "verdict": (pl.String, "VERDICTS: only `allow` goes further"),
        "verdict_reason": (pl.String, "the check that held or discarded it; empty otherwise"),
        "confidence": (pl.Float32, "0 to 1"),
        "tokens": (pl.Int32, "of the text"),
        "engine": (pl.String, "engine that wrote it"),
        "template_hash": (pl.String, "hash of the prompt, or the offline engine's version"),
        "superseded_by": (pl.String, "observation that replaced or absorbed it, or null"),
        "merged_count": (pl.Int32, "observations that it stands for, itself included"),
        "also": (TEXTS, "`session_id:entry_id` of evidence merged in from other observations"),
        "compared_with": (pl.String, "dedupe's version, and the model of its vector or `words`; null until compared"),
    },
)  # fmt: skip

DISTILLATES = Table(
    "distillates", "a condensed period of a project (tier ≥ 1)", ("distillate_id",), "effects.memory.consolidate_step",
    "recall, pages", "state", False,
    {
        "distillate_id": (pl.String, "hash of tier, project, period and children"),
        "tier": (pl.Int8, "1 day, 2 week, 3 month, 4 year"),
        "project": (pl.String, "project"),
        "period_start": (pl.Date, "first day"),
        "period_end": (pl.Date, "last day"),
        "text": (pl.String, "narratives, then bullets"),
        "child_ids": (TEXTS, "observations and segments, or distillates of the tier below"),
        "entry_refs": (TEXTS, "`session_id:entry_id`: union of the children's citations"),
        "input_tokens": (pl.Int32, "of the children's texts"),
        "output_tokens": (pl.Int32, "of the text: always smaller"),
        "level": (pl.Int8, "compression guidance that it took, 0 to 4"), "engine": (pl.String, "engine that wrote it"),
        "reason": (pl.String, "why no model did though one is set"), "template_hash": (pl.String, "a model's prompt, or null"),
        "parts": (TEXTS, "a model's lines as JSON"), "superseded_by": (pl.String, "the next tier's that covers it, or null"),
    },
)  # fmt: skip

PROPOSALS = Table(
    "proposals", "a proposed edit of MEMORY.md", ("proposal_id",), "effects.memory.reflect_step, effects.memory.review_step",
    "pages, review", "state", False,
    {
        "proposal_id": (pl.String, "p-YYYYMMDD-NNN or f-YYYYMMDD-NNN, never used twice"),
        "kind": (pl.String, "memory | friction"),
        "op": (pl.String, "add | replace | remove"),
        "section": (pl.String, "section of MEMORY.md"),
        "text": (pl.String, "the line as it would be promoted, without its date"),
        "old_text": (pl.String, "the exact line that it replaces or removes, or null"),
        "target": (pl.String, "file that it changes"),
        "evidence_ids": (TEXTS, "observations"),
        "severity": (pl.Float32, "friction: sessions × impact; null otherwise"),
        "project": (pl.String, "project of the evidence, or null when several"),
        "said_at": (UTC, "newest evidence: the date in front of the promoted line"),
        "status": (pl.String, "PROPOSAL_STATUSES"),
        "first_shown_at": (UTC, "logical time of the run that first rendered it; null before"),
        "created_at": (UTC, "logical time of the run that proposed it"),
        "decided_at": (UTC, "logical time of its outcome, or null"),
    },
)  # fmt: skip

PROPOSAL_EVENTS = Table(
    "proposal_events", "something that happened to a proposal", ("proposal_id", "event", "at"),
    "effects.memory.reflect_step, effects.memory.review_step", "pages, yield", "append", False,
    {
        "proposal_id": (pl.String, "proposal"),
        "event": (pl.String, "proposed | edited | approved | rejected | expired | merged | promoted"),
        "at": (UTC, "logical time of the run"),
        "actor": (pl.String, "owner | recollect"),
        "text": (pl.String, "text of the proposal at that moment, or the line it replaced"),
    },
)  # fmt: skip

MODEL_CALLS = Table(
    "model_calls", "a request to a model", ("request_key", "call_no"), "engines", "budget, report", "append", False,
    {
        "request_key": (pl.String, "hash of the rendered request"), "call_no": (pl.Int32, "how often it was sent before"),
        "engine": (pl.String, "instructor | pi"), "session_id": (pl.String, "what it was about; null for several"),
        "model": (pl.String, "provider/model"),
        "template_hash": (pl.String, "hash of the template"),
        "input_tokens": (pl.Int64, "billed or estimated"),
        "output_tokens": (pl.Int64, "billed or estimated"),
        "cost_usd": (pl.Float64, "billed or estimated"),
        "latency_ms": (pl.Int32, "wall time"),
        "outcome": (pl.String, "ok | invalid | refused | error"), "reason": (pl.String, "why not ok"),
        "answer": (pl.String, "the answer, redacted"),
        "at": (UTC, "logical time of the run"),
    },
)  # fmt: skip

RUNS = Table(
    "runs", "a run", ("run_id",), "recollect, flows", "doctor, report", "append", False,
    {
        "run_id": (pl.String, "unique"),
        "flow": (pl.String, "nightly, backfill, session, …"),
        "parameters": (pl.String, "JSON"),
        "versions": (pl.String, "JSON: recollect, schema, steps"),
        "started_at": (UTC, "wall clock"),
        "as_of": (UTC, "logical time"),
        "duration_s": (pl.Float64, "wall time"),
        "counts": (pl.String, "JSON: per step what was read, kept and dropped, with reasons"),
        "spend_usd": (pl.Float64, "model cost of the run"),
        "peak_rss_mb": (pl.Float64, "peak memory"),
        "error": (pl.String, "what failed, empty otherwise"),
    },
)  # fmt: skip

EMBEDDINGS = Table(
    "embeddings", "the vector of a text", ("text_hash", "model"), "effects.index.index_step", "index, dedupe, recall", "append",
    False,
    {
        "text_hash": (pl.String, "hash of the embedded text"),
        "model": (pl.String, "model id, dimensions and pooling"),
        "vector": (pl.List(pl.Float16), "unit length"),
    },
)  # fmt: skip

PAGES = Table(
    "pages", "a rendered page as we last wrote it", ("path",), "effects.pages.render_step", "effects.pages.render_step, review", "state", False,
    {
        "path": (pl.String, "relative to the workspace"),
        "render_id": (pl.String, "id inside the page, where it has one"),
        "text_hash": (pl.String, "hash of the whole file as we left it"),
        "text": (pl.String, "the whole file as we left it: the base for merging a person's edits"),
        "at": (UTC, "logical time of the rendering that changed it"),
    },
)  # fmt: skip

MEMORY_LINES = Table(
    "memory_lines", "which bullet of MEMORY.md came from which proposal", ("line_hash",), "effects.memory.review_step",
    "recall, show", "state", False,
    {
        "line_hash": (pl.String, "hash of the bullet as promoted"),
        "proposal_id": (pl.String, "its proposal"),
        "section": (pl.String, "section of MEMORY.md"),
        "text": (pl.String, "the bullet"),
        "at": (UTC, "logical time of the promotion"),
    },
)  # fmt: skip

TOMBSTONES = Table(
    "tombstones", "what was forgotten", ("target",), "effects.forget", "everything that shows", "state", False,
    {
        "target": (pl.String, "observation, session, entry or text hash"),
        "reason": (pl.String, "how it was named"),
        "actor": (pl.String, "owner | recollect"),
        "at": (UTC, "logical time"),
        "is_undone": (pl.Boolean, "the owner took it back"),
    },
)  # fmt: skip

QUARANTINE = Table(
    "quarantine", "a damaged line, or a row that broke the contract", ("path", "line_no", "rule", "detail"),
    "effects.ingest.ingest_step, effects.store.lake", "doctor", "append", False,
    {
        "path": (pl.String, "file, or table"),
        "line_no": (pl.Int32, "0-based line; -1 when it is not about a line"),
        "rule": (pl.String, "what it broke"),
        "detail": (pl.String, "a short, redacted excerpt"),
    },
)  # fmt: skip

_ALL = (
    SOURCES, SESSIONS, ENTRIES, COVERAGE, WINDOWS, SEGMENTS, OBSERVATIONS, DISTILLATES, PROPOSALS,
    PROPOSAL_EVENTS, MODEL_CALLS, RUNS, EMBEDDINGS, PAGES, MEMORY_LINES, TOMBSTONES, QUARANTINE,
)  # fmt: skip
TABLES: dict[str, Table] = {table.name: table for table in _ALL}


def conform(table: Table, frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with exactly the table's columns, in order, cast and sorted by key; missing nullable columns become null.

    Raises:
        ValueError: when a column is unknown, a key column is missing, or a key repeats.
    """
    unknown = set(frame.columns) - set(table.columns) - {"schema_version"}
    missing_keys = set(table.key) - set(frame.columns)
    if unknown or missing_keys:
        raise ValueError(f"`{table.name}`: unknown columns {sorted(unknown)}, missing key columns {sorted(missing_keys)}")
    given = {name: pl.col(name) for name in frame.columns}
    columns = [given.get(name, pl.lit(None)).cast(dtype).alias(name) for name, (dtype, _) in table.columns.items()]
    result = frame.select(*columns, schema_version=pl.lit(SCHEMA_VERSION, pl.Int16)).sort(table.key)
    check_keys(table, result)
    return result


def check_keys(table: Table, rows: pl.DataFrame) -> None:
    """Raises ValueError when a key repeats in rows that are sorted by it."""
    repeats = rows.select(pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift()) for name in table.key)).to_series()
    if (twice := repeats.slice(1).arg_true()).len():
        raise ValueError(f"`{table.name}`: key {table.key} repeats, for example {rows.select(table.key).row(twice[0])}")
