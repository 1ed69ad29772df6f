"""Weighs the owner's words that rules read: rules cannot tell which of them matter, so those that say least go first.

A saying's weight is the information of its words, each by its rarity among the facts that could stand on the page, by the root
of its length: several short sayings may say more than a long one in their place.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from transforms.briefing.brief import DECLINED, LOW, MEDIUM, ROW_TOKENS, UNJUDGED, BriefFact, FactGroup
from transforms.briefing.group_facts import ORDERED_HEADINGS
from transforms.language.sentences import find_content_words
from transforms.tables.tokens import count_tokens

COST_POWER = 0.5
AGE_SHARE = 0.2
"""What the oldest fact loses of its weight, the others by the share of facts that are newer: it is more often replaced."""


def weigh_facts(groups: Sequence[FactGroup]) -> tuple[FactGroup, ...]:
    """Return the groups in which facts that rules read have a weight, and a rank by which they fill the page.

    What a model observed or a reflection offers keeps its rank, and the groups of ORDERED_HEADINGS their order.
    """
    by_rules = {fact for _, facts in groups for fact in facts if fact.is_by_rules and fact.rank <= UNJUDGED}
    newest_first = sorted(by_rules, key=lambda fact: (fact.day, fact.observation_id), reverse=True)
    words = [find_content_words(fact.text) for fact in newest_first]
    seen_in = Counter(word for own in words for word in own)
    rarity = {word: math.log(1 + len(newest_first) / count) for word, count in seen_in.items()}
    weights = {
        fact: math.fsum(rarity[word] for word in own)
        / (count_tokens(fact.text) + ROW_TOKENS) ** COST_POWER
        * (1 - AGE_SHARE * place / len(newest_first))
        for place, (fact, own) in enumerate(zip(newest_first, words, strict=True))
    }
    return tuple(
        (heading, facts if heading in ORDERED_HEADINGS else tuple(_set_weight(fact, weights) for fact in facts))
        for heading, facts in groups
    )


def _set_weight(fact: BriefFact, weights: dict[BriefFact, float]) -> BriefFact:
    if fact not in weights:
        return fact
    return replace(fact, rank=LOW if fact.rank == DECLINED else MEDIUM, weight=weights[fact])
