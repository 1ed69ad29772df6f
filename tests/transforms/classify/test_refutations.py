"""Whether a short statement of an agent falls is judged by the message, the answer and the work right behind it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from effects.distil.stored_weights import load_turn_classifier
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.classify.refutations import (
    AFTERMATH_WEIGHTS,
    MIN_REFUTATION,
    MOST_JUDGED_CHARS,
    Aftermath,
    judge_refutation,
)
from transforms.conversation.entries import Entry
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.engine import OfflineEngine
from transforms.offline.replies.doubted_words import describe_aftermath, mark_doubted

REQUEST = "prune the boat log, 60 days are enough, but at night"
CLAIM = "The boat log keeps 60 days and is pruned at 02:15 local time."


def describe(*parts: object) -> Aftermath:
    """Return what follows the agent's last words in the first exchange of a conversation."""
    exchange, later, *_ = split_exchanges(conversation(*parts))  # type: ignore[arg-type]
    return describe_aftermath(exchange, later, -2.0)


def list_doubted(entries: list[Entry]) -> list[bool]:
    """Return which exchanges are doubted with the stored weights."""
    return [exchange.is_doubted for exchange in mark_doubted(split_exchanges(entries), load_turn_classifier().openings)]


WROTE = edited("prune.go", "at := never", 'at := "02:15 local time"', "c1")
REPLACED = edited("prune.go", 'at := "02:15 local time"', 'at := "02:15 UTC"', "c2")
OTHER = edited("README.md", "# Boat log", "# Boat log of the harbour", "c3")


@each_case(
    "typed, work, answer, is_doubted",
    [
        ("utc. all of the harbour is on utc", REPLACED, "The boat log is pruned at 02:15 UTC.", True),
        ("thanks. now the title of the readme", OTHER, "The title names the harbour.", False),
    ],
)
def test_a_statement_falls_when_the_lines_behind_it_are_written_again(
    typed: str, work: list[object], answer: str, is_doubted: bool
) -> None:
    entries = conversation(user(REQUEST), WROTE, agent(CLAIM), user(typed), work, agent(answer))  # type: ignore[arg-type]
    assert list_doubted(entries) == [is_doubted, False]


def test_what_the_work_behind_it_writes_again_is_no_outcome() -> None:
    entries = conversation(
        user(REQUEST), WROTE, agent(CLAIM), user("utc. all of the harbour is on utc"), REPLACED,
        agent("The boat log is pruned at 02:15 UTC."),
        user("now the title of the readme"), OTHER, agent("The title names the harbour."),
    )  # fmt: skip
    result = OfflineEngine(classifier=load_turn_classifier()).distil(entries, [(0, len(entries) - 1)], [], 2000)
    facts = " ".join(fact.text for segment in result.segments for fact in segment.facts)
    assert "local time" not in facts
    assert "60 days" in facts
    assert "02:15 UTC" in facts


def test_a_long_text_stands_for_no_single_message_refutes_all_of_it() -> None:
    more = " ".join(f"Dock {number} has its own log file and its own retention." for number in range(MOST_JUDGED_CHARS // 40))
    entries = conversation(
        user(REQUEST), WROTE, agent(f"{CLAIM} {more}"), user("utc. all of the harbour is on utc"), REPLACED,
        agent("The boat log is pruned at 02:15 UTC."),
    )  # fmt: skip
    assert list_doubted(entries) == [False, False]


def test_lines_commands_and_checks_behind_a_statement_are_compared_with_those_before_it() -> None:
    before = ran("just test-boats --fast", "3 passed", "c1")
    same = describe(
        user("x"), before, agent("All green."), user("y"), ran("just test-boats --fast", "3 passed", "c2"), agent("z")
    )
    other = describe(user("x"), before, agent("All green."), user("y"), ran("ls docs", "a.md", "c2"), agent("z"))
    assert (same.runs_again, other.runs_again) == (1.0, 0.0)
    assert same.ran_commands == 1.0
    failed = ran("pytest tests", "1 failed, 2 passed\n\nexited with code 1", "c2", is_error=True)
    assert describe(user("x"), agent("All green."), user("y"), failed, agent("z")).fails == 1.0
    assert describe(user("x"), WROTE, agent("Done."), user("y"), REPLACED, agent("z")).replaces == 1.0
    assert describe(user("x"), WROTE, agent("Done."), user("y"), OTHER, agent("z")).replaces == 0.0


def test_each_sign_moves_the_judgement_as_its_weight_says() -> None:
    nothing = Aftermath(*(0.0 for _ in Aftermath._fields))
    for name, weight in AFTERMATH_WEIGHTS._asdict().items():
        more = judge_refutation(nothing._replace(**{name: 1.0}))
        assert (more > judge_refutation(nothing)) == (weight > 0), name
    assert judge_refutation(nothing) < MIN_REFUTATION


@given(st.text(max_size=400), st.text(max_size=200), st.text(max_size=400))
def test_any_words_have_a_probability(said: str, typed: str, answer: str) -> None:
    exchanges = split_exchanges(conversation(user("x"), agent(f"a{said}"), user(f"b{typed}"), agent(f"c{answer}")))
    if len(exchanges) == 2 and exchanges[0].agent_messages:
        assert 0 <= judge_refutation(describe_aftermath(exchanges[0], exchanges[1], 0.0)) <= 1
