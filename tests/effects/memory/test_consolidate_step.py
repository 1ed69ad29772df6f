"""The dedupe and consolidate steps over a lake: nights and backfill agree, and a second run changes no byte."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.config.settings import Settings
from effects.memory import consolidate_step
from effects.memory.consolidate_step import consolidate
from effects.memory.dedupe_step import dedupe
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.tables.ids import hash_text
from transforms.tables.schema import RELATIONS, build_frame

FIRST = date(2026, 3, 2)
TEXTS = [
    ("rule", "Never push without asking."),
    ("decision", "Use SQLite for storage"),
    ("state_change", "Cache TTL is 300 s"),
    ("rule", "never push without asking"),
    ("decision", "We moved to Postgres"),
    ("state_change", "Cache TTL is now 60 s"),
    ("rule", "Always push without asking"),
    ("state_change", "Cache TTL is now 30 s"),
]


def observation(number: int, text: str, kind: str, day: date) -> dict[str, Any]:
    """Return an allowed observation of its own session."""
    return {
        "observation_id": f"o-{number:04}", "segment_id": "s-1", "window_id": "w-1", "session_id": f"s{number}",
        "project": "/code/app",
        "day": day, "said_at": datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + timedelta(seconds=number), "kind": kind,
        "priority": "high", "category": "projects", "text": text,
        "ordinals": [number], "entry_ids": [f"e{number}"], "lines": [number],
        "files": [], "verdict": "allow", "tokens": 8, "merged_count": 1, "also": [],
    }  # fmt: skip


def history(days: int = 8) -> list[dict[str, Any]]:
    """Return a text of TEXTS per day, five remarks that make it long enough to condense, and a commit for the month to drop."""
    rows = []
    for n in range(days):
        kind, text = TEXTS[n % len(TEXTS)]
        day = FIRST + timedelta(days=n)
        rows.append(observation(n, text, kind, day))
        rows += [
            observation(1000 + 10 * n + k, f"Read module {n}-{k} from top to bottom before the change", "status", day)
            for k in range(5)
        ]
        rows.append(observation(2000 + n, f'Committed "Module {n} read through".', "completion", day))
    priorities = {"status": {"priority": "low"}, "completion": {"priority": "medium"}}
    return [row | priorities.get(row["kind"], {}) for row in rows]


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Return an empty lake."""
    return Lake(tmp_path / "lake")


def run_at(lake: Lake, day: date) -> Run:
    """Return a run early on that day."""
    given = Settings(lake=lake.root, workspace=lake.root.parent / "workspace", timezone="UTC", owner="Joel")
    return Run(given, lake, datetime(day.year, day.month, day.day, 3, 30, tzinfo=UTC))


def put(lake: Lake, rows: list[dict[str, Any]]) -> None:
    """Add observations as the distil step does: rows of a day are written whole, decisions on other rows stay."""
    stored = lake.read("observations").drop("schema_version").to_dicts()
    known = {row["observation_id"] for row in stored}
    new = [row for row in rows if row["observation_id"] not in known]
    for day in sorted({row["day"] for row in new}):
        with lake.commit() as change:
            of_day = [row for row in [*stored, *new] if row["day"] == day]
            change.replace("observations", pl.DataFrame(of_day, infer_schema_length=None), day)


def night(lake: Lake, day: date, rows: list[dict[str, Any]]) -> None:
    """Run one night: new observations, then both steps."""
    with lake.writing("test"):
        put(lake, rows)
        dedupe(run_at(lake, day))
        consolidate(run_at(lake, day))


def remove(lake: Lake, names: set[str]) -> None:
    """Remove observations, as when their session was forgotten."""
    stored = lake.read("observations").drop("schema_version")
    is_gone = pl.col("observation_id").is_in(sorted(names))
    for day in stored.filter(is_gone)["day"].unique().sort():
        with lake.commit() as change:
            change.replace("observations", stored.filter(~is_gone, pl.col("day") == day), day)


def contents(lake: Lake) -> dict[str, bytes]:
    """Return every data file with its bytes."""
    return {str(path.relative_to(lake.root)): path.read_bytes() for path in lake.root.rglob("*.parquet")}


