"""`recollect ask` and `show`: what memory holds, with citations."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from effects.system.errors import SourceError, UsageError
from recollect.asking import filters_of, put
from recollect.terminal import opened, say, say_json

if TYPE_CHECKING:
    from effects.store.run import Run
    from transforms.recall.types import Answer, Filters

Json = Annotated[bool, Parameter(name="--json", help="One JSON object per line.")]

Batch = Annotated[
    Path | None, Parameter(allow_leading_hyphen=True, help="A file of JSON lines {id, question, project?}; - is stdin.")
]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What may be found, and how much of it."""

    within: Annotated[str, Parameter(name="--in", help="Where to look: memory,observations,distillates,segments,turns.")] = ""
    project: Annotated[str | None, Parameter(help="Full path or last part of a project, or `all`; else this folder's.")] = None
    since: Annotated[str | None, Parameter(help="Only what was said from this day on.")] = None
    until: Annotated[str | None, Parameter(help="Only what was said up to this day, included.")] = None
    kind: Annotated[str, Parameter(help="Only these kinds of facts: decision,rule,…")] = ""
    priority: Annotated[str, Parameter(help="Only these priorities: high,medium,low.")] = ""
    k: Annotated[int, Parameter(name="-k", help="How many hits; 10.")] = 10
    max_tokens: Annotated[int | None, Parameter(help="Bound on the answer and the hits together.")] = None


def ask(
    question: str | None = None,
    /,
    *,
    batch: Batch = None,
    narrowed: Annotated[Narrowed, Parameter(name="*")] = Narrowed(),
    json: Json = False,
) -> int:
    """Answer a question from memory, with citations.

    Parameters
    ----------
    question
        What you want to know, in your own words.
    """
    if (question is None) == (batch is None):
        raise UsageError("either a question or --batch FILE", 'recollect ask "what did we decide about …?"')
    run = opened()
    from effects.recall.ask import ask as answer_to
    from effects.recall.ask import ask_batch, open_recall

    filters, recall = filters_of(asdict(narrowed)), open_recall(run)
    answers = ask_batch(recall, _rows(batch), filters) if batch else iter([answer_to(recall, question or "", filters)])
    put(run, _worded(run, answers, filters), filters, json)
    return 0


def _worded(run: Run, answers: Iterator[Answer], filters: Filters) -> Iterator[Answer]:
    """In a model's words when a reflector is set; without one nothing of the engines is imported (a cold question: 0.5 s)."""
    from effects.config.engine_chain import parse_engine_chain

    if not parse_engine_chain(run.settings.engine.reflector):
        return answers
    from effects.engines.answerer import build_answerer

    answerer = build_answerer(run)
    return (answerer.written(answer, filters.max_tokens) for answer in answers)


def show(id: str, /, *, json: Json = False) -> int:
    """Follow any id down to the original entries.

    Parameters
    ----------
    id
        Of a fact, segment, window, condensed period, proposal, line of MEMORY.md or session, or `session:entry`;
        its beginning is enough.
    """
    run = opened()
    from effects.recall.show_record import show as follow
    from transforms.recall.show_page import shown_text

    found = follow(run, id)
    if json:
        say_json(found.as_dict())
    else:
        say(shown_text(found).rstrip("\n"))
    return 0


def _rows(batch: Path) -> Iterator[Any]:
    import orjson

    try:
        text = sys.stdin.read() if str(batch) == "-" else batch.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            f"{batch} cannot be read: {getattr(error, 'strerror', None) or error}", "recollect ask --batch FILE"
        ) from error
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield orjson.loads(line)
            except ValueError as error:
                raise UsageError(
                    f"line {number} of {batch} is no JSON", 'one object per line: {"id": "1", "question": "…"}'
                ) from error
