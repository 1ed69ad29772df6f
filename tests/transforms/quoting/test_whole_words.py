"""A person's words are shown whole: what limits them, the short news beside them, and what a bare value is a value of."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.dialogue_acts import analyse_message
from transforms.quoting.whole_words import (
    drop_fillers,
    find_news,
    is_bare_value,
    names_speakers,
    shares_measure,
    tells_news,
)


@each_case(
    ("typed", "shown"),
    [
        ("just this once bake it without salt", "just this once bake it without salt"),
        ("still waiting for the oven", "still waiting for the oven"),
        ("right after the market, clear the shelf", "right after the market, clear the shelf"),
        ("fine-tune the oven", "fine-tune the oven"),
        ("nice to have: a second oven", "nice to have: a second oven"),
        ("wait 5 minutes before the second tray", "wait 5 minutes before the second tray"),
        ("so far 3 of 9 loaves are sold", "so far 3 of 9 loaves are sold"),
        ("good catch, it is rye", "good catch, it is rye"),
        ("now it rises", "now it rises"),
        ("just\u00a0this once without salt", "just\u00a0this once without salt"),
        ("nice\u202fto have", "nice\u202fto have"),
    ],
)
def test_a_word_that_limits_what_follows_or_is_a_part_of_it_stays(typed: str, shown: str) -> None:
    assert drop_fillers(typed) == shown


@each_case(
    ("typed", "shown"),
    [
        ("ok so now clean the oven", "clean the oven"),
        ("great can you weigh the flour", "can you weigh the flour"),
        ("wait the rye is on the other shelf", "the rye is on the other shelf"),
        ("now should we weigh it?", "should we weigh it?"),
        ("perfect, thanks", ""),
        ("ok\u00a0, clean the oven", "clean the oven"),
        ("rye", "rye"),
    ],
)
def test_a_filler_that_says_nothing_goes(typed: str, shown: str) -> None:
    assert drop_fillers(typed) == shown


@each_case(("typed", "news"), [
    ("flour ordered! 25 kilos from the mill at 40 euros", ("flour ordered!", "")),
    ("25 kilos from the mill at 40 euros. Deposit paid.", ("", "Deposit paid.")),
    ("thanks Lena! 25 kilos from the mill at 40 euros. Looks good!", ("", "")),
    ("good morning. 25 kilos from the mill at 40 euros", ("", "")),
])  # fmt: skip
def test_short_news_right_beside_quoted_words_belong_to_them_and_thanks_do_not(typed: str, news: tuple[str, str]) -> None:
    message = analyse_message(typed, "")
    assert find_news(message, message.informative) == news


def test_news_between_two_rows_stand_with_the_later_one_only() -> None:
    message = analyse_message("The mill has a new price list. Flour ordered! It comes on Monday with the small van.", "")
    first, last = message.informative[:1], message.informative[-1:]
    assert find_news(message, first) == ("", "")
    assert find_news(message, last) == ("Flour ordered!", "")
    assert find_news(message, []) == ("", "")


@each_case(("text", "is_news"), [
    ("flour ordered!", True), ("permit granted.", True), ("two things:", False), ("flour ordered?", False), ("Well done!", False),
    ("not quite", False), ("Tests needed!", False), ("flour wanted", False),
        ("Last thing.", False), ("hello there", False),
])  # fmt: skip
def test_two_words_are_news_where_the_second_says_what_became_of_the_first(text: str, *, is_news: bool) -> None:
    assert tells_news(text) is is_news


@each_case(("text", "is_bare"), [
    ("keep 30 days rather", True), ("make it 512", True), ("back to 100", True),
    ("keep the receipts 30 days", False), ("100 for the oven", False), ("keep them longer", False),
])  # fmt: skip
def test_a_value_without_a_word_that_names_whose_it_is_is_bare(text: str, *, is_bare: bool) -> None:
    assert is_bare_value(text) is is_bare


def test_words_that_speak_of_their_speaker_are_known() -> None:
    assert names_speakers("write the list, I print it")
    assert not names_speakers("write the list")


@each_case(("value", "text", "is_shared"), [
    ("keep 30 days rather", "backup.sh keeps 14 days", True),
    ("make it 8090", "The oven listens on 8080", True),
    ("rather 15%", "The rye takes 20% of the room", True),
    ("make it 5 h", "The oven waits 1 min.", True),
    ("10 MB", "The upload takes 8 megabytes at most", True),
    ("rather 2 weeks", "backup.sh keeps 14 days", True),
    ("make it 5 h", "The upload takes 8 megabytes at most", False),
    ("keep 30 days rather", "README names oven.sh", False),
    ("rather 1.5 kg", "The oven stands at 14 days", False),
])  # fmt: skip
def test_only_words_with_a_value_of_its_measure_say_what_a_bare_value_is_a_value_of(
    value: str, text: str, *, is_shared: bool
) -> None:
    assert shares_measure(value, text) is is_shared