def test_night_by_night_and_backfill_give_the_same_bytes(tmp_path: Path) -> None:
    """The last night decides what the whole set says, whenever the rest arrived."""
    rows, end = history(18), date(2026, 8, 1)
    nightly, backfill = Lake(tmp_path / "nightly"), Lake(tmp_path / "backfill")
    for n in range(18):
        night(nightly, FIRST + timedelta(days=n + 1), [row for row in rows if row["day"] == FIRST + timedelta(days=n)])
    night(nightly, end, [])
    night(backfill, end, rows)
    assert contents(nightly) == contents(backfill)


def test_a_second_run_changes_no_byte(lake: Lake) -> None:
    """Nothing is rewritten, and the counts say so."""
    night(lake, date(2026, 8, 1), history())
    before = contents(lake)
    with lake.writing("test"):
        assert dedupe(run_at(lake, date(2026, 8, 1)))["days_rewritten"] == 0
        assert consolidate(run_at(lake, date(2026, 8, 1)))["made"] == {}
    assert contents(lake) == before


def test_rows_are_kept_and_point_at_their_successors(lake: Lake) -> None:
    """Nothing is deleted: 300 s → 60 s → 30 s ends at 30 s, the opposite rule retires both sayings of the old one."""
    night(lake, date(2026, 3, 11), history())
    by_id = {row["observation_id"]: row for row in lake.read("observations").to_dicts()}
    assert len(by_id) == 56
    assert [by_id[f"o-000{n}"]["superseded_by"] for n in (1, 2, 5, 0, 3)] == ["o-0004", "o-0007", "o-0007", "o-0006", "o-0006"]
    assert by_id["o-0003"]["also"] == ["s0:e0"]
    assert by_id["o-0006"]["superseded_by"] is None


def test_held_facts_are_neither_compared_nor_condensed(lake: Lake) -> None:
    """Only `allow` goes further."""
    held = observation(1, "Never push without asking", "rule", FIRST) | {"verdict": "hold"}
    night(lake, date(2026, 8, 1), [held, *[row for row in history() if row["observation_id"] != "o-0001"]])
    row = next(row for row in lake.read("observations").to_dicts() if row["observation_id"] == "o-0001")
    assert row["superseded_by"] is None
    assert all("s1:e1" not in refs for refs in lake.read("distillates")["entry_refs"].to_list())


def test_a_late_session_rebuilds_its_day_and_the_tiers_above(lake: Lake) -> None:
    """The new fact is in the day and the week; other days keep their ids."""
    night(lake, date(2026, 8, 1), history())
    before = {(row["tier"], row["period_start"]): row["distillate_id"] for row in lake.read("distillates").to_dicts()}
    night(lake, date(2026, 8, 2), [observation(500, "Invoices are archived in the vault after ten years", "rule", FIRST)])
    rows = {(row["tier"], row["period_start"]): row for row in lake.read("distillates").to_dicts()}
    changed = {key for key, row in rows.items() if before[key] != row["distillate_id"]}
    assert changed == {(1, FIRST), (2, FIRST), (3, date(2026, 3, 1))}
    assert all("Invoices are archived" in rows[key]["text"] for key in changed)
    assert all("s500:e500" in rows[key]["entry_refs"] for key in changed)


def test_a_tier_that_is_covered_by_the_next_is_superseded_and_kept(lake: Lake) -> None:
    """Days name their week, weeks their month, and the month, which nothing covers yet, nothing."""
    night(lake, date(2026, 8, 1), history())
    rows = {row["distillate_id"]: row for row in lake.read("distillates").to_dicts()}
    assert {row["tier"] for row in rows.values()} == {1, 2, 3}
    for row in rows.values():
        if row["tier"] < 3:
            assert row["distillate_id"] in rows[row["superseded_by"]]["child_ids"]
        else:
            assert row["superseded_by"] is None


