"""Addresses of object stores and the folders of their copies are each other's."""

from __future__ import annotations

from pathlib import Path

import pytest

from effects.config.configuration import explain_settings, load_settings
from effects.config.paths import find_address, find_config_file, locate_copy, suggest_first_command
from effects.system.errors import ConfigError
from tests.each_case import each_case


@each_case("address", ["s3://bucket", "s3://bucket/a/b-c.d", "gs://bucket/team", "az://box/x=1"])
def test_a_copy_knows_its_address(address: str) -> None:
    assert find_address(locate_copy(address)) == address


def test_a_folder_has_no_address(tmp_path: Path) -> None:
    assert find_address(tmp_path) is None


@pytest.mark.parametrize("address", ["ftp://bucket/a", "s3://", "s3://bucket/../other", "s3://bucket/a b", "s3://bucket//x"])
def test_an_address_that_cannot_be_used_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LAKE", address)
    with pytest.raises(ConfigError, match="RECOLLECT_LAKE: write an object store as"):
        load_settings()


def test_the_settings_show_the_address_and_not_the_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_LAKE", "s3://bucket/team/")
    shown = {setting.name: setting.value for setting in explain_settings(load_settings())}
    assert shown["lake"] == "s3://bucket/team"


def test_who_never_set_anything_up_is_sent_to_init(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first night alone reads pi's folder only; whoever wrote settings, in a file or in variables, goes on with theirs."""
    assert suggest_first_command() == "recollect init"
    monkeypatch.setenv("RECOLLECT_SESSIONS", "~/elsewhere")
    assert suggest_first_command() == "recollect nightly"
    monkeypatch.delenv("RECOLLECT_SESSIONS")
    find_config_file().parent.mkdir(parents=True)
    find_config_file().write_text("", encoding="utf-8")
    assert suggest_first_command() == "recollect nightly"
