"""Asking a chain of models about anything: budgets, cache, retries, one re-ask, then the next model, whoever asks.

What is asked, and how an answer is read and checked, is a `Task`: the observer's, the reflector's and the answers' differ in
nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import Generic, TypeVar

import orjson
import stamina
from pydantic import BaseModel, ValidationError

from effects.engines.call_store import BudgetError, CallOutcome, CallStore, ModelCall
from effects.engines.circuit_breaker import CircuitBreaker
from effects.engines.requests import Reply, Request, Send, TransportError
from effects.system.templates import render_template, template_source
from transforms.distil.spend import Spend, estimate_tokens
from transforms.tables.ids import digest
from transforms.tables.tokens import tokens

FORMATS = {"instructor": "json", "pi": "xml"}
REASK = "llm/reask.md.j2"
TRANSPORT_ATTEMPTS = 4
FORMER_ANSWER_CHARS = 1_500
"""So much of a refused answer is shown again when the model is asked once more."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Model:
    """One link of the chain: `way` is `instructor` or `pi`, `name` is `provider/model`."""

    way: str
    name: str
    send: Send
    breaker: CircuitBreaker


@dataclass(frozen=True, slots=True)
class ModelTask(Generic[T]):
    """One thing to ask.

    `templates` (their text is hashed) and `shape` (the schema of a structured answer) say what kind of request it is;
    `render` makes system and user prompt for `json` or `xml`; `read` turns an answer in that format into a result, or raises
    ValueError with what is wrong with it. `attempt` counts former failures: the same request with another number is another
    request.
    """

    templates: tuple[str, ...]
    shape: type[BaseModel]
    render: Callable[[str], tuple[str, str]]
    read: Callable[[str, str], T]
    session_id: str | None = None
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """What a model answered, checked, with the engine's full name and the hash of the templates."""

    result: T
    engine: str
    stamp: str


class NoAnswerError(Exception):
    """No usable answer, with the reason.

    `is_asked`: a model answered badly, which counts as an attempt; `is_waiting`: nobody was asked.
    """

    def __init__(self, reason: str, *, is_asked: bool = False, is_waiting: bool = False) -> None:
        super().__init__(reason)
        self.is_asked = is_asked
        self.is_waiting = is_waiting


