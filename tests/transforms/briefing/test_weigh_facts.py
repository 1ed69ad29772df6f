"""What a fact that rules found weighs on a briefing."""

from __future__ import annotations

from datetime import date, timedelta

from transforms.briefing.brief import DECLINED, LOW, MEDIUM, OFFERED, UNJUDGED, BriefFact
from transforms.briefing.group_facts import FOUND_HEADING, HEADINGS, SAID_HEADING
from transforms.briefing.weigh_facts import weigh_facts

DAY = date(2026, 3, 2)


def saying(key: str, text: str, *, rank: int = UNJUDGED, age: int = 0, is_by_rules: bool = True) -> BriefFact:
    return BriefFact(text, DAY - timedelta(days=age), key, rank=rank, is_by_rules=is_by_rules)


def test_what_says_much_in_few_words_weighs_most_and_the_newer_of_two_alike() -> None:
    """Words that every fact has say little, and so does length alone."""
    facts = (
        saying("full", '"the mirror on port 8081 replaces central"'),
        saying("older", '"the mirror on port 8082 replaces sonatype"', age=9),
        saying("common", '"the page is the page and the page stays the page"'),
        saying("same", '"the page stays the page"'),
    )
    ((_, weighed),) = weigh_facts([(SAID_HEADING, facts)])
    weights = {fact.observation_id: fact.weight for fact in weighed}
    assert weights["full"] > weights["older"] > weights["same"]
    assert weights["common"] < weights["full"]
    assert {fact.rank for fact in weighed} == {MEDIUM}


def test_a_model_s_facts_offered_ones_and_an_agent_s_words_keep_their_place() -> None:
    """Only what rules read of the owner's words competes by its words; what was turned down goes first."""
    kept = (saying("model", "a", is_by_rules=False), saying("offered", "b c", rank=OFFERED))
    said = (*kept, saying("refused", "port 8081", rank=DECLINED))
    done = (FOUND_HEADING, (saying("done", "fixed port 8081", rank=MEDIUM),))
    (_, weighed), untouched = weigh_facts([("Rules", said), done])
    assert weighed[:2] == kept
    assert weighed[2].rank == LOW
    assert untouched == done
    assert weigh_facts([]) == ()


def test_a_decision_from_a_menu_goes_after_what_fills_the_page_also_one_that_was_turned_down_as_a_line() -> None:
    """That the owner wants no line of it does not make it untrue."""
    picked = (HEADINGS["decision"], (saying("picked", "Postgres", rank=DECLINED),))
    (decisions, _) = weigh_facts([picked, (SAID_HEADING, (saying("said", "port 8081"),))])
    assert decisions == picked
