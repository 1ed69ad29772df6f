"""The cases of a table are all tried, and none is lost."""

from __future__ import annotations

import pytest

from tests.each_case import each_case


def test_every_case_that_fails_is_told_with_its_values() -> None:
    @each_case(("number", "name"), [(1, "a"), (2, "b"), (3, "c")])
    def check(number: int, name: str) -> None:
        assert number == 2, name

    with pytest.raises(ExceptionGroup) as caught:
        check()
    assert [error.__notes__ for error in caught.value.exceptions] == [
        ["the case: {'number': 1, 'name': 'a'}"], ["the case: {'number': 3, 'name': 'c'}"],
    ]  # fmt: skip


def test_one_case_that_fails_is_told_as_it_is() -> None:
    @each_case("number", iter([1, 2]))
    def check(number: int) -> None:
        assert number == 1

    with pytest.raises(AssertionError) as caught:
        check()
    assert caught.value.__notes__ == ["the case: {'number': 2}"]


def test_each_case_is_tried_with_each_value_of_further_parameters() -> None:
    tried: list[tuple[int, str, bool]] = []

    @each_case("number, name", [(1, "a"), (2, "b")], is_last=[False, True])
    def check(number: int, name: str, is_last: bool) -> None:
        tried.append((number, name, is_last))

    check()
    assert tried == [(1, "a", False), (1, "a", True), (2, "b", False), (2, "b", True)]
    with pytest.raises(ValueError, match="no case"):
        each_case("number", [1], is_last=[])


def test_a_table_without_a_case_a_fixture_and_a_skipped_case_are_refused() -> None:
    with pytest.raises(ValueError, match="no case"):
        each_case("number", [])
    with pytest.raises(ValueError, match="tmp_path"):
        each_case("number", [1])(lambda number, tmp_path: None)

    @each_case("number", [1])
    def check(number: int) -> None:
        pytest.skip("not here")

    with pytest.raises(ValueError, match="skipped"):
        check()
