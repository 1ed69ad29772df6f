"""Looks up in the objects of a repository whether a branch was merged into its default branch."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from effects.ground.lookups import Lookup
from effects.projects.git import ask_git, run_git
from transforms.tables.ids import hash_fields

DEFAULT_NAMES = ("main", "master", "trunk")
MAX_COMPARED_PATHS = 20
"""Changed paths of a branch that are looked for when it may have been squashed: more decide nothing new."""


def read_refs(root: str) -> str:
    """Return a hash of all branches with their commits: it changes when one moves, appears or goes."""
    return hash_fields(
        ask_git(Path(root), "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/remotes") or ""
    )


def look_up_branch(root: str, branch: str, commits: Sequence[str], said_at: datetime) -> Lookup:
    """Return whether a branch is `present` on the default branch (merged), `unmerged`, or `unknown`.

    A branch that never left the default branch and got no commit after `said_at` is unmerged: nothing of the session was kept.
    A branch that is gone is judged by the commits that the session made on it, else by a merge that names it.
    """
    defaults = _list_defaults(root)
    if not defaults:
        return Lookup("unknown")
    if branch in {name.removeprefix("origin/") for name in defaults}:
        return Lookup("present")
    tip = next((tip for name in (branch, f"origin/{branch}") if (tip := _find_commit(root, name))), None)
    if tip is None:
        return _look_up_traces(root, branch, commits, defaults)
    if not _is_merged(root, tip, defaults):
        return Lookup("present", tip) if _is_squashed(root, tip, defaults) else Lookup("unmerged", tip)
    is_empty = not commits and tip in _list_main_line(root, defaults[0]) and _read_time(root, tip) < said_at
    return Lookup("unmerged" if is_empty else "present", tip)


def read_commit_time(root: str, commit: str) -> datetime | None:
    """Return when a commit was made; None when the repository does not have it."""
    seconds = ask_git(Path(root), "show", "-s", "--format=%ct", commit)
    return datetime.fromtimestamp(int(seconds), UTC) if seconds and seconds.isdigit() else None


@cache
def _list_defaults(root: str) -> tuple[str, ...]:
    """Return the names of the default branch that exist: the remote's and the local one."""
    remote = ask_git(Path(root), "symbolic-ref", "--short", "refs/remotes/origin/HEAD")
    names = (remote, remote.removeprefix("origin/")) if remote else DEFAULT_NAMES
    defaults = [name for name in names if _find_commit(root, name)]
    return tuple(defaults if remote else defaults[:1])


def _find_commit(root: str, name: str) -> str | None:
    return ask_git(Path(root), "rev-parse", "--verify", "--quiet", "--short", f"{name}^{{commit}}") or None


def _is_merged(root: str, commit: str, defaults: Sequence[str]) -> bool:
    return any(run_git(Path(root), "merge-base", "--is-ancestor", commit, name)[0] == 0 for name in defaults)


@cache
def _list_main_line(root: str, name: str) -> frozenset[str]:
    return frozenset((ask_git(Path(root), "rev-list", "--first-parent", "--abbrev-commit", name) or "").split())


def _read_time(root: str, commit: str) -> datetime:
    return read_commit_time(root, commit) or datetime.max.replace(tzinfo=UTC)


def _is_squashed(root: str, tip: str, defaults: Sequence[str]) -> bool:
    """Whether the default branch once had every changed file as the branch has it: it was merged as one new commit."""
    base = ask_git(Path(root), "merge-base", tip, defaults[0])
    changes = ask_git(Path(root), "diff", "--raw", "--no-renames", "--abbrev=40", "--diff-filter=AM", base, tip) if base else None
    rows = [row.split(maxsplit=5) for row in (changes or "").splitlines()[:MAX_COMPARED_PATHS]]
    return bool(rows) and all(
        ask_git(Path(root), "log", "-1", "--format=%h", f"--find-object={row[3]}", f"{base}..{defaults[0]}", "--", row[5])
        for row in rows
    )


def _look_up_traces(root: str, branch: str, commits: Sequence[str], defaults: Sequence[str]) -> Lookup:
    known = [commit for commit in commits if _find_commit(root, commit)]
    if known:
        return Lookup("present" if _is_merged(root, known[-1], defaults) else "unmerged", known[-1])
    merge = ask_git(Path(root), "log", "-1", "--merges", "--format=%h", "--fixed-strings", f"--grep={branch}", defaults[0])
    return Lookup("present", merge) if merge else Lookup("unknown")
