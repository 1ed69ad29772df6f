"""Lets a run die, fail or be disturbed at one of its durable operations.

Operations are writes, renames, removals, folders, fsync, the lock, transactions and tables of the index, readings of session
files, and requests to models. A kill lets none of the later ones happen, as `kill -9` does; a full disk refuses what adds bytes
and leaves half of what was being written; a read-only one refuses all.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import filelock

from effects.engines import registry
from effects.index import index_step, manifest, part_changes
from effects.index.record_store import RecordStore
from effects.ingest import commit as ingest_commit
from effects.ingest import part_files, read_file, session_files
from effects.store import commit, table_files
from effects.system import files

ADDS_BYTES = frozenset({"write", "rows", "mkdir", "index", "transaction"})
FAULTS = ("kill", "kill", "kill", "kill", "error", "error", "full", "read-only", "meanwhile", "second run")
DISK_ERRORS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO)


class Killed(BaseException):
    """The process dies here: nothing catches this but the benchmark."""


@dataclass(slots=True)
class Fault:
    """The fault at the n-th operation, and the number of operations so far."""

    kind: str = "none"
    moment: int = -1
    code: int = errno.ENOSPC
    meanwhile: Callable[[], None] | None = None
    done: int = 0
    struck: bool = False
    struck_at: str = ""
    is_locked: bool = False
    """Whether the run holds the lock by now."""
    seen: dict[str, int] = field(default_factory=dict)

    def strike(self, operation: str, target: object) -> None:
        """Count an operation; raise when it must not happen."""
        self.done += 1
        self.seen[operation] = self.seen.get(operation, 0) + 1
        if self.done < self.moment or self.moment < 0:
            return
        is_first = not self.struck
        if is_first:
            self.struck, self.struck_at = True, operation
        if self.kind == "kill":
            raise Killed
        if self.kind == "real kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.kind in ("meanwhile", "second run"):
            if is_first and self.meanwhile:
                self.meanwhile()
            return
        if (self.kind == "error" and is_first) or self.kind == "read-only":
            raise _make_error(self.code, operation, target)
        if self.kind == "full" and operation in ADDS_BYTES and not (operation == "mkdir" and Path(str(target)).is_dir()):
            if operation in ("write", "rows") and isinstance(target, Path) and target.parent.is_dir():
                target.write_bytes(b"PAR1" if operation == "rows" else b"{")  # the part for which there was room
            raise _make_error(errno.ENOSPC, operation, target)


def _make_error(code: int, operation: str, target: object) -> Exception:
    """Return the error as the system or the library raises it: that of fsync names no file."""
    if operation == "transaction":
        return sqlite3.OperationalError("database or disk is full" if code == errno.ENOSPC else "disk I/O error")
    return OSError(code, os.strerror(code)) if operation == "fsync" else OSError(code, os.strerror(code), str(target))


@contextmanager
def disturbing(fault: Fault, place: Path) -> Iterator[None]:
    """Let a fault watch the durable operations of this process below `place` until the block ends."""

    def watch(operation: str, original: Callable[..., object], at: int = 0) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            fault.strike(operation, arguments[at] if len(arguments) > at else place)
            result = original(*arguments, **named)
            fault.is_locked |= operation == "lock"
            return result

        return call

    def watch_sender(original: Callable[..., Callable[..., object]]) -> Callable[..., object]:
        return lambda *arguments, **named: watch("request", original(*arguments, **named), at=9)

    @contextmanager
    def transaction(store: RecordStore) -> Iterator[None]:
        with original_transaction(store):
            yield
            fault.strike("transaction", "rows.sqlite")

    original_transaction = RecordStore.transaction
    with ExitStack() as stack:
        for name in ("replace", "rename", "unlink", "mkdir", "rmdir"):
            stack.enter_context(patch.object(Path, name, watch(name, getattr(Path, name))))
        stack.enter_context(patch.object(os, "fsync", watch("fsync", os.fsync)))
        stack.enter_context(patch.object(shutil, "rmtree", watch("rmtree", shutil.rmtree)))
        stack.enter_context(patch.object(filelock.FileLock, "acquire", watch("lock", filelock.FileLock.acquire)))
        for module in (files, commit):
            stack.enter_context(patch.object(module, "write_durably", watch("write", files.write_durably)))
        for module in (commit, part_files):
            stack.enter_context(patch.object(module, "write_rows", watch("rows", table_files.write_rows, at=1)))
        stack.enter_context(patch.object(table_files, "write_no_rows", watch("rows", table_files.write_no_rows)))
        at_a_rebuild = ("add_documents", "add_vectors", "optimize_tables", "create_tables", "finish_documents")
        at_a_night = ("add_documents", "add_vectors", "delete_documents")
        for module, name in (*((index_step, name) for name in at_a_rebuild), *((part_changes, name) for name in at_a_night)):
            stack.enter_context(patch.object(module, name, watch("index", getattr(module, name), at=9)))
        stack.enter_context(patch.object(index_step, "write_manifest", watch("manifest", manifest.write_manifest, at=9)))
        stack.enter_context(patch.object(RecordStore, "transaction", transaction))
        for reader in (session_files, read_file):
            stack.enter_context(patch.object(reader, "open_session", watch("read", session_files.open_session)))
        stack.enter_context(patch.object(ingest_commit, "rmtree", watch("rmtree", shutil.rmtree)))
        stack.enter_context(patch.object(registry, "make_instructor_send", watch_sender(registry.make_instructor_send)))
        yield
