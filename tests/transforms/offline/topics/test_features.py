"""Features of candidates are between 0 and 1 and say whose words a title has."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.engine import OfflineEngine
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


@each_case("subject", ["fix", "wip", "up", "🎉", "v1.2"])
def test_a_commit_without_a_telling_word_does_not_lose_its_window(subject: str) -> None:
    """No candidate of the topic has a telling word, so none is richer than another."""
    committed = ran(f"git commit -qam '{subject}'", f"[main abc1234] {subject}\n 1 file changed")
    entries = conversation(user("ok"), committed, agent("Done."))
    (segment,) = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], 2000).segments
    assert segment.title
