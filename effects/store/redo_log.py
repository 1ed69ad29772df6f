"""The redo log: a commit stages its files below `LAKE/_tx/<id>` and lists its moves in COMMIT before it applies them.

Applying is idempotent. After a crash the next writer finishes a listed commit and discards an unlisted one. A page that cannot
be written holds back no table: it stays listed alone, and each run tries it again.
"""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypedDict

from effects.store.layout import note_change
from effects.system.disk_errors import RERUN, advise_on_disk
from effects.system.errors import LakeError, PageError
from effects.system.files import fsync_all, remove_folder_leftovers, remove_leftovers, replace_file

TRANSACTIONS, COMMIT_FILE = "_tx", "COMMIT"
NIGHT = "recollect nightly"
"""What a person runs once the place of a page is mended: the command that was refused has done all the rest."""


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
    """Return the hash of a file's bytes."""
    return blake2b(path.read_bytes(), digest_size=10).hexdigest()


def apply_changes(root: Path, folder: Path, changes: Changes) -> None:
    """List the changes durably, then apply them.

    Raises:
        PageError: when a page cannot be written. The tables are complete then, and later runs try the page again.
    """
    fsync_all(folder / name for name in changes["moves"].values())
    replace_file(folder / COMMIT_FILE, json.dumps(changes, sort_keys=True).encode())  # whole, or not there: the disk may be full
    if unwritten := _roll_forward(root, folder):
        path, error = next(iter(unwritten.items()))
        raise build_page_error(Path(path), error) from error


def recover(root: Path) -> None:
    """Finish or discard the commits that an interrupted run left behind; pages that cannot be written wait for another run.

    Raises:
        LakeError: when the list of a commit cannot be read: it may be half done, and its missing part is unknown.
    """
    if damaged := list_damaged_commits(root):
        raise LakeError(f"{damaged[0]} is an unfinished commit with an unreadable list", "recollect rebuild lake")
    for folder in sorted(path for path in (root / TRANSACTIONS).glob("*") if path.is_dir()):  # not a stray `.DS_Store`
        if (folder / COMMIT_FILE).exists():
            _remove_temporary_pages(folder)
            _roll_forward(root, folder)
        else:
            shutil.rmtree(folder)
    for folder in (root, *(path for path in root.glob("_*") if path.is_dir())):  # notes of a run that was killed meanwhile
        remove_folder_leftovers(folder)


def list_damaged_commits(root: Path) -> list[Path]:
    """Return the folders of commits whose list is damaged."""
    lists = sorted((root / TRANSACTIONS).glob(f"*/{COMMIT_FILE}"))
    return [path.parent for path in lists if not _is_readable(path)]


def _is_readable(path: Path) -> bool:
    try:
        changes = json.loads(path.read_bytes())
        return all(isinstance(changes[key], kind) for key, kind in (("moves", dict), ("deletes", list), ("pages", dict)))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _remove_temporary_pages(folder: Path) -> None:
    changes: Changes = json.loads((folder / COMMIT_FILE).read_bytes())
    for target in changes["pages"]:
        with suppress(ValueError):  # a name that no file system takes
            remove_leftovers(Path(target))


def check_page_folder(path: Path) -> None:
    """Make the folder of a page.

    Raises:
        PageError: when the page cannot be written there.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except ValueError:  # no file system takes such a name: the commit passes the page over
        return
    except OSError as error:
        raise build_page_error(path, error) from error


class RefusedPageError(PageError):
    """A page whose place takes no page. What was decided or remembered meanwhile is kept, and any night writes the page."""

    path: Path
    error: OSError
    others: Sequence[Path]
    """Further pages that are refused."""


def build_page_error(path: Path, error: OSError, rerun: str = RERUN, others: Sequence[Path] = ()) -> RefusedPageError:
    """Return the error about a page that cannot be written, with the command that mends its place; `rerun` is what follows it."""
    parent = next((place for place in path.parents if os.path.lexists(place)), path.parent)
    if isinstance(error, IsADirectoryError):
        message, hint = f"{path} must be a page, but it is a folder", _advise_to_move(path)
    elif isinstance(error, FileExistsError | NotADirectoryError) and not os.path.isdir(parent):  # noqa: PTH112 - `is_dir` raises where it may not look
        message, hint = f"{path} cannot be written: {parent} must be a folder, but it is a file", _advise_to_move(parent)
    else:
        message = f"{path} cannot be written: {error.strerror or error}"
        hint = advise_on_disk(error, path, rerun) or f"check RECOLLECT_WORKSPACE, then {rerun}"
    more = f"; nor can {len(others)} other page{'s' * (len(others) > 1)}" if others else ""
    refused = RefusedPageError(message + more, hint)
    refused.path, refused.error, refused.others = path, error, tuple(others)
    return refused


def _advise_to_move(path: Path) -> str:
    place = shlex.quote(str(path))
    return f"mv {place} {place}.moved, then {NIGHT}"


def _roll_forward(root: Path, folder: Path) -> dict[str, OSError]:
    """Apply a listed commit and remove it; return the pages that cannot be written, which stay listed."""
    changes: Changes = json.loads((folder / COMMIT_FILE).read_bytes())
    touched = set()
    for target, staged in sorted(changes["moves"].items()):
        path = root / target
        path.parent.mkdir(parents=True, exist_ok=True)
        if (folder / staged).exists():
            (folder / staged).replace(path)
        note_change(root, path)
        touched.add(path.parent)
    for target in changes["deletes"]:
        (root / target).unlink(missing_ok=True)
        note_change(root, root / target)
        touched.add((root / target).parent)
    unwritten: dict[str, OSError] = {}
    for target, page in sorted(changes["pages"].items()):
        try:
            _place_page(Path(target), folder / page["staged"], page["before"])
        except ValueError:  # no file system takes such a name: the page is rendered again under one that it takes
            continue
        except OSError as error:
            unwritten[target] = error
    fsync_all(parent for parent in touched if parent.exists())
    for parent in touched:
        if parent.exists() and parent.name.startswith("day=") and not any(parent.iterdir()):
            parent.rmdir()
    if unwritten:  # the tables are never moved again: a later commit may have replaced them
        rest: Changes = {"moves": {}, "deletes": [], "pages": {target: changes["pages"][target] for target in unwritten}}
        replace_file(folder / COMMIT_FILE, json.dumps(rest, sort_keys=True).encode())
    else:
        shutil.rmtree(folder)
    return unwritten


def _place_page(path: Path, staged: Path, before: str) -> None:
    """Copy a page (the workspace may lie on another file system). A page that a person changed meanwhile keeps their text."""
    if not staged.exists():
        return
    data = staged.read_bytes()
    present = hash_file(path) if path.exists() else ""
    target = path if present in (before, hash_file(staged)) else path.with_name(path.name + ".new")
    if not target.exists() or target.read_bytes() != data:
        replace_file(target, data)
    staged.unlink()
