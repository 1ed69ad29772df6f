"""A night compares what is new with what it can have anything to do with, and ends where a comparison of all rows ends."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.memory_pairs import RETIRED, SAME
from tests.transforms.merging.plain_merges import decide_merges
from tests.transforms.merging.test_deduplicate import STORAGE, TEXTS, corpus, observation
from transforms.memory import supersession_candidates
from transforms.merging import find_partners
from transforms.merging import update_merges as module
from transforms.merging.comparison_keys import list_comparison_keys
from transforms.merging.deduplicate import (
    MergeDecision,
)
from transforms.merging.find_partners import ComparisonIndex
from transforms.merging.update_merges import MergeUpdate, update_merges

Relations = dict[tuple[str, str], Any]
FRESH = MergeDecision(None, 1, ())
LISTS = {"also": pl.List(pl.String), "rests_on": pl.List(pl.String), "compared_keys": pl.List(pl.Int64)}
VALUES = (
    "cache ttl = 300", "cache ttl = 60; retries = 3", "retries = 4", "In theme.json: green #00ff00 → #b5bd68",
    "green #b5bd68, red #ff0000", "red = #112233",
    'User said: "20" Reply: `SOC_MIN = 0.20`.', 'User said: "c" Reply: `SOC_MIN = 0.18`.',
    'User said: "tray width is 16 mm"', 'User said: "tray width is 24 mm"',
)  # fmt: skip


@pytest.fixture(autouse=True)
def _never_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small histories are not compared as a whole because most of their rows are new."""
    monkeypatch.setattr(module, "MAX_SHARE", 1.1)


def frame_rows(rows: list[dict[str, Any]], before: dict[str, MergeDecision]) -> pl.DataFrame:
    """Return the rows as they are stored after a night."""
    columns = ("superseded_by", "merged_count", "also", "rests_on")
    stored = [
        row
        | {name: getattr(before.get(row["observation_id"], FRESH), name) for name in columns}
        | {"compared_keys": list_comparison_keys([row], "")[row["observation_id"]]}
        for row in rows
    ]
    return pl.DataFrame(stored, schema_overrides={"superseded_by": pl.String, **LISTS})


def run_night(
    rows: list[dict[str, Any]], before: dict[str, MergeDecision], settled: set[str], relations: Relations | None = None
) -> tuple[dict[str, MergeDecision], MergeUpdate]:
    """Return the decisions after a night that knows those of the night before; `settled` rows are as they were then."""
    update = update_merges(frame_rows(rows, before), settled, lambda _texts: lambda _first, _second: None, "", relations or {})
    return {row["observation_id"]: before.get(row["observation_id"], FRESH) for row in rows} | update.decisions, update


def update_late_rows(rows: list[dict[str, Any]], late: set[int]) -> dict[str, MergeDecision]:
    """Return the decisions after an update with some rows that came later than the others."""
    before = decide_merges([row for n, row in enumerate(rows) if n not in late])
    return run_night(rows, before, set(before))[0]


def check_same(decided: dict[str, MergeDecision], expected: dict[str, MergeDecision]) -> None:
    """The decisions are equal, and so are the rows that they rest on."""
    assert decided == expected
    assert {name: row.rests_on for name, row in decided.items()} == {name: row.rests_on for name, row in expected.items()}


def draw_pool(rng: random.Random, size: int, seed: int) -> list[dict[str, Any]]:
    """Return observations of some sessions whose texts are few, or many, or give values; some cite the same entries."""
    texts = rng.choice([STORAGE, TEXTS, (*STORAGE, *VALUES, *rng.sample(TEXTS, 12))])
    pool = corpus(size, seed)
    for row in pool:
        row["text"] = rng.choice(texts)
        row["kind"] = rng.choice([row["kind"], row["kind"], "fact", "completion", "request", "file_change"])
        row["session_id"] = rng.choice([row["session_id"], f"s{rng.randrange(5)}"])
        row["entry_ids"] = [f"e{rng.randrange(size)}"]
    return pool


