"""The version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def read_product_version() -> str:
    """Return the installed version, `unknown` in a bare checkout."""
    try:
        return version("recollect")
    except PackageNotFoundError:
        return "unknown"
