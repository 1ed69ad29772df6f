"""The version is that of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from effects.system import version


def test_a_bare_checkout_has_an_unknown_version(monkeypatch: pytest.MonkeyPatch) -> None:
    assert version.read_product_version()[0].isdigit()

    def find_none(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(version, "version", find_none)
    version.read_product_version.cache_clear()
    assert version.read_product_version() == "unknown"
    version.read_product_version.cache_clear()
