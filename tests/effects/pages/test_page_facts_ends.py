"""What has ended leaves the pages on the day after, whether or not the sessions since then have facts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from effects.pages.page_facts import drop_ended_facts
from tests.effects.memory_world import World
from transforms.tables.schema import OBSERVATIONS, SESSIONS, build_frame

SAID = datetime(2026, 7, 1, 9, tzinfo=UTC)
TEXTS = {
    "o-day": ("request", 'User asked: "until Friday all orders go to the old printer"'),
    "o-once": ("request", 'User asked: "just this once commit straight to main"'),
    "o-rule": ("rule", 'User set a rule: "this time it cost a day: never deploy on Fridays"'),
    "o-plain": ("request", 'User asked: "use the sandbox key"'),
}


@pytest.mark.parametrize(("days", "kept"), [(0, 4), (1, 3), (2, 3), (3, 2)])
def test_the_last_session_tells_the_day_not_the_last_fact(tmp_path: Path, days: int, kept: int) -> None:
    """Words of one occasion go with their day, until Friday with Friday; a rule that tells of an occasion stays."""
    world = World(tmp_path)
    world.days = 300
    ended = {"session_id": "one", "ended_at": SAID + timedelta(days=days)}
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("sessions", build_frame(SESSIONS, [ended]))
    rows = [{"observation_id": key, "kind": kind, "text": text, "said_at": SAID} for key, (kind, text) in TEXTS.items()]
    assert drop_ended_facts(world.run, build_frame(OBSERVATIONS, rows)).height == kept
