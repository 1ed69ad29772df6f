"""The engine setting: which models are asked, through which backend, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transforms.tables.enums import OFFLINE

if TYPE_CHECKING:
    from transforms.tables.enums import ModelBackend

BACKENDS: tuple[ModelBackend, ...] = ("instructor", "pi", "claude", "codex")
MAKERS: dict[ModelBackend, str] = {"claude": "anthropic", "codex": "openai"}
"""The provider of every model behind a client: its name may be left out."""
AUTO, OFF = "auto", "off"


def check_engine(engine: str) -> None:
    """Raise a ValueError unless the text is `offline`, `auto` or a chain of models."""
    if engine.strip() != AUTO:
        parse_engine_chain(engine)


def check_second_reading(setting: str) -> None:
    """Raise a ValueError unless the text is `auto`, `off` or a chain of models."""
    if setting.strip() not in (AUTO, OFF) and not parse_engine_chain(setting):
        raise ValueError("`offline` cannot do a second reading: use `auto`, `off` or a model")


def parse_engine_chain(engine: str) -> tuple[tuple[ModelBackend, str], ...]:
    """Return `instructor:a/x,b/y` as (("instructor", "a/x"), ("instructor", "b/y")); empty for `offline`.

    The models are tried in this order. A model without a backend takes the backend of the model before it. `claude:x` is
    ("claude", "anthropic/x"), `codex:x` is ("codex", "openai/x").

    `auto` is resolved before (`effects.engines.registry`).

    Raises:
        ValueError: for anything else.
    """
    if engine.strip() == OFFLINE:
        return ()
    chain: list[tuple[ModelBackend, str]] = []
    backend: ModelBackend | None = None
    for part in (part.strip() for part in engine.split(",")):
        prefix, colon, rest = part.partition(":")
        named = next((known for known in BACKENDS if colon and known == prefix), None)
        backend, model = (named, rest) if named else (backend, part)
        maker = MAKERS.get(backend) if backend else None
        if maker and model and "/" not in model:
            model = f"{maker}/{model}"
        provider, slash, name = model.partition("/")
        is_named = bool(backend and provider and slash and name) and maker in (None, provider)
        if not backend or not is_named or any(character.isspace() for character in model):
            raise ValueError(
                f"`{engine}` is not an engine: use `offline`, `auto`, `instructor:provider/model`, `pi:provider/model`,"
                " `claude:model` or `codex:model` (several models, separated by commas, are tried in turn)"
            )
        chain.append((backend, model))
    return tuple(chain)
