"""Makes the documents that recall searches: memory lines, observations, distillates, segments and pieces of raw turns.

A turn is cut into pieces of at most 800 characters (200 tokens), because whole messages as hits fill the context of a model.
`position` numbers the spoken pieces of a session's day: neighbours are a key ± 1. Commands and failed results have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any, NotRequired, TypedDict

import orjson
import polars as pl

from transforms.attribution.notes.client_notes import is_client_note
from transforms.conversation.shared_form import read_shared_form
from transforms.conversation.speakers import find_foreign_spans, find_stretch_speaker
from transforms.language.sentences import QUESTION_MARKS
from transforms.language.tokenizer import tokenize
from transforms.pages.fact_marks import make_memory_id
from transforms.pages.memory_md import Bullet
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.segment_text import format_segment
from transforms.recall.ranking_features import NEIGHBOUR_REACH
from transforms.recall.ranking_record import (
    RankingRecord,
    encode_ranking_columns,
    measure_question_share,
    parse_ranking_records,
    select_citations,
)
from transforms.recall.turn_speakers import find_dialogues, find_speaker
from transforms.redaction.redact import redact
from transforms.tables.enums import APART_KINDS, OFFLINE
from transforms.tables.ids import hash_fields, hash_text
from transforms.tables.json_object import parse_raw_json

PIECE_CHARS = 800
PIECES_PER_ENTRY = 40
"""A pasted log of megabytes is found by its first 32,000 characters."""

_COLUMNS: dict[str, pl.DataType | type[pl.DataType]] = {
    "key": pl.String,
    "part": pl.String,
    "id": pl.String,
    "source": pl.String,
    "text": pl.String,
    "words": pl.String,
    "word_count": pl.Int32,
    "kind": pl.String,
    "priority": pl.String,
    "project": pl.String,
    "session_id": pl.String,
    "position": pl.Int32,
    "speaker": pl.String,
    "entry_ids": pl.List(pl.String),
    "lines": pl.List(pl.Int32),
    "also": pl.List(pl.String),
    "quoted": pl.List(pl.Int32),
    "origin": pl.String,
    "said_at": pl.Datetime("us", "UTC"),
    "superseded_by": pl.String,
    "question_share": pl.Float64,
    "ends_with_question": pl.Boolean,
    "follows": pl.String,
    "cites": pl.List(pl.String),
    "outdated_turns": pl.List(pl.String),
    "changes": pl.List(pl.String),
    "text_hash": pl.String,
    "ranking_json": pl.String,
    "row_hash": pl.String,
}
DOCUMENT_SCHEMA = pl.Schema(_COLUMNS)
"""A document. `key` is unique; `id` is the argument of `recollect show`; `text_hash` is null for documents without a vector;
`ranking_json` has the columns that ranking reads (`transforms/recall/ranking_record.py`)."""

KnownDocuments = Mapping[str, tuple[str, str, RankingRecord]]
"""The documents of a part that the index has: by key, the `row_hash`, the `ranking_json`, and this one parsed."""

DISTILLATE_COLUMNS = ("distillate_id", "project", "period_end", "superseded_by", "entry_refs", "text")
"""What the documents of a condensed period are made of."""
KNOWN_COLUMNS = frozenset({"words", "word_count", "question_share", "ends_with_question"})
UNSPOKEN_KINDS = frozenset({"memory", "skill", "machine", "command"})
"""Kinds of user entries that nobody said: memory's own output, expanded skills, machine text, slash commands."""
CITED_TURNS = 12
"""Turns of a fact that ranking reads."""
CALL_CHARS = 300
"""Characters of a tool call that are searched."""
CALL_KEYS = ("command", "cmd", "path", "file_path", "pattern", "query", "url")
"""Arguments of a tool call that describe its work."""
SECTION_KINDS = {"hard rules": "rule", "patterns": "convention", "system architecture": "decision"}
"""Kind of the lines in a section of MEMORY.md."""

_PIECE_END = compile_late(r"\n\s*\n|(?<=[.!?:;])\s+|\n")


