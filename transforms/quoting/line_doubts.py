"""What a model says of a line that waits for its owner, as an event keeps it: only the owner decides on the line."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple, get_args

import orjson

from transforms.tables.enums import LineVerdict
from transforms.tables.rows import ProposalEventRow


class LineDoubt(NamedTuple):
    """A verdict about a proposal, and the observations that show it; `words` are those that a model would give the line, with
    all observations and proposals that they rest on, and `heir` is the proposal that took its place."""

    proposal_id: str
    verdict: LineVerdict
    evidence: tuple[str, ...] = ()
    words: str = ""
    heir: str = ""


def pack_doubt(doubt: LineDoubt) -> str:
    """Return a doubt as the text of its event, which names the proposal."""
    return orjson.dumps({name: getattr(doubt, name) for name in LineDoubt._fields[1:]}).decode()


def find_doubts(events: Iterable[ProposalEventRow]) -> dict[str, tuple[LineDoubt, datetime]]:
    """Return the last doubt about each proposal, and its time; none from before the owner gave the line other words, or a purge
    took the last one's words. `events` are in the order of their time."""
    doubts: dict[str, tuple[LineDoubt, datetime]] = {}
    for event in events:
        name = event["proposal_id"]
        if event["event"] == "doubted" or (event["event"] == "edited" and event["actor"] == "owner"):
            doubts.pop(name, None)
        if event["event"] == "doubted" and (doubt := _read_doubt(name, event["text"])):
            doubts[name] = doubt, event["at"]
    return doubts


def _read_doubt(name: str, text: str) -> LineDoubt | None:
    """Return the doubt of an event; None where a purge took its words or its verdict out of it."""
    try:
        stored = orjson.loads(text)
        doubt = LineDoubt(name, stored["verdict"], tuple(stored["evidence"]), stored["words"], stored["heir"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return doubt if doubt.verdict in get_args(LineVerdict) else None
