"""A sentence that only tells what somebody else demands is not the owner's."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.speech.reported_speech import demands, endorses, find_saying, names_channel, reports_demand


@each_case(
    ("sentence", "is_report"),
    [
        ("rui says we must never push on a friday", True),
        ("use Matomo or nothing, she says", True),
        ("we must never push on a friday", False),
        ("i said we must never push on a friday", False),
    ],
)
def test_a_demand_behind_somebody_elses_verb_is_reported(sentence: str, is_report: bool) -> None:
    assert reports_demand(sentence) == is_report


def test_a_speaker_stands_before_a_verb_of_saying_or_a_channel() -> None:
    assert find_saying(["rui", "says", "we", "wait"]) == 1
    assert find_saying(["i", "say", "we", "wait"]) is None
    assert names_channel(["marta", "on", "slack"]) == 2
    assert demands(["we", "have", "to", "wait"])
    assert not demands(["we", "wait"])


def test_who_takes_a_report_over_makes_it_their_own() -> None:
    assert endorses("he is right, do it")
    assert not endorses("he is not right")
    assert not endorses("we talked about the weather")
