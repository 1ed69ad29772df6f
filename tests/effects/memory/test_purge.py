"""A purge takes the words out of facts that stay, and what was derived from these words."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from effects.health.purge_check import check_purged
from effects.memory.dedupe_step import dedupe
from effects.memory.forget_targets import ForgetRequest, ForgetScope, find_scope
from effects.memory.purge import purge, scrub_pages
from effects.system.errors import LakeError
from flows.owner_pipelines import remember_pipeline
from flows.runner import run_pipeline
from tests.effects.memory_world import World


def test_a_fact_that_loses_words_loses_their_hashes_and_is_compared_anew(tmp_path: Path) -> None:
    """Two facts were compared; a purge removes a name from one of them, and the next night compares that one again."""
    world = World(tmp_path)
    with_name = world.observe("The backup of falkenstein runs at night", "decision")
    other = world.observe("The exporter writes one file a day", "decision")
    run = world.run
    with run.lake.writing("test"):
        dedupe(run)
        before = {row["observation_id"]: row for row in run.lake.read("observations").to_dicts()}
        purge(run, ForgetScope("falkenstein", texts={"falkenstein"}))
        after = {row["observation_id"]: row for row in run.lake.read("observations").to_dicts()}
        assert "falkenstein" not in after[with_name]["text"]
        assert (after[with_name]["compared_keys"], after[with_name]["compared_with"]) == ([], None)
        assert after[other] == before[other]
        assert after[other]["compared_keys"]
        assert dedupe(run)["compared"] == 1
        assert not set(before[with_name]["compared_keys"]) <= set(run.lake.read("observations")["compared_keys"].explode())
        assert dedupe(run)["compared"] == 0


def test_no_proposal_keeps_hashes_of_words_that_were_removed(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.observe('Joel set a rule: "never force-push to falkenstein"')
    world.night()
    [before] = [row["evidence_sources"] for row in world.proposals().values()]
    run = world.run
    with run.lake.writing("test"):
        purge(run, ForgetScope("falkenstein", texts={"falkenstein"}))
    assert [row["evidence_sources"] for row in world.proposals().values()] == [None]
    world.days = 1
    world.night()
    [after] = [row["evidence_sources"] for row in world.proposals().values()]
    assert len(after) == len(before) == 1
    assert after != before


def test_a_reason_of_a_check_loses_the_words_that_are_removed(tmp_path: Path) -> None:
    """It tells what a second reading cut off a fact, and what nobody typed; `forget --match` finds the fact by them."""
    world = World(tmp_path)
    key = world.observe("The exporter writes one file a day", "decision")
    run = world.run
    with run.lake.writing("test"):
        rows = run.lake.read("observations").drop("schema_version")
        with run.lake.commit() as change:
            change.replace_days(
                "observations",
                rows.with_columns(verdict_reason=pl.lit("noted: it runs on falkenstein")),
                rows["day"].unique().to_list(),
            )
        assert key in find_scope(run, ForgetRequest(match="falkenstein")).targets
        purge(run, ForgetScope("falkenstein", texts={"falkenstein"}))
    [row] = [row for row in run.lake.read("observations").to_dicts() if row["observation_id"] == key]
    assert row["text"] == "The exporter writes one file a day"
    assert "falkenstein" not in row["verdict_reason"]


def test_no_run_keeps_the_words_of_a_line(tmp_path: Path) -> None:
    """A run records no line that was typed; a purge takes it out of the rows of before, too, and finds what it left."""
    world = World(tmp_path)
    run = world.run
    line = "Falkenstein is the customer whom nobody names"
    summary = run_pipeline(run, remember_pipeline(line, None, False, "owner"))
    assert summary["counts"]["remember"]["text"] == line
    assert "Falkenstein" not in "".join(run.lake.read("runs")["counts"])
    old = json.dumps({"remember": {"text": line, "falkenstein": 1, "seconds": 0.5}})
    with run.lake.writing("test"):
        with run.lake.commit() as change:
            change.replace("runs", run.lake.read("runs").drop("schema_version").with_columns(counts=pl.lit(old)))
        scope = ForgetScope("falkenstein", texts={"falkenstein"})
        with pytest.raises(LakeError, match="purged words"):
            check_purged(run, scope)
        purge(run, scope)
        scrub_pages(run, scope)
        assert check_purged(run, scope)["names"] == run.lake.read("runs").height  # a count's name is kept, and told
        [counts] = {*run.lake.read("runs")["counts"]}
        assert json.loads(counts) == {"remember": {"falkenstein": 1, "seconds": 0.5}}
