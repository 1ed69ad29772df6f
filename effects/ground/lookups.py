"""Looks names up in the objects of a repository: the files of its last commit, and the commit that removed one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from effects.ground.file_lookups import find_removed_target, has_target
from effects.ground.word_lookups import has_history, has_word
from effects.projects.git import ask_git, run_git
from transforms.ground.code_references import CodeReference
from transforms.ground.successors import find_renamed_path, find_renamed_word
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import GroundStatus

_SIGN = compile_late(r"[][\\.^$*+?(){}|]")
"""What means something else in a pattern of git."""
RENAME_CELLS = 3
"""Cells of a row of git that tells a rename: status, old and new path."""


LOOKUPS = "2"
"""Changes with what the lookups find: what was looked up before is looked up again."""


@dataclass(frozen=True, slots=True)
class Lookup:
    """The fate of a reference: `commit` removed it, `new_name` is its name now; of a gone one, what came with that commit."""

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
    rows = [row.split("\t") for row in changes.splitlines()] if code == 0 else []
    new = find_renamed_path([(row[1], row[2]) for row in rows if row[0].startswith("R") and len(row) == RENAME_CELLS], name)
    return Lookup("renamed", commit, new) if new in paths else Lookup("gone", commit)


def _look_up_command(root: str, head: str, name: str) -> Lookup:
    runner, _, target = name.rpartition(" ")
    if has_target(root, head, runner, target):
        return Lookup("present")
    removed = find_removed_target(root, head, runner, target)
    if removed is None:
        return Lookup("unknown")
    commit, successor = removed
    is_there = bool(successor) and has_target(root, head, runner, successor)
    return Lookup("gone", commit, f"{runner} {successor}" if is_there else "")


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
    return Lookup("gone", commit, _find_renamed_word(root, head, commit, name)) if code == 0 and commit else Lookup("unknown")


def _find_renamed_word(root: str, head: str, commit: str, name: str) -> str:
    """Return the word that a commit brought in place of another one; nothing when it was there before, or is not there now."""
    diff = ask_git(Path(root), "show", "--format=", "--no-color", "-M", "-U0", "-S", name, commit)
    new = find_renamed_word(diff or "", name)
    return new if new and has_word(root, head, new) and has_word(root, f"{commit}~1", new) is False else ""
