"""Asks a chain of models: budgets, cache, retries, one repeated question, then the next model.

A `ModelTask` holds the question and the way to read and check its answer. Observer, reflector and answers differ in nothing
else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from effects.engines.call_store import BudgetError, CallResult, CallStore, ModelCall
from effects.engines.circuit_breaker import CircuitBreaker
from effects.engines.requests import Reply, Request, Send, TransportError
from effects.store.error_log import describe_error, log_traceback
from effects.system.errors import LakeError, RecollectError
from effects.system.retry_notes import repeat_request
from effects.system.templates import read_template_source, render_template
from transforms.model_answers.cut_answer import close_answer
from transforms.pricing.spend import Spend, bound_billed_tokens
from transforms.tables.enums import CallOutcome, ModelBackend
from transforms.tables.ids import hash_fields
from transforms.tables.tokens import count_tokens, count_words

FORMATS = {"instructor": "json", "pi": "xml", "claude": "json", "codex": "json"}
REASK = "llm/reask.md.j2"
TRANSPORT_ATTEMPTS = 4
MAX_ERROR_CHARS = 300
SHORTER = 0.8
"""Share of the words of an answer that was cut off for which the model is asked then."""
FORMER_ANSWER_CHARS = 1_500
"""Characters of an unusable answer that are shown when the model is asked once more."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Model:
    """One link of the chain; `name` is `provider/model`."""

    backend: ModelBackend
    name: str
    send: Send
    breaker: CircuitBreaker


@dataclass(frozen=True, slots=True)
class ModelTask(Generic[T]):
    """One question to a chain of models.

    `templates` (their text is hashed) and `response_model` (the schema of a structured answer) name the kind of request.
    `render` makes system and user prompt for `json` or `xml`. `read` turns an answer in that format into a result, or raises
    ValueError with its fault. `attempt` counts former failures: with another number the same request is another one.
    `takes_part`: when no model gives a whole answer, what stands whole in one that was cut off is read.
    """

    templates: tuple[str, ...]
    response_model: type[BaseModel]
    render: Callable[[str], tuple[str, str]]
    read: Callable[[str, str], T]
    session_id: str | None = None
    attempt: int = 0
    takes_part: bool = False


@dataclass(frozen=True, slots=True)
class ModelAnswer(Generic[T]):
    """The checked answer of a model, with the engine's full name and the hash of the templates."""

    result: T
    engine: str
    template_hash: str


@dataclass(frozen=True, slots=True)
class PreparedCall:
    """A request with the key under which its answer is stored."""

    call: ModelCall
    request: Request


class NoAnswerError(Exception):
    """No usable answer, with the reason.

    `is_asked`: a model answered badly, which counts as an attempt. `is_waiting`: no model was asked.
    """

    def __init__(self, reason: str, *, is_asked: bool = False, is_waiting: bool = False) -> None:
        super().__init__(reason)
        self.is_asked = is_asked
        self.is_waiting = is_waiting


