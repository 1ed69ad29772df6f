"""Between rows of the lake and the judgement of sessions: entries as values, sketches of their texts, columns that changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import polars as pl

from transforms.attribution.judge_session import SpokenEntry
from transforms.attribution.recurrence import RUN_WORDS, TURN_KEY, sketch_text, split_sketch_words
from transforms.conversation.speakers import (
    Attribution,
    attribute_entry,
    extract_words_of,
    is_judged,
    make_part_rows,
    read_part_rows,
    recover_format,
)
from transforms.patterns.endless_runs import blank_endless_runs
from transforms.tables.enums import SketchKind
from transforms.tables.ids import hash_fields
from transforms.tables.json_object import JsonObject, list_strings, parse_raw_json
from transforms.tables.rows import SketchRow
from transforms.tables.schema import ENTRIES

SPEAKER_COLUMNS = ("speaker", "speaker_reason", "speaker_parts")
MIN_FRAME_WORDS = 20
"""Words that a text must have to be compared with others of the lake."""


def make_spoken_entries(frame: pl.DataFrame) -> list[SpokenEntry]:
    """Return the entries of one session as the judgement reads them, in the order of the rows."""
    return [_make_spoken_entry(row) for row in frame.iter_rows(named=True)]


def _make_spoken_entry(row: JsonObject) -> SpokenEntry:
    text = blank_endless_runs(row["text"] or "")
    is_complete = not row["is_error"] and row["stop_reason"] not in ("aborted", "error")
    return SpokenEntry(
        ordinal=row["ordinal"],
        is_user=row["entry_type"] == "message" and row["role"] == "user",
        is_answer=row["role"] == "assistant" and is_complete and bool(text.strip()),
        is_copied="copied" in (row["flags"] or ()),
        text=text,
        said_at=row["said_at"],
        attribution=_read_attribution(row, text),
    )


def _read_attribution(row: JsonObject, text: str) -> Attribution:
    if row["speaker"] is None:
        return attribute_entry(row["entry_type"], row["role"], text)
    return Attribution(row["speaker"], row["speaker_reason"] or "", read_part_rows(row["speaker_parts"]))


def find_changed_rows(frame: pl.DataFrame, judged: Mapping[str, Mapping[int, Attribution]]) -> pl.DataFrame:
    """Return key, day and speaker columns of the entries whose stored attribution is another one than that of their session."""
    rows = [
        {
            **{name: row[name] for name in (*TURN_KEY, "day")},
            "speaker": now.speaker, "speaker_reason": now.reason, "speaker_parts": make_part_rows(now),
        }
        for row in frame.select(*TURN_KEY, "day", *SPEAKER_COLUMNS).iter_rows(named=True)
        if (now := judged.get(row["session_id"], {}).get(row["ordinal"])) is not None
        and now != Attribution(row["speaker"], row["speaker_reason"], read_part_rows(row["speaker_parts"]))
    ]  # fmt: skip
    schema = {name: ENTRIES.row_schema[name] for name in (*TURN_KEY, "day", *SPEAKER_COLUMNS)}
    return pl.DataFrame(rows, schema=schema)


def replace_attributions(rows: pl.DataFrame, changed: pl.DataFrame) -> pl.DataFrame:
    """Return rows of `entries` with the speaker columns of `changed`; the order of columns stays."""
    renamed = changed.select(
        *TURN_KEY, *(pl.col(name).alias(f"new_{name}") for name in SPEAKER_COLUMNS), is_changed=pl.lit(value=True)
    )
    joined = rows.join(renamed, on=TURN_KEY, how="left", maintain_order="left")
    is_changed = pl.col("is_changed").fill_null(value=False)
    now = [pl.when(is_changed).then(pl.col(f"new_{name}")).otherwise(pl.col(name)).alias(name) for name in SPEAKER_COLUMNS]
    return joined.with_columns(now).select(rows.columns)


def hash_judgement(judged: Mapping[int, Attribution]) -> str:
    """Return a hash of the attributions that other signs than the format gave; empty without any."""
    signed = [f"{ordinal} {attribution!r}" for ordinal, attribution in sorted(judged.items()) if is_judged(attribution)]
    return hash_fields(*signed) if signed else ""


def find_subagent(entries: Sequence[SpokenEntry], judged: Mapping[int, Attribution]) -> bool | None:
    """Return whether an agent talks to a sub-agent in a session: a parent gave the first prompt, and nothing is the owner's.

    What the client itself puts before the prompt does not count. None for a session without another user entry of its own.
    """
    own = [entry for entry in entries if entry.is_user and not entry.is_copied]
    own = [entry for entry in own if judged[entry.ordinal].speaker != "system"]
    if not own:
        return None
    is_owned = any(extract_words_of("owner", entry.text, judged[entry.ordinal]) for entry in own)
    return judged[own[0].ordinal].speaker == "parent_agent" and not is_owned


def list_sketches(messages: pl.DataFrame, calls: pl.DataFrame, core_tools: Collection[str]) -> list[SketchRow]:
    """Return the sketches of long texts: of user entries that are the session's own, and of arguments of tools.

    `messages` are rows of `entries` of role user, `calls` of the assistant, both in the order of their key. Tools of `core_tools`
    hand nothing over to another agent.
    """
    rows: list[SketchRow] = []
    seen: set[str] = set()
    for row in messages.iter_rows(named=True):
        if "copied" in (row["flags"] or ()):
            continue
        is_first = row["session_id"] not in seen
        seen.add(row["session_id"])
        text = row["text"] or ""
        attribution = recover_format(_read_attribution(row, text), text)
        typed = extract_words_of("owner", text, attribution)
        # A program's header gives its prompt away, and its parent is looked for all the same.
        rows += _sketch_parts(row, "message", [typed or (text if is_first else "")], is_first=is_first)
    for row in calls.iter_rows(named=True):
        if "copied" not in (row["flags"] or ()):
            rows += _sketch_parts(row, "call", list(_list_arguments(row["raw_json"], core_tools)), is_first=False)
    return rows


def _sketch_parts(row: JsonObject, kind: SketchKind, texts: list[str], *, is_first: bool) -> Iterator[SketchRow]:
    for part, text in enumerate(texts):
        words = len(split_sketch_words(text))
        if words >= max(MIN_FRAME_WORDS, RUN_WORDS):
            yield {
                "session_id": row["session_id"], "ordinal": row["ordinal"], "part": part, "kind": kind, "is_first": is_first,
                "words": words, "hashes": sketch_text(text), "said_at": row["said_at"], "sign": None, "day": row["day"],
            }  # fmt: skip


def _list_arguments(raw_json: str, core_tools: Collection[str]) -> Iterator[str]:
    message = parse_raw_json(raw_json).get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == "toolCall" and part.get("name") not in core_tools:
            yield from list_strings(part.get("arguments"))
