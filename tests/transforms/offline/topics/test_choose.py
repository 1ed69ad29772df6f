"""The title of a topic says what it was about: what was asked for, what was made of it, or how the agent closed it."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, ran, result, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.topics.choose import WEIGHTS, choose_title
from transforms.offline.topics.features import FEATURES


def test_every_feature_has_a_weight() -> None:
    """A feature without one would be left out of a title's score."""
    assert set(WEIGHTS) == set(FEATURES)


def test_a_topic_of_files_is_named_by_what_was_asked_for() -> None:
    """A list of files says where somebody worked, not on what."""
    asked = user("i think the harbour importer needs a retry for timeouts of the depot server")
    exchanges = split_exchanges(conversation(asked, edited("src/importer.py", "1", "2")))
    assert "retry for timeouts" in choose_title(exchanges, "Work on importer.py")


def test_an_opened_request_names_its_topic() -> None:
    """Its title was written to say what the work was."""
    address = "https://github.com/harbour/depot/pull/7"
    opened = ran('gh pr create --title "Retry uploads of the depot server"', address, "c1", text="Opening the request.")
    exchanges = split_exchanges(conversation(user("go on"), opened, agent(f"Opened {address}.")))
    assert choose_title(exchanges, "Go on") == "Retry uploads of the depot server"


def test_without_anything_that_names_it_the_rules_name_a_topic() -> None:
    """Silent work has no words."""
    exchanges = split_exchanges(conversation(agent("", call("read", "c1", path="a.py")), result("c1", "x")))
    assert choose_title(exchanges, "Read a.py") == "Read a.py"


@each_case("ruled", ["Raise the timeout of the importer to 90 seconds", "Work on importer.py"])
def test_the_same_topic_has_the_same_title(ruled: str) -> None:
    """Of equal candidates the first is taken."""
    asked = user("Raise the timeout of the importer to 90 seconds. Then raise the timeout of the exporter to 80 seconds.")
    exchanges = split_exchanges(conversation(asked, edited("src/importer.py", "60", "90"), agent("Both are raised.")))
    assert choose_title(exchanges, ruled) == "Raise the timeout of the importer to 90 seconds"
