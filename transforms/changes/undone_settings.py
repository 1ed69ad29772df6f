"""Finds the setting of a line of memory that later work gave another value: a word, a digit, the hour of a schedule."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.changes.changed_numbers import find_later_numbers, find_value_place, names_value
from transforms.changes.undone_values import Change, UndoneValue, Work
from transforms.changes.work_numbers import list_changed_settings


def find_undone_setting(text: str, works: Sequence[Work]) -> UndoneValue | None:
    """Return the last change of a setting of a line with the line's new text; None when its values stand.

    The line must have the value once, in digits, and a word of its name. `works` are in the order of time.
    """
    changes = [(work.entry.said_at, change) for work in works for change in list_changed_settings(work)]
    later = find_later_numbers(text, changes) if changes else []
    for number in sorted(later, key=lambda number: number.since, reverse=True):
        place = find_value_place(text, number.removed)
        if not place or names_value(text[place[1] :], number.removed):
            continue
        work = next(work for work in reversed(works) if number.change in list_changed_settings(work))
        file = next(setting.path for setting in work.settings if setting.added == number.change.added)
        change = Change(number.removed, number.added, file)
        return UndoneValue(work, change, text[: place[0]] + number.added + text[place[1] :])
    return None
