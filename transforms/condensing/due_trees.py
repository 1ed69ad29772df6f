"""The periods that are due, as trees: a period whose parent is not due yet, with all periods below it.

No tree takes in anything of another one. One whose inputs and rows are those of a run that made nothing in it, though it looked,
needs no plan.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from datetime import date

import polars as pl

from transforms.condensing.day_inputs import DayInputs
from transforms.tables.ids import hash_fields
from transforms.tables.periods import DAY, Period, find_parent_period, find_period, is_due
from transforms.tables.schema import hash_groups


class DueTrees:
    """The trees of each project; `keys` has the hash of the inputs and of the stored rows of each, by name."""

    def __init__(self, days: DayInputs, after_days: Sequence[int], today: date, stored: pl.DataFrame) -> None:
        """`stored` are the rows of `distillates`."""
        self._after_days, self._today = after_days, today
        self._due: dict[date, list[Period]] = {}
        self._days: defaultdict[str, list[tuple[str, date]]] = defaultdict(list)
        for project, day in days.list_days():
            if due := self._list_due(day):
                self._days[_name_tree(project, due[-1])].append((project, day))
        self._hashes = days.hash_days()
        self.keys = self.compute_keys(stored)

    def compute_keys(self, rows: pl.DataFrame) -> dict[str, str]:
        """Return the key of each tree if these are the rows of `distillates`."""
        held = {name: value for (name,), value in hash_groups(rows.with_columns(tree=self._find_trees(rows)), ["tree"]).items()}
        inputs = {name: [self._hashes[place] for place in places] for name, places in self._days.items()}
        named = {name: [day.isoformat() for _, day in places] for name, places in self._days.items()}
        return {name: hash_fields(held.get(name, ""), *named[name], *inputs[name], size=16) for name in self._days}

    def list_days(self, names: Collection[str]) -> set[tuple[str, date]]:
        """Return the days of projects that belong to these trees."""
        return {place for name in names for place in self._days[name]}

    def list_rows(self, names: Collection[str], rows: pl.DataFrame) -> set[str]:
        """Return the ids of the rows of these trees."""
        return set(rows.filter(self._find_trees(rows).is_in(sorted(names)))["distillate_id"])

    def count_periods(self, names: Collection[str], rows: pl.DataFrame) -> tuple[int, Counter[int]]:
        """Return the number of periods of these trees, and by tier of those without a row."""
        periods = {(project, period) for project, day in self.list_days(names) for period in self._due[day]}
        present = set(rows.select("project", "tier", "period_start").iter_rows())
        missing = Counter(period.tier for project, period in periods if (project, period.tier, period.start) not in present)
        return len(periods), missing

    def _list_due(self, day: date) -> list[Period]:
        """Return the due periods around a day, from the day up to the root of their tree."""
        if (due := self._due.get(day)) is None:
            due = []
            period: Period | None = find_period(DAY, day)
            while period is not None and is_due(period, self._after_days, self._today):
                due.append(period)
                period = find_parent_period(period)
            self._due[day] = due
        return due

    def _find_trees(self, rows: pl.DataFrame) -> pl.Series:
        """Return the name of the tree of each row; that of a period with no day below it is of no tree."""
        periods = rows.select("tier", "period_start").unique()
        roots = [_climb(find_period(tier, start), self._after_days, self._today) for tier, start in periods.iter_rows()]
        named = periods.with_columns(pl.Series("root", [_name_tree("", root) for root in roots], pl.String))
        placed = rows.select("project", "tier", "period_start").join(named, on=("tier", "period_start"), maintain_order="left")
        return placed.select(pl.col("root") + pl.col("project").fill_null("")).to_series()


def _climb(period: Period, after_days: Sequence[int], today: date) -> Period:
    """Return the root of the tree of a period."""
    while (parent := find_parent_period(period)) is not None and is_due(parent, after_days, today):
        period = parent
    return period


def _name_tree(project: str, root: Period) -> str:
    return f"{root.tier} {root.start} {project}"
