"""Facts that appear behind later ones are compared with these, and facts that come back keep what was told about them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from effects.config.settings import EngineSettings, Settings
from effects.memory.dedupe_step import dedupe
from effects.memory.relate_step import relate
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.engines.model_server import ModelServer, Said, serving
from tests.effects.engines.reflecting_world import MODEL, MONDAY, observation
from transforms.pairing import new_facts
from transforms.tables.schema import OBSERVATIONS, RELATIONS, TOMBSTONES, build_frame, read_rows

ZARR, PARQUET, TEA = "the arrays of the buoy are kept in zarr", "parquet holds the arrays of the buoy", "the buoy station has tea"


def fact(number: int, text: str, **changes: Any) -> dict[str, Any]:
    return observation(number, text, "decision", "high", MONDAY) | changes


def put(run: Run, *rows: dict[str, Any], without: str = "") -> None:
    """Write facts beside those that are there, without one of these."""
    with run.lake.writing("test"), run.lake.commit() as change:
        stored = [row for row in read_rows(OBSERVATIONS, run.lake.read("observations")) if row["observation_id"] != without]
        change.replace_days("observations", build_frame(OBSERVATIONS, [*stored, *rows]), [MONDAY])


def run_on_day(folder: Path, server: ModelServer, day: int) -> Run:
    settings = Settings(
        lake=folder / "lake", workspace=folder / "work", timezone="UTC", owner="ana",
        engine=EngineSettings(reflector=MODEL, base_url=server.url, budget_day_usd=10, budget_run_usd=10),
    )  # fmt: skip
    return Run(settings, Lake(settings.lake), datetime(2026, 3, day, 12, tzinfo=UTC))


def relate_night(run: Run) -> dict[str, Any]:
    """Relate and dedupe; return id → successor."""
    with run.lake.writing("test"):
        relate(run)
        dedupe(run)
    return dict(run.lake.read("observations").select("observation_id", "superseded_by").iter_rows())


def parquet_replaces(prompt: str, _number: int) -> Said:
    """Tell that parquet takes the place of whatever names zarr below it."""
    pairs, new = [], ""
    for line in prompt.splitlines():
        if results := re.match(r"(\d+)\. NEW (.*)", line):
            new = results[1] if "parquet" in results[2] else ""
        elif new and (below := re.match(r" +([a-p])\. .*zarr", line)):
            pairs.append({"pair": f"{new}{below[1]}", "relation": "replaces"})
    return Said(json.dumps({"pairs": pairs}))


def test_a_fact_that_appears_behind_the_one_that_replaces_it_is_shown_below_it(tmp_path: Path) -> None:
    """A session that arrives late; the night after that asks nothing."""
    with serving(parquet_replaces) as server:
        put(run_on_day(tmp_path, server, 3), fact(5, PARQUET), fact(6, TEA))
        assert set(relate_night(run_on_day(tmp_path, server, 3)).values()) == {None}
        put(run_on_day(tmp_path, server, 4), fact(1, ZARR))
        assert relate_night(run_on_day(tmp_path, server, 4)) == {"o-0001": "o-0005", "o-0005": None, "o-0006": None}
        asked = len(server.requests)
        assert relate_night(run_on_day(tmp_path, server, 5))["o-0001"] == "o-0005"
        assert len(server.requests) == asked


def test_an_older_fact_of_a_model_is_late_and_one_of_the_rules_is_the_past(tmp_path: Path) -> None:
    """A newly set model does not pay for the whole past, but what a model distils again may be older than a month."""
    for engine, successor in (("offline", None), (MODEL, "o-0005")):
        with serving(parquet_replaces) as server:
            folder = tmp_path / engine.partition(":")[0]
            today = run_on_day(folder, server, 30)
            put(today, fact(5, PARQUET, said_at=today.as_of - timedelta(days=2)))
            relate_night(today)
            put(today, fact(1, ZARR, said_at=today.as_of - timedelta(days=40), engine=engine))
            assert relate_night(run_on_day(folder, server, 31))["o-0001"] == successor


@pytest.mark.parametrize("text", [ZARR, "Zarr stores the arrays"], ids=["the same words", "the same citations"])
def test_a_replaced_fact_that_comes_back_under_another_id_stays_replaced_without_a_question(tmp_path: Path, text: str) -> None:
    """Its window was distilled again; only other words are asked about, beside what may have been before them."""
    with serving(parquet_replaces) as server:
        run = run_on_day(tmp_path, server, 3)
        put(run, fact(1, ZARR), fact(5, PARQUET))
        assert relate_night(run)["o-0001"] == "o-0005"
        asked = len(server.requests)
        server.script = lambda _prompt, _number: Said('{"pairs": []}')
        put(run, fact(1, text, observation_id="o-0100"), without="o-0001")
        again = run_on_day(tmp_path, server, 4)
        assert relate_night(again) == {"o-0100": "o-0005", "o-0005": None}
        assert len(server.requests) == asked
        carried = again.lake.read("relations").filter(older_id="o-0100", relation="replaces")
        assert carried["newer_id"].to_list() == ["o-0005"]
        for day in (5, 6):
            assert relate_night(run_on_day(tmp_path, server, day))["o-0100"] == "o-0005"


def test_a_replacing_fact_in_other_words_keeps_its_verdict_and_is_asked_about_again(tmp_path: Path) -> None:
    with serving(parquet_replaces) as server:
        run = run_on_day(tmp_path, server, 3)
        put(run, fact(1, ZARR), fact(3, TEA), fact(5, PARQUET))
        relate_night(run)
        server.script = lambda _prompt, _number: Said('{"pairs": []}')
        put(run, fact(5, "the buoy writes its arrays to parquet files", observation_id="o-0100"), without="o-0005")
        asked = len(server.requests)
        assert relate_night(run_on_day(tmp_path, server, 4))["o-0001"] == "o-0100"
        assert len(server.requests) == asked + 1
        relate_night(run_on_day(tmp_path, server, 5))
        assert len(server.requests) == asked + 1


def test_other_words_share_no_citations_with_two_facts(tmp_path: Path) -> None:
    """Which of them a verdict was about, nobody knows."""
    with serving(parquet_replaces) as server:
        run = run_on_day(tmp_path, server, 3)
        put(run, fact(1, ZARR), fact(5, PARQUET))
        relate_night(run)
        server.script = lambda _prompt, _number: Said('{"pairs": []}')
        halves = (fact(1, "the arrays are chunked by day", observation_id="o-0100"), fact(1, TEA, observation_id="o-0101"))
        put(run, *halves, without="o-0001")
        assert set(relate_night(run_on_day(tmp_path, server, 4)).values()) == {None}


def test_a_forgotten_fact_that_is_back_is_compared_with_what_was_said_meanwhile(tmp_path: Path) -> None:
    with serving(parquet_replaces) as server:
        run = run_on_day(tmp_path, server, 3)
        put(run, fact(1, ZARR))
        for is_undone, day in ((False, 4), (True, 5)):
            relate_night(run_on_day(tmp_path, server, day - 1))
            stone = {"target": "o-0001", "reason": "", "text": None, "is_purged": False, "actor": "owner", "at": run.as_of}
            with run.lake.writing("test"), run.lake.commit() as change:
                change.replace("tombstones", build_frame(TOMBSTONES, [stone | {"is_undone": is_undone}]))
            put(run, *([] if is_undone else [fact(5, PARQUET)]))
        relate_night(run_on_day(tmp_path, server, 5))
        assert relate_night(run_on_day(tmp_path, server, 6))["o-0001"] == "o-0005"
        asked = len(server.requests)
        relate_night(run_on_day(tmp_path, server, 7))
        assert len(server.requests) == asked


def test_a_fact_that_only_waited_for_room_is_not_compared_with_later_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was there when they were asked about."""
    monkeypatch.setattr(new_facts, "MAX_PAIRS", 1)
    monkeypatch.setattr(new_facts, "MAX_BACKLOG_PAIRS", 1)
    with serving(lambda _prompt, _number: Said('{"pairs": []}')) as server:
        run = run_on_day(tmp_path, server, 3)
        put(run, *(fact(at, f"the buoy keeps array {name} in zarr") for at, name in enumerate("abcdefghijkl")))
        for day in range(3, 20):
            relate_night(run_on_day(tmp_path, server, day))
        rows = read_rows(RELATIONS, run.lake.read("relations"))
        assert all(sum(row["newer_id"] == newer for row in rows) <= 3 for newer in {row["newer_id"] for row in rows})
