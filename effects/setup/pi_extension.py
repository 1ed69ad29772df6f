"""The extensions of pi: found in a checkout or in the installed package, and linked into pi's folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from effects.config.paths import PROJECT_ROOT, is_checkout
from effects.setup.agents import InstalledAgent
from effects.setup.changes import SetupRecord, link_recorded

EXTENSIONS = ("recollect.ts", "task-memory", "observational-memory")
"""Files and folders of `extensions/pi`. The last one does nothing until its owner switches it on."""


def find_extension(name: str = EXTENSIONS[0]) -> Path:
    """Return the file or folder of an extension of pi."""
    return find_extensions("pi") / name


def find_extensions(client: str) -> Path:
    """Return the folder of the extensions for a client, in the checkout or in the installed package."""
    folder = PROJECT_ROOT if is_checkout() else PROJECT_ROOT / "recollect"
    return folder / "extensions" / client


def link_extensions(record: SetupRecord, pi: InstalledAgent) -> Iterator[tuple[Path, bool | None]]:
    """Link the extensions into pi's folder; yield each link and whether it changed.

    None instead of that: a folder of somebody else has this name, and stays.
    """
    for name in EXTENSIONS:
        link = pi.home / "extensions" / name
        is_foreign = link.is_dir() and not link.is_symlink()
        yield link, None if is_foreign else link_recorded(record, "extension", link, find_extension(name))
