"""The report of a fleet shows first whom somebody has to look after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from transforms.fleet.fleet_report import (
    OwnerFigures,
    OwnerResult,
    OwnerState,
    TeamResult,
    count_states,
    describe_runs,
    describe_team,
    list_failures,
    make_report_rows,
)

AS_OF = datetime(2026, 5, 20, tzinfo=UTC)


def _figures(owner: str, days: int | None) -> OwnerFigures:
    last = None if days is None else (AS_OF - timedelta(days=days)).isoformat()
    return {
        "owner": owner, "sessions": 3, "observations": 12, "last_night_at": last, "waiting_files": 1, "failed_windows": 0,
        "waiting_windows": 2,
        "spent_today_usd": 0.1, "spent_30_days_usd": 1.25, "lake_mb": 4.0,
    }  # fmt: skip


def _result(owner: str, state: OwnerState, span: str = "") -> OwnerResult:
    return {
        "owner": owner,
        "span": span,
        "state": state,
        "seconds": 4.0,
        "message": "" if state == "done" else "it broke",
        "hint": "",
    }


def test_owners_who_failed_come_first_then_those_who_lag_most() -> None:
    figures = [_figures("ana", 0), _figures("bo", 3), _figures("cy", None), _figures("di", 0)]
    results = [_result("ana", "done"), _result("bo", "done"), _result("cy", "done"), _result("di", "failed")]
    rows = make_report_rows(figures, results, AS_OF)
    assert [row.owner for row in rows] == ["di", "cy", "bo", "ana"]
    assert [row.lag for row in rows] == ["–", "never", "3 d", "–"]
    assert rows[0].outcome == "failed: it broke"
    assert rows[3].outcome == "done in 4 s"
    assert rows[3].spent == "0.10 / 1.25"


def test_one_failed_span_is_the_outcome_of_the_owner() -> None:
    results = [_result("ana", "done", "1"), _result("ana", "timed_out", "2"), _result("ana", "not_run", "3")]
    assert make_report_rows([_figures("ana", 1)], results, AS_OF)[0].outcome == "timed out: it broke"
    assert count_states(results) == {"done": 1, "not_run": 1, "timed_out": 1}


def test_the_head_says_how_the_runs_ended_and_has_no_empty_part() -> None:
    """`fleet report` runs nothing; a backfill runs spans."""
    assert describe_runs([]) == "nothing was run"
    assert describe_runs([_result("ana", "done"), _result("bo", "failed")]) == "1 done, 1 failed"
    assert describe_runs([_result("ana", "done", "2026-03-01 to 2026-03-31")]) == "1 span done"
    spans = [_result("ana", "done", "1"), _result("ana", "timed_out", "2"), _result("ana", "not_run", "3")]
    assert describe_runs(spans) == "3 spans: 1 done, 1 not run, 1 timed out"
    assert make_report_rows([_figures("ana", 0)], [], AS_OF)[0].outcome == "not run"


def test_the_spans_behind_a_failed_one_are_counted_not_listed() -> None:
    """A backfill of two years that fails at its first month is one thing to do."""
    spans = [_result("ana", "failed", "1"), *(_result("ana", "not_run", str(number)) for number in range(2, 25))]
    assert [failure["message"] for failure in list_failures(spans)] == ["it broke; 23 later spans not run"]
    assert [failure["owner"] for failure in list_failures([_result("bo", "failed"), *spans, _result("cy", "done")])] == [
        "bo",
        "ana",
    ]


def test_a_team_page_is_told_in_whole_words() -> None:
    team: TeamResult = {"added": 0, "removed": 0, "branch": "", "refusals": [], "conflicts": [], "problem": ""}
    assert describe_team(team) == "No line to add or remove"
    assert describe_team(team | {"added": 1, "branch": "page"}) == "1 line added, on the branch `page`: merge it to accept them"
    assert describe_team(team | {"added": 2, "removed": 1}) == "2 lines added, 1 line removed"
