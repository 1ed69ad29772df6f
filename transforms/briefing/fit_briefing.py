"""Shortens a briefing until it fits its budget of tokens: the least important part goes first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

from transforms.briefing.brief import MEDIUM, ROW_TOKENS, BriefFact, Briefing, BriefSession, FactGroup
from transforms.briefing.group_facts import YIELDING_HEADINGS
from transforms.tables.fact_notes import cut_notes, cut_reply
from transforms.tables.tokens import count_tokens

MIN_TASKS = 3
"""Open tasks that stay while anything else is left."""
RECENT_SHARE = 0.2
"""Share of a page that recent sessions take where not all fits; the last one stays."""
MIN_GROUP_FACTS = 2
"""Facts of a kind that stay while another kind has more."""


def fit_to_budget(full: Briefing, render: Callable[[Briefing], str], count: Callable[[str], int], budget: int) -> str:
    """Return the rendered briefing within `budget` tokens, or what is left when nothing more can go.

    Lines of MEMORY.md that were said in another project go first: it has them on a briefing of its own. Then go recent
    sessions over their share of the page and the agent's replies behind a person's words, then what fills the page, what weighs
    least first; then notes behind facts; then the longest group gives up a fact, so that no kind crowds out the others, and those
    that a reflection offers stay longest; then older sessions, then the facts that bind nobody, then commands, then the other
    lines of MEMORY.md.
    """
    if count(render(full)) <= budget:
        return render(full)
    steps = _list_shorter_briefings(full, int(RECENT_SHARE * budget))

    def fits(step: Callable[[], Briefing]) -> bool:
        return count(render(step())) <= budget

    first = bisect_left(steps, True, key=fits)  # each step is shorter, so the first that fits is found by halves
    return render(steps[min(first, len(steps) - 1)]())


def _list_shorter_briefings(full: Briefing, recent_tokens: int) -> list[Callable[[], Briefing]]:
    """Return the briefing, and each time without its least important part, until nothing is left to drop.

    Recent sessions are shortened to `recent_tokens` early. The briefings are made when they are called: of hundreds of steps a
    search by halves looks at a few.
    """
    without = [replace(full, elsewhere=full.elsewhere[:count]) for count in range(len(full.elsewhere), -1, -1)]
    steps: list[Callable[[], Briefing]] = [partial(_keep, brief) for brief in without]
    kept = _count_recent(full.recent, recent_tokens)
    steps += [
        partial(_keep, replace(without[-1], recent=full.recent[:count])) for count in range(len(full.recent) - 1, kept - 1, -1)
    ]
    replied, order = replace(without[-1], recent=full.recent[:kept]), _order_filling(full.groups)
    places = [*order, *_list_binding(full.groups, order)]
    steps += [partial(_change_texts, replied, cut_reply, places[:count]) for count in range(1, len(places) + 1)]
    bare = _change_texts(replied, cut_reply, places)
    steps += [partial(_drop_filling, bare, order[:count]) for count in range(1, len(order) + 1)]
    brief: Briefing | None = _drop_filling(_change_texts(bare, cut_notes, places), order)
    while brief is not None:
        steps.append(partial(_keep, brief))
        brief = _drop_least_important(brief)
    return steps


def _count_recent(sessions: Sequence[BriefSession], tokens: int) -> int:
    """Return how many of the sessions, the newest first, have so many tokens; at least one, if there is one."""
    sizes = accumulate(count_tokens(f"{session.title} {session.narrative}") + ROW_TOKENS for session in sessions)
    return max(sum(size <= tokens for size in sizes), min(1, len(sessions)))


def _keep(brief: Briefing) -> Briefing:
    return brief


def _count_fact_tokens(fact: BriefFact) -> int:
    return count_tokens(fact.text) + ROW_TOKENS


def _order_filling(groups: Sequence[FactGroup]) -> list[tuple[int, int]]:
    """Return the places (group, fact) of the facts that fill a briefing, in the order in which they go: of the least rank, the
    one that weighs least; of those that weigh the same, the last of the group with the most text."""
    tokens = [[_count_fact_tokens(fact) for fact in facts] for _, facts in groups]
    sizes = list(map(sum, tokens))
    order: list[tuple[int, int]] = []
    for rank in sorted({fact.rank for _, facts in groups for fact in facts if fact.rank <= MEDIUM}):
        waiting: dict[int, list[tuple[float, int]]] = {}
        for group, (_, facts) in enumerate(groups):
            if filling := [(fact.weight, -place) for place, fact in enumerate(facts) if fact.rank == rank]:
                waiting[group] = sorted(filling, reverse=True)
        while waiting:
            group = min(waiting, key=lambda place: (waiting[place][-1][0], -sizes[place], place))
            place = -waiting[group].pop()[1]
            if not waiting[group]:
                del waiting[group]
            sizes[group] -= tokens[group][place]
            order.append((group, place))
    return order


def _list_binding(groups: Sequence[FactGroup], filling: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the places of the facts that fill nothing, of the least rank first, of one rank those that stand last."""
    others = {(group, place) for group, (_, facts) in enumerate(groups) for place in range(len(facts))} - {*filling}
    return sorted(others, key=lambda at: (groups[at[0]][1][at[1]].rank, -at[1], at[0]))


def _drop_filling(brief: Briefing, places: Sequence[tuple[int, int]]) -> Briefing:
    """Return the briefing without the facts at these places; a group without facts goes."""
    gone = set(places)
    kept = [
        (heading, tuple(fact for place, fact in enumerate(facts) if (group, place) not in gone))
        for group, (heading, facts) in enumerate(brief.groups)
    ]
    return replace(brief, groups=tuple((heading, facts) for heading, facts in kept if facts))


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
    if brief.commands:
        return replace(brief, commands=brief.commands[:-1])
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


def _change_texts(brief: Briefing, change: Callable[[str], str], places: Sequence[tuple[int, int]]) -> Briefing:
    """Return the briefing with the texts of the facts at these places changed; `recollect show` has what is cut from them."""
    changed = set(places)
    groups = tuple(
        (
            heading,
            tuple(
                replace(fact, text=change(fact.text)) if (group, place) in changed else fact for place, fact in enumerate(facts)
            ),
        )
        for group, (heading, facts) in enumerate(brief.groups)
    )
    return replace(brief, groups=groups)
