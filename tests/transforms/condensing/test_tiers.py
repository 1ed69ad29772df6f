"""The text of a day, a week, a month and a year: smaller than its input, cited in full, with all durable facts."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.condensing import period_selection
from transforms.condensing.condense import DETAIL_LEVELS, condense, render_items
from transforms.condensing.day_inputs import OBSERVATION_COLUMNS, SEGMENT_COLUMNS, DayInputs, PeriodInput
from transforms.condensing.period_item import PeriodItem
from transforms.condensing.tiers import build_distillate_row, collect_items, list_due_periods, plan_tiers
from transforms.language.statement import split_claim
from transforms.tables.periods import DAY, MONTH, WEEK, YEAR, Period, find_parent_period, find_period, is_due
from transforms.tables.schema import OBSERVATIONS, SEGMENTS
from transforms.tables.tokens import count_tokens

AFTER = (3, 14, 60, 365)
LATER = date(2028, 6, 1)
MONDAY = date(2026, 3, 2)


def observation(number: int, text: str, kind: str = "decision", priority: str = "high", **more: Any) -> dict[str, Any]:
    """Return an observation of session `s1` on `MONDAY` (or `day`) that cites entry `e<number>`."""
    day = more.pop("day", MONDAY)
    return {
        "observation_id": f"o-{number:04}", "project": "/code/app", "day": day, "session_id": "s1",
        "kind": kind, "priority": priority,
        "said_at": datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + timedelta(minutes=number), "text": text,
        "ordinals": [number], "entry_ids": [f"e{number}"], "files": [], "superseded_by": None, "also": [],
    } | more  # fmt: skip


def segment(number: int, narrative: str, day: date = MONDAY) -> dict[str, Any]:
    """Return a segment of session `s1` that cites entry `n<number>`."""
    return {
        "segment_id": f"s-{number:04}", "project": "/code/app", "day": day, "session_id": "s1", "narrative": narrative,
        "entry_ids": [f"n{number}"], "started_at": datetime(day.year, day.month, day.day, 8, tzinfo=UTC), "first_ordinal": 0,
    }  # fmt: skip


def day_inputs(
    observations: list[dict[str, Any]],
    segments: list[dict[str, Any]],
    outdated: Collection[str] = (),
    changed: dict[str, str] | None = None,
) -> DayInputs:
    """Return rows as the inputs of their days."""
    frames = [
        pl.DataFrame(rows, schema={name: table.row_schema[name] for name in columns})
        for rows, table, columns in ((observations, OBSERVATIONS, OBSERVATION_COLUMNS), (segments, SEGMENTS, SEGMENT_COLUMNS))
    ]
    return DayInputs(*frames, outdated, changed)


def distilled(
    observations: list[dict[str, Any]], segments: list[dict[str, Any]] | None = None, today: date = LATER
) -> dict[int, list[dict[str, Any]]]:
    """Return rows of distillates per tier, as one run long after would make them."""
    rows: dict[int, list[dict[str, Any]]] = {1: [], 2: [], 3: [], 4: []}
    for node in plan_tiers(day_inputs(observations, segments or []), AFTER, today).nodes:
        if row := build_distillate_row(node):
            rows[node.period.tier].append(row)
    return rows


FILLER = [
    observation(n, f"Looked at module {name} and how it reads its input before anything was changed there", "status", "low")
    for n, name in enumerate(["alpha", "beta", "gamma", "delta", "epsilon", "zeta"], start=100)
]


@each_case(
    ("day", "week", "month"),
    [
        (date(2026, 3, 2), date(2026, 3, 2), date(2026, 3, 1)),
        (date(2025, 12, 31), date(2025, 12, 29), date(2026, 1, 1)),
        (date(2026, 8, 1), date(2026, 7, 27), date(2026, 7, 1)),
    ],
)
def test_a_week_belongs_to_the_month_of_its_thursday(day: date, week: date, month: date) -> None:
    """Every day reaches exactly one month, as in ISO 8601."""
    of_day = find_parent_period(find_period(DAY, day))
    assert of_day is not None
    assert of_day.start == week
    of_week = find_parent_period(of_day)
    assert of_week is not None
    assert of_week.start == month


def test_a_period_is_due_after_its_end_and_never_before_the_tiers_below() -> None:
    """A week of 14 days ago is due when its last day ended 14 days ago."""
    week = find_period(WEEK, MONDAY)
    assert not is_due(week, AFTER, date(2026, 3, 21))
    assert is_due(week, AFTER, date(2026, 3, 22))
    assert not is_due(Period(WEEK, week.start, week.end), (30, 14, 60, 365), date(2026, 4, 1))
    assert find_period(YEAR, MONDAY).end == date(2026, 12, 31)


def test_a_day_keeps_its_story_decisions_and_completions_and_groups_what_is_skimmed() -> None:
    """Commits become one bullet, touched files another, and low facts give way."""
    rows = [
        observation(1, "Use Postgres for the job store, because two hosts claim jobs"),
        observation(2, 'Committed "store: move to postgres".', "completion", "medium"),
        observation(3, 'Committed and pushed "store: port the tests" (4f1c2aa): edited test_store.py.', "completion", "medium"),
        observation(4, "Created src/pg_store.py: defines claim, finish, fail, connect, and a pool.", "file_change", "medium"),
        observation(5, "Edited src/worker.py: replaced the old import and the constructor call.", "file_change", "low"),
        *FILLER,
    ]
    day = distilled(rows, [segment(1, "The queue moved to another database over one long evening.")])[DAY][0]
    assert day["text"].splitlines()[0] == "The queue moved to another database over one long evening."
    assert "- 🔴 Use Postgres for the job store, because two hosts claim jobs" in day["text"]
    assert "- ✅ Committed: store: move to postgres; store: port the tests" in day["text"]
    assert "Created src/pg_store.py; Edited src/worker.py" in day["text"]
    assert day["output_tokens"] < day["input_tokens"]


def test_a_week_joins_related_facts_and_drops_what_was_solved() -> None:
    """The error goes, its cause and its fix stay; three lines about Redis become one."""
    rows = [
        observation(1, "Installed Redis", "state_change"),
        observation(2, "Redis on port 6379", "state_change"),
        observation(3, "Redis runs in Docker", "state_change"),
        observation(4, "The webhook test fails with a timeout in the sender", "error", "medium"),
        observation(
            5, "Root cause: the sender waited for a webhook answer without a timeout", "root_cause", day=date(2026, 3, 4)
        ),
        observation(6, "Fixed the webhook sender: the timeout is 12 s", "fix", day=date(2026, 3, 4)),
        *FILLER,
    ]
    week = distilled(rows)[WEEK][0]["text"]
    redis = [line for line in week.splitlines() if "6379" in line]
    assert len(redis) == 1
    assert "Installed Redis" in redis[0]
    assert "Docker" in redis[0]
    assert "fails with a timeout" not in week
    assert "Root cause" in week
    assert "12 s" in week
    assert "module alpha" not in week


def test_a_month_drops_files_and_commits_and_tells_outcomes_while_there_is_room() -> None:
    """Rules and decisions stay, and what came of a request; files and commits stand in git."""
    rows = [
        observation(1, 'Joel set a rule: "never deploy after 18:00, whatever it is"', "rule"),
        observation(2, "Created src/pg_store.py: defines claim", "file_change", "medium"),
        observation(3, 'Committed "store: move to postgres".', "completion", "medium"),
        observation(4, 'Joel asked: "add that dependency" Outcome: The linter reads types now.', "request", "medium"),
        *FILLER,
    ]
    month = distilled(rows)[MONTH][0]["text"]
    assert '- 🔴 Rule: "never deploy after 18:00, whatever it is" (03-02)' in month
    assert "The linter reads types now." in month
    assert "postgres" not in month
    assert "pg_store" not in month


def test_a_long_month_takes_wordings_back_before_it_drops_a_fact() -> None:
    """Where room is short, facts lose their outcomes first."""
    outcome = "it went as planned there, " * 12
    rows = [
        observation(n, f"Part {n} goes to {chr(97 + n % 26) * 6} Outcome: {outcome}{n}.", day=MONDAY + timedelta(days=n % 5))
        for n in range(120)
    ]
    month = distilled(rows)[MONTH][0]
    told = [line for line in month["text"].splitlines() if line.startswith("- 🔴 Part ")]
    assert len(told) > len([line for line in told if "it went as planned" in line])


def test_what_was_asked_twice_keeps_both_outcomes() -> None:
    """The same words with another outcome are another fact; with the same outcome they are a repetition."""
    asked = 'Joel asked: "restart the worker and look at the queue"'
    rows = [
        observation(1, f"{asked} Outcome: The queue was empty.", "request", "medium"),
        observation(2, f"{asked} Outcome: The token had expired.", "request", "medium", day=date(2026, 3, 3)),
        observation(3, f"{asked} Outcome: The token had expired.", "request", "medium", day=date(2026, 3, 4)),
        *FILLER,
    ]
    week = distilled(rows)[WEEK][0]["text"]
    assert week.count("The queue was empty") == week.count("The token had expired") == 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 9999), st.integers(1, 14))
def test_a_short_day_tells_every_fact_or_stays_as_it_is(seed: int, size: int) -> None:
    """Its narrative gives way, its facts do not: no fact of a short day is lost to its size."""
    rng = random.Random(seed)
    rows = [
        observation(n, f"Number {n} {' '.join(rng.choices(WORDS, k=rng.randrange(6, 20)))}", "request", "medium")
        for n in range(size)
    ]
    story = segment(1, " ".join(rng.choices(WORDS, k=rng.randrange(4, 60))).capitalize() + ".")
    for day in distilled(rows, [story])[DAY]:
        assert all(f"Number {n} " in day["text"] for n in range(size))


def test_opposites_and_values_are_never_joined_in_one_bullet() -> None:
    """Two TTLs and a reversed rule stay apart when nothing retired them."""
    rows = [
        observation(1, "Cache TTL 300 s", "state_change"), observation(2, "Cache TTL 60 s", "state_change"),
        observation(3, "Allow force pushes", "rule"), observation(4, "Forbid force pushes", "rule"), *FILLER,
    ]  # fmt: skip
    bullets = [line for line in distilled(rows)[WEEK][0]["text"].splitlines() if "TTL" in line or "force" in line]
    assert len(bullets) == 4


def test_a_retired_fact_is_folded_into_its_successor_and_a_duplicate_is_not() -> None:
    """The item shows the replaced claim; a mere repetition is left out."""
    rows = [
        observation(1, "Cache TTL is 300 s", superseded_by="o-0002"),
        observation(2, "Cache TTL is now 60 s"),
        observation(3, "Never push without asking", "rule", superseded_by="o-0004"),
        observation(4, "never push without asking!", "rule", also=["s1:e3"]),
        *FILLER,
    ]
    day = distilled(rows)[DAY][0]
    assert "Cache TTL is now 60 s (earlier: Cache TTL is 300 s)" in day["text"]
    assert day["text"].lower().count("never push") == 1
    assert {"s1:e3", "s1:e4"} <= set(day["entry_refs"])
    assert not {"o-0001", "o-0003"} & set(day["child_ids"])


def test_a_report_that_became_outdated_is_no_claim_that_was_replaced() -> None:
    """It went by the former value; the newer fact took the place of nothing, or of another fact."""
    new = observation(3, "Jobs are submitted with qsub")
    report = observation(2, "Checked the queue with sbatch -p tidal", "fix", superseded_by="o-0003")
    old = observation(1, "Jobs are submitted with sbatch", superseded_by="o-0003")
    for rows, earlier in (([new, report], ""), ([new, report, old], "Jobs are submitted with sbatch")):
        [leaf] = day_inputs(rows, [], ["o-0002"]).read("/code/app", MONDAY)
        assert leaf.item.earlier == earlier


def test_of_several_replaced_facts_the_claim_is_told_and_not_the_report() -> None:
    """The newest is a report about the former value; what a reader must know is the value that was replaced."""
    rows = [
        observation(1, "The broker listens on port 1883", "fact", superseded_by="o-0003"),
        observation(2, "Root cause: the gateway dialled 8883", "root_cause", superseded_by="o-0003"),
        observation(3, "The broker listens on port 8884 with TLS", "state_change"),
        *FILLER,
    ]
    [day] = distilled(rows)[1]
    assert "(earlier: The broker listens on port 1883)" in day["text"]


def test_a_day_too_small_to_condense_passes_its_facts_up() -> None:
    """A single fact cannot become smaller, so it stays as it is and is a child of the week."""
    rows = [observation(1, "Use pnpm"), observation(2, "Use vitest for tests", day=date(2026, 3, 3)), *FILLER[:3]]
    rows[2:] = [row | {"day": date(2026, 3, 3)} for row in rows[2:]]
    tiers = distilled(rows)
    assert [row["period_start"] for row in tiers[DAY]] == [date(2026, 3, 3)]
    week = tiers[WEEK][0]
    assert "o-0001" in week["child_ids"]
    assert "Use pnpm" in week["text"]


def test_when_no_level_helps_nothing_is_committed() -> None:
    """The ladder ends with None, never with an empty or larger text."""
    (leaf,) = day_inputs([observation(1, "Use pnpm")], []).read("/code/app", MONDAY)
    assert condense(WEEK, [leaf.item], leaf.tokens) is None
    assert len(DETAIL_LEVELS) == 5


WORDS = "cache worker queue store parser session token index branch deploy timeout header theme config schema".split()  # noqa: SIM905


def history(seed: int, size: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Random observations and segments over 70 days."""
    rng = random.Random(seed)
    kinds = ["decision", "rule", "status", "file_change", "completion", "error", "fix", "root_cause", "question", "preference"]
    observations = [
        observation(
            n, " ".join(rng.choices(WORDS, k=rng.randrange(3, 16))).capitalize(),
            rng.choice(kinds), rng.choice(["high", "medium", "low"]),
            day=MONDAY + timedelta(days=rng.randrange(70)),
        )
        for n in range(size)
    ]  # fmt: skip
    segments = [
        segment(n, " ".join(rng.choices(WORDS, k=12)).capitalize() + ".", MONDAY + timedelta(days=n)) for n in range(0, 70, 7)
    ]
    return observations, segments


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 9999), st.integers(1, 120))
def test_every_distillate_is_smaller_than_its_children_and_cites_exactly_what_they_cite(seed: int, size: int) -> None:
    """Compression is counted over the same content; the union of citations is neither more nor less."""
    observations, segments = history(seed, size)
    tiers = distilled(observations, segments)
    days = day_inputs(observations, segments)
    known = {leaf.item.id: leaf for place in days.list_days() for leaf in days.read(*place)}
    made: dict[str, PeriodInput | dict[str, Any]] = {
        **known,
        **{row["distillate_id"]: row for rows in tiers.values() for row in rows},
    }
    for row in (row for rows in tiers.values() for row in rows):
        children = [made[name] for name in row["child_ids"]]
        refs = {ref for child in children for ref in (child.refs if isinstance(child, PeriodInput) else child["entry_refs"])}
        size_in = sum(child.tokens if isinstance(child, PeriodInput) else child["output_tokens"] for child in children)
        assert row["text"]
        assert row["output_tokens"] == count_tokens(row["text"]) < row["input_tokens"] == size_in
        assert set(row["entry_refs"]) == refs
        assert 0 <= row["level"] <= 4


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 9999), st.randoms(use_true_random=False))
def test_the_order_of_rows_never_matters(seed: int, rng: random.Random) -> None:
    """The same inputs give the same distillates."""
    observations, segments = history(seed, 60)
    expected = distilled(observations, segments)
    rng.shuffle(observations)
    rng.shuffle(segments)
    assert distilled(observations, segments) == expected


