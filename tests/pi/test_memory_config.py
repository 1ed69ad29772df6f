"""memory.json of observational memory: the project's values win one by one, and a wrong value is named and left out."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.pi.clients import ROOT, node
from transforms.distil.modes import MODES

pytestmark = pytest.mark.pi

FOLDER = ROOT / "extensions" / "pi" / "observational-memory"
DEFAULTS: dict[str, Any] = {
    "enabled": True,
    "observer": {
        "mode": "auto", "model": "gemini-2.5-flash", "provider": "google", "messageTokenThreshold": 30_000, "temperature": 0.3,
        "maxOutputTokens": 100_000,
    },
    "reflector": {
        "model": "gemini-2.5-flash", "provider": "google", "observationTokenThreshold": 40_000, "temperature": 0,
        "maxOutputTokens": 100_000,
    },
    "context": {
        "enabled": False, "workingTierMaxTokens": 30_000, "sessionTierMaxTokens": 10_000, "crossSessionTierMaxTokens": 5_000,
        "chunkSize": 20, "asyncBuffer": True, "blockAfterTokens": 0,
    },
}  # fmt: skip
NAMES = {group: list(DEFAULTS[group]) for group in ("observer", "reflector", "context")}
VALUES = st.one_of(
    st.sampled_from(["a", "b", "", "plan", 0, 0.5, 1, 7, 40_000, -1, 3, True]), st.lists(st.integers(), max_size=1)
)


def roles(role: str) -> st.SearchStrategy[Any]:
    """Return settings of a role: right ones, wrong ones, unknown ones."""
    return st.dictionaries(st.sampled_from([*NAMES[role], "unknown"]), VALUES, max_size=4)


FILES = st.fixed_dictionaries(
    {},
    optional={
        "$schema": st.just("https://example.com"),
        "enabled": st.booleans(),
        "observer": roles("observer"),
        "reflector": roles("reflector"),
        "context": roles("context"),
    },
)


def is_right(name: str, value: Any) -> bool:
    """Whether a setting can have this value."""
    if name in ("model", "provider"):
        return isinstance(value, str) and value != ""
    if name == "mode":
        return value == "plan"
    if name in ("enabled", "asyncBuffer"):
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if name == "blockAfterTokens":
        return value >= 0
    return 0 <= value <= 2 if name == "temperature" else value >= 1


def expect(files: list[dict[str, Any]]) -> tuple[dict[str, Any], int]:
    """Return the merged settings and the number of wrong values."""
    merged, wrong = json.loads(json.dumps(DEFAULTS)), 0
    for file in files:
        merged["enabled"] = file.get("enabled", merged["enabled"])
        for role, names in NAMES.items():
            for name, value in file.get(role, {}).items():
                if name in names and is_right(name, value):
                    merged[role][name] = value
                wrong += name in names and not is_right(name, value)
    return merged, wrong


@given(st.lists(st.lists(FILES, min_size=2, max_size=2), min_size=40, max_size=60))
@settings(max_examples=5, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_the_project_overrides_the_global_file_value_by_value(pairs: list[list[dict[str, Any]]]) -> None:
    """One process answers for many pairs."""
    command = [str(node()), "--experimental-strip-types", "--no-warnings", str(ROOT / "tests/pi/memory_config.mjs")]
    lines = "".join(json.dumps(pair) + "\n" for pair in pairs)
    done = subprocess.run([*command, str(FOLDER / "config.ts")], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for pair, line in zip(pairs, done.stdout.splitlines(), strict=True):
        answer = json.loads(line)
        assert (answer["merged"], len(answer["problems"])) == expect(pair)


def test_the_extension_imports_nothing_from_pi_and_stays_small() -> None:
    """It must load in any version; a library of pi is asked for at run time only."""
    for path in FOLDER.glob("*.ts"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) < 400, path.name
        sources = [line.rpartition(" from ")[2].strip('";') for line in lines if line.startswith("import ")]
        assert all(source.startswith(("node:", "./")) for source in sources), path.name


def test_its_modes_are_those_of_the_pipeline() -> None:
    """The same names and the same words; `auto` is the extension's own."""
    text = (FOLDER / "modes.ts").read_text(encoding="utf-8")
    values = dict(re.findall(r'^  (\w+): "(.*)",$', text, re.MULTILINE))
    assert values == {"auto": ""} | {name: mode.focus if mode.kinds else "" for name, mode in MODES.items()}
