"""What a sentence tells by its grammar: a habit, a behaviour, or neither."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.language.clauses import Clause, drop_frequency, parse_clause
from transforms.language.dialogue_acts import analyse_message, classify_sentence

REPLY = "I changed the export and the importer. Both work now."


def parse(text: str) -> Clause:
    """Return the clause of a text without subordinate clauses."""
    return parse_clause(text, text)


@each_case(
    "text",
    [
        "the gauge always reads 2 too low",
        "thanks for always asking before you delete something",
        "the second column is always showing 15.0",
        "my aunt always said never lend a ladder",
        "the list jumps from 4 to 6, never shows 5",
    ],
)
def test_how_often_something_happens_is_no_rule(text: str) -> None:
    """The verb is in the third person, the past or the -ing form, and has its subject."""
    assert parse(text).is_habit
    assert classify_sentence(text, REPLY).act != "rule"


@each_case(
    "text",
    [
        "never push without asking me",
        "we always squash",
        "Terraform never runs on Fridays",
        "use spaces, never tabs",
        "secrets are never committed",
        "it is utf-8 and always was",
    ],
)
def test_an_order_or_a_norm_is_no_habit(text: str) -> None:
    assert not parse(text).is_habit


@each_case(
    "text",
    [
        "the payroll export still returns 410 rows instead of 975",
        "the dunning mailer still ignores the second header",
        "a double click saves 2 drafts instead of 1",
        "the calf button opens the treatment page instead of the calf page",
        "the map docs still is 516 ms slower than last week",
    ],
)
def test_what_a_thing_does_now_is_a_report_and_no_decision_rule_or_correction(text: str) -> None:
    assert parse(text).is_behaviour
    assert classify_sentence(text, REPLY).act == "report"


@each_case(
    "text",
    [
        "CI runs on Forgejo instead of GitHub",
        "we still use the old tracker",
        "use zstd instead of the gzip of last year",
        "nightly copies go to Hetzner instead of Backblaze",
        "we decided: the cache uses zstd instead of gzip",
        "a longer timeout hides the fault instead of explaining it",
        "there is the case that somebody begins anew while what he changed in the morning is still there",
    ],
)
def test_what_somebody_chose_is_no_behaviour(text: str) -> None:
    assert not parse(text).is_behaviour


def test_a_verdict_on_the_agent_stays_a_correction() -> None:
    """Also where it tells what the thing does."""
    assert classify_sentence("that is wrong, the flag still writes the lockfile", REPLY).act == "correction"


def test_a_request_that_mentions_a_behaviour_stays_a_request() -> None:
    assert classify_sentence("remind me that the metrics page is still open to all", REPLY).act == "request"


def test_only_the_words_of_frequency_are_dropped() -> None:
    assert drop_frequency("it always reads 1, never 2") == "it reads 1, 2"


@each_case(
    "sentence",
    [
        "rui says we must never remove cancelled sailings",
        "the client asked that we never use red on buttons",
        "customer email this morning reckons we must add afterpay",
        "the rep was firm on the telephone: he said do not run it without us",
        "Use Matomo or nothing, she says.",
        "the guy from hosting said to never restart it at night",
        "according to rui we must never restart it at night",
        "customers say we should never close on sundays and we should open at six",
        "marta's rule is never deploy on fridays",
        "she argues that catalogues should never show a reader what others took",
    ],
)
def test_what_somebody_else_demands_is_reported(sentence: str) -> None:
    """Without a colon or a "that", too."""
    assert parse_clause(sentence, sentence).is_reported


@each_case(
    "sentence",
    [
        "as i said: never force push",
        "the new feature writes to `logs` we should ignore that",
        "i will run, prod writes must come from my hand",
        "odette says q is for quires so dont skip them anymore",
        "we told rui never to push",
        "the prices never change unless marta says so",
    ],
)
def test_what_the_owner_demands_beside_a_report_is_not_reported(sentence: str) -> None:
    """Nor what they said themself."""
    assert not parse_clause(sentence, sentence).is_reported


def test_an_endorsement_makes_a_reported_rule_the_owners() -> None:
    """In the same sentence or behind it; without one it is a remark."""
    reported = "rui says we must never force push"
    assert analyse_message(f"{reported}. what do you think?", "").act == "question"
    assert analyse_message(f"{reported}, and he's right", "").act == "rule"
    assert analyse_message(f"{reported}. do it like that from now on", "").act == "rule"
    assert analyse_message(f"{reported}. i don't agree", "").act != "rule"
