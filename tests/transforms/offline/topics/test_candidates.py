"""What may name a topic, and what is still worked on in it."""

from __future__ import annotations

from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.topics.candidates import find_carried, list_candidates

REQUEST = "Move the uploads of the depot to the new storage server"


def list_sources(*parts: object) -> dict[str, str]:
    """Return the sources of the candidates of a conversation by title."""
    exchanges = split_exchanges(conversation(*parts))  # type: ignore[arg-type]
    return {candidate.title: candidate.source for candidate in list_candidates(exchanges)}


def test_typed_words_commits_and_closing_replies_are_candidates() -> None:
    """Each with the source that it has."""
    commit = ran('git commit -m "depot: uploads go to storage"', "[main 1234567] depot: uploads go to storage", "c3")
    closing = agent("## Uploads moved to storage\n\nThe depot writes its uploads to `storage1` now.")
    sources = list_sources(user(REQUEST), edited("depot.py", "a", "b"), commit, closing)
    assert sources[REQUEST] == "typed"
    assert sources["Depot: uploads go to storage"] == "commit"
    assert sources["Uploads moved to storage"] == "heading"
    assert "result" in sources.values()


def test_a_result_that_the_next_message_refuses_is_none() -> None:
    """It does not hold."""
    refused = agent("The uploads of the depot go to `storage1` now.")
    sources = list_sources(user(REQUEST), edited("depot.py", "a", "b"), refused, user("No, that is wrong, undo it."))
    assert "result" not in sources.values()


def test_a_topic_that_begins_with_yes_goes_on_with_what_was_asked() -> None:
    """The request before it names what is done."""
    before = split_exchanges(conversation(user(REQUEST), agent("Shall I begin with the depot?")))
    topic = split_exchanges(conversation(user("yes"), edited("depot.py", "a", "b"), first=10))
    assert find_carried(topic, before) == (REQUEST,)


def test_nothing_is_carried_where_a_message_names_something_or_nothing_is_done() -> None:
    """A greeting continues nothing."""
    before = split_exchanges(conversation(user(REQUEST), agent("Done.")))
    named = split_exchanges(conversation(user("yes"), edited("a.py", "a", "b"), user("Now rename the harbour table"), first=10))
    greeting = split_exchanges(conversation(user("hi"), agent("Hello!"), first=10))
    assert find_carried(named, before) == find_carried(greeting, before) == ()
