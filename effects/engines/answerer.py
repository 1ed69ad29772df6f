"""Answers in a model's words: the hits of a search in one request, each sentence checked against the hits that it cites.

When anything fails, the answer composed from the hits stays, and `note` says why. The caller does not need the lake's lock: paid
requests become notes until the next run imports them.
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
from transforms.answers.compose_answer import describe_nearest_hit, limit_answer_tokens
from transforms.answers.written_answer import (
    WORDS_PER_TOKEN,
    WrittenAnswer,
    format_hit,
    parse_written_answer,
    render_written_answer,
)
from transforms.recall.question import parse_question
from transforms.recall.types import Answer

ANSWER_TEMPLATES = ("llm/answer.md.j2", "llm/question.md.j2", "llm/reask.md.j2")
ANSWER_TIMEOUT_S = 60.0
"""Longest wait of a person for an answer; runs at night may take longer."""
ANSWER_ATTEMPTS = 2
COMPOSED = "the answer is composed from the hits"
ABSTAINED = "the words of the question decided"
"""Ends of every note about an answer that no model worded, and about a question that none read the hits of."""
NAMED_TOKENS = 120
"""Room for the citations of an answer, on top of its words."""


@dataclass(frozen=True, slots=True)
class Answerer:
    """Words answers while a command lasts. `problem` is the reason why it cannot, empty offline."""

    run: Run
    chain: Chain | None
    problem: str = ""

    def word_answer(self, answer: Answer, max_tokens: int | None) -> Answer:
        """Return the answer in a model's words, or as it is, with a note, when no model gives a grounded one.

        A model also reads the hits of a question that recall abstained from: words that memory lacks ("which toolkit") may be
        the asker's for what the hits name, and the model says itself when they hold no answer.
        """
        if not answer.hits:
            return answer
        fallback = COMPOSED if answer.answer is not None else ABSTAINED
        if self.chain is None:
            return _add_note(answer, f"{self.problem}; {fallback}") if self.problem else answer
        started = time.perf_counter()
        try:
            model_answer = self._ask(self.chain, answer, limit_answer_tokens(max_tokens))
        except NoAnswerError as error:
            return _add_note(answer, f"no model worded the answer ({error}); {fallback}")
        took = answer.took_ms + round((time.perf_counter() - started) * 1000)
        if model_answer.result is None:
            without_answer = replace(
                answer,
                answer=None,
                doubt="",
                nearest=describe_nearest_hit(answer.hits, {}, self.run.zone),
                engine=model_answer.engine,
                took_ms=took,
            )
            return _add_note(without_answer, f"{model_answer.engine} found no answer in the hits")
        return replace(answer, answer=model_answer.result, doubt="", nearest="", engine=model_answer.engine, took_ms=took)

    def _ask(self, chain: Chain, answer: Answer, budget: int) -> ModelAnswer[str | None]:
        zone, hits = self.run.zone, answer.hits

        def render(form: str) -> tuple[str, str]:
            """Return the system text and the prompt: the question and the numbered hits."""
            words = max(20, int(budget * WORDS_PER_TOKEN))
            system = render_template("llm/answer.md.j2", owner=format_owner_name(self.run), format=form, words=words)
            rows = [format_hit(number, hit, zone, self.run.today) for number, hit in enumerate(hits, 1)]
            days = parse_question(answer.question, self.run.today).days
            return system, render_template("llm/question.md.j2", rows=rows, question=answer.question, days=days)

        def read(form: str, text: str) -> str | None:
            """Return the checked answer, None when the model found none; ValueError when it is unreadable or unsupported."""
            parse: Callable[[str], WrittenAnswer] = parse_written_answer if form == "xml" else WrittenAnswer.model_validate_json
            return render_written_answer(parse(text), hits, zone, budget + NAMED_TOKENS, self.run.today)

        return chain.ask(ModelTask(ANSWER_TEMPLATES, WrittenAnswer, render, read))


def build_answerer(run: Run) -> Answerer:
    """Return the answerer that `recollect ask` uses: without a model, and with the reason, when the settings name none."""
    try:
        return Answerer(run, build_reflector(run, timeout_s=ANSWER_TIMEOUT_S, attempts=ANSWER_ATTEMPTS, has_lock=False))
    except ConfigError as error:
        return Answerer(run, None, f"{error.message} ({error.hint})")


def _add_note(answer: Answer, note: str) -> Answer:
    return replace(answer, note="; ".join(part for part in (answer.note, note) if part))
