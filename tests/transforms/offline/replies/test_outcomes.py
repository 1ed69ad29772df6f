"""What came of a saying is the agent's reply about it, and nothing where the person objects."""

from __future__ import annotations

from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.replies.outcomes import asks_about_state, find_outcome, find_reply, says_little


def test_a_reply_adds_words_and_an_outcome_names_what_changed() -> None:
    """Both come with the entry that says them."""
    parts = [
        user("keep the parser as it is"), edited("src/report.py", "a", "b"),
        agent("The parser stays; I changed `src/report.py` so that the totals are rounded. All 12 tests pass."),
    ]  # fmt: skip
    entries = conversation(*parts)
    (exchange,) = split_exchanges(entries)
    history = collect_values([exchange])
    reply, cited = find_reply(exchange, "keep the parser as it is", history, 200)
    assert "totals are rounded" in reply
    assert cited == [entries[-1].ordinal]
    assert "report.py" in find_outcome(exchange, history, 200)[0]


def test_a_question_about_how_things_stand_leaves_them_open() -> None:
    """The answer may change what the message reports, unless it reports a change."""
    assert asks_about_state("The mails go to you. Where should they go?", "The mails go to you.")
    assert not asks_about_state("I changed the sender. Is it right now?", "I changed the sender.")


def test_a_sentence_of_hardly_a_word_says_little_in_any_script() -> None:
    assert says_little("Done.")
    assert says_little("了解しました。")
    assert not says_little("The nightly report goes to the port committee.")
