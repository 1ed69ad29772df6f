"""A folder for all files of a run of the tests in the machine's memory, where there is enough of it.

A run makes some hundred thousand files and folders: on a disk each takes up to ten times the processor time, and its turn.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
MIN_BYTES = 3 << 30
"""Free memory from which on files are kept in it: some hundred MB at a time, since those of a test that passed go at once."""


_locks: list[int] = []
"""Descriptors of the locks that this process holds until it ends."""


def open_memory_folder(memory: Path = MEMORY, min_bytes: int = MIN_BYTES) -> Path | None:
    """Make this process's folder for temporary files and give it to all that ask for one; None where the disk does.

    What an ended run left is removed: a run that fails leaves its files, which are read before the next one begins.
    """
    if "TMPDIR" in os.environ or not _is_roomy(memory, min_bytes):
        return None
    place = memory / f"recollect-tests-{os.getuid()}"
    place.mkdir(mode=0o755, exist_ok=True)  # a test of another user's runs has everybody enter
    if place.is_symlink() or place.stat().st_uid != os.getuid():
        return None
    turn = _lock(place, fcntl.LOCK_EX)
    try:
        for folder in [folder for folder in place.iterdir() if folder.is_dir()]:
            if (ended := _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(ended)
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=place))
        folder.chmod(0o755)
        lock = _lock(folder, fcntl.LOCK_EX)
    finally:
        if turn is not None:
            os.close(turn)
    if lock is not None:
        _locks.append(lock)
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
    return folder


def _lock(folder: Path, kind: int) -> int | None:
    """Return the descriptor of the lock on a folder; None when another process holds it. The system frees it when that ends."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, kind)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _is_roomy(memory: Path, min_bytes: int) -> bool:
    """Whether the file system is there, runs programs, and it and the machine have as many bytes to give."""
    try:
        system = os.statvfs(memory)
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return False
    is_usable = os.access(memory, os.W_OK) and not system.f_flag & os.ST_NOEXEC
    return is_usable and min(system.f_bavail * system.f_frsize, available) >= min_bytes
