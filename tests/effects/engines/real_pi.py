"""The real pi on PATH, pointed at the loopback server; the tests that use it are marked `pi`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.pi.clients import CLIENTS, node

COMPAT = {
    "supportsDeveloperRole": False,
    "supportsReasoningEffort": False,
    "supportsStore": False,
    "maxTokensField": "max_tokens",
}


def pi_on_path(folder: Path, version: str, url: str, patch: pytest.MonkeyPatch) -> str:
    """Put a program `pi` of this version on PATH; return the model that it reaches. Skips the test without pi."""
    program_node = node()
    binaries, home = folder / "bin", folder / "home"
    binaries.mkdir(parents=True)
    program = binaries / "pi"
    program.write_text(f'#!/bin/sh\nexec "{program_node}" "{CLIENTS[version]}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True)
    models = [{"id": "local-model", "contextWindow": 128_000, "maxTokens": 8000}]
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "dummy", "compat": COMPAT, "models": models}
    (agent / "models.json").write_text(json.dumps({"providers": {"local": provider}}), encoding="utf-8")
    (agent / "settings.json").write_text(json.dumps({"retry": {"enabled": False}}), encoding="utf-8")
    patch.setenv("PATH", f"{binaries}{os.pathsep}{os.environ['PATH']}")
    patch.setenv("HOME", str(home))
    patch.setenv("PI_OFFLINE", "1")
    return "local/local-model"
