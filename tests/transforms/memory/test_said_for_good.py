"""Words that were typed once, and may be meant for good."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.said_for_good import (
    find_pointing,
    is_about_work,
    is_meant_to_last,
    is_said_for_good,
    list_owned_sentences,
)


@each_case(
    "text",
    [
        "Never flash the board without asking", "We deploy on mondays only, never on fridays", "Timestamps in utc please, always",
        "I prefer tabs over spaces", "Nobody touches the generated files by hand", "Every module gets a readme of ten lines",
        "You must ask before each release of the firmware", "The cache lives in Redis because Postgres was too slow",
    ],
)  # fmt: skip
def test_wishes_habits_standing_orders_and_reasoned_choices_may_be(text: str) -> None:
    assert is_said_for_good(text, text)


@each_case(
    "text",
    [
        "Never rebuild it also", "My aunt sings with the radio and is always late", "The old cabinet never whines",
        "Remove the unused imports everywhere", "The form takes no comma in the weight", "Blue like the boats of the harbour",
        "The queue was out of the door because everybody waited for the bell", "As always we do then", "Always, in two repos",
    ],
)  # fmt: skip
def test_reports_orders_of_the_moment_and_lines_without_a_subject_are_not(text: str) -> None:
    assert not is_said_for_good(text, text)


def test_a_wish_in_the_first_person_that_became_an_order_is_no_standing_order() -> None:
    """The words that were typed decide: "I never want" says who, not how to work."""
    assert not is_said_for_good("and then they told me never mind the cabinet downstairs", "The cabinet downstairs never whines")


def test_a_preface_and_an_afterthought_do_not_hide_the_wish_between_them() -> None:
    """The clause that the line is made of decides; the verb of a rewritten wish brings a conjunction, not a pronoun."""
    said = "Fine then. One more thing about the harbour: I prefer that pilots never moor without lights, the crane man told me"
    assert is_said_for_good(said, "Prefers that pilots never moor without lights")
    assert is_said_for_good("rope, not chain, and never knots on the rail", "Never knots on the rail")
    assert not is_said_for_good("the crane man told me that lights burn all night", "Lights burn all night")


@each_case(
    ("quote", "expected"),
    [
        ("Always run the tool before each commit. <- Tom's rule, not ours.", True),
        ("I don't agree with the review. Always run the tool before each commit. That's nonsense.", True),
        ("Our client demands the following. Always run the tool before each commit. We will not do this.", True),
        ("Hat Marc geschickt, was meinst du? Always run the tool before each commit.", True),
        ("Why pip again? Always use uv, never pip, in every repo.", False),
        ("That exploded again. Invalid themes must never explode the app.", False),
        ("Never push to main. Tests run in this order.", False),
        ("Who swept my notes into the parcel? Always name the files of each commit.", False),
        ("Why are there gulls in the log? Always name the files of each commit.", False),
        ("Always run the tool before each commit, whatever that costs", False),
        ("Third time. I don't know how often I have to repeat that. No new dependency for mere cosmetics.", False),
        ("I don't know how we could do that. Always run the tool before each commit.", True),
        ("I don't know who told you that. Always run the tool before each commit.", True),
    ],
)
def test_a_rule_is_pointed_at_by_what_stands_beside_it_and_not_by_its_occasion(quote: str, expected: bool) -> None:
    assert bool(find_pointing(quote)) is expected


@each_case(
    ("line", "expected"),
    [
        ("Every buoy has a number", True),
        ("No anchor goes down without a light", True),
        ("The radio is always friendly", False),
    ],
)
def test_words_that_mean_something_for_good_speak_of_their_sentence_and_of_those_behind_it(line: str, expected: bool) -> None:
    before = "You asked the radio. the radio is always friendly."
    quote = f"{before} From now on: every buoy has a number. no anchor goes down without a light."
    assert is_meant_to_last(quote, line) is expected


@each_case(
    ("text", "expected"),
    [
        ("The cache lives in Redis because Postgres was too slow", True),
        ("**Mooring** — two ropes, at most six metres, with floats so that nobody runs over them", True),
        ("Word from the harbour master, the boats lie outside because the quay is full", False),
        ("Fixed buoys then, and a line in the guide, because now it's a promise", False),
    ],
)
def test_a_reasoned_choice_is_one_clause_or_a_list_behind_its_subject(text: str, expected: bool) -> None:
    """What stands before it is its occasion: told for the moment, or without its subject."""
    assert is_said_for_good(text, text) is expected


def test_nothing_is_meant_to_last_where_nothing_says_so() -> None:
    assert not is_meant_to_last("every buoy has a number", "Every buoy has a number")


@each_case(
    ("quote", "expected"),
    [
        ("always the third lamp dark. find it", False),
        ("always the third lamp dark. just fix that.", False),
        ("always the third lamp first. then the fourth", True),
        ("always the third lamp first. remember that", True),
        ("always the third lamp first. is it?", True),
    ],
)
def test_what_the_next_order_wants_worked_on_is_a_fault_and_no_rule(quote: str, expected: bool) -> None:
    assert is_said_for_good(quote, quote.partition(".")[0]) is expected


@each_case(
    ("line", "expected"),
    [
        ("Never git add -A, name the files", True),
        ("No pipes after test commands without `set -o pipefail`", True),
        ("No new dependency without asking the owner", True),
        ("Always use uv, never pip", True),
        ("Never drop door events", False),
        ("Live tests run against RGW, rgw-lab, never MinIO", False),
        ("Types come from the schema: `npm run api:types`, never by hand", False),
        ("Never files of crane4 in a commit", False),
        ("Never deploy on Fridays", False),
        ("Rotate the log daily", False),
        ("The weekly backup is checked by a restore of one table", False),
    ],
)
def test_a_rule_is_about_work_when_it_names_work_and_no_thing_of_the_project(line: str, expected: bool) -> None:
    assert is_about_work(line) is expected


@each_case(("quote", "expected"), [("72 from now on. the leak showed at 60h", False), ("from now on. the leak is 60h", True)])
def test_of_a_single_value_that_is_meant_for_good_its_reason_is_not(quote: str, expected: bool) -> None:
    assert is_meant_to_last(quote, quote.partition(". ")[2].capitalize()) is expected


def test_a_sentence_that_points_speaks_of_its_neighbours_and_of_none_further_off() -> None:
    quote = "Nobody opens the lock of the harbour at night. The bridge master writes every passage down. That's nonsense"
    assert list_owned_sentences(quote) == ["Nobody opens the lock of the harbour at night."]
