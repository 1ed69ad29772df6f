"""Chooses an engine for the setting `auto` from the findings on a machine: the same findings, the same engine.

The order: pi with a cheap model, a provider's key with a cheap model, Claude Code, Codex, a server of this machine, else offline.
A model is cheap when it stands in CHEAP_MODELS; a machine that has only others is told so, and its owner names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from transforms.patterns.late_pattern import compile_late
from transforms.pricing.prices import SNAPSHOT, compute_cost, find_price
from transforms.tables.enums import OFFLINE

CHEAP_MODELS = (
    "anthropic/claude-haiku-5-5", "openai/gpt-5-mini", "google/gemini-3-flash-preview", "anthropic/claude-haiku-4-5",
    "google/gemini-2.5-flash", "openai/gpt-4.1-mini",
)  # fmt: skip
"""Models that `auto` may choose, the best for their price first; each stands in the price list."""
CLIENT_MODELS = {"claude": "anthropic/claude-haiku-4-5", "codex": "openai/gpt-6-luna"}
"""The model that `auto` asks through a client, known to the oldest version that we ask; each stands in the price list."""
WINDOW_TOKENS = (7_500, 2_000)
"""Tokens that a model reads and writes for a window on average (docs/decisions.md)."""
MISSED_OFFLINE = "of what agents find it misses more than a model does"
"""What a person who chooses an engine or asks after its state is told; the nights say it until the engine was chosen."""
NIGHT_WINDOWS = 8.0
"""Windows of a night of which nothing is known."""
_NO_TEXT_MODEL = compile_late(r"embed|rerank|whisper|tts|bge-|minilm|clip", re.I)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server of this machine that answered: its provider's name (`ollama`), its address and its models."""

    provider: str
    address: str
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LoggedInClient:
    """A client whose owner is logged in: its program (`claude`, `codex`), its name for people, and who pays for its requests."""

    program: str
    name: str
    payer: str


