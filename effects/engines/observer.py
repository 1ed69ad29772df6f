"""The observer: what a model is asked about a window, and how its answer becomes what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Answered, Chain, Task, stamp_of
from effects.system.templates import render_template
from transforms.conversation.entries import Entry
from transforms.distil.answer_model import Observations
from transforms.distil.answer_xml import parse_answer
from transforms.distil.distilled import Distilled
from transforms.distil.ground_answer import distilled_of
from transforms.distil.grounding import failure_of
from transforms.distil.observer_prompt import bounded, transcript
from transforms.tables.enums import CATEGORIES, KINDS

TEMPLATES = ("llm/rules.md.j2", "llm/observer.md.j2", "llm/window.md.j2", "llm/reask.md.j2")


@dataclass(frozen=True, slots=True)
class Part:
    """One window as the observer gets it; `attempt` counts former failures of the window."""

    entries: Sequence[Entry]
    topics: Sequence[tuple[int, int]]
    earlier: Sequence[str]
    project: str
    kind: str
    attempt: int


@dataclass(frozen=True, slots=True)
class Observer:
    """A chain of models that is asked about windows."""

    chain: Chain
    owner: str
    zone: tzinfo

    def observe(self, part: Part) -> Answered[Distilled]:
        """What is kept of a window.

        Raises:
            Unanswered: when no model gave an answer that can be used.
        """
        return self.chain.ask(self._task(part))

    def _task(self, part: Part) -> Task[Distilled]:
        def render(form: str) -> tuple[str, str]:
            system = render_template("llm/observer.md.j2", owner=self.owner, format=form, kinds=KINDS, categories=CATEGORIES)
            prompt = render_template(
                "llm/window.md.j2", project=part.project, zone=str(self.zone), kind=part.kind, earlier=bounded(part.earlier),
                transcript=transcript(part.entries, part.topics, self.zone), topic_count=len(part.topics),
            )  # fmt: skip
            return system, prompt

        def read(form: str, answer: str) -> Distilled:
            parse: Callable[[str], Observations] = parse_answer if form == "xml" else Observations.model_validate_json
            result = distilled_of(parse(answer), part.entries, part.topics, self.zone)
            if reason := failure_of(result, list(part.entries)):
                raise ValueError(reason)
            return result

        return Task(TEMPLATES, Observations, render, read, part.entries[0].session_id, part.attempt)


def template_hash(way: str) -> str:
    """Hash of the templates and the answer's schema that a way of asking uses."""
    return stamp_of(way, TEMPLATES, Observations)
