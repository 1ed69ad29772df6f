"""The first thing that a session reads: identity files, the briefing, today's log, in the read order of ADR-0021."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from effects.pages.render_step import briefing_text
from effects.store.memory_file import memory_path
from effects.store.run import Run
from transforms.tables.tokens import tokens

TABLES = ("windows", "sessions", "segments", "observations", "proposals", "proposal_events")
IDENTITY_TOKENS = 1_500
"""Of one identity file: its owner wrote it to be read whole, and seldom needs more."""
LOG_TOKENS = 800
"""Of today's log: what happened in this project today is in the briefing as well."""
TAG = "recollect-briefing"

_OUR_TAGS = re.compile(rf"</?{TAG}[^>]*>")


def project_briefing(run: Run, project: str, max_tokens: int) -> str:
    """The briefing of a project within `max_tokens`, from the lake as it is now."""
    return briefing_text(run, {name: run.lake.read(name) for name in TABLES}, project, max_tokens)


def opening_text(run: Run, project: str, max_tokens: int, loaded: Sequence[Path]) -> str:
    """SOUL, USER (the files of RECOLLECT_IDENTITY), memory (the briefing) and today's log, in one block.

    `loaded` are files that the client shows already: they are left out. The block is in tags by which the reader of
    sessions knows memory's own words (`transforms/conversation/message_spans.py`) and never observes them again.
    """
    shown = {_real(path) for path in loaded} | {_real(memory_path(run))}  # the briefing has the lines of MEMORY.md
    parts = [*_identity(run.settings.identity, shown), project_briefing(run, project, max_tokens), *_log(run, shown)]
    body = "\n\n".join(_OUR_TAGS.sub("", part).strip() for part in parts)
    return f"<{TAG}>\n{body}\n</{TAG}>\n"


def _identity(paths: Iterable[Path], shown: set[Path]) -> Iterator[str]:
    for path in paths:
        if _real(path) in shown or not (text := _read(path)):
            continue
        shown.add(_real(path))
        whole = tokens(text) <= IDENTITY_TOKENS
        kept = text if whole else text[: IDENTITY_TOKENS * 4].rpartition("\n")[0] + f"\n(cut: the rest is in {path})"
        yield f"# {path.name}\n\n{kept}"


def _log(run: Run, shown: set[Path]) -> Iterator[str]:
    """The end of today's log, if there is one: what was said last counts most."""
    path = run.settings.workspace / "memory" / f"{run.today}.md"
    if _real(path) in shown or not (text := _read(path)):
        return
    lines = text.splitlines()
    while len(lines) > 1 and tokens("\n".join(lines)) > LOG_TOKENS:
        del lines[0]
    cut = f" (its end; the rest is in {path})" if len(lines) < len(text.splitlines()) else ""
    yield f"# Today's log{cut}\n\n" + "\n".join(lines)


def _read(path: Path) -> str:
    """The text of a file, empty when there is none: a missing identity file is told by `recollect doctor`, not in a session."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _real(path: Path) -> Path:
    return path.expanduser().resolve()
