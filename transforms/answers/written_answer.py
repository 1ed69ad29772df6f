"""An answer in a model's words: its response model and its XML form. Every sentence is checked against the hits that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, tzinfo

from pydantic import BaseModel, model_validator

from transforms.answers.exchange_context import describe_context
from transforms.answers.hit_lines import name_kind
from transforms.distil.row_grounding import SHOWN_LINES, CitedRow, describe_held_line, escape_row, format_age, ground_line
from transforms.model_answers.answer_fields import LIST_ITEM, Numbers, fill_refs, parse_numbers
from transforms.model_answers.answer_xml import read_element, strip_fences
from transforms.model_answers.repetition import is_degenerate
from transforms.patterns.late_pattern import compile_late
from transforms.quoting.closed_cut import cut_closed
from transforms.quoting.speaker_labels import label_spoken_text
from transforms.recall.types import Hit
from transforms.tables.tokens import count_tokens

HIT_CHARS = 1_200
"""Characters of a hit in the prompt: a turn may be pages long, and its best piece comes first."""
WORDS_PER_TOKEN = 0.75

_REFERENCES = compile_late(
    r"(?:(?<!\s)\s++)?[(\[](?:refs?:?\s*)?#?\d++(?:[\s,;]*+(?:and\s+)?#?\d++)*+[)\]]\s*+(?:[.]\s*+)?$", re.I
)


class Sentence(BaseModel):
    """A sentence with the numbers of the rows that prove it."""

    text: str
    refs: Numbers

    _fill_in = model_validator(mode="before")(fill_refs)


class WrittenAnswer(BaseModel):
    """Sentences, the answer first; none when the rows do not hold one."""

    is_in_memory: bool
    sentences: list[Sentence] = []


def format_hit(number: int, hit: Hit, zone: tzinfo, today: date) -> str:
    """Return a hit as the prompt shows it: `#2 2026-05-03 observation, decision, 3 sessions, 6 days ago, replaced: text`; of a
    turn with its speaker, of another project than the question's with its name."""
    said_on = hit.said_at.astimezone(zone).date() if hit.said_at else None
    sessions = len({hit.session_id, *(citation.session_id for citation in hit.also)})
    signs = (
        hit.source, hit.kind and name_kind(hit), hit.speaker, f"{sessions} sessions" if sessions > 1 else None,
        format_age(said_on, today) if said_on else None, "replaced" if hit.superseded_by else None,
        hit.waits or None,
        hit.changed or None,
        f"of project {hit.elsewhere}" if hit.elsewhere else None,
    )  # fmt: skip
    about = ", ".join(sign for sign in signs if sign)
    day = f"{said_on} " if said_on else ""
    text = label_spoken_text(hit.text, hit.speaker, hit.quoted) if hit.quoted else hit.text
    return "".join([f"#{number} {day}{about}: {cut_closed(escape_row(text), HIT_CHARS)}", *_list_context(hit)])


def _list_context(hit: Hit) -> list[str]:
    """Return what was said right before and right after a hit, each in brackets."""
    return [f" [{escape_row(describe_context(line))}]" for line in hit.context]


def parse_written_answer(raw: str) -> WrittenAnswer:
    """Parse the XML form of an answer.

    Raises:
        ValueError: when it contains no answer, or when it stops in the middle.
    """
    text = strip_fences(raw)
    if not re.search(r"</answer>", text, re.I):
        raise ValueError("it stops before </answer>" if "<answer" in text.lower() else "there is no <answer> in it")
    body = read_element("answer", text)
    bullets = [match[1] for line in body.splitlines() if (match := LIST_ITEM.match(line))]
    if not bullets and not re.search(r"\bnot in memory\b", body, re.I):
        raise ValueError("there is no sentence with a reference in it")
    sentences = [Sentence(text=_REFERENCES.sub("", bullet), refs=_parse_references(bullet)) for bullet in bullets]
    return WrittenAnswer(is_in_memory=bool(sentences), sentences=sentences)


def render_written_answer(answer: WrittenAnswer, hits: Sequence[Hit], zone: tzinfo, budget: int, today: date) -> str | None:
    """Return the answer with its citations, one sentence per line, within `budget` tokens; None when the model found none.

    An ungrounded sentence is left out. The first one is the answer itself: without it the rest would mislead.

    Raises:
        ValueError: when it loops, is empty, or its first sentence is ungrounded; the message names the sentences and their rows.
    """
    if not answer.is_in_memory:
        return None
    if not answer.sentences or is_degenerate([sentence.text for sentence in answer.sentences]):
        raise ValueError("degenerate output" if answer.sentences else "empty output")
    sources = {number: _make_cited_row(number, hit, zone, today) for number, hit in enumerate(hits, 1)}
    grounded = []
    held = []
    for number, sentence in enumerate(answer.sentences):
        text = " ".join(sentence.text.split())
        refs, reason = ground_line(text, sentence.refs, sources, zone, is_narrative=True)
        if reason:
            held.append((number, describe_held_line(text, sentence.refs, reason)))
        else:
            grounded.append((text, refs))
    if held and held[0][0] == 0:
        raise ValueError("; ".join(complaint for _, complaint in held[:SHOWN_LINES]))
    lines: list[str] = []
    for text, refs in grounded:
        line = f"{text} [{'; '.join(_format_citation(hits[ref - 1], zone) for ref in refs)}]"
        if lines and count_tokens("\n".join([*lines, line])) > budget:
            break
        lines.append(line)
    return "\n".join(lines)


def _parse_references(bullet: str) -> list[int]:
    references = _REFERENCES.search(bullet)
    return parse_numbers(references[0]) if references else []


def _make_cited_row(number: int, hit: Hit, zone: tzinfo, today: date) -> CitedRow:
    said_at = hit.said_at or datetime(1970, 1, 1, tzinfo=UTC)
    said_on = said_at.astimezone(zone).date()
    about = f"{said_on} {format_age(said_on, today)} {hit.project or ''} {hit.kind or ''}"
    return CitedRow(number, "".join([hit.text, *_list_context(hit)]), said_at, about)


def _format_citation(hit: Hit, zone: tzinfo) -> str:
    day = f"{hit.said_at.astimezone(zone):%Y-%m-%d}" if hit.said_at else ""
    successor = f"replaced by {hit.superseded_by}" if hit.superseded_by else ""
    return ", ".join(part for part in (hit.id, day, hit.elsewhere, successor) if part)
