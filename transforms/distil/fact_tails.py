"""Checks a fact that quotes a person by their words: what an engine wrote behind these must not cost them.

A person's rule is not less theirs because the agent's answer behind it quotes a command that nobody typed. Where only such a part
fails a check, it goes, and the words stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from transforms.distil.engine_result import Fact, Tail
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence
from transforms.tables.enums import Verdict


def check_with_tails(fact: Fact, window: WindowEvidence) -> tuple[Fact, tuple[Verdict, str]]:
    """Return the fact with its verdict; where only tails break a rule, the fact without them, which is allowed."""
    verdict = check_fact(fact, window)
    if verdict[0] == "allow":
        return fact, verdict
    shorter = next((part for part in _list_shorter(fact) if check_fact(part, window)[0] == "allow"), None)
    return (fact, verdict) if shorter is None else (shorter, ("allow", ""))


def _list_shorter(fact: Fact) -> Iterator[Fact]:
    """Yield the fact without some of its tails: as few as possible, of these the last ones first."""
    spare = [tail for tail in fact.tails if not tail.is_needed]
    for count in range(1, len(spare) + 1):
        for dropped in reversed([*combinations(spare, count)]):
            yield _drop_tails(fact, dropped)


def _drop_tails(fact: Fact, dropped: Sequence[Tail]) -> Fact:
    text, kept = fact.text, tuple(tail for tail in fact.tails if tail not in dropped)
    for tail in dropped:
        before, _, behind = text.rpartition(tail.text)
        text = f"{before}{behind}"
    sources = {ordinal for tail in dropped for ordinal in tail.ordinals} - {ordinal for tail in kept for ordinal in tail.ordinals}
    ordinals = tuple(ordinal for place, ordinal in enumerate(fact.ordinals) if place == 0 or ordinal not in sources)
    return fact.model_copy(update={"text": text, "ordinals": ordinals, "tails": kept})
