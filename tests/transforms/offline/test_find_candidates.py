"""What a person states in a talk of a few messages is kept, whatever its kind."""

from __future__ import annotations

from typing import Any

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, result, user
from tests.transforms.offline.test_engine import facts, of_kind
from transforms.distil.window_budget import SMALLEST_BUDGET
from transforms.exchanges.exchange import Exchange, split_exchanges
from transforms.offline.engine import OfflineEngine
from transforms.offline.find_candidates import is_unmarked, is_unread, tell_as_facts, tell_plainly
from transforms.tables.tokens import count_tokens

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


LOCK = (user("поставь блокировку перед выборкой"), agent("Написал тесты с моками, блокировка стоит."))
"""A talk of few words: too few to tell its language."""


def distil_terse(*messages: dict[str, Any], is_foreign: bool = True) -> list[str]:
    """Return the facts of a talk whose owner usually types another language than English."""
    entries = conversation(*messages)
    window = OfflineEngine(is_foreign=is_foreign).distil(entries, [(0, entries[-1].ordinal)], [], 3000)
    return [f"{fact.kind}: {fact.text}" for segment in window.segments for fact in segment.facts]


def test_a_talk_of_few_words_is_in_the_language_that_its_owner_types() -> None:
    few = [Exchange(None, typed, "", (), None) for typed in ("почини сборку", "копейки, int64")]
    assert is_unread(few, is_foreign=True)
    assert not is_unread(few)
    english = [Exchange(None, typed, "", (), None) for typed in ("fix the build", "and the tests of it")]
    assert not is_unread(english, is_foreign=True)
    assert not is_unread([Exchange(None, "", "", (), None)], is_foreign=True)


@each_case(
    "words",
    [
        "ты зачем в мастер запушил? ветка от develop и MR, всё",
        "float64 для денег? копейки, int64",
        "миграции чем гоняем? давай goose, golang-migrate надоел с dirty",
    ],
)
def test_who_answers_their_own_question_in_an_unread_language_states_it(words: str) -> None:
    kept = distil_terse(*LOCK, user(words), agent("Виноват, исправил ветку и типы."))
    assert any(fact.startswith(f'status: User said: "{words}"') for fact in kept)


@each_case("mark", ["?", "?!", "?.."])
def test_a_question_in_an_unread_language_stays_a_question(mark: str) -> None:
    kept = distil_terse(*LOCK, user(f"а почему таймаут шлюза 30 секунд{mark}"), agent("Таймаут шлюза 30 секунд из-за банка."))
    assert any(fact.startswith("question: ") for fact in kept)


def test_two_words_in_an_unread_language_are_kept_when_they_come_back_to_the_talk() -> None:
    work = (
        agent("Убираю моки из тестов.", call("bash", "c1", command="go test ./...")),
        result("c1", "ok"),
        agent("Убрал все моки, тесты проходят."),
    )
    kept = distil_terse(*LOCK, user("Без моков."), *work)
    assert any('User said: "Без моков."' in fact for fact in kept)
    assert not any("Без моков" in fact for fact in distil_terse(*LOCK, user("Без моков."), *work, is_foreign=False))


@each_case("words", ["Спасибо большое.", "Добрый вечер!", "Пока всё.", "ok спасибо"])
def test_thanks_of_two_words_are_no_fact(words: str) -> None:
    assert not any(words in fact for fact in distil_terse(*LOCK, user(words), agent(f"{words} Рад помочь.")))


def test_a_latin_name_among_words_of_another_script_says_something() -> None:
    talk = (user("من الآن الخصائص المنطقية فقط، ممنوع left و right"), agent("سأستخدم الخصائص المنطقية فقط."))
    kept = distil_terse(*talk, user("الخط Tajawal"), agent("استخدمت الخط Tajawal."))
    assert any('User said: "الخط Tajawal"' in fact for fact in kept)
    assert any(fact.startswith('status: User said: "من الآن') for fact in kept)


def test_a_quoted_exclamation_is_quoted_as_it_was_typed() -> None:
    kept = distil_terse(*LOCK, user('и короче отвечай. без "Конечно!" и смайлов, надоело'), agent("Понял."))
    assert any("и короче отвечай. без 'Конечно!' и смайлов, надоело" in fact for fact in kept)


def test_words_that_a_quotation_leaves_out_are_marked() -> None:
    """What stands between two quoted sentences of a long message and says nothing is an ellipsis, not nothing."""
    words = "the tile page listens on port 9191. thanks! the tide page of the harbour listens on port 9292. " + " ".join(
        f"the gauge of pier {number} reports its level to both pages every minute." for number in range(4)
    )
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


SPOKEN = (
    "um have a look at the tide page it shows the low water of yesterday and then tell me what is going on there",
    "no so the winch never runs when the door is open thats what killed the motor last year and put the new motor in the list",
    "yeah do that and the harbour wants it in metres not in feet so metres everywhere on the page from now on",
    "okay and could you look why the mail to the pilots goes out twice it went out twice on tuesday and on friday as well",
)


def test_each_statement_of_a_person_who_marks_no_sentences_is_worth_a_row() -> None:
    """One mark in twenty words: what of a dictated message is a wish for good, no rule can tell; all of it is kept."""
    texts = [text.replace(" so ", ", so ").replace(" and ", ". And ") for text in SPOKEN]
    spoken, marked = (
        conversation(*(part for text in said for part in (user(text), edited("tide.py", "1", "2"), agent("Long " * 400))))
        for said in (SPOKEN, texts)
    )
    assert is_unmarked(split_exchanges(spoken))
    assert not is_unmarked(split_exchanges(marked))
    assert not is_unmarked(split_exchanges(conversation(user("metres everywhere"), agent("Done."))))
    wanted, wanted_marked = (OfflineEngine().read_window(entries).wanted_tokens for entries in (spoken, marked))
    assert wanted >= sum(count_tokens(text) for text in SPOKEN)
    assert wanted_marked == 0


@each_case(
    ("narrative", "told"),
    [
        ('Jo decided: "the queue is clean now". Moved it.', 'Jo said: "the queue is clean now". Moved it.'),
        ('Jo objected: "no v3, dual write means a new hub…".', 'Jo decided: "no v3, dual write means a new hub…".'),
        ('Jo laid down: "times always in 24 hours".', 'Jo set a rule: "times always in 24 hours".'),
        ('Jo asked: "is it green?"', 'Jo asked: "is it green?"'),
    ],
)
def test_a_narrative_says_that_a_person_did_what_the_facts_say(narrative: str, told: str) -> None:
    """Two verbs for the same words on a page make a reader doubt both; what no fact tells was only said."""
    facts = [
        'Jo decided: "no v3, dual write means a new hub for another team" (asked: Which?)',
        'Jo set a rule: "times always in 24 hours"',
    ]
    assert tell_as_facts(narrative, "Jo", facts) == told


def test_a_german_window_is_told_without_objections() -> None:
    german = (
        user("schau dir mal den Dienst für die Rechnungen an, der Build ist seit Freitag rot"), agent("Ein Test schlägt fehl."),
        user("no, don't do that, nimm lieber OpenPDF, weil die andere Bibliothek unter AGPL steht"), agent("Umgestellt."),
        user("Beträge speichern wir im ganzen Code in Cent und nie mit Komma"), agent("Alle Beträge sind jetzt in Cent."),
    )  # fmt: skip
    said = [fact.text for fact in facts(*german)]
    assert any('User said: "' in text for text in said)
    assert not any("objected" in text for text in said)
