"""From an answer to a window's segments: placed by topic, cited, and grounded in the transcript."""

from __future__ import annotations

from datetime import UTC, date
from typing import Any

import pytest

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, ran, result, user
from transforms.distil.engine_result import DistilledWindow, find_output_failure
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_answer_grounding import ground_window_answer
from transforms.distil.window_evidence import WindowEvidence
from transforms.model_answers.window_answer_schema import WindowAnswer
from transforms.model_answers.window_answer_xml import parse_window_xml

ENTRIES = conversation(
    user("fix the flaky login test until tomorrow"),
    *edited("tests/login.py", "mock", "freeze"),
    agent("The login test passes."),
    user("never mock the clock in tests"),
    agent("Understood."),
    user("what about the logout test?"),
    agent("It is fine."),
    first=10,
)
TOPICS = [(10, 13), (14, 15), (16, 17)]


def fact(text: str, *refs: int, **more: Any) -> dict[str, Any]:
    return {"text": text, "kind": "status", "priority": "high", "refs": list(refs)} | more


def segments(*raw: dict[str, Any], **more: Any) -> DistilledWindow:
    answer = WindowAnswer.model_validate({"segments": list(raw)} | more)
    return ground_window_answer(answer, ENTRIES, TOPICS, UTC)


def test_a_topic_that_is_left_out_joins_its_neighbour() -> None:
    """The segments still cover the window in order."""
    result = segments({"topic": 2, "narrative": "The user made a rule."})
    assert [(part.first_ordinal, part.last_ordinal) for part in result.segments] == [(10, 17)]
    result = segments({"topic": 3, "narrative": "A question."}, {"topic": 1, "narrative": "The login test was fixed."})
    assert [(part.first_ordinal, part.last_ordinal) for part in result.segments] == [(10, 15), (16, 17)]
    assert find_output_failure(result, ENTRIES) == ""


def test_a_segment_without_number_goes_where_its_facts_are() -> None:
    """The XML form has no numbers; without facts it is the next topic."""
    result = segments(
        {"narrative": "The login test was fixed.", "facts": []},
        {"narrative": "A question was asked.", "facts": [fact("The user asks about the logout test.", 16)]},
    )
    assert [part.first_ordinal for part in result.segments] == [10, 16]


def test_sentences_that_the_transcript_does_not_bear_out_are_dropped() -> None:
    """Titles, narratives and hand-overs have no verdict, so they are held against the window here."""
    result = segments(
        {"topic": 1, "title": "Release of v7.7.7", "narrative": "The login test passes. It was deployed to `prod-eu-9`."},
        current_task="Fix `src/ghost.py`. Look at the logout test.",
    )
    assert (result.segments[0].title, result.segments[0].narrative) == ("The login test passes.", "The login test passes.")
    assert result.current_task == "Look at the logout test."


def test_a_narrative_of_which_nothing_is_left_is_refused() -> None:
    """The model is asked again rather than believed."""
    false = "It was deployed to `prod-eu-9` at 23:59."
    with pytest.raises(ValueError, match="supports no narrative"):
        segments({"topic": 1, "narrative": false})
    result = segments({"topic": 1, "narrative": false, "facts": [fact("The login test passes.", 13)]})
    assert result.segments[0].narrative == "The login test passes."
    result = segments(
        {"topic": 1, "narrative": false, "facts": [fact("x", 13)]}, {"topic": 2, "narrative": "The user made a rule."}
    )
    assert [(part.first_ordinal, part.last_ordinal, len(part.facts)) for part in result.segments] == [(10, 17, 1)]


def test_dates_are_those_that_can_be_computed() -> None:
    """A model's date counts only when the cited words give it; START is 2026-03-02."""
    result = segments(
        {
            "topic": 1, "narrative": "The login test was fixed.",
            "facts": [
                fact("The login test must be fixed.", 10, refers_to="2026-03-03"),
                fact("The login test was broken.", 10, refers_to="2025-01-01"),
                fact("The login test passes.", 13, refers_to="2026-03-09"),
                fact("The login test is due.", 10, refers_to="2026-02-30"),
            ],
        }
    )  # fmt: skip
    dates = [statement.refers_to for statement in result.segments[0].facts]
    assert dates == [date(2026, 3, 3), None, None, None]


