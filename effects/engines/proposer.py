"""A day's reflection by a model: new evidence, the present MEMORY.md and what was refused in one request, the answer checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Answered, Chain, Task
from effects.system.templates import render_template
from transforms.distil.row_grounding import inert
from transforms.memory.condense import MARKS
from transforms.memory.proposed_answer import Proposals, Reflection, Row, parse_proposals, reflection_of, shown_memory
from transforms.pages.daily_log import short_project
from transforms.pages.memory_md import HARD_RULES, PATTERNS, SYSTEM_ARCHITECTURE, MemoryPage

TEMPLATES = ("llm/rules.md.j2", "llm/reflecting.md.j2", "llm/reflector.md.j2", "llm/evidence.md.j2", "llm/reask.md.j2")


@dataclass(frozen=True, slots=True)
class Proposer:
    """A chain of models that is asked for lines of MEMORY.md; `reflected` is the section for what fits none of the four."""

    chain: Chain
    owner: str
    zone: tzinfo
    reflected: str

    def propose(self, rows: Sequence[Row], page: MemoryPage, refused: Sequence[str], most: int) -> Answered[Reflection]:
        """What the evidence is worth to MEMORY.md, at most `most` lines asked for.

        Raises:
            Unanswered: when no model gave an answer that can be used.
        """
        sections = sections_of(self.owner)

        def render(form: str) -> tuple[str, str]:
            system = render_template("llm/reflector.md.j2", owner=self.owner, format=form, sections=sections)
            told = [_shown(number, row, self.zone) for number, row in enumerate(rows, 1)]
            prompt = render_template(
                "llm/evidence.md.j2", owner=self.owner, memory=shown_memory(page), refused=refused, rows=told, most=most
            )
            return system, prompt

        def read(form: str, answer: str) -> Reflection:
            parse: Callable[[str], Proposals] = parse_proposals if form == "xml" else Proposals.model_validate_json
            return reflection_of(parse(answer), rows, page, sections[0][0], self.reflected, self.zone)

        return self.chain.ask(Task(TEMPLATES, Proposals, render, read))


def sections_of(owner: str) -> tuple[tuple[str, str], ...]:
    """The sections of MEMORY.md with what belongs in them, in page order, and the one for everything else."""
    return (
        (owner, "preferences, style of communication, how decisions are made"),
        (HARD_RULES, f"what {owner} explicitly said must always or never happen"),
        (SYSTEM_ARCHITECTURE, "what runs where, how parts fit together, important paths"),
        (PATTERNS, "what works and what does not, insights from debugging, conventions"),
        ("Reflected", "what fits none of the others"),
    )


def _shown(number: int, row: Row, zone: tzinfo) -> str:
    project = f" {short_project(row['project'])}:" if row["project"] else ""
    said_on = row["said_at"].astimezone(zone).date()
    return f"#{number} {said_on} {MARKS[row['priority']]} [{row['kind']}]{project} {inert(row['text'])}"
