"""The report tells when a line of MEMORY.md was last confirmed, and what of it is gone, before all others."""

from __future__ import annotations

from datetime import date
from typing import Any

from transforms.report.proposal_yield import ConfirmedLine, list_confirmed_lines

LINES = {
    "m-1": "Invoices are rendered in src/invoice.py with `make pdf`",
    "m-2": "Checks run with make lint",
    "m-3": "Tea, not coffee",
}


def row(target: str, name: str, status: str = "present", day: int | None = 3, new_name: str | None = None) -> Any:
    return {
        "target": target, "name": name, "kind": "path", "status": status, "new_name": new_name,
        "confirmed_on": date(2026, 5, day) if day else None,
    }  # fmt: skip


def test_a_line_is_confirmed_on_the_last_day_on_which_all_its_names_were_there() -> None:
    rows = [row("m-1", "src/invoice.py", day=3), row("m-1", "make pdf", day=9), row("m-2", "make lint", day=2)]
    assert list_confirmed_lines(LINES, rows) == (
        ConfirmedLine(LINES["m-2"], ("make lint",), date(2026, 5, 2), ()),
        ConfirmedLine(LINES["m-1"], ("make pdf", "src/invoice.py"), date(2026, 5, 3), ()),
    )


def test_what_is_gone_or_renamed_comes_first() -> None:
    rows = [
        row("m-2", "make lint", day=2),
        row("m-1", "src/invoice.py", "renamed", new_name="src/pdf.py"),
        row("m-1", "make pdf", "gone", None),
    ]
    first, _second = list_confirmed_lines(LINES, rows)
    assert first.faults == ("make pdf is gone", "src/invoice.py is src/pdf.py now")
    assert first.confirmed_on is None


def test_lines_without_a_known_name_and_facts_are_not_listed() -> None:
    assert list_confirmed_lines(LINES, [row("m-3", "tea", "unknown", None), row("o-1", "src/a.py")]) == ()
