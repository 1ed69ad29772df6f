"""Names and pages of runs: a name with its days, links to pages, and a failure with the next command."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.each_case import each_case
from transforms.pages.run_page import (
    describe_outcome,
    describe_undistilled,
    format_engine_line,
    format_run_lines,
    is_nothing_distilled,
    name_run,
    render_failure_page,
    render_run_page,
)


@each_case(
    ("flow", "parameters", "name"),
    [
        ("nightly", {"as_of": "2026-05-18T03:30:00Z"}, "nightly 2026-05-18"),
        ("nightly", {"as_of": None}, "nightly 2026-05-19"),
        ("backfill", {"since": "2025-01-01", "until": None}, "backfill since 2025-01-01"),
        ("backfill", {"since": "2025-01-01", "until": "2025-02-01"}, "backfill 2025-01-01 to 2025-02-01"),
        ("session", {"path": "/home/me/a1b2.jsonl"}, "session a1b2.jsonl"),
    ],
)
def test_a_run_is_named_by_its_flow_and_days(flow: str, parameters: dict[str, str | None], name: str) -> None:
    """Without parameters it is the day of the schedule, in the owner's zone."""
    assert name_run(flow, parameters, datetime(2026, 5, 18, 22, 30, tzinfo=UTC), "Europe/Berlin") == name


def test_a_scheduled_run_without_a_zone_is_named_by_its_flow() -> None:
    assert name_run("nightly", {}, datetime(2026, 5, 18, 22, 30, tzinfo=UTC), "") == "nightly"


def test_the_page_of_a_run_links_the_pages_of_the_workspace() -> None:
    """One row each, after the table of steps."""
    page = render_run_page("nightly", "2026-05-18", 2.0, {"ingest": {"read": 3}}, {"REVIEW.md": "file:///w/REVIEW.md"})
    assert "| ingest | 0.0 | 3 read |" in page
    assert "| REVIEW.md | [file:///w/REVIEW.md](file:///w/REVIEW.md) |" in page


def test_the_page_of_a_failure_names_the_next_command() -> None:
    """Whether there is a hint or not."""
    page = render_failure_page("nightly", "2026-05-18", "no sessions", "set RECOLLECT_SESSIONS, then `recollect config`")
    assert "Next: `set RECOLLECT_SESSIONS, then recollect config`" in page
    assert "recollect doctor" in render_failure_page("nightly", "2026-05-18", "no sessions", "")


def test_the_engine_line_says_that_offline_does_not_read_the_language() -> None:
    """Whoever types English is told nothing of the kind."""
    line = format_engine_line({"distil": {"engine": "offline", "language_note": "offline reads English"}})
    assert line == "engine: offline, nothing was sent; offline reads English; `recollect init` shows the models of this machine"


def test_a_night_says_what_the_offline_engine_misses_until_the_engine_was_chosen() -> None:
    """It names the engine, that it costs nothing, and the way to another one; a model's line says nothing of the kind."""
    told = format_engine_line({"distil": {"engine": "offline"}}, "it keeps half")
    assert told == "engine: offline, nothing was sent; it keeps half; `recollect init` shows the models of this machine"
    assert "half" not in format_engine_line({"distil": {"engine": "pi:x/y"}}, "it keeps half")
    line = format_engine_line({"distil": {"engine": "offline"}})
    assert line == "engine: offline, nothing was sent; `recollect init` shows the models of this machine"


def test_a_count_says_of_what_it_is_and_what_is_so_far() -> None:
    """Windows, topics, facts and messages stand in one line; a total of the lake is no work of the night."""
    counts = {
        "attribute": {"speakers": {"agent": 60}},
        "window": {"skipped": 1, "reasons": {"copied": 1}},
        "distil": {"due": 3, "allow": 22, "distilled": 3, "hold": 3, "segments": 3, "stopped": {"hold: not_lasting": 3}},
        "dedupe": {"read": 30, "kept": 29, "retired": 1, "compared": 0},
    }
    lines = [line.split(" s  ")[1] for line in format_run_lines(counts)]
    assert lines == [
        "60 messages judged (60 agent)",
        "1 window skipped (1 copied)",
        "3 windows due, 22 facts kept, 3 windows distilled, 3 topics, 3 facts stopped (3 hold: not lasting)",
        "30 facts in all, 29 hold, 1 retired so far",
    ]
    assert format_run_lines({"index": {"documents": 1_053_489}})[0].endswith("1053489 documents")


def test_a_night_without_answers_says_how_many_windows_were_distilled_and_why() -> None:
    """Windows that wait for a budget are no failure, and a night that distilled some has not failed."""
    down = {
        "distil": {"due": 4, "failed": 3, "failures": {"gpt: HTTP 429: slow down": 3}, "waiting": {"gpt is not reachable": 1}}
    }
    assert describe_undistilled(down) == ("0 of 4 windows were distilled: 3 × gpt: HTTP 429: slow down; 1 × gpt is not reachable")
    assert is_nothing_distilled(down)
    assert "0 of 4 windows" in render_run_page("nightly", "2026-05-18", 2.0, down)
    spent = {"distil": {"due": 2, "failures": {}, "waiting": {"the budget of the day is used up": 2}}}
    assert describe_undistilled(spent) == "0 of 2 windows were distilled: 2 × the budget of the day is used up"
    assert not is_nothing_distilled(spent)
    some = {"distil": {"due": 2, "distilled": 1, "failed": 1, "failures": {"invalid": 1}}}
    assert not is_nothing_distilled(some)
    assert describe_undistilled(some).startswith("1 of 2")
    assert describe_undistilled({"distil": {"due": 2, "distilled": 2, "failures": {}}}) == ""
    assert describe_undistilled({"ingest": {"read": 1}}) == ""


def test_what_came_of_a_night_is_a_plain_line() -> None:
    """Sessions, facts, proposals of all steps, engine and dollars; a night without work says so."""
    counts = {
        "ingest": {"read": 1}, "distil": {"allow": 12, "engine": "offline", "cost_usd": 0.0},
        "reflect": {"proposed": 2}, "friction": {"proposed": 1},
    }  # fmt: skip
    assert describe_outcome(counts, 0.125) == "1 session read, 12 facts kept, 3 proposals; engine offline, 0.12 USD"
    assert describe_outcome({}, 0.0) == "0 sessions read, 0 facts kept, 0 proposals; no engine was needed, 0.00 USD"
