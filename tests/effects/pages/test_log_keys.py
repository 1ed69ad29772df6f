"""A daily log is rendered again when anything that it shows changed, and only then."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from effects.pages.log_keys import compute_log_key, hash_log_windows
from tests.each_case import each_case
from transforms.memory.proposal_outcomes import DayOutcomes, NewProposal
from transforms.pages.daily_log import LogSigns, build_log_windows, build_skipped_windows
from transforms.tables.schema import OBSERVATIONS, SEGMENTS, SESSIONS, TABLES, WINDOWS, build_frame
from transforms.timeline.day_summary import summarise_day

FIRST, DAYS, ZONE = date(2026, 3, 2), 6, ZoneInfo("Europe/Berlin")
MARKS, OUTDATED = {"o-3": "app.py is gone"}, frozenset({"o-5"})
SPARE: dict[str, dict[str, object]] = {
    "sessions": {"title": "Another title", "project": "/b/app", "source_path": "/s/other.jsonl", "is_closed": True,
                 "entry_count": 1, "is_subagent": True},
    "windows": {"kind": "cap", "files_modified": ["/a/app/x.py"], "files_read": ["y"], "current_task": "Another task",
                "suggested_response": "Another step", "status": "skipped", "reason": "no_text", "last_ordinal": 0,
                "started_at": datetime(2026, 3, 1, 7, tzinfo=UTC), "user_message_count": 3},
    "segments": {"title": "Another topic", "narrative": "", "first_line": 0, "last_line": 90, "first_ordinal": 50,
                 "started_at": datetime(2026, 3, 1, 9, tzinfo=UTC)},
    "observations": {"text": "Another text", "priority": "low", "superseded_by": "o-0", "verdict": "hold", "window_id": "w-0",
                     "said_at": datetime(2026, 3, 1, 8, tzinfo=UTC), "segment_id": "s-0"},
}  # fmt: skip


def make_frames() -> dict[str, pl.DataFrame]:
    """Return a session a day with a window, a topic and two facts; each second fact is replaced by one of the next day."""
    sessions, windows, segments, facts = [], [], [], []
    for n in range(DAYS):
        day = FIRST + timedelta(days=n)
        moment = datetime(day.year, day.month, day.day, 9, tzinfo=UTC)
        place = {"window_id": f"w-{n}", "session_id": f"one{n}", "day": day}
        sessions.append(
            {
                "session_id": f"one{n}",
                "title": f"Session {n}",
                "project": "/a/app",
                "entry_count": 9,
                "source_path": f"/s/{n}.jsonl",
                "is_closed": False,
                "is_subagent": False,
            }
        )
        windows.append(
            {
                **place,
                "kind": "closing",
                "status": "distilled",
                "started_at": moment,
                "reason": "",
                "files_read": [],
                "files_modified": ["a.py"],
                "current_task": "Task",
                "suggested_response": "Step",
                "last_ordinal": 8,
                "user_message_count": 4,
            }
        )
        segments.append(
            {
                **place,
                "segment_id": f"s-{n}",
                "title": f"Topic {n}",
                "narrative": "It was read.",
                "first_ordinal": 0,
                "first_line": 1,
                "last_line": 9,
            }
        )
        facts += [
            {**place, "observation_id": f"o-{k}", "segment_id": f"s-{n}", "verdict": "allow", "priority": "high",
             "text": f"Fact {k}", "said_at": moment + timedelta(minutes=k), "kind": "decision",
             "superseded_by": f"o-{k + 2}" if k % 2 and n + 1 < DAYS else None}
            for k in (2 * n, 2 * n + 1)
        ]  # fmt: skip
    return {"windows": build_frame(WINDOWS, windows), "sessions": build_frame(SESSIONS, sessions),
            "segments": build_frame(SEGMENTS, segments), "observations": build_frame(OBSERVATIONS, facts)}  # fmt: skip


def list_log_days(frames: dict[str, pl.DataFrame]) -> dict[date, str]:
    """Return what the log of each day shows."""
    built = build_log_windows(*frames.values(), ZONE, LogSigns(MARKS, OUTDATED))
    skipped = build_skipped_windows(frames["windows"], frames["sessions"], ZONE)
    return {
        day: repr([window for window in [*built, *skipped] if window.day == day]) for day in frames["windows"]["day"].unique()
    }


@each_case("table", SPARE)
def test_whatever_changes_a_log_changes_its_hash(table: str) -> None:
    """Every column that a log shows, in the row of one day: the logs that differ are among the days whose hashes differ."""
    frames = make_frames()
    shown, hashes = list_log_days(frames), hash_log_windows(*frames.values(), MARKS, OUTDATED)
    shows = 0
    for column, value in SPARE[table].items():
        rows = frames[table].to_dicts()
        rows[5][column] = value
        changed = frames | {table: build_frame(TABLES[table], rows)}
        differing = {day for day, text in list_log_days(changed).items() if text != shown[day]}
        rehashed = hash_log_windows(*changed.values(), MARKS, OUTDATED)
        assert differing <= {day for day in rehashed if rehashed[day] != hashes[day]}, column
        shows += bool(differing)
    assert shows >= len(SPARE[table]) - 3, "the values were chosen to be seen"
    marked = hash_log_windows(*frames.values(), MARKS | {"o-6": "x"}, OUTDATED | {"o-8"})
    assert {day for day in hashes if hashes[day] != marked[day]} == {FIRST + timedelta(days=3), FIRST + timedelta(days=4)}


def test_a_hash_holds_for_rows_in_any_order_and_for_other_columns() -> None:
    """What a log does not show is none of its business: what the comparison noted about facts of other days."""
    frames = make_frames()
    hashes = hash_log_windows(*frames.values(), MARKS, OUTDATED)
    shuffled = {name: rows.sample(fraction=1.0, shuffle=True, seed=4) for name, rows in frames.items()}
    shuffled["observations"] = shuffled["observations"].with_columns(
        compared_with=pl.lit("now"), merged_count=pl.lit(7, pl.Int32)
    )
    assert hash_log_windows(*shuffled.values(), MARKS, OUTDATED) == hashes


def test_the_key_of_a_log_holds_its_page_its_base_and_the_proposals_of_its_day() -> None:
    """A page that is gone is not an empty one."""
    outcomes = DayOutcomes((NewProposal("p-1", "Rules", "Never push"),), ())
    keys = [
        compute_log_key("hash", None, "text", "base"), compute_log_key("other", None, "text", "base"),
        compute_log_key("hash", outcomes, "text", "base"), compute_log_key("hash", None, "", "base"),
        compute_log_key("hash", None, None, "base"), compute_log_key("hash", None, "text", ""),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)


def test_a_log_shows_the_parts_of_a_message_in_its_order() -> None:
    frames = make_frames()
    moment = frames["observations"]["said_at"][0]
    frames["observations"] = frames["observations"].with_columns(said_at=pl.lit(moment))
    places = {"o-0": 1, "o-1": 0}
    for signs, shown in ((LogSigns(), ["Fact 0", "Fact 1"]), (LogSigns(places=places), ["Fact 1", "Fact 0"])):
        first, *_ = build_log_windows(*frames.values(), ZONE, signs)
        assert [fact.text for fact in first.segments[0].facts] == shown


def test_a_topic_on_top_of_a_day_has_its_own_time() -> None:
    """All topics of a window had its time."""
    frames = make_frames()
    (window, *_) = build_log_windows(
        *frames.values(), ZONE, LogSigns(topic_times={"s-0": datetime(2026, 3, 2, 11, 7, tzinfo=UTC)})
    )
    summary = summarise_day([replace(window, segments=window.segments * 9)])
    assert summary.topics == ("12:07 Topic 0",)


def test_what_another_fact_of_its_message_has_whole_is_left_out_of_a_log() -> None:
    first, *_ = build_log_windows(*make_frames().values(), ZONE, LogSigns(repeated={"o-0"}))
    assert [fact.text for fact in first.segments[0].facts] == ["Fact 1"]
