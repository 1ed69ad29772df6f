"""The Prefect flows: each tells its story with every step as a task, and leaves its counts as an artifact.

The flows are async because a synchronous one costs a second more (its engine joins a heartbeat thread that sleeps in
steps of 1 s); the steps themselves run one after the other in the main thread, where Ctrl-C reaches them. Tasks get no
arguments and return counts only, with `NO_CACHE`: the default policy would pickle and hash what they are given, and
what is due is decided by the lake, not by a cache. No step is retried here: transport is retried around each model
call, and everything else is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from effects.config.prefect_settings import be_private

be_private()  # before the import: Prefect reads its settings then

from prefect import flow, task  # noqa: E402
from prefect.artifacts import acreate_markdown_artifact  # noqa: E402
from prefect.cache_policies import NO_CACHE  # noqa: E402

from effects.config.configuration import load_settings  # noqa: E402
from effects.store.run import Counts, Run, open_run  # noqa: E402
from flows.backfill import backfill_parameters, backfill_story  # noqa: E402
from flows.nightly import story  # noqa: E402
from flows.runner import WATCH, Story, Summary, perform  # noqa: E402
from flows.session import session_parameters, session_story  # noqa: E402
from transforms.pages.run_page import run_page  # noqa: E402


@flow(name="nightly", persist_result=False)
async def nightly(as_of: datetime | None = None) -> dict[str, Any]:
    """Everything that is due; `as_of` injects the clock."""
    run = _run(as_of)
    return await _told(run, "nightly", {"as_of": run.as_of.isoformat() if as_of else None}, story)


@flow(name="backfill", persist_result=False)
async def backfill(since: date, until: date | None = None, as_of: datetime | None = None) -> dict[str, Any]:
    """Sessions that began from `since` to `until`, both included; what is done already is not done again."""
    run = _run(as_of)
    return await _told(run, "backfill", backfill_parameters(since, until), backfill_story(run, since, until))


@flow(name="session", persist_result=False)
async def session(path: str, is_closed: bool = False) -> dict[str, Any]:
    """One session file, as soon as it grew or pi shut down; never reflects."""
    run = _run(None)
    return await _told(run, "session", session_parameters(path, is_closed), session_story(path, is_closed))


def _run(as_of: datetime | None) -> Run:
    return open_run(load_settings(), as_of, WATCH.get())


async def _told(run: Run, name: str, parameters: dict[str, Any], told: Story) -> dict[str, Any]:
    summary = perform(run, name, parameters, told, _as_task)
    await _artifact(summary)
    return summary.as_dict()


def _as_task(name: str, call: Callable[[], Counts]) -> Counts:
    @task(name=name, cache_policy=NO_CACHE, persist_result=False)
    def step() -> Counts:
        return call()

    return step()


async def _artifact(summary: Summary) -> None:
    await acreate_markdown_artifact(
        run_page(summary.flow, summary.as_of, summary.seconds, summary.counts), key=f"{summary.flow}-counts"
    )
