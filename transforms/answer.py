"""From ranked candidates to hits that cite their entries, and to a short answer, or none when the evidence is not there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from transforms.query import Question
from transforms.rank import Corpus, Ranked, neighbours
from transforms.recall import Evidence, Hit, stamp, within_budget
from transforms.tokens import tokens
from transforms.words import words

ANSWER_TOKENS = 160
"""What an answer may be long when no budget is given: three or four facts."""
ANSWER_HITS = 4
COVERED, CLOSE = 0.25, 0.3
"""No answer below both: share of the question's word weight in the answer's hits, and the best cosine among them. 95 % of 72
paraphrased questions with an answer lie above each."""
KNOWN_WITHIN = 10
"""Hits (with their neighbours) in which everything that the question names literally must occur. On 112 questions that
refused 6 of 40 that had no answer and none of 72 that had one; neither word overlap nor cosine tells the rest apart (area
under the curve 0.4–0.6: who asks for what was never said uses the very words of the conversation)."""
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


def said_by(
    rows: Sequence[Row],
    ranked: Sequence[Ranked],
    hits: Sequence[Hit],
    question: Question,
    corpus: Corpus,
    max_tokens: int | None,
) -> tuple[str | None, str]:
    """The answer, or None, and the nearest miss in that case."""
    if not hits:
        return None, ""
    known = _known(rows, ranked) if question.specifics else set()
    if any(not {specific[-1]} <= known and not set(specific[:-1] or specific) <= known for specific in question.specifics):
        return None, hits[0].text
    best = ranked[:ANSWER_HITS]
    weights = {word: corpus.weight(word) for word in question.words}
    present = {word for one in best for word in rows[one.index]["found"]} & set(weights)
    covered = sum(weights[word] for word in present) / (sum(weights.values()) or 1.0)
    if covered < COVERED and max((one.cosine for one in best), default=0.0) < CLOSE:
        return None, hits[0].text
    return _composed(rows, ranked, hits, weights, answer_budget(max_tokens)), ""


def _known(rows: Sequence[Row], ranked: Sequence[Ranked]) -> set[str]:
    """The words of the best hits and of what was said around them."""
    near = neighbours(rows)
    around = [{one.index, *(other for other, _ in near[one.index])} for one in ranked[:KNOWN_WITHIN]]
    return {word for group in around for index in group for word in rows[index]["found"]}


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


def _composed(
    rows: Sequence[Row], ranked: Sequence[Ranked], hits: Sequence[Hit], weights: Mapping[str, float], budget: int
) -> str:
    """Excerpts of the first hits that are about the question nearly as much as the best of them, each with its source."""
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
        at = (stamp(hit.said_at) or "")[:10]
        note = f", replaced by {hit.superseded_by}" if hit.superseded_by else ""
        line = f"{who}{excerpt(hit.text, weights)} [{', '.join(part for part in (hit.id, at) if part)}{note}]"
        if lines and tokens("\n".join([*lines, line])) > budget:
            continue
        lines.append(line)
    return "\n".join(lines)


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
