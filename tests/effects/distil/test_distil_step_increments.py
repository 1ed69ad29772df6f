"""A growing file, read in any number of runs, yields the lake of one reading: entries, windows, segments and observations."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from effects.config.settings import DistilSettings, Settings
from effects.distil.distil_step import distil
from effects.distil.window_step import window
from effects.ingest.ingest_step import ingest
from effects.store.lake import Lake
from effects.store.run import Run
from tests.effects.distil.test_distil_step import AS_OF, write_session

SEEDS = int(os.environ.get("INCREMENT_SEEDS", "4"))
TABLES = ("sources", "sessions", "entries", "quarantine", "coverage", "windows", "segments", "observations")


def lake_run(root: Path, name: str) -> Run:
    settings = Settings(
        sessions=(root / "sessions",), lake=root / name, workspace=root / "workspace", timezone="UTC",
        distil=DistilSettings(budget=0.9),
    )  # fmt: skip
    return Run(settings, Lake(settings.lake), AS_OF)


def full_run(run: Run) -> None:
    with run.lake.writing("test"):
        ingest(run)
        window(run)
        distil(run)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_cutting_into_appends_with_a_full_run_after_each_ends_as_one_reading(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    write_session(tmp_path / "whole", "growing", 2)
    write_session(tmp_path / "sessions", "other", 2)
    lines = (tmp_path / "whole" / "growing.jsonl").read_bytes().splitlines(keepends=True)
    # A night later it goes on, with letters of several bytes, damage in the middle and two objects on one line.
    later = [line.replace(b"2026-03-02", b"2026-03-04").replace(b"growing-", b"later-") for line in lines[1:]]
    later[0] = later[0].replace(b"importer", "Überträger 漢字 😀".encode())
    data = b"".join([*lines[:9], lines[9].rstrip(b"\n"), *lines[10:], b"junk in between\n", *later])
    path = tmp_path / "sessions" / "growing.jsonl"
    nightly = lake_run(tmp_path, "nightly")
    cuts = sorted(chance.sample(range(1, len(data)), chance.randrange(1, 6)))
    for night, cut in enumerate([*cuts, len(data)]):
        path.write_bytes(data[:cut])
        os.utime(path, ns=(night + 1, night + 1))
        full_run(nightly)
    once = lake_run(tmp_path, "once")
    full_run(once)
    for table in TABLES:
        assert_frame_equal(nightly.lake.read(table), once.lake.read(table))
    assert once.lake.read("observations").height > 5
