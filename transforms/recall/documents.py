"""What recall searches: memory lines, observations, distillates, segments and pieces of raw turns, as rows of one shape.

A turn is cut into pieces of at most 800 characters (200 tokens): whole messages as results were no better than no memory
in the evaluations that the project learned from. `position` numbers the spoken pieces of a session's day, so that a
piece's neighbours are its key ± 1; commands and failed results are found by their words only and have no position.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from typing import Any

import orjson
import polars as pl

from transforms.conversation.raw_json import stored_object
from transforms.language.tokenizer import words
from transforms.pages.memory_md import Bullet
from transforms.recall.ranking_features import NEIGHBOURS
from transforms.recall.ranking_record import RANKED
from transforms.tables.ids import digest, text_hash

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
    "said_at": pl.Datetime("us", "UTC"),
    "superseded_by": pl.String,
    "asking": pl.Float64,
    "ends_asking": pl.Boolean,
    "follows": pl.String,
    "text_hash": pl.String,
    "card": pl.String,
    "row_hash": pl.String,
}
SCHEMA = pl.Schema(_COLUMNS)
"""A document. `key` is unique; `id` is what a reader passes to `show`; `text_hash` is null for what gets no vector; `card` is
what ranking wants of it (`transforms/recall/ranking_record.py`) in one piece of JSON."""

UNHEARD = frozenset({"memory", "skill", "machine", "command"})
"""User entries that nobody said: memory's own output, expanded skills, machine text, slash commands."""

_NAMED = re.compile(r"([A-Z][\w.-]{1,24}):\s")
_CUT = re.compile(r"\n\s*\n|(?<=[.!?:;])\s+|\n")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_COMMAND_KEYS = ("command", "cmd", "path", "file_path", "pattern", "query", "url")


def turn_documents(
    entries: pl.DataFrame, part: str, projects: Mapping[str, str], last: Mapping[str, str] | None = None
) -> pl.DataFrame:
    """The pieces of the entries of one day that somebody said, the commands that were run, and what failed.

    `last` has the key of the last piece of the day before, by session (`last_keys`): a conversation does not end at midnight.
    """
    rows: list[dict[str, Any]] = []
    session, position = None, 0
    for entry in entries.sort("session_id", "ordinal").iter_rows(named=True):
        if entry["session_id"] != session:
            session, position = entry["session_id"], 0
        if "copied" in (entry["flags"] or ()):
            continue
        shared = {
            "part": part,
            "id": f"{session}:{entry['entry_id']}",
            "source": "turn",
            "project": projects.get(session or ""),
            "session_id": session,
            "entry_ids": [entry["entry_id"]],
            "lines": [entry["line_no"]],
            "said_at": entry["said_at"],
        }
        for number, piece in enumerate(spoken(entry)):
            speaker = _speaker(piece if not number else "", entry["role"])
            key = turn_key(session or "", part, position)
            follows = (last or {}).get(session or "") if position < NEIGHBOURS else None
            rows.append(
                shared
                | {"key": key, "text": piece, "position": position, "speaker": speaker, "text_hash": text_hash(piece)}
                | ({"follows": follows} if follows else {})
            )
            position += 1
        if quiet := acted(entry):
            rows.append(shared | {"key": f"c:{session}:{entry['ordinal']}", "text": quiet, "speaker": entry["role"]})
    return _documents(rows)


def last_keys(entries: pl.DataFrame, part: str) -> dict[str, str]:
    """The key of the last spoken piece of each session in the entries of one day."""
    counts: dict[str, int] = {}
    for entry in entries.iter_rows(named=True):
        if "copied" not in (entry["flags"] or ()):
            counts[entry["session_id"]] = counts.get(entry["session_id"], 0) + len(spoken(entry))
    return {session: turn_key(session, part, count - 1) for session, count in counts.items() if count}


def turn_key(session_id: str, part: str, position: int) -> str:
    """Key of a spoken piece; its neighbours' keys differ by one in `position`."""
    return f"t:{session_id}:{part.rpartition('/')[2]}:{position}"


def observation_documents(rows: pl.DataFrame, part: str) -> pl.DataFrame:
    """The allowed observations, superseded ones included (they stay findable, lower and marked)."""
    allowed = rows.filter(pl.col("verdict") == "allow")
    return _documents(
        {
            name: row[name]
            for name in ("kind", "priority", "project", "session_id", "entry_ids", "lines", "said_at", "superseded_by")
        }
        | {"key": row["observation_id"], "id": row["observation_id"], "part": part, "source": "observation"}
        | {"text": row["text"], "text_hash": text_hash(row["text"]), "also": row["also"]}
        for row in allowed.iter_rows(named=True)
    )


def segment_documents(rows: pl.DataFrame, part: str) -> pl.DataFrame:
    """Titles and narratives."""
    return _documents(
        {name: row[name] for name in ("project", "session_id", "entry_ids", "lines")}
        | {"key": row["segment_id"], "id": row["segment_id"], "part": part, "source": "segment", "said_at": row["started_at"]}
        | {"text": (text := segment_text(row["title"], row["narrative"])), "text_hash": text_hash(text)}
        for row in rows.iter_rows(named=True)
    )


