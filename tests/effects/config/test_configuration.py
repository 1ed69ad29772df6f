"""Settings: where each value came from, and complaints that name the variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config.configuration import (
    explain_settings,
    list_shell_settings,
    list_unknown_variables,
    load_settings,
    name_variable,
)
from effects.config.paths import PROJECT_ROOT
from effects.config.settings import find_user_name
from effects.system.errors import ConfigError


def write_config(home: Path, text: str) -> Path:
    path = home / ".config" / "recollect" / "recollect.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_arguments_beat_the_environment_which_beats_the_file_which_beats_the_default(
    own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`config` names the origin of one value of each origin."""
    path = write_config(own_home, 'owner = "filed"\ntimezone = "Asia/Tokyo"\n[window]\ncap_tokens = 5000\nquiet_minutes = 7\n')
    monkeypatch.setenv("RECOLLECT_TIMEZONE", "Europe/Berlin")
    monkeypatch.setenv("RECOLLECT_WINDOW__QUIET_MINUTES", "9")
    monkeypatch.setenv("RECOLLECT_LAKE", str(own_home / "other"))
    settings = load_settings(lake=own_home / "lake")
    assert settings.lake == own_home / "lake"
    explained = {item.name: (item.value, item.origin) for item in explain_settings(settings)}
    assert explained["timezone"] == ("Europe/Berlin", "environment")
    assert explained["owner"] == ("filed", str(path))
    assert explained["window.cap_tokens"] == ("5000", str(path))
    assert explained["window.quiet_minutes"] == ("9", "environment")
    assert explained["window.min_user_messages"] == ("5", "default")


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


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("RECOLLECT_PROJECTS__JOIN", "x", "expected `repository` or `folder` (it is `x`)"),
        ("RECOLLECT_ENGINE__BATCH", "on", "expected `off` or `backfill` (it is `on`)"),
        ("RECOLLECT_EMBEDDING__TURN_MINUTES", "some", "expected a number or `all` (it is `some`)"),
        ("RECOLLECT_EMBEDDING__TURN_MINUTES", "inf", "expected a number that ends (it is `inf`)"),
        ("RECOLLECT_ENGINE__BUDGET_DAY_USD", "inf", "expected a number that ends (it is `inf`)"),
        ("RECOLLECT_TODOIST__ENABLED", "maybe", "expected `true` or `false` (it is `maybe`)"),
        ("RECOLLECT_TIERS__AFTER_DAYS", "14,3,60,365", "each greater than the one before"),
        ("RECOLLECT_TIERS__AFTER_DAYS", "0,3,60,365", "each greater than the one before"),
        ("RECOLLECT_TIERS__AFTER_DAYS", "3,2,1", "expected 4 values with commas between them, got 3 (it is `3,2,1`)"),
    ],
)
def test_a_complaint_says_what_the_setting_takes(variable: str, value: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert words in caught.value.message


@pytest.mark.parametrize(("lake", "workspace"), [("a", "a"), ("a/lake", "a"), ("a", "a/pages"), ("link", "a")])
def test_lake_and_workspace_are_apart(lake: str, workspace: str, tmp_path: Path) -> None:
    """Also through a link: the pages of the one would be files of the other."""
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(ConfigError, match=r"RECOLLECT_LAKE.* and RECOLLECT_WORKSPACE"):
        load_settings(lake=tmp_path / lake, workspace=tmp_path / workspace)
    assert load_settings(lake=tmp_path / "a", workspace=tmp_path / "ab")


def test_settings_that_only_the_shell_has_are_listed(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the file has too are not: a schedule sees them."""
    write_config(own_home, 'owner = "mara"\n[engine]\nobserver = "auto"\nconcurrency = 2\n')
    for name, value in {"OWNER": "mara", "ENGINE__OBSERVER": "auto", "ENGINE__CONCURRENCY": "2", "ENGINE__BATCH": "off"}.items():
        monkeypatch.setenv(f"RECOLLECT_{name}", value)
    assert list_shell_settings() == ["RECOLLECT_ENGINE__BATCH"]
    monkeypatch.setenv("RECOLLECT_ENGINE__OBSERVER", "offline")
    assert list_shell_settings() == ["RECOLLECT_ENGINE__OBSERVER", "RECOLLECT_ENGINE__BATCH"]


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
    assert list_unknown_variables() == ["RECOLLECT_SESSION"]
    assert name_variable("engine.base_url") == "RECOLLECT_ENGINE__BASE_URL"


def test_a_complaint_about_the_file_names_the_key_and_the_file(own_home: Path) -> None:
    """The message names every wrong key and its allowed values, and not the environment variable."""
    path = write_config(own_home, 'colour = "red"\n[window]\ncap_tokens = 5\n[embedding]\nturn_minutes = "few"\n')
    with pytest.raises(ConfigError) as caught:
        load_settings()
    for complaint in (
        f"`colour` in {path}: there is no such setting (it is `red`)",
        f"`window.cap_tokens` in {path}: expected a whole number >= 1000 (it is `5`)",
        f"`embedding.turn_minutes` in {path}: expected a number or `all` (it is `few`)",
    ):
        assert complaint in caught.value.message


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ENGINE__BASE_URL", "ftp://x"),
        ("ENGINE__BASE_URL", "notaurl"),
        ("ENGINE__BASE_URL", "http://"),
        ("EMBEDDING__TURN_MINUTES", "-1"),
    ],
)
def test_an_address_of_no_server_and_minutes_below_nothing_are_refused(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each was accepted, and every request of every night would have failed."""
    monkeypatch.setenv(f"RECOLLECT_{variable}", value)
    with pytest.raises(ConfigError, match=f"RECOLLECT_{variable}"):
        load_settings()


def test_an_empty_variable_of_the_settings_file_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """`RECOLLECT_CONFIG= recollect config` complained of the default file, which need not exist."""
    monkeypatch.setenv("RECOLLECT_CONFIG", "")
    assert load_settings().engine.observer == "offline"


@pytest.mark.parametrize("variable", ["SESSIONS", "LAKE", "WORKSPACE", "IDENTITY", "EXCLUDE", "EMBEDDING__MODEL", "CONFIG"])
def test_a_path_in_the_home_of_nobody_is_named_by_its_variable(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for every setting that holds paths, or may."""
    monkeypatch.setenv(f"RECOLLECT_{variable}", "~nouser/x")
    with pytest.raises(ConfigError, match=f"RECOLLECT_{variable}: `~nouser/x` begins with the home of an unknown user"):
        load_settings()


@pytest.mark.parametrize("variable", ["LAKE", "WORKSPACE"])
@pytest.mark.parametrize("below", ["", "pages/deep"])
def test_a_folder_that_is_a_file_is_named(variable: str, below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder below a file is refused as well, because a night would fail hours later."""
    (tmp_path / "notes").write_text("", encoding="utf-8")
    monkeypatch.setenv(f"RECOLLECT_{variable}", str(tmp_path / "notes" / below))
    with pytest.raises(ConfigError, match=f"RECOLLECT_{variable}: {tmp_path / 'notes'} is a file, not a folder"):
        load_settings()


@pytest.mark.parametrize(
    ("variable", "text", "value"),
    [
        ("SESSIONS", "~/a:/b", ()),
        ("exclude", "/tmp/*, secret ,", ("/tmp/*", "secret")),
        ("LAKE", "here", PROJECT_ROOT / "here"),
        ("TIMEZONE", "", "UTC"),
        ("OWNER", "", "tester"),
        ("WINDOW__CAP_TOKENS", "5000", 5000),
        ("ENGINE__BUDGET_RUN_TOKENS", "0", 0),
        ("engine__concurrency", "2", 2),
        ("TIERS__AFTER_DAYS", "1, 2,3,4", (1, 2, 3, 4)),
        ("EMBEDDING__TURN_MINUTES", "all", "all"),
        ("EMBEDDING__TURN_MINUTES", "0.5", 0.5),
    ],
)
def test_text_of_the_environment_becomes_the_value_of_its_type(
    variable: str, text: str, value: object, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Upper and lower case are equal; an empty text means the default."""
    if variable == "SESSIONS":
        value = (own_home / "a", Path("/b"))
    monkeypatch.setenv(f"RECOLLECT_{variable}", text)
    settings = load_settings()
    group, _, key = variable.lower().rpartition("__")
    assert getattr(getattr(settings, group) if group else settings, key) == value


def test_a_group_is_not_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names one of the settings in the group."""
    monkeypatch.setenv("RECOLLECT_ENGINE", "offline")
    with pytest.raises(ConfigError, match=r"RECOLLECT_ENGINE: this is a group of settings; .* RECOLLECT_ENGINE__OBSERVER"):
        load_settings()


def test_root_is_nobodys_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody has it in a container, and a fact that begins "Root cause of …" is about no person."""
    monkeypatch.setattr("getpass.getuser", lambda: "root")
    assert find_user_name() == "owner"
    monkeypatch.setattr("getpass.getuser", lambda: "ola")
    assert find_user_name() == "ola"
