"""Errors of the disk (full, read-only, broken, no permission), which each library words differently, as one for people."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from effects.system.errors import LakeError, RecollectError

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NO_ACCESS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
RERUN = "run the same command again"
DISK_ERROR_WORDS = (
    (errno.ENOSPC, ("no space left on device", "database or disk is full", "os error 28)", "os error 27)", "os error 122)")),
    (errno.EROFS, ("attempt to write a readonly database", "os error 30)")),
    (errno.EACCES, ("os error 13)",)),
    (errno.EIO, ("disk i/o error", "os error 5)")),
)
"""The words of polars, LanceDB and SQLite for such an error; only the system's own errors carry its number."""


def advise_on_disk(error: OSError, path: Path, rerun: str = RERUN) -> str:
    """Return the next command after a write that the disk refused, then `rerun`; empty when the disk is not at fault."""
    number = _find_number(error)
    return "" if number is None else _describe(number, path, rerun).hint


def is_read_only(path: Path) -> bool:
    """Return whether the file system of a path, or of the folder that it would lie in, is mounted read-only."""
    for place in (path, *path.parents):
        try:
            return bool(os.statvfs(place).f_flag & os.ST_RDONLY)
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return False


def measure_room(path: Path) -> int | None:
    """Return the bytes that this user may still write where a path lies, or would lie; None when nobody can tell."""
    for place in (path, *path.parents):
        try:
            state = os.statvfs(place)
        except FileNotFoundError:
            continue
        except OSError:
            return None
        return state.f_bavail * state.f_frsize if state.f_blocks else None  # file systems without a size have no end
    return None


def advise_on_room(path: Path) -> str:
    """Return the next command for a disk that is full or nearly so."""
    return f"make room (`df -h {shlex.quote(str(path))}` shows how much there is), then recollect nightly: finished work is kept"


def advise_on_mount(path: Path) -> str:
    """Return the next command for a file system that is mounted read-only: permissions are not its problem."""
    return (
        f"mount it writable (`findmnt -T {shlex.quote(str(path))}` shows how it is mounted), or move lake and workspace elsewhere"
    )


def advise_on_access(folder: Path) -> str:
    """Return the command that lets this user read a folder: its owner opens it, anybody else needs an administrator."""
    quoted = shlex.quote(str(folder))
    try:
        is_own = folder.lstat().st_uid == os.geteuid()
    except OSError:
        is_own = True
    return f"chmod -R u+rX {quoted}" if is_own else f'sudo chown -R "$(id -un)" {quoted}'


def advise_on_writing(path: Path, rerun: str = RERUN) -> str:
    """Return the command that lets this user write a file, then `rerun`: its owner opens it, others need an administrator."""
    folder = path if os.path.isdir(path) else path.parent  # noqa: PTH112 - `is_dir` raises where it may not look
    closed = [place for place in (path.parent, path) if os.path.lexists(place) and not os.access(place, os.W_OK)] or [folder]
    refused, quoted = closed[0], " ".join(shlex.quote(str(place)) for place in closed)
    try:
        is_own = refused.lstat().st_uid == os.geteuid()
    except OSError:
        is_own = True
    command = f"chmod u+rwX {quoted}" if is_own else f'sudo chown "$(id -un)" {quoted}'
    return f"{command}, then {rerun}"


class DiskError(LakeError):
    """The disk refuses a write; no step may take this for a fault of a model or of a session."""

    code = "disk"


@contextmanager
def explaining_disk_errors(place: Path) -> Iterator[None]:
    """Raise errors of the disk as errors for people; one without a path is about `place`.

    Raises:
        DiskError: for a full, read-only or broken disk, and for missing permissions.
    """
    try:
        yield
    except RecollectError:
        raise
    except Exception as error:
        number = _find_number(error)
        if number is None:
            raise
        raise _describe(number, Path(getattr(error, "filename", None) or place)) from error


def _find_number(error: Exception) -> int | None:
    """Return the number of the system's error behind an exception; None when the disk is not at fault."""
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno if error.errno in NO_ROOM | NO_ACCESS | {errno.EIO} else None
    text = str(error).lower()
    return next((number for number, words in DISK_ERROR_WORDS if any(word in text for word in words)), None)


def _describe(number: int, path: Path, rerun: str = RERUN) -> DiskError:
    quoted = shlex.quote(str(path if os.path.isdir(path) else path.parent))  # noqa: PTH112 - `is_dir` raises where it may not look
    if number in NO_ROOM:
        hint = f"make room (`df -h {quoted}` shows how much there is), then {rerun}: finished work is kept"
    elif number == errno.EROFS:
        hint = advise_on_mount(path)
    elif number in NO_ACCESS:
        hint = advise_on_writing(path, rerun)
    else:
        hint = f"check the disk (`df -h {quoted}`), then recollect doctor"
    return DiskError(f"{path} cannot be written: {os.strerror(number)}", hint)
