"""The XML form of an answer and its fallbacks; raw text is never an observation."""

from __future__ import annotations

import contextlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.model_answers.window_answer_xml import parse_window_xml

FULL = """Here is what I saw.
<observations>
Date: 2026-03-02

<segment topic="1">
<title>Login test</title>
<narrative>The flaky login test was fixed.</narrative>
<facts>
* 🔴 [rule] Never mock the clock in tests (#8)
* 🟡 (09:04) [file_change/projects] `tests/login.py` freezes the clock (meaning 2026-03-03) (#9, #10)
  * done with one edit (#12)
* ✅ The test passes (#12)
</facts>
</segment>
<segment>
<narrative>Nothing else happened.</narrative>
</segment>
</observations>
<current-task>
Primary: the login test
</current-task>
<suggested-response>Session completed normally.</suggested-response>
"""


def test_segments_with_marks_kinds_references_and_dates() -> None:
    """The whole form."""
    answer = parse_window_xml(FULL)
    first, second = answer.segments
    assert (first.topic, first.title, first.narrative) == (1, "Login test", "The flaky login test was fixed.")
    assert [(fact.kind, fact.priority, fact.refs) for fact in first.facts] == [
        ("rule", "high", [8]), ("file_change", "medium", [9, 10, 12]), ("completion", "medium", [12]),
    ]  # fmt: skip
    assert first.facts[1].text == "`tests/login.py` freezes the clock; done with one edit"
    assert first.facts[1].refers_to == date(2026, 3, 3)
    assert (second.topic, second.facts) == (0, [])
    assert answer.current_task == "Primary: the login test"
    assert answer.suggested_response == "Session completed normally."


def test_flat_bullets_inside_of_observations() -> None:
    """The older XML form: a mark, a time, a text; plain bullets count as low."""
    answer = parse_window_xml(
        "<observations>\nDate: 2026-03-02\n* 🔴 (09:08) Never mock the clock\n- maybe later\n</observations>"
    )
    assert [(entry.text, entry.priority, entry.clock) for entry in answer.loose] == [
        ("Never mock the clock", "high", "09:08"), ("maybe later", "low", ""),
    ]  # fmt: skip


def test_marked_lines_anywhere_are_the_last_resort() -> None:
    """Plain bullets of prose are not taken."""
    answer = parse_window_xml("Sure!\n- I looked at it\n**🔴** (09:08) Never mock the clock (#8)\n```\n🟢 maybe (#9)\n```\n")
    assert [(entry.text, entry.refs) for entry in answer.loose] == [("Never mock the clock", [8]), ("maybe", [9])]


@each_case("raw", ["", "I could not find anything of note.", "<observations>\n</observations>", "- a\n- b"])
def test_prose_is_not_an_observation(raw: str) -> None:
    """The parser refuses it, so it is never stored."""
    with pytest.raises(ValueError, match="no observation"):
        parse_window_xml(raw)


def test_an_answer_that_stops_in_the_middle_is_refused() -> None:
    """The missing part may be the most important one."""
    with pytest.raises(ValueError, match="stops before"):
        parse_window_xml(FULL[: FULL.index("</facts>")])


@given(st.text())
def test_no_text_breaks_the_parser(raw: str) -> None:
    """Any text is parsed or refused."""
    with contextlib.suppress(ValueError):
        assert parse_window_xml(f"<observations>{raw}</observations>")


def test_notes_behind_a_fact_are_read_in_any_order() -> None:
    """Replaced and closed observations, what was wrong or rejected, and the cure; the text stays free of them."""
    line = (
        "* 🔴 [decision] Sessions live in Postgres (#14 #12) | rejected: Redis: a second service | replaces: E3, E4 | closes: E1"
    )
    (fact,) = parse_window_xml(f"<observations>\n{line}\n</observations>").loose
    assert (fact.text, fact.refs) == ("Sessions live in Postgres", [14, 12])
    assert (fact.replaces, fact.closes, fact.rejected) == ([3, 4], [1], "Redis: a second service")
    piped = parse_window_xml("<observations>\n* 🔴 [error] `a | b` failed (#1) | cure: `set -o pipefail`\n</observations>").loose[
        0
    ]
    assert (piped.text, piped.cure) == ("`a | b` failed", "`set -o pipefail`")


def test_a_topic_may_begin_at_another_block() -> None:
    """The number of the topic is not the number of the block."""
    text = '<observations><segment topic="2" starts_at="#31"><narrative>It moved.</narrative></segment></observations>'
    (segment,) = parse_window_xml(text).segments
    assert (segment.topic, segment.starts_at) == (2, 31)
    (segment,) = parse_window_xml(text.replace('topic="2" ', "")).segments
    assert (segment.topic, segment.starts_at) == (0, 31)
