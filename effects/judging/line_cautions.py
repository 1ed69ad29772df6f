"""What the owner should know of a line that waits: whose words it rests on, and what a model says of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date

import polars as pl

from effects.store.forgotten import read_forgotten
from effects.store.run import Run
from transforms.conversation.origins import find_least_trusted
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.quoting.closed_cut import cut_as_line
from transforms.quoting.line_doubts import LineDoubt, find_doubts
from transforms.tables.enums import Origin
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ProposalRow
from transforms.tables.schema import PROPOSAL_EVENTS, read_rows

CAUTIONS: dict[Origin, str] = {
    "summary": "It rests on a summary that a model wrote, not on words that you typed.",
    "tool": "It rests on what a tool printed, not on words that you typed.",
    "other": "It rests on text that was pasted or that a program sent, not on words that you typed.",
}
"""The page's caution about a line that rests on words of neither the owner nor an agent."""
DOUBT_CHARS = 200
"""Characters of the words that speak against a line."""
ASKED_BY_AGENT = "An agent asked to remember it and names no source: no words of yours are known behind it."
"""The page's caution about a line of `memory_remember`: whoever speaks to the agent may have dictated it."""


def find_cautions(
    run: Run, rows: Sequence[ProposalRow], origins: Mapping[str, Origin | None], events: pl.DataFrame
) -> dict[str, str]:
    """Return by proposal what the page cautions about. `origins` are those of observations, `events` those of all proposals."""
    doubts = _word_doubts(run, rows, events)
    cautions = {row["proposal_id"]: (_find_caution(row, origins), doubts.get(row["proposal_id"], "")) for row in rows}
    return {key: " ".join(filter(None, parts)) for key, parts in cautions.items() if any(parts)}


def read_line_words(run: Run, rows: Iterable[ProposalRow]) -> dict[str, str]:
    """Return the words of proposals by id, without forgotten ones and those that rest on anything forgotten."""
    rows = list(rows)
    _, hidden = _read_evidence(run, {key for row in rows for key in row["evidence_ids"] or ()})
    return {
        row["proposal_id"]: row["text"]
        for row in rows
        if row["proposal_id"] not in hidden and hidden.isdisjoint(row["evidence_ids"] or ())
    }


def _read_evidence(run: Run, ids: Collection[str]) -> tuple[dict[str, str], set[str]]:
    """Return the texts of these observations without forgotten ones, and the ids of all that is forgotten."""
    forgotten = read_forgotten(run.lake)
    stored = run.lake.scan("observations").filter(pl.col("observation_id").is_in(sorted(ids))).collect()
    kept = drop_forgotten_rows(stored, forgotten)
    texts: dict[str, str] = dict(kept.select("observation_id", "text").iter_rows())
    return texts, {*stored["observation_id"], *forgotten} - texts.keys()


def _word_doubts(run: Run, rows: Sequence[ProposalRow], events: pl.DataFrame) -> dict[str, str]:
    """Return by proposal what a model says of it, unless what shows it was forgotten; words of its own also when a row that they
    rest on is gone: nobody knows then whether it was forgotten under another id."""
    lines = set(events["proposal_id"])
    waiting = sorted(row["proposal_id"] for row in rows)
    is_about = pl.col("proposal_id").is_in(waiting) & pl.col("event").is_in(["doubted", "edited"])
    doubts = find_doubts(read_rows(PROPOSAL_EVENTS, events.filter(is_about).sort("at", "event")))
    if not doubts:
        return {}
    texts, hidden = _read_evidence(run, {key for doubt, _ in doubts.values() for key in doubt.evidence})
    return {
        key: _word_doubt(doubt, find_local_day(at, run.zone), texts)
        for key, (doubt, at) in doubts.items()
        if hidden.isdisjoint(doubt.evidence) and (not doubt.words or texts.keys() | lines >= {*doubt.evidence})
    }


def _word_doubt(doubt: LineDoubt, day: date, texts: Mapping[str, str]) -> str:
    """Return a doubt since a day in a sentence, with the first of `texts` that shows it."""
    if doubt.verdict == "reworded":
        return f"A model would put it so since {day}: “{cut_as_line(doubt.words, DOUBT_CHARS)}”."
    shown = next((f": “{cut_as_line(texts[key], DOUBT_CHARS)}” ({key})" for key in doubt.evidence if key in texts), "")
    return f"A model takes this line for {doubt.verdict} since {day}{shown}."


def _find_caution(row: ProposalRow, origins: Mapping[str, Origin | None]) -> str:
    """Return the caution about evidence that has neither the owner's nor an agent's words, or about an agent's line without any;
    empty for all others."""
    if row["origin"] == "agent" and row["kind"] == "memory" and not row["evidence_ids"]:
        return ASKED_BY_AGENT
    evidence_origins = [origins.get(key) for key in row["evidence_ids"] or ()]
    weakest = find_least_trusted(evidence_origins)
    return CAUTIONS.get(weakest, "") if weakest and all(origin in CAUTIONS for origin in evidence_origins) else ""
