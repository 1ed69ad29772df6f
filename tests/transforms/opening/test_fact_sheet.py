"""A sheet of facts: its rank by words, its rules for related facts, its page within a budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.language.tokenizer import tokenize
from transforms.opening import fact_sheet
from transforms.opening.fact_sheet import (
    FACTS,
    FactSheet,
    build_fact_sheet,
    find_request_lines,
    format_request_page,
    list_new_places,
)
from transforms.tables.tokens import count_tokens

TEXTS = (
    "The gateway listens on port 9500",
    "The gateway was moved to Frankfurt",
    "Invoices are rendered with pdfkit",
    "Deploys are made on Tuesdays",
    "Passwords rotate each month",
    "The parser keeps comments",
)


def make_sheet(texts: Sequence[str] = TEXTS, ids: Sequence[str] = (), known: FactSheet | None = None) -> FactSheet:
    """Return the sheet of facts whose lines are their texts; lines of a known sheet are not given."""
    names = ids or [str(number) for number in range(len(texts))]
    keys = [f"{name} {text}" for name, text in zip(names, texts, strict=True)]
    new_lines = {keys[place]: f"- {texts[place]}" for place in list_new_places(keys, known)}
    return build_fact_sheet("## Facts", keys, names, new_lines, texts, known)


def test_the_fact_with_the_rarer_words_is_first() -> None:
    assert find_request_lines(make_sheet(), "which port does the gateway use?") == [f"- {TEXTS[0]}", f"- {TEXTS[1]}"]


def test_inflections_are_one_word() -> None:
    assert find_request_lines(make_sheet(), "render the invoice") == [f"- {TEXTS[2]}"]


def test_one_common_word_of_a_long_request_is_not_enough() -> None:
    """A fact needs a quarter of the weight that memory knows of the request."""
    texts = [*TEXTS, *(f"The gateway has route {number}" for number in range(20))]
    request = "render invoices with pdfkit on tuesdays, keep the comments of the parser, rotate passwords behind the gateway"
    lines = find_request_lines(make_sheet(texts), request)
    assert f"- {TEXTS[2]}" in lines
    assert not any("gateway" in line for line in lines)


def test_a_fact_is_shown_once_by_its_best_line() -> None:
    """A retired fact stands for its successor, which is found by its own words as well."""
    texts = ("The gateway listens on port 9500", "The gateway listened on port 9477")
    assert find_request_lines(make_sheet(texts, ["a", "a"]), "gateway port 9477") == [f"- {texts[1]}"]


def test_there_are_no_more_facts_than_a_person_reads() -> None:
    texts = [f"The gateway listens on port {number}" for number in range(9000, 9020)]
    lines = find_request_lines(make_sheet(texts), "the port of the gateway")
    assert lines == [f"- {text}" for text in texts[:FACTS]], "of equal facts the first ones"


def test_a_small_budget_keeps_the_best_facts() -> None:
    whole = format_request_page(make_sheet(), "which port does the gateway use?", 600)
    assert whole == f"## Facts\n\n- {TEXTS[0]}\n\n- {TEXTS[1]}\n"
    short = format_request_page(make_sheet(), "which port does the gateway use?", count_tokens(whole) - 1)
    assert short == f"## Facts\n\n- {TEXTS[0]}\n"
    assert format_request_page(make_sheet(), "which port does the gateway use?", 3) == ""


def test_an_empty_sheet_has_no_page() -> None:
    assert format_request_page(make_sheet([]), "which port does the gateway use?", 600) == ""


def test_a_sheet_of_the_same_facts_is_not_made_again() -> None:
    """A night makes the sheets of the projects that it changed."""
    known = make_sheet()
    assert make_sheet(known=known) is known
    assert make_sheet(ids=["x", *"12345"], known=known) == make_sheet(ids=["x", *"12345"]) != known
    assert make_sheet(TEXTS[::-1], known=known) == make_sheet(TEXTS[::-1]) != known


FACT_LISTS = st.lists(st.sampled_from(TEXTS), max_size=8)


@given(former=FACT_LISTS, present=FACT_LISTS)
def test_a_sheet_made_from_the_former_one_is_the_one_made_anew(former: list[str], present: list[str]) -> None:
    """Facts come, go, move and stand there twice: lines and words of the former sheet give what all texts give."""
    assert make_sheet(present, present, make_sheet(former, former)) == make_sheet(present, present)


def test_words_of_known_lines_are_not_searched_again(monkeypatch: pytest.MonkeyPatch) -> None:
    known, searched = make_sheet(), list[str]()
    monkeypatch.setattr(fact_sheet, "tokenize", lambda text: searched.append(text) or tokenize(text))
    make_sheet(["A new fact", *TEXTS], ["new", *"012345"], known)
    assert searched == ["A new fact"]
