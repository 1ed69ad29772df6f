"""What a fact that rules found weighs on a briefing, and where it stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from transforms.briefing.brief import DECLINED, LOW, MEDIUM, OFFERED, UNJUDGED, BriefFact
from transforms.briefing.fact_worth import WorthWeights
from transforms.briefing.group_facts import FOUND_HEADING, HEADINGS, LASTING_HEADING, SAID_HEADING
from transforms.briefing.weigh_facts import drop_repeated, keep_message_order, put_behind_newer, weigh_facts

DAY = date(2026, 3, 2)
NAMES = WorthWeights._fields[1:-1]
headings = st.sampled_from([SAID_HEADING, FOUND_HEADING, HEADINGS["decision"]])


def saying(key: str, *, rank: int = UNJUDGED, age: int = 0, is_judged: bool = True, text: str = "", **signs: float) -> BriefFact:
    features = tuple(signs.get(name, 3.0 if name == "tokens" else 0.0) for name in NAMES) if is_judged else ()
    return BriefFact(text or key, DAY - timedelta(days=age), key, rank=rank, features=features)


def ids(facts: tuple[BriefFact, ...]) -> list[str]:
    return [fact.observation_id for fact in facts]


def test_what_binds_stands_first_then_the_newer_of_two_alike_and_a_question_or_what_leans_on_another_last() -> None:
    """An order for now and a smoke alarm stood before a rule that was said a week earlier."""
    facts = (
        saying("asked", asks=1.0),
        saying("leans", has_about=1.0, tokens=2.0),
        saying("newer"),
        saying("older", age=9),
        saying("rule", age=9, is_standing=1.0),
    )
    ((_, weighed),) = weigh_facts([(LASTING_HEADING, facts)])
    assert ids(weighed) == ["rule", "newer", "older", "asked", "leans"]
    assert [fact.weight for fact in weighed] == sorted((fact.weight for fact in weighed), reverse=True)
    assert {fact.rank for fact in weighed} == {MEDIUM}


def test_what_was_said_goes_by_day_and_what_gives_a_value_leaves_a_page_later() -> None:
    """Of 96 values that changed a page of 1,400 tokens had 47, with it 61; the newest stands above what it corrects."""
    facts = (saying("old", age=9, is_standing=1.0), saying("new"), saying("value", text="the cap of the outbox is 50000 now"))
    ((_, weighed),) = weigh_facts([(SAID_HEADING, facts)])
    assert ids(weighed)[-1] == "old"
    weights = {fact.observation_id: fact.weight for fact in weighed}
    plain = saying("plain", text="the cap of the outbox is a thousand now")
    ((_, (other,)),) = weigh_facts([(SAID_HEADING, (plain,))])
    assert weights["value"] > other.weight


def test_what_was_found_and_done_goes_by_time_whatever_is_most_worth_reading() -> None:
    """13:48 stood before 12:02, and 13:48 again behind 12:14."""
    hours = {"first": 12, "best": 13, "last": 14}
    facts = tuple(
        replace(saying(key, is_standing=float(key == "best")), said_at=datetime(2026, 3, 2, hour, tzinfo=UTC))
        for key, hour in hours.items()
    )
    ((_, weighed),) = weigh_facts([(FOUND_HEADING, (*facts, saying("yesterday", age=1, is_standing=1.0)))])
    assert ids(weighed) == ["last", "best", "first", "yesterday"]
    assert max(weighed, key=lambda fact: fact.weight).observation_id in ("best", "yesterday")


def test_of_two_that_are_as_likely_worth_reading_the_shorter_one_keeps_its_place_on_a_short_page() -> None:
    """Several short facts may say more than a long one in their place."""
    ((_, (long, short)),) = weigh_facts([(SAID_HEADING, (saying("long", text="x" * 400), saying("short")))])
    assert short.weight > long.weight


def test_a_model_s_facts_and_offered_ones_stand_before_what_rules_found_and_what_was_turned_down_goes_first() -> None:
    """A rule's guess is judged by its form; what a model or the owner said of a fact is no guess."""
    kept = (saying("model", is_judged=False), saying("offered", rank=OFFERED))
    ((_, weighed),) = weigh_facts([("Rules", (saying("refused", rank=DECLINED, is_standing=1.0), saying("said"), *kept))])
    assert weighed[:2] == kept
    assert [(fact.observation_id, fact.rank) for fact in weighed[2:]] == [("refused", LOW), ("said", MEDIUM)]
    assert weigh_facts([]) == ()


