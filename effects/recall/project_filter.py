"""Resolves the project of a question: a name, a path or the current folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from effects.recall.recall_state import Recall
from effects.store.lake import Lake
from effects.system.errors import NotFoundError, UsageError
from effects.system.known_folders import find_enclosing
from transforms.pages.page_names import ends_with_name
from transforms.projects.project_names import Names, describe_known_projects, join_folder_names
from transforms.recall.types import Filters

ALL_PROJECTS = "all"


def resolve_projects(recall: Recall, filters: Filters) -> list[str] | None:
    """Return the full paths of the projects that a question is about; None for all, empty for a folder alone that none has.

    Raises:
        NotFoundError: for a project that no session has.
        UsageError: for a name that several projects have; the whole path, or more of its end, tells them apart.
    """
    if filters.project == ALL_PROJECTS or (filters.project is None and filters.cwd is None):
        return None
    indexed = recall.index.manifest.projects if recall.index is not None else []
    if filters.project is not None:
        matches = _match_name(filters.project, indexed) or _match_name_of_lake(recall, filters.project)
        if not matches:
            return _match_repository(recall, filters.project)
        if len(matches) > 1:
            raise UsageError(f"`{filters.project}` is the last part of several projects", f"--project {' or '.join(matches)}")
        return matches
    assert filters.cwd is not None
    if enclosing := find_enclosing(filters.cwd, indexed):
        return [enclosing]
    known = _read_projects(recall)
    if enclosing := find_enclosing(filters.cwd, known):
        return [known[enclosing]]
    return [] if filters.is_folder_only else None


def list_known_projects(recall: Recall) -> list[str]:
    """Return the full paths of all projects of memory."""
    return recall.index.manifest.projects if recall.index is not None else sorted({*_read_projects(recall).values()})


def read_session_projects(recall: Recall) -> dict[str, str | None]:
    """Return the project of each session of memory."""
    return dict(_read_columns(recall.run.lake, "sessions", ["session_id", "project"]))


def read_project_names(recall: Recall) -> Names:
    """Return the projects of memory by their names: of their folders and of their repositories."""
    if recall.project_names is None:
        known = set(list_known_projects(recall))
        folders = [(project, project, None, None) for project in known]
        columns = ["folder", "project", "remote", "git_dir"]
        folders += [row for row in _read_columns(recall.run.lake, "projects", columns) if row[1] in known]
        recall.project_names = join_folder_names(folders)
    return recall.project_names


def _match_name(name: str, projects: Sequence[str]) -> list[str]:
    """Return the projects with this path, else those whose path ends with this name."""
    wanted = name.rstrip("/") or name
    return [path for path in projects if path == wanted] or [path for path in projects if ends_with_name(path, wanted)]


def _match_name_of_lake(recall: Recall, name: str) -> list[str]:
    known = _read_projects(recall)
    return sorted({known[path] for path in _match_name(name, list(known))})


def _match_repository(recall: Recall, name: str) -> list[str]:
    """Return the projects of the repository with this name: each worktree may be one.

    Raises:
        NotFoundError: when there is none.
    """
    names = read_project_names(recall)
    if name.casefold() in names:
        return list(names[name.casefold()])
    raise NotFoundError(f"no session belongs to a project `{name}`", describe_known_projects(_read_projects(recall).values()))


def _read_projects(recall: Recall) -> dict[str, str]:
    """Return the projects of the index and of sessions that it does not contain yet, and the folders joined to a project.

    The values are the projects. Reading the lake takes longer than reading the index.
    """
    if recall.projects is None:
        projects = {project for (project,) in _read_columns(recall.run.lake, "sessions", ["project"]) if project is not None}
        folders = dict(_read_columns(recall.run.lake, "projects", ["folder", "project"]))
        names = sorted({*projects, *(recall.index.manifest.projects if recall.index else ())})
        recall.projects = folders | {name: name for name in names}
    return recall.projects


def _read_columns(lake: Lake, table: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield these columns of all rows of a table, each row as a tuple; null where an old file lacks the column."""
    import pyarrow as pa
    from pyarrow import dataset  # the index has loaded it already; polars would take a fifth of a cold question's time

    files = [str(path) for path in lake.list_files(table)]
    if not files:
        return
    schema = pa.schema([(column, pa.string()) for column in columns])
    rows = dataset.dataset(files, schema=schema, format="parquet").to_table(columns)
    yield from zip(*(column.to_pylist() for column in rows.columns), strict=True)
