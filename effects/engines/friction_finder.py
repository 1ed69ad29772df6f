"""Asks a model what kept going wrong in the last days: evidence and pages in one request; the answer is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Chain, ModelAnswer, ModelTask
from effects.system.templates import render_template
from transforms.distil.row_grounding import escape_row
from transforms.friction.friction_answer import FoundFriction, FrictionAnswer, ground_friction, parse_friction_lines
from transforms.friction.week_evidence import WeekRow
from transforms.memory.proposing.shown_evidence import select_memory_lines
from transforms.pages.memory_md import MemoryPage
from transforms.pages.page_names import shorten_project
from transforms.redaction.redact import redact

FRICTION_TEMPLATES = ("llm/friction.md.j2", "llm/week.md.j2", "llm/reask.md.j2")
MAX_AGENT_LINES = 60
"""Lines of one AGENTS.md that a request shows, the first."""
MAX_KNOWN = 40
"""Former proposals that a request shows, the newest."""


@dataclass(frozen=True, slots=True)
class FrictionFinder:
    """A chain of models that is asked for friction."""

    chain: Chain
    owner: str
    zone: tzinfo

    def find(
        self, rows: Sequence[WeekRow], page: MemoryPage, agent_lines: Mapping[str, Sequence[str]], known: Sequence[str], most: int
    ) -> ModelAnswer[FoundFriction]:
        """Return the friction that the rows bear out; the model is asked for at most `most`. `agent_lines` are those of each
        AGENTS.md by its path; `known` was offered before.

        Raises:
            NoAnswerError: when no model gave a usable answer.
        """
        files = [(path, _select_lines(lines)) for path, lines in agent_lines.items() if lines]
        written = [line for lines in agent_lines.values() for line in lines]

        def render(form: str) -> tuple[str, str]:
            """Return the system text and the prompt: the pages, what was offered, and the numbered rows."""
            prompt = render_template(
                "llm/week.md.j2",
                memory=select_memory_lines(page),
                files=files,
                known=[escape_row(text) for text in known[-MAX_KNOWN:]],
                rows=_format_rows(rows, self.zone),
                most=most,
            )
            return render_template("llm/friction.md.j2", owner=self.owner, format=form), prompt

        def read(form: str, answer: str) -> FoundFriction:
            """Return the items whose rows support them; ValueError for an unreadable answer."""
            parse: Callable[[str], FrictionAnswer] = parse_friction_lines if form == "xml" else FrictionAnswer.model_validate_json
            return ground_friction(parse(answer), rows, page.bullets, written, self.zone)

        return self.chain.ask(ModelTask(FRICTION_TEMPLATES, FrictionAnswer, render, read))


def _select_lines(lines: Sequence[str]) -> list[str]:
    """Return the first lines of a file without secrets: nothing has read it before."""
    return [redact(escape_row(line)) for line in lines[:MAX_AGENT_LINES]]


def _format_rows(rows: Sequence[WeekRow], zone: tzinfo) -> list[str]:
    """Return `#3 2026-05-03 B [correction, owner] project: text`; sessions get their letters in order of time."""
    names: dict[str, str] = {}
    for row in rows:
        for session in row.sessions:
            names.setdefault(session, _name_session(len(names)))
    lines = []
    for number, row in enumerate(rows, 1):
        sessions = "+".join(names[session] for session in row.sessions)
        project = f" {shorten_project(row.project)}:" if row.project else ""
        day = row.said_at.astimezone(zone).date()
        lines.append(f"#{number} {day} {sessions} [{', '.join(row.signs)}]{project} {escape_row(row.text)}")
    return lines


def _name_session(number: int) -> str:
    """Return A to Z, then AA, AB and so on."""
    rest, place = divmod(number, 26)
    return (_name_session(rest - 1) if rest else "") + chr(ord("A") + place)