@settings(max_examples=30, deadline=None)
@given(st.sets(st.integers(0, 800), min_size=1, max_size=30), st.integers(0, 900))
def test_the_periods_that_are_due_follow_from_the_days_alone(places: set[int], later: int) -> None:
    """What tells whether a night has new periods to condense names exactly those that a plan over rows of these days has."""
    days = [MONDAY + timedelta(days=place) for place in places]
    today = MONDAY + timedelta(days=later)
    rows = [segment(number, "The parser reads headers.", day) for number, day in enumerate(days)]
    planned = {f"{node.period.tier} {node.period.start}" for node in plan_tiers(day_inputs([], rows), AFTER, today).nodes}
    assert list_due_periods(days, AFTER, today) == sorted(planned)


def merge_every_pair(facts: list[PeriodItem]) -> list[PeriodItem]:
    """Return the facts merged as `_merge_related` merges them, but with every pair compared."""
    merged: list[PeriodItem] = []
    for item in sorted(facts, key=lambda item: (-item.salience, item.order, item.id)):
        claims = [split_claim(other.text).claim for other in (*merged, item)]
        for position, other in enumerate(merged):
            if joined := period_selection._join_facts(other, claims[position], item, claims[-1]):
                merged[position] = replace(joined, sources=other.sources | item.sources)
                break
        else:
            merged.append(item)
    return sorted(merged, key=lambda item: (item.order, item.id))


