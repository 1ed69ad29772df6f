"""Beside a text stands what later work put in the place of one of its numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.changes.test_undone_values import exchange
from transforms.changes.changed_numbers import (
    ChangedNumber,
    find_later_numbers,
    read_changed_number,
    tells_later_number,
    write_changed_number,
)
from transforms.changes.undone_values import list_works
from transforms.changes.work_numbers import list_changed_numbers

START = datetime(2026, 10, 1, 9, tzinfo=UTC)
NUMBERS, WORDS = (
    st.from_regex(r"[1-9]\d{0,5}(\.\d{1,2})?", fullmatch=True),
    st.frozensets(st.from_regex(r"[a-z]{3,8}", fullmatch=True)),
)


def change(typed: str, old: str, new: str, path: str = "Makefile", reply: str = "Done.") -> list[ChangedNumber]:
    work = exchange(0, typed, reply, {"path": path, "edits": [{"oldText": old, "newText": new}]})
    return [changed for done in list_works(work) for changed in list_changed_numbers(done)]


def remarks(text: str, *changes: list[ChangedNumber]) -> list[str]:
    dated = [(START + timedelta(days=day), item) for day, numbers in enumerate(changes) for item in numbers]
    return [later.describe(date(2026, 10, 1)) for later in find_later_numbers(text, dated)]


PORT = change("take another one", "\tssh -N -L 5010:localhost:5010 login2", "\tssh -N -L 5055:localhost:5055 login2")


@each_case(
    ("text", "changed", "expected"),
    [
        ("MLflow is on port 5010: `ssh -L 5010:localhost:5010`", PORT, "5055 instead of 5010"),
        ("Airflow está en http://localhost:8081", change("pasalo", "- 8081:8080", "- 8088:8080"), "8088 instead of 8081"),
        ("Pin it to 1.86.0", change("raise it", 'channel = "1.86.0"', 'channel = "1.88.0"'), "1.88.0 instead of 1.86.0"),
        ("El lock de dispatch dura 15 s", change("la 3", "dispatch_lock = 15_000", "dispatch_lock = 40_000"), "40 instead of 15"),
        ("the drain batch is 20", change("drain can go 100", "drain_batch = 20", "drain_batch = 100"), "100 instead of 20"),
    ],
)  # fmt: skip
def test_a_number_that_work_replaced_is_told_with_the_new_one(text: str, changed: list[ChangedNumber], expected: str) -> None:
    """Whatever was typed, and however often the number stands there."""
    assert f"since 2026-10-01: {expected}" in remarks(text, changed)


@each_case(
    "text",
    [
        "the retry waits 20 s",  # a short number of something else
        "port 5055 since the clash on 5010",  # it has the new number
        "port 15010 of the printer",
        "no number at all",
    ],
)
def test_other_numbers_and_texts_that_know_the_new_one_have_no_remark(text: str) -> None:
    assert remarks(text, PORT, change("drain can go 100", "drain_batch = 20", "drain_batch = 100")) == []


def test_what_is_counted_tells_where_the_file_has_other_words() -> None:
    """The words behind both numbers and two more, although nothing beside the number in the file is among them."""
    kept = change("legal wants door events for 90 weeks", "retention: 30", "retention: 90", path="main.go")
    assert remarks("door events are dropped after 30 weeks", kept) == ["since 2026-10-01: 90 instead of 30"]
    assert remarks("the door events are read 30 times", kept) == []
    assert remarks("a build is kept for 30 weeks", kept) == []


def test_a_port_is_no_count_of_thousands() -> None:
    assert {item.removed for item in change("8000 is taken", "PORT = 8000", "PORT = 8077")} == {"8000"}


def test_a_year_that_changed_in_a_file_says_nothing_of_what_was_said_in_it() -> None:
    """A notice of rights goes from one year to the next."""
    notice = change("update the notices", "Copyright 2026 Tidegate contributors", "Copyright 2027 Tidegate contributors")
    assert remarks("Postgres stays, decided on 2026-10-22", notice) == []
    assert remarks("the budget of 2026 is 4000", notice) == []


def test_the_last_change_counts_and_a_number_that_is_back_stands() -> None:
    third = change("once more", "\tssh -N -L 5055:localhost:5055 login2", "\tssh -N -L 5060:localhost:5060 login2")
    back = change("as before", "\tssh -N -L 5055:localhost:5055 login2", "\tssh -N -L 5010:localhost:5010 login2")
    assert remarks("port 5010", PORT, third) == ["since 2026-10-01: 5060 instead of 5010"]
    assert remarks("port 5010", PORT, back) == []


def test_a_later_text_gives_the_new_number_only_of_the_same_thing() -> None:
    drain = change("drain can go 100", "drain_batch = 20", "drain_batch = 100")
    (later,) = find_later_numbers("the drain batch is 20", [(START, item) for item in drain])
    assert tells_later_number("the drain batch goes to 100", later)
    assert not tells_later_number("the vacuum runs after 100 rows", later)
    assert not tells_later_number("the drain batch is 50", later)


@given(NUMBERS, NUMBERS, st.sampled_from(["", "ms", "%"]), WORDS, WORDS)
def test_a_changed_number_comes_back_from_its_line(
    removed: str, added: str, unit: str, beside: frozenset[str], named: frozenset[str]
) -> None:
    changed = ChangedNumber(removed, added, unit, frozenset(sorted(beside)[:30]), frozenset(sorted(named)[:30]))
    assert read_changed_number(write_changed_number(changed)) == changed


@given(NUMBERS, NUMBERS)
def test_a_change_and_its_return_leave_no_remark(first: str, second: str) -> None:
    there, back = (
        ChangedNumber(one, other, "", frozenset({"port"}), frozenset()) for one, other in ((first, second), (second, first))
    )
    assert find_later_numbers(f"port {first}", [(START, there), (START + timedelta(days=1), back)]) == []
