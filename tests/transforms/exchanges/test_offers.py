"""What a turn of the agent offers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.exchanges.offers import MOST_BULLETS, find_distinct_words, read_offer, split_alternatives

OPTIONS = st.lists(
    st.sampled_from(["keep the parser", "two files per day", "one long file", "no file at all", "ask each time"]),
    min_size=2,
    max_size=5,
    unique=True,
)
FORMS = ("{}. ", "{}) ", "({}) ", "**{}.** ", "- {}) ", "Option {}: ")


def label(index: int, *, is_letter: bool) -> str:
    """The label of an option."""
    return "ABCDE"[index] if is_letter else str(index + 1)


@given(OPTIONS, st.sampled_from(FORMS), st.booleans())
def test_a_labelled_list_is_an_offer_whatever_its_marks(texts: list[str], form: str, is_letter: bool) -> None:
    """Each option has its label and its words."""
    lines = [form.format(label(index, is_letter=is_letter)) + text for index, text in enumerate(texts)]
    offer = read_offer("The log grows by a gigabyte a week.\n\n" + "\n".join(lines) + "\n\nWhich one?")
    assert [(option.label, option.text) for option in offer.options] == [
        (label(index, is_letter=is_letter), text) for index, text in enumerate(texts)
    ]
    assert offer.asked == "The log grows by a gigabyte a week."


@given(OPTIONS, st.sampled_from(("({}) ", "{}) ", "{}. ")), st.sampled_from((", ", "; ", ", or ")))
def test_options_in_one_sentence_are_an_offer(texts: list[str], form: str, mark: str) -> None:
    """The last one ends with its sentence."""
    inline = mark.join(form.format(index + 1) + text for index, text in enumerate(texts))
    offer = read_offer(f"The log grows by a gigabyte a week. I could {inline}. The disk is full on Friday.")
    assert [option.text for option in offer.options] == texts


@each_case(
    ("sentence", "alternatives"),
    [
        ("Should it be Postgres or SQLite?", ["Should it be Postgres", "SQLite"]),
        ("I'd cap it at 50, 200 or 1000.", ["I'd cap it at 50", "200", "1000"]),
        ("Two formats survive that: tar, which needs no index, or zip.", ["tar, which needs no index", "zip"]),
        ("I can add the check (warn or fail), or leave it.", ["I can add the check (warn or fail)", "leave it"]),
        ("Candidates: redb, sled, fjall.", ["redb", "sled", "fjall"]),
        ("The tests pass.", []),
        ("The order of words matters.", []),
    ],
)
def test_alternatives_are_joined_by_or_or_listed_behind_a_colon(sentence: str, alternatives: list[str]) -> None:
    """What stands in parentheses and relative clauses belongs to its alternative."""
    assert split_alternatives(sentence) == alternatives


def test_a_list_without_labels_is_an_offer_only_with_a_question() -> None:
    """A report of what was done is none."""
    items = "- one file per day\n- one file per month\n"
    assert [option.text for option in read_offer(f"How shall I split it?\n\n{items}").options] == [
        "one file per day",
        "one file per month",
    ]
    assert read_offer(f"I changed the writer.\n\n{items}").options == ()


def test_a_question_with_alternatives_of_its_own_is_not_about_the_list_before_it() -> None:
    """The list tells what was found; "the former" picks who mends it."""
    text = "Two gaps:\n\n- any branch may ship\n- who merges may approve it\n\nShould I set both by script, or will you click it?"
    assert [option.text for option in read_offer(text).options] == ["Should I set both by script", "will you click it"]


def test_code_offers_nothing() -> None:
    """A numbered list in a code block is output."""
    assert read_offer("Here is the plan file.\n\n```\n1. build\n2. ship\n```\n").options == ()


def test_an_option_that_ends_in_a_question_mark_is_no_question_about_the_options() -> None:
    offer = read_offer("The form is rarely used. Should I (1) keep the form as a fallback or (2) close it and read the topics?")
    assert [option.label for option in offer.options] == ["1", "2"]
    assert "close it" not in offer.asked


def test_words_of_one_option_alone_are_found_for_thousands() -> None:
    """Each option was compared with all others."""
    assert find_distinct_words(["keep the cache", "drop the cache", "wait"]) == [{"keep"}, {"drop"}, {"wait"}]
    assert grows_with_text(lambda text: find_distinct_words(text.split("\n")), "keep the cache of redis\n", 40)


def test_a_list_of_hundreds_of_points_offers_nothing() -> None:
    """It tells what was found; a question behind it has other answers than one of its points."""
    for count, is_offer in ((MOST_BULLETS, True), (MOST_BULLETS + 1, False)):
        points = "\n".join(f"- point {number} of the report" for number in range(count))
        assert bool(read_offer(f"{points}\n\nWhich of these first?").options) == is_offer
