"""The image for servers is built from files that exist, and runs a command that exists."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from effects.config.configuration import list_unknown_variables
from effects.config.prefect_settings import PRIVATE
from recollect.cli import parse_arguments

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_what_is_copied_exists_and_no_data_of_a_developer_is() -> None:
    """Memory and environments of the machine that builds stay out of the image."""
    sources = [words.split()[0] for words in re.findall(r"^COPY (.*)$", DOCKERFILE, re.MULTILINE)]
    assert all((ROOT / source).exists() for source in sources)
    assert {".git", ".venv", "data/lake", "data/workspace"} <= set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())


def test_its_environment_is_known_and_private(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every setting exists; telemetry is off; memory lies in the volume; nobody is root."""
    variables = dict(re.findall(r"\b([A-Z][A-Z_]+)=(\S+)", DOCKERFILE.partition("ENV ")[2].partition("\n\n")[0]))
    monkeypatch.setattr("os.environ", variables)
    assert list_unknown_variables() == []
    assert variables.items() >= PRIVATE.items()
    assert variables["RECOLLECT_LAKE"].startswith("/data/")
    assert re.search(r"^USER owner$", DOCKERFILE, re.MULTILINE)


def test_its_command_is_a_night() -> None:
    """It parses as the command line does."""
    command = json.loads(re.findall(r"^CMD (.*)$", DOCKERFILE, re.MULTILINE)[0])
    assert parse_arguments(command).direct
