"""What gives way to what when a briefing is shortened."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import given, settings
from hypothesis import strategies as st

from transforms.briefing.brief import DECLINED, LOW, MEDIUM, OFFERED, ROW_TOKENS, UNJUDGED, BriefFact, Briefing, BriefSession
from transforms.briefing.fit_briefing import fit_to_budget
from transforms.tables.fact_notes import WORDS_THAT_STAND_ALONE
from transforms.tables.tokens import count_tokens

EMPTY = Briefing("p", "", "", "", (), (), (), (), (), 0, None, 0)
groups_of_facts = st.lists(
    st.lists(st.sampled_from([LOW, MEDIUM, DECLINED, UNJUDGED, OFFERED]), min_size=1, max_size=8), max_size=5
)


def as_lines(brief: Briefing) -> str:
    facts = [fact.text for _, group in brief.groups for fact in group]
    return "\n".join([*facts, *brief.memory, *brief.elsewhere, *brief.tasks])


@given(groups_of_facts, st.integers(0, 60))
def test_filling_gives_way_before_anything_else(ranks: list[list[int]], budget: int) -> None:
    """The page fits if anything fits, a fact that fills goes before one that binds, and the longest page that fits is taken."""
    groups = tuple(
        (f"group {place}", tuple(BriefFact(f"f{place}.{index} {rank}", date(2026, 3, 2), "o", rank=rank) for index, rank in
         enumerate(sorted(group, reverse=True))))
        for place, group in enumerate(ranks)
    )  # fmt: skip
    full = replace(EMPTY, groups=groups, memory=("line one", "line two"), elsewhere=("other line",), tasks=("a", "b", "c", "d"))
    text = fit_to_budget(full, as_lines, lambda shown: len(shown.split()), budget)
    assert len(text.split()) <= max(budget, 0)
    shown, binding = text.splitlines(), [fact.text for _, group in groups for fact in group if fact.rank > MEDIUM]
    if any(fact.text in shown for _, group in groups for fact in group if fact.rank <= MEDIUM):
        assert set(binding) <= set(shown)
    filling = sum(fact.rank <= MEDIUM for _, group in groups for fact in group)
    kept = sum(line.endswith((f" {LOW}", f" {MEDIUM}")) for line in shown if line.startswith("f"))
    if kept < filling and "d" in shown and "line two" in shown and set(binding) <= set(shown):
        # nothing but filling is missing, so one more of it would not have fitted
        assert len(text.split()) + 2 > budget
    if "other line" in shown:
        assert set(as_lines(full).splitlines()) == set(shown)


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(1, 90), min_size=1, max_size=6), min_size=1, max_size=4))
def test_each_fact_that_goes_is_of_the_group_with_the_most_text_then(lengths: list[list[int]]) -> None:
    """The sizes are those of what is left, also when a group before it is gone; of two the first group gives way."""
    left = [
        [BriefFact(f"{place}.{index}".ljust(length, "x"), date(2026, 3, 2), "o", rank=LOW) for index, length in enumerate(group)]
        for place, group in enumerate(lengths)
    ]
    full = replace(EMPTY, groups=tuple((f"group {place}", tuple(facts)) for place, facts in enumerate(left)))
    for budget in range(sum(map(len, left)), 0, -1):
        text = fit_to_budget(full, as_lines, lambda shown: len(shown.split()), budget)
        assert text.split() == [fact.text for facts in left for fact in facts]
        max(left, key=lambda facts: sum(count_tokens(fact.text) + ROW_TOKENS for fact in facts)).pop()
        left = [facts for facts in left if facts]


def test_a_fact_that_binds_nobody_yields_to_the_lines_of_memory() -> None:
    """On the smallest pages a deadline took the place of "never push without being asked"."""
    rule, deadline = (BriefFact(text, date(2026, 3, 2), text) for text in ("rule", "deadline"))
    full = replace(EMPTY, groups=(("Rules", (rule,)), ("Facts", (deadline,))), memory=("line",))
    pages = [fit_to_budget(full, as_lines, lambda shown: len(shown.split()), budget).split() for budget in (3, 2, 1)]
    assert pages == [["rule", "deadline", "line"], ["rule", "line"], ["rule"]]


def test_lines_of_other_projects_go_before_anything_of_the_project_and_are_counted() -> None:
    """18 of 28 lines of an opening were other projects', and the project's own rules had no room."""
    filling = BriefFact("own", date(2026, 3, 2), "o", rank=LOW)
    full = replace(EMPTY, groups=(("Words", (filling,)),), memory=("line",), elsewhere=("other", "another"), all_lines=6)

    def render(brief: Briefing) -> str:
        return f"{as_lines(brief)}\n+{brief.omitted_lines}"

    pages = [fit_to_budget(full, render, lambda shown: len(shown.split()), budget).split() for budget in (5, 4, 3, 2)]
    expected = [["own", "line", "other", "another", "+3"], ["own", "line", "other", "+4"], ["own", "line", "+5"], ["line", "+5"]]
    assert pages == expected


def test_what_stands_around_the_facts_goes_when_no_fact_is_left() -> None:
    """209 tokens were the least of a briefing, whatever was asked for: a session's narrative and what continues the work."""
    session = BriefSession(date(2026, 3, 2), "title", "narrative")
    full = replace(EMPTY, recent=(session,), tasks=("task",), suggested_response="next", groups=())

    def render(brief: Briefing) -> str:
        sessions = [part for row in brief.recent for part in (row.title, row.narrative)]
        return " ".join([*sessions, *brief.tasks, brief.suggested_response])

    pages = [fit_to_budget(full, render, lambda shown: len(shown.split()), budget).split() for budget in (4, 3, 2, 0)]
    assert pages == [["title", "narrative", "task", "next"], ["title", "task", "next"], ["next"], []]


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(1, 90), min_size=1, max_size=6), min_size=1, max_size=4))
def test_what_weighs_least_on_the_whole_page_goes_first_whatever_group_it_is_of(weights: list[list[int]]) -> None:
    """A section with much text may be the one that is worth it."""
    groups = tuple(
        (f"group {place}", tuple(BriefFact(f"{place}.{index}", date(2026, 3, 2), "o", rank=MEDIUM, weight=weight)
         for index, weight in enumerate(sorted(group, reverse=True))))
        for place, group in enumerate(weights)
    )  # fmt: skip
    weight_of = {fact.text: fact.weight for _, facts in groups for fact in facts}
    for budget in range(len(weight_of), 0, -1):
        shown = fit_to_budget(replace(EMPTY, groups=groups), as_lines, lambda text: len(text.split()), budget).split()
        assert len(shown) == budget
        assert sorted(weight_of[text] for text in shown) == sorted(weight_of.values())[-budget:]


