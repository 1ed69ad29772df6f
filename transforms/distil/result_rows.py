"""Turns the result of an engine into rows of `segments` and `observations`, each fact with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from transforms.conversation.entries import Entry
from transforms.conversation.origins import find_origin
from transforms.distil.engine_result import DistilledWindow, Fact
from transforms.distil.fact_tails import check_with_tails
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.similarity import select_subject_words
from transforms.language.statement import parse_statement
from transforms.tables.enums import OPEN_KINDS, Verdict
from transforms.tables.ids import make_observation_id, make_segment_id
from transforms.tables.rows import ObservationRow, SegmentRow, WindowRow
from transforms.tables.tokens import count_tokens

MIN_SUBJECT_WORDS = 2
"""Words of its subject that a held fact shares with another one which may finish what it finished."""


class DueWindowRow(WindowRow):
    """A row of `windows` with the project of its session, while the window is distilled."""

    project: str


def build_segment_rows(result: DistilledWindow, window: DueWindowRow, entries: Sequence[Entry]) -> list[SegmentRow]:
    """Return one row per segment; times and lines come from its entries."""
    by_ordinal = {entry.ordinal: entry for entry in entries}
    rows: list[SegmentRow] = []
    for segment in result.segments:
        members = [entry for entry in entries if segment.first_ordinal <= entry.ordinal <= segment.last_ordinal]
        if not members:
            continue
        cited = [by_ordinal[ordinal] for ordinal in segment.ordinals if ordinal in by_ordinal]
        rows.append(
            {
                "segment_id": make_segment_id(window["window_id"], segment.first_ordinal),
                "window_id": window["window_id"],
                "session_id": window["session_id"],
                "project": window["project"],
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
                "tokens": count_tokens(f"{segment.title}\n{segment.narrative}"),
                "engine": window["engine"] or "",
                "day": window["day"],
            }
        )
    return rows


def build_observation_rows(
    result: DistilledWindow,
    window: DueWindowRow,
    evidence: WindowEvidence,
    verdicts: Mapping[Fact, tuple[Verdict, str]] | None = None,
    kept: Mapping[Fact, Fact] | None = None,
) -> list[ObservationRow]:
    """Return one row per fact, each once; a citation that does not resolve is left out and is the reason of the verdict.

    `verdicts` holds the verdict on each fact with its reason; without it the word checks give them, and a person's words stand
    without what fails behind them. `kept` holds the part that stands for a fact. The id stays that of the whole fact, so that
    what was told of it holds.
    """
    rows: dict[str, ObservationRow] = {}
    closed: dict[str, Sequence[str]] = {}
    for segment in result.segments:
        for fact in segment.facts:
            standing, verdict = ((kept or {}).get(fact, fact), verdicts[fact]) if verdicts else check_with_tails(fact, evidence)
            own_segment = make_segment_id(window["window_id"], segment.first_ordinal)
            key = make_observation_id(own_segment, fact.kind, fact.text)
            row = _build_observation_row(standing, key, own_segment, window, evidence, verdict)
            rows.setdefault(row["observation_id"], row)
            closed.setdefault(row["observation_id"], fact.closes)
    _pass_on_closed(list(rows.values()), closed)
    return list(rows.values())


def list_retired(rows: Sequence[ObservationRow]) -> dict[str, str]:
    """Return the ids of earlier observations that allowed facts retire, each with the id of its successor."""
    return {key: row["observation_id"] for row in rows if row["verdict"] == "allow" for key in row["retires"]}


def _pass_on_closed(rows: Sequence[ObservationRow], closed: Mapping[str, Sequence[str]]) -> None:
    """Give what held facts close to an allowed one of the window that rests on the same entry, or is about the same subject: the
    words of a fact are held, and what it finished is finished all the same. Without such a fact nothing shows that it is."""
    heirs = [row for row in rows if row["verdict"] == "allow" and row["kind"] not in OPEN_KINDS]
    for row in rows:
        if row["verdict"] == "allow" or not (keys := closed.get(row["observation_id"])):
            continue
        subject = select_subject_words(parse_statement(row["text"]))
        shares = [
            (
                len({*row["ordinals"]} & {*heir["ordinals"]}),
                len(subject & select_subject_words(parse_statement(heir["text"]))),
            )
            for heir in heirs
        ]
        best = max(range(len(heirs)), key=shares.__getitem__, default=None)
        if best is not None and (shares[best][0] or shares[best][1] >= MIN_SUBJECT_WORDS):
            heirs[best]["retires"] = list(dict.fromkeys([*heirs[best]["retires"], *keys]))


def _build_observation_row(
    fact: Fact,
    key: str,
    own_segment: str,
    window: DueWindowRow,
    evidence: WindowEvidence,
    verdict: tuple[Verdict, str],
) -> ObservationRow:
    cited = evidence.find_entries(fact.ordinals)
    return {
        "observation_id": key,
        "segment_id": own_segment,
        "window_id": window["window_id"],
        "session_id": window["session_id"],
        "project": window["project"],
        "day": window["day"],
        "said_at": cited[0].said_at if cited else evidence.entries[0].said_at,
        "refers_to": fact.refers_to,
        "kind": fact.kind,
        "priority": fact.priority,
        "category": fact.category,
        "origin": find_origin(fact.kind, fact.text, cited, evidence.answers),
        "text": fact.text,
        "ordinals": [entry.ordinal for entry in cited],
        "entry_ids": [entry.entry_id for entry in cited],
        "lines": [entry.line_no for entry in cited],
        "files": list(fact.files),
        "line_numbers": list(fact.line_numbers),
        "verdict": verdict[0],
        "verdict_reason": verdict[1],
        "confidence": fact.confidence,
        "tokens": count_tokens(fact.text),
        "engine": window["engine"] or "",
        "template_hash": window["template_hash"] or "",
        "superseded_by": None,
        "retires": list(dict.fromkeys([*fact.retires, *fact.closes])),
        "merged_count": 1,
        "also": [],
        "compared_with": None,
        "rests_on": [],
        "compared_keys": [],
    }