class DocumentRow(TypedDict):
    """A document before its words are counted; columns that are left out are null."""

    key: str
    part: str
    id: str
    source: str
    text: str
    kind: NotRequired[str | None]
    priority: NotRequired[str | None]
    project: NotRequired[str | None]
    session_id: NotRequired[str | None]
    position: NotRequired[int]
    speaker: NotRequired[str | None]
    entry_ids: NotRequired[list[str] | None]
    lines: NotRequired[list[int] | None]
    also: NotRequired[list[str] | None]
    quoted: NotRequired[list[int] | None]
    origin: NotRequired[str | None]
    said_at: NotRequired[datetime | None]
    superseded_by: NotRequired[str | None]
    follows: NotRequired[str]
    cites: NotRequired[list[str] | None]
    outdated_turns: NotRequired[list[str] | None]
    changes: NotRequired[list[str] | None]
    text_hash: NotRequired[str | None]


def list_known_documents(stored: Iterable[tuple[str, str]]) -> KnownDocuments:
    """Return documents of the index by key, from the `row_hash` and the `ranking_json` of each."""
    rows = list(stored)
    records = parse_ranking_records([ranking_json for _, ranking_json in rows])
    return {record["key"]: (*row, record) for row, record in zip(rows, records, strict=True)}


def make_turn_documents(
    entries: pl.DataFrame,
    part: str,
    projects: Mapping[str, str],
    last_keys: Mapping[str, str] | None,
    known: KnownDocuments | None,
    changes: Mapping[str, list[str]] | None,
) -> pl.DataFrame:
    """Make documents of one day's entries: the spoken pieces, the commands that ran, and the results that failed.

    `last_keys` has the key of each session's last piece of the day before (`find_last_keys`): talks go on at midnight;
    `changes`, by the ids of turns, the numbers that the work behind them replaced.
    """
    documents: list[DocumentRow] = []
    session, position, dialogues = None, 0, find_dialogues(entries)
    for entry in entries.sort("session_id", "ordinal").iter_rows(named=True):
        if entry["session_id"] != session:
            session, position = entry["session_id"], 0
        if "copied" in (entry["flags"] or ()):
            continue
        end = 0
        for number, piece in enumerate(split_spoken_text(entry)):
            start = (entry["text"] or "").find(piece, end)
            end = start + len(piece)
            spans = (entry.get("speaker_parts") or (), start, end)
            document = _start_turn_document(entry, part, projects, make_turn_key(session or "", part, position), piece)
            document["position"], document["text_hash"] = position, hash_text(piece)
            document["speaker"] = find_stretch_speaker(*spans) or find_speaker(
                piece if session in dialogues and not number else "", entry
            )
            document["quoted"] = find_foreign_spans(*spans) or None
            follows = (last_keys or {}).get(session or "") if position < NEIGHBOUR_REACH else None
            if follows:
                document["follows"] = follows
            document["changes"] = (changes or {}).get(document["id"])
            documents.append(document)
            position += 1
        if actions := describe_actions(entry):
            document = _start_turn_document(entry, part, projects, f"c:{session}:{entry['ordinal']}", actions)
            document["speaker"] = "command" if entry["turn_kind"] == "command" else entry["role"]
            documents.append(document)
    return _build_frame(documents, known)


def _start_turn_document(entry: Mapping[str, Any], part: str, projects: Mapping[str, str], key: str, text: str) -> DocumentRow:
    return {
        "part": part,
        "id": f"{entry['session_id']}:{entry['entry_id']}",
        "source": "turn",
        "project": projects.get(entry["session_id"] or ""),
        "session_id": entry["session_id"],
        "entry_ids": [entry["entry_id"]],
        "lines": [entry["line_no"]],
        "said_at": entry["said_at"],
        "key": key,
        "text": text,
    }


def find_last_keys(entries: pl.DataFrame, part: str) -> dict[str, str]:
    """Return the key of the last spoken piece of each session in one day's entries."""
    counts: dict[str, int] = {}
    for entry in entries.iter_rows(named=True):
        if "copied" not in (entry["flags"] or ()):
            counts[entry["session_id"]] = counts.get(entry["session_id"], 0) + len(split_spoken_text(entry))
    return {session: make_turn_key(session, part, count - 1) for session, count in counts.items() if count}


def make_turn_key(session_id: str, part: str, position: int) -> str:
    """Return the key of a spoken piece; the keys of neighbours differ by one in `position`."""
    return f"t:{session_id}:{part.rpartition('/')[2]}:{position}"


