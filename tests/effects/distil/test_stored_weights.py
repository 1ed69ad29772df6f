"""The stored classifiers: what they must get right on texts by nobody who wrote a training text."""

from __future__ import annotations

import pytest

from effects.distil.stored_weights import WEIGHTS_FILE, load_turn_classifier
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from transforms.classify.turn_classifier import TurnClassifier
from transforms.offline.engine import OfflineEngine

REVIEW = (
    "The `resolveTarget` helper swallows the error returned by `os.Stat`, which means a permission problem is reported as a"
    " missing file. Consider wrapping the error with context before returning it, as the other helpers in this package do.\n\n"
    "Medium Severity\n\nThe retry loop in `fetchManifest()` has no upper bound; under a persistent 503 response the"
    " goroutine never"
    " terminates and the test suite hangs until the global timeout expires."
)


def split_typed(text: str, before: str) -> tuple[str, str]:
    """Return the paragraphs that count as typed, and the others."""
    judged = load_turn_classifier().judge_paragraphs(text, before)
    typed, other = (
        [text[part.start : part.end].strip() for part, is_typed in judged if is_typed == wanted] for wanted in (True, False)
    )
    return "\n\n".join(typed), "\n\n".join(other)


def test_the_weights_are_a_small_file() -> None:
    """They are part of every installation."""
    assert WEIGHTS_FILE.stat().st_size < 1_500_000


def test_a_pasted_review_is_not_the_owners() -> None:
    """Two findings in the register of a review bot."""
    typed, other = split_typed(REVIEW, "All tests pass.")
    assert "swallows the error" in other
    assert "no upper bound" in other
    assert "swallows" not in typed


def test_a_typed_line_over_a_pasted_review_stays_the_owners() -> None:
    """Paragraph by paragraph."""
    typed, other = split_typed(f"can u check if these are real, i dont trust the bot\n\n{REVIEW}", "Done.")
    assert typed.startswith("can u check if these are real")
    assert "swallows the error" in other


def test_short_answers_are_always_the_owners() -> None:
    """They carry the biggest decisions."""
    for text in ("2", "go", "do both", "na, let's give it a try", "고고"):
        assert split_typed(text, "Which one?") == (text, "")


def test_the_act_of_plain_messages() -> None:
    """A question, a request and a pushback."""
    classifier = load_turn_classifier()
    acts = {
        text: classifier.predict_act(text, "I moved the cache to redis.") for text in ("why redis?", "run the tests again please")
    }
    assert max(acts["why redis?"], key=acts["why redis?"].__getitem__) == "question"
    assert max(acts["run the tests again please"], key=acts["run the tests again please"].__getitem__) == "request"


@each_case(
    ("words", "kind"),
    [
        ("never push to main without asking me", "rule"),
        ("always run make check before you commit", "rule"),
        ("i prefer short answers", "preference"),
        ("let's go with sqlite", "decision"),
        ("add a retry to the upload in src/upload.py", "request"),
    ],
)
def test_plain_words_keep_their_kind_under_the_stored_weights(words: str, kind: str) -> None:
    """The classifier doubts what the patterns say, and must not doubt a standing order."""
    entries = conversation(
        user("build the importer in src/importer.py please"), agent("I added `src/importer.py`."), user(words), agent("Noted.")
    )
    engine = OfflineEngine(classifier=load_turn_classifier())
    window = engine.distil(entries, [(entries[0].ordinal, entries[-1].ordinal)], [], 3000)
    facts = [fact for segment in window.segments for fact in segment.facts if words in fact.text]
    assert [fact.kind for fact in facts] == [kind]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Hard rule: the worker never writes to the archive table", "rule"),
        ("Another convention, for all services: timestamps are stored in UTC", "convention"),
        ("we never really got the importer to run", "request"),
    ],
)
def test_what_a_person_calls_a_rule_is_one_whatever_the_classifier_takes_it_for(
    monkeypatch: pytest.MonkeyPatch, words: str, kind: str
) -> None:
    """A label names its kind; without one, a classifier that is sure of a request makes a request of it."""
    monkeypatch.setattr(TurnClassifier, "predict_act", lambda *_: {"request": 0.99, "guidance": 0.01})
    entries = conversation(user("build the importer please"), agent("I added `src/importer.py`."), user(words), agent("Noted."))
    engine = OfflineEngine(classifier=load_turn_classifier())
    window = engine.distil(entries, [(entries[0].ordinal, entries[-1].ordinal)], [], 3000)
    facts = [fact for segment in window.segments for fact in segment.facts if words.rsplit(maxsplit=1)[-1] in fact.text]
    assert kind in [fact.kind for fact in facts]
