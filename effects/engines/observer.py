"""The observer: one window → one checked answer of a model, over retries, one re-ask and a chain of models."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta, tzinfo
from functools import cache

import orjson
import stamina
from pydantic import ValidationError

from effects.engines.breaker import Breaker
from effects.engines.ledger import BudgetError, Call, Ledger, Outcome
from effects.engines.wire import Reply, Request, Send, TransportError
from effects.templates import render_template, template_source
from transforms.answer_model import Observations
from transforms.answer_xml import parse_answer
from transforms.answered import distilled_of
from transforms.checks import failure_of
from transforms.distilled import Distilled
from transforms.entries import Entry
from transforms.ids import digest
from transforms.observer_prompt import bounded, transcript
from transforms.schema import CATEGORIES, KINDS
from transforms.spend import Spent, estimated_tokens
from transforms.tokens import tokens

FORMATS = {"instructor": "json", "pi": "xml"}
TEMPLATES = ("llm/rules.md.j2", "llm/observer.md.j2", "llm/window.md.j2", "llm/reask.md.j2")
TRANSPORT_ATTEMPTS = 4
FORMER_CHARS = 1_500
"""So much of a refused answer is shown again when the model is asked once more."""


@dataclass(frozen=True, slots=True)
class Model:
    """One link of the chain: `way` is `instructor` or `pi`, `name` is `provider/model`."""

    way: str
    name: str
    send: Send
    breaker: Breaker


@dataclass(frozen=True, slots=True)
class Part:
    """One window as the observer gets it; `attempt` counts former failures of the window."""

    entries: Sequence[Entry]
    topics: Sequence[tuple[int, int]]
    earlier: Sequence[str]
    project: str
    kind: str
    attempt: int


class NotObserved(Exception):
    """No usable answer: the window stays what it is, or fails with this reason.

    `is_asked`: a model answered badly, which counts as an attempt; `is_waiting`: nobody was asked.
    """

    def __init__(self, reason: str, *, is_asked: bool = False, is_waiting: bool = False) -> None:
        super().__init__(reason)
        self.is_asked = is_asked
        self.is_waiting = is_waiting


@dataclass(frozen=True, slots=True)
class Observer:
    """Asks the models of the chain in turn, each within budgets; implements what `effects.distil` needs of a model."""

    models: tuple[Model, ...]
    ledger: Ledger
    owner: str
    zone: tzinfo
    temperature: float
    max_output_tokens: int

    def observe(self, part: Part) -> tuple[Distilled, str, str]:
        """What is kept of a window, the engine's full name and the hash of its templates.

        Raises:
            NotObserved: when no model gave an answer that can be used.
        """
        waiting: list[str] = []
        down: list[str] = []
        bad: list[str] = []
        for model in self.models:
            if not model.breaker.admits():
                waiting.append(f"{model.name} is not reachable")
                continue
            try:
                return self._ask(model, part), f"{model.way}:{model.name}", template_hash(model.way)
            except BudgetError as error:
                waiting.append(str(error))
            except TransportError as error:
                (bad if error.is_request_at_fault else down).append(f"{model.name}: {error}")
            except ValueError as error:
                bad.append(f"{model.name}: {error}")
        reasons = "; ".join([*bad, *down] or dict.fromkeys(waiting))
        raise NotObserved(reasons[:300], is_asked=bool(bad), is_waiting=not bad and not down)

    def _ask(self, model: Model, part: Part) -> Distilled:
        """Asks, and once more with the complaint when the answer cannot be used. ValueError: nor can the second."""
        request = self._request(model, part)
        prompt = request.prompt
        problem = ""
        for ask_no in range(2):
            key = digest(model.way, model.name, _shape(model.way), *_fields(request), part.attempt, ask_no, size=16)
            call = Call(key, model.way, model.name, template_hash(model.way), part.entries[0].session_id)
            with self.ledger.alone(key):
                outcome = self.ledger.find(key) or self._paid(model, call, request)
            if outcome.outcome == "refused":
                raise ValueError(f"refused: {outcome.reason}")
            problem = outcome.reason
            if not problem:
                try:
                    return self._read(model, outcome.answer, part)
                except ValueError as error:
                    self.ledger.unusable()
                    problem = _told(error)
            is_too_long = "cut off" in problem or "stops before" in problem
            again = render_template(
                "llm/reask.md.j2", reason=problem, former=outcome.answer[:FORMER_CHARS], is_too_long=is_too_long
            )
            request = Request(request.system, prompt + again, request.temperature, request.max_output_tokens)
        raise ValueError(problem)

    def _request(self, model: Model, part: Part) -> Request:
        system = render_template(
            "llm/observer.md.j2", owner=self.owner, format=FORMATS[model.way], kinds=KINDS, categories=CATEGORIES
        )
        prompt = render_template(
            "llm/window.md.j2", project=part.project, zone=str(self.zone), kind=part.kind, earlier=bounded(part.earlier),
            transcript=transcript(part.entries, part.topics, self.zone), topic_count=len(part.topics),
        )  # fmt: skip
        return Request(system, prompt, self.temperature, self.max_output_tokens)

    def _paid(self, model: Model, call: Call, request: Request) -> Outcome:
        """Sends within the budgets, again on transport errors only, and stores the answer before anybody uses it."""
        expected = estimated_tokens(request.system, request.prompt) + (tokens(_shape(model.way)) if model.way != "pi" else 0)
        try:
            for trial in stamina.retry_context(
                on=_pause, attempts=TRANSPORT_ATTEMPTS, timeout=None, wait_initial=1.0, wait_max=30.0, wait_jitter=2.0
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
        return self.ledger.record(call, held, Outcome(said, reply.text, reply.problem, spent_in, spent_out, latency))

    def _sent(self, model: Model, call: Call, request: Request, expected: int) -> tuple[Reply, int, Spent]:
        held = self.ledger.reserve(model.name, expected, request.max_output_tokens)
        began = time.perf_counter()
        try:
            reply = model.send(request)
        except TransportError as error:
            latency = _ms(began)
            if error.may_be_billed:
                self.ledger.record(call, held, Outcome("error", "", str(error), expected, 0, latency))
            else:
                self.ledger.release(held)
            raise
        except BaseException:  # a fault of a library, or an interrupt: who waits for this money must not wait for ever
            self.ledger.release(held)
            raise
        return reply, _ms(began), held

    def _read(self, model: Model, answer: str, part: Part) -> Distilled:
        parse: Callable[[str], Observations] = parse_answer if model.way == "pi" else Observations.model_validate_json
        result = distilled_of(parse(answer), part.entries, part.topics, self.zone)
        if reason := failure_of(result, list(part.entries)):
            raise ValueError(reason)
        return result


@cache
def template_hash(way: str) -> str:
    """Hash of the templates and the answer's schema that a way of asking uses."""
    return digest(FORMATS[way], _shape(way), *(template_source(name) for name in TEMPLATES))


@cache
def _shape(way: str) -> str:
    return "" if way == "pi" else orjson.dumps(Observations.model_json_schema(), option=orjson.OPT_SORT_KEYS).decode()


def _fields(request: Request) -> tuple[str, ...]:
    return (request.system, request.prompt, f"{request.temperature:g}", str(request.max_output_tokens))


def _pause(error: Exception) -> bool | float | timedelta:
    """Whether, or after how many seconds, a request goes out again."""
    if not isinstance(error, TransportError) or not error.is_transient:
        return False
    return error.after if error.after is not None else True


def _told(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"it does not fit the schema: {'.'.join(map(str, first['loc']))}: {first['msg']}"[:300]
    return str(error)[:300]


def _ms(began: float) -> int:
    return round((time.perf_counter() - began) * 1000)
