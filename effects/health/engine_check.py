"""Whether the models of the settings can be asked through the programs that they name, told without sending a word."""

from __future__ import annotations

from collections.abc import Iterator

from effects.config.engine_chain import AUTO, OFF, parse_engine_chain
from effects.engines.programs.client_login import describe_payers, require_login
from effects.engines.programs.client_replies import CLAUDE, CODEX
from effects.engines.registry import choose_for_run, list_observer_models, list_reflector_models
from effects.health.check import Check
from effects.store.run import Run
from effects.system.errors import ConfigError
from transforms.pricing.engine_choice import format_choice


def check_engines(run: Run) -> Iterator[Check]:
    """Yield what `auto` stands for, who pays for requests through Claude Code and Codex, and which of them cannot be asked."""
    engine, reading = run.settings.engine, run.settings.distil.second_reading.strip()
    if AUTO in (engine.observer.strip(), engine.reflector.strip()):
        yield Check("engine", "ok", f"auto is {format_choice(choose_for_run(engine.base_url, run.as_of))}")
    readers = () if reading in (AUTO, OFF) else parse_engine_chain(reading)
    models = dict.fromkeys((*list_observer_models(run), *list_reflector_models(run), *readers))
    for client in (CLAUDE, CODEX):
        named = [name for backend, name in models if backend == client.program]
        if not named:
            continue
        try:
            require_login(client, named[0])
        except ConfigError as error:
            yield Check("engine", "wrong", error.message, error.hint)
        else:
            yield Check("engine", "ok", f"{client.name} is logged in; {describe_payers([(client.program, named[0])])}")
