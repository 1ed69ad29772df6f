"""Settings: where each value came from, and complaints that name the variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config.configuration import explain, load_settings, unknown_variables, variable_of
from effects.system.errors import ConfigError


def write_config(home: Path, text: str) -> Path:
    path = home / ".config" / "recollect" / "recollect.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_arguments_beat_the_environment_which_beats_the_file_which_beats_the_default(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One value of each origin, and `config` says which is which."""
    path = write_config(own_home, 'owner = "filed"\ntimezone = "Asia/Tokyo"\n[window]\ncap_tokens = 5000\nquiet_minutes = 7\n')
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "Europe/Berlin")
    monkeypatch.setenv("RECOLLECT_WINDOW__QUIET_MINUTES", "9")
    settings = load_settings(lake=own_home / "lake")
    found = {item.name: (item.value, item.origin) for item in explain(settings, {"lake": own_home / "lake"})}
    assert found["lake"] == (str(own_home / "lake"), "argument")
    assert found["timezone"] == ("Europe/Berlin", "environment")
    assert found["owner"] == ("filed", str(path))
    assert found["window.cap_tokens"] == ("5000", str(path))
    assert found["window.quiet_minutes"] == ("9", "environment")
    assert found["window.min_user_messages"] == ("5", "default")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RECOLLECT_TIMEZONE", "Mars/Olympus"),
        ("RECOLLECT_WINDOW__CAP_TOKENS", "many"),
        ("RECOLLECT_ENGINE__OBSERVER", "magic:9000"),
        ("RECOLLECT_TIERS__AFTER_DAYS", "1,2"),
        ("RECOLLECT_DISTIL__BUDGET", "7"),
        ("RECOLLECT_ENGINE__NO_SUCH", "1"),
        ("RECOLLECT_ENGINE", "not json"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_by_its_variable(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message is one line and holds the variable, so that a person knows what to change."""
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert variable in caught.value.message
    assert "\n" not in caught.value.message
    assert "pydantic" not in caught.value.message.lower()


def test_a_broken_config_file_is_named(own_home: Path) -> None:
    """TOML that does not parse is a setting that cannot be used, not a crash."""
    path = write_config(own_home, "owner = [")
    with pytest.raises(ConfigError, match=str(path)):
        load_settings()


def test_a_named_config_file_must_exist(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing mistake in RECOLLECT_CONFIG would otherwise run with defaults."""
    monkeypatch.setenv("RECOLLECT_CONFIG", str(own_home / "nowhere.toml"))
    with pytest.raises(ConfigError, match="RECOLLECT_CONFIG"):
        load_settings()


def test_a_config_file_in_the_working_directory_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile repository must not redirect a model endpoint."""
    (tmp_path / "recollect.toml").write_text('owner = "mallory"\n', encoding="utf-8")
    (tmp_path / ".env").write_text("RECOLLECT_OWNER=mallory\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_settings().owner == "tester"


def test_a_variable_that_sets_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """`RECOLLECT_SESSION` instead of `RECOLLECT_SESSIONS` would go unnoticed."""
    monkeypatch.setenv("RECOLLECT_SESSION", "somewhere")
    assert unknown_variables(load_settings()) == ["RECOLLECT_SESSION"]
    assert variable_of("engine.base_url") == "RECOLLECT_ENGINE__BASE_URL"
