"""Features of candidates are between 0 and 1 and say whose words a title has."""

from __future__ import annotations

from tests.transforms.conversations import agent, conversation, edited, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.topics.candidates import list_candidates
from transforms.offline.topics.features import FEATURES, compute_features

ENTRIES = conversation(
    user("Raise the timeout of the importer to 90 s"),
    edited("src/importer.py", "60", "90"),
    agent("The timeout of `importer.py` is 90 s now."),
    user("Does the exporter have the same timeout?"),
    agent("The exporter has its own timeout of 60 s."),
)


def test_features_are_shares_and_signs() -> None:
    """A row for each candidate, a column for each feature."""
    exchanges = split_exchanges(ENTRIES)
    candidates = list_candidates(exchanges)
    rows = compute_features(candidates, exchanges, "Raise the timeout of the importer to 90 s")
    assert rows.shape == (len(candidates), len(FEATURES))
    assert rows.min() >= 0
    assert rows.max() <= 1


def test_what_the_topic_comes_back_to_is_covered() -> None:
    """Both exchanges speak of the timeout; the title of rules is known."""
    exchanges = split_exchanges(ENTRIES)
    candidates = list_candidates(exchanges)
    rows = compute_features(candidates, exchanges, candidates[0].title)
    covered, ruled = (rows[:, FEATURES.index(name)] for name in ("covered", "ruled"))
    assert covered[0] > 0
    assert ruled.tolist() == [1.0] + [0.0] * (len(candidates) - 1)
