"""What a short answer picks of an offer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.exchanges.offers import Offer, Option, read_offer, read_offers
from transforms.exchanges.pointing import is_unsure, resolve_answer, resolve_menus

WORDS = ("the memory map", "a plain file", "the old index", "nothing of it")
NUMBERED = Offer("How shall it be stored?", tuple(Option(str(index + 1), text) for index, text in enumerate(WORDS)))
LETTERED = Offer("How shall it be stored?", tuple(Option("ABCD"[index], text) for index, text in enumerate(WORDS)))
PLAIN = read_offer("Should the cache live in Redis, or in the process itself?")


def picked(typed: str, offer: Offer) -> tuple[int, ...] | None:
    """The indices that an answer picks."""
    choice = resolve_answer(typed, offer)
    return None if choice is None else choice.picked


@given(
    st.integers(0, 3),
    st.booleans(),
    st.sampled_from(("{}", "{}.", "#{}", "({})", "option {}", "ok, {} then", "take {} please", "let's go with {}")),
    st.sampled_from(("", ", but not on Mondays", " and keep the name", ". the rest can wait")),
)
def test_a_label_picks_its_option_whatever_stands_around_it(index: int, is_letter: bool, form: str, tail: str) -> None:
    """A restriction changes nothing about what was picked; all other options are left."""
    offer = LETTERED if is_letter else NUMBERED
    choice = resolve_answer(form.format(offer.options[index].label.lower()) + tail, offer)
    assert choice is not None
    assert choice.picked == (index,)
    assert choice.is_by_label
    assert set(choice.left) == set(range(4)) - {index}


@given(st.lists(st.integers(0, 3), min_size=2, max_size=4, unique=True), st.sampled_from((", ", " and ", "+", " & ", ", and ")))
def test_several_labels_pick_several_options(indices: list[int], join: str) -> None:
    """In whichever order."""
    assert picked(join.join(str(index + 1) for index in indices), NUMBERED) == tuple(indices)


@given(st.integers(5, 99), st.sampled_from(("{}", "option {}", "ok, {} then", "1 and {}")))
def test_a_label_that_the_offer_lacks_picks_nothing(number: int, form: str) -> None:
    """A number may be a value."""
    assert picked(form.format(number), NUMBERED) is None


@given(
    st.sampled_from(("1", "2", "3", "4")),
    st.sampled_from(("files are missing", "of the tables are empty", "days, not more", "%", ".5")),
)
def test_a_number_that_counts_or_measures_picks_nothing(number: str, noun: str) -> None:
    """A numeral before a noun counts it."""
    assert picked(f"{number} {noun}" if noun[0].isalpha() else f"{number}{noun}", NUMBERED) is None


@each_case(
    ("typed", "indices"),
    [
        ("the first", (0,)),
        ("The second, but without the index.", (1,)),
        ("last one", (3,)),
        ("the former and the latter", (0, 3)),
        ("2nd and 3rd", (1, 2)),
        ("all of them", (0, 1, 2, 3)),
        ("none", ()),
        ("neither, leave it", ()),
        ("1 is a haunted house. 2", (1,)),
        ("The first, I would say… no wait, it grows. The second", (1,)),
        ("2, for all of them", (1,)),
        ("first find out who wrote it", None),
        ("a bit more", None),
        ("is 2 faster?", None),
        ("what is 2", None),
        ("1. rename it\n2. ship it", None),
        ("1 the old disk, 2 at night, 3 for a month", None),
        ("go on", None),
        ("not 2", None),
    ],
)
def test_the_last_clause_that_points_decides(typed: str, indices: tuple[int, ...] | None) -> None:
    """Ordinals, quantifiers and corrections; an adverb, an article, a question and a list of one's own point at nothing."""
    assert picked(typed, NUMBERED) == indices


def test_the_middle_needs_an_odd_number_of_options() -> None:
    """Of four there is no middle one."""
    assert picked("the middle one", Offer("", NUMBERED.options[:3])) == (1,)
    assert picked("the middle one", NUMBERED) is None


