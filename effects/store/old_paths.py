"""The places inside an installed package in which version 0.4 and older kept lake and workspace."""

from __future__ import annotations

import errno
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from effects.config.paths import PROJECT_ROOT, find_base_folder, find_default_lake, find_default_workspace, is_checkout
from effects.store.lake import Lake
from effects.system.errors import ConfigError, LakeError

if TYPE_CHECKING:
    from effects.config.settings import Settings

Name = Literal["lake", "workspace"]

FOLDER_SIGNS: dict[Name, tuple[str, ...]] = {"lake": ("runs", "sources"), "workspace": ("MEMORY.md", "REVIEW.md")}
"""The content by which one of these folders is recognised: a package of the same name beside ours is not a lake."""


@dataclass(frozen=True, slots=True)
class OldPlace:
    """A folder of memory inside the installed package, and the folder that its setting names now."""

    name: Name
    old: Path
    new: Path


def find_old_paths(settings: Settings) -> list[OldPlace]:
    """Return lake and workspace that lie inside the installed package; none in a checkout, which keeps its data in `data`."""
    if is_checkout():
        return []
    places = []
    folders: tuple[tuple[Name, Path, Path], ...] = (
        ("lake", settings.lake, find_default_lake()),
        ("workspace", settings.workspace, find_default_workspace()),
    )
    for name, new, default in folders:
        old = PROJECT_ROOT / "data" / name
        if new != default and new.is_relative_to(find_base_folder()):  # a relative path began at the package
            old = PROJECT_ROOT / new.relative_to(find_base_folder())
        if _holds_memory(name, old):
            places.append(OldPlace(name, old, new))
    return places


def check_old_paths(settings: Settings) -> None:
    """Refuse to go on beside memory inside the package: a run would begin a second one, and a question find nothing.

    Raises:
        ConfigError: when memory is in an old place, and none in the new one.
    """
    for place in find_old_paths(settings):
        if not _holds_memory(place.name, place.new):
            raise ConfigError(
                f"the {place.name} is inside the installed package, in {place.old}; removing the package would delete it",
                "recollect config --move",
            )


def move_old_place(place: OldPlace) -> None:
    """Move a folder of memory out of the package; afterwards it is in the new place, or untouched in the old one.

    Raises:
        LakeError: when the new place holds memory already, or cannot be written.
        LockedError: when a run writes the lake.
    """
    if _holds_memory(place.name, place.new):
        raise LakeError(
            f"{place.new} holds a {place.name} already; {place.old} stays where it is",
            f"move one of them away by hand, or set RECOLLECT_{place.name.upper()}, then `recollect config --move`",
        )
    if place.name == "lake":
        with Lake(place.old).writing("recollect config --move"):
            pass  # nobody writes, and every commit that was interrupted is finished
    try:
        _move_folder(place.old, place.new)
    except OSError as error:
        raise LakeError(
            f"{place.old} cannot be moved to {place.new}: {error.strerror or error}",
            "fix that, then run `recollect config --move`",
        ) from error


def _holds_memory(name: Name, folder: Path) -> bool:
    return any((folder / sign).exists() for sign in FOLDER_SIGNS[name])


def _move_folder(old: Path, new: Path) -> None:
    new.parent.mkdir(parents=True, exist_ok=True)
    if new.is_dir():  # a log of errors, an empty folder
        new.rename(new.with_name(f"{new.name}-before-the-move"))
    try:
        old.rename(new)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        copy = new.with_name(f".{new.name}.moving")  # another file system: the name appears when the copy is whole
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(old, copy, symlinks=True)
        copy.rename(new)
        shutil.rmtree(old)
