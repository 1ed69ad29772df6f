"""Weighs the facts that rules observed and puts those first that are most likely worth reading.

The priorities of rules do not tell which of an owner's words matter. A fact's weight is the learned probability that it is worth
reading and holds, by a root of its length: several short facts may say more than a long one in their place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from transforms.briefing.brief import DECLINED, LOW, MEDIUM, ROW_TOKENS, UNJUDGED, BriefFact, FactGroup
from transforms.briefing.fact_worth import WORTH_WEIGHTS, WorthWeights, gives_value, judge_fact
from transforms.briefing.group_facts import FOUND_HEADING, HEADINGS, SAID_HEADING
from transforms.tables.tokens import count_tokens

COST_POWER = 0.25
"""Influence of length: 0 none, 1 probability per token."""
VALUE_GAIN = 1.2
"""Factor of a fact that gives a value: what changed is mostly such a one, and the page has its former value else."""
WEIGHT_DIGITS = 6


def weigh_facts(groups: Sequence[FactGroup], weights: WorthWeights = WORTH_WEIGHTS) -> tuple[FactGroup, ...]:
    """Return the groups in which facts that rules observed have a weight and a rank by which they fill the page, the most
    probable first.

    What a model observed, an owner labelled or a reflection offers keeps its rank and stands before them.
    """
    judged = {fact for _, facts in groups for fact in facts if fact.features and fact.rank <= UNJUDGED}
    worth = {fact: judge_fact(fact.features, age, weights) for fact, age in measure_ages(judged).items()}
    return tuple((heading, _sort_by_worth(heading, facts, worth)) for heading, facts in groups)


def put_behind_newer(groups: Sequence[FactGroup], newer: Mapping[str, str]) -> tuple[FactGroup, ...]:
    """Return the groups in which each fact that is over in part stands right behind the one that holds there (`newer`, by id), at
    the better place of both.

    A short correction ("keep 30 days rather") means little far from what it corrects. What is over leaves a short page first.
    """
    return tuple((heading, _pair_facts(facts, newer)) for heading, facts in groups)


def _pair_facts(facts: Sequence[BriefFact], newer: Mapping[str, str]) -> tuple[BriefFact, ...]:
    ordered = list(facts)
    for older in (fact for fact in facts if fact.observation_id in newer):
        later = next((fact for fact in ordered if fact.observation_id == newer[older.observation_id]), None)
        if later is None:
            continue
        earlier = next(fact for fact in ordered if fact.observation_id == older.observation_id)
        first = min(ordered.index(later), ordered.index(earlier))
        rank, weight = max((later.rank, later.weight), (earlier.rank, earlier.weight))
        ordered = [fact for fact in ordered if fact not in (later, earlier)]
        ordered[first:first] = replace(later, rank=rank, weight=weight), earlier  # its other parts hold: it keeps its weight
    return tuple(ordered)


def drop_repeated(groups: Sequence[FactGroup], repeated: Mapping[str, str]) -> tuple[FactGroup, ...]:
    """Return the groups without the facts that another one on the page has whole (`repeated`, by id), which stays as long as they
    would."""
    shown = [fact for _, facts in groups for fact in facts]
    best = {fact.observation_id: (fact.rank, fact.weight) for fact in shown}
    gone = {key: whole for key, whole in repeated.items() if key in best and whole in best}
    for key, whole in gone.items():
        best[whole] = max(best[whole], best[key])
    kept = ((heading, [fact for fact in facts if fact.observation_id not in gone]) for heading, facts in groups)
    return tuple(
        (
            heading,
            tuple(replace(fact, rank=rank, weight=weight) for fact in facts for rank, weight in [best[fact.observation_id]]),
        )
        for heading, facts in kept
        if facts
    )


def keep_message_order(groups: Sequence[FactGroup], places: Mapping[str, tuple[str, int, int]]) -> tuple[FactGroup, ...]:
    """Return the groups in which facts of one message and rank, at the places where they stand, have the order of the message.

    `places` are its session, its position there, and the place of a fact within it, by id. The newest message stands first, and
    its parts would stand in any order.
    """
    return tuple((heading, _order_messages(facts, places)) for heading, facts in groups)


def _order_messages(facts: Sequence[BriefFact], places: Mapping[str, tuple[str, int, int]]) -> tuple[BriefFact, ...]:
    messages: dict[tuple[str, int, int], list[int]] = {}
    for number, fact in enumerate(facts):
        if fact.observation_id in places:
            messages.setdefault((*places[fact.observation_id][:2], fact.rank), []).append(number)
    ordered = list(facts)
    for numbers in messages.values():
        parts = sorted((facts[number] for number in numbers), key=lambda fact: places[fact.observation_id])
        for number, fact in zip(numbers, parts, strict=True):
            ordered[number] = fact
    return tuple(ordered)


def measure_ages(facts: Collection[BriefFact]) -> dict[BriefFact, float]:
    """Return for each fact the share of the facts that are of a later day."""
    days = sorted(fact.day for fact in facts)
    return {fact: 1 - bisect_right(days, fact.day) / len(days) for fact in facts}


def _sort_by_worth(heading: str, facts: Sequence[BriefFact], worth: dict[BriefFact, float]) -> tuple[BriefFact, ...]:
    """Return the facts with their weights: those that are not judged, then the most probable ones, as they stood among equals.
    What was said for the moment goes by day, the newest first, and what was found and done by time: it may correct what stands
    below it."""
    kept = [fact for fact in facts if fact not in worth]
    judged = sorted((fact for fact in facts if fact in worth), key=lambda fact: -worth[fact])
    if heading == SAID_HEADING:
        judged.sort(key=lambda fact: fact.day, reverse=True)
    if heading == FOUND_HEADING:
        judged.sort(key=lambda fact: (fact.day, fact.said_at.timestamp() if fact.said_at else 0.0), reverse=True)
    return (*kept, *(_set_weight(heading, fact, worth[fact]) for fact in judged))


def _set_weight(heading: str, fact: BriefFact, worth: float) -> BriefFact:
    # That the owner wants no line of what was picked from a menu does not make it untrue.
    is_least = fact.rank in (LOW, DECLINED) and heading != HEADINGS["decision"]
    gain = VALUE_GAIN if gives_value(fact.text) else 1.0
    weight = round(gain * worth / (count_tokens(fact.text) + ROW_TOKENS) ** COST_POWER, WEIGHT_DIGITS)
    return replace(fact, rank=LOW if is_least else MEDIUM, weight=weight)
