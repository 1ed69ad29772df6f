"""What memory adds to clients: the extensions of pi and the plugin of Claude Code, in a checkout or in the installed package."""

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
    """Link the extensions into pi's folder; yield each link and whether it changed (`link_recorded`)."""
    for name in EXTENSIONS:
        link = pi.home / "extensions" / name
        yield link, link_recorded(record, link, find_extension(name))


def is_plugin_linked(claude: InstalledAgent) -> bool:
    """Return whether Claude Code loads our plugin."""
    link = _locate_plugin_link(claude)
    return link.is_symlink() and link.resolve() == find_extensions("claude-code").resolve()


def link_plugin(record: SetupRecord, claude: InstalledAgent) -> tuple[Path, bool | None]:
    """Link the plugin, to where Claude Code loads plugins from; return the link and whether it changed (`link_recorded`)."""
    link = _locate_plugin_link(claude)
    return link, link_recorded(record, link, find_extensions("claude-code"))


def _locate_plugin_link(claude: InstalledAgent) -> Path:
    return claude.home / "skills" / "recollect"
