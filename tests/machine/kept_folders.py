"""Folders that many tests begin with: each is made once a process and copied for every test, which changes its own copy."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

_kept: dict[tuple[object, ...], Path] = {}


@cache
def _open_place() -> TemporaryDirectory[str]:
    """Return a folder that ends with the process."""
    return TemporaryDirectory(prefix="recollect-kept-")


def copy_kept(key: tuple[object, ...], make: Callable[[Path], object], target: Path) -> None:
    """Fill `target` with what `make` leaves in a folder of its own; the first one with `key` makes it, and times of files stay.

    Nothing in it may hold the path of the folder.
    """
    if key not in _kept:
        folder = Path(_open_place().name, str(len(_kept)))
        folder.mkdir()
        make(folder)
        _kept[key] = folder
    shutil.copytree(_kept[key], target, symlinks=True, dirs_exist_ok=True)
