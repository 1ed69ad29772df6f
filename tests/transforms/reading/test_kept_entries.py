from __future__ import annotations

import time

import polars as pl

from tests.each_case import each_case
from transforms.reading.kept_entries import CutFile, count_missing, find_cut

Row = tuple[str, int, str, str, list[str]]
SCHEMA = {"entry_id": pl.String, "line_no": pl.Int32, "entry_type": pl.String, "text": pl.String, "flags": pl.List(pl.String)}


def make_row(name: str, line: int, text: str = "words", *flags: str) -> Row:
    return name, line, "message", text, [*flags]


def build(*rows: Row) -> pl.DataFrame:
    return pl.DataFrame(rows, SCHEMA, orient="row")


STORED = [make_row("a", 1), make_row("b", 2), make_row("c", 3)]


@each_case(
    ("fresh", "expected"),
    [
        ([], CutFile((0, 1, 2), 0)),
        (STORED[:2], CutFile((2,), 2)),
        ([*STORED[:1], make_row("x", 2), make_row("y", 3)], CutFile((1, 2), 1)),
        ([make_row("a", 1, "wor")], CutFile((1, 2), 1)),
        (STORED, None),
        ([*STORED, make_row("d", 4)], None),
        ([make_row("x", 1)], None),
        ([make_row("a", 1, "other words")], None),
        ([STORED[0], make_row("b", 2, "other words")], None),
        ([STORED[0], make_row("c", 2)], None),
    ],
)
def test_a_file_is_cut_when_it_tells_known_entries_in_their_places_and_else_news(
    fresh: list[Row], expected: CutFile | None
) -> None:
    assert find_cut(build(*STORED), build(*fresh)) == expected


def test_a_stretch_that_was_lost_before_is_passed_over() -> None:
    stored = build(*STORED, make_row("x", 2), make_row("y", 3))
    assert find_cut(stored, build(STORED[0], make_row("x", 2), make_row("y", 3), make_row("z", 4))) == CutFile((1, 2), 3)


@each_case("emptied", [make_row("a", 1, "", "forgotten"), make_row("a", 1, "key [redacted:token:ab12]")])
def test_an_entry_that_was_emptied_or_redacted_in_the_lake_is_the_one_of_the_file(emptied: Row) -> None:
    assert find_cut(build(emptied, STORED[1]), build(make_row("a", 1, "key abc"))) == CutFile((1,), 1)


def test_words_are_missing_when_no_entry_has_them_in_any_place() -> None:
    stored = build(make_row("a", 1, "one"), make_row("b", 2, "two"), make_row("c", 3, ""), make_row("d", 4, "part"))
    assert (
        count_missing(stored, build(make_row("x", 1, "two"), make_row("y", 9, "one"), make_row("z", 3, "a\npart\nof more"))) == 0
    )
    assert (
        count_missing(stored, build(make_row("a", 1, "one, and more"), make_row("d", 2, "a part of"), make_row("b", 3, "two")))
        == 0
    )
    assert count_missing(stored, build(make_row("a", 1, "one"), make_row("b", 2, "TWO"))) == 2


@each_case("emptied", [make_row("a", 1, "key", "forgotten"), make_row("a", 1, "key [redacted:token:ab12]")])
def test_what_was_emptied_or_redacted_is_not_missing(emptied: Row) -> None:
    assert count_missing(build(emptied), build(make_row("a", 1, "key abc"))) == 0
    assert count_missing(build(make_row("a", 1, "key abc")), build(make_row("a", 1, "key [redacted:token:ab12]"))) == 0


def test_a_long_file_that_was_written_anew_is_compared_in_the_time_of_its_length() -> None:
    stored = build(*(make_row(f"a{number}", number, f"old words {number}") for number in range(10_000)))
    fresh = build(*(make_row(f"b{number}", number, f"other words {number} " * 60) for number in range(10_000)))
    before = time.process_time()
    assert count_missing(stored, fresh) == 10_000
    assert time.process_time() - before < 5
