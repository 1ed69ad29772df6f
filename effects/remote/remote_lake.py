"""A lake in an object store: a copy on this machine that a commit publishes, one conditional write of the manifest at a time.

The store holds the files of the tables, under names with a hash of their content that are never written twice, and a manifest
that lists the files that are the lake. A commit stores its new files, then replaces the manifest on condition that it is the one
that was read. So readers see one commit or the next, a run that lost its place cannot publish, and a crash leaves files that no
manifest names. The lease keeps two runs from working for nothing; the condition on the manifest keeps them from harm.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import Event, Thread
from typing import TypedDict

from effects.config.paths import find_address
from effects.remote.object_store import RESTORE, MissingObjectError, ObjectStore, StoredObject, SwapLostError
from effects.system.errors import LakeError, LockedError
from effects.system.files import replace_file

MANIFEST, LEASE = "_manifest.json.gz", "_lease.json"
REMOTE_STATE_FILE = "_remote.json"
"""In the copy: which manifest it holds, and the object of each file."""
LEASE_S = 60.0
"""A run that died gives up its place after so many seconds."""
RENEWALS = 3
"""Renewals of the lease within its time."""
PULL_TRIES = 4
PAID, FORGOTTEN = "model_calls/", "tombstones/"
"""Files of answers that were paid: new ones outlive the work that another machine overtook, and go out with the next commit. Not
when that machine forgot something: they may quote it."""
RERUN = "run the same command again"
WAIT = f"wait for it to finish, then {RERUN}"


class CopiedFile(TypedDict):
    """A file of the copy: its object, and size and time of the file when they were the same."""

    object: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Lease:
    """Who writes, and the second until which nobody else may."""

    holder: str
    until: float


@dataclass(slots=True)
class CopyState:
    """Contents of the copy: the tag of the manifest (None before the first one) and the files by relative path."""

    tag: str | None
    files: dict[str, CopiedFile]


def open_remote(root: Path) -> RemoteLake | None:
    """Return the remote side of a lake; None for a lake that is only a folder."""
    address = find_address(root)
    return RemoteLake(root, ObjectStore(address)) if address else None


class RemoteLake:
    """The copy in `root`, and the store that holds the lake."""

    def __init__(self, root: Path, store: ObjectStore) -> None:
        self.root = root
        self.store = store
        self._is_after_crash = False

    @contextmanager
    def holding_lease(self, command: str) -> Iterator[None]:
        """Hold the lease of the one writer on all machines, and renew it until the block ends.

        Raises:
            LockedError: when a run on another machine holds it.
        """
        lease = self._take_lease(command)
        ended = Event()
        thread = Thread(target=self._renew_lease, args=(lease, ended), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            with suppress(LakeError):  # it ends by itself
                present = self.store.get(LEASE)
                if present is not None and read_lease(present).holder == lease["holder"]:
                    self.store.delete([LEASE])

    def synchronise(self) -> str:
        """Bring copy and store together before a run; return a note for people when work of this machine was dropped.

        Commits that a run of this machine could not publish are published now, unless another machine wrote since: then the copy
        becomes that of the store, and the run does its work again.
        """
        if self._is_after_crash:
            self._is_after_crash = False
            note = self.synchronise()
            self.sweep()
            return note
        state = self._read_state()
        if self._read_present_tag(state) == state.tag:
            self.publish()
            return ""
        if self._adopt_own_commit(state):
            return ""
        is_ahead = state.tag is not None and bool(self._find_changes(state))
        self._pull(state)
        return (
            f"{self.store.url} was written from another machine; unpublished work of this one is done again" if is_ahead else ""
        )

    def refresh(self) -> bool:
        """Update the copy from the store, for readers; return whether anything changed. Unpublished work is left alone."""
        state = self._read_state()
        if self._read_present_tag(state) == state.tag or (state.tag is not None and self._find_changes(state)):
            return False
        self._pull(state)
        return True

    def list_changed(self) -> list[str]:
        """Return the files that the store holds and that changed in the copy since: unpublished work, or damage."""
        state = self._read_state()
        return sorted(name for name, path in self._find_changes(state).items() if path is not None and name in state.files)

    def fetch_again(self, names: Iterable[str]) -> int:
        """Replace these files of the copy by their objects and return how many; without a whole object a file stays as it is."""
        state, fetched = self._read_state(), 0
        for name in sorted(set(names) & state.files.keys()):
            stored = state.files[name]["object"]
            whole = self.store.get(stored)
            if whole is not None and name_object(name, whole.data) == stored:
                replace_file(self.root / name, whole.data)
                state.files[name] = self._describe_file(name, stored)
                fetched += 1
        self._write_state(state)
        return fetched

    def publish(self) -> None:
        """Publish the copy to the store.

        Raises:
            LakeError: when another machine wrote since this run began. Nothing of the store is changed then.
        """
        state = self._read_state()
        changed = self._find_changes(state)
        if not changed:
            return
        new = {name: (self.root / name).read_bytes() for name, path in changed.items() if path is not None}
        objects = {name: name_object(name, data) for name, data in new.items()}
        self.store.put_all((objects[name], data) for name, data in sorted(new.items()))
        files = {name: entry for name, entry in state.files.items() if name not in changed}
        files |= {name: self._describe_file(name, objects[name]) for name in new}
        try:
            tag = self.store.swap(MANIFEST, pack_manifest({name: entry["object"] for name, entry in files.items()}), state.tag)
        except SwapLostError as error:
            raise LakeError(f"{self.store.url} was written by another run meanwhile, so this one stopped", RERUN) from error
        self._write_state(CopyState(tag, files))
        named = {entry["object"] for entry in files.values()}
        with suppress(LakeError):  # objects that no manifest names are only in the way; `sweep` removes them
            self.store.delete(sorted({entry["object"] for entry in state.files.values()} - named))

    def sweep(self) -> int:
        """Delete objects that no manifest names, which a crash leaves behind; return their number. Needs the lease."""
        named = {entry["object"] for entry in self._read_state().files.values()} | {MANIFEST, LEASE}
        extra = [name for name in self.store.list_names() if name not in named]
        self.store.delete(extra)
        return len(extra)

    def _read_present_tag(self, state: CopyState) -> str | None:
        """Return the tag of the manifest that the store has; None before the first commit.

        Raises:
            LakeError: when a manifest that this copy knows is gone. An empty lake would take the place of the last copy.
        """
        tag = self.store.read_tag(MANIFEST)
        if tag is None:
            self._check_first_commit(state)
        return tag

    def _check_first_commit(self, state: CopyState) -> None:
        self.store.check_place()
        if state.tag is not None:
            raise LakeError(
                f"{self.store.url}/{MANIFEST} is gone; {self.root} still has the {len(state.files)} files of its last commit",
                f"{RESTORE}; or delete {self.root / REMOTE_STATE_FILE}, and the next run publishes this copy",
            )

    def _adopt_own_commit(self, state: CopyState) -> bool:
        """Return whether the store holds the same as this copy: a run died after it published, before it noted that here."""
        manifest = self.store.get(MANIFEST)
        changed = self._find_changes(state)
        if manifest is None or state.tag is None or not changed:
            return False
        present = {name: name_object(name, (self.root / name).read_bytes()) for name, path in changed.items() if path is not None}
        objects = {name: entry["object"] for name, entry in state.files.items() if name not in changed} | present
        if objects != unpack_manifest(manifest.data):
            return False
        self._write_state(CopyState(manifest.tag, {name: self._describe_file(name, objects[name]) for name in objects}))
        return True

    def _pull(self, state: CopyState) -> None:
        """Fetch the files that differ; begin again when a commit meanwhile deleted objects that the manifest named."""
        for _ in range(PULL_TRIES - 1):
            manifest = self.store.get(MANIFEST)
            try:
                return self._pull_manifest(state, manifest)
            except MissingObjectError:
                if self.store.read_tag(MANIFEST) == (manifest.tag if manifest else None):
                    raise
        return self._pull_manifest(state, self.store.get(MANIFEST))

    def _pull_manifest(self, state: CopyState, manifest: StoredObject | None) -> None:
        if manifest is None:
            self._check_first_commit(state)
        wanted = unpack_manifest(manifest.data) if manifest else {}
        changed = self._find_changes(state)
        missing = {
            name: stored
            for name, stored in wanted.items()
            if name in changed or name not in state.files or state.files[name]["object"] != stored
        }
        by_object = {stored: name for name, stored in missing.items()}
        for stored, data in self.store.get_all(sorted(by_object)):
            if name_object(by_object[stored], data) != stored:
                raise LakeError(f"{self.store.url}/{stored} is damaged", RESTORE)
            replace_file(self.root / by_object[stored], data)
        has_forgotten = any(name.startswith(FORGOTTEN) for name in missing)
        paid = {name for name in changed if name.startswith(PAID) and name not in state.files and not has_forgotten}
        for path in self._list_files():
            if path not in wanted and path not in paid:
                (self.root / path).unlink(missing_ok=True)
        files = {
            name: state.files[name] if name not in missing else self._describe_file(name, stored)
            for name, stored in wanted.items()
        }
        self._write_state(CopyState(manifest.tag if manifest else None, files))

    def _find_changes(self, state: CopyState) -> dict[str, Path | None]:
        """Return the files of the copy that are not as the state says, by relative path; None for those that are gone."""
        changes: dict[str, Path | None] = {}
        present = self._list_files()
        for name in present:
            known, status = state.files.get(name), (self.root / name).stat()
            if known is None or (known["size"], known["mtime_ns"]) != (status.st_size, status.st_mtime_ns):
                changes[name] = self.root / name
        return changes | dict.fromkeys(set(state.files) - set(present))

    def _list_files(self) -> list[str]:
        """Return the Parquet files of all tables, relative to the copy. Folders with an underscore are this machine's own."""
        names = []
        for folder, folders, files in os.walk(self.root):
            if folder == str(self.root):
                folders[:] = [name for name in folders if not name.startswith("_")]
            names += [(Path(folder) / name).relative_to(self.root).as_posix() for name in files if name.endswith(".parquet")]
        return sorted(names)

    def _describe_file(self, name: str, stored: str) -> CopiedFile:
        status = (self.root / name).stat()
        return {"object": stored, "size": status.st_size, "mtime_ns": status.st_mtime_ns}

    def _read_state(self) -> CopyState:
        try:
            value = json.loads((self.root / REMOTE_STATE_FILE).read_bytes())
            return CopyState(value["tag"], dict(value["files"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # a new copy, or a lost state: everything is fetched again
            return CopyState(None, {})

    def _write_state(self, state: CopyState) -> None:
        replace_file(self.root / REMOTE_STATE_FILE, json.dumps({"tag": state.tag, "files": state.files}, sort_keys=True).encode())

    def _take_lease(self, command: str) -> dict[str, str | float]:
        holder = f"`{command}` on {socket.gethostname()} (process {os.getpid()}-{time.time_ns():x})"
        lease: dict[str, str | float] = {"holder": holder, "until": time.time() + LEASE_S}
        present = self.store.get(LEASE)
        if present is not None:
            other = read_lease(present)
            if other.until > time.time():
                raise LockedError(f"{self.store.url} is being written by {other.holder}", WAIT)
            self._is_after_crash = True
        try:
            self.store.swap(LEASE, json.dumps(lease).encode(), present.tag if present else None)
        except SwapLostError as error:
            raise LockedError(
                f"{self.store.url} is being written by another run", f"wait for it to finish, then {RERUN}"
            ) from error
        return lease

    def _renew_lease(self, lease: dict[str, str | float], ended: Event) -> None:
        """Renew the lease until `ended`. A lease that is lost stops nothing here: the next commit will be refused."""
        while not ended.wait(LEASE_S / RENEWALS):
            try:
                present = self.store.get(LEASE)
                if present is None or read_lease(present).holder != lease["holder"]:
                    return
                self.store.swap(LEASE, json.dumps({**lease, "until": time.time() + LEASE_S}).encode(), present.tag)
            except (LakeError, SwapLostError):
                continue


def read_lease(stored: StoredObject) -> Lease:
    """Return the lease that an object holds.

    Its end is told by the holder's clock, which may be wrong by hours. So it lasts as long after its last renewal, by the store's
    clock, as each renewal does; one that cannot be read lasts as long, too, and then stops nobody.
    """
    renewed_until = stored.written_at + LEASE_S
    try:
        value = json.loads(stored.data)
        holder, until = " ".join(str(value["holder"]).split()), float(value["until"])
    except (ValueError, KeyError, TypeError, OverflowError):
        return Lease("a run whose lease cannot be read", renewed_until)
    return Lease(holder, max(until, renewed_until) if until <= time.time() + LEASE_S else renewed_until)


def name_object(name: str, data: bytes) -> str:
    """Return the name of the object of a file: its path with a hash of its content, still a Parquet file to a glob."""
    digest = blake2b(data, digest_size=12).hexdigest()
    return f"{name.removesuffix('.parquet')}-{digest}.parquet"


def is_table_file(name: str) -> bool:
    """Whether a name is the relative path of a file of a table: what a manifest names is written below the copy, nowhere else."""
    parts = name.split("/")
    return name.endswith(".parquet") and not {"", ".", ".."} & set(parts) and not parts[0].startswith("_") and "\\" not in name


def pack_manifest(files: Mapping[str, str]) -> bytes:
    """Return the manifest of files (relative path → object); equal files give equal bytes."""
    return gzip.compress(json.dumps(files, sort_keys=True).encode(), mtime=0)


def unpack_manifest(data: bytes) -> dict[str, str]:
    """Return the files of a manifest.

    Raises:
        LakeError: when it cannot be read.
    """
    try:
        files = dict(json.loads(gzip.decompress(data)))
        if not all(isinstance(stored, str) and is_table_file(name) for name, stored in files.items()):
            raise ValueError("it names what is no file of a table")
        return files
    except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
        raise LakeError(f"{MANIFEST} of the lake is damaged", RESTORE) from error
