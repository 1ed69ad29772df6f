"""The plugin of Claude Code: hooks, memory's tools and a skill in one folder, linked to where Claude Code loads plugins from."""

from __future__ import annotations

from pathlib import Path

from effects.setup.agents import InstalledAgent
from effects.setup.changes import SetupRecord, link_recorded
from effects.setup.pi_extension import find_extensions


def is_plugin_linked(claude: InstalledAgent) -> bool:
    """Return whether Claude Code loads our plugin."""
    link = _locate_plugin_link(claude)
    return link.is_symlink() and link.resolve() == find_extensions("claude-code").resolve()


def link_plugin(record: SetupRecord, claude: InstalledAgent) -> tuple[Path, bool | None]:
    """Link the plugin; return the link and whether it changed: None when a folder of somebody else has this name, and stays."""
    link = _locate_plugin_link(claude)
    is_foreign = link.is_dir() and not link.is_symlink()
    return link, None if is_foreign else link_recorded(record, "extension", link, find_extensions("claude-code"))


def _locate_plugin_link(claude: InstalledAgent) -> Path:
    return claude.home / "skills" / "recollect"
