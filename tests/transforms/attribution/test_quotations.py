"""Words that were said before."""

from __future__ import annotations

import re
from time import process_time

from tests.transforms.growth import grows_with_text
from transforms.attribution.quotations import (
    MEMORY_CHARS,
    MOST_QUOTED_LINES,
    EarlierText,
    find_edits,
    is_quoted,
    own_inline_answers,
    own_listed_answers,
)
from transforms.classify.paragraphs import Paragraph

MENU = (
    "I suggest **three** steps:\n1. Move the `cache` to redis and keep the old keys for a week\n"
    "2. Write the migration for the session table\n3. Delete the nightly job that nobody reads any more\n"
)


def test_a_copied_line_is_found_without_its_marks() -> None:
    """A terminal does not show the marks of Markdown."""
    earlier = EarlierText()
    earlier.add("agent", MENU)
    source = earlier.find_source("1. Move the cache to redis\n   and keep the old keys for a week")
    assert source is not None
    assert source[0] == "agent"
    assert is_quoted(source[2])
    assert earlier.find_source("what do the old keys cost us per month, and who would notice if they went") is None


def test_a_short_text_is_never_a_quotation() -> None:
    """People do repeat an option."""
    earlier = EarlierText()
    earlier.add("agent", MENU)
    assert earlier.find_source("Write the migration for the session table") is None


def test_the_changed_words_of_a_quotation_are_found() -> None:
    """One changed word is the wish."""
    words = "Move the cache to valkey and keep the old keys for a week"
    edits = find_edits(words, "move the cache to redis and keep the old keys for a week")
    assert edits is not None
    assert [words[start:end] for start, end in edits] == ["valkey"]
    assert find_edits("a completely different text about the weather and the harbour of this town", MENU.lower()) is None


def test_an_exact_copy_has_no_edits() -> None:
    """Renumbering a list is none either."""
    text = "2. move the cache to redis and keep the old keys for a week"
    assert find_edits(text.replace("2.", "7."), text) == []


def test_the_oldest_texts_are_forgotten() -> None:
    """What a session said long ago is not searched."""
    earlier = EarlierText()
    earlier.add("tool", MENU)
    for _ in range(3):
        earlier.add("tool", "filler words " * (MEMORY_CHARS // 26))
    assert earlier.size <= MEMORY_CHARS
    assert earlier.find_source(MENU) is None


def test_words_that_begin_with_a_copy_of_what_the_agent_said_are_parted_behind_it() -> None:
    """The owner goes on in the same paragraph; a copy from the first word to the last is no beginning."""
    said = "Summary\n- setup.sh links files of this repo into the home, so the client loads extensions.\n- You have two ways."
    earlier = EarlierText()
    earlier.add("agent", said)
    typed = "setup.sh links files of this repo into the home, so the client loads extensions. yes i am unaware, go on"
    copied = earlier.find_copied_start(typed)
    assert copied is not None
    assert (copied[0], typed[copied[1] :].strip()) == ("agent", "yes i am unaware, go on")
    assert earlier.find_copied_start(typed[: copied[1]]) is None
    assert earlier.find_copied_start("setup.sh links files of another repo into the home, so it loads nothing") is None


def test_of_a_mailbox_of_quoted_lines_only_those_above_words_are_looked_for_in_what_the_agent_said() -> None:
    """Each look goes through all of its words."""

    class CountedText(EarlierText):
        looks = 0

        def has_said(self, words: str) -> bool:
            CountedText.looks += 1
            return super().has_said(words)

    earlier = CountedText()
    earlier.add("agent", MENU)
    mailbox = "\n".join(f"> the committee asks for report number {number} again" for number in range(5_000))
    assert own_inline_answers(mailbox, [(Paragraph(0, len(mailbox)), False)], earlier) == [(Paragraph(0, len(mailbox)), False)]
    assert CountedText.looks <= MOST_QUOTED_LINES
    answer = "> Delete the nightly job that nobody reads any more\n\nno, keep it for now\n\n" + mailbox
    place, CountedText.looks = answer.index("no, keep"), 0
    assert own_inline_answers(answer, [(Paragraph(place, place + 19), False)], earlier) == [(Paragraph(place, place + 19), True)]
    assert CountedText.looks == 1, "only the line right above a paragraph is looked for"


def test_many_paragraphs_below_one_quoted_line_cost_what_they_are_long() -> None:
    """Each copied all of the text above it: half a megabyte of paragraphs was gigabytes."""
    text = "> Delete the nightly job that nobody reads any more\n\n" + "a line of words that somebody typed\n\n" * 40_000
    places = [match.span() for match in re.finditer(r"a line[^\n]*\n\n", text)]
    earlier = EarlierText()
    earlier.add("agent", MENU)
    started = process_time()
    owned = own_inline_answers(text, [(Paragraph(*place), False) for place in places], earlier)
    assert process_time() - started < 3
    assert [is_typed for _, is_typed in owned] == [True] + [False] * (len(places) - 1)


ASKED = "Three questions:\n1. Raise the timeout to 48 hours?\n2. Or drop the ETAs for a beat task?\n3. A constraint on the log?"


def test_a_paragraph_that_answers_all_that_the_agent_asks_under_its_labels_is_typed() -> None:
    """A review of fewer points, or behind words that ask nothing, stays what it was judged to be."""
    answers, review = "1 no. Same leak.\n2 yes. Every 5 minutes.\n3: yes, on the kind only.", "1. Name it.\n2. Move it."
    text = f"So:\n\n{answers}\n\n{review}"
    first, second = text.index("1 no"), text.index("1. Name")
    judged = [(Paragraph(0, 3), True), (Paragraph(first, second), False), (Paragraph(second, len(text)), False)]
    assert [is_typed for _, is_typed in own_listed_answers(text, judged, ASKED)] == [True, True, False]
    assert own_listed_answers(text, judged, "Done:\n1. the timeout\n2. the ETAs\n3. the log") == judged


def test_a_long_copy_with_words_behind_it_is_followed_word_by_word() -> None:
    """For each further word all words before it were searched again."""

    def find(text: str) -> object:
        earlier = EarlierText()
        earlier.add("agent", text)
        return earlier.find_copied_start(f"{text} but not here")

    words = " ".join(f"step{number}" for number in range(12))
    assert find(words) == ("agent", len(words))
    assert grows_with_text(find, "move the cache to redis ", 60)