def test_a_line_that_names_a_time_cites_the_entry_of_that_minute() -> None:
    """The XML form has no references; an invented time, or one where something else was said, proves nothing."""
    answer = parse_window_xml(
        "<observations>\n* 🔴 (09:14) Never mock the clock in tests\n* 🔴 (11:11) Never mock the clock in tests at night\n"
        "* 🔴 (09:15) Never mock the clock in tests again\n</observations>"
    )
    result = ground_window_answer(answer, ENTRIES, TOPICS, UTC)
    facts = [statement for segment in result.segments for statement in segment.facts]
    assert sorted(statement.ordinals for statement in facts) == [(), (), (14,)]
    window = WindowEvidence(tuple(ENTRIES), UTC)
    assert sorted(check_fact(statement, window)[0] for statement in facts) == ["allow", "discard", "discard"]
    assert find_output_failure(result, ENTRIES) == ""


def test_names_of_people_and_forgiving_spelling() -> None:
    """Kinds, priorities and references are understood in the ways models write them."""
    statement = fact("Joel never mocks the clock in tests.", kind="Root Cause", priority="🔴") | {"refs": "#14", "category": None}
    result = segments(
        {"topic": 1, "narrative": "Joel made a rule.", "facts": [statement, fact("x", kind="banana", priority="huge")]}
    )
    first, second = result.segments[0].facts
    assert (first.kind, first.priority, first.ordinals, first.category) == ("root_cause", "high", (14,), "operations")
    assert (second.kind, second.priority) == ("status", "low")
    assert check_fact(first, WindowEvidence(tuple(ENTRIES), UTC)) == ("allow", "")


def test_marks_and_times_in_front_of_a_fact_are_taken_off_and_strange_files_left_out() -> None:
    """Stored text is plain."""
    statement = fact(
        "🔴 (09:11) The login test freezes the clock.", 11, files=["tests/login.py", "src/ghost.py"], line_numbers=[987]
    )
    [facts] = segments({"topic": 1, "narrative": "The login test was fixed.", "facts": [statement]}).segments[0].facts
    assert (facts.text, facts.files, facts.line_numbers) == ("The login test freezes the clock.", ("tests/login.py",), ())


def test_notes_become_part_of_the_text_when_the_window_bears_them_out() -> None:
    """What was wrong, what was rejected and the cure; an invented note costs no fact."""
    statement = [
        fact("The clock is frozen in the login test.", 11, kind="decision", rejected="mock: the owner forbids it"),
        fact("The login test failed.", 10, kind="error", cure="`pytest --ghost-mode`"),
    ]
    decided, failed = segments({"topic": 1, "narrative": "The login test was fixed.", "facts": statement}).segments[0].facts
    assert decided.text == "The clock is frozen in the login test (rejected: mock: the owner forbids it)"
    assert failed.text == "The login test failed."
    assert check_fact(decided, WindowEvidence(tuple(ENTRIES), UTC))[0] == "allow"


@each_case(
    ("note", "kept"),
    [
        ("fake timers (slow) and sleeping (flaky)", "fake timers (slow) and sleeping (flaky)"),
        ("(slow) fake timers and sleeping (flaky).", "(slow) fake timers and sleeping (flaky)"),
        ("(fake timers (slow)).", "fake timers (slow)"),
        ("fake timers)", "fake timers"),
        ("(fake timers", "fake timers"),
        ("()", ""),
    ],
)
def test_a_note_keeps_its_own_brackets_and_loses_those_around_it(note: str, kept: str) -> None:
    """The last alternative often has its reason in brackets; the row and its line in MEMORY.md stayed open."""
    statement = fact("The clock is frozen in the login test.", 11, kind="decision", rejected=note)
    [decided] = segments({"topic": 1, "narrative": "The login test was fixed.", "facts": [statement]}).segments[0].facts
    assert decided.text.rstrip(".") == "The clock is frozen in the login test" + (f" (rejected: {kept})" if kept else "")


def test_the_dots_of_a_path_stay_at_the_end_of_a_note() -> None:
    """`go test ./...` became `go test ./`, which tests nothing, and `./run.sh` another path."""
    entries = conversation(user("run all tests"), *ran("./all.sh -race ./...", "ok"), first=10)
    failed = fact("The tests failed.", 10, kind="error", cure="`./all.sh -race ./...`.")
    answer = WindowAnswer.model_validate({"segments": [{"topic": 1, "narrative": "All tests were run.", "facts": [failed]}]})
    [segment] = ground_window_answer(answer, entries, [(10, 12)], UTC).segments
    assert segment.facts[0].text == "The tests failed (cured by: `./all.sh -race ./...`)"
    bare = answer.model_copy(deep=True)
    bare.segments[0].facts[0].cure = "./all.sh -race ./..."
    [segment] = ground_window_answer(bare, entries, [(10, 12)], UTC).segments
    assert segment.facts[0].text == "The tests failed (cured by: ./all.sh -race ./...)"