class _UnusableAnswerError(Exception):
    """A model refused, or answered twice with what `read` could not use. No ValueError: those of a library are no answers.

    `answers` are its unusable answers, the last one first.
    """

    def __init__(self, reason: str, answers: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.answers = answers


@dataclass(frozen=True, slots=True)
class Unanswered:
    """The reason why a question goes on without a model; `is_asked` and `is_waiting` as in `NoAnswerError`."""

    reason: str
    is_asked: bool
    is_waiting: bool = False


def ask_or_explain(lake: Path, ask: Callable[[], T]) -> T | Unanswered:
    """Return what `ask` makes of a model's answer, or why there is none: one that breaks our code must not stop the run.

    A fault of the lake or of the disk is raised: it is not the answer's, and what was asked about is asked about again.
    """
    try:
        return ask()
    except NoAnswerError as error:
        return Unanswered(str(error), error.is_asked, error.is_waiting)
    except (LakeError, OSError):
        raise
    except Exception as error:  # noqa: BLE001  it becomes the reason, and its traceback goes to the log
        log_traceback(lake, error)
        return Unanswered(describe_error(error), is_asked=True)


@dataclass(frozen=True, slots=True)
class Chain:
    """Models that are asked in turn, each within the budgets of the call store; safe to use from several threads."""

    models: tuple[Model, ...]
    call_store: CallStore
    temperature: float
    max_output_tokens: int
    attempts: int = TRANSPORT_ATTEMPTS

    def ask(self, task: ModelTask[T]) -> ModelAnswer[T]:
        """Return the first usable answer.

        Raises:
            NoAnswerError: when no model gave one.
        """
        waiting: list[str] = []
        down: list[str] = []
        bad: list[str] = []
        cut: list[tuple[Model, str]] = []
        for model in self.models:
            if not model.breaker.admit():
                waiting.append(model.breaker.reason or f"{model.name} is not reachable")
                continue
            try:
                return _name_answer(self._ask_model(model, task), model, task)
            except BudgetError as error:
                waiting.append(str(error))
            except TransportError as error:
                if error.is_final:
                    model.breaker.open_for_good(f"{model.name}: {error}")
                    waiting.append(model.breaker.reason)
                else:
                    (bad if error.is_request_at_fault else down).append(f"{model.name}: {error}")
            except _UnusableAnswerError as error:
                bad.append(f"{model.name}: {error}")
                cut += [(model, answer) for answer in error.answers]
        for model, answer in cut if task.takes_part else ():
            with suppress(ValueError):
                part = task.read(FORMATS[model.backend], close_answer(FORMATS[model.backend], answer))
                return _name_answer(part, model, task)
        reasons = "; ".join([*bad, *down] or dict.fromkeys(waiting))
        raise NoAnswerError(reasons[:MAX_ERROR_CHARS], is_asked=bool(bad), is_waiting=not bad and not down)

    def prepare(self, task: ModelTask[T]) -> PreparedCall:
        """Return the first request that `ask` would send to the first model."""
        model = self.models[0]
        system, prompt = task.render(FORMATS[model.backend])
        request = Request(system, prompt, self.temperature, self.max_output_tokens, task.response_model)
        return PreparedCall(_build_call(model, task, request, 0), request)

    def _ask_model(self, model: Model, task: ModelTask[T]) -> T:
        """Ask a model, and once more with the complaint when its answer cannot be used. Raises
        _UnusableAnswerError when the second cannot be used either."""
        system, prompt = task.render(FORMATS[model.backend])
        current_prompt = prompt
        problem = ""
        answers: list[str] = []
        for ask_no in range(2):
            request = Request(system, current_prompt, self.temperature, self.max_output_tokens, task.response_model)
            call = _build_call(model, task, request, ask_no)
            key = call.key
            with self.call_store.lock_request(key):
                outcome = self.call_store.find(key) or self._pay(model, call, request)
            if outcome.outcome == "refused":
                raise _UnusableAnswerError(f"refused: {outcome.reason}")
            problem = outcome.reason
            if not problem:
                try:
                    return task.read(FORMATS[model.backend], outcome.answer)
                except ValueError as error:
                    self.call_store.count_unusable()
                    problem = _format_problem(error)
            answers.insert(0, outcome.answer)
            is_too_long = "cut off" in problem or "stops before" in problem
            words = count_words(outcome.answer) if is_too_long else 0
            reason = f"{problem}, after {words} words: at most {round(words * SHORTER)} fit" if words else problem
            current_prompt = prompt + render_template(
                REASK, reason=reason, former=outcome.answer[:FORMER_ANSWER_CHARS], is_too_long=is_too_long
            )
        raise _UnusableAnswerError(problem, tuple(answers))

    def _pay(self, model: Model, call: ModelCall, request: Request) -> CallResult:
        """Send within the budgets, repeat only on transport errors, and store the answer before anybody uses it."""
        schema = render_schema(model.backend, request.response_model)
        expected = bound_billed_tokens(request.system, request.prompt) + (count_tokens(schema) if schema else 0)
        try:
            for attempt in repeat_request(_choose_pause, self.attempts, wait_initial=1.0, wait_max=30.0, wait_jitter=2.0):
                with attempt:
                    reply, latency, reserved = self._send(model, call, request, expected)
        except TransportError as error:
            if not error.is_request_at_fault:
                model.breaker.record_failure()
            raise
        model.breaker.record_success()
        outcome_name: CallOutcome = "refused" if reply.is_refusal else "invalid" if reply.problem else "ok"
        spent_in = (
            reply.input_tokens if reply.input_tokens is not None else count_tokens(request.system) + count_tokens(request.prompt)
        )
        spent_out = reply.output_tokens if reply.output_tokens is not None else count_tokens(reply.text)
        return self.call_store.record(
            call,
            reserved,
            CallResult(outcome_name, reply.text, reply.problem, spent_in, spent_out, latency, reply.charged_tokens, reply.usd),
        )

    def _send(self, model: Model, call: ModelCall, request: Request, expected: int) -> tuple[Reply, int, Spend]:
        reserved = self.call_store.reserve(model.name, expected, request.max_output_tokens)
        started = time.perf_counter()
        try:
            reply = model.send(request)
        except TransportError as error:
            latency = _measure_elapsed_ms(started)
            if error.may_be_billed:
                self.call_store.record(call, reserved, CallResult("error", "", str(error), expected, 0, latency))
            else:
                self.call_store.release(reserved)
            raise
        except (RecollectError, OSError):
            self.call_store.release(reserved)
            raise
        except Exception as error:
            # A fault of the library is no answer of the model: it costs no attempt, and the next model is asked.
            log_traceback(self.call_store.run.settings.lake, error)
            latency, fault = _measure_elapsed_ms(started), describe_error(error)
            self.call_store.record(call, reserved, CallResult("error", "", fault, expected, 0, latency))
            raise TransportError(fault, may_be_billed=True) from error
        except BaseException:  # an interrupt: requests that wait for this budget must go on
            self.call_store.release(reserved)
            raise
        return reply, _measure_elapsed_ms(started), reserved


def _name_answer(result: T, model: Model, task: ModelTask[T]) -> ModelAnswer[T]:
    template_hash = compute_template_hash(model.backend, task.templates, task.response_model)
    return ModelAnswer(result, f"{model.backend}:{model.name}", template_hash)


@cache
def compute_template_hash(backend: str, templates: tuple[str, ...], response_model: type[BaseModel]) -> str:
    """Return the hash of the templates and of the schema that a backend uses."""
    return hash_fields(
        FORMATS[backend], render_schema(backend, response_model), *(read_template_source(name) for name in templates)
    )


@cache
def render_schema(backend: str, response_model: type[BaseModel]) -> str:
    """Return the JSON schema of a request; empty for pi, whose models write XML."""
    return "" if backend == "pi" else orjson.dumps(response_model.model_json_schema(), option=orjson.OPT_SORT_KEYS).decode()


def _build_call(model: Model, task: ModelTask[T], request: Request, ask_no: int) -> ModelCall:
    key = hash_fields(
        model.backend,
        model.name,
        render_schema(model.backend, task.response_model),
        *_key_fields(request),
        task.attempt,
        ask_no,
        size=16,
    )
    template_hash = compute_template_hash(model.backend, task.templates, task.response_model)
    return ModelCall(key, model.backend, model.name, template_hash, task.session_id)


def _key_fields(request: Request) -> tuple[str, ...]:
    return (request.system, request.prompt, f"{request.temperature:g}", str(request.max_output_tokens))


def _choose_pause(error: Exception) -> bool | float | timedelta:
    """Return whether, or after how many seconds, a request goes out again."""
    if not isinstance(error, TransportError) or not error.is_transient:
        return False
    return error.after if error.after is not None else True


def _format_problem(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"it does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"[:MAX_ERROR_CHARS]
    return str(error)[:MAX_ERROR_CHARS]


def _measure_elapsed_ms(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
