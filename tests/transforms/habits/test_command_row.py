"""The row of a command says what ran, and is read back as it was written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.habits.command_row import RanCommand, read_command_row, write_command_row

words = st.text(st.characters(exclude_characters="`\n\r", exclude_categories=("Cs",)), min_size=1, max_size=30)


@given(words.filter(lambda text: bool(text.strip())), st.booleans(), st.just("") | words, st.just("") | words)
def test_a_row_is_read_back_as_it_was_written(command: str, is_named: bool, failed: str, runs: str) -> None:
    ran = RanCommand(command, is_named, failed, runs)
    assert read_command_row(write_command_row(ran)) == ran


def test_a_row_names_the_form_that_failed_and_what_the_script_runs() -> None:
    text = write_command_row(RanCommand("npm run check", failed="npm check", runs="tsc && eslint ."))
    assert text == "Command run here with success: `npm run check` (it runs `tsc && eslint .`), where `npm check` failed."


def test_other_texts_tell_no_command() -> None:
    assert read_command_row('User decided: "run `make test` here"') is None


def test_a_row_without_a_command_is_none() -> None:
    """Briefings and answers read the first word of each."""
    assert read_command_row(write_command_row(RanCommand(" "))) is None