@dataclass(frozen=True, slots=True)
class Chain:
    """Models that are asked in turn, each within the budgets of the ledger; safe to use from several threads."""

    models: tuple[Model, ...]
    ledger: CallStore
    temperature: float
    max_output_tokens: int
    attempts: int = TRANSPORT_ATTEMPTS

    def ask(self, task: ModelTask[T]) -> ModelAnswer[T]:
        """The first usable answer.

        Raises:
            Unanswered: when no model gave one.
        """
        waiting: list[str] = []
        down: list[str] = []
        bad: list[str] = []
        for model in self.models:
            if not model.breaker.admits():
                waiting.append(f"{model.name} is not reachable")
                continue
            try:
                return ModelAnswer(
                    self._asked(model, task),
                    f"{model.way}:{model.name}",
                    compute_template_hash(model.way, task.templates, task.shape),
                )
            except BudgetError as error:
                waiting.append(str(error))
            except TransportError as error:
                (bad if error.is_request_at_fault else down).append(f"{model.name}: {error}")
            except ValueError as error:
                bad.append(f"{model.name}: {error}")
        reasons = "; ".join([*bad, *down] or dict.fromkeys(waiting))
        raise NoAnswerError(reasons[:300], is_asked=bool(bad), is_waiting=not bad and not down)

    def _asked(self, model: Model, task: ModelTask[T]) -> T:
        """Asks, and once more with the complaint when the answer cannot be used. ValueError: nor can the second."""
        system, prompt = task.render(FORMATS[model.way])
        asked = prompt
        problem = ""
        for ask_no in range(2):
            request = Request(system, asked, self.temperature, self.max_output_tokens, task.shape)
            key = digest(
                model.way, model.name, render_schema(model.way, task.shape), *_key_fields(request), task.attempt, ask_no, size=16
            )
            call = ModelCall(
                key, model.way, model.name, compute_template_hash(model.way, task.templates, task.shape), task.session_id
            )
            with self.ledger.alone(key):
                outcome = self.ledger.find(key) or self._paid(model, call, request)
            if outcome.outcome == "refused":
                raise ValueError(f"refused: {outcome.reason}")
            problem = outcome.reason
            if not problem:
                try:
                    return task.read(FORMATS[model.way], outcome.answer)
                except ValueError as error:
                    self.ledger.unusable()
                    problem = _format_problem(error)
            is_too_long = "cut off" in problem or "stops before" in problem
            asked = prompt + render_template(
                REASK, reason=problem, former=outcome.answer[:FORMER_ANSWER_CHARS], is_too_long=is_too_long
            )
        raise ValueError(problem)

    def _paid(self, model: Model, call: ModelCall, request: Request) -> CallOutcome:
        """Sends within the budgets, again on transport errors only, and stores the answer before anybody uses it."""
        schema = render_schema(model.way, request.shape)
        expected = estimate_tokens(request.system, request.prompt) + (tokens(schema) if schema else 0)
        try:
            for trial in stamina.retry_context(
                on=_choose_pause, attempts=self.attempts, timeout=None, wait_initial=1.0, wait_max=30.0, wait_jitter=2.0
            ):
                with trial:
                    reply, latency, held = self._sent(model, call, request, expected)
        except TransportError as error:
            if not error.is_request_at_fault:
                model.breaker.failed()
            raise
        model.breaker.succeeded()
        said = "refused" if reply.is_refusal else "invalid" if reply.problem else "ok"
        spent_in = reply.input_tokens if reply.input_tokens is not None else tokens(request.system) + tokens(request.prompt)
        spent_out = reply.output_tokens if reply.output_tokens is not None else tokens(reply.text)
        return self.ledger.record(call, held, CallOutcome(said, reply.text, reply.problem, spent_in, spent_out, latency))

    def _sent(self, model: Model, call: ModelCall, request: Request, expected: int) -> tuple[Reply, int, Spend]:
        held = self.ledger.reserve(model.name, expected, request.max_output_tokens)
        began = time.perf_counter()
        try:
            reply = model.send(request)
        except TransportError as error:
            latency = _elapsed_ms(began)
            if error.may_be_billed:
                self.ledger.record(call, held, CallOutcome("error", "", str(error), expected, 0, latency))
            else:
                self.ledger.release(held)
            raise
        except BaseException:  # a fault of a library, or an interrupt: who waits for this money must not wait for ever
            self.ledger.release(held)
            raise
        return reply, _elapsed_ms(began), held


@cache
def compute_template_hash(way: str, templates: tuple[str, ...], shape: type[BaseModel]) -> str:
    """Hash of the templates and of the schema that a way of asking uses."""
    return digest(FORMATS[way], render_schema(way, shape), *(template_source(name) for name in templates))


@cache
def render_schema(way: str, shape: type[BaseModel]) -> str:
    """The JSON schema that goes with a request; empty for pi, whose models write XML."""
    return "" if way == "pi" else orjson.dumps(shape.model_json_schema(), option=orjson.OPT_SORT_KEYS).decode()


def _key_fields(request: Request) -> tuple[str, ...]:
    return (request.system, request.prompt, f"{request.temperature:g}", str(request.max_output_tokens))


def _choose_pause(error: Exception) -> bool | float | timedelta:
    """Whether, or after how many seconds, a request goes out again."""
    if not isinstance(error, TransportError) or not error.is_transient:
        return False
    return error.after if error.after is not None else True


def _format_problem(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"it does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"[:300]
    return str(error)[:300]


def _elapsed_ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)
