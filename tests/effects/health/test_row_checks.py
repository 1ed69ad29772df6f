"""How many facts memory holds is one number, wherever it is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from effects.embedding.embed_step import name_model
from effects.fleet.fleet_file import FleetOwner
from effects.fleet.owner_figures import read_owner_figures
from effects.health.row_checks import check_citations, check_embeddings
from effects.memory.forget import forget
from effects.memory.forget_targets import ForgetRequest
from effects.report.first_memory import describe_memory
from effects.report.report_file import render_report
from tests.effects.ingest.test_ingest_step_progress import long_session
from tests.effects.memory_world import World
from tests.effects.session_home import Home
from transforms.tables.ids import hash_text

TEXTS = tuple(f"Joel set a rule: number {number}" for number in range(8))


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Return a lake with five facts that hold, one replaced, one forgotten, and one held back."""
    world = World(tmp_path)
    session = {"session_id": "s", "ordinals": [0]}
    world.observe_all([world.observation(text, observation_id=f"o-{at}", **session) for at, text in enumerate(TEXTS[:6])])
    world.observe(TEXTS[6], observation_id="o-6", superseded_by="o-1", **session)
    world.observe(TEXTS[7], observation_id="o-7", verdict="hold", **session)
    home = Home(tmp_path)
    long_session(home, "s", 1)
    home.night()
    with world.run.lake.writing("test"):
        forget(world.run, ForgetRequest(record_id="o-5"))
    return world


def give_vectors(world: World, texts: Sequence[str]) -> None:
    """Store a vector of each of these texts."""
    model = f"{name_model(world.run.settings.embedding.model)}/1"
    rows = [{"text_hash": hash_text(text), "model": model, "vector": [0.0] * 384} for text in texts]
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.append("embeddings", pl.DataFrame(rows, schema_overrides={"vector": pl.List(pl.Float16)}), None)


def test_every_place_tells_the_facts_that_hold(world: World, tmp_path: Path) -> None:
    """`init` said 917 and `doctor` 932 of one lake: replaced facts were counted here, forgotten ones there."""
    give_vectors(world, TEXTS)
    run = world.run
    assert describe_memory(run, "none").holds[0].startswith("memory     5 facts from ")
    assert check_embeddings(run).detail == "5 of 5 facts that hold have a vector"
    assert check_citations(run).detail.startswith("5 facts hold (beside them 2 replaced, said again or forgotten, 1 held back); ")
    assert read_owner_figures(FleetOwner("ana", tmp_path), run.as_of)["observations"] == 5
    assert "<dt>facts kept</dt><dd>5</dd>" in render_report(run)


def test_replaced_facts_without_a_vector_are_told_beside_the_count(world: World) -> None:
    give_vectors(world, TEXTS[:6])
    check = check_embeddings(world.run)
    assert check.level == "note"
    assert check.detail.startswith(
        "5 of 5 facts that hold have a vector; 1 earlier one that they replaced is found by words only"
    )


def test_facts_that_hold_and_have_no_vector_are_the_others(world: World) -> None:
    give_vectors(world, TEXTS[:2])
    assert check_embeddings(world.run).detail.startswith(
        "2 of 5 facts that hold have a vector; the others are found by words only"
    )


def test_commands_that_ran_are_no_facts_without_a_vector(world: World) -> None:
    """Nothing waits for their vectors, so no night would have ended the note."""
    world.observe("Command run here with success: `pytest`.", observation_id="o-8", kind="command", session_id="s", ordinals=[0])
    give_vectors(world, TEXTS)
    check = check_embeddings(world.run)
    assert (check.level, check.detail) == (
        "ok",
        "5 of 5 facts that hold have a vector (and 1 command that ran, which words find)",
    )
