"""From ranked candidates to hits that cite their entries, and to a short answer, or none when the evidence is not there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from transforms.evidence import LOOKED_AT
from transforms.query import Question
from transforms.rank import Ranked
from transforms.recall import Evidence, Hit, within_budget
from transforms.telling import tellings
from transforms.tokens import tokens
from transforms.words import words

ANSWER_TOKENS = 160
"""What an answer may be long when no budget is given: three or four facts."""
ANSWER_HITS = 4
LINES_SHOWN = 8
EXCERPT = 240
NEARLY = 0.6
"""Share of the best hit's telling below which a hit is not part of the answer."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WHO = {"user": "User", "assistant": "Agent"}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """How an answer is worded: its tokens, the zone of its days, `today` when the question asks when something was (the first
    line then says the day, and how long ago that is), and whether the order of the hits is that of the answer."""

    budget: int
    zone: ZoneInfo
    today: date | None = None
    keeps_order: bool = False


def hits_of(
    rows: Sequence[Row], found: Sequence[tuple[Ranked, list[int]]], question: Question, max_tokens: int | None
) -> list[Hit]:
    """The hits of the ranked and folded candidates; what was folded under one adds its evidence."""
    hits = [_hit(rows, ranked, others) for ranked, others in found]
    return list(within_budget(hits, None if max_tokens is None else max_tokens - answer_budget(max_tokens)))


def nearest_miss(hits: Sequence[Hit], weights: Mapping[str, float], zone: ZoneInfo) -> str:
    """What comes closest when there is no answer, with its source; empty when nothing was found."""
    return _cited(hits[0], excerpt(hits[0].text, weights), zone) if hits else ""


def answer_budget(max_tokens: int | None) -> int:
    """Tokens that the answer may take of a budget for answer and hits together: a third, and never more than its usual."""
    return ANSWER_TOKENS if max_tokens is None else min(max_tokens // 3, ANSWER_TOKENS)


def excerpt(text: str, weights: Mapping[str, float], limit: int = EXCERPT) -> str:
    """The stretch of whole sentences or lines, at most `limit` characters, that has most of the question's word weight."""
    parts = [" ".join(part.split()) for part in _SENTENCE.split(text) if part.strip()]
    if sum(map(len, parts)) + len(parts) <= limit:
        return " ".join(parts)
    best, chosen = -1.0, ""
    for start in range(len(parts)):
        end, size = start + 1, len(parts[start])
        while end < len(parts) and size + 1 + len(parts[end]) <= limit:
            size += 1 + len(parts[end])
            end += 1
        stretch = " ".join(parts[start:end])
        worth = sum(weights.get(word, 0.0) for word in set(words(stretch)))
        if worth > best + 1e-9:
            best, chosen = worth, stretch
    return chosen if len(chosen) <= limit else chosen[: limit - 1].rsplit(" ", 1)[0] + "…"


def composed(
    rows: Sequence[Row],
    ranked: Sequence[Ranked],
    hits: Sequence[Hit],
    question: Question,
    weights: Mapping[str, float],
    form: Form,
) -> str:
    """Excerpts of the hits that tell most, each with its source: the first is the answer, the others bear on it as well."""
    about = {(rows[one.index]["id"], rows[one.index]["text"]): one for one in ranked if "text" in rows[one.index]}
    places = [about.get((hit.id, hit.text)) for hit in hits[:LOOKED_AT]]
    told = tellings([(rows[one.index], one) if one else None for one in places], question)
    order = sorted(range(len(told)), key=lambda place: (0.0 if form.keeps_order else -told[place], place))
    lines: list[str] = []
    for place in order[:ANSWER_HITS]:
        hit, one = hits[place], places[place]
        if lines and not form.keeps_order and told[place] < NEARLY * told[order[0]]:
            continue
        said = rows[one.index]["speaker"] if one else None
        who = f"{_WHO[said]}: " if said in _WHO else ""
        when = _when(hit, form.zone, form.today) if form.today is not None and not lines else ""
        line = when + who + _cited(hit, excerpt(hit.text, weights), form.zone)
        if lines and tokens("\n".join([*lines, line])) > form.budget:
            continue
        lines.append(line)
    return "\n".join(lines)


def _when(hit: Hit, zone: ZoneInfo, today: date) -> str:
    if hit.said_at is None:
        return ""
    day = hit.said_at.astimezone(zone).date()
    ago = (today - day).days
    return f"{day} ({'today' if not ago else 'yesterday' if ago == 1 else f'{ago} days ago'}): " if ago >= 0 else f"{day}: "


def _cited(hit: Hit, text: str, zone: ZoneInfo) -> str:
    """The text with its source, the local day, and what replaced it."""
    day = str(hit.said_at.astimezone(zone).date()) if hit.said_at else ""
    note = f", replaced by {hit.superseded_by}" if hit.superseded_by else ""
    return f"{text} [{', '.join(part for part in (hit.id, day) if part)}{note}]"


def _hit(rows: Sequence[Row], ranked: Ranked, others: Sequence[int]) -> Hit:
    row = rows[ranked.index]
    session = row["session_id"]
    entries, lines = list(row["entry_ids"] or ()), list(row["lines"] or ())
    elsewhere: dict[str, tuple[list[str], list[int]]] = {}
    for reference in row["also"] or ():
        other, _, entry = reference.partition(":")
        if other != session:
            elsewhere.setdefault(other, ([], []))[0].append(entry)
    for index in others:
        twin = rows[index]
        if twin["session_id"] and twin["session_id"] != session:
            found = elsewhere.setdefault(twin["session_id"], ([], []))
            found[0].extend(entry for entry in twin["entry_ids"] or () if entry not in found[0])
            found[1].extend(line for line in twin["lines"] or () if line not in found[1])
    return Hit(
        row["id"],
        row["source"],
        row["text"],
        row["kind"],
        row["priority"],
        row["project"],
        session,
        tuple(entries[:LINES_SHOWN]),
        tuple(lines[:LINES_SHOWN]),
        row["said_at"],
        ranked.score,
        row["superseded_by"],
        tuple(
            Evidence(other, tuple(found[0][:LINES_SHOWN]), tuple(found[1][:LINES_SHOWN]))
            for other, found in sorted(elsewhere.items())
        ),
    )
