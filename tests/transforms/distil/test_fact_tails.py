"""A person's words stay when only what an engine wrote behind them breaks a rule; what they say is checked as before."""

from __future__ import annotations

import pytest

from tests.transforms.conversations import agent, call, conversation, result, user
from transforms.distil.engine_result import DistilledSegment, DistilledWindow, Fact, Tail
from transforms.distil.fact_grounding import check_fact
from transforms.distil.fact_tails import check_with_tails
from transforms.distil.window_evidence import WindowEvidence
from transforms.offline.engine import OfflineEngine

RULE = 'User set a rule: "always show me the count before you commit anything"'
ABOUT, REPLY = ' (about: "The rest keep `min_flow: 0`.")', " Reply: It printed `15 tests, 15 passed` at the end."
ENTRIES = conversation(
    [agent("", call("bash", "c1", command="make test")), result("c1", "min_flow: 0 is kept\n15 tests, 15 passed")],  # 0, 1
    agent("The rest keep `min_flow: 0`. Shall I commit?"),  # 2
    user("always show me the count before you commit anything"),  # 3
    agent("It printed `15 tests, 15 passed` at the end."),  # 4
)
WINDOW = WindowEvidence(tuple(ENTRIES))


def make_rule(*tails: Tail, said: str = RULE) -> Fact:
    return Fact(
        text="".join([said, *(tail.text for tail in tails)]), kind="rule", priority="high", category="rules",
        ordinals=(3, *(ordinal for tail in tails for ordinal in tail.ordinals)), tails=tails,
    )  # fmt: skip


def test_only_the_part_that_fails_goes_with_what_it_cites() -> None:
    """Nobody typed the count; the agent's words before it stay when they hold, and go too when they do not."""
    plain = Tail(' (about: "Shall I commit?")', (2,))
    both, about, failing = make_rule(plain, Tail(REPLY, (4,))), make_rule(Tail(ABOUT, (2,))), make_rule(Tail(REPLY, (4,)))
    assert check_fact(failing, WINDOW)[0] == "hold"
    assert check_with_tails(both, WINDOW) == (make_rule(plain), ("allow", ""))
    assert check_with_tails(about, WINDOW) == check_with_tails(failing, WINDOW) == (make_rule(), ("allow", ""))
    assert check_with_tails(make_rule(Tail(ABOUT, (2,)), Tail(REPLY, (4,))), WINDOW)[0] == make_rule()


@pytest.mark.parametrize(
    "said",
    [
        'User set a rule: "always show me `rm -rf build` before you commit anything"',
        'User set a rule: "always show me the count of 4711 lines before you commit anything"',
    ],
)
def test_words_that_fail_themselves_are_held_with_their_tails(said: str) -> None:
    fact = make_rule(Tail(REPLY, (4,)), said=said)
    assert check_with_tails(fact, WINDOW) == (fact, check_fact(fact, WINDOW))
    assert check_fact(fact, WINDOW)[0] == "hold"


def test_a_word_of_force_counts_in_what_a_rule_answers_and_not_in_what_came_of_it() -> None:
    """An agent that says "all" behind a rule adds no force to it; words that the owner answers may be adopted."""
    said = 'User set a rule: "show me the count before you commit anything"'
    entries = conversation(
        agent("I run all of them. Shall I commit?"), user("show me the count before you commit anything"), agent("All are shown.")
    )
    window = WindowEvidence(tuple(entries))
    later = Fact(
        text=f"{said} Reply: All are shown.", kind="rule", priority="high", category="rules", ordinals=(1, 2),
        tails=(Tail(" Reply: All are shown.", (2,)),),
    )  # fmt: skip
    before = later.model_copy(
        update={
            "text": f'{said} (about: "I run all of them.")', "ordinals": (1, 0),
            "tails": (Tail(' (about: "I run all of them.")', (0,)),),
        }
    )  # fmt: skip
    assert check_with_tails(later, window) == (later, ("allow", ""))
    assert check_with_tails(before, window)[0].text == said


def test_the_engine_hands_on_where_a_persons_words_end() -> None:
    """The rule of the conversation is kept although its reply quotes what a program printed."""
    distilled = OfflineEngine().distil(ENTRIES, [], [], 400)
    rules = [fact for fact in _list_facts(distilled) if "show me the count" in fact.text]
    assert rules
    for fact in rules:
        kept, verdict = check_with_tails(fact, WINDOW)
        assert verdict == ("allow", "")
        assert "15 passed" not in kept.text
        assert all(tail.text in fact.text for tail in fact.tails)


def _list_facts(distilled: DistilledWindow) -> list[Fact]:
    segments: tuple[DistilledSegment, ...] = distilled.segments
    return [fact for segment in segments for fact in segment.facts]
