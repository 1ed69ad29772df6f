"""A model's line held against the rows that it cites: the checks of facts, with stored rows as the evidence instead of entries.

What condenses, proposes or answers never sees a transcript. Its sources are observations, narratives and hits, so a citation
must be one of them, and every time, path, number, name and quotation must stand in those that the line itself cites.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.contradiction import says_the_opposite
from transforms.language.statement import content, statement

MAX_LINE_CHARS = 600
"""Longest line: the longest allowed observation of four real sessions has 420 characters."""

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])v?(\d+(?:\.\d+)*)")


_END_OF_ROWS = re.compile(r"<(?=\s*/?\s*(?:rows|memory|refused|answer|period|proposals|observer-rules)\b)", re.I)
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")


@dataclass(frozen=True, slots=True)
class CitedRow:
    """Something that a line may cite by its number: its words, and what else it is known to be about (files, days)."""

    number: int
    text: str
    said_at: datetime
    about: str = ""


def ground_line(
    text: str, refs: Sequence[int], sources: Mapping[int, CitedRow], zone: tzinfo, *, is_story: bool = False
) -> tuple[tuple[int, ...], str]:
    """The cited numbers that the line is about, and why it may not stand (empty when it may).

    A cited row that shares no word with the line proves nothing and is left out. A story (`is_story`) rests on many rows
    and is compared for its direction only with the one that is nearest to it.
    """
    known = [number for number in dict.fromkeys(refs) if number in sources]
    if not known:
        return (), "cites what was not given" if refs else "cites nothing"
    if len(text) > MAX_LINE_CHARS:
        return (), "is too long for a line"
    said = statement(text)
    shared = {number: len(content(said) & content(statement(sources[number].text))) for number in known}
    cited = [number for number in known if shared[number]]
    if not cited:
        return (), "says something else than what it cites"
    entries = tuple(_build_entry(sources[number]) for number in cited)
    fact = Fact(text=text, kind="status", priority="low", category="projects", ordinals=tuple(cited))
    verdict, reason = check_fact(fact, WindowEvidence(entries, zone))
    if verdict != "allow":
        return (), reason.replace("not in the window", "not in what it cites")
    if strange := _find_ungrounded_number(text, [f"{sources[number].text} {sources[number].about}" for number in cited]):
        return (), f"not in what it cites: {strange}"
    nearest = max(cited, key=lambda number: (shared[number], -number))
    for number in [nearest] if is_story else cited:
        if says_the_opposite(text, sources[number].text):
            return (), "says the opposite of what it cites"
    return tuple(cited), ""


def escape_row(text: str) -> str:
    """A row's text for a prompt: one line that cannot end the block it stands in, nor begin another row."""
    return _END_OF_ROWS.sub("< ", " ".join(text.split()))


def _find_ungrounded_number(text: str, cited: Sequence[str]) -> str:
    """The first number of two or more digits that no cited row has as a whole: in short rows "20" of 2026 proves nothing."""
    known = {number for row in cited for number in _NUMBER.findall(row)}
    bare = _CLOCK.sub("", text)  # times have a check of their own
    return next((number for number in _NUMBER.findall(bare) if len(number) > 1 and number not in known), "")


def _build_entry(source: CitedRow) -> Entry:
    return Entry(
        session_id="", ordinal=source.number, entry_id=str(source.number), parent_id=None, line_no=source.number,
        entry_type="message", role="assistant", turn_kind=None, text=f"{source.text}\n{source.about}", tool_name=None,
        tool_call_id=None, is_error=False, stop_reason=None, token_count=0, said_at=source.said_at, on_active_branch=True,
        flags=(), raw_json="",
    )  # fmt: skip
