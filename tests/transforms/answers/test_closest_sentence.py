"""The order of an answer's hits: one sentence of a long turn may answer, and what was replaced does not move."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from transforms.answers.closest_sentence import put_closest_first, put_near_hits_first
from transforms.recall.answerability import EVIDENCE_HITS
from transforms.recall.question_type import classify_question
from transforms.recall.types import Hit

WEIGHTS = {"width": 2.0, "lin": 1.0}


def make_hit(number: int, text: str, score: float = 0.5) -> Hit:
    """Return a turn of the agent."""
    return Hit(f"h{number}", "turn", text, None, None, None, "s", (f"e{number}",), (number,), None, score, speaker="assistant")


def test_the_hit_with_the_answering_sentence_goes_first() -> None:
    """Both have all the words; only the second says them in one sentence."""
    scattered = make_hit(0, "The width is odd. Then I read each file. A line was left.", 0.52)
    telling = make_hit(1, "All checks pass. The width of a line is 80.", 0.5)
    assert [hit.id for hit in put_closest_first([scattered, telling], WEIGHTS, {})] == ["h1", "h0"]


def test_a_near_word_brings_a_hit_forward() -> None:
    """ "Breadth" stands for "width" where the vectors say so."""
    hits = [make_hit(0, "Nothing about it."), make_hit(1, "The breadth is 80.")]
    assert [hit.id for hit in put_closest_first(hits, WEIGHTS, {"breadth": {"width": 0.3}})] == ["h1", "h0"]
    assert put_closest_first(hits, WEIGHTS, {}) == hits


def test_a_hit_with_a_value_of_the_type_asked_for_goes_first() -> None:
    """Both are about the subject as much; the first names no port."""
    value = classify_question("which port does the gate listen on").answer_pattern
    hits = [make_hit(0, "The gate is slow today.", 0.55), make_hit(1, "The gate moves to port 8443.", 0.5)]
    assert [hit.id for hit in put_closest_first(hits, {"gate": 1.0}, {}, value)] == ["h1", "h0"]
    assert put_closest_first(hits, {"gate": 1.0}, {}) == hits


def test_a_value_in_words_is_one_of_the_type_asked_for() -> None:
    """Who dictates says the digits of a port."""
    value = classify_question("which port does the gate listen on").answer_pattern
    hits = [make_hit(0, "The gate is slow today.", 0.55), make_hit(1, "The gate moves to port eighty four forty three.", 0.5)]
    assert [hit.id for hit in put_closest_first(hits, {"gate": 1.0}, {}, value)] == ["h1", "h0"]


def test_a_value_far_from_the_question_stays_behind_what_leads_by_more() -> None:
    """A port that the last of the hits names is most likely another one's."""
    value = classify_question("which port does the gate listen on").answer_pattern
    hits = [make_hit(0, "The gate is slow today.", 0.7), make_hit(1, "The gate moves to port 8443.", 0.5)]
    assert put_closest_first(hits, {"gate": 1.0}, {}, value) == hits


def make_dated_hit(number: int, session: str, day: int, score: float) -> Hit:
    """Return a turn of a session."""
    return replace(
        make_hit(number, "The width of a line.", score), session_id=session, said_at=datetime(2026, 5, day, number, tzinfo=UTC)
    )


def test_for_a_question_about_the_present_the_later_session_goes_first() -> None:
    """Both say it as closely; what leads by more stays, and without the present scores alone decide."""
    hits = [make_dated_hit(0, "early", 1, 0.55), make_dated_hit(1, "late", 9, 0.5)]
    assert [hit.id for hit in put_closest_first(hits, WEIGHTS, {}, is_present=True)] == ["h1", "h0"]
    assert put_closest_first(hits, WEIGHTS, {}) == hits
    leading = [replace(hits[0], score=0.8), hits[1]]
    assert put_closest_first(leading, WEIGHTS, {}, is_present=True) == leading


def test_inside_of_a_session_the_later_hit_is_not_the_better_one() -> None:
    """A question and its answer stand side by side there."""
    hits = [make_dated_hit(0, "one", 1, 0.55), make_dated_hit(1, "one", 1, 0.5)]
    assert put_closest_first(hits, WEIGHTS, {}, is_present=True) == hits


@given(st.lists(st.tuples(st.sampled_from(["The width of a line.", "The line.", "Other."]), st.booleans()), max_size=10))
def test_what_was_replaced_keeps_its_place(said: list[tuple[str, bool]]) -> None:
    """Whatever stands around it; and no hit is lost or doubled."""
    hits = [replace(make_hit(n, text), superseded_by="o-1" if is_over else None) for n, (text, is_over) in enumerate(said)]
    ordered = put_closest_first(hits, WEIGHTS, {})
    assert sorted(hit.id for hit in ordered) == sorted(hit.id for hit in hits)
    assert all(ordered[place] == hit for place, hit in enumerate(hits) if hit.superseded_by)


def test_a_hit_of_which_a_part_changed_gives_way_to_a_later_session() -> None:
    """What is told beside it is no reason to keep it in front."""
    hits = [
        replace(make_dated_hit(0, "early", 1, 0.55), changed="since 2026-05-09: 88 instead of 80"),
        make_dated_hit(1, "late", 9, 0.5),
    ]
    assert [hit.id for hit in put_closest_first(hits, WEIGHTS, {}, is_present=True)] == ["h1", "h0"]


def test_a_hit_of_which_a_part_changed_does_not_pass_the_terse_one_that_says_what_holds() -> None:
    """Its sentence has the question's words, and "88 then" has none."""
    hits = [
        make_hit(0, "88 then", 0.5),
        replace(make_hit(1, "The width of a line is 80.", 0.5), changed="since then: 88 instead of 80"),
    ]
    assert [hit.id for hit in put_closest_first(hits, WEIGHTS, {})] == ["h0", "h1"]
    unmarked = [hits[0], replace(hits[1], changed="")]
    assert [hit.id for hit in put_closest_first(unmarked, WEIGHTS, {})] == ["h1", "h0"]


def test_a_question_without_words_changes_no_order() -> None:
    """ "?" has none."""
    hits = [make_hit(0, "One."), make_hit(1, "Two.")]
    assert put_closest_first(hits, {}, {}) == hits


@given(
    st.lists(st.sampled_from(["The width is 80.", "The line is long.", "All is well."]), max_size=EVIDENCE_HITS + 5),
    st.booleans(),
)
def test_hits_change_places_among_the_first_only_and_each_place_keeps_its_score(texts: list[str], is_present: bool) -> None:
    """Nothing is lost or doubled, scores fall as they did, and what stands behind the evidence stays."""
    hits = [make_hit(number, text, 0.9 - 0.05 * number) for number, text in enumerate(texts)]
    ordered = put_near_hits_first(hits, WEIGHTS, {}, is_present=is_present)
    assert sorted(hit.id for hit in ordered) == sorted(hit.id for hit in hits)
    assert [hit.score for hit in ordered] == [hit.score for hit in hits]
    assert ordered[EVIDENCE_HITS:] == hits[EVIDENCE_HITS:]
