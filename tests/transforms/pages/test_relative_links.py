"""Links between pages stay true when pages move."""

from __future__ import annotations

import posixpath

from hypothesis import given
from hypothesis import strategies as st

from transforms.pages.relative_links import find_linked_pages, keep_linked_pages, move_links

OLD, NEW = "memory/2026-01-02.md", "memory/archive/2026-01-02.md"


def test_a_moved_page_links_to_the_same_pages() -> None:
    """Links to pages that stay, that move along and that have moved, with anchors, titles, blanks and references."""
    text = (
        "see [memory](../MEMORY.md#rules), [the day before](2026-01-01.md 'a title'), ![plan](<plans/a%20b.png>)\n"
        "[ref]: ../notes/x.md\n"
    )
    moved = {OLD: NEW, "memory/2026-01-01.md": "memory/archive/2026-01-01.md"}
    assert move_links(text, OLD, NEW, moved) == (
        "see [memory](../../MEMORY.md#rules), [the day before](2026-01-01.md 'a title'), ![plan](<../plans/a%20b.png>)\n"
        "[ref]: ../../notes/x.md\n"
    )


def test_code_addresses_and_anchors_stay_as_written() -> None:
    text = "`[a](b.md)` [b](https://example.org/x) [c](#top) [d](/abs/x.md) [e](mailto:a@example.org)\n```\n[f](g.md)\n```\n"
    assert move_links(text, OLD, NEW, {OLD: NEW}) == text
    assert not {path for path in find_linked_pages(text, OLD) if path.endswith(("b.md", "g.md"))}


@given(
    st.lists(st.sampled_from(["a.md", "../MEMORY.md", "x/y.md", "2026-01-01.md", "./b.md"]), max_size=5),
    st.text("ab [](", max_size=9),
)
def test_there_and_back_leads_to_the_same_pages(targets: list[str], words: str) -> None:
    text = words + "".join(f"[l]({target})\n" for target in targets)
    there = move_links(text, OLD, NEW, {OLD: NEW})
    assert find_linked_pages(there, NEW) == find_linked_pages(text, OLD)
    back = move_links(there, NEW, OLD, {NEW: OLD})
    assert find_linked_pages(back, OLD) == find_linked_pages(text, OLD)
    assert all(not posixpath.isabs(path) for path in find_linked_pages(there, NEW))


def test_a_page_that_a_staying_page_links_to_stays_and_so_does_what_it_links_to() -> None:
    moves = {"a": "A", "b": "B", "c": "C"}
    assert keep_linked_pages(moves, {"MEMORY.md": {"a"}, "a": {"b"}, "b": set(), "c": {"c"}}) == {"c": "C"}
