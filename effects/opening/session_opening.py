"""The session opening: identity files, working memory, the briefing, facts about the first request and today's log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from effects.opening.opening_files import (
    REQUEST_SHARE,
    TAG_TOKENS,
    compute_room,
    read_identity,
    read_project_memory,
    read_todays_log,
    resolve,
)
from effects.opening.request_recall import render_recalled_facts
from effects.pages.briefing_pages import list_latest_windows, name_briefings
from effects.pages.project_briefing import make_briefing, render_briefing, render_within_budget
from effects.store.forgotten import read_remembered
from effects.store.memory_file import locate_memory
from effects.store.run import Run
from effects.system.errors import UsageError
from transforms.opening.page_rest import complete_page, cut_page, leave_out_shown
from transforms.pages.opening_block import wrap_opening
from transforms.tables.tokens import count_tokens

BRIEFING_TABLES = ("windows", "sessions", "segments", "observations", "proposals", "proposal_events")


def render_project_briefing(run: Run, project: str, max_tokens: int | None) -> str:
    """Return the briefing of a project within `max_tokens` (None: all of it), from the lake as it is now.

    Raises:
        UsageError: when its name and its day alone have more tokens.
    """
    text = render_briefing(run, _read_frames(run), project, max_tokens)
    if max_tokens is not None and (least := count_tokens(text)) > max_tokens:
        raise UsageError(f"{max_tokens} tokens have no room for a briefing", f"the shortest one of this project has {least}")
    return text


def render_session_opening(run: Run, project: str, max_tokens: int, loaded: Sequence[Path], request: str = "") -> str:
    """Return the identity files (RECOLLECT_IDENTITY), the project's working memory, the briefing, facts about the first request
    and today's log, in one block.

    `loaded` are files that the client shows already: they are left out. Working memory, briefing and facts together stay within
    `max_tokens`, and today's log takes what they leave; the owner's own files count beside it. The block has tags by which the
    reader of sessions recognises memory's words (`transforms/conversation/message_spans.py`) and never observes them again.
    """
    shown_files = {resolve(path) for path in loaded} | {resolve(locate_memory(run))}  # the briefing has the lines of MEMORY.md
    frames = _read_frames(run)
    facts_room = int(max_tokens * REQUEST_SHARE)
    facts_page = render_recalled_facts(run, project, request, facts_room)
    working_memory = list(read_project_memory(run, project))
    room = max_tokens - sum(map(count_tokens, (*working_memory, facts_page)))
    whole = make_briefing(run, frames, project)
    briefing = page = leave_out_shown(render_within_budget(whole, max_tokens), facts_page)
    if count_tokens(page) > room:
        short = render_within_budget(whole, max_tokens - facts_room)  # two lengths in all: the night stores both
        briefing = complete_page(page, leave_out_shown(short, facts_page), room - TAG_TOKENS)
    identity = list(read_identity(run.settings.identity, shown_files))
    memory = [*working_memory, cut_page(briefing, room, page), *([facts_page] if facts_page else [])]
    own = list_latest_windows(frames["windows"], frames["sessions"], run.today).get(project, [])
    return wrap_opening([*identity, *memory, *read_todays_log(run, own, shown_files, compute_room(max_tokens, memory))])


def locate_briefing(run: Run, project: str) -> Path | None:
    """Return the page with the briefing of a project, which a client reads when this process is slow; None if there is none."""
    name = name_briefings({table: run.lake.read(table) for table in ("windows", "sessions")}).get(project)
    return run.settings.workspace / name if name else None


def _read_frames(run: Run) -> dict[str, pl.DataFrame]:
    return {name: read_remembered(run.lake, name) for name in BRIEFING_TABLES}
