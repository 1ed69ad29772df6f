"""A fact or line has a mark when a repository contradicts it, and none otherwise."""

from __future__ import annotations

from typing import Any, cast

from tests.each_case import each_case
from transforms.pages.fact_marks import word_marks
from transforms.tables.rows import ConfirmationRow


def result(kind: str, name: str, status: str, **more: str) -> ConfirmationRow:
    row: dict[str, Any] = {"target": "o-1", "kind": kind, "name": name, "status": status, "new_name": "", "commit": ""}
    return cast(ConfirmationRow, row | more)


@each_case(
    ("row", "mark"),
    [
        (result("path", "src/a.py", "renamed", new_name="src/b.py"), "src/a.py is src/b.py now"),
        (result("path", "src/a.py", "gone", commit="1a2b3c4"), "src/a.py is gone since commit 1a2b3c4"),
        (result("flag", "--a", "gone", commit="1a", new_name="--b"), "--a is gone since commit 1a, which added --b"),
        (result("branch", "draft", "unmerged"), "from branch draft, never merged"),
        (result("commit", "1a2b3c4", "unmerged"), "commit 1a2b3c4 is on no merged branch"),
    ],
)
def test_a_contradicted_fact_has_its_mark(row: ConfirmationRow, mark: str) -> None:
    assert word_marks([row]) == {"o-1": mark}


def test_a_confirmed_fact_has_none_and_marks_of_one_fact_are_joined_in_a_fixed_order() -> None:
    rows = [
        result("path", "b.py", "gone", commit="2"),
        result("path", "a.py", "gone", commit="1"),
        result("path", "c.py", "present"),
    ]
    assert word_marks(rows) == word_marks(rows[::-1]) == {"o-1": "a.py is gone since commit 1; b.py is gone since commit 2"}
    assert word_marks([result("branch", "main", "merged"), result("path", "c.py", "present")]) == {}
