"""Where the project and its config file lie; apart from the settings, because these import pydantic."""

from __future__ import annotations

import os
from pathlib import Path

PROJECT_ROOT = Path(__file__).resolve().parents[2]


def config_file() -> Path:
    """The file named by `RECOLLECT_CONFIG`, else `~/.config/recollect/recollect.toml`."""
    named = os.environ.get("RECOLLECT_CONFIG")
    return absolute(Path(named)) if named else Path.home() / ".config" / "recollect" / "recollect.toml"


def absolute(path: Path) -> Path:
    """The path made absolute: `~` is the home, anything relative hangs below the project, whatever the working directory."""
    expanded = path.expanduser()
    return expanded if expanded.is_absolute() else PROJECT_ROOT / expanded


def system_timezone() -> str:
    """The IANA name of the system's zone, `UTC` when it has none."""
    if named := os.environ.get("TZ", "").lstrip(":"):
        return named
    link = Path("/etc/localtime")
    parts = link.resolve().parts if link.is_symlink() else ()
    if "zoneinfo" in parts:
        return "/".join(parts[parts.index("zoneinfo") + 1 :])
    return "UTC"