@each_case("seed", range(8))
def test_facts_without_common_words_need_no_comparison(seed: int) -> None:
    """Related facts of a period merge as if every pair had been compared, and some of them do merge."""
    choice = random.Random(seed)
    words = [
        "redis",
        "postgres",
        "cache",
        "queue",
        "port",
        "5432",
        "`web`",
        "docker",
        "never",
        "runs",
        "timeout",
        "30 s",
        '"fast"',
    ]
    items = [
        PeriodItem(
            f"o-{n}", choice.choice(("decision", "status", "completion")), choice.choice(("high", "low")),
            " ".join(choice.sample(words, choice.randint(1, 6))), MONDAY, (float(n), "s1", n), sources=frozenset({f"o-{n}"}),
        )
        for n in range(80)
    ]  # fmt: skip
    merged = period_selection._merge_related(items)
    assert merged == merge_every_pair(items)
    assert len(merged) < len(items)


def test_a_sentence_that_tells_a_replaced_fact_is_left_out() -> None:
    """Beside the fact itself, which a later day replaced, only the narrative would still tell it; what holds stays."""
    narrative = "Shows are saved as one YAML file per show. The mixer was cleaned with a brush."
    rows = [
        observation(1, "One YAML file per show is how shows are saved", "decision", superseded_by="o-0002"),
        observation(2, "Shows are saved in SQLite", "decision", "high", day=date(2026, 3, 3), session_id="s2"),
    ]
    texts = [row["text"] for row in distilled([*rows, *FILLER], [segment(1, narrative)])[1]]
    assert "mixer was cleaned" in texts[0]
    assert "YAML" not in texts[0]


