"""Asks git which repository a folder belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from effects.projects.git import ask_git, run_git
from transforms.projects.join_folders import normalise_remote
from transforms.tables.surrogates import replace_surrogates


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository as git names it: its top folder (of a worktree that of the main one), and the signs that it is the same."""

    root: str
    git_dir: str
    remote: str | None
    first_commit: str | None


def read_repository(folder: str) -> Repository | None:
    """Return the repository of a folder; None when there is no such folder, no repository, or no git on this machine.

    A folder itself says where its repository is, and may lie: one that the repository does not name in turn has none here,
    and one that takes its commits from elsewhere has no first commit.
    """
    path = Path(folder)
    if not path.is_absolute() or "\ufffd" in folder or not _is_folder(path):
        return None
    answer = ask_git(path, "rev-parse", "--path-format=absolute", "--git-common-dir", "--show-toplevel", "--absolute-git-dir")
    lines = answer.splitlines() if answer else []
    if len(lines) != 3:
        return None
    git_dir, top, own_dir = (Path(os.path.realpath(line)) for line in lines)
    if not Path(os.path.realpath(path)).is_relative_to(top) or not _is_named_back(path, git_dir, top, own_dir):
        return None
    commits = [] if _borrows_objects(git_dir) else (ask_git(path, "rev-list", "--max-parents=0", "HEAD") or "").split()
    return Repository(
        replace_surrogates(str(git_dir.parent if git_dir.name == ".git" else lines[1])),
        replace_surrogates(str(git_dir)),
        normalise_remote(ask_git(path, "config", "--get", "remote.origin.url")),
        commits[-1] if commits else None,
    )


def has_commit(folder: str, commit: str) -> bool:
    """Return whether the repository of a folder holds a commit."""
    return ask_git(Path(folder), "cat-file", "-e", f"{commit}^{{commit}}") is not None


def find_held_commits(folder: str, commits: Iterable[str]) -> frozenset[str]:
    """Return which of these commits, by their hashes or beginnings of them, the repository of a folder holds."""
    names = list(commits)
    code, answer = run_git(Path(folder), "cat-file", "--batch-check=%(objecttype)", text="".join(f"{name}\n" for name in names))
    kinds = answer.splitlines() if code == 0 else []
    return frozenset(name for name, kind in zip(names, kinds, strict=False) if kind == "commit")


def _is_named_back(folder: Path, git_dir: Path, top: Path, own_dir: Path) -> bool:
    """Whether a repository knows the working tree at `top`: it holds it, lists it as a worktree, or has it in its settings."""
    if git_dir == own_dir == top / ".git":
        return True
    if git_dir != own_dir:
        return own_dir.parent == git_dir / "worktrees" and _read_path(own_dir / "gitdir") == top / ".git"
    tree = ask_git(folder, "config", "--get", "core.worktree")
    return Path(os.path.realpath(git_dir / tree)) == top if tree else ".git" not in git_dir.parts


def _read_path(file: Path) -> Path | None:
    try:
        return Path(os.path.realpath(file.parent / file.read_text(encoding="utf-8").strip()))
    except (OSError, ValueError):
        return None


def _borrows_objects(git_dir: Path) -> bool:
    """Whether commits come from another repository, which may lie beside a folder that somebody made for this."""
    objects = git_dir / "objects"
    try:
        return (objects / "info" / "alternates").exists() or any(path.is_symlink() for path in (objects, *objects.iterdir()))
    except OSError:
        return True


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
