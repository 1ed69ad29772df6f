"""Values that an owner chooses while setting up."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config.settings import Settings
from effects.setup.chosen_values import OPTION_EXAMPLES, OPTION_SETTINGS, check_option, check_value, describe_sessions
from effects.system.errors import ConfigError, UsageError


def test_an_option_that_cannot_be_used_is_named_and_not_its_variable() -> None:
    assert set(OPTION_EXAMPLES) == set(OPTION_SETTINGS)
    check_option("engine", "engine.observer", "offline")
    with pytest.raises(UsageError, match=r"^--engine: `foo` is not an engine") as refused:
        check_option("engine", "engine.observer", "foo")
    assert refused.value.hint == "recollect init --engine offline"
    if Path("/proc/self").is_dir():  # a folder that refuses every user
        with pytest.raises(UsageError, match=r"^--workspace=/proc/memory: /proc takes no files"):
            check_option("workspace", "workspace", "/proc/memory")


def test_an_answer_that_cannot_be_used_names_its_setting(tmp_path: Path) -> None:
    assert check_value("timezone", "Europe/Berlin") == "Europe/Berlin"
    with pytest.raises(ConfigError, match="RECOLLECT_TIMEZONE"):
        check_value("timezone", "Mars/X")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="a file, not a folder"):
        check_value("workspace", str(tmp_path / "file"))


def test_sessions_are_counted_where_the_settings_look_for_them(tmp_path: Path) -> None:
    settings = Settings(sessions=(tmp_path,), lake=tmp_path / "lake", workspace=tmp_path / "pages")
    assert describe_sessions(settings).startswith("found no sessions")
    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")
    assert f"{tmp_path}, with 1 session file" in describe_sessions(settings)
