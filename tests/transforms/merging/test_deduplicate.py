"""Duplicates merge, and a newer fact retires an older one."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.transforms.memory_pairs import DIFFERENT, KEPT, OPPOSITE, RETIRED, SAME
from transforms.language.similarity import is_opposite, is_restatement
from transforms.language.statement import parse_statement, split_claim
from transforms.memory import supersession_candidates
from transforms.merging.deduplicate import MergeDecision, decide_merges, update_merges

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def observation(
    number: int, text: str, kind: str = "rule", *, days: float = 0, project: str = "/code/app", **more: Any
) -> dict[str, Any]:
    """Return an observation of session `s<number>` that cites entry `e<number>`."""
    return {
        "observation_id": f"o-{number:04}", "kind": kind, "project": project, "priority": "high",
        "said_at": START + timedelta(days=days or number), "session_id": f"s{number}",
        "ordinals": [3], "entry_ids": [f"e{number}"],
        "text": text,
    } | more  # fmt: skip


def pair(first: str, second: str, *kinds: str) -> dict[str, MergeDecision]:
    """Return the decisions about two observations, the second said a day later."""
    item, other = kinds or ("rule", "rule")
    return decide_merges([observation(1, first, item), observation(2, second, other)], owner="Joel")


@pytest.mark.parametrize(("first", "second"), SAME)
def test_the_same_fact_in_other_words_is_merged_when_the_vectors_agree(first: str, second: str) -> None:
    """The survivor keeps both sources."""
    decisions = decide_merges([observation(1, first), observation(2, second)], lambda _first, _second: 0.9, "Joel")
    assert decisions["o-0002"] == MergeDecision(None, 2, ("s1:e1",))
    assert decisions["o-0001"] == MergeDecision("o-0002", 1, ())


def test_nearly_all_duplicates_are_found_without_any_vector() -> None:
    """A missing embedder costs little: words decide."""
    assert sum(pair(first, second)["o-0001"].superseded_by is not None for first, second in SAME) >= len(SAME) - 2


@pytest.mark.parametrize(("first", "second"), DIFFERENT + OPPOSITE)
def test_near_but_different_and_opposite_facts_are_never_merged_whatever_the_vectors_say(first: str, second: str) -> None:
    """Opposites embed closer than rewordings, so a cosine of 1 must not merge them."""
    decisions = decide_merges([observation(1, first), observation(2, second)], lambda _first, _second: 1.0, "Joel")
    assert [decision.merged_count for decision in decisions.values()] == [1, 1]


@pytest.mark.parametrize(("first", "second"), OPPOSITE)
def test_opposites_are_recognised_from_both_sides(first: str, second: str) -> None:
    """The guard that the similarity relies on."""
    item, other = (parse_statement(split_claim(text, "Joel").claim) for text in (first, second))
    assert is_opposite(item, other) == is_opposite(other, item)
    assert not is_restatement(item, other, lambda: 1.0)


@pytest.mark.parametrize(("kind", "older", "new_kind", "newer"), RETIRED)
def test_a_newer_assertion_with_evidence_retires_the_older_one(kind: str, older: str, new_kind: str, newer: str) -> None:
    """The older row names its successor, which does not count it as evidence: it is another fact."""
    decisions = pair(older, newer, kind, new_kind)
    assert decisions["o-0001"] == MergeDecision("o-0002", 1, ())
    assert decisions["o-0002"] == MergeDecision(None, 1, ())


@pytest.mark.parametrize(("kind", "older", "new_kind", "newer"), KEPT)
def test_questions_hedges_and_other_subjects_retire_nothing(kind: str, older: str, new_kind: str, newer: str) -> None:
    """Both rows stay valid."""
    assert set(pair(older, newer, kind, new_kind).values()) == {MergeDecision(None, 1, ())}


def test_an_older_assertion_never_retires_a_newer_one() -> None:
    """The order of assertions decides, not that of arrival."""
    decisions = decide_merges([observation(2, "Cache TTL is 300 s"), observation(1, "Cache TTL is now 60 s")])
    assert decisions["o-0002"].superseded_by is None
    assert decisions["o-0001"].superseded_by == "o-0002"


def test_regression_6_a_comma_or_a_paraphrase_merges_and_a_different_path_does_not() -> None:
    """The first system compared whole strings only, so a comma kept duplicates apart."""
    assert pair("Use pnpm, not npm, for installs", "Use pnpm not npm for installs")["o-0001"].superseded_by == "o-0002"
    assert pair("Tests live in tests/unit", "The tests live in tests/unit/")["o-0001"].superseded_by == "o-0002"
    assert pair("Fixed the loader in src/a.ts", "Fixed the loader in src/b.ts", "fix", "fix")["o-0001"].superseded_by is None


def test_regression_7_a_duplicate_five_days_later_merges() -> None:
    """The first system compared facts of one day only."""
    rows = [observation(1, "Never push without asking.", days=0), observation(2, "never push without asking", days=5)]
    assert decide_merges(rows)["o-0002"].merged_count == 2


def test_chains_end_at_the_newest() -> None:
    """300 s → 60 s → 30 s: both older ones name the last."""
    rows = [
        observation(n, text, "decision")
        for n, text in enumerate(["Cache TTL is 300 s", "Cache TTL is now 60 s", "Cache TTL is now 30 s"])
    ]
    assert [decision.superseded_by for decision in decide_merges(rows).values() if decision.superseded_by] == ["o-0002", "o-0002"]


def test_two_replacements_of_one_thing_leave_the_newest() -> None:
    """The last one does not mention the second, but took the same place."""
    texts = ["Use SQLite for storage", "We moved to Postgres", "Actually use DuckDB for storage"]
    decisions = decide_merges([observation(n, text, "decision") for n, text in enumerate(texts)])
    assert [decisions[f"o-000{n}"].superseded_by for n in range(3)] == ["o-0002", "o-0002", None]


def test_a_return_to_the_old_value_retires_the_detour() -> None:
    """Tabs, spaces, tabs again: tabs hold, with both sources."""
    texts = ["The user prefers tabs", "The user prefers spaces", "The user prefers tabs!"]
    decisions = decide_merges([observation(n, text, "preference") for n, text in enumerate(texts)])
    assert decisions["o-0002"] == MergeDecision(None, 2, ("s0:e0",))
    assert decisions["o-0001"].superseded_by == "o-0002"


def test_a_rule_said_in_two_projects_is_one_and_a_decision_is_two() -> None:
    """Preferences and rules are about the person; decisions are about a project."""
    for kind, count in (("rule", 2), ("decision", 1)):
        rows = [
            observation(1, "Never push without asking", kind),
            observation(2, "Never push without asking", kind, project="/code/other"),
        ]
        assert decide_merges(rows)["o-0002"].merged_count == count


def test_another_project_retires_a_preference_only_in_words() -> None:
    """The same words about two projects are two facts, unless one says that something changed."""
    rows = [
        observation(1, "The user prefers tabs", "preference"),
        observation(2, "The user prefers spaces", "preference", project="/o"),
    ]
    assert decide_merges(rows)["o-0001"].superseded_by is None
    rows[1]["text"] = "The user prefers spaces instead of tabs now"
    assert decide_merges(rows)["o-0001"].superseded_by == "o-0002"


def test_a_short_answer_is_compared_with_its_question() -> None:
    """ "yes, do it" is a different decision each time."""
    texts = [
        'Joel decided: "yes, do it" (about: "Shall I remove the cache?")',
        'Joel decided: "yes, do it" (about: "Shall I add an index?")',
    ]
    assert (
        decide_merges([observation(n, text, "decision") for n, text in enumerate(texts)], lambda _a, _b: 1.0)[
            "o-0001"
        ].merged_count
        == 1
    )


def test_a_persons_rule_survives_the_agents_note_of_it() -> None:
    """The row that quotes the person stays, although the note is newer; both sources are kept."""
    rows = [
        observation(1, 'Joel set a rule: "never push without asking"'),
        observation(2, "Never push without asking", "status", priority="low"),
    ]
    assert decide_merges(rows)["o-0001"] == MergeDecision(None, 2, ("s2:e2",))


TEXTS = [text for first, second in SAME[:12] + OPPOSITE[:10] + DIFFERENT[:10] for text in (first, second)]
TEXTS += [text for _, older, _, newer in RETIRED for text in (older, newer)]
KINDS = ("rule", "decision", "preference", "state_change", "status", "question", "correction")


def corpus(size: int, seed: int) -> list[dict[str, Any]]:
    """Observations whose texts, kinds, projects and times are drawn."""
    rng = random.Random(seed)
    return [
        observation(
            n,
            rng.choice(TEXTS),
            rng.choice(KINDS),
            days=rng.randrange(40),
            project=rng.choice(["/a", "/b", "/c", "/d"]),
            priority=rng.choice(["high", "low"]),
        )
        for n in range(size)
    ]


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_matters(size: int, seed: int, rng: random.Random) -> None:
    """The decisions are the same for every order of arrival."""
    rows = corpus(size, seed)
    expected = decide_merges(rows)
    rng.shuffle(rows)
    assert decide_merges(rows) == expected


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10_000))
def test_every_source_is_kept_and_every_chain_ends(size: int, seed: int) -> None:
    """Retired rows point at a row that holds; merged evidence is counted and cited once."""
    rows = corpus(size, seed)
    decisions = decide_merges(rows)
    for row in rows:
        target = decisions[row["observation_id"]].superseded_by
        assert target is None or decisions[target].superseded_by is None
    merged = sum(decision.merged_count - 1 for decision in decisions.values())
    assert merged <= sum(decision.superseded_by is not None for decision in decisions.values())
    assert merged == sum(len(decision.also) for decision in decisions.values())


def update_late_rows(rows: list[dict[str, Any]], late: set[int]) -> dict[str, MergeDecision]:
    """Return the decisions after an update with some rows that came later than the others."""
    before = decide_merges([row for n, row in enumerate(rows) if n not in late])
    return update_night(rows, before, {rows[n]["project"] for n in late}, set(before))


def update_night(
    rows: list[dict[str, Any]], before: dict[str, MergeDecision], changed: set[str], settled: set[str]
) -> dict[str, MergeDecision]:
    """Return the decisions after a night that knows those of the night before; `settled` rows are as they were then."""
    fresh = MergeDecision(None, 1, ())
    for row in rows:
        decision = before.get(row["observation_id"], fresh)
        row |= {name: getattr(decision, name) for name in ("superseded_by", "merged_count", "also")}
    kept = {row["observation_id"]: before.get(row["observation_id"], fresh) for row in rows}
    return kept | update_merges(rows, changed, lambda _first, _second: None, "", settled=settled)


@settings(max_examples=40, deadline=None)
@given(st.integers(3, 60), st.integers(0, 10_000), st.data())
def test_deciding_a_change_again_ends_where_deciding_everything_ends(size: int, seed: int, data: st.DataObject) -> None:
    """Some rows come later, in one project or several; only what they can reach is compared."""
    rows = corpus(size, seed)
    late = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=4))
    assert update_late_rows(rows, late) == decide_merges(rows)


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 60), st.integers(0, 10_000), st.integers(2, 6), st.booleans())
def test_a_history_cut_into_nights_ends_each_night_where_comparing_everything_ends(
    size: int, seed: int, nights: int, has_few_texts: bool
) -> None:
    """Rows come, vanish (forgotten or distilled again), say something else, or move to another project: a night compares only
    pairs with one that is new or has company, and decides what a comparison of all rows decides."""
    rng = random.Random(seed)
    pool = corpus(size, seed)
    if has_few_texts:
        for row in pool:
            row["text"] = rng.choice(STORAGE)
    rows: list[dict[str, Any]] = []
    before: dict[str, MergeDecision] = {}
    for night in range(nights):
        new = pool[night::nights]
        gone = [row for row in rows if rng.random() < 0.1]
        stayed = [row for row in rows if row not in gone]
        altered = [row for row in stayed if rng.random() < 0.05]
        changed = {row["project"] for row in [*new, *gone, *altered]}
        for row in altered:
            name = rng.choice(["text", "project"])
            row[name] = rng.choice({"text": TEXTS, "project": ["/a", "/b", "/e"]}[name])
        rows = stayed + new
        settled = {row["observation_id"] for row in stayed if row not in altered}
        before = update_night(rows, before, changed | {row["project"] for row in altered}, settled)
        assert before == decide_merges(rows)


def test_a_night_compares_what_is_new_with_the_rest_and_not_the_rest_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty claims about one subject were compared; one more is compared with each of them and nothing else."""
    rows = [observation(n, f"The {word} cache keeps its rows in table {word}", "decision") for n, word in enumerate(NAMES)]
    before = decide_merges(rows)
    pairs = Counter[str]()

    def count(*_: object, **__: object) -> str:
        pairs["compared"] += 1
        return ""

    late = observation(99, "The quota cache keeps no rows in table quota", "decision", days=60)
    with monkeypatch.context() as patched:
        patched.setattr(supersession_candidates, "find_retirement", count)
        decide_merges([*rows, late])
        everything, pairs["compared"] = pairs["compared"], 0
        update_night([*rows, late], before, {late["project"]}, set(before))
    assert 0 < pairs["compared"] <= len(rows) < everything