def test_replies_of_the_agent_go_before_any_fact_those_behind_the_least_first() -> None:
    """Replies took a seventh of a page, and the person's own words had no room."""
    words = "word " * WORDS_THAT_STAND_ALONE + "end"
    facts = [BriefFact(f'"{words} {name}" Reply: ok {name}', date(2026, 3, 2), name, rank=MEDIUM, weight=weight)
             for name, weight in (("one", 2.0), ("two", 1.0))]  # fmt: skip
    binding = BriefFact(f'"{words} all" Outcome: done all', date(2026, 3, 2), "all", rank=UNJUDGED)
    full = replace(EMPTY, groups=(("Rules", (binding,)), ("Words", tuple(facts))))
    size = WORDS_THAT_STAND_ALONE + 2
    budgets = [3 * size + notes for notes in (8, 5, 2, 0, -size)]
    pages = [fit_to_budget(full, as_lines, lambda shown: len(shown.split()), budget).split("\n") for budget in budgets]
    bare = [f'"{words} {name}"' for name in ("all", "one", "two")]
    assert pages == [
        [binding.text, facts[0].text, bare[2]],
        [binding.text, bare[1], bare[2]],
        [bare[0], bare[1], bare[2]],
        [bare[0], bare[1], bare[2]],
        [bare[0], bare[1]],
    ]


def test_recent_sessions_take_a_fifth_of_a_short_page_and_the_last_one_stays() -> None:
    """On a page of 800 tokens three sessions had a third of it."""
    facts = tuple(BriefFact(f"fact{place}", date(2026, 3, 2), "o", rank=MEDIUM, weight=-place) for place in range(9))
    recent = tuple(BriefSession(date(2026, 3, 2), name, "was told") for name in ("last", "former", "first"))
    full = replace(EMPTY, groups=(("Words", facts),), recent=recent)

    def render(brief: Briefing) -> str:
        return " ".join([as_lines(brief), *(f"{session.title} {session.narrative}" for session in brief.recent)])

    pages = [fit_to_budget(full, render, lambda shown: len(shown.split()), budget).split() for budget in (18, 15, 12, 11)]
    assert [[word for word in page if word in {"last", "former", "first"}] for page in pages] == [
        ["last", "former", "first"], ["last", "former"], ["last"], ["last"],
    ]  # fmt: skip
    assert [sum(word.startswith("fact") for word in page) for page in pages] == [9, 9, 9, 8]
