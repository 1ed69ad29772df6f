"""Asks git which repository a folder belongs to. Nothing of the folder is changed, and none of its hooks run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from transforms.projects.remotes import normalise_remote
from transforms.tables.surrogates import replace_surrogates

GIT_TIMEOUT_S = 10.0
"""Longest wait for one question to git: the first commit of a very long history takes a while."""

_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_SAFE_GIT_OPTIONS = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


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


def ask_git(folder: Path, *arguments: str) -> str | None:
    """Return the output of git; None when it fails, is missing, or does not answer in time."""
    code, text = run_git(folder, *arguments)
    return text if code == 0 else None


def run_git(
    folder: Path, *arguments: str, text: str = "", environment: Mapping[str, str] = MappingProxyType({})
) -> tuple[int | None, str]:
    """Return git's exit code and output; the code is None when git is missing or does not answer in time.

    Git reads `text` and sees `environment` besides that of this process, without any of its `GIT_*`.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *_SAFE_GIT_OPTIONS, "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command, env=inherited | _QUIET | dict(environment), input=text, capture_output=True, text=True, encoding="utf-8",
            errors="replace", timeout=GIT_TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, ""
    return done.returncode, done.stdout.strip()
