"""The rest of a briefing: nothing is said twice, the order is that of the page, and the budget holds."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from transforms.opening.page_rest import OMITTED_NOTE, complete_page, cut_page, leave_out_shown, list_rest
from transforms.tables.tokens import count_tokens

PAGE = "\n".join([
    "<!-- begin -->", "# Briefing: shop", "", "_As of today._", "", "## Rules", "",
    *(f"- rule {number} stands (2026-05-17, `o-a{number}`)" for number in range(6)), "", "## Decisions", "",
    *(f"- decision {number} was taken (2026-05-17, `o-b{number}`)" for number in range(6)), "<!-- end -->",
]) + "\n"  # fmt: skip


def shorten(lines: set[int]) -> str:
    """Return the page without some of its facts; a section without any has no heading."""
    kept = [line for number, line in enumerate(PAGE.splitlines()) if number not in lines or not line.startswith("- ")]
    text = "\n".join(kept) + "\n"
    for heading in ("Rules", "Decisions"):
        if f"- {heading[:-1].lower()} " not in text:
            text = text.replace(f"## {heading}\n\n", "")
    return text


@given(st.sets(st.integers(0, 30)), st.integers(0, 400))
@example(dropped={7, 16, 17, 18, 19, 20, 21}, budget=85)  # a section without room for any fact has no heading, which is no line
def test_a_short_page_grows_within_the_budget_by_lines_of_the_page_in_its_order(dropped: set[int], budget: int) -> None:
    short = shorten(dropped)
    text = complete_page(PAGE, short, budget)
    assert text in {short, PAGE} or count_tokens(text) <= budget
    note = [line for line in text.splitlines() if line.endswith("`recollect briefing`._")]
    assert [line for line in PAGE.splitlines() if line in text.splitlines() and line] == [
        line for line in text.splitlines() if line and line not in note
    ]
    missing = sum(line not in text.splitlines() for line in PAGE.splitlines() if line.startswith("- "))
    assert text == short or note == [OMITTED_NOTE.format(missing)] * bool(missing)
    assert set(short.splitlines()) <= set(text.splitlines())
    assert complete_page(PAGE, short, 10_000) == PAGE


@given(st.sets(st.integers(0, 30)), st.integers(0, 400))
def test_the_rest_has_no_line_that_was_shown_and_keeps_its_budget(dropped: set[int], budget: int) -> None:
    short = shorten(dropped)
    rest = list_rest(PAGE, short, budget)
    assert not rest or count_tokens(rest) <= budget
    facts = [line for line in rest.splitlines() if line.startswith("- ")]
    assert not set(facts) & set(short.splitlines())
    left_out = sum(line not in rest + short for line in PAGE.splitlines() if line.startswith("- "))
    assert not rest or (OMITTED_NOTE.format(left_out) in rest.splitlines()) == bool(left_out), "what has no room is counted"
    whole = list_rest(PAGE, short, 10_000)
    missing = [line for line in PAGE.splitlines() if line.startswith("- ") and line not in short]
    assert [line for line in whole.splitlines() if line.startswith("- ")] == missing
    assert bool(missing) == bool(whole)


def test_a_fact_that_is_shown_in_other_words_is_not_shown_again() -> None:
    shown = PAGE.replace("rule 3 stands", "rule 3 stood before")
    assert list_rest(PAGE, shown, 1_000) == ""


def test_a_short_form_with_words_of_its_own_stays() -> None:
    """Its notes were cut off: both forms of a line would say the same twice."""
    short = PAGE.replace("rule 3 stands", "rule 3")
    assert complete_page(PAGE, short, count_tokens(PAGE) - 1) == short


@given(st.sets(st.integers(0, 30)), st.integers(0, 400))
def test_a_page_that_is_cut_ends_with_the_number_of_lines_that_the_whole_page_has_beyond_it(dropped: set[int], room: int) -> None:
    """Also of a short form, which lacked some before it was cut; no heading stands without a line."""
    short = shorten(dropped)
    text = cut_page(short, room, PAGE)
    assert text == short or count_tokens(text) <= room
    *lines, note = text.splitlines() or [""]
    left_out = sum(line not in lines for line in PAGE.splitlines() if line.startswith("- "))
    assert text in {short, ""} or (note == OMITTED_NOTE.format(left_out) and not lines[-2].startswith("#"))


@given(st.sets(st.integers(0, 5)), st.sets(st.integers(0, 5)))
def test_a_fact_that_is_shown_below_has_no_line_and_an_empty_section_no_heading(rules: set[int], decisions: set[int]) -> None:
    """All else stays as it is, in its order."""
    shown = " ".join([*(f"`o-a{number}`" for number in rules), *(f"`o-b{number}`" for number in decisions)])
    lines = leave_out_shown(PAGE, shown).splitlines()
    facts = [line for line in PAGE.splitlines() if line.startswith("- ")]
    assert [line for line in lines if line.startswith("- ")] == [line for line in facts if line[-6:-1] not in shown]
    assert ("## Rules" in lines, "## Decisions" in lines) == (len(rules) < 6, len(decisions) < 6)
    frame = ("<!-- begin -->", "# Briefing: shop", "_As of today._", "<!-- end -->")
    assert tuple(line for line in lines if line in frame) == frame
    assert leave_out_shown(PAGE, "no ids") == PAGE


def test_a_note_about_the_page_keeps_no_heading_whose_facts_have_no_room() -> None:
    """An opening had "## Found and done" with nothing below it but the number of facts that do not fit."""
    note = "_146 more facts do not fit into this page._"
    page = f"# Briefing\n\n_As of today._\n\n## Rules\n\n- Rule one.\n\n## Found and done\n\n- {'Found. ' * 60}\n\n{note}\n"
    short = f"# Briefing\n\n_As of today._\n\n{note}\n"
    text = complete_page(page, short, 60)
    assert "## Found and done" not in text
    assert text.startswith("# Briefing\n\n_As of today._\n\n## Rules\n\n- Rule one.\n")
    assert note in text
