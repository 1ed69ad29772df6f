"""An answer on the screen: what was said first, then the hits it rests on, two or three lines each; plain text in a pipe."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from datetime import date
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.text import Text

from transforms.recall.hit_lines import said_on, short_name
from transforms.recall.types import Answer, Hit

MARKS = {"high": "🔴", "medium": "🟡", "low": "🟢"}
INDENT = "     "
HIT_LINES = 2
"""Of a hit's text in a terminal; `recollect show ID` has all of it."""
PIPED_CHARS = 320
"""Of a hit's text in a pipe, on one line: whoever reads it there searches it."""
NARROW, WIDE = 40, 110
"""A line is never made shorter or longer than this, whatever the terminal."""

_CITATION = r"\[[^\[\]]*\d{4}-\d{2}-\d{2}[^\[\]]*\]"


def print_answer(answer: Answer, zone: ZoneInfo, today: date, console: Console | None = None) -> None:
    """The answer or that there is none, one line about the search, and the hits with id, day, project and what replaced them."""
    shown = console or Console(highlight=False)
    for line in _lines(answer, zone, today, shown):
        shown.print(line, soft_wrap=True)  # wrapped here: a piped line is never cut at 80 columns


def _lines(answer: Answer, zone: ZoneInfo, today: date, console: Console) -> Iterator[Text]:
    if answer.id is not None:
        yield Text.assemble((answer.id, "dim"), " ", (answer.question, "bold"))
    said = answer.answer.splitlines() if answer.answer is not None else [_nothing(answer)]
    for paragraph in said:
        for line in _wrapped(paragraph, console, "", "  "):
            text = Text(line, style="" if answer.answer is not None else "bold")
            text.highlight_regex(_CITATION, "dim")
            yield text
    if not answer.hits:
        return
    yield Text("")
    yield Text(_search(answer, zone), style="dim")
    for number, hit in enumerate(answer.hits, start=1):
        yield from _hit(number, hit, zone, today, console)


def _nothing(answer: Answer) -> str:
    return f"{answer.missing} The nearest:" if answer.hits else answer.missing


def _search(answer: Answer, zone: ZoneInfo) -> str:
    fresh = f"memory as of {answer.fresh_as_of.astimezone(zone):%Y-%m-%d %H:%M}" if answer.fresh_as_of else ""
    count = f"{len(answer.hits)} hit{'s' if len(answer.hits) > 1 else ''}"
    return " · ".join(part for part in (count, answer.mode, fresh, f"{answer.took_ms} ms") if part)


def _hit(number: int, hit: Hit, zone: ZoneInfo, today: date, console: Console) -> Iterator[Text]:
    about = [hit.kind or hit.source, _age(said_on(hit, zone), today), short_name(hit.project)]
    style = "dim" if hit.superseded_by else ""
    head = Text.assemble(f"{number:>3}  {MARKS.get(hit.priority or '', '▪')} ", " · ".join(part for part in about if part))
    if hit.superseded_by:
        head.append(f" · superseded by {hit.superseded_by}", "yellow")
    yield head.append(f"  {hit.id}", "cyan")
    text = " ".join(hit.text.split())
    if console.is_terminal:
        lines = _wrapped(text, console, INDENT, INDENT)
        cut = [*lines[: HIT_LINES - 1], lines[HIT_LINES - 1] + " …"] if len(lines) > HIT_LINES else lines
    else:
        cut = [INDENT + (text if len(text) <= PIPED_CHARS else text[: PIPED_CHARS - 1] + "…")]
    yield from (Text(line, style=style) for line in cut)


def _wrapped(text: str, console: Console, first: str, others: str) -> list[str]:
    if not console.is_terminal:
        return [first + text]
    width = min(max(console.width, NARROW), WIDE) - 2
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=others) or [first]


def _age(day: date | None, today: date) -> str:
    if day is None:
        return ""
    days = (today - day).days
    return f"{day} ({'today' if days == 0 else f'{days} days ago' if days > 1 else 'yesterday' if days == 1 else 'later'})"
