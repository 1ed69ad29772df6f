"""Topics inside a window: where they begin, and what holds for any window."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.conversation.entries import Entry
from transforms.windowing.boundary_features import (
    ACKNOWLEDGEMENT_WEIGHT,
    CONTINUATION_WEIGHT,
    MID_TURN_WEIGHT,
    NEXT_ITEM_WEIGHT,
    OPENING_WEIGHT,
    score_ending,
    score_opening,
    score_typed_opening,
)
from transforms.windowing.cohesion import measure_word_changes, weigh_words
from transforms.windowing.segments import LengthPrior, find_best_boundaries, segment_entries

START = datetime(2026, 5, 17, 9, 0, tzinfo=UTC)


def entry(ordinal: int, role: str | None, text: str = "", minutes: float = 0.0, **more: Any) -> Entry:
    """Return one entry; `command` makes it a call of bash."""
    command = more.pop("command", None)
    part = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": command}}
    values: dict[str, Any] = {
        "session_id": "s",
        "ordinal": ordinal,
        "entry_id": f"e{ordinal}",
        "parent_id": None,
        "line_no": ordinal + 1,
        "entry_type": "message",
        "role": role,
        "turn_kind": "typed" if role == "user" else None,
        "text": text,
        "tool_name": None,
        "tool_call_id": None,
        "is_error": False,
        "stop_reason": None,
        "token_count": 10,
        "said_at": START + timedelta(minutes=minutes),
        "on_active_branch": True,
        "flags": (),
        "raw_json": orjson.dumps({"message": {"role": role, "content": [part] if command else []}}).decode(),
    }
    return Entry(**values | more)


def work_on(first: int, topic: str, steps: int = 12, minutes: float = 0.0) -> list[Entry]:
    """Return a request about a topic, the agent's steps, and its answer."""
    entries = [entry(first, "user", f"{topic} {topic}s need work, see {topic}/README.md", minutes)]
    for step in range(1, steps):
        at = first + step
        if step % 2:
            entries.append(entry(at, "assistant", f"reading {topic}{step}.py", minutes, command=f"cat {topic}/{topic}_{step}.py"))
        else:
            entries.append(entry(at, "toolResult", "ok", minutes))
    return entries


def test_a_topic_begins_where_a_person_asks_for_something_else() -> None:
    entries = [*work_on(0, "cache", 20), *work_on(20, "invoice", 20, 5), *work_on(40, "theme", 20, 9)]
    assert segment_entries(entries) == [(0, 19), (20, 39), (40, 59)]


def test_settings_go_with_the_words_that_follow_them() -> None:
    settings = [entry(at, None, entry_type="thinking_level_change") for at in range(20, 30)]
    entries = [*work_on(0, "cache", 20), *settings, *work_on(30, "invoice", 20, 60)]
    assert segment_entries(entries) == [(0, 19), (20, 49)]


def test_answers_and_nudges_stay_with_their_topic() -> None:
    entries = [*work_on(0, "cache", 20), entry(20, "user", "yes, do that with the cache"), entry(21, "assistant", "cache done")]
    entries += [entry(22, "user", "continue"), entry(23, "assistant", "cache tested")]
    assert segment_entries(entries) == [(0, 23)]


def test_a_prompt_that_waited_parts_no_topic_from_what_follows_it() -> None:
    """It keeps the time at which it was typed: no pause stands behind it."""
    work = work_on(0, "the parser of dates and its tests", 20)
    work += [entry(20, "user", "run it over the whole archive", -40), entry(21, "user", "ok now the exporter of invoices")]
    assert segment_entries([*work, *work_on(22, "the parser of dates and numbers", 20)]) == [(0, 41)]


def test_ordinals_are_those_of_the_entries_also_when_other_windows_own_some_between() -> None:
    entries = [*work_on(10, "cache", 20), *work_on(50, "invoice", 20, 30)]
    assert segment_entries(entries) == [(10, 29), (50, 69)]


def test_windows_of_one_entry_of_settings_alone_or_without_entries() -> None:
    assert segment_entries([]) == []
    assert segment_entries([entry(7, "user", "hello")]) == [(7, 7)]
    assert segment_entries([entry(7, None, entry_type="label"), entry(8, None, entry_type="custom")]) == [(7, 8)]


ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "toolResult", "bashExecution", None]),
        st.sampled_from(["", "ok, now the cache", "Next: the invoice.", "continue", "theme colors in src/theme.ts"]),
        st.integers(-5, 300),
        st.sampled_from(["message", "compaction", "label", "mystery"]),
        st.integers(1, 3),
    ),
    max_size=60,
)


