"""The failures of the system before this one, by number: each has a test. Those that no other test has are here.

`CASES` names the test of each failure, so that none of them is dropped unnoticed.
"""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from benchmarks.distil.planting.transcript import Transcript
from effects.config.settings import EmbeddingSettings, ReviewSettings, Settings
from effects.store.run import Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from tests.effects.memory_world import World
from transforms.tables.schema import TABLES

ROOT = Path(__file__).parents[1]
HERE = "tests/test_lessons.py"
REFLECT = "tests/effects/memory/reflect_step/test_reflect_step.py"
MERGES = "tests/transforms/merging/test_deduplicate.py"
CASES = {
    1: (HERE, "test_words_beside_the_id_of_a_tool_call_and_rules_that_look_like_commands_are_kept"),
    2: (HERE, "test_a_session_without_a_conversation_is_skipped_with_the_reason"),
    3: (HERE, "test_a_decision_at_the_end_of_a_long_session_is_found"),
    4: ("tests/effects/ingest/test_ingest_step.py", "test_a_second_run_opens_nothing_and_changes_no_byte"),
    5: (HERE, "test_a_grown_session_is_distilled_from_where_it_grew"),
    6: (MERGES, "test_regression_6_a_comma_or_a_paraphrase_merges_and_a_different_path_does_not"),
    7: (MERGES, "test_regression_7_a_duplicate_five_days_later_merges"),
    8: (REFLECT, "test_an_id_is_not_used_again_after_its_proposal_is_gone"),
    9: (REFLECT, "test_a_refused_proposal_is_not_proposed_again_in_other_words"),
    10: (REFLECT, "test_a_backfill_of_a_hundred_sessions_is_one_reflection_and_a_short_list"),
    11: (REFLECT, "test_a_preference_is_never_filed_as_a_hard_rule"),
    12: (REFLECT, "test_decided_proposals_are_not_decided_again"),
    13: (REFLECT, "test_expired_text_is_kept_and_comes_back_only_with_new_evidence"),
    14: (HERE, "test_two_compactions_of_a_session_are_both_in_the_daily_log"),
    15: ("tests/effects/memory/test_memory_golden.py", "test_every_time_of_day_stands_in_the_transcript"),
    16: (HERE, "test_a_limit_below_the_evidence_delays_lines_and_loses_none"),
    17: ("tests/effects/distil/test_distil_step.py", "test_one_failing_window_costs_no_other_and_is_tried_three_times"),
    18: ("tests/effects/recall/test_ask.py", "test_without_a_model_the_index_is_searched_by_words"),
    19: ("tests/effects/recall/test_ask.py", "test_a_broken_index_does_not_stop_a_question"),
    20: ("tests/effects/recall/test_ask.py", "test_an_interrupted_rebuild_leaves_the_old_index"),
    21: (HERE, "test_a_fact_that_nobody_asked_for_stays"),
    22: ("tests/effects/memory/test_friction_step.py", "test_one_session_is_not_enough_evidence"),
    23: ("tests/effects/ingest/test_ingest_step.py", "test_secrets_never_reach_the_lake_not_even_in_quarantine_or_titles"),
    24: ("tests/flows/pipelines/test_pipelines_missed_week.py", "test_a_missed_week_heals_in_one_run"),
    25: (HERE, "test_every_table_has_a_reader"),
}  # fmt: skip
START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PROJECT = "/work/ferry"
FORCE_PUSH = "git push --force is never allowed on main"
TOOL_ID = "tool" + "u_01AbCdEfGhIjKlMnOpQrStUv"
LATE = "we decided: the timetable is stored in sqlite because the ferry has no network"
ASIDES = (
    "why does the parser skip the second line?", "show me the fixture of the harbour", "what is in the log of the last crossing?",
    "and the prices?", "rename the helper, its name says nothing", "can the page scroll to the next departure?",
)  # fmt: skip