def test_the_cap_limits_the_work_and_not_the_findings(lake: Lake) -> None:
    """Regression: a cap over the corpus instead of over the eligible never reached late pages."""
    rows, day = history(20), date(2026, 8, 1)
    with lake.writing("test"):
        put(lake, rows)
        run = run_at(lake, day)
        first = consolidate(run, cap=3)
        assert first["made"] == {"days": 3}
        assert first["waiting"] == first["due"] - 3
        for _ in range(12):
            last = consolidate(run, cap=3)
        assert last["waiting"] == 0
        assert last["made"] == {}
    late = FIRST + timedelta(days=19)
    assert late in lake.read("distillates").filter(pl.col("tier") == 1)["period_start"].to_list()


def test_vectors_let_a_longer_wording_merge_and_their_absence_is_counted(lake: Lake) -> None:
    """The longer text says half as much again; only a close vector makes that the same fact."""
    rows = [
        observation(1, "Use SQLite for storage", "decision", FIRST),
        observation(2, "Data: SQLite is used for storage", "decision", FIRST),
    ]
    command = observation(3, "Command run here with success: `pytest`.", "command", FIRST)  # never gets a vector
    with lake.writing("test"):
        put(lake, [*rows, command])
        assert dedupe(run_at(lake, FIRST))["without_vector"] == 2
        vectors = [{"text_hash": hash_text(row["text"]), "model": "tiny/2/mean", "vector": [0.6, 0.8]} for row in rows]
        with lake.commit() as change:
            change.append("embeddings", pl.DataFrame(vectors))
        counts = dedupe(run_at(lake, FIRST))
    assert (counts["kept"], counts["merged"], counts["without_vector"]) == (2, 1, 0)


def test_only_rows_that_something_new_can_reach_are_compared_and_the_end_is_the_same(tmp_path: Path) -> None:
    """A rule reaches over projects, a decision does not; nights that compare a part end where one comparison of all ends."""
    rows = []
    for n, project in enumerate(("/a", "/b", "/c")):
        rows += [
            observation(10 * n, "Use SQLite for storage", "decision", FIRST) | {"project": project},
            observation(10 * n + 1, "Cache TTL is 300 s", "state_change", FIRST) | {"project": project},
        ]
    rows[2]["verdict"] = "hold"
    later = [
        observation(51, "Never push without asking", "rule", FIRST + timedelta(days=1)) | {"project": "/b"},
        observation(52, "We moved to Postgres", "decision", FIRST + timedelta(days=2)) | {"project": "/a"},
        observation(53, "never push without asking!", "rule", FIRST + timedelta(days=3)) | {"project": "/c"},
        observation(54, "From now on you may push without asking", "rule", FIRST + timedelta(days=4)) | {"project": "/a"},
    ]
    nightly, backfill = Lake(tmp_path / "nightly"), Lake(tmp_path / "backfill")
    compared = []
    with nightly.writing("test"):
        put(nightly, rows)
        dedupe(run_at(nightly, FIRST))
        for row in later:
            put(nightly, [row])
            compared.append(dedupe(run_at(nightly, FIRST))["compared"])
    with backfill.writing("test"):
        put(backfill, [*rows, *later])
        dedupe(run_at(backfill, FIRST))
    assert compared == [1, 2, 2, 3]  # of 6, 7, 8 and 9 rows
    assert contents(nightly) == contents(backfill)


def test_removed_rows_no_longer_merge_or_retire(lake: Lake) -> None:
    """The owner forgets the newer rule: the older one holds again."""
    rows = [
        observation(1, "Never push without asking", "rule", FIRST),
        observation(2, "never push without asking!", "rule", FIRST),
    ]
    rows += [observation(3, "Cache TTL is 300 s", "rule", FIRST), observation(4, "Cache TTL is now 60 s", "rule", FIRST)]
    with lake.writing("test"):
        put(lake, rows)
        dedupe(run_at(lake, FIRST))
        left = lake.read("observations").drop("schema_version").filter(~pl.col("observation_id").is_in(["o-0001", "o-0004"]))
        with lake.commit() as change:
            change.replace("observations", left, FIRST)
        dedupe(run_at(lake, FIRST))
    assert lake.read("observations")["superseded_by"].to_list() == [None, None]
    assert lake.read("observations")["merged_count"].to_list() == [1, 1]


