"""The report of a fleet shows first whom somebody has to look after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from transforms.fleet.fleet_report import OwnerFigures, OwnerResult, OwnerState, count_states, make_report_rows

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
