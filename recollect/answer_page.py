"""An answer on the screen: the answer first, then its hits with two or three lines each; in a pipe plain text."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from recollect.terminal import NO_PRIORITY, print_line
from transforms.answers.exchange_context import list_exchanges
from transforms.answers.hit_lines import find_local_day, name_kind, name_projects, shorten_cited_ids
from transforms.language.tokenizer import tokenize, tokenize_question
from transforms.pages.visible_text import make_visible
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.closed_cut import cut_closed
from transforms.recall.types import Answer, Hit
from transforms.tables.enums import PRIORITY_MARKS
from transforms.tables.ids import shorten_id

if TYPE_CHECKING:  # rich is imported for a terminal only: it costs an agent's question a tenth of its time
    from rich.console import Console

INDENT = "     "
HIT_LINES = 2
"""Lines of a hit's text in a terminal; `recollect show ID` has all of it."""
PIPED_CHARACTERS = 320
"""Characters of a hit's text in a pipe, on one line, so that it can be searched."""
NARROW, WIDE = 40, 110
"""Shortest and longest line in a terminal of any width."""

CITATION = compile_late(r"(\[[^\[\]]*\d{4}-\d{2}-\d{2}[^\[\]]*\])")

WORD = compile_late(r"(\w+)")

Line = list[tuple[str, str]]
"""Pieces of a line, each with its style as rich names it."""


@dataclass(frozen=True, slots=True)
class _Page:
    """The reader's side of an answer: the zone of its days, today, the width of the terminal (None in a pipe), and the question's
    index words, which are bold in a terminal: they show at a glance whether a hit is about all of the question.
    """

    zone: ZoneInfo
    today: date
    width: int | None
    words: frozenset[str] = frozenset()


def print_answer(answer: Answer, zone: ZoneInfo, today: date, console: Console | None = None) -> None:
    """Print the answer or that there is none, a line about the search, and the hits with day, project, successor and id."""
    if console is None and sys.stdout.isatty():
        from rich.console import Console

        console = Console(highlight=False)
    is_terminal = console is not None and console.is_terminal
    width = min(max(console.width, NARROW), WIDE) - 2 if console is not None and is_terminal else None
    page = _Page(zone, today, width, frozenset(tokenize_question(answer.question)) if is_terminal else frozenset())
    for line in _format_answer(answer, page):
        if console is None:
            print_line("".join(text for text, _ in line))
        else:
            from rich.text import Text

            console.print(
                Text.assemble(*((make_visible(text), style) for text, style in line)), soft_wrap=True
            )  # the lines are wrapped here


def _format_answer(answer: Answer, page: _Page) -> Iterator[Line]:
    if answer.id is not None:
        yield [(str(answer.id), "dim"), (" ", ""), (answer.question, "bold")]
    has_answer = answer.answer is not None
    paragraphs = (
        shorten_cited_ids(answer.answer, answer.hits).splitlines() if answer.answer is not None else [_format_abstention(answer)]
    )
    if answer.doubt:
        yield from ([(line, "bold")] for line in _wrap(f"{answer.doubt} The nearest evidence:", page, "", "  "))
    for paragraph in paragraphs:
        for line in _wrap(paragraph, page, "", "  "):
            if not has_answer:
                yield [(line, "bold")]
                continue
            pieces = [piece for piece in CITATION.split(line) if piece]
            yield [
                part
                for piece in pieces
                for part in ([(piece, "dim")] if CITATION.fullmatch(piece) else _mark_words(piece, page.words))
            ]
    if not answer.hits:
        return
    room = PIPED_CHARACTERS if page.width is None else HIT_LINES * (page.width - len(INDENT))
    exchanges = list_exchanges(answer.listed, room, len(answer.hits))
    yield []
    search = _format_search(answer, len(exchanges), page.zone)
    yield from ([(line, "dim")] for line in _wrap(search, page, "", "  "))
    names = name_projects(hit for hit, _ in exchanges)
    for number, (hit, text) in enumerate(exchanges, start=1):
        yield from _format_hit(number, hit, text, names[hit.project], page)


def _format_abstention(answer: Answer) -> str:
    return f"{answer.abstention} The nearest:" if answer.hits else answer.abstention


def _format_search(answer: Answer, hits: int, zone: ZoneInfo) -> str:
    freshness = f"memory as of {answer.fresh_as_of.astimezone(zone):%Y-%m-%d %H:%M}" if answer.fresh_as_of else ""
    count = f"{hits} hit{'s' if hits > 1 else ''}"
    return " · ".join(part for part in (count, answer.mode, freshness, f"{answer.took_ms} ms") if part)


def _format_hit(number: int, hit: Hit, text: str, project: str, page: _Page) -> Iterator[Line]:
    parts = [name_kind(hit), _format_age(find_local_day(hit, page.zone), page.today), project]
    mark = PRIORITY_MARKS.get(hit.priority or "", NO_PRIORITY)
    first, *others = (part for part in parts if part)
    head = [(f"{number:>3}  {mark} {first}", ""), *((f" · {part}", "") for part in others)]
    if hit.superseded_by:
        head.append((f" · superseded by {shorten_id(hit.superseded_by)}", "yellow"))
    elif hit.until is not None:
        head.append((f" · until {hit.until.astimezone(page.zone).date()}", "yellow"))
    else:
        head += [(f" · {mark}", "yellow") for mark in (hit.changed, hit.waits) if mark]
    yield from _break_head([*head, (f"  {shorten_id(hit.id)}", "cyan")], page)
    lines = _wrap(text, page, INDENT, INDENT)
    room = len(text)
    while len(lines) > HIT_LINES:  # words do not fill a line to its end
        room -= max(len(lines[-1]) - len(INDENT), 1)
        lines = _wrap(cut_closed(text, room), page, INDENT, INDENT)
    yield from ([(line, "dim")] if hit.superseded_by or hit.until else _mark_words(line, page.words) for line in lines)


def _break_head(head: Line, page: _Page) -> Iterator[Line]:
    """Yield the pieces of a head in lines as wide as the page; a piece stays whole."""
    line: Line = []
    for text, style in head:
        if line and page.width is not None and sum(len(piece) for piece, _ in line) + len(text) > page.width:
            yield line
            line = [(INDENT, ""), (text.removeprefix(" · ").strip(), style)]
        else:
            line.append((text, style))
    yield line


def _mark_words(line: str, words: frozenset[str]) -> Line:
    """Return a line in pieces; those of the question's words, in any inflection, are bold."""
    if not words:
        return [(line, "")]
    return [(piece, "bold" if words.intersection(tokenize(piece)) else "") for piece in WORD.split(line) if piece]


def _wrap(text: str, page: _Page, first: str, others: str) -> list[str]:
    if page.width is None:
        return [first + text]
    return textwrap.wrap(text, page.width, initial_indent=first, subsequent_indent=others) or [first]


def _format_age(day: date | None, today: date) -> str:
    if day is None:
        return ""
    days = (today - day).days
    return f"{day} ({'today' if days == 0 else f'{days} days ago' if days > 1 else 'yesterday' if days == 1 else 'later'})"
