"""Menus of the agent that an owner chose from."""

from __future__ import annotations

from tests.transforms.offline.test_answer_facts import entry
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.menus import cut_menu, find_menus

FOUND = "The cache is never emptied."
MENU = f"{FOUND} Ways to mend it:\n\n1. empty it at night by a timer\n2. a limit of 200 entries\n3. no cache at all"
ROW = f"{FOUND} Ways to mend it: empty it at night by a timer; a limit of 200 entries; no cache at all"


def read_menus(answer: str) -> dict[int, tuple[str, ...]]:
    turns = ("look at the cache", MENU, answer, "ok")
    entries = [entry(number, "user" if number % 2 == 0 else "assistant", text) for number, text in enumerate(turns)]
    return dict(find_menus(split_exchanges(entries)))


def test_a_text_loses_the_options_that_the_owner_chose_from_and_keeps_what_was_found() -> None:
    menus = read_menus("2")
    assert list(menus) == [1]
    assert cut_menu(ROW, [1], menus) == FOUND
    assert cut_menu("Ways to mend it: empty it at night by a timer; a limit of 200 entries", [1], menus) == ""


def test_a_text_of_another_entry_or_with_one_option_stays() -> None:
    menus = read_menus("2")
    assert cut_menu(ROW, [3], menus) == ROW
    assert cut_menu("It has a limit of 200 entries now.", [1], menus) == "It has a limit of 200 entries now."


def test_a_list_from_which_nothing_is_left_is_no_menu() -> None:
    """All was agreed to, or it is a list of what was done."""
    assert read_menus("all of them") == {}
    assert read_menus("thanks, and now the tests please") == {}
