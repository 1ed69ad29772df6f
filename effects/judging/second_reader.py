"""A second reading of a window's facts: one cheap request in which a model compares each fact with the text that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from effects.config.engine_chain import AUTO, OFF, parse_engine_chain
from effects.engines.model_chain import Chain, ModelTask, NoAnswerError
from effects.engines.observer import Observer
from effects.engines.registry import build_models
from effects.store.run import Run
from effects.system.templates import render_template
from transforms.distil.engine_result import Fact
from transforms.distil.row_grounding import escape_row
from transforms.distil.window_evidence import WindowEvidence
from transforms.pricing.spend import find_dear_reading
from transforms.rereading.passages import choose_passages
from transforms.rereading.reading_answer import Reading, ReadingAnswer, match_readings, parse_reading_lines

REREADING_TEMPLATES = ("llm/rereading.md.j2", "llm/passages.md.j2", "llm/reask.md.j2")


@dataclass(frozen=True, slots=True)
class SecondReader:
    """A chain of models that is asked whether facts are so."""

    chain: Chain
    owner: str

    def read(self, facts: Sequence[Fact], window: WindowEvidence) -> tuple[list[Reading | None], str]:
        """Return a reading per fact, None where there is none, and why there is none at all (empty when there is)."""

        def read(form: str, answer: str) -> list[Reading | None]:
            """Return the reading of each fact in order, None where the answer has none; ValueError when most are missing."""
            parse: Callable[[str], ReadingAnswer] = parse_reading_lines if form == "xml" else ReadingAnswer.model_validate_json
            return match_readings(parse(answer), len(facts))

        if not facts:
            return [], ""
        task = ModelTask(
            REREADING_TEMPLATES,
            ReadingAnswer,
            lambda form: render_reading(facts, window, self.owner, form),
            read,
            window.entries[0].session_id,
            takes_part=True,  # the verdicts of half of the facts are more than none
        )
        try:
            return self.chain.ask(task).result, ""
        except NoAnswerError as error:
            return [None] * len(facts), str(error)


def render_reading(facts: Sequence[Fact], window: WindowEvidence, owner: str, form: str) -> tuple[str, str]:
    """Return the system and the user prompt in which a model reads facts against their passages.

    The prompt says on which days these were said: a fact has a date where an excerpt says "tomorrow".
    """
    system = render_template("llm/rereading.md.j2", owner=owner, format=form)
    passages = choose_passages(facts, window)
    days = sorted({entry.said_at.astimezone(window.zone).date() for entry in window.entries})
    shown = [fact.model_copy(update={"text": escape_row(fact.text)}) for fact in facts]
    return system, render_template("llm/passages.md.j2", passages=passages, facts=shown, first=days[0], last=days[-1])


def build_second_reader(run: Run, observer: Observer) -> tuple[SecondReader | None, str]:
    """Return the models that read facts a second time, and their names or why there are none. They share the observer's budgets.

    Raises:
        ConfigError: when a key, a package or a program is missing.
    """
    setting = run.settings.distil.second_reading.strip()
    if setting == OFF:
        return None, "off"
    chain = observer.chain
    if setting == AUTO:
        if reason := find_dear_reading(chain.models[0].name, chain.call_store.limits):
            return None, f"off: {reason}"
        models = chain.models
    else:
        models = build_models(run, parse_engine_chain(setting), run.settings.engine.timeout_s)
    reading = Chain(models, chain.call_store, 0.0, chain.max_output_tokens, chain.attempts)
    return SecondReader(reading, observer.owner), ", ".join(f"{model.backend}:{model.name}" for model in models)
