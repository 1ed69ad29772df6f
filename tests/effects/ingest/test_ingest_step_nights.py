"""Nightly ingestion of files that grow, fork and are copied ends in the lake that one ingestion makes."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from effects.ingest.ingest_step import ingest_files
from tests.effects.session_home import LINES, Home, answer, fork_family, header, user, write

NIGHTS_EXAMPLES = int(os.environ.get("NIGHTS_EXAMPLES", "12"))
"""Five commits per example."""


@settings(
    max_examples=NIGHTS_EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data(), version=st.sampled_from([3, 3, 9, 1]), has_time=st.booleans())
def test_nights_of_a_growing_file_end_like_one_reading_of_it(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, version: int, has_time: bool
) -> None:
    root = tmp_path_factory.mktemp("nights")
    first = header(version=version, **({} if has_time else {"timestamp": "?"}))
    whole = "\n".join([first, *LINES[1:]]).encode() + data.draw(st.sampled_from([b"\n", b""]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    nightly, once = Home(root, "nightly"), Home(root, "once")
    path = nightly.sessions / "a.jsonl"
    for night, cut in enumerate([*cuts, len(whole)]):
        path.write_bytes(whole[:cut])
        os.utime(path, ns=(night + 1, night + 1))
        nightly.night()
    once.night()
    for table in ("entries", "sessions", "sources", "quarantine"):
        assert_frame_equal(nightly.lake.read(table), once.lake.read(table))
    assert nightly.files() == once.files()


@pytest.mark.parametrize("size", [1, 7, 150, 1000])
def test_a_file_read_in_pieces_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    whole, piecewise = Home(tmp_path, "whole"), Home(tmp_path, "pieces")
    write(whole.sessions / "a.jsonl", *LINES)
    whole.night()
    monkeypatch.setattr("effects.ingest.session_files.PIECE_BYTES", size)
    piecewise.night()
    assert piecewise.files() == whole.files()


def _give_away() -> list[str]:
    """Lines that hold a password before and behind the one that says that it is one, with enough between them."""
    secret = f"kettle-{random.Random(29).randint(10_000, 99_999)}"
    between = [answer(f"b{at}", None, at, "x" * 300) for at in range(2, 6)]
    return [header(), user("a", None, 1, f"it is {secret}, I think"), *between, user("c", None, 7, f"DB_PASSWORD={secret}"),
            user("d", None, 8, f"so {secret} works")]  # fmt: skip


@pytest.mark.parametrize("size", [200, 700, 10_000])
def test_a_secret_that_a_later_piece_gives_away_goes_from_the_earlier_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    home, lines = Home(tmp_path), _give_away()
    write(home.sessions / "a.jsonl", *lines)
    monkeypatch.setattr("effects.ingest.session_files.PIECE_BYTES", size)
    home.night()
    texts = home.lake.read("entries")["text"].to_list()
    assert len(texts) == len(lines) - 1
    assert not any("kettle-" in text for text in texts)


@pytest.mark.parametrize("named", [1, 6, 7])
def test_nights_that_meet_a_secret_in_any_order_end_like_one_reading(tmp_path: Path, named: int) -> None:
    """Whether it is given away in the first night, in a later one, or between two that hold it bare."""
    nightly, once = Home(tmp_path, "nightly"), Home(tmp_path, "once")
    lines = _give_away()
    lines[1:] = [*lines[1:named], lines[6], *(line for line in lines[named:] if line != lines[6])]
    for night in range(2, len(lines) + 1):
        os.utime(write(nightly.sessions / "a.jsonl", *lines[:night]), ns=(night, night))
        nightly.night()
    once.night()
    assert nightly.files() == once.files()
    assert not any("kettle-" in text for text in once.lake.read("entries")["text"])


def test_batches_of_any_size_end_in_the_same_lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    item, many = Home(tmp_path, "one"), Home(tmp_path, "many")
    for make in fork_family(item).values():
        make()
    write(item.sessions / "z.jsonl", *LINES)
    item.night()
    monkeypatch.setattr("effects.ingest.batches.BATCH_FILES", 1)
    many.night()
    assert many.files() == item.files()


def test_a_backfill_in_parts_ends_in_the_same_lake(tmp_path: Path) -> None:
    whole, parts = Home(tmp_path, "whole"), Home(tmp_path, "parts")
    paths = [make() for make in fork_family(whole).values()]
    whole.night()
    with parts.lake.writing("test"):
        for path in reversed(paths):
            ingest_files(parts.run, [path, path.with_name("vanished.jsonl")])
    assert parts.files() == whole.files()


def _files(folder: Path) -> dict[str, bytes]:
    """Return a parent, its fork, the fork's fork, a shorter copy of the parent, and an old linear file."""
    shared = [user("a", None, 1, "shared q"), answer("b", "a", 2, "shared a"), user("b2", "b", 1400, "shared next day")]
    parent, child = str(folder / "2026_p.jsonl"), str(folder / "2026_c.jsonl")
    files = {
        "2026_p.jsonl": [header("p"), *shared, user("p1", "b", 5, "p1"), answer("p2", "p1", 1600, "p2")],
        "2026_c.jsonl": [header("c", parentSession=parent), *shared, user("c1", "b", 301, "c1"), user("c2", "a", 3000, "c2")],
        "2026_d.jsonl": [header("d", parentSession=child), *shared, user("c1", "b", 301, "c1"), user("d2", "c1", 4000, "d2")],
        "copy.jsonl": [header("p"), *shared],
        "x.jsonl": [header("x", version=None), *LINES[1:6]],
    }
    return {name: ("\n".join(lines) + "\n").encode() for name, lines in files.items()}


