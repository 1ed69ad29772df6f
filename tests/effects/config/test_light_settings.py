"""The settings that a cold question reads by itself are those that everybody else reads, or it leaves them alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from effects.config.configuration import load_settings
from effects.config.light_settings import light_settings
from effects.system.errors import ConfigError

VALUES = ("offline", "", "none", "~/memory", "data/here", "/abs/lake", "Europe/Berlin", "Mars/Olympus", "UTC", "3", "all", "a,b")
NAMES = ("LAKE", "lake", "WORKSPACE", "TIMEZONE", "OWNER", "EMBEDDING__MODEL", "EMBEDDING__TURN_MINUTES", "ENGINE__OBSERVER")
NAMES += ("ENGINE__REFLECTOR", "SESSIONS", "EXCLUDE", "ENGINE", "EMBEDDING", "WINDOW__CAP_TOKENS", "NO_SUCH", "ENGINE__NO_SUCH")
TOML = (
    "",
    'lake = "/filed/lake"\ntimezone = "Asia/Tokyo"\n',
    '[embedding]\nmodel = "filed"\n',
    "[embedding]\nturn_minutes = 3\n",
    'no_such = "x"\n',
    "lake = 3\n",
    'sessions = ["/a", "/b"]\n',
    "no toml",
    '[engine]\nreflector = "instructor:anthropic/claude"\n',
)


def plain(read: object) -> tuple[object, ...]:
    """What a question needs of them."""
    return read.lake, read.workspace, read.timezone, read.embedding.model  # type: ignore[attr-defined]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=3), st.sampled_from(TOML))
def test_light_settings_are_the_whole_ones_or_none(own_home: Path, given: dict[str, str], toml: str) -> None:
    """For any of these variables and files; what cannot be used is never taken for plain."""
    path = own_home / "recollect.toml"
    path.write_text(toml, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("RECOLLECT_")]:
            patch.delenv(name)
        patch.setenv("RECOLLECT_CONFIG", str(path))
        for name, value in given.items():
            patch.setenv(f"RECOLLECT_{name}", value)
        found = light_settings()
        try:
            whole = load_settings()
        except ConfigError:
            assert found is None
            return
        if found is not None:
            assert plain(found) == plain(whole)
            assert whole.engine.reflector == "offline"
            assert (found.owner, found.window, found.sessions) == (whole.owner, whole.window, whole.sessions)


def test_usual_settings_are_light(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Defaults, and where lake and workspace lie."""
    assert light_settings() is not None
    monkeypatch.setenv("RECOLLECT_LAKE", str(own_home / "lake"))
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "Europe/Berlin")
    found = light_settings()
    assert found is not None
    assert (found.lake, found.timezone) == (own_home / "lake", "Europe/Berlin")
