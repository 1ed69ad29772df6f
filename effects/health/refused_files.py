"""Finds what the system refuses to let this user read in a lake: such files are whole, and belong to somebody else.

One `sudo recollect nightly` leaves files of root behind. They are no damage: nothing may be set aside for them, and a table in a
folder that cannot be listed is not an empty one.
"""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from pwd import getpwuid

from effects.store.lake import Lake
from effects.system.disk_errors import DiskError
from effects.system.errors import LakeError
from transforms.tables.schema import TABLES

REFUSALS = frozenset({errno.EACCES, errno.EPERM})


class RefusedError(LakeError):
    """This user may not read a file of the lake; the next command gives it back."""


def find_refused(lake: Lake) -> list[Path]:
    """Return the folders of a lake that cannot be listed, and the files that cannot be read, because the system refuses it."""
    refused: list[Path] = []

    def note_refusal(error: OSError) -> None:
        if error.errno in REFUSALS:
            refused.append(Path(error.filename))

    for folder, folders, names in os.walk(lake.root, onerror=note_refusal):
        if folder == str(lake.root):  # a volume of its own has `lost+found` beside the tables
            folders[:] = [name for name in folders if name in TABLES or name.startswith("_")]
        paths = (os.path.join(folder, name) for name in names)  # noqa: PTH118  several times as fast for thousands of files
        refused += [Path(path) for path in paths if not os.access(path, os.R_OK) and os.path.lexists(path)]
    return sorted(refused)


def check_access(lake: Lake) -> None:
    """Check that this user may read all of a lake.

    Raises:
        RefusedError: naming the first file or folder that is refused, its owner, and the command that gives it back.
    """
    if error := explain_refusal(lake):
        raise error


def explain_refusal(lake: Lake) -> RefusedError | None:
    """Return the error for people about what this user may not read; None when that is nothing."""
    refused = find_refused(lake)
    if not refused:
        return None
    foreign = [path for path in refused if _find_owner(path) != os.geteuid()]
    named = (foreign or refused)[0]
    more = f" and {len(refused) - 1} more" if len(refused) > 1 else ""
    owner = f"; it belongs to {_name_user(_find_owner(named))}" if foreign else ""
    place = shlex.quote(str(lake.root))
    command = f'sudo chown -R "$(id -un)" {place}' if foreign else f"chmod -R u+rwX {place}"
    return RefusedError(f"{named}{more}: {os.strerror(errno.EACCES)}{owner}", command)


@contextmanager
def explaining_refusals(lake: Lake) -> Iterator[None]:
    """Raise a refusal of the system as the error about the files that this user may not read.

    Raises:
        RefusedError: when there are such files.
    """
    try:
        yield
    except (DiskError, PermissionError) as error:
        if explained := explain_refusal(lake):
            raise explained from error
        raise


def _find_owner(path: Path) -> int:
    try:
        return path.lstat().st_uid
    except OSError:
        return os.geteuid()


def _name_user(number: int) -> str:
    try:
        return getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
