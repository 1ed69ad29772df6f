"""Shortens a briefing until it fits its budget of tokens: the least important part goes first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace

from transforms.briefing.brief import MEDIUM, ROW_TOKENS, UNJUDGED, BriefFact, Briefing, FactGroup
from transforms.briefing.group_facts import YIELDING_HEADINGS
from transforms.tables.fact_notes import cut_notes
from transforms.tables.tokens import count_tokens

MIN_TASKS = 3
"""Open tasks that stay while anything else is left."""
MIN_GROUP_FACTS = 2
"""Facts of a kind that stay while another kind has more."""


def fit_to_budget(full: Briefing, render: Callable[[Briefing], str], count: Callable[[str], int], budget: int) -> str:
    """Return the rendered briefing within `budget` tokens, or what is left when nothing more can go.

    Lines of MEMORY.md that were said in another project go first: it has them on a briefing of its own. Then goes what fills the
    page, from the group with the most text what says least; then notes behind facts; then the longest group gives up a fact,
    so that no kind crowds out the others, and those that a reflection offers stay longest; then older sessions, then the facts
    that bind nobody, then the other lines of MEMORY.md.
    """
    if count(render(full)) <= budget:
        return render(full)
    steps = list(_list_shorter_briefings(full))

    def fits(brief: Briefing) -> bool:
        return count(render(brief)) <= budget

    first = bisect_left(steps, True, key=fits)  # each step is shorter, so the first that fits is found by halves
    return render(steps[min(first, len(steps) - 1)])


def _list_shorter_briefings(full: Briefing) -> Iterator[Briefing]:
    """Yield the briefing, and each time without its least important part, until nothing is left to drop."""
    brief: Briefing | None = full
    is_filled = True
    sizes = [sum(map(_count_fact_tokens, facts)) for _, facts in full.groups]
    while brief is not None:
        yield brief
        shorter = _drop_elsewhere(brief) or (_drop_filling(brief, sizes) if is_filled else _drop_least_important(brief))
        if shorter is None and is_filled:
            is_filled, shorter = False, _cut_all_notes(brief)
        brief = shorter


def _drop_elsewhere(brief: Briefing) -> Briefing | None:
    if not brief.elsewhere:
        return None
    return replace(brief, elsewhere=brief.elsewhere[:-1])


def _count_fact_tokens(fact: BriefFact) -> int:
    return count_tokens(fact.text) + ROW_TOKENS


def _drop_filling(brief: Briefing, sizes: list[int]) -> Briefing | None:
    """Return the briefing without a fact that fills it: of the least rank, from the group with the most text, the one that
    weighs least, or the last; None when no such fact is left. `sizes` are the tokens of the groups, and then those of the rest:
    counted anew for each fact that goes they took a fifth of the time of all pages."""
    rank = min((fact.rank for _, facts in brief.groups for fact in facts), default=UNJUDGED)
    if rank > MEDIUM:
        return None
    filled = [place for place, (_, facts) in enumerate(brief.groups) if any(fact.rank == rank for fact in facts)]
    group = max(filled, key=lambda place: (sizes[place], -place))
    heading, facts = brief.groups[group]
    least = min((fact.weight, -place) for place, fact in enumerate(facts) if fact.rank == rank)
    kept = (*facts[: -least[1]], *facts[-least[1] + 1 :])
    sizes[group : group + 1] = [sizes[group] - _count_fact_tokens(facts[-least[1]])] if kept else []
    rest: tuple[FactGroup, ...] = ((heading, kept),) if kept else ()
    return replace(brief, groups=(*brief.groups[:group], *rest, *brief.groups[group + 1 :]))


def _drop_last_fact(brief: Briefing, place: int) -> Briefing:
    heading, facts = brief.groups[place]
    rest: tuple[FactGroup, ...] = ((heading, facts[:-1]),) if len(facts) > 1 else ()
    return replace(brief, groups=(*brief.groups[:place], *rest, *brief.groups[place + 1 :]))


def _drop_least_important(brief: Briefing) -> Briefing | None:
    """Return the briefing without its least important part; None when nothing is left to drop."""
    if last := max(
        (
            (-facts[-1].rank, len(facts), position)
            for position, (_, facts) in enumerate(brief.groups)
            if len(facts) > MIN_GROUP_FACTS
        ),
        default=None,
    ):
        return _drop_last_fact(brief, last[-1])
    if len(brief.tasks) > MIN_TASKS:
        return replace(brief, tasks=brief.tasks[:-1])
    if len(brief.recent) > 1:
        return replace(brief, recent=brief.recent[:-1])
    if yielding := [place for place, (heading, _) in enumerate(brief.groups) if heading in YIELDING_HEADINGS]:
        return _drop_last_fact(brief, yielding[-1])
    if brief.memory:
        return replace(brief, memory=brief.memory[:-1])
    if brief.groups:
        return replace(brief, groups=brief.groups[:-1])
    return _drop_frame(brief)


def _drop_frame(brief: Briefing) -> Briefing | None:
    """Return a briefing without facts with less of what stands around them; its name and its day stay."""
    if any(session.narrative for session in brief.recent):
        return replace(brief, recent=tuple(replace(session, narrative="") for session in brief.recent))
    if brief.recent or brief.tasks:
        return replace(brief, recent=(), tasks=())
    if brief.suggested_response or brief.current_task or brief.pending:
        return replace(brief, suggested_response="", current_task="", pending=0)
    return None


def _cut_all_notes(brief: Briefing) -> Briefing:
    """Return the briefing with its facts alone; `recollect show` has the notes, which are as long again."""
    groups = tuple(
        (heading, tuple(replace(fact, text=cut_notes(fact.text)) for fact in facts)) for heading, facts in brief.groups
    )
    return replace(brief, groups=groups)
