"""The observer: renders a window for a model, and reads and checks its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from effects.engines.model_chain import Chain, ModelAnswer, ModelTask, PreparedCall, compute_template_hash
from effects.system.templates import render_template
from transforms.conversation.entries import Entry
from transforms.distil.earlier_facts import EarlierFact, format_earlier, select_earlier
from transforms.distil.engine_result import DistilledWindow, find_output_failure
from transforms.distil.modes import MODES
from transforms.distil.observer_prompt import render_transcript
from transforms.distil.window_answer_grounding import ground_window_answer
from transforms.model_answers.window_answer_schema import WindowAnswer
from transforms.model_answers.window_answer_xml import parse_window_xml
from transforms.tables.enums import AgentMode

OBSERVE_TEMPLATES = ("llm/rules.md.j2", "llm/observer.md.j2", "llm/window.md.j2", "llm/reask.md.j2")
MAX_ATTEMPTS = 3
"""Nights on which a window is asked about that no model answers well."""


@dataclass(frozen=True, slots=True)
class ObserverInput:
    """One window as the observer gets it. `attempt` counts former failures of the window, `mode` is the
    kind of work in it."""

    entries: Sequence[Entry]
    topics: Sequence[tuple[int, int]]
    earlier: Sequence[EarlierFact]
    project: str
    kind: str
    attempt: int
    mode: AgentMode = "default"


@dataclass(frozen=True, slots=True)
class Observer:
    """A chain of models that is asked about windows."""

    chain: Chain
    owner: str
    zone: tzinfo

    def observe(self, window: ObserverInput) -> ModelAnswer[DistilledWindow]:
        """Return the distilled window.

        Raises:
            NoAnswerError: when no model gave a usable answer.
        """
        return self.chain.ask(self._build_task(window))

    def prepare(self, window: ObserverInput) -> PreparedCall:
        """Return the request that `observe` would send first."""
        return self.chain.prepare(self._build_task(window))

    def _build_task(self, window: ObserverInput) -> ModelTask[DistilledWindow]:
        earlier = select_earlier(window.earlier)

        def render(form: str) -> tuple[str, str]:
            """Return the system text and the prompt: the transcript with its topics, after the facts known before."""
            system = render_template("llm/observer.md.j2", owner=self.owner, format=form)
            prompt = render_template(
                "llm/window.md.j2", project=window.project, zone=str(self.zone), kind=window.kind,
                earlier=format_earlier(earlier, window.entries[0].said_at),
                transcript=render_transcript(window.entries, window.topics, self.zone), topic_count=len(window.topics),
                owner=self.owner, focus="" if window.mode == "default" else MODES[window.mode].focus,
            )  # fmt: skip
            return system, prompt

        def read(form: str, answer: str) -> DistilledWindow:
            """Return the checked facts of the window; ValueError when the answer is unreadable, repetitive or unsupported."""
            parse: Callable[[str], WindowAnswer] = parse_window_xml if form == "xml" else WindowAnswer.model_validate_json
            result = ground_window_answer(parse(answer), window.entries, window.topics, self.zone, earlier, self.owner)
            if reason := find_output_failure(result, list(window.entries)):
                raise ValueError(reason)
            return result

        is_last = window.attempt + 1 >= MAX_ATTEMPTS  # afterwards nothing of the window would be kept
        return ModelTask(OBSERVE_TEMPLATES, WindowAnswer, render, read, window.entries[0].session_id, window.attempt, is_last)


def compute_observer_hash(backend: str) -> str:
    """Return the hash of the templates and of the answer's schema that a backend uses."""
    return compute_template_hash(backend, OBSERVE_TEMPLATES, WindowAnswer)
