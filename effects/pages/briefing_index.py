"""Finds the briefing page of a folder, and tells whether it is current: a small file of the lake,
for readers that have no time for tables."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from effects.store.content_key import compute_content_key
from effects.store.run import Run
from effects.system.known_folders import find_enclosing
from transforms.tables.ids import hash_fields, hash_text

INDEX_FILE = "_briefings.json"
SHORT_TOKENS = 1400
"""Tokens of a briefing beside facts about the first request, which may take the rest; a longer page has a short form."""
BRIEFING_PAGE_TABLES = (
    "windows", "sessions", "segments", "observations", "relations", "proposals", "proposal_events", "tombstones",
    "confirmations", "tasks", "projects",
)  # fmt: skip
"""The tables that briefings are made of."""


@dataclass(frozen=True, slots=True)
class BriefingIndex:
    """The project of each known folder, the page of each project that has one, relative to the workspace, and each page's hash.

    `short` has the briefings of projects whose page is too long for an opening with facts, within the tokens left then. `inputs`
    is the key of everything that the pages were made of; empty when it was not known. `windows` are those of each project of
    late, whose blocks in the daily log are its own.
    """

    projects: dict[str, str] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    short: dict[str, str] = field(default_factory=dict)
    inputs: str = ""
    windows: dict[str, list[str]] = field(default_factory=dict)

    def find_project(self, folder: str) -> str:
        """Return the project of the innermost known folder around a folder; empty when there is none."""
        enclosing = find_enclosing(folder, self.projects)
        return self.projects[enclosing] if enclosing else ""


def format_briefing_index(
    run: Run,
    projects: Mapping[str, str],
    pages: Mapping[str, str],
    hashes: Mapping[str, str],
    short: Mapping[str, str],
    windows: Mapping[str, list[str]],
) -> bytes:
    """Return the file for the projects of folders, the pages of projects, the hashes of pages, the short briefings and the
    windows of the last days by project."""
    known, named, hashed, shortened = (dict(sorted(part.items())) for part in (projects, pages, hashes, short))
    index = BriefingIndex(known, named, hashed, shortened, compute_inputs_key(run), dict(sorted(windows.items())))
    return json.dumps(asdict(index), indent=1, ensure_ascii=False).encode() + b"\n"


def read_briefing_index(lake: Path) -> BriefingIndex:
    """Return the index as the last rendering left it; empty when there is none."""
    try:
        return BriefingIndex(**json.loads((lake / INDEX_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return BriefingIndex()


def read_current_page(run: Run, index: BriefingIndex, project: str) -> str | None:
    """Return the briefing of a project if its page is current; None otherwise.

    It does not when a table, MEMORY.md or a setting changed since, or somebody changed the page.
    """
    name = index.pages.get(project)
    if not name or not index.inputs or index.inputs != compute_inputs_key(run):
        return None
    try:
        text = (run.settings.workspace / name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    return text if hash_text(text) == index.hashes.get(name) else None


def compute_inputs_key(run: Run) -> str:
    """Return the key of everything that briefings are made of; empty when the lake cannot tell."""
    tables = compute_content_key(run.lake.root, BRIEFING_PAGE_TABLES)
    memory = run.settings.workspace / "MEMORY.md"
    text = memory.read_bytes().decode("utf-8", "replace") if memory.is_file() else ""
    settings = (run.settings.timezone, run.settings.owner, str(run.settings.review.expire_days))
    return hash_fields(tables, text, *settings) if tables else ""