def test_a_sentence_about_what_holds_and_what_went_stays() -> None:
    """It tells the change itself: the fact that holds has as many of its words."""
    narrative = "The send rate went from 44 Hz to 40 Hz."
    rows = [
        observation(1, "The send rate is 44 Hz", "decision", superseded_by="o-0002"),
        observation(2, "The send rate is 40 Hz, was 44 Hz", "decision", "high"),
    ]
    node = plan_tiers(day_inputs(rows, [segment(1, narrative)]), AFTER, LATER).nodes[0]
    assert narrative in [item.text for item in collect_items(node)]


def test_what_is_asked_again_and_again_in_one_form_is_one_line_of_a_month_and_of_a_year() -> None:
    """A year had 52 objections of one form; what settles something stays, whatever its form."""
    names = ("mailer", "importer", "export", "ledger", "refund")
    rows = [
        observation(
            10 * month + number, f'User objected: "why did you touch {name}.py? I only asked about the {name}"', "correction",
            day=date(2026, month, 2 + number),
        )
        for month in (3, 4)
        for number, name in enumerate(names)
    ]  # fmt: skip
    rows += [
        observation(90 + number, f"The {name} runs on a port of its own, with the number {number}", day=date(2026, 3, 9 + number))
        for number, name in enumerate(names)
    ]
    texts = distilled(rows)
    march = texts[MONTH][0]["text"]
    assert march.count("why did you touch") == 1
    assert 'why did you touch refund.py? I only asked about the refund" (5 alike) (03-06)' in march
    assert all(f"The {name} runs" in march for name in names)
    (year,) = texts[YEAR]
    assert year["text"].count("why did you touch") == 1
    assert "(10 alike) (04-06)" in year["text"]


