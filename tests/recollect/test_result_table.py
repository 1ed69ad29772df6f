"""Result tables: in a terminal no row is ever broken, in a pipe nothing is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from recollect.result_table import NARROWEST, fit_widths, print_table

LONG = "x" * 90
ROWS = [("r-1", 12, LONG), ("r-2", 3, "漢字 \u202eab\x1b[2J\nnext line")]


def draw(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    names: list[str],
    rows: list[tuple[object, ...]],
) -> list[str]:
    """Return the lines that a terminal of this width shows."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "dumb")  # no bold header
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    print_table(names, rows)
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_a_row_is_one_line_as_wide_as_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    lines = draw(capsys, monkeypatch, width, ["run_id", "n", "error"], ROWS)
    assert len(lines) == 6
    assert all(cell_len(line) <= width for line in lines)
    assert sum("r-1" in line for line in lines) == 1
    assert ("…" in "".join(lines)) == (width < 120)
    assert not {"\x1b", "\u202e"} & set("".join(lines))
    assert "12 │" in lines[3]
    assert " 3 │" in lines[4]


def test_more_columns_than_fit_are_shown_row_by_row(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left out: each column has a line."""
    names = [f"column_{place}" for place in range(20)]
    lines = draw(capsys, monkeypatch, 60, names, [tuple(range(100, 120)), tuple(range(200, 220))])
    assert all(cell_len(line) <= 60 for line in lines)
    for place, name in enumerate(names):
        assert sum(f" {name} " in line and f" {100 + place} " in line for line in lines) == 1
    assert sum("row 2 of 2" in line for line in lines) == 1


def test_a_pipe_gets_whole_cells(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["run_id", "n", "error"], ROWS)
    assert LONG in capsys.readouterr().out


def test_a_long_cell_in_a_pipe_makes_no_other_line_long_and_bytes_are_digits(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["text", "blob"], [("x" * 9_000, b"\x00\xff"), ("short", None)])
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].endswith("  00ff")
    assert all(len(line) <= 80 for line in [*lines[:2], *lines[3:]])


def test_the_columns_of_a_pipe_stay_columns_behind_cells_that_are_longer_than_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Only a cell of more than 120 characters breaks out of its column, alone."""
    print_table(["text", "n"], [("x" * 90, 11), ("short", 22), ("y" * 200, 33)])
    lines = capsys.readouterr().out.splitlines()
    assert [lines[number].index(value) for number, value in ((2, "11"), (3, "22"), (4, "33"))] == [92, 92, 202]


@given(st.lists(st.integers(0, 500), min_size=1, max_size=12), st.integers(10, 200))
def test_widths_fill_the_room_and_cut_the_widest_only(wanted: list[int], room: int) -> None:
    """A column is cut only when the room is used up, and never below what it needs or the narrowest width."""
    widths = fit_widths(wanted, room)
    if not widths:
        assert sum(min(width, NARROWEST) for width in wanted) > room
        return
    assert sum(widths) == min(sum(wanted), room)
    cut = [width for width, want in zip(widths, wanted, strict=True) if width < want]
    assert all(width >= NARROWEST for width in cut)
    assert max(cut, default=0) - min(cut, default=0) <= 1


@pytest.mark.parametrize("width", [5, 12, 20, 26, 30])
def test_a_very_narrow_terminal_still_shows_every_value(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    lines = draw(capsys, monkeypatch, width, ["user_message_count", "project", "day"], [(1234, "ferry", "12-24")])
    text = "\n".join(lines)
    assert all(value in text for value in ("1234", "ferry", "12-24"))
