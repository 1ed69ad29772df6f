"""Facts of one subject stand in one paragraph, and each is told once."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from transforms.timeline.paragraphs import TimelineFact, tell_period

DAY = date(2026, 3, 2)


def test_facts_of_one_subject_share_a_paragraph_in_order_of_time() -> None:
    """The two about the patch window stand together, although a rule about commits lies between them."""
    told = tell_period(
        [
            TimelineFact("The patch window forgot its size on every second screen", DAY, "o-1"),
            TimelineFact('User set a rule: "commits are in English from now on, please"', DAY + timedelta(1), "o-2"),
            TimelineFact("The patch window stores its size per second screen now", DAY + timedelta(2), "o-3"),
        ],
        "Joel",
    )
    assert [paragraph.ids for paragraph in told.done] == [("o-1", "o-3")]
    assert [paragraph.ids for paragraph in told.decided] == [("o-2",)]


def test_a_chapter_never_goes_back_in_time() -> None:
    """A subject that comes back after another one was spoken of is told again at its later day."""
    said = (
        "The patch window forgot its size on every second screen", "The mailer sends its letters twice to Norwegians",
        "The patch window stores its size per second screen now", "The mailer has a lock for letters to Norwegians",
        "Backups run at night", "The patch window keeps the size of a second screen in a file",
    )  # fmt: skip
    told = tell_period([TimelineFact(text, DAY + timedelta(at), f"o-{at}") for at, text in enumerate(said)], "Joel")
    assert [key for paragraph in told.done for key in paragraph.ids] == [f"o-{at}" for at in range(len(said))]


def test_an_answer_that_is_a_fact_of_its_own_is_told_once() -> None:
    answer = "The copy script has no dry run, and Postgres has 1,188 rows."
    facts = [
        TimelineFact(f'User asked: "did the copy script run on the vm yesterday?" Answer: {answer}', DAY, "o-1"),
        TimelineFact(answer, DAY, "o-2"),
    ]
    for order in (facts, facts[::-1]):
        (paragraph,) = tell_period(order, "Joel").done
        assert paragraph.text.count(answer) == 1
        assert "did the copy script run" in paragraph.text
        assert set(paragraph.ids) == {"o-1", "o-2"}


def test_an_outcome_that_was_cut_is_not_told_before_the_fact_that_has_it_whole() -> None:
    """The same sentence stood twice running, once with an ellipsis."""
    whole = (
        "Overall: the code is thoughtful and has a lot of good defensive work: HTTPS by default, bounded reads, and no globals."
    )
    facts = [
        TimelineFact(
            f'User asked: "do an in depth review of the code base" Outcome: {whole.partition(", bounded")[0]}…', DAY, "o-1"
        ),
        TimelineFact(whole, DAY, "o-2"),
    ]
    (paragraph,) = tell_period(facts, "Joel").done
    assert paragraph.text.count("the code is thoughtful") == 1
    assert "do an in depth review" in paragraph.text


def test_what_stands_for_facts_of_one_form_says_their_number() -> None:
    """The number is behind the sentence, not among the words of a person or an agent."""
    facts = [
        TimelineFact('Objected: "why did you touch the mailer?" (27 alike)', DAY),
        TimelineFact("All tests are fixed now (3 alike)", DAY),
    ]
    told = tell_period(facts, "Joel")
    assert [paragraph.text.partition("objected: ")[2] for paragraph in told.decided] == [
        "“why did you touch the mailer?” (27 alike)"
    ]
    assert [paragraph.text for paragraph in told.done] == ["All tests are fixed now. (3 alike)"]


def test_words_without_an_outcome_of_their_own_are_listed_in_one_sentence() -> None:
    """No chain of "User asked". That nothing came of it is not said: another fact, or a session that is away, may tell."""
    told = tell_period(
        [TimelineFact(f'User asked: "{words}"', DAY) for words in ("csv export for dario", "the login page is ugly")], "Joel"
    )
    assert told.open_words == ("Joel also said: “csv export for dario” and “the login page is ugly”.")
    assert not told.done


def test_the_day_is_named_once_and_what_has_nothing_in_common_stands_apart() -> None:
    """Eight paragraphs of a chapter began "On 29 October Walt said", and one joined a bay, a crontab and a mailing list."""
    sayings = (
        "copies of crontabs go to the old folder",
        "never put her on the mailing list again",
        "bay two is washed on Tuesdays",
    )
    facts = [TimelineFact(f'User set a rule: "{words} (Walt)"', DAY, f"o-{at}") for at, words in enumerate(sayings)]
    told = tell_period(
        [*facts, TimelineFact('User set a rule: "the tanks have a lid now, Walt"', DAY + timedelta(1), "o-3")], "Walt"
    )
    begun = [paragraph.text.partition(" said: ")[0] for paragraph in told.decided]
    assert begun == ["On 2 March Walt", "Walt", "Walt", "On 3 March Walt"]


@given(
    st.lists(
        st.sampled_from(
            ["Redis runs in Docker on every host", "The broker listens on port 8883 now", "Docker needs cgroups v2 here"]
        )
    )
)
def test_every_fact_is_told_exactly_once(texts: list[str]) -> None:
    """Repetitions are left out, nothing else is."""
    told = tell_period([TimelineFact(text, DAY, f"o-{n}") for n, text in enumerate(texts)], "Joel")
    page = " ".join(paragraph.text for paragraph in (*told.decided, *told.done))
    assert all(page.count(text) == 1 for text in set(texts))


def test_notes_of_an_agent_behind_each_other_name_the_agent_once() -> None:
    """A paragraph was a chain of "The agent noted: …"; what somebody else says in between ends the list."""
    notes = ["and then the north pump cable worked", "and the north pump valve was shut", "and the north pump needed a new seal"]
    facts = [TimelineFact(text, date(2026, 3, 2), f"o-{number}") for number, text in enumerate(notes)]
    [paragraph] = tell_period(facts, "Mara").done
    assert paragraph.text == (
        "The agent noted: “and then the north pump cable worked”; “and the north pump valve was shut”; "
        "“and the north pump needed a new seal”."
    )
    assert paragraph.ids == ("o-0", "o-1", "o-2")