@each_case(
    ("typed", "indices"),
    [
        ("redis", (0,)),
        ("Redis. the process dies every night", (0,)),
        ("in the process", (1,)),
        ("the latter", (1,)),
        ("both", (0, 1)),
        ("not redis", None),
        ("do you know how redis handles restarts and failovers", None),
        ("what is redis", None),
        ("yes", None),
    ],
)
def test_a_word_of_one_alternative_names_it(typed: str, indices: tuple[int, ...] | None) -> None:
    """Of two alternatives in a question; a denial names nothing that it picks."""
    assert picked(typed, PLAIN) == indices


def test_a_list_that_excludes_nothing_is_not_picked_by_a_word() -> None:
    """Behind a colon things may only be listed; a message about one of them is a message."""
    offer = read_offer("Added the report: number, label, notes.")
    assert picked("bigger notes", offer) is None
    assert picked("the second", offer) == (1,)
    assert picked("the middle one", offer) is None


@each_case(
    ("typed", "options"),
    [
        ("three the desk must see it or they call me", (2,)),
        ("2 an hour off does not kill anyone", (1,)),
        ("two because the other one costs", (1,)),
        ("the first I think, then my plots stay with me", (0,)),
        ("the second the holiday is no thursday", (1,)),
        ("one", (0,)),
        ("one more thing before we go on", None),
        ("two of the tables are empty", None),
        ("first the tests then we ship", None),
        ("all the tests must pass", None),
        ("five files are gone", None),
    ],
)
def test_dictated_answers_go_on_without_a_mark(typed: str, options: tuple[int, ...] | None) -> None:
    """A determiner or a pronoun begins the next clause; a noun is counted, and "first the tests" is an order of work."""
    assert picked(typed, NUMBERED) == options


@each_case(
    ("typed", "indices"),
    [
        ("all but 2", (0, 2, 3)),
        ("everything except the plain file pls", (0, 2, 3)),
        ("anything but 3, it never worked", (0, 1, 3)),
        ("all without 2 and 4", (0, 2)),
        ("all but the last", (0, 1, 2)),
        ("tout sauf la première", (1, 2, 3)),
        ("all but keep it small", None),
        ("all but 2 tests pass", None),
        ("everything but 2 is done already", None),
        ("all of them, but not 2", (0, 2, 3)),
        ("all of them, but 2 only at night", (0, 1, 2, 3)),
    ],
)
def test_who_names_what_they_leave_out_picks_the_others(typed: str, indices: tuple[int, ...] | None) -> None:
    """What is left out is never what was picked; a bound changes nothing about it."""
    assert picked(typed, NUMBERED) == indices
    assert indices is not None or is_unsure(typed, NUMBERED)


@each_case(
    ("typed", "indices"),
    [
        ("The third. First fact, then nothing. The second one makes me want to lie down.", (2,)),
        ("The second one, and the third in addition. Not the first: it stops everything, without exceptions.", (1,)),
    ],
)
def test_a_remark_about_another_option_is_no_second_choice(typed: str, indices: tuple[int, ...]) -> None:
    """Nor do "everything" and "without" in the middle of a sentence leave an option out."""
    assert picked(typed, NUMBERED) == indices
    assert not is_unsure("Now the other thing. It was silent all night.", NUMBERED)


@each_case(
    ("typed", "indices"),
    [
        ("2 is overkill, 1", (0,)),
        ("let's do 2, 1 is too slow", (1,)),
        ("first one mate", (0,)),
        ("o segundo", (1,)),
        ("dann bitte die zweite", (1,)),
        ("la dernière", (3,)),
        ("neither just have it stop and beep", ()),
        ("2 with a lock, 3 without", None),
        ("the second one is too slow", None),
        ("1 or 2, you choose", None),
        ("1, or 2", None),
        ("2 or 3 whichever is faster", None),
        ("the first or the second, you choose", None),
        ("2 or whatever", (1,)),
    ],
)
def test_what_is_judged_is_not_what_is_picked(typed: str, indices: tuple[int, ...] | None) -> None:
    """A clause of its own begins at a label behind a comma; a noun stands for an option, and so does an ordinal of a language
    whose numbers are read. Of two that are taken differently, or of which the agent may choose, none is told."""
    assert picked(typed, NUMBERED) == indices
    assert picked("B or a copy", LETTERED) == (1,)


