"""What a person states in a talk of a few messages is kept, whatever its kind."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, user
from tests.transforms.offline.test_engine import facts, of_kind
from transforms.distil.window_budget import SMALLEST_BUDGET
from transforms.offline.find_candidates import tell_plainly

TALK = [
    user("choose a broker for the tile cache"), agent("Should we go with RabbitMQ or Kafka?"),
    user("rabbitmq"), agent("Added RabbitMQ."),
]  # fmt: skip


@each_case(
    "words",
    [
        "the tile page listens on port 9191",
        "Ich bevorzuge kurze Antworten ohne Aufzählungen, bitte merk dir das.",
        "we replace rabbitmq with kafka, the throughput is not enough",
        "Edda Brandt from the harbour office owns the tide interface",
    ],
)
def test_a_plain_statement_of_a_small_talk_is_kept(words: str) -> None:
    assert any(words[:40] in fact.text for fact in facts(*TALK, user(words), agent("Noted."), budget=SMALLEST_BUDGET))


def test_a_name_in_small_letters_picks_the_option() -> None:
    assert of_kind(facts(*TALK), "decision") == ['User decided: "rabbitmq" (asked: Should we go with RabbitMQ or Kafka?)']


def test_an_acknowledgement_is_no_finding() -> None:
    """The agent did nothing and repeats what it was told."""
    kept = facts(
        *TALK, user("no, wrong. i said latin-1."), agent("You're right."),
        user("Ich bevorzuge kurze Antworten ohne Aufzählungen, bitte merk dir das."),
        agent("Mache ich: kurze Antworten, keine Aufzählungen."),
    )  # fmt: skip
    assert not of_kind(kept, "root_cause")


def test_words_that_a_quotation_leaves_out_are_marked() -> None:
    """What stands between two quoted sentences and says nothing is an ellipsis, not nothing."""
    words = "the tile page listens on port 9191. thanks! the tide page of the harbour listens on port 9292."
    quoted = next(fact.text for fact in facts(*TALK, user(words), agent("Noted.")) if "9191" in fact.text)
    assert "9292" not in quoted or "9191. …" in quoted


@each_case(
    ("text", "told"),
    [
        (
            'Jo objected: "nimm H, die Scheine sind dreckig" Outcome: ok',
            'Jo said: "nimm H, die Scheine sind dreckig" Outcome: ok',
        ),
        ('Jo asked: "延滞料は1日10円"', 'Jo said: "延滞料は1日10円"'),
        ('Jo asked: "フロントは何？"', 'Jo asked: "フロントは何？"'),
        (
            'Jo decided: "2" (asked: Was möchtest du?; chosen: ein Timer)',
            'Jo decided: "2" (asked: Was möchtest du?; chosen: ein Timer)',
        ),
        ("Jo objected to it.", "Jo objected to it."),
        ('Jo set a rule: "juste aujourd’hui, saute les tests"', 'Jo said: "juste aujourd’hui, saute les tests"'),
        ('Jo decided: "un bug en prod" (about: the log)', 'Jo said: "un bug en prod" (about: the log)'),
        ('Jo decided: "comment ferais-tu ?"', 'Jo asked: "comment ferais-tu ?"'),
        ('Jo decided: "float64 для денег? копейки, int64"', 'Jo said: "float64 для денег? копейки, int64"'),
        ('Jo decided: "ماذا نستخدم؟"', 'Jo asked: "ماذا نستخدم؟"'),
    ],
)
def test_what_is_said_in_another_language_is_told_plainly(text: str, told: str) -> None:
    """Only English words tell an objection; a question mark and a menu tell what they are in any language."""
    assert tell_plainly(text, "Jo") == told


def test_a_german_window_is_told_without_objections() -> None:
    german = (
        user("schau dir mal den Dienst für die Rechnungen an, der Build ist seit Freitag rot"), agent("Ein Test schlägt fehl."),
        user("no, don't do that, nimm lieber OpenPDF, weil die andere Bibliothek unter AGPL steht"), agent("Umgestellt."),
        user("Beträge speichern wir im ganzen Code in Cent und nie mit Komma"), agent("Alle Beträge sind jetzt in Cent."),
    )  # fmt: skip
    said = [fact.text for fact in facts(*german)]
    assert any('User said: "' in text for text in said)
    assert not any("objected" in text for text in said)
