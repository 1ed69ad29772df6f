"""The learned judgement of candidates: what it may leave out, and what it may not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from effects.distil.stored_weights import TREES_FILE, load_usefulness_trees
from tests.transforms.conversations import agent, conversation, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.language.sentences import find_content_words
from transforms.offline import usefulness
from transforms.offline.candidates import Candidate
from transforms.offline.engine import OfflineEngine
from transforms.offline.find_candidates import SOURCES, CandidateSource, SourcedCandidate, find_candidates
from transforms.offline.usefulness import (
    FEATURES,
    MIN_HIGH_USEFULNESS,
    MIN_USEFULNESS,
    SPARED_SOURCES,
    UNJUDGED_KINDS,
    compute_features,
    weigh_by_usefulness,
)
from transforms.tables.enums import FactKind

TALK = conversation(
    user("please add retries to the uploader in src/upload.py, three at most"),
    agent("I added three retries with a back-off of 2 s to `upload_file` in `src/upload.py`. The uploader tests pass."),
    user("never push to main without asking me"),
    agent("Understood."),
)


def make_sourced(source: CandidateSource, kind: FactKind) -> SourcedCandidate:
    """Return a candidate of a source and a kind."""
    return SourcedCandidate(Candidate("The uploader retries three times.", kind, "high", (1,), (), 1.0), source)


def test_the_stored_trees_belong_to_these_features_and_are_a_small_file() -> None:
    """Otherwise a night would stop; they are part of every installation."""
    assert load_usefulness_trees().names == FEATURES
    assert TREES_FILE.stat().st_size < 100_000


@given(st.sampled_from(SOURCES), st.sampled_from(["rule", "preference", "task", "decision", "completion"]), st.floats(0, 1))
def test_what_a_person_said_and_rare_kinds_are_never_left_out(source: CandidateSource, kind: FactKind, share: float) -> None:
    """The trees weigh a person's words, standing orders and open work, and leave out only what others say."""
    sourced = [make_sourced(source, kind)]
    kept = weigh_by_usefulness(sourced, [item.candidate for item in sourced], [share])
    assert bool(kept) == (share >= MIN_USEFULNESS or source in SPARED_SOURCES or kind in UNJUDGED_KINDS)


@given(st.floats(0, 1))
def test_a_row_that_readers_doubt_has_no_high_priority(share: float) -> None:
    """Only high rows reach the briefing."""
    sourced = [make_sourced("words", "decision")]
    (kept,) = weigh_by_usefulness(sourced, [item.candidate for item in sourced], [share])
    assert (kept.priority == "high") == (share >= MIN_HIGH_USEFULNESS)


def test_a_standing_order_stays_high_beside_small_talk() -> None:
    """Owners seldom word one; who tries recollect does it first."""
    engine = OfflineEngine(usefulness=load_usefulness_trees())
    facts = [fact for segment in engine.distil(TALK, [], [], 500).segments for fact in segment.facts]
    assert [(fact.kind, fact.priority) for fact in facts if "never push" in fact.text] == [("rule", "high")]


def test_features_hold_no_word() -> None:
    """The same talk about another file in other words of the same length gets the same features."""
    other = conversation(
        user("please add counters to the importer in src/import.py, three at most"),
        agent("I added three counters with a back-off of 2 s to `import_file` in `src/import.py`. The importer tests pass."),
        user("never push to main without asking me"),
        agent("Understood."),
    )
    features = []
    for talk in (TALK, other):
        exchanges = split_exchanges(talk)
        features.append(compute_features(find_candidates(exchanges, "User", collect_values(exchanges)), len(exchanges)))
    assert features[0].shape == features[1].shape
    assert features[0].shape[1] == len(FEATURES)
    assert abs(features[0] - features[1]).max() < 0.2


class CountedWords(frozenset[str]):
    """Words that count how often they are compared with others."""

    comparisons = 0

    def __and__(self, other: object) -> frozenset[str]:
        CountedWords.comparisons += 1
        return frozenset(self).intersection(other)  # type: ignore[call-overload,no-any-return]


TEXTS = st.sampled_from(["the cache expires", "the cache expires at night", "the queue drains at night", "yes", "a gateway"])


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "a", "b"])), min_size=1, max_size=12))
def test_a_candidate_is_covered_by_the_one_that_shares_most_of_its_words_and_is_no_other_wording(
    said: list[tuple[str, str]],
) -> None:
    sourced = [SourcedCandidate(Candidate(text, "fix", "low", (1,), (), 1.0, group=group), "words") for text, group in said]
    covers = compute_features(sourced, 1)[:, FEATURES.index("covered")]
    words = [find_content_words(text) for text, _ in said]
    for at, (_, group) in enumerate(said):
        others = [own for other, own in enumerate(words) if other != at and not (group and said[other][1] == group)]
        assert covers[at] == max((len(words[at] & own) for own in others), default=0) / max(1, len(words[at]))


def test_candidates_of_a_window_are_not_compared_each_with_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usefulness, "find_content_words", lambda text: CountedWords(find_content_words(text)))
    sourced = [SourcedCandidate(Candidate(f"w{n} expires", "fix", "low", (1,), (), 1.0), "words") for n in range(100)]
    compute_features(sourced, 1)
    assert len(sourced) >= CountedWords.comparisons
