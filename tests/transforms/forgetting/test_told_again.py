"""Titles and narratives quote an entry by whole sentences; a line has the words of the fact that shares most with it."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.forgetting.told_again import is_worded_by, quotes_entry

ENTRY = "Set up the importer for the ledger files. It must read them line by line, and the tests must pass."


@each_case(
    ("text", "is_quoted"),
    [
        ("Set up the importer for the ledger files", True),
        ("Set up", True),
        ('User asked: "read them line by line". Done.', True),
        ("Done. The tests of the ledger pass now.", False),
        ("the tests", False),
        ("", False),
    ],
)
def test_a_text_quotes_an_entry_by_a_sentence_or_its_beginning_not_by_single_words(text: str, is_quoted: bool) -> None:
    assert quotes_entry([text, None], ENTRY) == is_quoted


def test_a_line_is_worded_by_the_fact_that_shares_more_of_its_words() -> None:
    assert is_worded_by("Prefers uv over pip", ["User: I prefer uv over pip"], ["User: no pip in this house"])
    assert not is_worded_by("Prefers uv over pip", ["User: no pip"], ["User: I prefer uv over pip"])
