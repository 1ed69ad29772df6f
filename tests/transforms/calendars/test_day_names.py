"""Names of days and months."""

from __future__ import annotations

import calendar

from transforms.calendars.day_names import DAY_NAMES, DAY_OF, ENGLISH_MONTH_OF, MONTH_NAMES, MONTH_OF, UNAMBIGUOUS_MONTHS


def test_english_names_are_those_of_the_standard_library_in_order() -> None:
    """Their numbers are those of `date`."""
    assert [name.capitalize() for name in DAY_NAMES] == list(calendar.day_name)
    assert [name.capitalize() for name in MONTH_NAMES] == list(calendar.month_name)[1:]
    assert [DAY_OF[name] for name in DAY_NAMES] == list(range(7))
    assert [ENGLISH_MONTH_OF[name] for name in MONTH_NAMES] == list(range(1, 13))


def test_names_of_other_languages_stand_for_the_same_months() -> None:
    """First letters of English names count, too; only "may" is a verb as well."""
    assert (MONTH_OF["märz"], MONTH_OF["août"], MONTH_OF["sept"], DAY_OF["mercredi"]) == (3, 8, 9, 2)
    assert ENGLISH_MONTH_OF.items() <= MONTH_OF.items()
    assert set(MONTH_NAMES) - set(UNAMBIGUOUS_MONTHS) == {"may"}
