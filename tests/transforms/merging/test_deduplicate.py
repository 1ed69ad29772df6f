"""Duplicates merge, and a newer fact retires an older one."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.memory_pairs import DIFFERENT, KEPT, OPPOSITE, RETIRED, SAME
from tests.transforms.merging.plain_merges import decide_merges
from transforms.language.similarity import is_opposite, is_restatement
from transforms.language.statement import parse_statement, split_claim
from transforms.merging.deduplicate import (
    MergeDecision,
)

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


@each_case(("first", "second"), SAME)
def test_the_same_fact_in_other_words_is_merged_when_the_vectors_agree(first: str, second: str) -> None:
    """The survivor keeps both sources."""
    decisions = decide_merges([observation(1, first), observation(2, second)], lambda _first, _second: 0.9, "Joel")
    assert decisions["o-0002"] == MergeDecision(None, 2, ("s1:e1",))
    assert decisions["o-0001"] == MergeDecision("o-0002", 1, ())


def test_nearly_all_duplicates_are_found_without_any_vector() -> None:
    """A missing embedder costs little: words decide."""
    assert sum(pair(first, second)["o-0001"].superseded_by is not None for first, second in SAME) >= len(SAME) - 2


@each_case(("first", "second"), DIFFERENT + OPPOSITE)
def test_near_but_different_and_opposite_facts_are_never_merged_whatever_the_vectors_say(first: str, second: str) -> None:
    """Opposites embed closer than rewordings, so a cosine of 1 must not merge them."""
    decisions = decide_merges([observation(1, first), observation(2, second)], lambda _first, _second: 1.0, "Joel")
    assert [decision.merged_count for decision in decisions.values()] == [1, 1]


@each_case(("first", "second"), OPPOSITE)
def test_opposites_are_recognised_from_both_sides(first: str, second: str) -> None:
    """The guard that the similarity relies on."""
    item, other = (parse_statement(split_claim(text, "Joel").claim) for text in (first, second))
    assert is_opposite(item, other) == is_opposite(other, item)
    assert not is_restatement(item, other, lambda: 1.0)


@each_case(("kind", "older", "new_kind", "newer"), RETIRED)
def test_a_newer_assertion_with_evidence_retires_the_older_one(kind: str, older: str, new_kind: str, newer: str) -> None:
    """The older row names its successor, which does not count it as evidence: it is another fact."""
    decisions = pair(older, newer, kind, new_kind)
    assert decisions["o-0001"] == MergeDecision("o-0002", 1, ())
    assert decisions["o-0002"] == MergeDecision(None, 1, ())


@each_case(("kind", "older", "new_kind", "newer"), KEPT)
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


def test_what_was_rejected_gives_nothing_a_value() -> None:
    """Two decisions of a session with numbers in their notes retired each other: both gave "rejected" a value."""
    texts = [
        "The lock lasts 40 s and the call to the maps ends after 25 s (rejected: renew it every 5 s; only a TTL of 60 s)",
        "End-to-end tests run in pull requests only, without shards (rejected: 4 jobs with shards)",
    ]
    decisions = decide_merges([observation(n, text, "decision", session_id="s1") for n, text in enumerate(texts)])
    assert [decision.superseded_by for decision in decisions.values()] == [None, None]


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


@each_case(
    ("older", "newer"),
    [
        (
            'User decided: "2" (asked: Which port has the gateway?; chosen: 9477; not: 9500)',
            'User decided: "1" (asked: How large is a part?; chosen: 512 MB; not: 1 GB)',
        ),
        (
            "Decision: no encryption, the key would lie beside it (rejected: AES 256)",
            "Decision: archives are split into parts of 1 GB (rejected: 2 parts)",
        ),
        ('User asked: "run it" Outcome: 41 tests pass', 'User asked: "count them" Outcome: 12 files changed'),
        ("The container is committed as e31f0c4", "The container is written by lz4"),
        (
            'User decided: "put the association into the module" Outcome: `Plan: 3 to add, 0 to change, 0 to destroy.`',
            'User decided: "make it a db.m7g.large" Outcome: RDS class is it; `Plan: 0 to add, 4 to change, 0 to destroy.`',
        ),
    ],
)
def test_labels_of_rows_and_their_notes_are_no_names_of_values(older: str, newer: str) -> None:
    """In one session the second choice does not retire the first one, although both say "chosen: " or count what a tool did."""
    rows = [observation(n, text, "decision", session_id="s", ordinals=[n]) for n, text in enumerate((older, newer), 1)]
    assert [decision.superseded_by for decision in decide_merges(rows).values()] == [None, None]


def test_parts_of_one_message_replace_nothing_of_each_other() -> None:
    """They hold side by side, whatever their words: a later message replaces."""
    texts = [
        "Ola's decisions on Nordly's requirements (2026-09-22): 1 size below 3.5 GB ok, 2 patches under 200 MB ok.",
        "Decision: Nordly signs the Windows binaries, not Ola.",
    ]
    together = [observation(n, text, "decision", session_id="s", days=1) for n, text in enumerate(texts, 1)]
    assert {decision.superseded_by for decision in decide_merges(together).values()} == {None}


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


STORAGE = (
    *("Use SQLite for storage", "Use Postgres for storage", "We moved to Postgres", "Moved the storage from SQLite to Postgres"),
    *("The user prefers tabs", "The user prefers spaces instead of tabs now", "Prefer spaces over tabs"),
)


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


def test_a_model_retires_a_wish_in_several_sentences() -> None:
    """By words alone it stays: they end one of its sentences at the most."""
    rows = [
        observation(1, "the badge upload waits until wednesday. we never deploy on a friday", "rule"),
        observation(2, "we deploy on a friday from now on", "rule"),
    ]
    assert decide_merges(rows)["o-0001"].superseded_by is None
    assert decide_merges(rows, relations={("o-0001", "o-0002"): "replaces"})["o-0001"].superseded_by == "o-0002"


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


@each_case(("kind", "is_retired"), [("request", True), ("task", True), ("decision", False), ("completion", False)])
def test_only_what_was_open_is_finished(kind: str, is_retired: bool) -> None:
    """A model may call a decision finished; it holds on."""
    rows = [observation(1, "The export as CSV", kind), observation(2, "Twelve tests of the writer pass", "completion")]
    names = [row["observation_id"] for row in rows]
    decisions = decide_merges(rows, relations={(names[0], names[1]): "finishes"})
    assert (decisions[names[0]].superseded_by == names[1]) is is_retired


def test_words_retire_nothing_of_a_pair_that_a_model_saw_and_did_not_call_replaced() -> None:
    """Others of the same rows are decided by their words as before, also by what was said in between."""
    rows = [
        observation(1, "The cache TTL is 300 s", "decision"),
        observation(2, "The cache TTL is now 60 s", "decision"),
        observation(3, "The cache TTL is now 20 s", "decision"),
    ]
    assert decide_merges(rows)["o-0001"].superseded_by == "o-0003"
    decisions = decide_merges(rows, apart={("o-0001", "o-0003"), ("o-0001", "o-0002")})
    assert decisions == decide_merges(rows[::-1], apart={("o-0001", "o-0003"), ("o-0001", "o-0002")})
    assert decisions["o-0001"] == MergeDecision(None, 1, ())
    assert decisions["o-0002"].superseded_by == "o-0003"
    told: dict[tuple[str, str], Any] = {("o-0001", "o-0003"): "replaces"}
    assert decide_merges(rows, relations=told, apart={("o-0001", "o-0002")})["o-0001"].superseded_by == "o-0003"


def test_a_number_with_another_unit_is_another_value() -> None:
    """An alarm after 45 s instead of 90 s says nothing about events that are kept for 90 days."""
    kept, alarm = "Door events are kept 90 days instead of 30", "The door alarm comes after 45 s instead of 90 s"
    assert pair(kept, alarm, "decision", "decision")["o-0001"].superseded_by is None
    for same in ("The door alarm comes after 90 s", "The door alarm comes after 90"):
        assert pair(same, alarm, "decision", "decision")["o-0001"].superseded_by == "o-0002"


@each_case(
    ("first", "second"),
    [
        ("The gateway port is sixty four hundred.", "The gateway port is now 6500."),
        ("The gateway port is 6400.", "The gateway port is now sixty five hundred."),
        ("Keep the logs for seventeen days.", "Keep the logs for 30 days instead of 17."),
        ("boss hp nine hundred", "The boss has 640 HP."),
        ("The board refreshes every sixty seconds.", "The board refreshes every five minutes now, sixty seconds is too often."),
    ],
)
def test_a_value_in_words_is_replaced_as_the_one_in_digits_is(first: str, second: str) -> None:
    """People who dictate say their numbers."""
    assert pair(first, second, "decision", "decision")["o-0001"].superseded_by == "o-0002"


@each_case(
    ("first", "second"),
    [
        ("Sheet twelve is published.", "Sheet 21 is published."),
        ("Retry the upload twenty five times.", "Retry the mail twenty six times."),
    ],
)
def test_another_thing_with_a_number_in_words_replaces_nothing(first: str, second: str) -> None:
    """A number may be a name, in words as in digits."""
    assert pair(first, second, "decision", "decision")["o-0001"].superseded_by is None


@each_case(
    ("first", "second"),
    [
        ("Interim files are kept thirty days.", "Interim files are kept 30 days."),
        ("Wir behalten die Logs siebzehn Tage.", "Wir behalten die Logs 17 Tage."),
    ],
)
def test_the_same_number_in_words_and_digits_is_said_twice(first: str, second: str) -> None:
    """Nothing changed."""
    assert pair(first, second, "decision", "decision")["o-0002"].merged_count == 2


@each_case(
    ("older", "newer", "kinds"),
    [
        ("It polls every five minutes instead of every 15", "The hysteresis is 8 cm instead of 5 cm", "state_change decision"),
        ("Nightly runs start at 02:00", "Nightly runs start at 03:00 now instead of 02:00", "decision decision"),
        ("`POLL_S = 60` in settings.py", "`POLL_S = 900` in settings.py", "file_change file_change"),
    ],
)  # fmt: skip
def test_words_retire_nothing_among_the_facts_of_one_answer(older: str, newer: str, kinds: str) -> None:
    """A model was asked how the discussion ended, so its facts hold side by side; what it replaces, it says by number. Offline,
    and between two answers, words decide."""
    kind, other = kinds.split()

    def decide(first: dict[str, str], second: dict[str, str]) -> bool:
        rows = [observation(1, older, kind, session_id="s", **first), observation(2, newer, other, session_id="s", **second)]
        return decide_merges(rows)["o-0001"].superseded_by is not None

    answer, later = {"engine": "pi:haiku", "window_id": "w-1"}, {"engine": "pi:haiku", "window_id": "w-2"}
    rules = {"engine": "offline", "window_id": "w-1"}
    assert not decide(answer, answer)
    assert decide(rules, rules) == decide(answer, later)
    told = [observation(1, older, kind, session_id="s", **answer), observation(2, newer, other, session_id="s", **answer)]
    assert decide_merges(told, relations={("o-0001", "o-0002"): "replaces"})["o-0001"].superseded_by == "o-0002"
