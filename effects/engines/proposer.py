"""A day's reflection by a model: new evidence, the present MEMORY.md and rejected lines in one request; the answer is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from types import MappingProxyType

from effects.engines.model_chain import Chain, ModelAnswer, ModelTask
from effects.system.templates import render_template
from transforms.distil.row_grounding import escape_row, format_age
from transforms.memory.eligibility import Source
from transforms.memory.proposal_answer import ProposalAnswer, Reflection, ground_proposal_answer, parse_proposals_xml
from transforms.memory.proposal_outcomes import FormerLines, WaitingLine
from transforms.memory.proposing.shown_evidence import select_memory_lines
from transforms.model_answers.waiting_marks import make_mark
from transforms.pages.memory_md import HARD_RULES, PATTERNS, SYSTEM_ARCHITECTURE, MemoryPage
from transforms.pages.page_names import shorten_project
from transforms.redaction.redact import redact
from transforms.tables.enums import PRIORITY_MARKS
from transforms.tables.rows import ObservationRow

PROPOSE_TEMPLATES = ("llm/reflector.md.j2", "llm/evidence.md.j2", "llm/reask.md.j2")


@dataclass(frozen=True, slots=True)
class Proposer:
    """A chain of models that is asked for lines of MEMORY.md. `reflected` is the section for lines that fit none of the four."""

    chain: Chain
    owner: str
    zone: tzinfo
    reflected: str
    today: date

    def propose(
        self,
        rows: Sequence[ObservationRow],
        page: MemoryPage,
        former: FormerLines,
        max_lines: int,
        sources: Mapping[str, Source],
        retired: Mapping[str, str] = MappingProxyType({}),
    ) -> ModelAnswer[Reflection]:
        """Return the lines that the evidence supports; the model is asked for at most `max_lines`. `sources` say for each
        observation's id who vouches for it; `retired` has lines of the page, and the observation that replaced what they rest on.

        Raises:
            NoAnswerError: when no model gave a usable answer.
        """
        sections = describe_sections(self.owner)

        def render(form: str) -> tuple[str, str]:
            """Return the system text and the prompt: MEMORY.md, the refused lines and the numbered observations."""
            system = render_template("llm/reflector.md.j2", owner=self.owner, format=form, sections=sections)
            lines = [_format_row(number, row, sources, self.zone, self.today) for number, row in enumerate(rows, 1)]
            prompt = render_template(
                "llm/evidence.md.j2",
                owner=self.owner,
                today=self.today,
                memory=select_memory_lines(page),
                retired=_list_retired(page, retired, rows),
                waiting=_list_waiting(former.waiting, rows),
                expired=former.expired,
                refused=former.refused,
                rows=lines,
                most=max_lines,
            )
            return system, prompt

        def read(form: str, answer: str) -> Reflection:
            """Return the proposals whose evidence supports them; ValueError for an unreadable answer."""
            parse: Callable[[str], ProposalAnswer] = parse_proposals_xml if form == "xml" else ProposalAnswer.model_validate_json
            return ground_proposal_answer(
                parse(answer), rows, page, (sections[0][0], self.reflected), self.zone, sources, former.waiting
            )

        return self.chain.ask(ModelTask(PROPOSE_TEMPLATES, ProposalAnswer, render, read))


def _list_retired(page: MemoryPage, retired: Mapping[str, str], rows: Sequence[ObservationRow]) -> list[tuple[str, int]]:
    """Return each line of the page whose evidence was replaced, without secrets, and the number of the row that holds now."""
    numbers = {row["observation_id"]: number for number, row in enumerate(rows, 1)}
    return [
        (redact(escape_row(bullet.line)).removeprefix("- "), numbers[retired[bullet.line]])
        for bullet in page.bullets
        if retired.get(bullet.line) in numbers
    ]


def _list_waiting(waiting: Sequence[WaitingLine], rows: Sequence[ObservationRow]) -> list[tuple[str, str, list[int]]]:
    """Return each waiting line with its mark, and the numbers of the rows that replaced what it rests on."""
    numbers = {row["observation_id"]: number for number, row in enumerate(rows, 1)}
    return [
        (make_mark(place), line.shown, sorted(numbers[key] for key in line.newer if key in numbers))
        for place, line in enumerate(waiting)
    ]


def describe_sections(owner: str) -> tuple[tuple[str, str], ...]:
    """Return the sections of MEMORY.md with their subjects, in page order, and the one for everything else."""
    return (
        (owner, "preferences, style of communication, how decisions are made"),
        (HARD_RULES, f"what {owner} explicitly said must always or never happen"),
        (SYSTEM_ARCHITECTURE, "what runs where, how parts fit together, important paths"),
        (PATTERNS, "what works and what does not, insights from debugging, conventions"),
        ("Reflected", "what fits none of the others"),
    )


def _format_row(number: int, row: ObservationRow, sources: Mapping[str, Source], zone: tzinfo, today: date) -> str:
    """Return `#3 2026-05-03 🔴 [preference, owner, 3 sessions, 6 days ago] project: text`."""
    project = f" {shorten_project(row['project'])}:" if row["project"] else ""
    day = row["said_at"].astimezone(zone).date()
    sessions = len({row["session_id"], *(ref.rpartition(":")[0] for ref in row["also"] or ())})
    signs = [
        row["kind"],
        sources[row["observation_id"]],
        *([f"{sessions} sessions"] if sessions > 1 else []),
        format_age(day, today),
    ]
    return f"#{number} {day} {PRIORITY_MARKS[row['priority']]} [{', '.join(signs)}]{project} {escape_row(row['text'])}"
