"""Texts of nights beside pages that they did not write (`NAME.md.new`): which are of no use any more, and go."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import orjson

from effects.memory.review_page import is_whole_rendering
from effects.store.memory_file import locate_memory
from effects.store.run import Run
from effects.system.files import read_page, replace_file
from transforms.tables.ids import hash_text

NEW = ".new"
NEW_PAGES = ("*.md.new", "briefing/*.md.new", "memory/*.md.new", "memory/archive/*.md.new", "timeline/*.md.new")
"""Where a night writes a page beside the one that it did not write."""
WRITTEN_FILE = "_logs/new_pages.log"
"""Hashes of these texts as a night wrote them, by the name of the page. Without it the texts stay until their owner removes
them."""


def list_new_pages(run: Run) -> dict[str, Path]:
    """Return the texts that lie beside pages that exist, by the name of the page; MEMORY.md may lie elsewhere."""
    workspace, memory = run.settings.workspace, locate_memory(run)
    files = {
        path.relative_to(workspace).as_posix(): path
        for pattern in NEW_PAGES
        for path in sorted(workspace.glob(pattern))
        if path.is_file()
    }
    files |= {f"{memory.name}{NEW}": path for path in [memory.with_name(memory.name + NEW)] if path.is_file()}
    return {name.removesuffix(NEW): path for name, path in files.items() if path.with_suffix("").is_file()}


def record_new_pages(run: Run, texts: Mapping[str, str]) -> None:
    """Note the texts that a night wrote beside pages, by the name of the page."""
    if texts:
        hashes = _read_written(run) | {name: hash_text(text) for name, text in texts.items()}
        replace_file(run.lake.root / WRITTEN_FILE, orjson.dumps(hashes, option=orjson.OPT_SORT_KEYS))


def is_changed_by_owner(run: Run, name: str, text: str) -> bool:
    """Whether the text beside a page is another than a night wrote there; of one that was never noted nothing tells."""
    written = _read_written(run).get(name)
    return written is not None and written != hash_text(text) and not is_whole_rendering(text)


def remove_superseded(run: Run, hashes: Mapping[str, str]) -> int:
    """Remove the superseded ones, and return their number; `hashes` are those of the pages as the last night left them."""
    superseded = list_superseded(run, hashes)
    for path in superseded:
        path.unlink(missing_ok=True)
    return len(superseded)


def list_superseded(run: Run, hashes: Mapping[str, str]) -> list[Path]:
    """Return the texts beside pages that are as the last night left them, and beside MEMORY.md, into which nobody wrote a word.

    That is one as a night wrote it, a copy of the page, or a rendering of REVIEW.md that its own hash confirms and that is older
    than the page: a newer one is of another memory that has the same workspace.
    """
    written, memory, superseded = _read_written(run), locate_memory(run).name, list[Path]()
    for name, path in list_new_pages(run).items():
        page, text = (read_page(place) for place in (path.with_suffix(""), path))
        is_good = name == memory or hashes.get(name) == hash_text(page)
        is_older = path.stat().st_mtime_ns <= path.with_suffix("").stat().st_mtime_ns
        is_ours = written.get(name) == hash_text(text) or (is_older and is_whole_rendering(text))
        if is_good and (text == page or is_ours):
            superseded.append(path)
    return superseded


def _read_written(run: Run) -> dict[str, str]:
    try:
        written = orjson.loads((run.lake.root / WRITTEN_FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return written if isinstance(written, dict) else {}
