"""From the setting to the engine: `offline`, or a chain such as `instructor:openai/gpt-5-mini,openai/gpt-4.1-mini`."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from effects.config.engine_chain import parse_engine_chain
from effects.engines.call_store import CallStore
from effects.engines.circuit_breaker import CircuitBreaker
from effects.engines.instructor_engine import make_instructor_send
from effects.engines.model_chain import TRANSPORT_ATTEMPTS, Chain, Model
from effects.engines.observer import Observer
from effects.engines.pi_engine import make_pi_send
from effects.store.run import Run
from transforms.distil.spend import BudgetLimits


def build_observer(run: Run) -> Observer | None:
    """Return the model observer that the settings name; None for the offline engine.

    Raises:
        ConfigError: when a key, a package or a program is missing.
    """
    engine = run.settings.engine
    chain = _build_chain(run, engine.observer, engine.observer_temperature, engine.timeout_s, TRANSPORT_ATTEMPTS, has_lock=True)
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
    return _build_chain(run, engine.reflector, engine.reflector_temperature, timeout, attempts, has_lock=has_lock)


def format_owner_name(run: Run) -> str:
    """Return the name of the owner for prompts: "joel" → "Joel"."""
    return run.settings.owner[:1].upper() + run.settings.owner[1:]


def _build_chain(run: Run, setting: str, temperature: float, timeout: float, attempts: int, *, has_lock: bool) -> Chain | None:
    engine = run.settings.engine
    models = []
    for backend, name in parse_engine_chain(setting):
        send = make_pi_send(name, timeout) if backend == "pi" else make_instructor_send(name, engine.base_url, timeout)
        models.append(Model(backend, name, send, CircuitBreaker()))
    if not models:
        return None
    own = frozenset(model.name for model in models if model.backend == "instructor" and is_own_server(engine.base_url))
    limits = BudgetLimits(engine.budget_run_usd, engine.budget_day_usd, engine.budget_run_tokens, own)
    return Chain(tuple(models), CallStore(run, limits, has_lock), temperature, engine.max_output_tokens, attempts)


def is_own_server(address: str | None) -> bool:
    """Whether an address is on this machine: mlx-lm, Ollama, llama.cpp and the like cost electricity."""
    host = urlsplit(address or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
