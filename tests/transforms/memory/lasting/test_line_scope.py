"""Where a line holds: by its likelihood, or by words alone where nobody knows one."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.memory.eligibility import LineCandidate
from transforms.memory.lasting.line_scope import MIN_EVERYWHERE, holds_everywhere, is_of_project, knows_no_scope
from transforms.memory.said_for_good import is_about_work

KINDS = ("preference", "rule", "correction", "convention", "decision", "root_cause")
WORK, THING = "Never git add -A, name the files", "Never drop door events of the north gate"


def make_candidate(kind: str, text: str, whole: str = "", *, is_worded: bool = False) -> LineCandidate:
    """Return a line that was said in one project."""
    said_at = datetime(2026, 5, 1, tzinfo=UTC)
    return LineCandidate(
        text, "Joel", kind, 4.0, ("o-1",), frozenset({"s"}), said_at, frozenset({"/code/app"}), whole=whole, is_worded=is_worded
    )


@each_case("kind", KINDS)
def test_typed_words_of_any_kind_hold_everywhere_from_the_bound(kind: str) -> None:
    """Also those of a preference, which was never of a project, and whatever the words name."""
    for text in (WORK, THING):
        candidate = make_candidate(kind, text, text)
        assert is_of_project(candidate, lambda _: MIN_EVERYWHERE - 0.01)
        assert not is_of_project(candidate, lambda _: MIN_EVERYWHERE)


@given(st.sampled_from(KINDS), st.sampled_from([WORK, THING]), st.booleans(), st.booleans())
def test_where_no_likelihood_is_known_words_and_kinds_decide(kind: str, text: str, is_whole: bool, is_worded: bool) -> None:
    """As they did before there were any, with the same answer for each candidate."""
    candidate = make_candidate(kind, text, text if is_whole else "", is_worded=is_worded)
    is_bound_rule = (is_whole or is_worded) and kind != "preference" and not is_about_work(text)
    before = kind not in ("preference", "rule", "correction") or is_bound_rule
    assert is_of_project(candidate, knows_no_scope) is before


@each_case(("likely", "line", "expected"), [(None, WORK, True), (None, THING, False), (0.9, THING, True), (0.1, WORK, False)])
def test_a_line_alone_holds_everywhere_by_its_likelihood_or_its_words(likely: float | None, line: str, expected: bool) -> None:
    assert holds_everywhere(likely, line) is expected
