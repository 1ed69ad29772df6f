"""Filters of the templates."""

from __future__ import annotations

from effects.system.templates import mark_code


def test_words_between_backticks_are_code_in_html_and_everything_else_is_escaped() -> None:
    assert mark_code("run `make <b>` & see `") == "run <code>make &lt;b&gt;</code> &amp; see `"
