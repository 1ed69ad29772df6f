"""Stops around a text go, and dots that belong to a path or a range stay."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.patterns.stops import drop_end_stops, drop_stops


@each_case(
    ("text", "kept"),
    [
        ("go test -race ./...", "go test -race ./..."),
        ("./run.sh --all.", "./run.sh --all"),
        ("git log main..", "git log main.."),
        ("cd ..", "cd .."),
        (".env is read", ".env is read"),
        ("... and later ...", "and later"),
        ("v1.2. ", "v1.2"),
        (" . ", ""),
    ],
)
def test_dots_of_a_path_stay_and_stops_go(text: str, kept: str) -> None:
    assert drop_stops(text) == kept


@given(st.lists(st.sampled_from(["go", "./...", "..", ".", "...", "a.", "(x).", "./b"]), max_size=6).map(" ".join))
def test_nothing_but_stops_and_space_goes_and_a_second_time_nothing(text: str) -> None:
    for drop in (drop_stops, drop_end_stops):
        kept = drop(text)
        assert kept in " ".join(text.split()) or kept in text
        assert not set(text.replace(kept, "", 1)) - set(" .")
        assert drop(kept) == kept