CHANGED = "in part replaced 2026-03-20: the run starts at 04:15"


def test_a_day_and_the_tiers_above_say_what_holds_instead_of_a_part_of_a_fact() -> None:
    """A narrative that tells the fact says it, too; a sentence about something else stays."""
    narrative = "The nightly run starts at 02:30 and ends by 06:00. The mixer was cleaned with a brush."
    rows = [observation(1, "The nightly run starts at 02:30 and ends by 06:00", "rule"), *FILLER]
    frames = day_inputs(rows, [segment(1, narrative)])
    plain = plan_tiers(frames, AFTER, LATER)
    marked = plan_tiers(day_inputs(rows, [segment(1, narrative)], changed={"o-0001": CHANGED}), AFTER, LATER)
    for before, node in zip(plain.nodes, marked.nodes, strict=True):
        assert (node.id, node.paid_id) != (before.id, before.paid_id)
        texts = {item.id: item for item in collect_items(node)}
        assert texts["o-0001"].changed == CHANGED
        assert texts["s-0001"].text == (
            f"The nightly run starts at 02:30 and ends by 06:00 ({CHANGED}). The mixer was cleaned with a brush."
        )
    text = build_distillate_row(marked.nodes[0])
    assert text is not None
    assert f"- 🔴 The nightly run starts at 02:30 and ends by 06:00 ({CHANGED})" in text["text"]


