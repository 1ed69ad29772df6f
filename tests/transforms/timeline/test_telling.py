"""A stored fact becomes sentences: words stay as they were said, and nothing begins in the middle."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.timeline.telling import adds_nothing, tell_fact

DAY = date(2026, 3, 7)


@each_case(
    ("text", "told"),
    [
        (
            'User asked: "Shorten the retry of the loader." Outcome: The loader gives up after three tries now.',
            "On 7 March Joel asked: “Shorten the retry of the loader.” The loader gives up after three tries now.",
        ),
        (
            'User objected: "no epsilon" (about: "An epsilon would fix this case.") Reply: Fine, integers then.',
            "On 7 March the agent had said “An epsilon would fix this case.”, and Joel objected: “no epsilon”. "
            "The agent replied: “Fine, integers then.”",
        ),
        (
            'User said: "ＤＢはMySQLでいきます。" Reply: 整えます。',
            "On 7 March Joel said: “ＤＢはMySQLでいきます。” The agent replied: “整えます。”",
        ),
        ('Joel set a rule: "flashed, it joins every time"', "On 7 March Joel said: “flashed, it joins every time”."),
        ('Rule: "never deploy after 18:00"', "On 7 March Joel set a rule: “never deploy after 18:00”."),
        ("The sender waited for an answer without a timeout", "The sender waited for an answer without a timeout."),
        ("The refactoring is complete. I split it.", "The agent noted: “The refactoring is complete. I split it.”"),
        ("and then it worked with the new cable", "The agent noted: “and then it worked with the new cable”."),
        ("`a` failed (exit 1); `b` works instead (exit 0)", "`a` failed (exit 1), and `b` worked instead."),
        ("The cache lives for 60 seconds (earlier: 300 s)", "The cache lives for 60 seconds. Before, it was: “300 s”."),
    ],
)  # fmt: skip
def test_a_fact_is_told_in_sentences(text: str, told: str) -> None:
    """Sayings, replies, rules, findings, fragments, cures and what was before."""
    assert tell_fact(text, DAY, "Joel", is_first_of_day=True).sentences == told


def test_a_model_s_line_is_a_sentence_already() -> None:
    """It is told as it is, without a quotation around it."""
    telling = tell_fact("rentshop's invoice numbers count from 50001", DAY, "Joel", is_first_of_day=True, is_worded=True)
    assert telling.sentences == "Rentshop's invoice numbers count from 50001."


@each_case(
    ("text", "sentences"),
    [
        ("renv::restore() dies at duckdb", "renv::restore() dies at duckdb."),
        ("tests/hand/ exists with a template", "tests/hand/ exists with a template."),
        ("the broker listens on 1884 (earlier: port 1883)", "The broker listens on 1884. Before, it was: “port 1883”."),
        ("nights begin at 21:00 (earlier: From Monday)", "Nights begin at 21:00."),
    ],
)
def test_names_of_code_keep_their_case_and_half_a_former_claim_is_left_out(text: str, sentences: str) -> None:
    assert tell_fact(text, DAY, "Mara", is_first_of_day=True, is_worded=True).sentences == sentences


@each_case(
    ("text", "sentences"),
    [
        (
            'Mara decided: "2" (asked: Which store?; chosen: SQLite (WAL), one writer; not: redb; files) Reply: Moved to SQLite.',
            "Mara decided: “2”. Chosen of what was offered (“Which store?”): “SQLite (WAL), one writer”, not “redb; files”. "
            "The agent replied: “Moved to SQLite.”",
        ),
        (
            'Mara decided: "neither" (chosen: none; not: redb; files)',
            "Mara decided: “neither”. None of what was offered was taken.",
        ),
        (
            'Mara decided: "yes" (asked: Send only between 6 and 21 h?) Outcome: No alarm is sent between 21 and 6 h.',
            "Mara, asked “Send only between 6 and 21 h?”, decided: “yes”. No alarm is sent between 21 and 6 h.",
        ),
        (
            'Mara decided: "Full preset" (asked: Which preset?; not: Core; None; meaning: all rules.)',
            "Mara, asked “Which preset?”, decided: “Full preset”.",
        ),
        ('Mara asked: "do 1" (chosen: the README) [README.md]', "Mara asked: “do 1”. Chosen of what was offered: “the README”."),
    ],
)
def test_a_choice_is_told_with_the_words_of_its_option(text: str, sentences: str) -> None:
    """ "2" alone says nothing weeks later."""
    telling = tell_fact(text, DAY, "Mara", is_first_of_day=False)
    assert telling.sentences == sentences
    assert telling.bare == ""


@given(st.text(max_size=200))
def test_any_words_are_told_with_what_came_of_them(words: str) -> None:
    """Whatever was said, in whichever script: the outcome is told, too."""
    outcome = "Everything was done as it had been planned."
    assert outcome in tell_fact(f'User asked: "{words}" Outcome: {outcome}', DAY, "Joel", is_first_of_day=True).sentences


@each_case(
    ("result", "words", "is_said_again"),
    [
        ("Default log level is warn.", "the --verbose spam is too much, default log level warn", True),
        ("Kept for 30 days.", "keep 30 days rather", True),
        ("The job is broken on Mondays.", "the job is broken on Mondays; it was not in May", True),
        ("Cancelling costs 10 EUR from 24 h before.", "from 24 hours before cancelling costs 10 euros", False),
        ("The export works on Windows.", "The export fails on Windows", False),
        ("The export works on Windows.", "if the export works on Windows, we ship it", False),
        ("The build fails on Windows.", "The build must pass on Windows", False),
        ("The build passes on Windows.", "The build must pass on Windows", False),
        ("The backup runs before the job.", "the job runs before the backup", False),
        ("Use Postgres for the store in all regions.", "Use Postgres for the store", False),
        ("Postgres is the store in all regions.", "Use Postgres for the store", False),
        ("The job is repaired on Mondays.", "The job is broken on Mondays", False),
        ("The job is broken on Mondays.", "is the job broken on Mondays", False),
        ("The job is broken on Mondays.", "the job is broken on Mondays, right?", False),
        ("The cache lives for 60 hours.", "the cache lives for 60 days", False),
        ("The fair is on 19 June 2031 now.", "we moved the fair to Saturday 19 June", False),
        ("File watching uses the notify crate now, debounced at 200 ms.", "use notify for the file watching, not polling", False),
        ("Sqlite is not used.", "use sqlite", False),
        ("Done, see below.", "use sqlite", False),
    ],
)  # fmt: skip
def test_an_outcome_that_says_what_was_said_adds_nothing(result: str, words: str, *, is_said_again: bool) -> None:
    """The same words in the same order; another verb, number, order or scope, a denial and an answer are news."""
    assert adds_nothing(result, words) is is_said_again


@given(st.text(st.sampled_from("ab ,;.?1\n"), max_size=30), st.text(st.sampled_from("ab ,;.?1\n"), max_size=30))
def test_an_outcome_with_a_word_of_its_own_is_told(result: str, words: str) -> None:
    """Whatever stands around it."""
    assert not adds_nothing(f"{result} fails", words)


def test_what_was_settled_is_not_told_again_as_its_outcome() -> None:
    """Of a decision the outcome in the same words says nothing new; of a request it says that it was done."""
    decided = tell_fact(
        'User decided: "default log level warn" Outcome: Default log level is warn.', DAY, "Joel", is_first_of_day=True
    )
    assert decided.sentences == "On 7 March Joel decided: “default log level warn”."
    asked = tell_fact(
        'User asked: "set the default log level to warn" Outcome: Default log level is warn.', DAY, "Joel", is_first_of_day=True
    )
    assert asked.sentences.endswith("Default log level is warn.”") or asked.sentences.endswith("Default log level is warn.")
    assert not decided.bare
