"""The observer: what a model is asked about a window, and how its answer becomes what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Chain, ModelAnswer, ModelTask, compute_template_hash
from effects.system.templates import render_template
from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledWindow
from transforms.distil.observer_prompt import keep_newest_within, render_transcript
from transforms.distil.output_checks import find_output_failure
from transforms.distil.window_answer_grounding import ground_window_answer
from transforms.distil.window_answer_schema import WindowAnswer
from transforms.distil.window_answer_xml import parse_window_xml
from transforms.tables.enums import CATEGORIES, KINDS

TEMPLATES = ("llm/rules.md.j2", "llm/observer.md.j2", "llm/window.md.j2", "llm/reask.md.j2")


@dataclass(frozen=True, slots=True)
class ObserverInput:
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

    def observe(self, part: ObserverInput) -> ModelAnswer[DistilledWindow]:
        """What is kept of a window.

        Raises:
            Unanswered: when no model gave an answer that can be used.
        """
        return self.chain.ask(self._task(part))

    def _task(self, part: ObserverInput) -> ModelTask[DistilledWindow]:
        def render(form: str) -> tuple[str, str]:
            system = render_template("llm/observer.md.j2", owner=self.owner, format=form, kinds=KINDS, categories=CATEGORIES)
            prompt = render_template(
                "llm/window.md.j2", project=part.project, zone=str(self.zone), kind=part.kind, earlier=keep_newest_within(part.earlier),
                transcript=render_transcript(part.entries, part.topics, self.zone), topic_count=len(part.topics),
            )  # fmt: skip
            return system, prompt

        def read(form: str, answer: str) -> DistilledWindow:
            parse: Callable[[str], WindowAnswer] = parse_window_xml if form == "xml" else WindowAnswer.model_validate_json
            result = ground_window_answer(parse(answer), part.entries, part.topics, self.zone)
            if reason := find_output_failure(result, list(part.entries)):
                raise ValueError(reason)
            return result

        return ModelTask(TEMPLATES, WindowAnswer, render, read, part.entries[0].session_id, part.attempt)


def compute_observer_hash(way: str) -> str:
    """Hash of the templates and the answer's schema that a way of asking uses."""
    return compute_template_hash(way, TEMPLATES, WindowAnswer)
