"""Answers in a model's words: the hits of a search in one request, each sentence checked against the hits that it cites.

Whatever goes wrong, the answer composed from the hits stands, and `note` says why. Nothing here is imported unless a
reflector is set, and the lake's lock is never needed: what was paid for is noted until the next run takes it in.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from effects.engines.model_chain import Chain, ModelAnswer, ModelTask, NoAnswerError
from effects.engines.registry import build_reflector, format_owner_name
from effects.store.run import Run
from effects.system.errors import ConfigError
from effects.system.templates import render_template
from transforms.recall.compose_answer import describe_nearest_hit, limit_answer_tokens
from transforms.recall.question import parse_question
from transforms.recall.types import Answer
from transforms.recall.written_answer import (
    WORDS_PER_TOKEN,
    WrittenAnswer,
    format_hit,
    parse_written_answer,
    render_written_answer,
)

TEMPLATES = ("llm/answer.md.j2", "llm/question.md.j2", "llm/reask.md.j2")
TIMEOUT_S = 60.0
"""A person waits: longer than this no answer is worth waiting for, whatever the nights are given."""
ATTEMPTS = 2
COMPOSED = "the answer is composed from the hits"
NAMED_TOKENS = 120
"""Room for the citations of an answer, on top of its words."""


@dataclass(frozen=True, slots=True)
class Answerer:
    """Words answers while a command lasts; `problem` says why it cannot."""

    run: Run
    chain: Chain | None
    problem: str = ""

    def written(self, answer: Answer, max_tokens: int | None) -> Answer:
        """The answer in a model's words; as it is, with a note, when there is none or it does not hold."""
        if answer.answer is None or not answer.hits:
            return answer  # what the search refuses, no model is asked about: the evidence is not there
        if self.chain is None:
            return _add_note(answer, f"{self.problem}; {COMPOSED}")
        began = time.perf_counter()
        try:
            given = self._asked(self.chain, answer, limit_answer_tokens(max_tokens))
        except NoAnswerError as error:
            return _add_note(answer, f"no model worded the answer ({error}); {COMPOSED}")
        took = answer.took_ms + round((time.perf_counter() - began) * 1000)
        if given.result is None:
            told = replace(
                answer,
                answer=None,
                nearest=describe_nearest_hit(answer.hits, {}, self.run.zone),
                engine=given.engine,
                took_ms=took,
            )
            return _add_note(told, f"{given.engine} found no answer in the hits")
        return replace(answer, answer=given.result, engine=given.engine, took_ms=took)

    def _asked(self, chain: Chain, answer: Answer, budget: int) -> ModelAnswer[str | None]:
        zone, hits = self.run.zone, answer.hits

        def render(form: str) -> tuple[str, str]:
            words = max(20, int(budget * WORDS_PER_TOKEN))
            system = render_template("llm/answer.md.j2", owner=format_owner_name(self.run), format=form, words=words)
            rows = [format_hit(number, hit, zone) for number, hit in enumerate(hits, 1)]
            days = parse_question(answer.question, self.run.today).days
            return system, render_template("llm/question.md.j2", rows=rows, question=answer.question, days=days)

        def read(form: str, text: str) -> str | None:
            parse: Callable[[str], WrittenAnswer] = parse_written_answer if form == "xml" else WrittenAnswer.model_validate_json
            return render_written_answer(parse(text), hits, zone, budget + NAMED_TOKENS)

        return chain.ask(ModelTask(TEMPLATES, WrittenAnswer, render, read))


def build_answerer(run: Run) -> Answerer:
    """What words the answers of a command."""
    try:
        return Answerer(run, build_reflector(run, timeout_s=TIMEOUT_S, attempts=ATTEMPTS, has_lock=False))
    except ConfigError as error:
        return Answerer(run, None, f"{error.message} ({error.hint})")


def _add_note(answer: Answer, note: str) -> Answer:
    return replace(answer, note="; ".join(part for part in (answer.note, note) if part))