def test_both_steps_work_on_an_empty_lake(lake: Lake) -> None:
    """Before the first session there is nothing to do."""
    with lake.writing("test"):
        assert dedupe(run_at(lake, FIRST))["read"] == 0
        assert consolidate(run_at(lake, FIRST))["due"] == 0


def test_nights_that_leave_settled_periods_alone_end_like_nights_that_plan_them_all(tmp_path: Path) -> None:
    """Days come late, change, vanish and are retired over a winter; the other lake forgets before each night what was settled."""
    choice, rows, day, forgotten = random.Random(1), history(40), date(2025, 11, 28), 0
    for row in rows:
        row["day"] = day + (row["day"] - FIRST)
        row["project"] = f"/code/{choice.choice(('app', 'shop'))}"
    lakes, put_off = (Lake(tmp_path / "quick"), Lake(tmp_path / "thorough")), choice.sample(rows, 30)
    arriving = [row for row in rows if row not in put_off]
    for later in range(1, 84, 9):
        night_of = day + timedelta(days=later)
        new = [row for row in arriving if row["day"] < night_of] + [put_off.pop() for _ in range(min(3, len(put_off)))]
        gone = {row["observation_id"] for row in choice.sample(rows, 2)}
        counts = []
        for lake in lakes:
            if lake is lakes[1]:
                for note in (lake.root / "_logs").glob("parts_*.log"):
                    note.unlink()
                    forgotten += 1
            with lake.writing("test"):
                put(lake, [row for row in new if row["observation_id"] not in gone])
                remove(lake, gone)
                dedupe(run_at(lake, night_of))
                counts.append(consolidate(run_at(lake, night_of)))
        assert counts[0] == counts[1]
        assert contents(lakes[0]) == contents(lakes[1])
    assert forgotten > 3


def test_a_night_of_one_more_day_plans_the_periods_of_that_day_alone(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a night found that nothing of the others was due."""
    rows, end = history(60), FIRST + timedelta(days=50)
    for _ in range(2):
        night(lake, end, [row for row in rows if row["day"] < end - timedelta(days=1)])
    planned: list[int] = []
    plan = consolidate_step.plan_tiers
    monkeypatch.setattr(consolidate_step, "plan_tiers", lambda *args: (planned.append(len((p := plan(*args)).nodes)), p)[1])
    with lake.writing("test"):
        put(lake, [row for row in rows if row["day"] == end - timedelta(days=1)])
        dedupe(run_at(lake, end + timedelta(days=1)))
        counts = consolidate(run_at(lake, end + timedelta(days=1)))
    assert counts["due"] > 50
    assert planned[0] <= 8


def test_a_period_says_what_holds_instead_of_a_part_of_its_fact_once_that_is_told(lake: Lake) -> None:
    """The day and the tiers above are made again with the mark, and then rest."""
    end = date(2026, 8, 1)
    night(lake, end, history())
    before = {row["distillate_id"]: row["text"] for row in lake.read("distillates").to_dicts()}
    relation: dict[str, Any] = {
        "older_id": "o-0006", "newer_id": "o-0007", "relation": "replaces_part", "engine": "test", "template_hash": "",
        "asked_on": end, "reports_asked_on": None, "keeps": [], "older_source": None, "newer_source": None,
    }  # fmt: skip
    with lake.writing("test"):
        with lake.commit() as change:
            change.replace("relations", build_frame(RELATIONS, [relation]))
        consolidate(run_at(lake, end))
    after = {row["distillate_id"]: row for row in lake.read("distillates").to_dicts()}
    changed = [row for key, row in after.items() if key not in before]
    mark = "Always push without asking (in part replaced 2026-03-09: Cache TTL is now 30 s)"
    assert {row["tier"] for row in changed if mark in row["text"]} == {1, 2, 3}
    assert not [row for key, row in after.items() if key in before and "Always push" in row["text"]]
    stored = contents(lake)
    with lake.writing("test"):
        consolidate(run_at(lake, end))
    assert contents(lake) == stored