def test_a_decision_from_a_menu_competes_with_what_was_said_also_when_it_was_turned_down_as_a_line() -> None:
    """That the owner wants no line of it does not make it untrue."""
    ((_, (picked,)),) = weigh_facts([(HEADINGS["decision"], (saying("picked", rank=DECLINED),))])
    assert picked.rank == MEDIUM


def test_a_fact_that_is_over_in_part_stands_right_behind_the_one_that_holds_and_leaves_the_page_before_it() -> None:
    """A fee of 10 euros stood above the 15 that replaced it, and "keep 30 days rather" 15 lines below what it corrects."""
    ranks = (saying("long", tokens=4.0), saying("over", tokens=3.5), saying("other"), saying("holds", tokens=1.0))
    weighed = weigh_facts([(SAID_HEADING, ranks)])
    ((_, (long, holds, over, other)),) = put_behind_newer(weighed, {"over": "holds", "long": "elsewhere"})
    assert ids((long, holds, over, other)) == ["long", "holds", "over", "other"]
    assert holds.weight == weighed[0][1][1].weight >= over.weight


def test_two_that_are_over_stand_behind_the_one_that_replaced_both() -> None:
    """And a chain is told from its end."""
    facts = weigh_facts([(SAID_HEADING, (saying("first"), saying("second"), saying("third"), saying("more")))])
    assert ids(put_behind_newer(facts, {"first": "third", "second": "third"})[0][1])[0] == "third"
    assert ids(put_behind_newer(facts, {"first": "second", "second": "third"})[0][1]) == ["third", "second", "first", "more"]


@given(st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdefg"), max_size=6))
def test_no_fact_is_lost_whatever_replaces_what(newer: dict[str, str]) -> None:
    facts = weigh_facts([(SAID_HEADING, tuple(saying(key) for key in "abcdef"))])
    assert sorted(ids(put_behind_newer(facts, {old: new for old, new in newer.items() if old != new})[0][1])) == list("abcdef")


@given(
    st.lists(
        st.tuples(headings, st.integers(0, 3), st.sampled_from([DECLINED, UNJUDGED, OFFERED]), st.booleans(), st.floats(0, 7)),
        max_size=12,
    )
)
def test_the_order_is_the_same_each_time_and_no_fact_is_lost(drawn: list[tuple[str, int, int, bool, float]]) -> None:
    """Whatever stands on a page: what has an order keeps it, and equals keep their places."""
    facts = [
        (heading, saying(str(place), rank=rank, age=age, is_judged=is_judged, tokens=tokens))
        for place, (heading, age, rank, is_judged, tokens) in enumerate(drawn)
    ]
    names = dict.fromkeys(heading for heading, _ in facts)
    groups = tuple((name, tuple(fact for heading, fact in facts if heading == name)) for name in names)
    weighed = weigh_facts(groups)
    assert weigh_facts(weighed) == weighed
    assert [(name, sorted(ids(group))) for name, group in weighed] == [(name, sorted(ids(group))) for name, group in groups]


def test_facts_of_one_message_and_rank_have_its_order_at_the_places_where_they_stand() -> None:
    facts = (saying("end"), saying("other"), saying("middle"), saying("start"), saying("offered", rank=OFFERED))
    order = {"start": 0, "middle": 1, "end": 2, "offered": 0}
    ((_, ordered),) = keep_message_order([(SAID_HEADING, facts)], {key: ("s", 7, place) for key, place in order.items()})
    assert ids(ordered) == ["start", "other", "middle", "end", "offered"]


def test_a_fact_that_another_one_has_whole_leaves_the_page_and_that_one_stays_as_long() -> None:
    short, whole, other = saying("short", rank=OFFERED), replace(saying("whole"), weight=0.2), saying("other")
    groups = drop_repeated([("Rules", (short,)), (SAID_HEADING, (whole, other))], {"short": "whole", "other": "elsewhere"})
    assert [(heading, ids(facts)) for heading, facts in groups] == [(SAID_HEADING, ["whole", "other"])]
    assert (groups[0][1][0].rank, groups[0][1][1].rank) == (OFFERED, UNJUDGED)
