"""A model's answer about friction: its schema, its plain form, and its grounding in the rows of the request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from statistics import mean
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, model_validator

from transforms.conversation.origins import find_least_trusted
from transforms.distil.row_grounding import SHOWN_LINES, CitedRow, describe_held_line, ground_line
from transforms.friction.patterns import (
    CORRECTION_MINUTES,
    MAX_MINUTES,
    MIN_REPEATS,
    SEARCH_MINUTES,
    STALE_MINUTES,
    Friction,
    PatternName,
    Scope,
)
from transforms.friction.week_evidence import WeekRow
from transforms.memory.normalise_claim import is_standalone
from transforms.memory.proposal_answer import LEADING_DATE, REPLACEMENT, TRAILING_REFS, is_quoted, strip_quote
from transforms.model_answers.answer_fields import LIST_ITEM, KeepFitting, Numbers, OptionalText, fill_refs, parse_numbers
from transforms.model_answers.answer_xml import read_element, strip_fences
from transforms.model_answers.repetition import is_degenerate
from transforms.pages.memory_md import HARD_RULES, PATTERNS, Bullet
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops

_SCOPES = get_args(Scope)
_MINUTES: Mapping[str, float] = {"repeated correction": CORRECTION_MINUTES, "stale memory": STALE_MINUTES}
_ITEM = compile_late(r"^(?P<pattern>[a-z ]+?)\s*\|\s*(?P<target>\w+)\s*\|\s*(?P<text>.*)$", re.I)


def _parse_pattern(value: Any) -> Any:
    """Return a pattern as models spell it; an unknown one becomes none of the six and fails."""
    return re.sub(r"[\s_-]+", " ", str(value).strip().lower()).removesuffix("s")


def _parse_scope(value: Any) -> Any:
    """Return where the change belongs; the agents' rules when a model names something else."""
    name = str(value).strip().lower().partition(".")[0]
    return name if name in _SCOPES else "agents"


class FrictionItem(BaseModel):
    """Something that keeps going wrong, with the line that ends it and the numbers of the rows that show it."""

    pattern: Annotated[PatternName, BeforeValidator(_parse_pattern)]
    text: str
    target: Annotated[Scope, BeforeValidator(_parse_scope)] = "agents"
    replaces: OptionalText = ""
    refs: Numbers

    _fill_in = model_validator(mode="before")(fill_refs)


class FrictionAnswer(BaseModel):
    """What kept going wrong; mostly one or two items, or none."""

    items: Annotated[list[FrictionItem], KeepFitting]


@dataclass(frozen=True, slots=True)
class FoundFriction:
    """The grounded items, and the number of held ones by reason."""

    items: tuple[Friction, ...]
    held: dict[str, int]


def parse_friction_lines(raw: str) -> FrictionAnswer:
    """Return the answer in the plain form, an item a line: `- pattern | target | text (#3 #7)`.

    Raises:
        ValueError: when there is no list in it, or an item has an unknown pattern.
    """
    text = strip_fences(raw)
    if not re.search(r"<friction\b.*</friction>", text, re.I | re.S):
        raise ValueError("there is no <friction>…</friction> in it")
    items: list[FrictionItem] = []
    for line in read_element("friction", text).splitlines():
        bullet = LIST_ITEM.match(line)
        if (match := _ITEM.match(bullet[1]) if bullet else None) is None:
            continue
        refs = TRAILING_REFS.search(match["text"])
        words = TRAILING_REFS.sub("", match["text"])
        replaced = REPLACEMENT.match(words)
        items.append(
            FrictionItem.model_validate(
                {
                    "pattern": match["pattern"],
                    "target": match["target"],
                    "text": replaced["new"] if replaced else words,
                    "replaces": replaced["old"] if replaced else "",
                    "refs": parse_numbers(refs[0]) if refs else [],
                }
            )
        )
    return FrictionAnswer(items=items)


def ground_friction(
    answer: FrictionAnswer, rows: Sequence[WeekRow], bullets: Sequence[Bullet], agent_lines: Sequence[str], zone: tzinfo
) -> FoundFriction:
    """Return the items that rows of two sessions bear out (`#1` is the first row), and the reasons of the others.

    A stale line has to be quoted exactly: one of MEMORY.md is offered for replacement, one of an AGENTS.md is named beside the
    change. What happened in one session is no friction.

    Raises:
        ValueError: when it loops, or when none of its items is grounded.
    """
    if is_degenerate([item.text for item in answer.items]):
        raise ValueError("degenerate output")
    held: Counter[str] = Counter()
    ungrounded: list[str] = []
    frictions: list[Friction] = []
    for item in answer.items:
        text = drop_end_stops(LEADING_DATE.sub("", " ".join(item.text.split())))
        old, other = _find_line(item.replaces, bullets), _find_agent_line(item.replaces, agent_lines)
        about = old.text if old else other  # what takes the place of a line may keep names and numbers of it
        sources = {
            number: CitedRow(number, row.text, row.said_at, f"{row.project} {about}") for number, row in enumerate(rows, 1)
        }
        refs, reason = ground_line(text, item.refs, sources, zone)
        cited = [rows[ref - 1] for ref in (refs or item.refs) if 1 <= ref <= len(rows)]
        sessions = sorted({session for row in cited for session in row.sessions})
        if not reason and len(sessions) < MIN_REPEATS:
            reason = "rests on one session"
        if not reason and item.pattern == "stale memory" and not old and not other:
            reason = "quotes no line that a page has"
        if not reason and not is_standalone(text, is_worded=True):
            reason = "cannot stand alone"
        if reason:
            held[reason.partition(": ")[0]] += 1
            ungrounded.append(describe_held_line(text, item.refs, reason))
            continue
        frictions.append(_build(item, text, cited, sessions, old))
    if ungrounded and not frictions:
        raise ValueError(f"no item in it can stand: {'; '.join(ungrounded[:SHOWN_LINES])}")
    return FoundFriction(tuple(frictions), dict(sorted(held.items())))


def _build(item: FrictionItem, text: str, cited: Sequence[WeekRow], sessions: Sequence[str], old: Bullet | None) -> Friction:
    measured = [min(MAX_MINUTES, row.minutes) for row in cited if row.minutes]
    is_memory = old is not None or (item.target == "memory" and item.pattern != "stale memory")
    scope: Scope = "memory" if is_memory else "agents" if item.target == "memory" else item.target
    section = old.section if old else HARD_RULES if item.pattern == "repeated correction" else PATTERNS
    if item.pattern == "stale memory" and old is None:
        text = f"{text} (instead of “{item.replaces.strip()}”)"
    return Friction(
        item.pattern, text, section, scope, tuple(sessions), tuple(sorted({row.project for row in cited})),
        tuple(dict.fromkeys(row.evidence for row in cited)),
        round(mean(measured), 1) if measured else _MINUTES.get(item.pattern, SEARCH_MINUTES),
        old.line if old else None, find_least_trusted(row.origin for row in cited) or "tool",
    )  # fmt: skip


def _find_line(quote: str, bullets: Sequence[Bullet]) -> Bullet | None:
    """Return the one-line bullet of MEMORY.md that is quoted, with its date or without."""
    return next((bullet for bullet in bullets if bullet.is_one_line and is_quoted(bullet, quote)), None)


def _find_agent_line(quote: str, lines: Sequence[str]) -> str:
    """Return the line of an AGENTS.md that is quoted; empty when there is none."""
    wanted = strip_quote(quote)
    return next((line for line in lines if wanted and wanted == strip_quote(line)), "")
