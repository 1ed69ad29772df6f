"""The files of a session opening: identity files, the project's working memory and today's log. It reads no table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from effects.pages.briefing_index import SHORT_TOKENS, BriefingIndex, read_briefing_index, read_current_page
from effects.pages.fact_sheet_file import EMPTY_SHEET, read_fact_sheet
from effects.store.run import Run
from effects.tasks.working_memory import read_working_memory
from transforms.opening.fact_sheet import format_request_page
from transforms.opening.page_rest import complete_page, cut_page, leave_out_shown, list_rest
from transforms.pages.marked_blocks import drop_blocks
from transforms.pages.opening_block import wrap_opening
from transforms.tables.tokens import count_tokens

IDENTITY_TOKENS = 1_500
"""Most tokens of one identity file: its owner wrote it to be read in full, and it seldom needs more."""
REQUEST_SHARE = 0.3
"""Share of the budget that facts about the first request may take: six facts of two lines each."""
LOG_TOKENS = 800
"""Most tokens of today's log: the briefing also has today's sessions of this project."""
LEAST_LOG_TOKENS = 60
"""Where less room than this is left, today's log is left out: two lines of it tell nobody anything."""
TAG_TOKENS = 20
"""Tokens of the tags around an opening and of the lines between its parts."""


def read_current_opening(run: Run, folder: Path, max_tokens: int, loaded: Sequence[Path], request: str = "") -> str | None:
    """Return the text of `render_session_opening` for a folder, from the pages of the last rendering.

    None when they are stale or edited, or have another length. It reads no table.
    """
    index = read_briefing_index(run.lake.root)
    project = index.find_project(str(folder))
    return _compose_opening(run, index, project, read_current_page(run, index, project), max_tokens, loaded, request)


def _compose_opening(
    run: Run, index: BriefingIndex, project: str, page: str | None, max_tokens: int, loaded: Sequence[Path], request: str = ""
) -> str | None:
    sheet = read_fact_sheet(run, project) if request.strip() else EMPTY_SHEET
    if page is None or sheet is None:
        return None
    facts_room = int(max_tokens * REQUEST_SHARE)
    facts_page = format_request_page(sheet, request, facts_room)
    if count_tokens(page) > max_tokens:
        page = _find_short_briefing(index, project, max_tokens)
    page = page and leave_out_shown(page, facts_page)
    working_memory = list(read_project_memory(run, project))
    room = max_tokens - sum(map(count_tokens, (*working_memory, facts_page)))
    whole = page or ""
    if page is not None and count_tokens(page) > room:
        short = _find_short_briefing(index, project, max_tokens - facts_room)
        page = short and complete_page(page, leave_out_shown(short, facts_page), room - TAG_TOKENS)
    if page is None:
        return None
    shown_files = {resolve(path) for path in loaded} | {resolve(run.settings.workspace / "MEMORY.md")}
    identity = list(read_identity(run.settings.identity, shown_files))
    memory = [*working_memory, cut_page(page, room, whole), *([facts_page] if facts_page else [])]
    own = index.windows.get(project, [])
    return wrap_opening([*identity, *memory, *read_todays_log(run, own, shown_files, compute_room(max_tokens, memory))])


def read_rest_of_briefing(run: Run, folder: Path, start_tokens: int, facts: str, max_tokens: int) -> str:
    """Return the lines of a folder's briefing that neither an opening within `start_tokens` nor the text `facts` has.

    Empty when it had room for all of them, or when the page is not current.
    """
    index = read_briefing_index(run.lake.root)
    project = index.find_project(str(folder))
    page = read_current_page(run, index, project) if project in index.short else None
    opening = _compose_opening(run, index, project, page, start_tokens, ()) if page else None
    rest = list_rest(page, opening + facts, max_tokens - TAG_TOKENS) if page and opening else ""
    return wrap_opening([rest]) if rest else ""


def _find_short_briefing(index: BriefingIndex, project: str, max_tokens: int) -> str | None:
    """Return the short briefing of a project when it was made for this budget."""
    return index.short.get(project) if max_tokens == SHORT_TOKENS else None


def locate_page(run: Run, folder: Path) -> Path | None:
    """Return the page with the briefing of a folder's project, as the last rendering named it; None if there is none."""
    index = read_briefing_index(run.lake.root)
    name = index.pages.get(index.find_project(str(folder)))
    return run.settings.workspace / name if name else None


def read_identity(paths: Sequence[Path], shown_files: set[Path]) -> Iterator[str]:
    """Yield the identity files that are not shown yet, and add them to those that are."""
    for path in paths:
        if resolve(path) in shown_files or not (text := _read_text(path)):
            continue
        shown_files.add(resolve(path))
        is_short = count_tokens(text) <= IDENTITY_TOKENS
        shortened = text if is_short else text[: IDENTITY_TOKENS * 4].rpartition("\n")[0] + f"\n(cut: the rest is in {path})"
        yield f"# {path.name}\n\n{shortened}"


def read_project_memory(run: Run, project: str) -> Iterator[str]:
    """Yield the working memory of a project, if it has one."""
    if text := read_working_memory(run, project).text.strip():
        yield f"# Working memory\n\n{text}"


def compute_room(max_tokens: int, parts: Sequence[str]) -> int:
    """Return the tokens that these parts leave of an opening's budget."""
    return max_tokens - TAG_TOKENS - sum(map(count_tokens, parts))


def read_todays_log(run: Run, windows: Collection[str], shown_files: set[Path], room: int) -> Iterator[str]:
    """Yield the end of today's log within `room` tokens, if there is one: its last entries count most.

    Of our blocks it has those of `windows`, the project's own: other projects are none of this session's business, and proposals
    come from anybody until they are decided. What others wrote into the log stays.
    """
    path = run.settings.workspace / "memory" / f"{run.today}.md"
    cut = f" (its end; the rest is in {path})"
    most_tokens = min(LOG_TOKENS, room - count_tokens(f"# Today's log{cut}\n\n"))
    if most_tokens < LEAST_LOG_TOKENS or resolve(path) in shown_files:
        return
    text = drop_blocks(_read_text(path), {f"window {window}" for window in windows}).strip()
    if not text.removeprefix(f"# {run.today}"):
        return
    lines = text.splitlines()
    while len(lines) > 1 and count_tokens("\n".join(lines)) > most_tokens:
        del lines[0]
    cut = cut if len(lines) < len(text.splitlines()) else ""
    yield f"# Today's log{cut}\n\n" + "\n".join(lines)


def _read_text(path: Path) -> str:
    """Return the text of a file, empty when there is none; `recollect doctor` reports a missing identity file."""
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def resolve(path: Path) -> Path:
    """Return the file itself: files are compared by identity, not by name."""
    return path.expanduser().resolve()
