"""From the setting to the engine: `offline`, or a chain such as `instructor:openai/gpt-5-mini,openai/gpt-4.1-mini`."""

from __future__ import annotations

from effects.engines.breaker import Breaker
from effects.engines.instructor_engine import instructor_send
from effects.engines.ledger import Ledger
from effects.engines.observer import Model, Observer
from effects.engines.pi_engine import pi_send
from effects.run import Run
from effects.settings import chain_of
from transforms.spend import Limits


def observer_of(run: Run) -> Observer | None:
    """The model observer that the settings name; null for the offline engine.

    Raises:
        ConfigError: when a key, a package or a program is missing.
    """
    engine = run.settings.engine
    chain = chain_of(engine.observer)
    if not chain:
        return None
    models = []
    for way, name in chain:
        send = pi_send(name, engine.timeout_s) if way == "pi" else instructor_send(name, engine.base_url, engine.timeout_s)
        models.append(Model(way, name, send, Breaker()))
    limits = Limits(engine.budget_run_usd, engine.budget_day_usd, engine.budget_run_tokens)
    return Observer(
        models=tuple(models),
        ledger=Ledger(run, limits),
        owner=run.settings.owner.capitalize(),
        zone=run.zone,
        temperature=engine.observer_temperature,
        max_output_tokens=engine.max_output_tokens,
    )
