"""Hits as lines of text for a model: a compact index first, the whole of each on demand, within a token budget."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from zoneinfo import ZoneInfo

from transforms.recall.types import Answer, Hit, stamp
from transforms.tables.tokens import tokens

LINE_CHARS = 160
"""A hit in the index: 40 tokens with its id, so that ten fit in 600."""


OMITTED = "more do not fit max_tokens: raise it or narrow the search."
SHOW = "memory_show ID has the whole of one, with the original words."


def answer_text(answer: Answer, zone: ZoneInfo, max_tokens: int, is_detailed: bool = False) -> str:
    """What was found, as text within `max_tokens`: the answer, then a line per hit, and what to do for more.

    With `is_detailed` each hit has its whole text and where it was said; otherwise its first words.
    """
    head = [_headline(answer, max_tokens // 3)]
    fresh = f"; newest: {stamp(answer.fresh_as_of)}" if answer.fresh_as_of else ""
    head.append(
        f"{len(answer.hits)} hits ({answer.mode}{fresh}): id | date | kind | project | text" if answer.hits else "No hits."
    )
    if answer.note:
        head.append(f"Note: {answer.note}")
    left = max_tokens - tokens("\n".join([*head, f"{len(answer.hits)} {OMITTED} {SHOW}"]))
    lines: list[str] = []
    for hit in answer.hits:
        line = "\n".join(_whole(hit, zone)) if is_detailed else hit_line(hit, zone)
        if tokens(line) + 1 > left:
            break
        lines.append(line)
        left -= tokens(line) + 1
    omitted = len(answer.hits) - len(lines)
    foot = f"{omitted} {OMITTED} {SHOW}" if omitted else SHOW
    return "\n".join([*head, *lines, *([foot] if answer.hits else [])])


def hit_line(hit: Hit, zone: ZoneInfo, chars: int = LINE_CHARS) -> str:
    """One hit in one line: id, day, kind, project, its first words, and what replaced it."""
    return " | ".join([*_about(hit, zone), _cut(" ".join(hit.text.split()), chars)])


def said_on(hit: Hit, zone: ZoneInfo) -> date | None:
    """The local day on which it was said."""
    return hit.said_at.astimezone(zone).date() if hit.said_at else None


def short_name(project: str | None) -> str:
    """The last part of a project's path."""
    return (project or "").rstrip("/").rpartition("/")[2]


def _headline(answer: Answer, max_tokens: int) -> str:
    if answer.answer is not None:
        return f"Answer: {_cut(answer.answer, max_tokens * 4)}"
    if answer.nearest:
        return f"{answer.missing} Nearest: {_cut(' '.join(answer.nearest.split()), LINE_CHARS)}"
    return answer.missing


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else text[: chars - 1].rstrip() + "…"


def _about(hit: Hit, zone: ZoneInfo) -> list[str]:
    kind = hit.kind or hit.source
    if hit.superseded_by:
        kind += f", superseded by {hit.superseded_by}"
    return [hit.id, str(said_on(hit, zone) or "undated"), kind, short_name(hit.project) or "everywhere"]


def _whole(hit: Hit, zone: ZoneInfo) -> Iterator[str]:
    yield " | ".join(_about(hit, zone))
    yield from (f"  {line}" for line in hit.text.splitlines())
    if hit.session_id:
        also = f" and {len(hit.also)} other sessions" if hit.also else ""
        yield f"  said in {hit.session_id}, lines {', '.join(map(str, hit.lines)) or '?'}{also}"