def test_each_of_the_25_failures_has_a_test() -> None:
    assert sorted(CASES) == list(range(1, 26))
    for path, name in CASES.values():
        assert re.search(rf"(?m)^def {name}\(", (ROOT / path).read_text(encoding="utf-8")), (path, name)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return the run of the last night over a long session that was compacted twice and grew, and one without a conversation."""
    root = tmp_path_factory.mktemp("lessons")
    settings = Settings(
        sessions=(root / "sessions",), lake=root / "lake", workspace=root / "workspace", timezone="UTC", owner="mara",
        embedding=EmbeddingSettings(model=str(root / "none")),
    )  # fmt: skip
    stub = Transcript(random.Random(2), PROJECT, START)
    stub.user("Session transcript not available at shutdown, use the daily log")
    stub.write(root / "sessions")
    long = Transcript(random.Random(1), PROJECT, START)
    for part in range(3):
        for number, aside in enumerate(ASIDES):
            long.user(f"{aside} ({('first', 'second', 'third')[part]} time)")
            long.agent(f"The parser skips it since it looks for a heading; I read file {number} again. " * 8)
        if part == 0:
            long.user(f"{FORCE_PUSH}, see call {TOOL_ID}")
            long.tool("", "bash", {"command": "git log"}, f"{TOOL_ID} done")
        if part < 2:
            _compact(long)
    long.write(root / "sessions")
    _run_night(settings, days=1)
    long.user(LATE)
    long.agent("Understood.")
    for aside in ASIDES:
        long.user("now again, " + aside)
        long.agent("It looks for a heading.")
    long.write(root / "sessions")
    _run_night(settings, days=2)
    return _run_night(settings, days=400)


def _compact(transcript: Transcript) -> None:
    transcript.pause(5)
    entry = dict(transcript.lines[-1])
    kept = entry["id"]
    compaction = {"type": "compaction", "summary": "The parser was looked at.", "firstKeptEntryId": kept, "tokensBefore": 9000}
    transcript.lines.append(
        compaction | {"id": f"c{len(transcript.lines):07x}", "parentId": kept, "timestamp": entry["timestamp"]}
    )


def _run_night(settings: Settings, days: int) -> Run:
    run = open_run(settings, START.replace(hour=3) + timedelta(days=days))
    with run.lake.writing("test"):
        for step in NIGHTLY_STEPS:
            step(run)
    return run


def _texts(run: Run) -> list[str]:
    return run.lake.read("observations").filter(pl.col("verdict") == "allow")["text"].to_list()


def test_words_beside_the_id_of_a_tool_call_and_rules_that_look_like_commands_are_kept(lived: Run) -> None:
    """A line of the file that holds the id of a call was once dropped whole, and a rule that begins with `git` as a command."""
    assert any(FORCE_PUSH in text for text in _texts(lived))


def test_a_session_without_a_conversation_is_skipped_with_the_reason(lived: Run) -> None:
    skipped = lived.lake.read("windows").filter(pl.col("status") == "skipped")
    assert "too_few_user_messages" in skipped["reason"].to_list()
    assert not any("transcript not available" in text for text in _texts(lived))


def test_a_decision_at_the_end_of_a_long_session_is_found(lived: Run) -> None:
    entries = lived.lake.read("entries").sort("ordinal")
    before = [text or "" for text in entries["text"].to_list()]
    position = next(index for index, text in enumerate(before) if LATE in text)
    assert sum(map(len, before[:position])) > 8_000
    assert any("sqlite" in text for text in _texts(lived))


def test_a_grown_session_is_distilled_from_where_it_grew(lived: Run) -> None:
    """Every entry is in one window, and the decision that came later is told once."""
    coverage = lived.lake.read("coverage")
    assert coverage.height == lived.lake.read("entries").height
    assert sum("sqlite" in text for text in _texts(lived)) == 1


def test_two_compactions_of_a_session_are_both_in_the_daily_log(lived: Run) -> None:
    page = (lived.settings.workspace / "memory" / f"{START:%Y-%m-%d}.md").read_text(encoding="utf-8")
    assert page.count("**Trigger**: compaction") == 2
    assert page.count("<!-- recollect:window ") == lived.lake.read("windows").filter(pl.col("status") == "distilled").height


def test_a_fact_that_nobody_asked_for_stays(lived: Run) -> None:
    """Four hundred days later: nothing ages by not being read."""
    rule = lived.lake.read("observations").filter(pl.col("text").str.contains(FORCE_PUSH, literal=True))
    assert set(rule["verdict"]) == {"allow"}
    assert FORCE_PUSH in (lived.settings.workspace / "briefing" / "ferry.md").read_text(encoding="utf-8")


def test_a_limit_below_the_evidence_delays_lines_and_loses_none(tmp_path: Path) -> None:
    """Every line is proposed in the end, although each night proposes one."""
    world = World(tmp_path, settings={"review": ReviewSettings(per_week=2)})
    subjects = ("anchors", "buoys", "cranes", "docks", "engines", "flares")
    world.observe_all([world.observation(f'Joel set a rule: "never paint the {name} in winter"') for name in subjects])
    for day in range(42):
        world.days = day
        world.night()
        for proposal_id, row in world.proposals().items():
            if row["status"] == "pending":
                world.mark(proposal_id, "x")
    proposed = " ".join(row["text"] for row in world.proposals().values())
    assert [name for name in subjects if name not in proposed] == []


def test_every_table_has_a_reader() -> None:
    """What is written and never read is a feature that nobody has."""
    readers = [path for folder in ("effects", "recollect") for path in (ROOT / folder).rglob("*.py")]
    source = "\n".join(path.read_text(encoding="utf-8") for path in readers)
    unread = [
        name
        for name in TABLES
        if not re.search(rf'(?:read|scan|read_remembered|_read_rows)\([^)]*"{name}"|"{name}"[,)\]]', source)
    ]
    assert unread == []
