"""Durable and atomic file writes: the one place that knows about temporary names, fsync, links and modes."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_KEPT_BY_THE_DISK: set[Path] = set()
PRIVATE_UMASK = 0o077
"""Folders become 0700 and files 0600: lake and pages hold whole conversations."""
_FIRST_UMASKS: list[int] = []
"""The umask of before the first change, once there was one."""


def make_new_files_private() -> int:
    """From now on this process and its children create files that only their owner reads; return the former umask."""
    former = os.umask(PRIVATE_UMASK)
    _FIRST_UMASKS.append(former)
    del _FIRST_UMASKS[1:]
    return former


def find_environment_umask() -> int:
    """Return the umask that this process was started with, for files that are not memory; -1, no change, when it holds."""
    return _FIRST_UMASKS[0] if _FIRST_UMASKS else -1


@contextmanager
def private_files() -> Iterator[None]:
    """Create files that only their owner reads, in all threads of this process, until the block ends."""
    former = make_new_files_private()
    try:
        yield
    finally:
        os.umask(former)


@contextmanager
def naming_path(path: Path) -> Iterator[None]:
    """Let errors of the disk name a file: those of writing to an opened one and of fsync do not."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def read_page(path: Path) -> str:
    """Return the text of a page of somebody's, in which bytes that are not UTF-8 become surrogates."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def encode_page(text: str) -> bytes:
    """Return the bytes of a text that `read_page` read: those that are not UTF-8 are what they were."""
    return text.encode("utf-8", "surrogateescape")


def write_durably(path: Path, data: bytes) -> None:
    """Write and fsync a file, a new one only for its owner; not atomic on its own."""
    with naming_path(path), open(path, "wb", opener=_open_private) as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def replace_file(path: Path, data: bytes, like: Path | None = None) -> None:
    """Replace a file atomically: after a crash it has these bytes or its old ones (temporary name, fsync, rename).

    A symbolic link stays one, and its target is replaced. Mode and owner stay those of the file; a new file gets those of
    `like`, or is private.

    Raises:
        OSError: when it cannot be written; its links may lead in a circle, or to a file of another user.
    """
    target = resolve_link(path)
    _refuse_foreign_target(path, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        write_durably(temporary, data)
        _copy_access(like or target, temporary)
        temporary.replace(target)
    except OSError as error:  # a person knows the file, not the temporary one
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        _remove_or_note(temporary)
    fsync_folder(target.parent)


def _remove_or_note(temporary: Path) -> None:
    """Remove a temporary file; a disk that is read-only keeps it, and this process removes it once it can."""
    try:
        temporary.unlink(missing_ok=True)
    except OSError:  # the one to tell is that of the file itself
        _KEPT_BY_THE_DISK.add(temporary)


def check_writable_folder(folder: Path) -> None:
    """Try whether a folder, or the nearest one above that exists, takes a new entry; nothing stays behind.

    Raises:
        OSError: when it does not, with the path of the folder that refused.
    """
    existing = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    probe = existing / f".recollect.{os.getpid()}.tmp"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError as error:  # a person knows the folder, not the temporary one
        raise OSError(error.errno, error.strerror, str(existing)) from error


def resolve_link(path: Path) -> Path:
    """Return the file that a symbolic link leads to, also when it does not exist yet; any other path as it is.

    Raises:
        OSError: when links lead in a circle.
    """
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def _refuse_foreign_target(path: Path, target: Path) -> None:
    """Refuse a link to a file of another user, who would read what is written, or lose what stood there."""
    if target != path and target.exists() and target.stat().st_uid != os.geteuid():
        raise OSError(errno.EPERM, "it is a link to a file of another user", str(path))


def remove_leftovers(path: Path) -> None:
    """Remove the temporary files that a killed process left beside a file that it was replacing."""
    with suppress(OSError):
        target = resolve_link(path)
        _remove_temporary(target.parent, f".{target.name}.")


def remove_folder_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed processes left in a folder, whatever files they were replacing."""
    with suppress(OSError):
        _remove_temporary(folder, ".")


def _remove_temporary(folder: Path, prefix: str) -> None:
    for leftover in folder.iterdir():
        if leftover.name.startswith(prefix) and leftover.suffix == ".tmp" and leftover.suffixes[-2:-1]:
            pid = leftover.suffixes[-2].lstrip(".")
            if pid.isdigit() and (leftover in _KEPT_BY_THE_DISK or not is_running(int(pid))):
                leftover.unlink(missing_ok=True)
                _KEPT_BY_THE_DISK.discard(leftover)


def is_running(pid: int) -> bool:
    """Return whether a process of this number runs here."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def fsync_all(paths: Iterable[Path]) -> None:
    """Make several files or folders durable; in parallel, because a file system writes them out together."""
    wanted = list(paths)
    if len(wanted) < 2:
        for path in wanted:
            fsync_folder(path)
        return
    from concurrent.futures import ThreadPoolExecutor  # it brings logging along, which no reading command needs

    with ThreadPoolExecutor(min(8, len(wanted)), "fsync") as pool:
        for _ in pool.map(fsync_folder, wanted):
            pass


def fsync_folder(folder: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with naming_path(folder):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _copy_access(source: Path, file: Path) -> None:
    """Give a file the mode and, where this user may, the owner and group of another one that exists."""
    try:
        wanted = source.stat()
    except FileNotFoundError:
        return
    file.chmod(wanted.st_mode & 0o777)
    if (wanted.st_uid, wanted.st_gid) != (os.getuid(), os.getgid()):
        with suppress(PermissionError):
            os.chown(file, wanted.st_uid, wanted.st_gid)
