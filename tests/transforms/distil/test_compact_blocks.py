"""What tools got and printed is shortened, and what a person needs to see of it stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.distil.compact_blocks import (
    ERROR_CHARS,
    OUTPUT_CHARS,
    READ_CHARS,
    SeenLines,
    compact_arguments,
    compact_result,
    cut_middle,
    render_arguments,
)

PRINTED = "\n".join(f"line number {at} of the listing" for at in range(6))


def test_lines_that_stood_in_an_earlier_block_are_left_out() -> None:
    """A file that is read twice is shown once; a line of its own in between stays."""
    seen = SeenLines()
    assert compact_result(PRINTED, "bash", seen) == PRINTED
    assert compact_result(f"before\n{PRINTED}\nafter", "bash", seen) == "before\n[… 6 lines as before …]\nafter"


def test_a_few_equal_lines_and_braces_are_not_a_repetition() -> None:
    """Two equal lines say that something was printed again."""
    seen = SeenLines()
    two = "the first line is here\nthe second line is here"
    compact_result(f"{two}\n}}\n}}\n}}\n}}", "bash", seen)
    assert compact_result(f"{two}\n}}\n}}", "bash", seen) == f"{two}\n}}\n}}"


def test_an_edit_shows_only_the_lines_that_change() -> None:
    """In both spellings of the argument, and in a list of edits."""
    old, new = "keep this\ndrop this\nkeep that\nkeep more", "keep this\nadd this\nkeep that\nkeep more"
    expected = {"oldText": "…\ndrop this\n…", "newText": "…\nadd this\n…"}
    assert compact_arguments({"path": "a.py", "oldText": old, "newText": new}, SeenLines()) == {"path": "a.py"} | expected
    nested = compact_arguments({"edits": [{"oldText": old, "newText": new}]}, SeenLines())
    assert nested == {"edits": [expected]}
    assert render_arguments(nested) == 'edits=[oldText="…\ndrop this\n…", newText="…\nadd this\n…"]'


def test_the_end_of_a_command_stays_and_an_error_gets_more_room() -> None:
    """A test run ends with its result; a listing begins with what it is."""
    output = "".join(f"test {at} ran\n" for at in range(500)) + "499 passed, 1 failed"
    assert compact_result(output, "bash", SeenLines()).endswith("499 passed, 1 failed")
    calls = (("read", False), ("bash", False), ("bash", True))
    sizes = [len(compact_result(output, tool, SeenLines(), is_error=is_error)) for tool, is_error in calls]
    assert [round(size, -2) for size in sizes] == [READ_CHARS, OUTPUT_CHARS, ERROR_CHARS]


def test_a_written_file_shows_its_beginning() -> None:
    """Nobody said the content of a file."""
    shown = compact_arguments({"path": "a.py", "content": "\n".join(f"x{at} = {at}" for at in range(300))}, SeenLines())
    assert shown["content"].startswith("x0 = 0\nx1 = 1")
    assert len(shown["content"]) < 500


@given(st.text(max_size=3000), st.integers(50, 900))
def test_a_cut_text_is_never_longer_than_its_limit_and_the_note(text: str, limit: int) -> None:
    """A text that fits is not touched."""
    cut = cut_middle(text, limit)
    assert cut == text or len(cut) <= limit + 40


@given(st.lists(st.text(alphabet="ab \n", max_size=60), max_size=8))
def test_no_line_is_lost_that_was_not_seen_before(blocks: list[str]) -> None:
    """Whatever was printed in which order."""
    seen = SeenLines()
    known: set[str] = set()
    for block in blocks:
        shown = seen.drop_repeated(block)
        for line in block.split("\n"):
            assert line in shown.split("\n") or line.strip() in known or len(line.strip()) < 12
        known |= {line.strip() for line in block.split("\n")}
