"""Dates are computed from the day a sentence was said, and never guessed."""

from __future__ import annotations

from datetime import date

import pytest

from transforms.language.relative_dates import resolve_date

THURSDAY = date(2026, 3, 5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we release tomorrow", date(2026, 3, 6)),
        ("it broke yesterday evening", date(2026, 3, 4)),
        ("the freeze starts on Monday", date(2026, 3, 9)),
        ("by Thursday it must be done", date(2026, 3, 12)),
        ("it has been slow since Tuesday", date(2026, 3, 3)),
        ("last Thursday it still worked", date(2026, 2, 26)),
        ("the certificate ends 2026-04-30", date(2026, 4, 30)),
        ("we moved two weeks ago", date(2026, 2, 19)),
        ("we talked about it recently", None),
        ("the 2026-02-30 build", None),
        ("from 2026-01-01 to 2026-02-01", None),
        ("Monday mornings are slow", None),
    ],
)
def test_a_date_is_reckoned_from_the_day_it_was_said(text: str, expected: date | None) -> None:
    """Exactly one date, or none."""
    assert resolve_date(text, THURSDAY) == expected
