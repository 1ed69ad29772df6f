"""Keeps the owner's decisions about projects: which folders are one, which stand alone."""

from __future__ import annotations

from collections.abc import Mapping

from effects.projects.join_step import read_folders
from effects.projects.resolve_project import NAMES_IN_HINT
from effects.store.run import Counts, Run
from effects.system.errors import NotFoundError, UsageError
from transforms.projects.join_folders import REPOSITORY_SIGNS
from transforms.projects.same_folder import compose_path
from transforms.tables.rows import ProjectRow
from transforms.tables.schema import PROJECTS, build_frame


def join_by_hand(run: Run, first: str, second: str) -> Counts:
    """Record that the project `first` belongs to the project `second`; both are paths or last parts of paths.

    Raises:
        NotFoundError: when no session belongs to one of them.
        UsageError: when a name stands for several projects, or both are the same already.
    """
    rows = read_folders(run.lake)
    source, target = find_project(rows, first), find_project(rows, second)
    if source == target:
        raise UsageError(f"{source} and {target} are one project already", "recollect projects")
    folder, goal = _find_head(rows, source), _find_head(rows, target)
    _write(run, {**rows, folder: {**rows[folder], "joined_to": goal}})
    return {"folder": folder, "project": target}


def split_by_hand(run: Run, name: str) -> Counts:
    """Undo the join of a folder: the owner's, else its repository's; `name` is its path or the path's last part.

    Raises:
        NotFoundError: when there is no such folder.
        UsageError: when the name stands for several folders, or the folder stands alone.
    """
    rows = read_folders(run.lake)
    folder = _take_one(_match(rows, name), name, rows)
    row = rows[folder]
    joined = next((own for own, other in rows.items() if _is_joined(other) and _shares_repository(other, row)), None)
    if joined is not None:
        _write(run, {**rows, joined: {**rows[joined], "joined_to": None}})
        return {"folder": joined}
    is_alone = row["joined_to"] == folder or not any(
        other["folder"] != folder and other["project"] == row["project"] for other in rows.values()
    )
    if is_alone:
        raise UsageError(f"{folder} is a project of its own", "recollect projects")
    _write(run, {**rows, folder: {**row, "joined_to": folder}})
    return {"folder": folder}


def _find_head(rows: Mapping[str, ProjectRow], project: str) -> str:
    """Return the folder that stands for a project: the one with its path, else its first one."""
    return min((row["project"] != row["folder"], folder) for folder, row in rows.items() if row["project"] == project)[1]


def _is_joined(row: ProjectRow) -> bool:
    return row["joined_to"] is not None and row["joined_to"] != row["folder"]


def _shares_repository(row: ProjectRow, other: ProjectRow) -> bool:
    return row["folder"] == other["folder"] or any(
        row[sign] is not None and row[sign] == other[sign] for sign in REPOSITORY_SIGNS
    )


def find_project(rows: Mapping[str, ProjectRow], name: str) -> str:
    """Return the project with this path or last part, or that of the folder with it.

    Raises:
        NotFoundError: when there is none.
        UsageError: when there are several.
    """
    projects = _match({row["project"] for row in rows.values()}, name)
    names = projects or {rows[folder]["project"] for folder in _match(rows, name)}
    return _take_one(names, name, {row["project"] for row in rows.values()})


def _match(paths: Mapping[str, ProjectRow] | set[str], name: str) -> set[str]:
    wanted = compose_path(name.rstrip("/") or name)
    composed = {path: compose_path(path) for path in paths}
    return ({path for path in paths if path == name} or {path for path in paths if composed[path] == wanted}) or {
        path for path in paths if composed[path].rstrip("/").rpartition("/")[2] == wanted
    }


def _take_one(matching: set[str], name: str, known: Mapping[str, ProjectRow] | set[str]) -> str:
    if len(matching) == 1:
        return next(iter(matching))
    if matching:
        raise UsageError(f"`{name}` is the last part of several folders", " or ".join(sorted(matching)))
    names = ", ".join(sorted(known)[:NAMES_IN_HINT])
    hint = f"recollect projects, with one of: {names}" if names else "recollect nightly, which reads your sessions"
    raise NotFoundError(f"no session was in a folder `{name}`", hint)


def _write(run: Run, rows: Mapping[str, ProjectRow]) -> None:
    with run.lake.commit() as change:
        change.replace("projects", build_frame(PROJECTS, rows.values()))