def make_observation_documents(rows: pl.DataFrame, part: str, known: KnownDocuments | None) -> pl.DataFrame:
    """Make documents of the allowed observations, superseded ones included: these stay findable, lower and marked."""
    allowed = rows.filter(pl.col("verdict") == "allow")
    documents: Iterable[DocumentRow] = (
        {
            "kind": row["kind"],
            "priority": row["priority"],
            "project": row["project"],
            "session_id": row["session_id"],
            "entry_ids": row["entry_ids"],
            "lines": row["lines"],
            "said_at": row["said_at"],
            "superseded_by": row["superseded_by"],
            "cites": _list_cited_turns(row),
            "outdated_turns": _list_own_turns(row) if row["superseded_by"] else None,
            "key": row["observation_id"],
            "id": row["observation_id"],
            "part": part,
            "source": "observation",
            "text": row["text"],
            "text_hash": None if row["kind"] in APART_KINDS else hash_text(row["text"]),
            "also": row["also"],
            "origin": row["origin"],
        }
        for row in allowed.iter_rows(named=True)
    )
    return _build_frame(documents, known)


def _list_cited_turns(row: Mapping[str, Any]) -> list[str] | None:
    """Return the ids of the turns that a fact in a model's words cites; None for one that quotes its turn."""
    if (row["engine"] or OFFLINE) == OFFLINE:
        return None
    return [*_list_own_turns(row), *(row["also"] or ())][:CITED_TURNS]


def _list_own_turns(row: Mapping[str, Any]) -> list[str]:
    return [f"{row['session_id']}:{entry}" for entry in row["entry_ids"] or ()][:CITED_TURNS]


def make_segment_documents(rows: pl.DataFrame, part: str, known: KnownDocuments | None) -> pl.DataFrame:
    """Return a document for each segment: its title and narrative as the text, its entries as the sources."""
    documents: Iterable[DocumentRow] = (
        {
            "project": row["project"],
            "session_id": row["session_id"],
            "entry_ids": row["entry_ids"],
            "lines": row["lines"],
            "key": row["segment_id"],
            "id": row["segment_id"],
            "part": part,
            "source": "segment",
            "said_at": row["started_at"],
            "text": (text := format_segment(row["title"], row["narrative"])),
            "text_hash": hash_text(text),
        }
        for row in rows.iter_rows(named=True)
    )
    return _build_frame(documents, known)


def make_distillate_documents(rows: pl.DataFrame, known: KnownDocuments | None, zone: tzinfo) -> pl.DataFrame:
    """Make documents of condensed periods, in pieces like turns, all pieces under one id; their days are those of `zone`."""
    documents: Iterable[DocumentRow] = (
        {
            "id": row["distillate_id"],
            "part": "distillates",
            "source": "distillate",
            "project": row["project"],
            "said_at": find_end_of_day(row["period_end"], zone),
            "superseded_by": row["superseded_by"],
            "also": also,
            "key": f"{row['distillate_id']}:{number}",
            "text": piece,
            "text_hash": hash_text(piece),
        }
        for row in rows.iter_rows(named=True)
        for also in [select_citations(row["entry_refs"] or ())]
        for number, piece in enumerate(split_pieces(row["text"] or ""))
    )
    return _build_frame(documents, known)


def make_memory_documents(bullets: Iterable[Bullet], line_projects: Mapping[str, str], zone: tzinfo) -> pl.DataFrame:
    """Make documents of the bullets of MEMORY.md, without secrets, dated in `zone`, `line_projects` by their texts."""
    named = [bullet for bullet in bullets if bullet.text.strip()]
    unique = {make_memory_id(bullet.text): (bullet, redact(bullet.text, is_user=True)) for bullet in named}
    documents: Iterable[DocumentRow] = (
        {
            "key": key,
            "id": key,
            "part": "memory",
            "source": "memory",
            "text": text,
            "text_hash": hash_text(text),
            "kind": SECTION_KINDS.get(bullet.section.strip().lower()),
            "priority": "high",
            "project": line_projects.get(bullet.text),
            "said_at": find_end_of_day(bullet.dated, zone) if bullet.dated else None,
        }
        for key, (bullet, text) in unique.items()
    )
    return _build_frame(documents)


