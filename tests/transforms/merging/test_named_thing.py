"""A terse claim is about the thing that the words behind it name, and about no other."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.merging.plain_merges import decide_merges
from tests.transforms.merging.test_deduplicate import observation
from transforms.merging.named_thing import name_thing

KEEP = "keep the batch size at 161."


CASES = (
    (KEEP, "Reply: Done: batch size of webhook is 161 now", "keep the batch size for webhook at 161."),
    (KEEP, "Reply: webhook's batch size is 161, all tests pass.", "keep the batch size for webhook at 161."),
    (KEEP, "Outcome: I set the batch size of auth to 161.", "keep the batch size for auth at 161."),
    (KEEP, "Reply: The batch size is 161 now.", KEEP),
    (KEEP, "Reply: The batch size of webhook is 99 now.", KEEP),
    (KEEP, "Reply: The page size of webhook and the limit of its uploads are 161 now.", KEEP),
    (KEEP, "", KEEP),
    ("the batch size of webhook is 161", "Reply: Done: batch size of the hook is 161 now", "the batch size of webhook is 161"),
)  # fmt: skip


@each_case(("claim", "rest", "named"), CASES)
def test_a_measure_gets_the_thing_that_the_words_behind_it_give_the_same_value(claim: str, rest: str, named: str) -> None:
    assert name_thing(claim, rest) == named


def decide(older: str, newer: str) -> str:
    """Return the fate of the older of two facts."""
    decisions = decide_merges([observation(1, older, "decision"), observation(2, newer, "rule")], owner="Joel")
    if any(decision.merged_count > 1 for decision in decisions.values()):
        return "merged"
    return "retired" if decisions["o-0001"].superseded_by else "kept"


WEBHOOK = 'Joel decided: "keep the batch size at 161." Reply: Done: batch size of webhook is 161 now'
FATES = (
    (WEBHOOK, 'Joel decided: "keep the batch size at 644." Reply: Done: batch size of auth is 644 now', "kept"),
    (WEBHOOK, 'Joel decided: "keep the batch size at 161." Reply: Done: batch size of auth is 161 now', "kept"),
    (WEBHOOK, 'Joel decided: "keep the batch size at 644."', "kept"),
    ('Joel decided: "keep the batch size at 644."', WEBHOOK, "kept"),
    (WEBHOOK, 'Joel set a rule: "From now on the batch size of auth is 644."', "kept"),
    (WEBHOOK, 'Joel set a rule: "From now on the batch size of webhook is 644."', "retired"),
    (WEBHOOK, 'Joel decided: "keep the batch size at 644." Reply: Done: batch size of webhook is 644 now', "retired"),
    ('Joel decided: "the batch size of auth is 161"', 'Joel decided: "keep the batch size at 644."', "kept"),
    ('Joel decided: "the batch size is 161"', 'Joel decided: "from now on the batch size of auth is 644"', "kept"),
    ('Joel decided: "keep the batch size at 161."', 'Joel decided: "keep the batch size at 644."', "retired"),
)  # fmt: skip


@each_case(("older", "newer", "fate"), FATES)
def test_a_value_takes_the_place_of_one_of_the_same_thing_only(older: str, newer: str, fate: str) -> None:
    assert decide(older, newer) == fate