@pytest.mark.parametrize("seed", range(4))
def test_a_growing_family_of_files_ends_like_one_reading_of_it(tmp_path: Path, seed: int) -> None:
    """64 more seeds passed when this was written."""
    rng = random.Random(seed)
    nightly, once = Home(tmp_path, "nightly"), Home(tmp_path, "once")
    whole = _files(nightly.sessions)
    there, clock = dict.fromkeys(whole, 0), 0
    while there != {name: len(data) for name, data in whole.items()}:
        for name, data in whole.items():
            if rng.random() < 0.5:
                there[name] = min(len(data), there[name] + rng.choice([50, 200, 400, 5000]))
                (nightly.sessions / name).write_bytes(data[: there[name]])
                clock += 1
                os.utime(nightly.sessions / name, ns=(clock, clock))
        if any(nightly.sessions.iterdir()):
            nightly.night()
    once.night()
    assert nightly.files() == once.files()


def _forest(folder: Path, rng: random.Random) -> list[Path]:
    """Sessions with copied beginnings whose parents are here, not here, or the session itself, in any order of names."""
    chains: dict[str, list[str]] = {}
    names = rng.sample(range(100, 999), 12)
    paths = {f"s{name}": folder / f"2026_s{name}.jsonl" for name in names}
    for at, own in enumerate(paths):
        parent = rng.choice([None, own, "/gone/2026_x.jsonl", "/gone/2026_y.jsonl", *map(str, list(paths.values())[:at])])
        start = rng.choice(list(chains.values()) or [[]])
        copied = start[: rng.randrange(len(start) + 1)]
        fresh = [user(f"{own}-{n}", None, rng.randrange(5000), f"{own} {n}") for n in range(rng.randrange(4))]
        chains[own] = [*copied, *fresh]
        write(paths[own], header(own, parentSession=parent), *chains[own])
    return list(paths.values())


@pytest.mark.parametrize("seed", range(4))
def test_families_read_together_are_what_they_are_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """This holds for a family that is too large for one batch, and for one night with all files."""
    together, large = Home(tmp_path, "together"), Home(tmp_path, "large")
    paths = _forest(together.sessions, random.Random(seed))
    counts = together.night()
    for order in (paths, paths[::-1]):
        single = Home(tmp_path, f"from-{order[0].name}")
        with single.lake.writing("test"):
            for path in order:
                ingest_files(single.run, [path])
        assert single.files() == together.files()
    monkeypatch.setattr("effects.ingest.batches.PART_BYTES", 1)
    assert large.night() == counts
    assert large.files() == together.files()
