"""The rule in a spoken sentence: which part of it, with its condition, and none where only its speaker or its reason is told."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.memory.lasting.spoken_rules import is_of_speaker, list_spoken_rules


def list_rules(quote: str, *rules: str) -> list[str]:
    """Return the rules of a quotation; the weights take for one what has one of these words."""

    def is_rule(line: str) -> bool:
        return any(word in line.lower() for word in rules)

    return list_spoken_rules(quote, is_rule, is_rule)


@each_case(
    ("quote", "word", "line"),
    [
        ("why is that in the net? new rope or knot = ask me first. put it back", "ask me", "New rope or knot = ask me first"),
        ("um could you please ask me one thing at a time", "one thing", "Ask me one thing at a time"),
        ("No no, the buoys get their number before they go out", "buoys", "The buoys get their number before they go out"),
        ("I won't, the old chart stays on the table in the hall", "chart", "The old chart stays on the table in the hall"),
        (
            "that was a long day with the nets and the rain came in over the bow the whole time, so whenever you tie up at the"
            " pier put two ropes on the stern, I'm tired of it and by the time somebody looks the boat is gone again",
            "ropes",
            "Whenever you tie up at the pier put two ropes on the stern",
        ),
    ],
)
def test_a_rule_is_told_with_the_words_for_its_speaker_and_without_what_stands_around_it(
    quote: str, word: str, line: str
) -> None:
    assert list_rules(quote, word) == [line]


@each_case(
    "quote",
    [
        "should we ask the harbour master before each landing?",
        "that rope you show me before anything sails",
        "No rope, no",
        "make it hold three knots at most which is enough for a boat of nine metres in a wind of fifteen knots at the pier and"
        " everything longer stays on the long rope",
        "the chart of the bay and all its lights hung in the hall for years and years without anybody looking, so when"
        " the harbour master reads me a letter I know which boat has to leave the pier today",
    ],
)
def test_what_asks_points_or_names_little_and_the_purpose_of_a_long_sentence_are_no_rules(quote: str) -> None:
    assert list_rules(quote, "ask", "show", "rope", "know", "everything longer") == []


def test_the_subject_of_a_line_tells_whether_its_speaker_only_reports() -> None:
    assert is_of_speaker("I never read that chart before")
    assert not is_of_speaker("Nobody reads that chart before me")
