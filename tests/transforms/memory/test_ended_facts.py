"""Facts that said until when they hold leave the briefing once memory has seen a later day."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from transforms.memory.ended_facts import drop_ended_facts


@pytest.mark.parametrize(("latest", "kept"), [(6, ["freeze", "port"]), (7, ["port"]), (None, ["freeze", "port"])])
def test_a_fact_holds_on_its_last_day(latest: int | None, kept: list[str]) -> None:
    said_at = datetime(2026, 3, 4, 9, tzinfo=UTC)
    texts = ["no deploys until friday", "the API listens on 9500"]
    facts = pl.DataFrame({"observation_id": ["freeze", "port"], "text": texts, "said_at": [said_at, said_at]})
    moment = datetime(2026, 3, latest, 20, tzinfo=UTC) if latest else None
    assert drop_ended_facts(facts, moment, ZoneInfo("UTC"))["observation_id"].to_list() == kept
