"""Turns the result of an engine into rows of `segments` and `observations`, each fact with its verdict."""

from __future__ import annotations

from typing import Any

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledSegment, DistilledWindow, Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.tables.ids import observation_id, segment_id
from transforms.tables.tokens import tokens

Row = dict[str, Any]


def build_segment_rows(result: DistilledWindow, window: Row, entries: list[Entry]) -> list[Row]:
    """Return one row per segment. `window` is its row of `windows` plus `project`; times and lines come from the entries."""
    by_ordinal = {entry.ordinal: entry for entry in entries}
    rows = []
    for segment in result.segments:
        members = [entry for entry in entries if segment.first_ordinal <= entry.ordinal <= segment.last_ordinal]
        if not members:
            continue
        cited = [by_ordinal[ordinal] for ordinal in segment.ordinals if ordinal in by_ordinal]
        rows.append(
            _build_common_columns(window, segment)
            | {
                "title": segment.title,
                "narrative": segment.narrative,
                "first_ordinal": members[0].ordinal,
                "last_ordinal": members[-1].ordinal,
                "first_line": members[0].line_no,
                "last_line": members[-1].line_no,
                "entry_ids": [entry.entry_id for entry in cited],
                "lines": [entry.line_no for entry in cited],
                "started_at": min(entry.said_at for entry in members),
                "ended_at": max(entry.said_at for entry in members),
                "tokens": tokens(f"{segment.title}\n{segment.narrative}"),
            }
        )
    return rows


def build_observation_rows(result: DistilledWindow, window: Row, evidence: WindowEvidence) -> list[Row]:
    """Return one row per fact, each once. A citation that does not resolve is left out and is the reason of the verdict."""
    rows: dict[str, Row] = {}
    for segment in result.segments:
        for fact in segment.facts:
            row = _build_observation_row(fact, _build_common_columns(window, segment), window["template_hash"], evidence)
            rows.setdefault(row["observation_id"], row)
    return list(rows.values())


def _build_observation_row(fact: Fact, common: Row, template_hash: str, evidence: WindowEvidence) -> Row:
    verdict, reason = check_fact(fact, evidence)
    cited = [evidence.by_ordinal[ordinal] for ordinal in fact.ordinals if ordinal in evidence.by_ordinal]
    return common | {
        "template_hash": template_hash,
        "observation_id": observation_id(common["segment_id"], fact.kind, fact.text),
        "said_at": cited[0].said_at if cited else evidence.entries[0].said_at,
        "refers_to": fact.refers_to,
        "kind": fact.kind,
        "priority": fact.priority,
        "category": fact.category,
        "text": fact.text,
        "ordinals": [entry.ordinal for entry in cited],
        "entry_ids": [entry.entry_id for entry in cited],
        "lines": [entry.line_no for entry in cited],
        "files": list(fact.files),
        "line_numbers": list(fact.line_numbers),
        "verdict": verdict,
        "verdict_reason": reason,
        "confidence": fact.confidence,
        "tokens": tokens(fact.text),
        "superseded_by": None,
        "merged_count": 1,
        "also": [],
    }


def _build_common_columns(window: Row, segment: DistilledSegment) -> Row:
    return {
        "segment_id": segment_id(window["window_id"], segment.first_ordinal),
        "window_id": window["window_id"],
        "session_id": window["session_id"],
        "project": window["project"],
        "engine": window["engine"],
        "day": window["day"],
    }
