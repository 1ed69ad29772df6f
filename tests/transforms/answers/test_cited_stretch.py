"""The stretch of an entry that supports a fact."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.answers.cited_stretch import cut_cited
from transforms.language.tokenizer import tokenize

FACT = "Git commits after major changes"
LINES = [f"- step {number} moved a file of the parser" for number in range(80)]


def test_a_fact_is_shown_where_an_entry_says_it() -> None:
    """A reader checks a citation by it; the beginning of a long summary says something else."""
    text = "\n".join([*LINES, f"- {FACT}", *LINES])
    shown = cut_cited(text, set(tokenize(FACT)), 400)
    assert FACT in shown
    assert shown.startswith("…\n")
    assert shown.endswith("…")
    lines = shown.splitlines()
    assert min(lines.index(f"- {FACT}"), len(lines) - lines.index(f"- {FACT}")) > 2, "with what stands before and behind it"


def test_an_entry_that_says_it_at_once_is_shown_from_its_beginning() -> None:
    """And one that says nothing of it: a citation of a fact that was said again in other words."""
    text = "\n".join([FACT, *LINES])
    assert cut_cited(text, set(tokenize(FACT)), 400).startswith(f"{FACT}\n- step 0")
    assert cut_cited("\n".join(LINES), {"zebra"}, 400).startswith("- step 0")
    assert cut_cited("\n".join(LINES), {"zebra"}, 400).endswith("…")


def test_one_line_without_end_is_searched_too() -> None:
    """Some agents write paragraphs of pages."""
    text = "word " * 2_000 + FACT + " word" * 2_000
    assert FACT in cut_cited(text, set(tokenize(FACT)), 500)


@given(st.text(alphabet="ab \n.é界", max_size=800), st.sets(st.sampled_from(["ab", "b", "界"])), st.integers(40, 300))
def test_a_stretch_keeps_to_its_room_and_invents_nothing(text: str, words: set[str], limit: int) -> None:
    """But for the dots."""
    shown = cut_cited(text, words, limit)
    assert len(shown) <= max(limit + 4, 0)
    assert all(line.rstrip(" …") in text for line in shown.splitlines())
