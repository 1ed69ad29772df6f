"""Reads files of a commit, and looks up the targets of makefiles, justfiles and package.json in all folders of it."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from effects.projects.git import ask_git, run_git
from transforms.ground.successors import find_renamed_target, read_targets

NPM_RUNNERS = ("npm run", "pnpm run", "yarn run", "bun run")
_FILES = {
    "make": ("Makefile", "makefile", "GNUmakefile", "*.mk"),
    "just": ("justfile", "Justfile", ".justfile", "*.just"),
    **dict.fromkeys(NPM_RUNNERS, ("package.json",)),
}
"""Files with the targets of each runner, in whatever folder."""


def read_files(root: str, head: str, places: Sequence[str]) -> dict[str, str]:
    """Return the texts of the files of a commit at these pathspecs, by path."""
    code, text = run_git(Path(root), "grep", "-I", "--no-color", "-e", "", head, "--", *places)
    rows: dict[str, list[str]] = {}
    for row in text.splitlines() if code == 0 else ():
        _, file, content = row.split(":", 2)
        rows.setdefault(file, []).append(content)
    return {file: "\n".join(of_file) for file, of_file in rows.items()}


def has_target(root: str, head: str, runner: str, target: str) -> bool:
    """Return whether a runner has a target in some folder of a commit; a pattern with "%" has all that it may stand for."""
    targets = _list_targets(root, head, runner)
    return target in targets or any(fnmatch(target, name.replace("%", "*")) for name in targets if "%" in name)


@cache
def _list_targets(root: str, head: str, runner: str) -> frozenset[str]:
    files = read_files(root, head, _list_places(runner))
    return frozenset(name for file, text in files.items() for name in read_targets(file, text))


def find_removed_target(root: str, head: str, runner: str, target: str) -> tuple[str, str] | None:
    """Return the commit that removed a target last, and what it became there (empty: unknown); None when none removed it."""
    places = _list_places(runner)
    searched = ("-S", f'"{target}"') if runner in NPM_RUNNERS else ("-G", f"^@?([^:=]* )?{target.replace('.', '[.]')}[ :]")
    commit = ask_git(Path(root), "log", "-1", "--format=%h", *searched, head, "--", *places)
    names = ask_git(Path(root), "show", "--format=", "--name-only", "--no-renames", commit, "--", *places) if commit else None
    if not commit or not names:
        return None
    before: dict[str, str] = {}
    after: dict[str, str] = {}
    for file in names.splitlines():
        for known, place in ((before, f"{commit}~1:{file}"), (after, f"{commit}:{file}")):
            code, text = run_git(Path(root), "show", place)
            known.update(read_targets(file, text) if code == 0 else {})
    if target not in before or target in after:
        return None
    return commit, find_renamed_target(before, after, target)


def _list_places(runner: str) -> tuple[str, ...]:
    return tuple(f":(glob)**/{name}" for name in _FILES[runner])
