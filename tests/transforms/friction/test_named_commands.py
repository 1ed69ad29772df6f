"""The owner named a command where he wrote it as what is to be run, and did not deny it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.friction.named_commands import is_command_named


@each_case(
    ("command", "words", "is_named"),
    [
        ("make test", "run make test before you commit", True),
        ("make test -j4", "then `make test`, please", True),
        ("npm test", "never run npm test here, it writes to the database", False),
        ("npm run check", "do not use npm run check, it hangs", False),
        ("pnpm test", "never run npm test, use pnpm test", True),
        ("npm test", "instead of npm test use just check", False),
        ("go test -race", "run cargo test first", False),
        ("npm run test", "run npm run test:ci", False),
        ("make", "make the button blue, please", False),
        ("make", "run `make` first", True),
        ("make", "make", True),
        ("make", "never run `make`", False),
        ("make test", "It is slow.\nDon't touch CI. Run make test.", True),
    ],
)
def test_a_command_is_named_where_it_is_asked_for(command: str, words: str, is_named: bool) -> None:
    assert is_command_named(command, [(0, words)], 1) is is_named
    assert not is_command_named(command, [(1, words)], 1)  # what he said behind its last run named nothing


@given(st.text(min_size=1), st.text())
def test_no_command_raises(command: str, words: str) -> None:
    is_command_named(command, [(0, words), (0, f"run {command}")], 1)
