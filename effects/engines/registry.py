"""From the setting to the engine: `offline`, `auto`, or a chain such as `instructor:openai/gpt-5-mini,openai/gpt-4.1-mini`."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

from effects.config.engine_chain import AUTO, parse_engine_chain
from effects.engines.call_store import CallStore
from effects.engines.circuit_breaker import CircuitBreaker
from effects.engines.engine_finder import find_engines
from effects.engines.instructor_engine import is_own_server, make_instructor_send
from effects.engines.model_chain import TRANSPORT_ATTEMPTS, Chain, Model
from effects.engines.observer import Observer
from effects.engines.programs.claude_engine import make_claude_send
from effects.engines.programs.client_login import describe_payers
from effects.engines.programs.codex_engine import make_codex_send
from effects.engines.programs.pi_engine import make_pi_send
from effects.store.run import Run
from transforms.pricing.engine_choice import EngineChoice, choose_engine
from transforms.pricing.spend import BudgetLimits
from transforms.tables.enums import OFFLINE, ModelBackend

PROGRAMS = {"pi": make_pi_send, "claude": make_claude_send, "codex": make_codex_send}
"""How a model is asked through a program of the owner."""


def list_observer_models(run: Run) -> tuple[tuple[ModelBackend, str], ...]:
    """Return (backend, `provider/model`) of the observer's models in order; empty for the offline engine. `auto` is resolved."""
    return parse_engine_chain(_resolve_engine(run, run.settings.engine.observer))


def list_reflector_models(run: Run) -> tuple[tuple[ModelBackend, str], ...]:
    """Return backend and name of each model that condenses, proposes and answers, in the order of asking; empty without any."""
    return parse_engine_chain(_resolve_engine(run, run.settings.engine.reflector))


@lru_cache(maxsize=8)
def choose_for_run(base_url: str | None, _as_of: datetime) -> EngineChoice:
    """Return the engine that `auto` stands for; all steps of a run get the same."""
    return choose_engine(find_engines(base_url))


def describe_observer(run: Run) -> tuple[str, str]:
    """Return the observer's engine by name, several in order; why `auto` chose it, or who pays for requests through a client."""
    models = list_observer_models(run)
    is_auto = run.settings.engine.observer.strip() == AUTO
    reason = choose_for_run(run.settings.engine.base_url, run.as_of).reason if is_auto else describe_payers(models)
    return ", ".join(f"{backend}:{name}" for backend, name in models) or OFFLINE, reason


def build_observer(run: Run) -> Observer | None:
    """Return the model observer that the settings name; None for the offline engine.

    Raises:
        ConfigError: when a key, a package or a program is missing.
    """
    engine = run.settings.engine
    models = list_observer_models(run)
    chain = _build_chain(run, models, engine.observer_temperature, engine.timeout_s, TRANSPORT_ATTEMPTS, has_lock=True)
    return Observer(chain, format_owner_name(run), run.zone) if chain else None


def build_reflector(
    run: Run, *, timeout_s: float | None = None, attempts: int = TRANSPORT_ATTEMPTS, has_lock: bool = True
) -> Chain | None:
    """Return the models that condense, reflect and answer; None for the offline engine.

    Without the lake's lock (`has_lock`) paid requests become notes next to the lake until the next run imports them.

    Raises:
        ConfigError: when a key, a package or a program is missing.
    """
    engine = run.settings.engine
    timeout = engine.timeout_s if timeout_s is None else min(engine.timeout_s, timeout_s)
    return _build_chain(run, list_reflector_models(run), engine.reflector_temperature, timeout, attempts, has_lock=has_lock)


def format_owner_name(run: Run) -> str:
    """Return the name of the owner for prompts: "joel" → "Joel"."""
    return run.settings.owner[:1].upper() + run.settings.owner[1:]


def _resolve_engine(run: Run, setting: str) -> str:
    if setting.strip() != AUTO:
        return setting
    return choose_for_run(run.settings.engine.base_url, run.as_of).engine


def _build_chain(
    run: Run, names: tuple[tuple[ModelBackend, str], ...], temperature: float, timeout: float, attempts: int, *, has_lock: bool
) -> Chain | None:
    engine = run.settings.engine
    models = build_models(run, names, timeout)
    if not models:
        return None
    own = frozenset(model.name for model in models if model.backend == "instructor" and is_own_server(engine.base_url))
    limits = BudgetLimits(engine.budget_run_usd, engine.budget_day_usd, engine.budget_run_tokens, own)
    return Chain(models, CallStore(run, limits, has_lock), temperature, engine.max_output_tokens, attempts)


def build_models(run: Run, names: tuple[tuple[ModelBackend, str], ...], timeout: float) -> tuple[Model, ...]:
    """Return the models of a chain, each with its own circuit breaker.

    Raises:
        ConfigError: when a key, a package or a program is missing.
    """
    models = []
    for backend, name in names:
        if backend == "instructor":
            send = make_instructor_send(name, run.settings.engine.base_url, timeout)
        else:
            send = PROGRAMS[backend](name, timeout)
        models.append(Model(backend, name, send, CircuitBreaker()))
    return tuple(models)
