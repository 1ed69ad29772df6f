"""The version of the installed package."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def read_product_version() -> str:
    """Return the installed version, `unknown` in a bare checkout."""
    try:
        return version("recollect")
    except PackageNotFoundError:
        return "unknown"
