"""Who is addressed by name did not write the line, in any language; a name that is a common word addresses nobody."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.attribution.owner_address import find_owner_names, take_addressed_lines
from transforms.classify.paragraphs import Paragraph, split_paragraphs

NAMES = frozenset({"tove", "ines"})


def own(text: str, names: frozenset[str] = NAMES, agent: tuple[str, ...] = ()) -> str:
    """Return the words of a text that stay the owner's, when all of it was judged typed."""
    judged = take_addressed_lines(text, [(part, True) for part in split_paragraphs(text)], names, agent)
    return "".join(text[part.start : part.end] for part, is_typed in judged if is_typed).strip()


@each_case(
    ("text", "left"),
    [
        ("Hi Tove! The pump stops when it is cold.\nnot now, it waits", "not now, it waits"),
        ("From: A. Moe\nTo: Tove\nHei Tove, the coil is new.\nmust it be this week?", "must it be this week?"),
        (
            "me dice nacho:\n\nojo con el hash ine. cacho cambia la tara\n\ntiene razón, la uno",
            "me dice nacho:\ntiene razón, la uno",
        ),
        ("nobody brings it to the wall, Inés\nwell, i do", "well, i do"),
    ],
)
def test_lines_up_to_the_one_with_the_address_are_somebody_elses(text: str, left: str) -> None:
    """Below them the owner may go on."""
    assert own(text) == left


@each_case(
    "text",
    [
        "put it in /home/tove/src and not in tove.toml",
        "the account that is called tove has no rights there",
        "log in as tove@server, then look",
        "the toves of this house are many",
        "Tove is the name of the host",
        "and then we ask tove, as always",
    ],
)
def test_a_name_in_a_path_an_address_or_the_middle_of_a_sentence_addresses_nobody(text: str) -> None:
    assert own(text) == text


def test_a_name_that_the_agent_uses_as_a_word_addresses_nobody() -> None:
    """Mark, Will and Rose are names and words."""
    text = "so, Mark, it is done\nfine"
    assert own(text, frozenset({"mark"}), ("I will mark the row.",)) == text
    assert own(text, frozenset({"mark"}), ("I set the row.",)) == "fine"


@each_case(
    "text",
    [
        "Tove here, on the microphone, the pump again and it stops when it is cold so we look at the coil first",
        "good evening it's Tove, we take the smaller one",
        "my chief said and I quote no new parts this year Tove. so we keep the old coil",
    ],
)
def test_a_message_of_one_line_stays_its_senders_whoever_it_names(text: str) -> None:
    """People who dictate introduce themselves and quote what they were told; nothing sets such words apart."""
    assert own(text) == text


def test_the_name_is_that_of_the_settings_and_of_the_home_folder() -> None:
    assert find_owner_names("Tove Hagen", "/home/thagen/skarv") == {"tove", "hagen", "thagen"}
    assert find_owner_names("al", "/srv/app") == frozenset()
    assert find_owner_names("root", "/home/user/app") == frozenset(), "these name nobody: 'Root cause: …', 'use …'"
    assert find_owner_names("", r"C:\Users\Inés\app") == {"ines"}


@given(st.text("aTove,.!: \n/ine", max_size=120), st.booleans())
def test_the_parts_hold_each_character_once_and_nothing_becomes_the_owners(text: str, is_typed: bool) -> None:
    """Whatever is written."""
    parts = split_paragraphs(text)
    judged = take_addressed_lines(text, [(part, is_typed) for part in parts], NAMES, ())
    assert [place for part, _ in judged for place in range(part.start, part.end)] == [
        place for part in parts for place in range(part.start, part.end)
    ]
    assert is_typed or not any(typed for _, typed in judged)
    assert all(isinstance(part, Paragraph) for part, _ in judged)