def test_the_other_one_is_the_one_that_the_agent_would_not_take() -> None:
    """Of two options; without advice, and of three, nobody knows which."""
    advised = read_offer("Payload: a PNG from the server (my recommendation) or JSON that the board draws?")
    assert picked("the other one", advised) == (1,)
    assert picked("nah the other one", read_offer("Which?\n1. Redis\n2. Postgres\n\nI'd go for Redis.")) == (1,)
    assert picked("the other one", read_offer("Redis or Postgres?")) is None
    assert picked("the other one is slow", advised) is None
    assert is_unsure("the other one", NUMBERED)


TWO_MENUS = "Options for the queue:\n1. Redis\n2. Postgres\n\nOptions for the cache:\n1. ETS\n2. Cachex\n\nWhich?"


@each_case(
    ("typed", "chosen"),
    [
        ("2 for the queue, ets for the cache", {0: (1,), 1: (0,)}),
        ("queue 2, cache 1", {0: (1,), 1: (0,)}),
        ("For the cache I'd take the last one. For the queue, the second would suit us.", {0: (1,), 1: (1,)}),
        ("cachex", {1: (1,)}),
        ("2", {}),
    ],
)
def test_of_two_menus_each_is_answered_by_itself(typed: str, chosen: dict[int, tuple[int, ...]]) -> None:
    """By the words of its head or of its options; a bare number may be about either."""
    menus = read_offers(TWO_MENUS)
    assert [menu.asked for menu in menus] == ["Options for the queue:", "Options for the cache:"]
    choices = resolve_menus(typed, menus, "Postgres it is.")
    assert {place: choice.picked for place, choice in choices.items()} == chosen


def test_labels_of_two_forms_tell_their_menu() -> None:
    menus = read_offers("How often?\n1. every minute\n2. hourly\n\nWhere to?\na) the database\nb) a file")
    assert {place: choice.picked for place, choice in resolve_menus("2 and b mate", menus, "").items()} == {0: (1,), 1: (1,)}


@each_case(
    ("typed", "indices"),
    [
        ("no to 2", None),
        ("no to the second", None),
        ("no 2", (1,)),
        ("1 or 3, you choose", None),
        ("the first or the last", None),
        ("1 or 3? let me see. 3", (2,)),
        ("2 or whatever is quicker to build", (1,)),
        ("the first two", (0, 1)),
        ("the last two", (2, 3)),
        ("none but the third", (2,)),
        ("none except 2 and 4", (1, 3)),
        ("la segunda no", None),
        ("nicht die zweite", None),
        ("dernière chose, le week-end est libre", None),
        ("die letzte frage: wann?", None),
        ("la deuxième. on est déjà chez eux", (1,)),
        ("die zweite bitte", (1,)),
        ("1 first, then 3", (0, 2)),
        ("2 then 4", (1, 3)),
    ],
)
def test_what_is_refused_or_left_open_is_not_picked(typed: str, indices: tuple[int, ...] | None) -> None:
    """ "No" before a preposition refuses, a denial of another language denies, "or" leaves two open, and a number behind "the
    first" counts; what comes first and what comes then are both taken."""
    assert picked(typed, NUMBERED) == indices
    assert indices is not None or " or " not in typed or is_unsure(typed, NUMBERED)


@each_case("typed", ["not the other one", "I like the other one but take yours", "never the other one"])
def test_the_other_one_is_not_taken_where_it_is_denied_or_only_praised(typed: str) -> None:
    advised = read_offer("Which?\n1. Redis\n2. Postgres\n\nI'd go for Redis.")
    assert picked(typed, advised) is None
