"""From ranked candidates to hits that cite their entries, and to a short answer, or none when the evidence is not there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from transforms.language.tokenizer import words
from transforms.recall.answerability import LOOKED_AT
from transforms.recall.query import Question
from transforms.recall.rank import Ranked
from transforms.recall.types import Evidence, Hit, within_budget
from transforms.tables.tokens import tokens

ANSWER_TOKENS = 240
"""What an answer may be long when no budget is given: four or five facts."""
ANSWER_HITS = 5
LINES_SHOWN = 8
LEAD, EXCERPT = 300, 180
"""Characters of the first line and of the others."""
TOLD = 0.7
"""Share of a line's words from which it was told by the lines before it: a fact, the turn that it is from and the narrative of
both are one line. With it 33 of 72 gold answers hold all that they must name, 17 in the first line; four lines of 240 characters
in 160 tokens, led by what settles most, 23 and 15. Leading with decisions and causes, with the value asked for, with the latest,
and after guesses and announcements, gained nothing in 146 questions: the order of the ranking is kept."""

ABOUT = " (about: "
"""Behind it a fact repeats what it answers: that may have been told, and what was said to it still be news."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WHO = {"user": "User", "assistant": "Agent"}

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Form:
    """How an answer is worded: its tokens, the zone of its days, and `today` when the question asks when something was (the first
    line then says the day, and how long ago that is)."""

    budget: int
    zone: ZoneInfo
    today: date | None = None


def hits_of(
    rows: Sequence[Row], found: Sequence[tuple[Ranked, list[int]]], question: Question, max_tokens: int | None
) -> list[Hit]:
    """The hits of the ranked and folded candidates; what was folded under one adds its evidence."""
    hits = [_hit(rows, ranked, others) for ranked, others in found]
    return list(within_budget(hits, None if max_tokens is None else max_tokens - answer_budget(max_tokens)))


def nearest_miss(hits: Sequence[Hit], weights: Mapping[str, float], zone: ZoneInfo) -> str:
    """What comes closest when there is no answer, with its source; empty when nothing was found."""
    return _cited(hits[0], excerpt(hits[0].text, weights, LEAD), zone) if hits else ""


def answer_budget(max_tokens: int | None) -> int:
    """Tokens that the answer may take of a budget for answer and hits together: a third, and never more than its usual."""
    return ANSWER_TOKENS if max_tokens is None else min(max_tokens // 3, ANSWER_TOKENS)


def excerpt(text: str, weights: Mapping[str, float], limit: int = EXCERPT) -> str:
    """The stretch of whole sentences or lines, at most `limit` characters, that has most of the question's word weight."""
    parts = [" ".join(part.split()) for part in _SENTENCE.split(text) if part.strip()]
    if sum(map(len, parts)) + len(parts) <= limit:
        return " ".join(parts)
    told = [{word: weights[word] for word in words(part) if word in weights} for part in parts]
    best, chosen = -1.0, ""
    for start in range(len(parts)):
        end, size, found = start + 1, len(parts[start]), dict(told[start])
        while end < len(parts) and size + 1 + len(parts[end]) <= limit:
            size += 1 + len(parts[end])
            found |= told[end]
            end += 1
        worth = sum(found.values())
        if worth > best + 1e-9:
            best, chosen = worth, " ".join(parts[start:end])
    return chosen if len(chosen) <= limit else chosen[: limit - 1].rsplit(" ", 1)[0] + "…"


def composed(rows: Sequence[Row], hits: Sequence[Hit], weights: Mapping[str, float], form: Form) -> str:
    """Excerpts of the best hits, each with its source: the first is the answer, the others bear on it and say something new."""
    speakers = {row["id"]: row["speaker"] for row in rows}
    lines: list[str] = []
    told: set[str] = set()
    for hit in hits[:LOOKED_AT]:
        text = _told(hit, weights, EXCERPT if lines else LEAD)
        own = set(words(text.split(ABOUT)[0]))
        if lines and len(own & told) >= TOLD * len(own):
            continue
        said = speakers.get(hit.id)
        who = f"{_WHO[said]}: " if said in _WHO else ""
        when = _when(hit, form.zone, form.today) if form.today is not None and not lines else ""
        line = when + who + _cited(hit, text, form.zone)
        if lines and tokens("\n".join([*lines, line])) > form.budget:
            continue
        lines.append(line)
        told |= own
        if len(lines) == ANSWER_HITS:
            break
    return "\n".join(lines)


def _told(hit: Hit, weights: Mapping[str, float], limit: int) -> str:
    """The excerpt of a hit. A fact keeps its beginning, which says who said what: its end may be what it was about, or a list."""
    text = excerpt(hit.text, weights, limit)
    whole = " ".join(hit.text.split())
    if hit.source != "observation" or whole.startswith(text.removesuffix("…")):
        return text
    begin = whole[: limit // 2].rsplit(" ", 1)[0]
    return f"{begin} … {excerpt(hit.text, weights, limit - len(begin) - 3)}"


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