def split_pieces(text: str, limit: int = PIECE_CHARS) -> list[str]:
    """Split a text into pieces of at most `limit` characters at paragraphs, sentences or lines; only white space is lost."""
    if len(text) <= limit:
        return [text.strip()] if text.strip() else []
    pieces, start, last = [], 0, 0
    for match in _PIECE_END.finditer(text):
        while match.start() - start > limit:
            end = last if last > start else start + limit
            pieces.append(text[start:end].strip())
            start = last = end
        last = match.end()
    while len(text) - start > limit:
        end = last if start < last and last - start <= limit else start + limit
        pieces.append(text[start:end].strip())
        start = end
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def split_spoken_text(entry: Mapping[str, Any]) -> list[str]:
    """Return the spoken words of an entry in pieces: user and assistant text, and summaries; empty for tools and machine text."""
    is_summary = entry["entry_type"] in {"compaction", "branch_summary"}
    is_spoken = entry["role"] in {"user", "assistant"} and entry["turn_kind"] not in UNSPOKEN_KINDS and not is_client_note(entry)
    return split_pieces(entry["text"] or "")[:PIECES_PER_ENTRY] if is_summary or is_spoken else []


def describe_actions(entry: Mapping[str, Any]) -> str:
    """Return the actions of an entry in short: an assistant's tool calls, a user's command, the head of a failed result."""
    if entry["role"] == "assistant":
        return "; ".join(_describe_calls(entry["raw_json"]))[:PIECE_CHARS]
    is_failed_result = entry["role"] == "toolResult" and entry["is_error"]
    if entry["role"] == "bashExecution" or entry["turn_kind"] == "command" or is_failed_result:
        return str(entry["text"] or "")[:PIECE_CHARS].strip()
    return ""


def find_end_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the last second of a day of this zone, in UTC: shown in the zone it is that day again."""
    return datetime.combine(day, time(23, 59, 59), zone).astimezone(UTC)


_CALL_MARKS = ('"toolCall"', '"tool_use"', '_call"')
"""Content of the line of a tool call in sessions of pi, of Claude Code, of Codex."""


def _describe_calls(raw_json: str | None) -> Iterator[str]:
    if not raw_json or not any(mark in raw_json for mark in _CALL_MARKS):
        return
    message = read_shared_form(parse_raw_json(raw_json)).get("message") or {}
    for part in message.get("content") or ():
        if isinstance(part, dict) and part.get("type") == "toolCall":
            arguments = part.get("arguments")
            values = [str(arguments[key]) for key in CALL_KEYS if arguments.get(key)] if isinstance(arguments, dict) else []
            yield " ".join([str(part.get("name") or "tool"), *values])[:CALL_CHARS]


def _build_frame(documents: Iterable[DocumentRow], known: KnownDocuments | None = None) -> pl.DataFrame:
    """Return the documents as a frame of `DOCUMENT_SCHEMA`, with their words and a hash that changes with the row."""
    rows: list[dict[str, object]] = []
    for document in documents:
        columns: dict[str, object] = dict(document)
        content = orjson.dumps({name: columns[name] for name in sorted(columns)}).decode()
        columns |= _find_known_columns(document["key"], content, known or {}) or _make_text_columns(columns, content)
        rows.append(columns)
    return pl.DataFrame(rows, schema=DOCUMENT_SCHEMA) if rows else DOCUMENT_SCHEMA.to_frame()


def _make_text_columns(columns: Mapping[str, Any], content: str) -> dict[str, object]:
    terms = tokenize(columns["text"])
    joined = " ".join(terms)
    made: dict[str, object] = {"words": joined, "word_count": len(terms), "row_hash": hash_fields(content, joined)}
    made["question_share"] = measure_question_share(columns["text"])
    made["ends_with_question"] = columns["text"].rstrip().endswith(QUESTION_MARKS)
    return made | {"ranking_json": encode_ranking_columns({**columns, **made})}


def _find_known_columns(key: str, content: str, known: KnownDocuments) -> dict[str, object] | None:
    """Return the columns that follow from the text, if the index has this very document: then its hash has these words."""
    if key not in known:
        return None
    row_hash, ranking_json, record = known[key]
    if hash_fields(content, record["words"]) != row_hash:
        return None
    known_columns = {name: value for name, value in record.items() if name in KNOWN_COLUMNS}
    return known_columns | {"row_hash": row_hash, "ranking_json": ranking_json}