def draw_relations(rng: random.Random, pool: list[dict[str, Any]]) -> Relations:
    """Return what a model told about some pairs."""
    names = [row["observation_id"] for row in pool]
    pairs = [(rng.choice(names), rng.choice(names)) for _ in range(rng.randrange(len(names) // 3 + 1))]
    return {pair: rng.choice(["replaces", "restates", "outdates", "finishes"]) for pair in pairs if pair[0] != pair[1]}


def describe_basis(row: dict[str, Any], relations: Relations, present: set[str]) -> tuple[object, ...]:
    """Return what makes a row settled as long as it stays the same, as the step does."""
    name = row["observation_id"]
    told = [item for item in sorted(relations.items()) if name in item[0] and present.issuperset(item[0])]
    return row["text"], row["project"], *told


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 60), st.integers(0, 1_000_000), st.integers(2, 6), st.booleans())
def test_a_history_cut_into_nights_ends_each_night_where_comparing_everything_ends(
    size: int, seed: int, nights: int, has_model: bool
) -> None:
    """Rows come, vanish (forgotten or distilled again), say something else, or move to another project, and a model relates
    some: a night decides what a comparison of all rows decides, and on the same grounds."""
    rng = random.Random(seed)
    pool = draw_pool(rng, size, seed)
    relations = draw_relations(rng, pool) if has_model else {}
    rows: list[dict[str, Any]] = []
    before: dict[str, MergeDecision] = {}
    bases: dict[str, tuple[object, ...]] = {}
    for night in range(nights):
        stayed = [row for row in rows if rng.random() < 0.9]
        for row in stayed:
            if rng.random() < 0.05:
                name = rng.choice(["text", "project"])
                row[name] = rng.choice({"text": TEXTS, "project": ["/a", "/b", "/e"]}[name])
        rows = stayed + pool[night::nights]
        present = {row["observation_id"] for row in rows}
        now = {row["observation_id"]: describe_basis(row, relations, present) for row in rows}
        decided, _ = run_night(rows, before, {name for name in present if bases.get(name) == now[name]}, relations)
        before, bases = decide_merges(rows, relations=relations), now
        check_same(decided, before)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 60), st.integers(0, 10_000), st.data())
