"""Checks of what memory works with: clients and their hooks, models through their programs, Todoist. None sends a word."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

from effects.config.client_folders import list_client_folders
from effects.config.engine_chain import AUTO, OFF, parse_engine_chain
from effects.engines.programs.client_login import describe_payers, require_login
from effects.engines.programs.client_replies import CLAUDE, CODEX
from effects.engines.registry import choose_for_run, list_observer_models, list_reflector_models
from effects.health.check import OVERDUE, Check, word_moment
from effects.ingest.session_files import find_matching_glob
from effects.opening.hooks_log import list_failures
from effects.store.run import Run
from effects.system.errors import ConfigError
from effects.todoist.account import read_state, read_token
from transforms.pages.run_page import count_things
from transforms.pricing.engine_choice import MISSED_OFFLINE, format_choice
from transforms.tables.enums import OFFLINE

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


def check_todoist(run: Run) -> Iterator[Check]:
    """Yield the finding about Todoist; nothing while it is off."""
    if not run.settings.todoist.enabled:
        return
    try:
        read_token(run)
    except ConfigError as error:
        yield Check("todoist", "wrong", error.message, error.hint)
        return
    state = read_state(run)
    if state.read_at is None:
        yield Check("todoist", "note", "it is on, but no run has reached it yet", "recollect review apply")
    elif run.as_of - state.read_at > OVERDUE:
        yield Check(
            "todoist", "wrong", f"it was last reached at {word_moment(state.read_at, run.zone)}", "recollect review apply"
        )
    else:
        yield Check(
            "todoist", "ok", f"{len(state.tasks)} tasks wait there, last reached at {word_moment(state.read_at, run.zone)}"
        )


def check_engines(run: Run) -> Iterator[Check]:
    """Yield what `auto` and `offline` stand for, who pays for requests through a client, and which clients cannot be asked."""
    engine, reading = run.settings.engine, run.settings.distil.second_reading.strip()
    if AUTO in (engine.observer.strip(), engine.reflector.strip()):
        yield Check("engine", "ok", f"auto is {format_choice(choose_for_run(engine.base_url, run.as_of))}")
    if engine.observer.strip() == OFFLINE:
        yield Check(
            "engine", "ok", f"offline, nothing is sent; {MISSED_OFFLINE}; `recollect init` shows the models of this machine"
        )
    readers = () if reading in (AUTO, OFF) else parse_engine_chain(reading)
    models = dict.fromkeys((*list_observer_models(run), *list_reflector_models(run), *readers))
    for client in (CLAUDE, CODEX):
        named = [name for backend, name in models if backend == client.program]
        if not named:
            continue
        try:
            require_login(client, named[0])
        except ConfigError as error:
            yield Check("engine", "wrong", error.message, error.hint)
        else:
            yield Check("engine", "ok", f"{client.name} is logged in; {describe_payers([(client.program, named[0])])}")
