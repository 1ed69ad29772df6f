"""The session opening: identity files, working memory, the briefing, facts about the first request and today's log."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import polars as pl

from effects.opening.request_recall import recall_for_request, render_recalled_facts
from effects.pages.render_step import name_briefings, render_briefing
from effects.store.forgotten import read_remembered
from effects.store.memory_file import locate_memory
from effects.store.run import Run
from effects.tasks.working_memory import read_working_memory
from transforms.pages.opening_block import wrap_opening
from transforms.tables.tokens import count_tokens

BRIEFING_TABLES = ("windows", "sessions", "segments", "observations", "proposals", "proposal_events")
IDENTITY_TOKENS = 1_500
"""Most tokens of one identity file: its owner wrote it to be read in full, and it seldom needs more."""
LOG_TOKENS = 800
"""Most tokens of today's log: the briefing also has today's sessions of this project."""
REQUEST_SHARE = 0.3
"""Share of the budget that facts about the first request may take: six facts of two lines each."""


def render_project_briefing(run: Run, project: str, max_tokens: int) -> str:
    """Return the briefing of a project within `max_tokens`, from the lake as it is now."""
    return render_briefing(run, _read_frames(run), project, max_tokens)


def render_session_opening(run: Run, project: str, max_tokens: int, loaded: Sequence[Path], request: str = "") -> str:
    """Return the identity files (RECOLLECT_IDENTITY), the project's working memory, the briefing, facts about the first request
    and today's log, in one block.

    `loaded` are files that the client shows already: they are left out. Briefing and facts together stay within `max_tokens`. The
    block has tags by which the reader of sessions recognises memory's own words (`transforms/conversation/message_spans.py`) and
    never observes them again.
    """
    shown_files = {_resolve(path) for path in loaded} | {_resolve(locate_memory(run))}  # the briefing has the lines of MEMORY.md
    frames = _read_frames(run)
    facts = recall_for_request(run, project, request, frames["observations"]) if request.strip() else []
    facts_page = render_recalled_facts(facts, run.zone, int(max_tokens * REQUEST_SHARE))
    parts = [
        *_read_identity(run.settings.identity, shown_files),
        *_read_working_memory(run, project),
        render_briefing(run, frames, project, max_tokens - count_tokens(facts_page)),
        *([facts_page] if facts_page else []),
        *_read_log(run, shown_files),
    ]
    return wrap_opening(parts)


def render_request_recall(run: Run, project: str, request: str, max_tokens: int) -> str:
    """Return only the facts about the first request, for a client that has the briefing already; empty when there are none."""
    facts = recall_for_request(run, project, request, read_remembered(run.lake, "observations"))
    page = render_recalled_facts(facts, run.zone, max_tokens)
    return wrap_opening([page]) if page else ""


def locate_briefing(run: Run, project: str) -> Path | None:
    """Return the page with the briefing of a project, which a client reads when this process is slow; None if there is none."""
    name = name_briefings({table: run.lake.read(table) for table in ("windows", "sessions")}).get(project)
    return run.settings.workspace / name if name else None


def _read_frames(run: Run) -> dict[str, pl.DataFrame]:
    return {name: read_remembered(run.lake, name) for name in BRIEFING_TABLES}


def _read_identity(paths: Iterable[Path], shown_files: set[Path]) -> Iterator[str]:
    for path in paths:
        if _resolve(path) in shown_files or not (text := _read_text(path)):
            continue
        shown_files.add(_resolve(path))
        is_short = count_tokens(text) <= IDENTITY_TOKENS
        shortened = text if is_short else text[: IDENTITY_TOKENS * 4].rpartition("\n")[0] + f"\n(cut: the rest is in {path})"
        yield f"# {path.name}\n\n{shortened}"


def _read_working_memory(run: Run, project: str) -> Iterator[str]:
    if text := read_working_memory(run, project).text.strip():
        yield f"# Working memory\n\n{text}"


def _read_log(run: Run, shown_files: set[Path]) -> Iterator[str]:
    """Yield the end of today's log, if there is one: its last entries count most."""
    path = run.settings.workspace / "memory" / f"{run.today}.md"
    if _resolve(path) in shown_files or not (text := _read_text(path)):
        return
    lines = text.splitlines()
    while len(lines) > 1 and count_tokens("\n".join(lines)) > LOG_TOKENS:
        del lines[0]
    cut = f" (its end; the rest is in {path})" if len(lines) < len(text.splitlines()) else ""
    yield f"# Today's log{cut}\n\n" + "\n".join(lines)


def _read_text(path: Path) -> str:
    """Return the text of a file, empty when there is none; `recollect doctor` reports a missing identity file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _resolve(path: Path) -> Path:
    return path.expanduser().resolve()
