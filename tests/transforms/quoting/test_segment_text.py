"""The text of a segment."""

from __future__ import annotations

from transforms.quoting.segment_text import format_segment


def test_a_segment_is_its_title_and_its_narrative_and_says_nothing_twice() -> None:
    """Rules take the title from the first sentence when a topic has no better one."""
    assert format_segment("Caching", "It was slow.") == "Caching. It was slow."
    assert format_segment(None, "It was slow") == "It was slow."
    assert format_segment("整えます。", "直します。") == "整えます。 直します。", "another script's full stop is one"
    assert format_segment("The plan is…", "The plan is a cache. It is slow.") == "The plan is a cache. It is slow."
    assert format_segment("整えます。", "整えます。") == "整えます。"