def segment_text(title: str | None, narrative: str | None) -> str:
    """A segment as it is searched and exported."""
    return ". ".join(part.rstrip(".") for part in (title or "", narrative or "") if part) + "."


def distillate_documents(rows: pl.DataFrame) -> pl.DataFrame:
    """Condensed periods; cut into pieces by paragraph like turns, under one id."""
    found: list[dict[str, Any]] = []
    for row in rows.iter_rows(named=True):
        shared = {"id": row["distillate_id"], "part": "distillates", "source": "distillate", "project": row["project"]}
        shared |= {"said_at": day_end(row["period_end"]), "superseded_by": row["superseded_by"], "also": row["entry_refs"]}
        found += [
            shared | {"key": f"{row['distillate_id']}:{number}", "text": piece, "text_hash": text_hash(piece)}
            for number, piece in enumerate(pieces(row["text"] or ""))
        ]
    return _documents(found)


def memory_documents(bullets: Iterable[Bullet]) -> pl.DataFrame:
    """The bullets of MEMORY.md; they belong to every project."""
    unique = {memory_id(bullet.text): bullet for bullet in bullets if bullet.text.strip()}
    return _documents(
        {"key": key, "id": key, "part": "memory", "source": "memory", "text": bullet.text, "text_hash": text_hash(bullet.text)}
        | {"kind": _kind_of(bullet.section), "priority": "high", "said_at": day_end(bullet.dated) if bullet.dated else None}
        for key, bullet in unique.items()
    )


def memory_id(text: str) -> str:
    """Id of a line of MEMORY.md, from its words without marker and date."""
    return "m-" + digest(text.strip())


def pieces(text: str, limit: int = PIECE_CHARS) -> list[str]:
    """The text in pieces of at most `limit` characters, cut at paragraphs, sentences or lines; nothing but space is lost."""
    if len(text) <= limit:
        return [text.strip()] if text.strip() else []
    found, start, last = [], 0, 0
    for match in _CUT.finditer(text):
        while match.start() - start > limit:
            end = last if last > start else start + limit
            found.append(text[start:end].strip())
            start = last = end
        last = match.end()
    while len(text) - start > limit:
        end = last if start < last and last - start <= limit else start + limit
        found.append(text[start:end].strip())
        start = end
    found.append(text[start:].strip())
    return [piece for piece in found if piece]


def spoken(entry: Mapping[str, Any]) -> list[str]:
    """What somebody said in an entry, in pieces: user and assistant words, summaries; empty for tools and machine text."""
    is_summary = entry["entry_type"] in {"compaction", "branch_summary"}
    is_heard = entry["role"] in {"user", "assistant"} and entry["turn_kind"] not in UNHEARD
    return pieces(entry["text"] or "")[:PIECES_PER_ENTRY] if is_summary or is_heard else []


def acted(entry: Mapping[str, Any]) -> str:
    """What was done in an entry, short: tool calls of an assistant, a command of the user, the head of a failed result."""
    if entry["role"] == "assistant":
        return "; ".join(_calls(entry["raw_json"]))[:PIECE_CHARS]
    if (
        entry["role"] == "bashExecution"
        or entry["turn_kind"] == "command"
        or (entry["role"] == "toolResult" and entry["is_error"])
    ):
        return str(entry["text"] or "")[:PIECE_CHARS].strip()
    return ""


def day_end(day: date) -> datetime:
    """The last second of a day, in UTC."""
    return datetime.combine(day, time(23, 59, 59), UTC)


def asking(text: str) -> float:
    """The share of a text's sentences that are questions: what somebody asked is rarely what proves the answer."""
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    share: float = sum(part.rstrip().endswith("?") for part in sentences) / max(len(sentences), 1)
    return round(share, 2)


def _calls(raw_json: str | None) -> Iterator[str]:
    if not raw_json or '"toolCall"' not in raw_json:
        return
    message = stored_object(raw_json).get("message") or {}
    for part in message.get("content") or ():
        if isinstance(part, dict) and part.get("type") == "toolCall":
            arguments = part.get("arguments")
            told = [str(arguments[name]) for name in _COMMAND_KEYS if arguments.get(name)] if isinstance(arguments, dict) else []
            yield " ".join([str(part.get("name") or "tool"), *told])[:300]


def _speaker(text: str, role: str | None) -> str | None:
    named = _NAMED.match(text)
    return named.group(1).lower() if named else role


def _kind_of(section: str) -> str | None:
    return {"hard rules": "rule", "patterns": "convention", "system architecture": "decision"}.get(section.strip().lower())


def _documents(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """The rows as a frame of `SCHEMA`, with their words and the hash that tells whether a row changed."""
    full = []
    for row in rows:
        found = words(row["text"])
        text = " ".join(found)
        content = orjson.dumps({name: row[name] for name in sorted(row)})
        whole = dict(row) | {"words": text, "word_count": len(found), "row_hash": digest(content.decode(), text)}
        whole |= {"asking": asking(row["text"]), "ends_asking": row["text"].rstrip().endswith("?")}
        card = orjson.dumps([whole.get(name) for name in RANKED])
        full.append(whole | {"card": card.decode()})
    return pl.DataFrame(full, schema=SCHEMA) if full else SCHEMA.to_frame()
