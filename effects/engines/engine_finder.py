"""Finds the engines of this machine for the setting `auto` and for a first set-up. Nothing of the owner's is sent or read.

pi is asked for the names of its models, the environment for the names of keys, Claude Code and Codex for their logins, and the
three usual addresses of local servers on the loopback for their models.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException

from effects.engines.instructor_engine import ADDRESSES, is_own_server
from effects.engines.programs.client_login import find_login
from effects.engines.programs.client_replies import CLAUDE, CODEX
from effects.engines.programs.pi_engine import PRIVATE_PI
from transforms.pricing.engine_choice import FoundEngines, LocalServer, LoggedInClient, parse_pi_models
from transforms.pricing.prices import LOCAL_PROVIDERS

PI_TIMEOUT_S, SERVER_TIMEOUT_S = 20.0, 0.6
KEY_PROVIDERS = ("anthropic", "openai", "google", "gemini")
"""Providers whose cheap models and prices are known."""
MAX_LIST_BYTES = 1_000_000
"""Days of history from which the windows of a night are estimated."""


def find_engines(base_url: str | None = None) -> FoundEngines:
    """Return the engines that this machine could use. With `base_url` (a server that the owner named) keys do not count,
    because requests would go there; programs have their own."""
    problems: list[str] = []
    models = _list_pi_models(problems)
    keys = () if base_url else tuple(_list_keys(problems))
    clients = tuple(_list_clients(problems))
    return FoundEngines(models, keys, tuple(_list_servers(base_url)), tuple(problems), clients)


def _list_clients(problems: list[str]) -> Iterator[LoggedInClient]:
    for client in (CLAUDE, CODEX):
        login = find_login(client)
        if login.is_usable:
            yield LoggedInClient(client.program, client.name, login.payer)
        elif login.problem:
            problems.append(f"{login.problem} (`{login.hint}`)")


def _list_pi_models(problems: list[str]) -> tuple[str, ...]:
    binary = shutil.which("pi")
    if binary is None:
        return ()
    try:
        with tempfile.TemporaryDirectory(prefix="recollect-pi-") as folder:
            done = subprocess.run(
                [binary, "--list-models"], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd=folder,
                timeout=PI_TIMEOUT_S, env=os.environ | PRIVATE_PI,
            )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        problems.append("pi is installed but does not list its models")
        return ()
    models = parse_pi_models(f"{done.stdout}\n{done.stderr}")
    if not models:
        problems.append("pi is installed but has no credentials (`pi`, then `/login`)")
    return models


def _list_keys(problems: list[str]) -> list[str]:
    providers = [provider for provider in KEY_PROVIDERS if os.environ.get(f"{provider.upper()}_API_KEY")]
    if "anthropic" in providers and importlib.util.find_spec("anthropic") is None:
        problems.append("ANTHROPIC_API_KEY is set, but its package is missing (`pip install 'recollect[anthropic]'`)")
        providers.remove("anthropic")
    return providers


def _list_servers(base_url: str | None) -> list[LocalServer]:
    places = [("openai", base_url)] if base_url else [(provider, ADDRESSES[provider]) for provider in LOCAL_PROVIDERS]
    servers = []
    for provider, address in places:
        if is_own_server(address) and (models := _list_models(address)):
            servers.append(LocalServer(provider, address, models))
    return servers


def _list_models(address: str) -> tuple[str, ...]:
    """Return the models that an OpenAI-compatible server of this machine names; empty when none answers there."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # a proxy is not this machine
    try:
        with opener.open(f"{address}/models", timeout=SERVER_TIMEOUT_S) as reply:
            return tuple(str(model["id"]) for model in json.loads(reply.read(MAX_LIST_BYTES))["data"])
    except (OSError, HTTPException, ValueError, KeyError, TypeError):  # nobody, or another program
        return ()