@dataclass(frozen=True, slots=True)
class FoundEngines:
    """The engines of a machine: models (`provider/model`) for which pi has credentials, providers with a key, local servers,
    clients with a login.

    `problems` say why something that looked usable is not.
    """

    pi_models: tuple[str, ...] = ()
    key_providers: tuple[str, ...] = ()
    servers: tuple[LocalServer, ...] = ()
    problems: tuple[str, ...] = ()
    clients: tuple[LoggedInClient, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """A value for RECOLLECT_ENGINE__OBSERVER, the reason, and its dollars per night (None: unknown, 0: free).

    `sends_to` names who gets the owner's words, empty when they stay on this machine.
    """

    engine: str
    reason: str
    usd_per_night: float | None
    sends_to: str = ""


def choose_engine(engines: FoundEngines, windows_per_night: float = NIGHT_WINDOWS) -> EngineChoice:
    """Return the engine that `auto` stands for: the first of `list_choices`."""
    return list_choices(engines, windows_per_night)[0]


WAYS_TO_A_MODEL = (
    "install Claude Code or Codex and log in, set the key of a provider (ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY),"
    " or start Ollama with a model; then `recollect init`"
)
"""What to do on a machine on which no model was found."""


def advise_model(engines: FoundEngines) -> str:
    """Return the next command of an owner who needs a model: `recollect init` chooses one, if this machine has any."""
    return "recollect init" if len(list_choices(engines)) > 1 else WAYS_TO_A_MODEL


def list_choices(engines: FoundEngines, windows_per_night: float = NIGHT_WINDOWS) -> list[EngineChoice]:
    """Return every engine that could be used, the one that `auto` takes first; the last is always `offline`."""
    choices: list[EngineChoice] = []
    if model := _find_cheapest(engines.pi_models):
        choices.append(_build_choice(f"pi:{model}", "pi is installed and has credentials for it", windows_per_night))
    owned = [(provider, f"{provider}/{model}") for provider in engines.key_providers for model in _list_models_of(provider)]
    order = {model: rank for rank, model in enumerate(CHEAP_MODELS)}
    for provider, model in sorted(owned, key=lambda pair: order[pair[1].replace("gemini/", "google/")]):
        if not any(choice.engine.startswith(f"instructor:{provider}/") for choice in choices):
            reason = f"{provider.upper()}_API_KEY is set"
            choices.append(_build_choice(f"instructor:{model}", reason, windows_per_night))
    for client in engines.clients:
        reason = f"{client.name} is installed and logged in, {client.payer} pays"
        choices.append(_build_choice(f"{client.program}:{CLIENT_MODELS[client.program]}", reason, windows_per_night))
    for server in engines.servers:
        usable = [model for model in server.models if not _NO_TEXT_MODEL.search(model)]
        if usable:
            reason = f"a server of this machine answers at {server.address}"
            choices.append(EngineChoice(f"instructor:{server.provider}/{usable[0]}", reason, 0.0))
    missing = (
        "no pi with credentials, no key of a provider, no login of Claude Code or Codex, and no server of this machine was found"
    )
    reason = "; ".join(engines.problems) or ("asks no model" if choices else missing)
    return [*choices, EngineChoice(OFFLINE, reason, 0.0)]


def estimate_night(model: str, windows_per_night: float) -> float | None:
    """Return the dollars of a night with so many windows; None when the price of `provider/model` is unknown."""
    if find_price(model) is None:
        return None
    reads, writes = WINDOW_TOKENS
    return compute_cost(model, round(reads * windows_per_night), round(writes * windows_per_night))


def format_choices(choices: Sequence[EngineChoice]) -> list[str]:
    """Return a line for each engine of this machine, and one that says how to choose, or how to get a model where none is."""
    if len(choices) > 1:
        last = f"`auto` takes the first of these; `offline` sends nothing anywhere, but {MISSED_OFFLINE}; or name one of them."
    else:
        last = f"offline reads English alone, and {MISSED_OFFLINE}. For a model: {WAYS_TO_A_MODEL}."
    return [*map(format_choice, choices), last]


def format_choice(choice: EngineChoice) -> str:
    """Return a sentence for people: engine, reason, price of a night, and who gets the owner's words."""
    if choice.engine == OFFLINE:
        return f"offline: {choice.reason}"
    counted = ", counted at list price" if choice.engine.startswith(tuple(f"{program}:" for program in CLIENT_MODELS)) else ""
    price = "at an unknown price" if choice.usd_per_night is None else f"about {choice.usd_per_night:.2f} USD a night{counted}"
    price = "free" if choice.usd_per_night == 0 else price
    place = f"your sessions' text goes to {choice.sends_to}" if choice.sends_to else "nothing leaves this machine"
    return f"{choice.engine}: {choice.reason}; {price}; {place}"


def parse_pi_models(table: str) -> tuple[str, ...]:
    """Return `provider/model` of each row that `pi --list-models` prints; empty without its header."""
    lines = [line.split() for line in table.splitlines()]
    start = next((number for number, words in enumerate(lines) if words[:2] == ["provider", "model"]), None)
    rows = lines[start + 1 :] if start is not None else []
    return tuple(f"{words[0]}/{words[1]}" for words in rows if len(words) >= 2)


def _build_choice(engine: str, reason: str, windows_per_night: float) -> EngineChoice:
    model = engine.partition(":")[2]
    return EngineChoice(engine, reason, estimate_night(model, windows_per_night), model.partition("/")[0])


def _find_cheapest(models: Iterable[str]) -> str:
    """Return the model that is nearest to the top of CHEAP_MODELS; its own provider before one that passes it on."""
    wanted = {_normalise(cheap.partition("/")[2]): (rank, cheap) for rank, cheap in enumerate(CHEAP_MODELS)}
    ranked = []
    for model in models:
        known = wanted.get(_normalise(model.rpartition("/")[2]))
        if known:
            ranked.append((known[0], SNAPSHOT.sub("", model) != known[1], model))
    return min(ranked)[2] if ranked else ""


def _list_models_of(provider: str) -> list[str]:
    name = provider.replace("gemini", "google")
    return [model.partition("/")[2] for model in CHEAP_MODELS if model.startswith(f"{name}/")]


def _normalise(name: str) -> str:
    return SNAPSHOT.sub("", name).replace(".", "-")
