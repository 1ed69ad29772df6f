"""Runs git for all of recollect, in repositories that nobody vouches for: an unzipped folder brings a configuration of its own.

A repository's configuration may name programs: filters, drivers of diffs, monitors, hooks, helpers of remotes. None of them runs
here, nothing is fetched, and nothing of the folder is changed. The owner's own counts: `safe.directory` stands there.
"""

from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

GIT_TIMEOUT_S = 10.0
"""Longest wait for one question to git: the first commit of a very long history takes a while."""
SLOW_TIMEOUT_S = 1.0
"""Longest wait once git has used up the patience of this process, which a folder made for it would do again and again."""
PATIENCE_S = 20.0

_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # stronger than protocol.ext.allow of a repository, and known to every git
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "core.sshCommand": "false",
    "core.alternateRefsCommand": "false",
    "credential.helper": "",
    "diff.ignoreSubmodules": "all",
    "diff.submodule": "short",  # `log` and `diff` start git in submodules, which have a configuration, too
    "submodule.recurse": "false",
    "gpg.program": "false",
    "log.showSignature": "false",
    "safe.bareRepository": "explicit",  # a clone may hold a folder that looks like a repository
}
_OPTIONS = ("--no-pager", *(word for name, value in _OVERRIDES.items() for word in ("-c", f"{name}={value}")))
_WITHOUT_DRIVERS = ("--no-textconv", "--no-ext-diff")
_COMMAND_OPTIONS = {"log": _WITHOUT_DRIVERS, "show": _WITHOUT_DRIVERS, "diff": _WITHOUT_DRIVERS, "blame": _WITHOUT_DRIVERS[:1]}
_READING_FILES = ("blame",)
"""Commands that read a file as it is checked out, through the filters that the configuration names."""

_seconds_lost: dict[Path, float] = {}


def ask_git(folder: Path, *arguments: str) -> str | None:
    """Return the output of git; None when it fails, is missing, or does not answer in time."""
    code, text = run_git(folder, *arguments)
    return text if code == 0 else None


def run_git(
    folder: Path, *arguments: str, text: str = "", environment: Mapping[str, str] = MappingProxyType({})
) -> tuple[int | None, str]:
    """Return git's exit code and output; the code is None when git is missing or does not answer in time.

    A folder in which it once did not answer is not asked again. Git reads `text` and sees `environment` besides that
    of this process, without any of its `GIT_*`.
    """
    if folder in _seconds_lost or _has_strange_files(folder):
        return None, ""
    command, *rest = arguments
    filters = _list_filter_overrides(folder) if command in _READING_FILES else {}
    if filters is None:
        return None, ""
    return _call(folder, (command, *_COMMAND_OPTIONS.get(command, ()), *rest), text, {**environment, **filters})


def _call(folder: Path, words: tuple[str, ...], text: str, environment: Mapping[str, str]) -> tuple[int | None, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    patience = GIT_TIMEOUT_S if sum(_seconds_lost.values()) < PATIENCE_S else SLOW_TIMEOUT_S
    begin = time.monotonic()
    try:
        done = subprocess.run(
            ["git", *_OPTIONS, "-C", str(folder), *words], env=inherited | _ENVIRONMENT | dict(environment), input=text,
            capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=patience, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        _seconds_lost[folder] = time.monotonic() - begin
        return None, ""
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, ""
    return done.returncode, done.stdout.strip()


def _list_filter_overrides(folder: Path) -> dict[str, str] | None:
    """Return the variables that empty every filter of a repository's configuration, so that none runs; None without an answer.

    Options (`-c`) end a name at its first "=", which the name of a filter may hold.
    """
    code, names = _call(folder, ("config", "--name-only", "-z", "--get-regexp", r"^filter\."), "", {})
    if code not in (0, 1):
        return None
    drivers = sorted({name.rpartition(".")[0] for name in names.split("\0") if name})
    values = {"clean": "", "smudge": "", "process": "", "required": "false"}
    pairs = [(f"{driver}.{name}", value) for driver in drivers for name, value in values.items()]
    variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (name, value) in enumerate(pairs):
        variables |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def _has_strange_files(folder: Path) -> bool:
    """Whether the repository around a folder holds a pipe, a socket or a device where git reads files: it would wait."""
    return any(not _is_file_or_folder(path) for path in _list_read_files(folder))


def _list_read_files(folder: Path) -> Iterator[Path]:
    for place in (folder, *folder.parents):
        top = place / ".git"
        try:
            if top.is_dir():
                for inside in (top, top / "info", top / "objects" / "info"):
                    yield from inside.iterdir() if inside.is_dir() else ()
                return
            if os.path.lexists(top):
                yield top
                return
        except OSError:
            return


def _is_file_or_folder(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:  # a link to nothing, or one that is gone by now
        return True
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)
