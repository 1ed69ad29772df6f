"""Rules, preferences and requirements are told apart in many wordings; a requirement on the product is a request."""

from __future__ import annotations

import pytest

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, edited, user
from tests.transforms.growth import grows_with_text
from transforms.distil.engine_result import DistilledWindow, Fact
from transforms.language import assertion_patterns, dialogue_acts
from transforms.language.dialogue_acts import analyse_message, classify_sentence
from transforms.memory.normalise_claim import extract_claims
from transforms.offline.engine import OfflineEngine

OPENING = [
    user("build the importer in src/importer.py please"),
    edited("src/importer.py", "a", "b", "c3"),
    agent("I added `src/importer.py` with `load_rows`. The `--dry-run` flag skips the write, the timeout is 5."),
]
LASTING = {
    "rule": [
        "Tests go next to the code, period.", "I never want to see a print statement in library code.",
        "Anything touching money needs two tests.", "Keep secrets out of the repo.", "You don't push, I push.",
        "Before touching the schema, talk to me first.", "no emojis in code or commits, thanks",
        "ask me before you install anything",
        "Third time!! uv, never pip.", "nobody here may edit an applied migration", "Without a green build nothing gets merged.",
    ],
    "preference": [
        "I would only accept end-to-end tests for the importer, anything else is noise.",
        "I find snake case easier on the eye", "shorter is better, I skim", "Give me the command, not the essay.",
        "I tend to like boring solutions", "i would rather not have tests that hit the network",
        "please be brief in general", "One wish for the future - I prefer tables over prose",
    ],
    "decision": [
        "We're going with option B because the API limits us", "so the answer is: one repo, no submodules",
        "Decision: no Redis for the queue, because it loses jobs on a restart", "Let's settle on NATS for the event bus.",
    ],
    "state_change": ["prod is on 16 since Tuesday", "we ditched webpack last week, it's vite everywhere"],
    "correction": [
        "that is not what the flag does, --dry-run still writes the lockfile",
        "you're looking at the wrong branch", "wrong file, I meant src/exporter.py",
    ],
    "question": [
        "No clue how we'd handle refunds, let's see later", "who owns the DNS? I don't know yet, note it as open",
    ],
    "request": [
        "I want to see the dead jobs each morning", "it must not happen this often", "I want a --json flag",
        "this must be faster",
        "they just sit there, I'd like to retry one by id",
    ],
}  # fmt: skip


def answered(words: str) -> DistilledWindow:
    entries = conversation(*OPENING, user(words), agent("Okay, noted."))
    return OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], 2000)


def about(statements: DistilledWindow, words: str) -> list[Fact]:
    facts = [fact for segment in statements.segments for fact in segment.facts]
    return [fact for fact in facts if words[-14:].lower().strip(". ") in fact.text.lower() and fact.text.startswith("User")]


def test_a_question_by_its_word_order_lays_nothing_down() -> None:
    """Without a question mark, whatever it asserts; a scolding one still does."""
    assert classify_sentence("why is the first message always slow", "").act == "question"
    assert classify_sentence("how often do i have to tell you never to push", "").act == "rule"


@each_case(("kind", "words"), [(kind, words) for kind, several in LASTING.items() for words in several])
def test_a_wording_is_told_as_what_it_lays_down(kind: str, words: str) -> None:
    """Rules, preferences, decisions and corrections are important; requests and open questions are not high by themselves."""
    statement = about(answered(words), words)
    assert statement, words
    assert statement[0].kind in ({kind, "convention"} if kind == "rule" else {kind})
    if kind in ("rule", "preference", "decision", "correction"):
        assert statement[0].priority == "high"


def test_a_rule_beside_a_remark_is_a_rule() -> None:
    """The row quotes the message; the line that is proposed leaves the remark out."""
    statement = about(answered("My train leaves soon. Never log customer addresses."), "customer addresses.")
    (rule,) = (fact.text for fact in statement if fact.kind == "rule")
    assert "Never log customer addresses" in extract_claims(rule)


def test_the_reason_behind_a_rule_stays_with_it() -> None:
    """The reason stays in the row."""
    words = "Never log customer addresses. We had an audit last year and it went badly."
    assert any("We had an audit" in fact.text and fact.kind == "rule" for fact in about(answered(words), words))


def test_a_finished_window_says_what_was_completed_and_an_open_one_what_to_do() -> None:
    """A remark is not a task."""
    done = OfflineEngine().distil(
        conversation(*OPENING, user("I prefer notes without 'simply'"), agent("Noted.")), [(0, 5)], [], 2000
    )
    assert done.current_task.startswith("Completed: ")
    assert "src/importer.py" in done.current_task
    assert "Noted" not in done.suggested_response
    entries = conversation(*OPENING, user("could you please port the exporter in src/exporter.py"))
    begun = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], 2000)
    assert begun.current_task == "Port the exporter in src/exporter.py"
    assert begun.suggested_response == "Begin with: Port the exporter in src/exporter.py"


@each_case(
    "words",
    [
        "i don't tink the redraw works correctly. if i change the font, not everything updates",
        "I don't think the retry works properly, with the cable out it just hangs",
        "i dont believe this is working, the footer still shows the old branch",
    ],
)
def test_a_doubt_that_something_works_is_a_report(words: str) -> None:
    """Soft wording makes it neither a wish nor a rule."""
    entries = conversation(*OPENING, user(words), agent("Okay."), user("and now the readme, please"))
    distilled = OfflineEngine().distil(entries, [(0, len(entries) - 1)], [], 1500)
    kinds = {fact.kind for segment in distilled.segments for fact in segment.facts if words[8:20] in fact.text}
    assert kinds == {"error"}


def test_negations_in_a_row_are_read_once() -> None:
    """From each "not" the rest of the sentence was searched for "ever": 20,000 characters took 4 s."""
    search = assertion_patterns.LASTING.search
    assert grows_with_text(search, "not ", 200)
    assert search("do not, and not here, do that again")
    assert not search("no, it fails again to start")


def test_who_takes_over_what_others_say_is_asked_of_each_sentence_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sentence asked all later ones whether they endorse it."""
    asked = list[str]()
    monkeypatch.setattr(dialogue_acts, "endorses", lambda sentence: bool(asked.append(sentence)))
    message = analyse_message("Rename the port of the gateway. " * 40, "")
    assert len(message.sentences) == len(asked) == 40


def test_a_sentence_that_never_ends_is_judged_by_its_ends_and_stays_whole() -> None:
    """A list of thousands of words has no verdict inside."""
    text = f"always run the tests {'of the parser ' * 600}before a merge"
    sentence = classify_sentence(text, "")
    assert (sentence.text, sentence.act) == (text, classify_sentence(text[:3_000], "").act)
