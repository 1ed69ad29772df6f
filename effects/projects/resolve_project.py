"""The project that a name, a path or a folder means."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from effects.system.errors import NotFoundError, UsageError
from effects.system.known_folders import find_enclosing
from transforms.pages.page_names import ends_with_name
from transforms.projects.project_names import describe_known_projects, join_folder_names

if TYPE_CHECKING:  # a hook answers without polars while its pages are fresh
    from effects.store.run import Run

NAMES_IN_HINT = 8


def resolve_project(
    run: Run, name: str | None, is_new_allowed: bool = False, folder: Path | None = None, command: str = ""
) -> str:
    """Return the full path of the project with this path or name, or of the one that a folder (else this one) belongs to.

    `command` is what takes one of several paths, for the error that lists them; without one it lists the paths.

    A name that no folder has may be that of a repository, of its remote or of the folder of its worktrees.

    Raises:
        NotFoundError: when there is none, unless `is_new_allowed` and no name was given.
        UsageError: when several projects have this name.
    """
    sessions = run.lake.scan("sessions").select("project").drop_nulls().unique().collect()
    known: list[str] = sorted(sessions["project"].to_list())
    rows = run.lake.scan("projects").select("folder", "project", "remote", "git_dir").collect().rows()
    folders: dict[str, str] = {folder: project for folder, project, *_ in rows} | {path: path for path in known}
    if name:
        matches = sorted(_match_name(name, known) or {folders[path] for path in _match_name(name, folders)})
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"`{name}` is the last part of several projects", _list_choices(command, matches))
        rows += [(path, path, None, None) for path in known]
        matches = sorted({*join_folder_names(rows).get(name.casefold(), ())} & {*known})
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"the repository `{name}` has several projects", _list_choices(command, matches))
        raise NotFoundError(f"no session belongs to a project `{name}`", describe_known_projects(known))
    here = str(folder or Path.cwd())
    if enclosing := find_enclosing(here, folders):
        return folders[enclosing]
    if is_new_allowed:
        return here
    names = ", ".join(sorted({Path(path).name for path in known})[:NAMES_IN_HINT])
    hint = f"recollect briefing --project P, with one of: {names}" if names else "recollect nightly, which reads your sessions"
    raise NotFoundError("no session belongs to this folder", hint)


def _list_choices(command: str, paths: Iterable[str]) -> str:
    return " or ".join(f"{command} {shlex.quote(path)}" if command else path for path in paths)


def find_project(run: Run) -> str | None:
    """Return the project that this folder belongs to; None where no session has one."""
    try:
        return resolve_project(run, None)
    except NotFoundError:
        return None


def is_outside(run: Run) -> bool:
    """Whether this folder is no place of work: the root, the home folder, where clients start servers for all projects, the one
    for temporary files, and the folders of recollect itself, where an owner stands to look at a page."""
    here = Path.cwd()
    own = (Path(run.lake.root).resolve(), run.settings.workspace.resolve())
    return here in (Path("/"), Path.home(), Path(tempfile.gettempdir()).resolve()) or any(
        here.is_relative_to(place) for place in own
    )


def _match_name(name: str, paths: Iterable[str]) -> set[str]:
    """Return the path of this name, else the paths that end with it."""
    known = set(paths)
    return known & {name.rstrip("/")} or {path for path in known if ends_with_name(path, name)}