def test_deciding_a_change_again_ends_where_deciding_everything_ends(size: int, seed: int, data: st.DataObject) -> None:
    """Some rows come later, in one project or several; only what they can reach is compared."""
    rows = corpus(size, seed)
    late = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=4))
    check_same(update_late_rows(rows, late), decide_merges(rows))


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_no_pair_that_is_decided_together_is_missed(rng: random.Random) -> None:
    """Of two rows that merge, or of which one retires the other, each finds the other by the numbers alone."""
    first, second = rng.choice([*SAME, *((older, newer) for _, older, _, newer in RETIRED)])
    rows = [
        observation(1, rng.choice([first, rng.choice(TEXTS)]), rng.choice(["decision", "rule", "status", "request"])),
        observation(2, rng.choice([second, rng.choice(TEXTS)]), rng.choice(["decision", "rule", "state_change", "fact"])),
    ]
    if any(decision.superseded_by for decision in decide_merges(rows, lambda _first, _second: 1.0).values()):
        index = ComparisonIndex(frame_rows(rows, {}))
        assert "o-0002" in index.find_partners({"o-0001"})
        assert "o-0001" in index.find_partners({"o-0002"})


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 60), st.integers(0, 10_000), st.integers(1, 400), st.data())
def test_partners_are_the_same_however_many_rows_are_looked_at_at_once(
    size: int, seed: int, pairs: int, data: st.DataObject
) -> None:
    rows = corpus(size, seed)
    names = data.draw(st.sets(st.sampled_from([row["observation_id"] for row in rows])))
    index = ComparisonIndex(frame_rows(rows, {}))
    at_once = index.find_partners(names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(find_partners, "PAIRS_AT_ONCE", pairs)
        assert index.find_partners(names) == at_once


def test_what_pairs_share_is_counted_for_some_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For two thousand changed rows of 31,000 all pairs at once took 820 MB."""
    rows = [observation(number, TEXTS[number % 3], "decision") for number in range(1, 101)]
    most, count_common = list[int](), find_partners._count_common

    def count(pairs: pl.DataFrame, *rest: Any) -> pl.DataFrame:
        """Count and note how many pairs there are."""
        most.append(pairs.height)
        return count_common(pairs, *rest)

    monkeypatch.setattr(find_partners, "_count_common", count)
    monkeypatch.setattr(find_partners, "PAIRS_AT_ONCE", 1_000)
    ComparisonIndex(frame_rows(rows, {})).find_partners({row["observation_id"] for row in rows})
    assert 0 < max(most) <= 1_000


@each_case(
    ("kind", "older", "newer"),
    [
        ("file_change", "The limit is 5", "The limit went from 5 to 7"),
        ("decision", "Replaced #00ff00 by #b5bd68", "In theme.json: green #00ff00 → #b5bd68"),
    ],
)
def test_a_claim_is_found_by_the_value_that_another_says_was_replaced(kind: str, older: str, newer: str) -> None:
    """They have no rare word in common that would bring them together."""
    rows = [observation(1, older, kind), observation(2, newer, kind)]
    assert decide_merges(rows)["o-0001"].superseded_by == "o-0002"
    index = ComparisonIndex(frame_rows(rows, {}))
    assert "o-0002" in index.find_partners({"o-0001"})
    assert "o-0001" in index.find_partners({"o-0002"})


STANDING = [
    ("rule", "the linter is always eslint here", "request", "biome instead of eslint from now on"),
    ("rule", "always squash PRs before merging", "request", "stop squashing PRs, use merge commits from now on"),
    ("rule", "timeouts are always 30s in this project", "status", "timeouts are 45s now"),
    ("rule", "uploads always go to s3", "request", "uploads go to r2 now, not s3"),
]
"""Older and newer words of a person; the newer ones read like a request or a report and say what holds from now on."""


@each_case(("old_kind", "older", "kind", "newer"), STANDING)
def test_what_a_person_says_of_now_on_retires_a_rule_whatever_it_was_read_as(
    old_kind: str, older: str, kind: str, newer: str
) -> None:
    rows = [observation(1, f'User set a rule: "{older}"', old_kind), observation(2, f'User asked: "{newer}"', kind)]
    assert decide_merges(rows)["o-0001"].superseded_by == "o-0002"
    index = ComparisonIndex(frame_rows(rows, {}))
    assert "o-0002" in index.find_partners({"o-0001"})
    assert "o-0001" in index.find_partners({"o-0002"})


@each_case(
    ("older", "kind", "newer"),
    [
        ("uploads always go to s3", "request", "test uploads go to minio now, not s3"),
        ("log retention is always 14 days", "request", "audit log retention is 90 days now"),
        ("max upload is always 10 MB", "status", "avatar upload is max 2 MB now"),
        ("we always use cypress for e2e", "request", "don't run cypress now, it takes ages"),
        ("never use emojis in commit messages", "request", "is it fine to use emojis in commit messages from now on?"),
    ],
)
def test_some_of_a_thing_an_order_of_the_moment_and_a_question_retire_no_rule(older: str, kind: str, newer: str) -> None:
    rows = [observation(1, f'User set a rule: "{older}"'), observation(2, f'User asked: "{newer}"', kind)]
    assert decide_merges(rows)["o-0001"].superseded_by is None


NAMES = [
    f"{first}{second}"
    for first in ("amber", "birch", "cedar", "delta", "ember", "fjord")
    for second in ("lane", "ridge", "field")
]


def test_a_night_analyses_only_rows_that_a_new_one_may_reach() -> None:
    """Eighteen claims about other things, and one about the cache: a new value of the cache is compared with that one."""
    texts = [f"The {word} service keeps its rows in table {word}" for word in NAMES]
    rows = [observation(n, text, "decision") for n, text in enumerate([*texts, "Cache TTL is 300 s"])]
    before = decide_merges(rows)
    late = observation(99, "Cache TTL is now 60 s", "decision", days=60)
    decided, update = run_night([*rows, late], before, set(before))
    check_same(decided, decide_merges([*rows, late]))
    assert update.compared == 2
    again = run_night([*rows, late], decided, set(decided))[1]
    assert not again.decisions
    assert again.keys.is_empty()
    assert again.compared == 0


def test_a_chain_is_decided_again_when_a_row_within_it_vanishes() -> None:
    """300 s → 60 s → 30 s: the first and the last name the same end, and no other row names the middle one."""
    texts = ["Use SQLite for storage", "We moved to Postgres", "Actually use DuckDB for storage"]
    rows = [observation(n, text, "decision") for n, text in enumerate(texts)]
    before = decide_merges(rows)
    decided, update = run_night(rows[:1] + rows[2:], before, {"o-0000", "o-0002"})
    check_same(decided, decide_merges(rows[:1] + rows[2:]))
    assert update.compared == 2


def test_rows_that_absorbed_others_and_were_not_retired_are_not_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eighteen claims that were all said twice: one more is compared with each at most; when the second saying of one is gone,
    that one is compared with the others too."""
    texts = [(n, f"The {word} cache keeps its rows in table {word}") for n, word in enumerate(NAMES)]
    rows = [observation(place * 50 + n, text, "decision") for place in (0, 1) for n, text in texts]
    before = decide_merges(rows)
    assert sum(decision.merged_count == 2 for decision in before.values()) == len(NAMES)
    pairs = Counter[str]()

    def count(*_: object, **__: object) -> str:
        pairs["compared"] += 1
        return ""

    late = observation(199, "The quota cache keeps no rows in table quota", "decision", days=160)
    with monkeypatch.context() as patched:
        patched.setattr(supersession_candidates, "find_retirement", count)
        decide_merges([*rows, late], known=before)
        with_company, pairs["compared"] = pairs["compared"], 0
        decide_merges([*rows[1:], late], known={name: before[name] for name in before if name != rows[0]["observation_id"]})
    assert 0 < with_company <= len(NAMES) < pairs["compared"] < 3 * len(NAMES)


def test_a_preference_retires_no_correction_of_another_project_that_replaced_the_same_rule() -> None:
    """Two that took the place of one claim replace each other only where the later one may retire anything."""
    rows = corpus(23, 84)
    assert update_late_rows(rows, {1, 22}) == decide_merges(rows)
    rows = [
        observation(1, "Use SQLite for storage", "rule", project="/d"),
        observation(2, "Use Postgres for storage", "correction", project="/d"),
        observation(3, "We moved to DuckDB", "preference", project="/a"),
    ]
    assert [decide_merges(rows)[f"o-000{n}"].superseded_by for n in (1, 2, 3)] == ["o-0003", None, None]
    rows[2]["project"] = "/d"
    assert [decide_merges(rows)[f"o-000{n}"].superseded_by for n in (1, 2, 3)] == ["o-0003", "o-0003", None]


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_row_that_stands_alone_again_absorbs_rows_of_its_own_project(data: st.DataObject) -> None:
    """Few texts in many projects: a late row takes others away from the row that absorbed them."""
    drawn = st.tuples(
        st.sampled_from(STORAGE), st.sampled_from(["rule", "preference", "correction", "decision"]), st.sampled_from("abcd"),
        st.integers(1, 40), st.sampled_from(["high", "low"]),
    )  # fmt: skip
    rows = [
        observation(n, text, kind, project=f"/{project}", days=days, priority=priority)
        for n, (text, kind, project, days, priority) in enumerate(data.draw(st.lists(drawn, min_size=3, max_size=45)))
    ]
    late = data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1, max_size=4))
    assert update_late_rows(rows, late) == decide_merges(rows)


def test_rows_that_were_built_for_their_keys_are_not_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where most rows are new all are compared: the new ones as they were built, the others built then."""
    rows = corpus(40, 3)
    built = Counter[str]()
    build = module.build_compared_row
    monkeypatch.setattr(module, "MAX_SHARE", 0.3)
    monkeypatch.setattr(
        module, "build_compared_row", lambda row, owner: built.update([row["observation_id"]]) or build(row, owner)
    )
    check_same(update_late_rows(rows, set(range(15))), decide_merges(rows))
    assert built == Counter(row["observation_id"] for row in rows)
