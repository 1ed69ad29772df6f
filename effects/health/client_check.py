"""The check of the clients on this machine: sessions that are not read, and calls of `recollect hook` that failed,
which a client never shows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from effects.config.client_folders import list_client_folders
from effects.health.check import Check, word_moment
from effects.ingest.session_files import find_matching_glob
from effects.opening.hooks_log import list_failures
from effects.store.run import Run
from transforms.pages.run_page import count_things

PERIOD = timedelta(days=7)


def check_clients(run: Run) -> Iterator[Check]:
    """Yield a note about each known client that has sessions here in a folder that is not read, unless it is excluded."""
    for client in list_client_folders():
        count = sum(1 for _ in client.sessions.rglob("*.jsonl"))
        if count and not _is_read(client.sessions, run.settings.sessions, run.settings.exclude):
            detail = f"{client.name} has {count} session files in {client.sessions}, which RECOLLECT_SESSIONS does not name"
            yield Check("clients", "note", detail, "recollect init")


def _is_read(folder: Path, roots: tuple[Path, ...], exclude: tuple[str, ...]) -> bool:
    place = folder.resolve()
    return any(place.is_relative_to(root.resolve()) for root in roots) or find_matching_glob(str(folder), exclude) is not None


def check_hooks(run: Run) -> Iterator[Check]:
    """Yield a note about the calls of the last days that failed, with the problem of the last one."""
    if failures := list_failures(run.as_of - PERIOD):
        last = failures[-1]
        times = f"{count_things(len(failures), 'time')} in {PERIOD.days} days, the last at {word_moment(last.at, run.zone)}"
        yield Check("hooks", "note", f"`recollect hook` failed {times}: {last.problem}", last.hint or "recollect config")
