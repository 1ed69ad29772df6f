"""A line of memory meets a setting that later work gave another value."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.changes.test_undone_values import exchange
from transforms.changes.undone_settings import find_undone_setting
from transforms.changes.undone_values import list_works

TAGS = {"path": "envs/dev/providers.tf", "edits": [{"oldText": 'CostCentre = "CC-4417"', "newText": 'CostCentre = "CC-4520"'}]}
SNAPSHOT = {"command": "sed -i \"s/strategy='timestamp'/strategy='check'/\" snapshots/snap_ward.sql && dbt snapshot"}


@each_case(
    ("line", "call", "text"),
    [
        ("Every resource has CostCentre CC-4417", TAGS, "Every resource has CostCentre CC-4520"),
        ("The snapshot of the ward uses the timestamp strategy", SNAPSHOT, "The snapshot of the ward uses the check strategy"),
    ],
)
def test_the_line_gets_the_new_value(line: str, call: dict[str, str], text: str) -> None:
    """Whatever the owner typed."""
    undone = find_undone_setting(line, list_works(exchange(0, "of course it is", "Done, the ward has it.", call)))
    assert undone is not None
    assert undone.text == text
    assert undone.change.place.endswith((".tf", ".sql"))


@each_case(
    "line",
    [
        "Every resource has CostCentre CC-4520, not CC-4417",  # it knows
        "CC-4417 belongs to pathology, CC-4417 is not ours",  # twice
        "A timestamp is always UTC",  # another thing
        "The strategy of the team is to wait",
    ],
)
def test_a_line_that_knows_or_is_about_something_else_stands(line: str) -> None:
    works = list_works(exchange(0, "of course it is", "Done.", TAGS, SNAPSHOT))
    assert find_undone_setting(line, works) is None


def test_a_value_that_came_back_stands() -> None:
    back = {
        "path": "envs/dev/providers.tf",
        "edits": [{"oldText": 'CostCentre = "CC-4520"', "newText": 'CostCentre = "CC-4417"'}],
    }
    works = list_works([*exchange(0, "the other", "Done.", TAGS), *exchange(5, "as before", "Done.", back)])
    assert find_undone_setting("Every resource has CostCentre CC-4417", works) is None