def test_what_goes_on_to_hold_beside_a_fact_is_said_behind_the_fact_and_in_no_narrative() -> None:
    """Behind a sentence of the narrative it would be said twice, and mostly of something else that the sentence tells."""
    said = "The nightly run starts at 02:30 and ends by 06:00"
    still = "still, from 2026-03-01: the run has a lock"
    for mark, told in ((still, f"{said}."), (f"{CHANGED}; {still}", f"{said} ({CHANGED}).")):
        frames = day_inputs([observation(1, said, "rule"), *FILLER], [segment(1, f"{said}.")], changed={"o-0001": mark})
        for node in plan_tiers(frames, AFTER, LATER).nodes:
            texts = {item.id: item for item in collect_items(node)}
            assert texts["o-0001"].changed == mark
            assert texts["s-0001"].text == told


def test_a_fact_of_which_a_part_changed_is_not_absorbed_by_another_one() -> None:
    """With it the only words about the change would go."""
    rows = [
        observation(1, "The nightly run starts at 02:30 and the alert comes at 05:30", "rule"),
        observation(2, "The nightly run starts at 02:30", "rule"),
    ]
    node = plan_tiers(day_inputs([*rows, *FILLER], [], changed={"o-0002": CHANGED}), AFTER, LATER).nodes[0]
    row = build_distillate_row(node)
    assert row is not None
    assert CHANGED in row["text"]


def test_a_condensed_fact_says_until_when_it_holds() -> None:
    """Months later nobody can tell which Friday was meant, and the wish looked as if it held."""
    texts = ("No deploys until Friday", "Just this once push to main", "Keep answers short")
    items = [
        PeriodItem(f"o-{number}", "rule", "high", text, MONDAY + timedelta(1), (float(number), "s1", number))
        for number, text in enumerate(texts)
    ]
    text = render_items(MONTH, items)
    assert "No deploys until Friday (03-03, until 03-06)" in text
    assert "Just this once push to main (03-03, that day only)" in text
    assert text.endswith("Keep answers short (03-03)")
