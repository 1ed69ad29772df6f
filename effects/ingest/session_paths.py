"""One path for each session file, however settings and commands spell its folder: with `..`, or through a link."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from effects.ingest.session_files import SessionFile


def name_session_path(path: Path, folders: Sequence[Path]) -> Path:
    """Return the path under which a scan of the session folders finds this file; outside of them that of its real folder."""
    place = os.path.realpath(path.parent)
    for folder in folders:
        real = os.path.realpath(folder)
        if place == real or place.startswith(f"{real.rstrip(os.sep)}{os.sep}"):
            return folder / os.path.relpath(place, real) / path.name
    return Path(place) / path.name


def name_as_known(files: Sequence[SessionFile], known: Iterable[str]) -> list[SessionFile]:
    """Return the files, sorted by path: each once, and one that the lake knows under another path under that.

    The lake keeps the path of the first reading: the folders of entries, sessions and forks hang on it.
    """
    paths = {file.path for file in files}
    find_place = _make_place_finder()
    known_paths = dict[str, str]()
    for path in sorted(known, key=lambda path: (path not in paths, path)):
        known_paths.setdefault(find_place(path), path)
    named: dict[str, SessionFile] = {}
    places = set[str]()
    for file in sorted(files, key=lambda file: file.path):
        place = find_place(file.path)
        if place not in places:
            places.add(place)
            path = known_paths.get(place, file.path)
            named[path] = replace(file, path=path, found_at="" if path == file.path else file.path)
    return [named[path] for path in sorted(named)]


def _make_place_finder() -> Callable[[str], str]:
    """Return a function that names the real place of a file. Links to folders are followed; a link to a file is a file."""
    find_real_folder = cache(os.path.realpath)

    def find_place(path: str) -> str:
        folder, name = os.path.split(path)
        return os.path.join(find_real_folder(folder), name)  # noqa: PTH118 - no Path for each of thousands

    return find_place