def test_rows_that_absorbed_others_and_were_not_retired_are_not_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eighteen claims that were all said twice: one more is compared with each at most; when the
    second saying of one is gone, that one is compared with the others too."""
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
        update_night([*rows, late], before, {late["project"]}, set(before))
        with_company, pairs["compared"] = pairs["compared"], 0
        update_night([*rows[1:], late], before, {late["project"]}, set(before) - {rows[0]["observation_id"]})
    assert 0 < with_company <= len(NAMES) < pairs["compared"] < 3 * len(NAMES)


NAMES = [
    f"{first}{second}"
    for first in ("amber", "birch", "cedar", "delta", "ember", "fjord")
    for second in ("lane", "ridge", "field")
]


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


STORAGE = (
    *("Use SQLite for storage", "Use Postgres for storage", "We moved to Postgres", "Moved the storage from SQLite to Postgres"),
    *("The user prefers tabs", "The user prefers spaces instead of tabs now", "Prefer spaces over tabs"),
)


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


def test_what_a_model_told_about_pairs_joins_what_the_words_decide() -> None:
    """Facts without a common word are retired and merged, whatever the order of the rows."""
    rows = [
        observation(1, "frontend in yew", "decision"),
        observation(2, "we're on htmx", "decision"),
        observation(3, "htmx it is, for all pages", "decision"),
    ]
    words: dict[tuple[str, str], Any] = {("o-0001", "o-0002"): "replaces", ("o-0002", "o-0003"): "restates"}
    decisions = decide_merges(rows, relations=words)
    assert decisions == decide_merges(rows[::-1], relations=words)
    assert decisions["o-0001"].superseded_by == "o-0003"
    assert decisions["o-0003"] == MergeDecision(None, 2, ("s2:e2",))
    assert all(decision.superseded_by is None for decision in decide_merges(rows).values())


def test_a_fact_that_was_said_again_later_is_not_replaced() -> None:
    """A relation is about two moments; the last one said holds."""
    rows = [
        observation(1, "frontend in yew", "decision"),
        observation(2, "we're on htmx", "decision"),
        observation(3, "frontend in yew", "decision"),
    ]
    decisions = decide_merges(rows, relations={("o-0001", "o-0002"): "replaces", ("o-0002", "o-0003"): "replaces"})
    assert decisions["o-0002"].superseded_by == "o-0003"
    assert decisions["o-0003"].superseded_by is None
