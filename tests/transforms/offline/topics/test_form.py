"""A title is one clause that fits into a line, and a cut shows."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.offline.topics.form import TITLE_CHARS, format_title


@each_case(
    ("text", "title"),
    [
        ("please rename the harbour table.", "Rename the harbour table"),
        ("fix(depot): retry uploads", "Fix: retry uploads"),
        ("rename src/core/harbour.py to berth.py", "Rename harbour.py to berth.py"),
    ],
)
def test_a_title_is_capitalised_without_politeness_and_full_stop(text: str, title: str) -> None:
    """Scopes go, and files stand without their folder."""
    assert format_title(text) == title


def test_a_long_sentence_is_cut_with_an_ellipsis() -> None:
    """It fits into a line."""
    title = format_title("the depot server answers with a timeout whenever the importer reads four hundred rows at once")
    assert title.endswith("…")
    assert len(title) <= TITLE_CHARS