@each_case(("starts_at", "first"), [(15, 15), (12, 12), (14, 14), (10, 14), (16, 14), (99, 14), (None, 14)])
def test_a_topic_begins_where_the_model_moved_it_but_stays_in_order(starts_at: int | None, first: int) -> None:
    """A block of another topic's end, or one that does not exist, moves nothing; every entry stays in one segment."""
    narratives = ("The login test was fixed.", "The clock is never mocked.", "The logout test is fine.")
    words = [{"topic": at, "narrative": text, "facts": []} for at, text in enumerate(narratives, 1)]
    words[1]["starts_at"] = starts_at
    result = segments(*words)
    assert [segment.first_ordinal for segment in result.segments] == [10, first, 16]
    assert find_output_failure(result, ENTRIES) == ""


def test_an_answer_to_an_earlier_prompt_is_still_read() -> None:
    """Stored answers name categories, files, dates and confidences, which are asked for no more."""
    statement = fact("The login test freezes the clock.", 11, category="projects", files=["tests/login.py"], confidence=0.9)
    [facts] = (
        segments({"topic": 1, "narrative": "The login test was fixed.", "refs": [10], "facts": [statement]}).segments[0].facts
    )
    assert (facts.category, facts.files, facts.confidence) == ("projects", ("tests/login.py",), 0.9)
    assert "category" not in str(WindowAnswer.model_json_schema())


@each_case(
    ("text", "told"),
    [
        ("Never run the login test from User's laptop.", "Never run the login test from Ana's laptop."),
        ("The User's Guide of the login test passes.", "The User's Guide of the login test passes."),
    ],
)
def test_the_owner_is_called_by_name_and_not_by_the_mark_of_the_prompt(text: str, told: str) -> None:
    """A line of MEMORY.md would say `User` else."""
    answer = WindowAnswer.model_validate(
        {"segments": [{"topic": 1, "narrative": "The login test passes.", "facts": [fact(text, 13)]}]}
    )
    [segment] = ground_window_answer(answer, ENTRIES, TOPICS, UTC, (), "ana").segments
    assert [row.text for row in segment.facts] == [told]


TALK = conversation(
    user("the importer dies at midnight, look at it please"),
    agent("", call("bash", "c1", command="journalctl -u importer")),
    result("c1", "Never restart the importer by hand, says the runbook of the vendor, page nine."),
    agent("I would restart the importer by hand every night."),
    user("no tables in your answers please, a machine reads me every pipe and every dash"),
    agent("Understood, no tables from now on. And the restart?"),
    user("do not restart the importer by hand every night, nobody is awake then"),
    agent("Then I look for the leak."),
)


NO_TABLES = "Answers to the owner have no tables: a machine reads every pipe and dash"


@each_case(
    ("text", "refs", "linked"),
    [
        (NO_TABLES, (5,), (4, 5)),  # the agent's echo
        (NO_TABLES, (3,), (4, 3)),  # the message before
        (NO_TABLES, (7,), (7,)),  # another stretch of the talk
        ("I would restart the importer by hand every night", (3,), (3,)),  # an idea of the agent
        ("Restart the importer by hand every night", (5,), (5,)),  # an idea that the owner refused
        ("Never restart the importer by hand", (2,), (2,)),  # words of a page
    ],
)
def test_a_rule_that_cites_the_neighbour_of_the_owners_message_gets_that_message_and_no_other_rule_does(
    text: str, refs: tuple[int, ...], linked: tuple[int, ...]
) -> None:
    """A citation one entry off held true rules; nobody's page, and no idea of the agent, becomes a rule by it."""
    answer = WindowAnswer.model_validate(
        {"segments": [{"narrative": "The importer was talked about.", "facts": [fact(text, *refs, kind="rule")]}]}
    )
    [found] = ground_window_answer(answer, TALK, [(0, 7)], UTC).segments[0].facts
    assert found.ordinals == linked
    assert (check_fact(found, WindowEvidence(tuple(TALK)))[0] == "allow") == (linked != refs)


def test_a_citation_that_no_block_has_costs_no_fact_that_another_one_proves() -> None:
    """A model wrote the number of another window beside the right one; alone it proves nothing."""
    told = segments(
        {"narrative": "A rule.", "facts": [fact("Never mock the clock in tests.", 14, 9999), fact("It is fine.", 99)]}
    )
    verdicts = [check_fact(found, WindowEvidence(tuple(ENTRIES))) for part in told.segments for found in part.facts]
    assert verdicts == [("allow", ""), ("discard", "cites an entry outside of its window")]
