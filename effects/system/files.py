"""Durable and atomic file writes: the one place that knows about temporary names and fsync."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def write_durably(path: Path, data: bytes) -> None:
    """Write and fsync a file; not atomic on its own."""
    with path.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically: after a crash it has these bytes or its old ones (temporary name, fsync, rename)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_durably(temporary, data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    fsync_folder(path.parent)


def fsync_all(paths: Iterable[Path]) -> None:
    """Make several files or folders durable; in parallel, because a file system writes them out together."""
    wanted = list(paths)
    if len(wanted) < 2:
        for path in wanted:
            fsync_folder(path)
        return
    with ThreadPoolExecutor(min(8, len(wanted)), "fsync") as pool:
        for _ in pool.map(fsync_folder, wanted):
            pass


def fsync_folder(folder: Path) -> None:
    """Make a file, or the names in a folder, durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
