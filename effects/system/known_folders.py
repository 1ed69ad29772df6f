"""Finds the known folder that a folder lies in."""

from __future__ import annotations

import os
from collections.abc import Iterable

from transforms.projects.same_folder import is_inside


def find_enclosing(folder: str, known: Iterable[str]) -> str | None:
    """Return the innermost known folder that a folder is or lies in; None when there is none.

    The home folder, and those around it, count for themselves alone: people start clients there for whatever comes up, and every
    new folder would be part of that.
    """
    home = os.path.expanduser("~")  # noqa: PTH111 - a process without a home keeps the tilde
    inside = (path for path in known if is_inside(folder, path) and (not is_inside(home, path) or is_inside(path, folder)))
    return max(inside, key=len, default=None)
