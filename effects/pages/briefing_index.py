"""Which page of the workspace is the briefing of a folder: a small file of the lake, for readers that have no time for tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

INDEX_FILE = "_briefings.json"


def format_briefing_index(briefings: Mapping[str, str], folders: Mapping[str, str]) -> bytes:
    """Return the file: the page of each project, and of each folder that belongs to one (`folders`: folder to project)."""
    names = {folder: briefings[project] for folder, project in folders.items() if project in briefings}
    return json.dumps(dict(sorted((names | dict(briefings)).items())), indent=1, ensure_ascii=False).encode() + b"\n"


def read_briefing_index(lake: Path) -> dict[str, str]:
    """Return the page of each folder, relative to the workspace, as the last rendering left it; empty when there is none."""
    try:
        names = json.loads((lake / INDEX_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return names if isinstance(names, dict) else {}
