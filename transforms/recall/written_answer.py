"""An answer in a model's words: asked of it as a schema or as XML, every sentence checked against the hits that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo

from pydantic import BaseModel

from transforms.distil.answer_fields import Numbers
from transforms.distil.answer_xml import read_element, strip_fences
from transforms.distil.output_checks import is_degenerate
from transforms.distil.row_grounding import CitedRow, escape_row, ground_line
from transforms.recall.types import Hit
from transforms.tables.tokens import tokens

HIT_CHARS = 1_200
"""So much of a hit is shown: a whole turn may be pages long, and its best piece comes first."""
WORDS_PER_TOKEN = 0.75

_BULLET = re.compile(r"^\s*[-*•+]\s+(.*\S)\s*$")
_REFS = re.compile(r"\s*[(\[](?:refs?:?\s*)?#?\d+(?:[\s,;]*(?:and\s+)?#?\d+)*[)\]]\s*[.]?\s*$", re.I)


class Sentence(BaseModel):
    """A sentence with the numbers of the rows that prove it."""

    text: str
    refs: Numbers


class WrittenAnswer(BaseModel):
    """Sentences, the answer first; none when the rows do not hold one."""

    is_in_memory: bool
    sentences: list[Sentence] = []


def shown_hit(number: int, hit: Hit, zone: tzinfo) -> str:
    """A hit as the prompt shows it: `#2 2026-05-03 observation, decision, replaced by #1: text`."""
    about = ", ".join(part for part in (hit.source, hit.kind, "replaced" if hit.superseded_by else None) if part)
    when = f"{hit.said_at.astimezone(zone):%Y-%m-%d} " if hit.said_at else ""
    text = escape_row(hit.text)
    return f"#{number} {when}{about}: {text if len(text) <= HIT_CHARS else text[: HIT_CHARS - 1] + '…'}"


def parse_written(raw: str) -> WrittenAnswer:
    """The XML form.

    Raises:
        ValueError: when there is no answer in it, or when it stops in the middle.
    """
    text = strip_fences(raw)
    if not re.search(r"</answer>", text, re.I):
        raise ValueError("it stops before </answer>" if "<answer" in text.lower() else "there is no <answer> in it")
    body = read_element("answer", text)
    found = [match[1] for line in body.splitlines() if (match := _BULLET.match(line))]
    if not found and not re.search(r"\bnot in memory\b", body, re.I):
        raise ValueError("there is no sentence with a reference in it")
    told = [
        Sentence(
            text=_REFS.sub("", one), refs=[int(n) for n in re.findall(r"\d+", refs[0])] if (refs := _REFS.search(one)) else []
        )
        for one in found
    ]
    return WrittenAnswer(is_in_memory=bool(told), sentences=told)


def answer_text_of(answer: WrittenAnswer, hits: Sequence[Hit], zone: tzinfo, budget: int) -> str | None:
    """The answer with its citations, one sentence per line, within `budget` tokens; null when the model says that there is none.

    Raises:
        ValueError: when it loops, is empty, or holds a sentence that its hits do not bear out: half an answer misleads.
    """
    if not answer.is_in_memory:
        return None
    if not answer.sentences or is_degenerate([one.text for one in answer.sentences]):
        raise ValueError("degenerate output" if answer.sentences else "empty output")
    sources = {number: _source(number, hit, zone) for number, hit in enumerate(hits, 1)}
    lines: list[str] = []
    for sentence in answer.sentences:
        text = " ".join(sentence.text.split())
        refs, reason = ground_line(text, sentence.refs, sources, zone, is_story=True)
        if reason:
            raise ValueError(reason)
        line = f"{text} [{'; '.join(_cited(hits[ref - 1], zone) for ref in refs)}]"
        if lines and tokens("\n".join([*lines, line])) > budget:
            break
        lines.append(line)
    return "\n".join(lines)


def _source(number: int, hit: Hit, zone: tzinfo) -> CitedRow:
    when = hit.said_at or datetime(1970, 1, 1, tzinfo=UTC)
    return CitedRow(number, hit.text, when, f"{when.astimezone(zone):%Y-%m-%d} {hit.project or ''} {hit.kind or ''}")


def _cited(hit: Hit, zone: tzinfo) -> str:
    when = f"{hit.said_at.astimezone(zone):%Y-%m-%d}" if hit.said_at else ""
    replaced = f"replaced by {hit.superseded_by}" if hit.superseded_by else ""
    return ", ".join(part for part in (hit.id, when, replaced) if part)
