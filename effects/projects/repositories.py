"""Asks git which repository a folder belongs to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from effects.projects.git import ask_git
from transforms.projects.remotes import normalise_remote
from transforms.tables.surrogates import replace_surrogates


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as git names it: its top folder (of a worktree that of the main one), and the signs that it is the same."""

    root: str
    git_dir: str
    remote: str | None
    first_commit: str | None


def read_repository(folder: str) -> Repository | None:
    """Return the repository of a folder; None when there is no such folder, no repository, or no git on this machine."""
    path = Path(folder)
    if not path.is_absolute() or "\ufffd" in folder or not _is_folder(path):
        return None
    answer = ask_git(path, "rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel")
    lines = answer.splitlines() if answer else []
    if not lines:
        return None
    git_dir = Path(os.path.realpath(lines[0]))
    top = str(git_dir.parent) if git_dir.name == ".git" else lines[1] if len(lines) > 1 else lines[0]
    commits = (ask_git(path, "rev-list", "--max-parents=0", "HEAD") or "").split()
    return Repository(
        replace_surrogates(top),
        replace_surrogates(str(git_dir)),
        normalise_remote(ask_git(path, "config", "--get", "remote.origin.url")),
        commits[-1] if commits else None,
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
