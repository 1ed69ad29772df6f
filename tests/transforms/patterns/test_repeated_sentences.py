"""What a fact says word by word is found, in every script, and nothing else."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.patterns.repeated_sentences import drop_sayings, find_saying, index_facts, split_outcome


@each_case(
    ("sentence", "fact", "is_said"),
    [
        ("The port is 8080 now.", "The port is 8080 now, on both hosts.", True),
        ("The port is 8080 now.", "The port is not 8080 now.", False),
        ("The port is 8080.", "The port is 8080 no longer.", False),
        ("The port is 8080 now.", "It is not true that the port is 8080 now.", False),
        ("The limit is 1.", "The limit is 1.5 now.", False),
        ("The timeout is 30 s.", "The timeout is 60 s, no longer 30 s.", False),
        ("The cache of the new pages is fast.", "The cache of the new pages is slow.", False),
        ("User asked to shorten a.py.", 'User asked: "shorten src/a.py" Outcome: Half of it is gone.', True),
        ("Half of it is gone.", 'User asked: "shorten src/a.py" Outcome: Half of it is gone.', True),
        ("No partition is free.", 'User asked: "is one free?" Answer: No partition is free.', True),
        ('User said: "mind the time".', 'User said: "one run of it. Mind the time." Outcome: It runs.', True),
        ("src/a.py is gone.", "lib/a.py is gone.", False),
        ("テストも追加。", "修正しました。テストも追加。", True),
        ("Der Port ist 8080.", "Der Port ist nicht 8080.", False),
        ("", "The port is 8080 now.", False),
    ],
)
def test_a_fact_says_a_sentence_that_stands_in_it_as_a_whole(sentence: str, fact: str, is_said: bool) -> None:
    assert (find_saying(sentence, index_facts([("08:01", fact)])) == "08:01") == is_said


@each_case(
    ("account", "facts", "left"),
    [
        ("修正しました。テストも追加。", ["ok"], "修正しました。テストも追加。"),
        ("修正しました。テストも追加。次です。", ["テストも追加。"], "修正しました。次です。"),
        ("Did it.\n\n- a.\n- b is done.  End.", ["ok"], "Did it.\n\n- a.\n- b is done.  End."),
        ('He said "it works." Then he left.', ["Then he left."], 'He said "it works."'),
        (
            'Ada refused it ("No! Put it back.").',
            ["No!", "Put it back."],
            'Ada refused it ("No! Put it back.").',
        ),
        ("User asked to drop a.py. Nobody did.", ['User asked: "can you drop a.py?"'], "Nobody did."),
    ],
)
def test_an_account_keeps_its_letters_and_the_words_of_people_whole(account: str, facts: list[str], left: str) -> None:
    """No space comes into a script without spaces, no closing mark goes, no quotation loses its half; the title has a request."""
    places = index_facts((f"08:{place:02}", text) for place, text in enumerate(facts))
    assert drop_sayings(account, places, "Drop a.py") == left


def test_an_outcome_in_the_words_of_a_person_is_theirs() -> None:
    said = 'User said: "Tried it twice. Outcome: the server crashes"'
    assert split_outcome(said) == (said, "", "")
    assert split_outcome(f"{said} Outcome: It runs. [a.py]") == (said, "It runs.", " [a.py]")


def test_sentences_are_looked_up_in_the_time_that_a_page_is_long() -> None:
    """Each of 1,200 facts was compared with each other one."""

    def drop(part: str) -> str:
        count = len(part)
        facts = [("08:00", f'User asked: "thing {place}" Outcome: Thing {place} is changed.') for place in range(count)]
        return drop_sayings(" ".join(f"Sentence {place} about that." for place in range(count)), index_facts(facts))

    assert grows_with_text(drop, "x", 50)
