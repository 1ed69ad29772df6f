"""Checks of a model's line against the stored rows that it cites: the checks of facts, with rows instead of entries.

A model that condenses, proposes or answers never sees a transcript. Its sources are observations, narratives and hits. A
citation must be one of them, and every time, path, number, name and quotation of a line must occur in the rows that it cites.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.contradiction import is_contradiction
from transforms.language.entities import find_written_numbers, is_written_otherwise, join_thousands
from transforms.language.sentences import is_unspaced, split_words
from transforms.language.statement import parse_statement, select_content_words
from transforms.language.tokenizer import are_in_other_languages, is_other_language, tokenize
from transforms.patterns.folding import fold_writing
from transforms.patterns.late_pattern import compile_late

SHOWN_CHARS = 90
SHOWN_LINES = 6
"""Held lines that a repeated question names."""
ROW_OVERHEAD_TOKENS = 12
"""Tokens of a row's reference, day, mark and kind in a prompt, with a short project."""
MAX_ROW_CHARS = 600
"""Longest line that a model may write."""

_VERSION_OR_NUMBER = compile_late(r"(?<![A-Za-z0-9_.])v?(\d+(?:\.\d+)*)")


_END_OF_ROWS = compile_late(
    r"<(?=\s*/?\s*(?:rows|memory|agents|offered|refused|waiting|expired|answer|period|proposals|friction|observer-rules)\b)", re.I
)
_CLOCK_TIME = compile_late(r"\b\d{1,2}:\d\d\b")


@dataclass(frozen=True, slots=True)
class CitedRow:
    """A row that a line may cite by its number: its text, and the files and days that it is `about`."""

    number: int
    text: str
    said_at: datetime
    about: str = ""


def ground_line(
    text: str, refs: Sequence[int], sources: Mapping[int, CitedRow], zone: tzinfo, *, is_narrative: bool = False
) -> tuple[tuple[int, ...], str]:
    """Return the cited numbers that support the line, and why it must not stand (empty when it may).

    A cited row that shares no content word with the line is left out, unless the two are in different languages. A line may deny
    a row when it also cites a newer one that it does not deny: then it names the replacement. A narrative (`is_narrative`) rests
    on many rows; only the row nearest to it is searched for a contradiction. A reason names the row that it is about.
    """
    text = fold_writing(text)
    sources = {
        number: replace(row, text=fold_writing(row.text), about=fold_writing(row.about)) for number, row in sources.items()
    }
    known = [number for number in dict.fromkeys(refs) if number in sources]
    if not known:
        return (), "cites what was not given" if refs else "cites nothing"
    if len(text) > MAX_ROW_CHARS:
        return (), "is too long for a line"
    shared = {number: _count_shared_words(text, sources[number].text, sources) for number in known}
    cited = [number for number in known if shared[number]]
    if not cited:
        return (), "says something else than what it cites"
    entries = tuple(_build_entry(sources[number]) for number in cited)
    fact = Fact(text=text, kind="status", priority="low", category="projects", ordinals=tuple(cited))
    verdict, reason = check_fact(fact, WindowEvidence(entries, zone))
    if verdict != "allow":
        return (), reason.replace("not in the window", "not in what it cites")
    if ungrounded := _find_ungrounded_number(text, [f"{sources[number].text} {sources[number].about}" for number in cited]):
        return (), f"not in what it cites: {ungrounded}"
    nearest = max(cited, key=lambda number: (shared[number], -number))
    denied = [number for number in ([nearest] if is_narrative else cited) if is_contradiction(text, sources[number].text)]
    newest = max((sources[number].said_at for number in cited if number not in denied), default=None)
    if lasting := [number for number in denied if newest is None or sources[number].said_at >= newest]:
        return (), f"says the opposite of what it cites: #{lasting[0]}"
    return tuple(cited), ""


def describe_held_line(text: str, refs: Sequence[int], reason: str) -> str:
    """Return a held line for a repeated question to the model: the beginning of the line, its references and the reason."""
    flat = " ".join(text.split())
    shown = flat if len(flat) <= SHOWN_CHARS else f"{flat[: SHOWN_CHARS - 1]}…"
    return f'"{shown}" ({" ".join(f"#{ref}" for ref in refs) or "no reference"}): {reason}'


def escape_row(text: str) -> str:
    """Return a row's text for a prompt: one line that can neither end its block nor begin another row."""
    return _END_OF_ROWS.sub("< ", " ".join(text.split()))


def format_age(day: date, today: date) -> str:
    """Return how long ago a day was, as prompts show it: `today`, `6 days ago`, `5 weeks ago`, `8 months ago`."""
    days = max((today - day).days, 0)
    for length, unit, most in ((1, "day", 20), (7, "week", 70), (30, "month", 730)):
        if days <= most:
            count = days // length
            return "today" if not count else f"{count} {unit}{'s' if count > 1 else ''} ago"
    return f"{days // 365} years ago"


def _count_shared_words(text: str, row: str, sources: Mapping[int, CitedRow]) -> int:
    """Return the number of content words, or of pairs of characters without spaces, in a line and a row; 1 when nothing can be
    told, because the rows are in another language and the line is not."""
    shared = len(select_content_words(parse_statement(text)) & select_content_words(parse_statement(row)))
    if shared or not is_other_language([word for source in sources.values() for word in split_words(source.text)]):
        return shared
    pairs = {word for word in tokenize(text) if is_unspaced(word)} & {*tokenize(row)}
    return len(pairs) or int(are_in_other_languages(split_words(text), split_words(row)))


def _find_ungrounded_number(text: str, cited: Sequence[str]) -> str:
    """Return the first number of two or more digits that occurs in no cited row as a whole number. In short rows a part of a
    number ("20" of 2026) proves nothing; a version may be shortened (8.3 for 8.3.13)."""
    known = {number for row in cited for number in _VERSION_OR_NUMBER.findall(row)}
    text_without_times = _CLOCK_TIME.sub("", join_thousands(text))  # times have a check of their own
    rows = join_thousands("\n".join(cited))
    for written, _ in find_written_numbers(text_without_times):
        if is_written_otherwise(written, rows):
            text_without_times = text_without_times.replace(written, " ", 1)
    known |= {".".join(parts[:length]) for parts in (number.split(".") for number in known) for length in range(2, len(parts))}
    return next(
        (number for number in _VERSION_OR_NUMBER.findall(text_without_times) if len(number) > 1 and number not in known), ""
    )


def _build_entry(source: CitedRow) -> Entry:
    return Entry(
        session_id="", ordinal=source.number, entry_id=str(source.number), parent_id=None, line_no=source.number,
        entry_type="message", role="assistant", turn_kind=None, text=f"{source.text}\n{source.about}", tool_name=None,
        tool_call_id=None, is_error=False, stop_reason=None, token_count=0, said_at=source.said_at, on_active_branch=True,
        flags=(), raw_json="", speaker="owner",  # a row may report the owner's words
    )  # fmt: skip
