"""Looks names up in the objects of a repository: the files of its last commit, and the commit that removed one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import orjson

from effects.ground.word_lookups import has_history, has_word
from effects.projects.git import run_git
from transforms.ground.code_references import CodeReference
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import GroundStatus

_SIGN = compile_late(r"[][\\.^$*+?(){}|]")
"""What means something else in a pattern of git."""
NPM_RUNNERS = ("npm run", "pnpm run", "yarn run", "bun run")


@dataclass(frozen=True, slots=True)
class Lookup:
    """The fate of a reference: `commit` removed it, `new_name` is its name now."""

    status: GroundStatus
    commit: str = ""
    new_name: str = ""


def read_head(root: str) -> str | None:
    """Return the commit that a repository is at; None when the folder is not a repository on this machine."""
    code, text = run_git(Path(root), "rev-parse", "--verify", "HEAD")
    return text if code == 0 and text else None


def make_relative(reference: CodeReference, root: str) -> CodeReference:
    """Return a path below the repository's folder as git names it."""
    if reference.kind != "path":
        return reference
    return CodeReference("path", reference.name.removeprefix(root.lstrip("/") + "/"))


def look_up(root: str, head: str, reference: CodeReference) -> Lookup:
    """Return whether the commit `head` has a reference. It is gone only when a commit of the history is known that removed it."""
    look = {"path": _look_up_path, "command": _look_up_command, "commit": _look_up_commit}.get(reference.kind, _look_up_word)
    return look(root, head, reference.name)


@cache
def _list_paths(root: str, head: str) -> frozenset[str]:
    code, text = run_git(Path(root), "ls-tree", "-r", "--name-only", "-z", head)
    files = [path for path in text.split("\0") if path] if code == 0 else []
    folders = {"/".join(path.split("/")[:depth]) for path in files for depth in range(1, path.count("/") + 1)}
    return frozenset([*files, *folders])


def _look_up_path(root: str, head: str, name: str) -> Lookup:
    paths = _list_paths(root, head)
    if not paths:
        return Lookup("unknown")
    if name in paths or any(path.endswith("/" + name) for path in paths):
        return Lookup("present")
    pattern = name if "/" in name else f"**/{name}"
    code, commit = run_git(
        Path(root), "log", "-1", "--format=%h", "--diff-filter=D", head, "--", f":(glob){pattern}", f":(glob){name}/**"
    )
    if code != 0 or not commit:
        return Lookup("unknown")
    code, changes = run_git(Path(root), "show", "--name-status", "-M", "--format=", commit)
    for row in changes.splitlines() if code == 0 else ():
        status, *names = row.split("\t")
        if status.startswith("R") and len(names) == 2 and (names[0] == name or names[0].endswith("/" + name)):
            return Lookup("renamed", commit, names[1])
    return Lookup("gone", commit)


def _look_up_command(root: str, head: str, name: str) -> Lookup:
    runner, _, target = name.rpartition(" ")
    file = "package.json" if runner in NPM_RUNNERS else {"make": "Makefile", "just": "justfile"}[runner]
    code, text = run_git(Path(root), "show", f"{head}:{file}")
    if code != 0:
        return Lookup("unknown")
    if file == "package.json":
        try:
            scripts = orjson.loads(text).get("scripts") or {}
        except (orjson.JSONDecodeError, AttributeError):
            return Lookup("unknown")
        is_there, searched = target in scripts, ("-S", f'"{target}"')
    else:
        is_there, searched = (
            bool(re.search(rf"(?m)^(?:[\w.-]+ )*{re.escape(target)}(?: [\w.-]+)*\s*:", text)),
            ("-G", f"^{re.escape(target)}[ :]"),
        )
    if is_there:
        return Lookup("present")
    code, commit = run_git(Path(root), "log", "-1", "--format=%h", *searched, head, "--", file)
    return Lookup("gone", commit) if code == 0 and commit else Lookup("unknown")


def _look_up_commit(root: str, head: str, name: str) -> Lookup:
    code, _ = run_git(Path(root), "cat-file", "-e", f"{name}^{{commit}}")
    if code != 0:
        return Lookup("unknown")  # of another repository, perhaps
    code, _ = run_git(Path(root), "merge-base", "--is-ancestor", name, head)
    return Lookup("present") if code == 0 else Lookup("unmerged") if code == 1 else Lookup("unknown")


def _look_up_word(root: str, head: str, name: str) -> Lookup:
    is_there = has_word(root, head, name)
    if is_there is not False or not has_history(root, head):
        return Lookup("present" if is_there else "unknown")
    # Parts of other words are found fast, and rarely; only then the same word is searched, as `grep -w` has it.
    code, commit = run_git(Path(root), "log", "-1", "--format=%h", "-S", name, head)
    if code == 0 and commit:
        word = "(^|[^[:alnum:]_])" + _SIGN.sub(r"\\\g<0>", name) + "([^[:alnum:]_]|$)"
        code, commit = run_git(Path(root), "log", "-1", "--format=%h", "--pickaxe-regex", "-S", word, head)
    return Lookup("gone", commit) if code == 0 and commit else Lookup("unknown")
