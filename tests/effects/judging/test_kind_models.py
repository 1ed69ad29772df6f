"""The stored models of kinds: on words by nobody who wrote a training text."""

from __future__ import annotations

from effects.distil.stored_weights import load_turn_classifier
from effects.judging.kind_models import KINDS_FILE, load_kind_models
from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, user
from transforms.classify.row_kinds import FAMILIES, STRUCTURE
from transforms.offline.engine import OfflineEngine


def distil_kinds(*, learned: bool, **words: str) -> list[tuple[str, str, str]]:
    """Return kind, priority and text of the owner's rows of a talk in which `objection` answers `said`."""
    talk = conversation(
        user(words.get("first", "the importer drops rows, have a look at `jobs/import.py`")),
        agent(words["said"]),
        user(words["objection"]),
        agent(words["done"]),
    )
    engine = OfflineEngine(classifier=load_turn_classifier(), kinds=load_kind_models() if learned else None)
    facts = [fact for segment in engine.distil(talk, [], [], 2000).segments for fact in segment.facts]
    return [(fact.kind, fact.priority, fact.text) for fact in facts if words["objection"][:12] in fact.text]


WORDS = {
    "said": "I raised the batch to 500 rows in `jobs/import.py`, with three retries. Tests pass.",
    "objection": "no, 500 is too many for the little box, make it 200 and keep the three retries",
    "done": "`BATCH_ROWS` is 200 now in `jobs/import.py`; the three retries stay. 41 tests pass.",
}


def test_both_models_are_of_these_families_and_a_small_file() -> None:
    models = load_kind_models()
    assert models.words.labels == models.structure.labels == FAMILIES
    assert len(models.structure.weights) == len(STRUCTURE)
    assert models.clauses.labels == FAMILIES
    assert KINDS_FILE.stat().st_size < 1_200_000


def test_an_objection_that_sets_a_value_is_kept_as_a_decision() -> None:
    rules, learned = distil_kinds(learned=False, **WORDS), distil_kinds(learned=True, **WORDS)
    assert {kind for kind, _, _ in rules} == {"correction"}
    assert {(kind, priority) for kind, priority, _ in learned} == {("decision", "high")}
    assert all(text.startswith("User decided: ") for _, _, text in learned)
    assert [text.partition(":")[2] for _, _, text in rules] == [text.partition(":")[2] for _, _, text in learned]


def test_what_nobody_can_read_is_told_as_said_whatever_its_kind() -> None:
    """The multilingual model names the kind; the line itself claims nothing."""
    german = WORDS | {
        "said": "Ich habe den Stapel in `jobs/import.py` auf 500 Zeilen erhöht. Die Tests laufen.",
        "objection": "Plastikdeckel kommen bei uns auf kein Glas, das den Laden verlässt, und Etiketten klebe immer ich selber",
        "done": "`BATCH_ROWS` ist jetzt 200. 41 Tests laufen.",
        "first": "der Import verliert seit gestern Zeilen, schau dir bitte jobs/import.py an und sag mir, woran das liegt",
    }
    rules, learned = distil_kinds(learned=False, **german), distil_kinds(learned=True, **german)
    assert {kind for kind, _, _ in learned} == {"rule"}
    assert {kind for kind, _, _ in rules} == {"status"}
    assert [text for _, _, text in learned] == [text for _, _, text in rules]
    assert all(text.startswith("User said: ") for _, _, text in learned)


def test_a_plain_request_keeps_its_kind() -> None:
    plain = WORDS | {"objection": "please run the importer again with the sample from Monday", "done": "Done, 812 rows."}
    assert distil_kinds(learned=False, **plain) == distil_kinds(learned=True, **plain)


@each_case("thing", ["backoff of the webhook", "upload limit of auth", "retry limit", "page size", "cache TTL of the report"])
def test_what_its_owner_calls_a_decision_is_one_whatever_it_is_about(thing: str) -> None:
    """The models doubt some things more than others ("upload limit of auth": a remark of low priority)."""
    words = {"said": "It is read from `config.py`.", "done": "Done."}
    rows = distil_kinds(learned=True, objection=f"We decided: the {thing} is 750, because the upstream limits us.", **words)
    assert [row[:2] for row in rows] == [("decision", "high")]
    assert rows[0][2].startswith("User decided: ")
