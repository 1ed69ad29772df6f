"""From ranked candidates to hits that cite their entries, and to a short answer, or none when the evidence is not there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from transforms.query import Question
from transforms.rank import Ranked
from transforms.recall import Evidence, Hit, within_budget
from transforms.tokens import tokens
from transforms.words import words

ANSWER_TOKENS = 160
"""What an answer may be long when no budget is given: three or four facts."""
ANSWER_HITS = 4
LINES_SHOWN = 8
EXCERPT = 240
NEARLY = 0.7
"""Share of the best hit's words or cosine below which a hit is not part of the answer."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WHO = {"user": "User", "assistant": "Agent"}

Row = Mapping[str, Any]


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
    weights: Mapping[str, float],
    budget: int,
    zone: ZoneInfo,
    today: date | None = None,
) -> str:
    """Excerpts of the first hits that are about the question nearly as much as the best of them, each with its source.

    With `today` the question asks when it was: the first line says the day, and how long ago that is.
    """
    about = {(rows[one.index]["id"], rows[one.index]["text"]): one for one in ranked if "text" in rows[one.index]}
    first = [one for hit in hits[:ANSWER_HITS] if (one := about.get((hit.id, hit.text)))]
    lexical, cosine = (max((getattr(one, name) for one in first), default=0.0) for name in ("lexical", "cosine"))
    lines: list[str] = []
    for hit in hits[:ANSWER_HITS]:
        one = about.get((hit.id, hit.text))
        if lines and one and one.lexical < NEARLY * lexical and one.cosine < NEARLY * cosine:
            continue
        said = rows[one.index]["speaker"] if one else None
        who = f"{_WHO[said]}: " if said in _WHO else ""
        line = ("" if lines or today is None else _when(hit, zone, today)) + who + _cited(hit, excerpt(hit.text, weights), zone)
        if lines and tokens("\n".join([*lines, line])) > budget:
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
