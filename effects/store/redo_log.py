"""The redo log: a commit stages its files below `LAKE/_tx/<id>` and lists its moves in COMMIT before it applies them.

Applying is idempotent. After a crash the next writer finishes a listed commit and discards an unlisted one.
"""

from __future__ import annotations

import json
import shutil
from hashlib import blake2b
from pathlib import Path
from typing import TypedDict

from effects.system.files import fsync_all, replace_file, write_durably

TRANSACTIONS, COMMIT_FILE = "_tx", "COMMIT"


class StagedPage(TypedDict):
    """A page outside the lake: the staged file, and the hash of the page when it was staged (empty when there was none)."""

    staged: str
    before: str


class Changes(TypedDict):
    """A commit as listed: staged files by target, targets to delete (both relative to the lake), and pages by path."""

    moves: dict[str, str]
    deletes: list[str]
    pages: dict[str, StagedPage]


def hash_file(path: Path) -> str:
    """The hash of a file's bytes."""
    return blake2b(path.read_bytes(), digest_size=10).hexdigest()


def apply_changes(root: Path, folder: Path, changes: Changes) -> None:
    """Lists the changes durably, then applies them."""
    fsync_all(folder / name for name in changes["moves"].values())
    write_durably(folder / COMMIT_FILE, json.dumps(changes, sort_keys=True).encode())
    fsync_all([folder])
    _roll_forward(root, folder)


def recover(root: Path) -> None:
    """Finishes or discards the commits that an interrupted run left behind."""
    for folder in sorted(path for path in (root / TRANSACTIONS).glob("*") if path.is_dir()):  # not a stray `.DS_Store`
        if (folder / COMMIT_FILE).exists():
            _roll_forward(root, folder)
        else:
            shutil.rmtree(folder)


def _roll_forward(root: Path, folder: Path) -> None:
    changes: Changes = json.loads((folder / COMMIT_FILE).read_bytes())
    touched = set()
    for target, staged in sorted(changes["moves"].items()):
        path = root / target
        path.parent.mkdir(parents=True, exist_ok=True)
        if (folder / staged).exists():
            (folder / staged).replace(path)
        touched.add(path.parent)
    for target in changes["deletes"]:
        (root / target).unlink(missing_ok=True)
        touched.add((root / target).parent)
    for target, page in sorted(changes["pages"].items()):
        try:
            _place_page(Path(target), folder / page["staged"], page["before"])
        except ValueError:  # no file system takes such a name: the page is rendered again under one that it takes
            continue
    fsync_all(parent for parent in touched if parent.exists())
    for parent in touched:
        if parent.exists() and parent.name.startswith("day=") and not any(parent.iterdir()):
            parent.rmdir()
    shutil.rmtree(folder)


def _place_page(path: Path, staged: Path, before: str) -> None:
    """Copies (the workspace may lie on another file system). A page that a person changed meanwhile keeps their text."""
    if not staged.exists():
        return
    data = staged.read_bytes()
    present = hash_file(path) if path.exists() else ""
    target = path if present in (before, hash_file(staged)) else path.with_name(path.name + ".new")
    if not target.exists() or target.read_bytes() != data:
        replace_file(target, data)
    staged.unlink()