@given(ENTRIES)
def test_segments_cover_the_window_in_order_without_gap_or_overlap(drawn: list[tuple[str | None, str, int, str, int]]) -> None:
    ordinal, minutes = -1, 0.0
    entries = []
    for role, text, pause, kind, step in drawn:
        ordinal, minutes = ordinal + step, minutes + pause
        entries.append(entry(ordinal, role if kind == "message" else None, text, minutes, entry_type=kind))
    segments = segment_entries(entries)
    covered = [record.ordinal for first, last in segments for record in entries if first <= record.ordinal <= last]
    assert covered == [record.ordinal for record in entries]
    assert all(first <= last for first, last in segments)
    assert segments == segment_entries(entries)


@each_case(
    ("text", "expected"),
    [
        ("ok, now let's port the selector", OPENING_WEIGHT),
        ("alright, we need a section on themes", OPENING_WEIGHT),
        ("continue", ACKNOWLEDGEMENT_WEIGHT),
        ("looks good thanks", ACKNOWLEDGEMENT_WEIGHT),
        ("no, that breaks the session list", CONTINUATION_WEIGHT),
        ("why would we queue and then append?", CONTINUATION_WEIGHT),
        ("create a custom theme for me and open it", 0.0),
    ],
)  # fmt: skip
def test_how_words_of_a_person_open_a_topic(text: str, expected: float) -> None:
    assert score_typed_opening(text) == expected


def test_an_agent_that_moves_on_may_open_a_topic_and_results_never_do() -> None:
    assert (
        score_opening(entry(0, "assistant", "Excellent! All tests pass.\n\nNow WP3: events"))
        == MID_TURN_WEIGHT + NEXT_ITEM_WEIGHT
    )
    assert score_opening(entry(0, "assistant", "Now WP3: add event subscription")) == MID_TURN_WEIGHT + NEXT_ITEM_WEIGHT
    assert score_opening(entry(0, "assistant", "Great! Now publish to npm:")) == MID_TURN_WEIGHT + NEXT_ITEM_WEIGHT
    assert score_opening(entry(0, "assistant", "Let me check the file")) == MID_TURN_WEIGHT
    assert score_opening(entry(0, "toolResult", "Now")) is None
    assert score_opening(entry(0, "user", "/theme", turn_kind="command")) == ACKNOWLEDGEMENT_WEIGHT


def test_commits_releases_and_compactions_end_a_topic() -> None:
    for command in ("git add -A && git commit -m x", "git -C repo push", "npm publish"):
        assert score_ending(entry(0, "assistant", command=command)) > 0, command
    assert score_ending(entry(0, "assistant", command="git status")) == 0
    assert score_ending(entry(0, None, entry_type="compaction")) > 0


def test_the_change_of_words_is_one_where_nothing_is_shared_and_silent_units_are_skipped() -> None:
    units = weigh_words([{"cache": 1}, {}, {}, {"cache": 2}, {}, {"theme": 1}])  # type: ignore[list-item]
    assert measure_word_changes(units, [1, 5, 0], 1) == pytest.approx([0.0, 1.0, 1.0])


@given(st.integers(1, 60), st.dictionaries(st.integers(1, 59), st.floats(-5, 5), max_size=30), st.floats(0.01, 3))
def test_with_less_evidence_everywhere_there_are_never_more_topics(count: int, evidence: dict[int, float], less: float) -> None:
    fewer = find_best_boundaries(count, {at: item - less for at, item in evidence.items()}, LengthPrior(10))
    assert len(fewer) <= len(find_best_boundaries(count, evidence, LengthPrior(10)))


@given(st.integers(1, 60), st.dictionaries(st.integers(0, 70), st.floats(-5, 5), max_size=30))
def test_cuts_are_among_the_places_and_strong_evidence_wins(count: int, evidence: dict[int, float]) -> None:
    cuts = find_best_boundaries(count, evidence, LengthPrior(10))
    assert cuts[0] == 0
    assert cuts == sorted(set(cuts))
    assert set(cuts[1:]) <= {at for at in evidence if 0 < at < count}
    sure = find_best_boundaries(count, evidence | {count // 2: 1000.0}, LengthPrior(10))
    assert count < 2 or count // 2 in sure


def test_without_evidence_either_way_topics_have_their_usual_length() -> None:
    cuts = find_best_boundaries(40, dict.fromkeys(range(1, 40), 0.0), LengthPrior(10, 0.1))
    assert cuts == [0, 10, 20, 30]


BENCH = Path(__file__).resolve().parents[4] / "shared"


@pytest.mark.skipif(not (BENCH / "bench").is_dir(), reason="the gold sets are not here")
def test_gold_topics_of_real_sessions_are_found_better_than_by_even_spacing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floors with room: measured .23 and .22 WindowDiff, .72 and .65 F1@3; evenly on user turns .32 and .30, .58 and .43."""
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    from benchmarks.windowing.segmentation import _score_sessions

    figures = _score_sessions(sorted((BENCH / "bench" / "gold").glob("*.json")), BENCH / "sessions" / "real")
    assert len(figures) == 2
    for scores in (item["topics"] for item in figures.values()):
        assert scores["wd"] <= 0.28
        assert scores["f1@3"] >= 0.6
        assert 0.8 <= scores["density"] <= 1.25
