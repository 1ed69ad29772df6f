"""Words that an owner's projects share find no facts of a first prompt; nobody says in which language they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.language.tokenizer import tokenize
from transforms.opening.fact_sheet import (
    ENOUGH_FACTS,
    LEAST_FACTS,
    FactSheet,
    build_fact_sheet,
    find_request_lines,
    mark_common_words,
)

CARDS = [f"je veux le plafond {number} dans la carte" for number in range(ENOUGH_FACTS)]
POEMS = [f"je veux le sonnet {number} dans le recueil" for number in range(ENOUGH_FACTS)]
REQUEST = "je veux changer le format des photos dans l'album"


def make_sheet(texts: list[str]) -> FactSheet:
    """Return the sheet of facts whose lines are their texts."""
    names = [str(number) for number in range(len(texts))]
    return build_fact_sheet("## Facts", names, names, dict(zip(names, texts, strict=True)), texts)


def test_a_prompt_of_words_that_every_project_says_finds_nothing() -> None:
    """Of a French prompt "je", "veux" and "dans" found six facts about other things."""
    sheets = {"cards": make_sheet(CARDS), "poems": make_sheet(POEMS)}
    assert find_request_lines(sheets["cards"], REQUEST)
    marked = mark_common_words(sheets)
    assert marked["cards"]["common"] == sorted(tokenize("je veux dans le"))
    assert find_request_lines(marked["cards"], REQUEST) == []
    assert CARDS[7] in find_request_lines(marked["cards"], "je veux changer le plafond 7 dans la carte")


def test_what_one_project_says_often_is_its_matter() -> None:
    marked = mark_common_words({"cards": make_sheet(CARDS), "poems": make_sheet(POEMS)})
    assert not {"carte", "plafond"} & set(marked["cards"]["common"])
    assert not {"recueil", "sonnet"} & set(marked["poems"]["common"])


def test_a_project_alone_or_beside_a_small_one_keeps_its_words() -> None:
    """Nothing tells there which words are said everywhere."""
    alone = mark_common_words({"cards": make_sheet(CARDS)})
    beside = mark_common_words({"cards": make_sheet(CARDS), "poems": make_sheet(POEMS[: ENOUGH_FACTS - 1])})
    assert alone["cards"]["common"] == beside["cards"]["common"] == []


def test_a_word_is_common_when_half_of_the_others_say_it() -> None:
    others = {f"other-{number}": make_sheet([f"rust {place}" for place in range(ENOUGH_FACTS)]) for number in range(2)}
    sheets = {"cards": make_sheet(CARDS), "poems": make_sheet(POEMS), **others}
    assert mark_common_words(sheets)["cards"]["common"] == [], "one of three"
    assert mark_common_words({**sheets, "other-1": make_sheet(POEMS)})["cards"]["common"], "two of three"


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=4).map(" ".join), max_size=30), st.integers(0, 30))
def test_marking_changes_nothing_but_the_common_words(texts: list[str], split: int) -> None:
    """Each of them is said by at least three facts, and the order of projects does not matter."""
    sheets = {"one": make_sheet(texts[:split]), "two": make_sheet(texts[split:]), "three": make_sheet(POEMS)}
    marked = mark_common_words(sheets)
    assert marked == mark_common_words(dict(reversed(sheets.items()))) == mark_common_words(marked)
    for project, sheet in marked.items():
        assert {**sheet, "common": []} == sheets[project]
        assert all(len(sheet["words"][word]) // 2 >= LEAST_FACTS for word in sheet["common"])
