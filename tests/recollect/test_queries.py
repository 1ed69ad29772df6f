"""The example queries of docs/queries.md answer over a lake of the samples, through the connection of `recollect sql`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from effects.config.settings import DistilSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.health.sample_sessions import copy_sample_sessions
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from effects.store.sql_console import connect, run_query

PAGE = Path(__file__).parents[2] / "docs" / "queries.md"
QUERIES = dict(re.findall(r"^## (.+?)\n.*?```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S | re.M))


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A lake of all samples, read, cut and distilled."""
    root = tmp_path_factory.mktemp("queries")
    copy_sample_sessions(Path(__file__).parents[2] / "data" / "samples" / "sessions", root / "sessions")
    settings = Settings(
        sessions=(root / "sessions",), lake=root / "lake", workspace=root / "workspace", timezone="Europe/Berlin",
        distil=DistilSettings(),
    )  # fmt: skip
    run = Run(settings, Lake(settings.lake), datetime(2026, 6, 1, tzinfo=UTC))
    with run.lake.writing("test"):
        ingest(run)
        window(run)
        distil(run)
    with connect(run.lake, settings.timezone) as found:
        yield found


def test_there_are_at_least_ten_questions() -> None:
    assert len(QUERIES) >= 10
    assert len(QUERIES) == PAGE.read_text(encoding="utf-8").count("\n## ")


@pytest.mark.parametrize("question", QUERIES)
def test_a_question_has_an_answer_in_the_samples(connection: Any, question: str) -> None:
    names, found = run_query(connection, QUERIES[question])
    answers = list(found)
    assert answers, question
    assert len(names) >= 2
    empty = [name for at, name in enumerate(names) if all(row[at] is None for row in answers)]
    assert empty == [], "a column without any value answers nothing"


def test_costs_of_all_weeks_are_the_costs_of_all_sessions(connection: Any) -> None:
    names, found = run_query(connection, QUERIES["What does each project cost per week?"])
    spent = sum(row[names.index("usd")] for row in found)
    _, total = run_query(connection, "SELECT sum(cost_usd) FROM sessions")
    assert spent == pytest.approx(next(iter(total))[0], abs=0.05)
