"""Unanswerability: what a question takes for granted, looked for in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.language.answer_types import compile_count_pattern, compile_quantity_patterns, is_written_in
from transforms.language.tokenizer import tokenize, write_numbers
from transforms.recall.answerability import (
    ABSTAIN_FROM,
    DOUBT_FROM,
    LEAST_NEAR,
    Unanswerability,
    collect_lookup_terms,
    estimate_unanswerability,
    take_prefix,
)
from transforms.recall.domain_terms import DOMAIN_TERMS, find_domain_terms
from transforms.recall.question import parse_question
from transforms.recall.question_language import READ, Vocabulary, leave_out_unsaid
from transforms.recall.question_type import OPEN, VALUE, YES_NO, classify_question
from transforms.recall.rank import CorpusStatistics, RankedCandidate
from transforms.words.number_words import SPELLED

SAID = (
    "The session cache lives in Redis with a TTL of 15 minutes.",
    "renderInvoice() uses pdfkit 0.15.0; the layout test passes.",
    "The footer is drawn with the dim token, #666666.",
)


def doubt(
    text: str,
    texts: tuple[str, ...] = SAID,
    cosine: float | None = 0.5,
    documents: int = 1_000,
    near: dict[str, dict[str, float]] | None = None,
    source: str = "turn",
    kind: str | None = None,
) -> Unanswerability:
    """Return the doubt about a question in a memory of these texts of one source, which belong to so many documents."""
    rows: list[dict[str, Any]] = [
        {
            "text": words,
            "terms": tokenize(words),
            "position": None,
            "session_id": "s",
            "part": "p",
            "follows": None,
            "id": words,
            "source": source,
            "kind": kind,
        }
        for words in texts
    ]
    frequency = Counter(word for row in rows for word in set(row["terms"]))
    question = parse_question(text, date(2026, 5, 1))
    ranked = [RankedCandidate(place, 1.0, 1.0, 0.5, 0.5) for place in range(len(rows))]
    return estimate_unanswerability(
        question, rows, ranked, CorpusStatistics(documents, 10.0, frequency), Vocabulary(frequency), cosine, near
    )


@each_case(
    "text",
    [
        "What TTL does the session cache have?",
        "Which version of pdfkit renders invoices?",
        "Why is the session cached in Redis?",
        "What colour is the footer drawn in?",
        "Did the layout test pass?",
    ],
)
def test_what_was_said_is_not_doubted(text: str) -> None:
    """A row has values of the expected type next to the subject."""
    assert doubt(text).probability < ABSTAIN_FROM


@each_case(
    ("text", "feature"),
    [
        ("Which Kubernetes namespace runs the session cache?", "unknown_domain_term"),
        ("Which TTL has the session cache in Memcached?", "unknown_name"),
        ("Which pull request brought the session cache?", "unknown_domain_term"),
        ("Which keyboard shortcut shows the footer?", "missing_value"),
        ("Which colour has pdfkit 2.7.1?", "unknown_identifier"),
    ],
)
def test_what_nobody_named_is_doubted(text: str, feature: str) -> None:
    """Memory lacks the noun, the name, the version, or a value of the expected type."""
    doubts = doubt(text)
    assert doubts.features[feature] == 1.0
    assert doubts.probability >= ABSTAIN_FROM


@each_case(
    ("text", "feature", "value"),
    [
        ("How many retries does renderInvoice() have?", "missing_value", 1.0),
        ("How many minutes does the session cache live?", "missing_value", 0.0),
        ("How many colours has the footer?", "missing_value", 1.0),
        ("Which colour has the session cache?", "distant_value", 1.0),
        ("What made us raise the TTL to 48 minutes?", "unknown_identifier", 1.0),
        ("Why was the TTL set to 15 minutes?", "unknown_identifier", 0.0),
        ("What was the guarantee about the footer?", "unknown_share", 0.0),
        ("Which hue is the footer drawn in?", "unknown_focus", 0.0),
        ("Which fruit is the footer drawn in?", "unknown_focus", 1.0),
        ("What was said about the footer on May 23, 2023?", "unknown_identifier", 0.0),
    ],
)
def test_a_value_is_told_near_the_matter_or_not_at_all(text: str, feature: str, value: float) -> None:
    """Counts by the thing that is counted, quantities by number and thing; what is told beside the matter needs no name, a shell
    noun was never said by anybody, and a day is not an identifier."""
    assert doubt(text).features[feature] == value


def test_a_part_of_a_dotted_name_was_said() -> None:
    """A name of which only the whole is indexed is no unknown one; the end of another version is."""
    said = (*SAID, "Set terminal.integrated.minimumContrastRatio to 1, in cli 1.2.0.")
    assert doubt("What is minimumContrastRatio set to?", said).unknown_words == ()
    assert doubt("What is maximumContrastRatio set to?", said).unknown_words == ("maximumContrastRatio",)
    assert "2.0" in doubt("When was 2.0 of the cli out?", said).unknown_words
    assert is_written_in("minimumcontrastratio", said)
    assert not any(
        is_written_in("mario", [text]) for text in ("in /home/mario/x.go", "by mario.", "done. Mario agreed", "~/.mario")
    )


def test_a_unit_is_written_by_its_sign() -> None:
    said = (*SAID, "Only stocks under $5 are shown, which is 12 % of all.")
    assert not any(doubt("Why are only stocks under five dollars shown?", said).features[name] for name in SIGNS)
    assert not any(doubt("Why are 12 percent of the stocks shown?", said).features[name] for name in SIGNS)
    assert doubt("Why are only stocks under six dollars shown?", said).features["unknown_identifier"]


def test_a_sign_that_stands_beside_no_number_is_no_unit() -> None:
    """Variables, formats and codes of addresses have the same signs; before a number stands only that of a currency."""
    measured = (
        ("dollars", "for $5"),
        ("dollars", "US$ .50"),
        ("euros", "12 € each"),
        ("percent", "12%."),
        ("degrees", "at 20 °C"),
    )
    assert all(is_written_in(word, [text]) for word, text in measured)
    coded = (
        ("dollars", 'echo "$HOME"'), ("dollars", "sleep 5 $HOME"), ("percent", "print('%s')"), ("percent", "a%20b"),
        ("percent", "v1%20b"), ("degrees", "N°5"), ("degree", "the ° sign"),
    )  # fmt: skip
    assert not any(is_written_in(word, [text]) for word, text in coded)


SIGNS = ("unknown_identifier", "unknown_name", "unknown_share")


def test_a_count_is_told_by_the_thing_that_is_counted() -> None:
    """The number may be in figures or letters, with words between; other numbers prove nothing."""
    pattern = compile_count_pattern("queued jobs")
    assert all(map(pattern.search, ("57 queued or running jobs", "twelve jobs", "jobs: 3")))
    assert not any(map(pattern.search, ("job store on port 5433", "the jobs ran at 03:00 on 2 hosts")))


@given(st.integers(2, 12), st.sampled_from(["hour", "hours", "attempts", "classes", "retries"]))
def test_a_stated_quantity_is_found_as_it_was_said(number: int, thing: str) -> None:
    """Figures and letters are equal; the next number is another quantity."""
    pattern = compile_quantity_patterns(f"Why was it raised to {number} {thing}?")
    assert [bool(item.search(f"It is {SPELLED[number - 2]} {thing} now.")) for item in pattern] == [True]
    assert not any(item.search(f"It is {number + 20} {thing} now.") for item in pattern)


def test_what_was_never_said_is_told_in_the_words_of_the_question() -> None:
    """Not as stems."""
    assert doubt("Which Kubernetes namespaces hold the footer?").unknown_words == ("Kubernetes", "namespaces", "hold")


@each_case(
    ("text", "reason"),
    [
        ("Which TTL has the session cache in memcached_v9?", "nothing was said of “memcached_v9”"),
        ("How many layout tests pass?", "the evidence names no number for it"),
        ("Why was the footer bold?", "nothing was said of “bold”"),
        ("Why is the session cached in Redis?", ""),
    ],
)
def test_the_reason_names_what_was_missed(text: str, reason: str) -> None:
    """First what an answer needs: names and terms, then the type of value, then any other word."""
    assert doubt(text).reason == reason


@each_case("text", ["How big is the deposit?", "What is the price of a seat?", "How large may the deposit get?"])
def test_an_amount_is_any_number_whatever_its_unit(text: str) -> None:
    """A deposit is big in pesos, an engine in litres: no list has all units, so none proves that the amount is missing."""
    assert not doubt(text, ("The deposit of a seat is 500 pesos, its price 1500.", *SAID)).missing_type
    assert doubt(text, ("The deposit of a seat is refunded, its price not.", *SAID)).missing_type


@pytest.mark.parametrize(
    ("features", "lacks"),
    [
        ({"distant_domain_term": 1.0}, True),
        ({"unknown_focus": 1.0}, True),
        ({"missing_value": 1.0}, True),
        ({"unknown_modifier": 1.0}, False),
        ({"unknown_identifier": 1.0}, False),
        ({}, False),
    ],
)
def test_a_word_beside_what_is_asked_for_is_no_missing_subject(features: dict[str, float], lacks: bool) -> None:
    """ "The lowest Android version": the version may be there though nobody said "lowest"."""
    assert Unanswerability(0.7, features, ()).lacks_subject is lacks
    assert not Unanswerability(0.7, features, (), language=replace(READ, is_shared=False)).lacks_subject


def test_only_an_unsure_answer_lacks_its_subject() -> None:
    assert not Unanswerability(0.1, {"unknown_focus": 1.0}, ()).lacks_subject


def test_a_value_needs_no_word_of_the_verb_that_asks_for_it() -> None:
    """The jobs are in the store, whatever "holds" them; a value away from the subject is still none."""
    said = ("Postgres 16 replaces SQLite as the job store.", "The runner holds a lock for two minutes.", *SAID)
    assert not doubt("Which database holds the jobs?", said).is_unsure
    assert doubt("Which database holds the invoices?", said).is_unsure


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Which port does the exporter listen on?", "listen"),
        ("Which local port does the tunnel of staging open?", "open"),
        ("What port do we use for the dashboard?", "use"),
        ("Which port has the exporter listened on?", "listen"),
        ("Which port did the exporter of the night shift need?", "need"),
    ],
)
def test_the_verb_behind_does_and_its_subject_is_none_of_the_subject(text: str, verb: str) -> None:
    assert classify_question(text).verb == (verb,)


def test_a_value_needs_no_word_of_the_verb_behind_does_either() -> None:
    """Where the verb was said beside the value it still tells that the value is the one."""
    said = ("The exporter is on port 9187 from now on.", "We listen to the batch.", *SAID)
    assert not doubt("Which port does the exporter of the batch listen on?", said).is_unsure
    assert doubt("Which port does the registry listen on?", said).is_unsure
    polled = ("mrlogd wakes up. It polls every 20 seconds.", *SAID)
    assert not doubt("How often does mrlogd poll?", polled).is_unsure


def test_words_alone_refuse_a_question_only_where_nothing_is_near() -> None:
    """Their meaning may stand in the evidence in other words; a name, a term, a value or the noun asked for proves more."""
    for features, refuses in (
        ({"unknown_name": 1.0}, True),
        ({"unknown_domain_term": 1.0}, True),
        ({"missing_value": 1.0}, True),
        ({"distant_value": 1.0}, True),
        ({"unknown_identifier": 1.0}, True),
        ({"unknown_focus": 1.0}, True),
        ({"unknown_modifier": 1.0}, False),
        ({"unknown_share": 1.0}, False),
    ):
        doubts = Unanswerability(0.9, {"best_cosine": 0.5} | features, ())
        assert (doubts.abstains, doubts.is_unsure) == (refuses, refuses), features
        assert Unanswerability(0.9, {"best_cosine": 0.3} | features, ()).abstains
        assert not Unanswerability(DOUBT_FROM - 0.01, features, ()).is_unsure


@each_case(
    "text",
    [
        "What is the current TTL of the session cache?",
        "What was the root reason for the session cache?",
        "Why was the footer bold?",
    ],
)
def test_an_adverb_or_what_narrows_a_noun_denies_nothing(text: str) -> None:
    """Nobody says "current" of what holds."""
    assert not doubt(text, documents=100).is_unsure
    assert not doubt(text).is_unsure


def test_a_small_memory_refuses_no_question_for_the_noun_alone() -> None:
    """On the first days memory has seen few of the owner's words; a name or a value that is missed still refuses, at any size."""
    noun, named = "Which fruit do hedgehogs nibble under the footer?", "Which Kubernetes namespaces hold the footer?"
    assert doubt(noun).abstains
    few = doubt(noun, documents=100)
    assert (few.abstains, few.is_unsure) == (False, True)
    assert few.reason == "nothing was said of “fruit”, “hedgehogs”, “nibble”"
    assert doubt(named).abstains
    assert doubt(named, documents=100).abstains


@each_case(
    ("text", "is_price"),
    [
        ("What does the server cost us per month?", True),
        ("What did we pay for the plotter?", True),
        ("How much was the order worth?", True),
        ("What does the board charge the cell at?", False),
        ("What does the cost report say?", False),
        ("What does that cost in bytes a month?", False),
        ("What do we pay attention to?", False),
        ("How much memory does a session cost?", False),
        ("What is the cost centre?", False),
        ("Why does it cost so much?", False),
    ],
)
def test_a_verb_of_prices_asks_for_one(text: str, *, is_price: bool) -> None:
    """Its noun goes on, or something else is counted: then it asks for none."""
    assert (classify_question(text).answer_type == "price") is is_price


@each_case(("said", "is_price"), [
    ("it was $ 40", True), ("40 €", True), ("12 euros a month", True), ("we charge 4.50", True), ("that is free", True),
    ("its price is 500 kroner", True),
    ("₹1,200", True), ("1.200 SEK", True), ("CHF 12.-", True), ("it was 90 ₴", True), ("12:30 UTC", False), ("GPT4", False),
    ("two of 14 servers", False), ("at 10.20.30.40", False), ("since 12:30", False),
])  # fmt: skip
def test_a_price_is_an_amount_of_money(said: str, *, is_price: bool) -> None:
    pattern = classify_question("What does it cost?").answer_pattern
    assert pattern is not None
    assert bool(pattern.search(said)) is is_price


@each_case(("text", "said"), [
    ("What does the nightly reindex cost us?", "The nightly reindex takes 14 minutes of the machine."),
    ("How much does a retry cost?", "A retry is 200 ms on the slow path."),
    ("What does the index cost?", "The index takes 40 MB per project."),
    ("What does a prompt cost?", "A prompt takes 1800 tokens."),
    ("What does the plotter cost?", "The plotter is 500 kr at the dealer."),
    ("What does the box cost?", "The box is 40k."), ("What does the box cost?", "The box is 30 quid."),
    ("What does the box cost?", "The box costs nothing."),
    ("What does the flaky test cost us?", "The flaky test loses us two hours each week."),
])  # fmt: skip
def test_a_cost_in_another_unit_is_unsure_and_not_refused(text: str, said: str) -> None:
    """No price is told, but an amount of the same thing that may be one."""
    doubts = doubt(text, (said, *SAID))
    assert doubts.is_unsure
    assert not doubts.abstains
    assert doubts.missing_type == "price"


def test_a_cost_is_refused_where_no_amount_of_the_same_thing_is_told() -> None:
    """An amount of something else, a date and a version are none of it, and a thing that was never named stays refused."""
    for said in ("The box is grey.", "The box is grey. A retry is 200 ms.", "The box came on 2026-03-04, cli-1.2.0."):
        assert doubt("What does the box cost?", (said, *SAID)).abstains
    assert doubt("What does the Plaubel cost?", ("The box is 30 quid.", *SAID)).abstains


def test_a_price_needs_no_verb_of_prices_beside_it() -> None:
    assert not doubt("What does the box cost?", ("The box: CHF 12.-", *SAID)).abstains


def test_where_no_word_of_a_question_was_said_memory_of_any_size_has_nothing() -> None:
    """Unless something in it is near: another word may be meant."""
    assert doubt("hedgehogs nibble marigolds", cosine=0.2, documents=100).abstains
    assert doubt("x" * 4000, cosine=0.3, documents=100).abstains
    assert not doubt("hedgehogs nibble marigolds", cosine=0.45, documents=100).abstains
    assert not doubt("hedgehogs nibble the cache", cosine=0.2, documents=100).is_nothing_known


def test_a_reason_quotes_no_pasted_line_whole() -> None:
    assert doubt("x" * 4000, cosine=0.3).reason == f"nothing was said of “{'x' * 60}…”"


def test_a_word_for_the_same_thing_is_enough() -> None:
    """Synonyms, other forms of a word, and a path by its parts."""
    assert doubt("Is the expiration of the session cached?").features["unknown_share"] == 0.0
    assert Vocabulary({}, frozenset({"invalid"})).contains("invalidat")


@given(st.text(max_size=80))
def test_any_question_can_be_weighed(text: str) -> None:
    """Between 0 and 1, whatever a person types, with vectors or without, also in an empty memory."""
    for doubts in (doubt(text), doubt(text, (), None)):
        assert 0.0 < doubts.probability < 1.0
    assert all(isinstance(item, str) for part in collect_lookup_terms(parse_question(text, date(2026, 5, 1))) for item in part)


@each_case(
    ("text", "form", "focus", "value"),
    [
        ("Which border colour belongs to it?", VALUE, ("border", "color"), "colour"),
        ("How many retries are there?", VALUE, ("retri",), "number"),
        ("How many minutes does it take?", VALUE, ("minut",), "duration"),
        ("Which environment variable turns RPC mode on?", VALUE, ("environment", "variabl"), "variable"),
        ("Which designer proposed the palette?", VALUE, ("designer",), None),
        ("Which database migration adds the table?", VALUE, ("databas", "migration"), None),
        ("Which tests covered it?", VALUE, ("test",), None),
        ("What did the agent tone down?", OPEN, (), None),
        ("How long is the file?", VALUE, (), "length"),
        ("At what interval does it poll?", VALUE, ("interval",), "duration"),
        ("What share of the file is covered?", VALUE, ("shar",), "percentage"),
        ("How should it behave when it is given two lines?", OPEN, (), None),
        ("Why is it so?", OPEN, (), None),
        ("What happened to the port?", OPEN, (), None),
        ("Is it on port 80, and which one was it before?", YES_NO, (), None),
        ("Who wrote it?", VALUE, (), None),
    ],
)
def test_the_form_of_a_question(text: str, form: str, focus: tuple[str, ...], value: str | None) -> None:
    """The first question word decides; the words up to the verb name the subject."""
    asked = classify_question(text)
    assert (asked.form, asked.answer_type) == (form, value)
    if focus:
        assert asked.focus == focus


def test_things_have_names_and_words_that_only_show_them() -> None:
    """ "every" shows an interval and asks for none."""
    assert find_domain_terms("which interval?")
    assert not find_domain_terms("every mode of the agent")
    assert not find_domain_terms("which HTTP client?"), "neither a certificate, whose HTTPS has this stem, nor a customer"
    assert all(names and set(names) <= set(shown) for names, shown in DOMAIN_TERMS)


def test_when_it_was_said_does_not_matter() -> None:
    """The same question has the same doubt on any day."""
    assert doubt("What did we do on the 9th?").features["unknown_identifier"] == 0.0


def test_what_only_a_summary_says_is_not_known() -> None:
    """A summary of a compaction is an agent's: it proves no word that nobody said; what others say as well stays known."""
    summary: Any = {"source": "turn", "position": 3, "speaker": None, "terms": ["terraform", "opentofu"]}
    turn: Any = {"source": "turn", "position": 1, "speaker": "user", "terms": ["terraform", "bucket"]}
    known = Vocabulary(
        {"terraform": 2, "opentofu": 1, "bucket": 1}, frozenset({take_prefix("opentofu"), take_prefix("terraform")})
    )
    known_words = leave_out_unsaid(known, [summary, turn])
    assert not known_words.contains("opentofu")
    assert known_words.contains("terraform")
    assert known_words.contains("bucket")
    assert leave_out_unsaid(known, [turn]) is known
    assert leave_out_unsaid(Vocabulary({"opentofu": 2}), [summary]).contains("opentofu"), "another document has it too"


def test_a_near_word_in_the_evidence_stands_for_a_word_that_memory_lacks() -> None:
    """ "Ephemeral store" for the session cache; a name or an identifier is exact, and where memory has no word of the subject the
    hits are about something else."""
    near = {"cach": {"storag": 0.2, "memcach": 0.2, "doctor": 0.2}}
    text = "Which storage holds the session in Redis?"
    assert doubt(text).features["unknown_focus"] == 1.0
    assert doubt(text, near=near).features["unknown_focus"] == 0.0
    assert doubt(text, near={"cach": {"storag": LEAST_NEAR - 0.01}}).features["unknown_focus"] == 1.0
    assert doubt("Is the session cache in Memcache?", near=near).features["unknown_name"] == 1.0
    assert doubt("Which doctor?", near=near).features["unknown_focus"] == 1.0


def test_a_word_that_only_narrows_the_noun_makes_an_answer_unsure_and_does_not_refuse_it() -> None:
    """Whoever asks for "the KV version" may have a name for it that memory lacks; the noun itself is what an answer needs."""
    said = ("We stay on Redis version 7.4 until May.", *SAID)
    doubts = doubt("Which KV version do we stay on until May?", said)
    assert not doubts.abstains
    assert doubts.reason == "nothing was said of “KV”"
    assert doubt("Which Redis edition do we stay on until May?", said).features["unknown_focus"] == 1.0


@given(st.integers(2_100, 9_999_999), st.sampled_from([" ", ",", ".", "'", "\u202f"]))
def test_a_number_is_known_however_its_thousands_stand_apart(number: int, separator: str) -> None:
    """ "1000" was said by "1 000", "1,000" and "1.000"; a longer number does not hold it."""
    said = f"The batch takes {number:,} invoices at once.".replace(",", separator)
    text = f"Why does the batch take {number} invoices?"
    assert not {str(number)} & {*doubt(text, (said, *SAID)).unknown_words}
    assert doubt(text, (said, *SAID)).features["unknown_identifier"] == 0.0
    longer = said.replace(" invoices", f"{separator}000 invoices")
    assert str(number) in doubt(text, (longer, *SAID)).unknown_words


@each_case("text", ["Is 1883 still open?", "Why did unit 402 stay cold?", "When do the first five get it?"])
def test_a_number_that_names_a_thing_states_no_quantity(text: str) -> None:
    """A quantity has its noun in the plural; a verb behind a number is none."""
    assert compile_quantity_patterns(text) == ()


@each_case(
    ("text", "focus"),
    [
        ("What is the fingerprint of the new CA?", ("fingerprint",)),
        ("What was our staging host called?", ("stag", "host")),
        ("What are the names of the hosts?", ("nam",)),
    ],
)
def test_what_is_the_noun_asks_for_a_value(text: str, focus: tuple[str, ...]) -> None:
    """As "which noun" does, and its head stands last."""
    assert (classify_question(text).form, classify_question(text).focus) == (VALUE, focus)


@each_case(
    ("text", "said"),
    [
        ("Which port does the gateway listen on?", "The gateway listens on sixty four hundred."),
        ("Why are there 90 weekly tapes?", "There are ninety weekly tapes, as the auditors ask for them."),
        ("Why are there ninety weekly tapes?", "There are 90 weekly tapes, as the auditors ask for them."),
    ],
)
def test_a_value_in_words_answers_as_one_in_digits_does(text: str, said: str) -> None:
    """The asked type of value, and a quantity of the question, may be said either way."""
    features = doubt(text, (said, *SAID)).features
    assert not features["missing_value"]
    assert not features["unknown_identifier"]
    assert not features["unknown_share"]


@each_case(
    ("text", "is_missed"),
    [
        ("What is the staging database called?", False),
        ("Which database do we use for staging?", False),
        ("Which database do we use for production?", True),
        ("What is the metrics port named?", False),
        ("Which metrics database do we use?", True),
    ],
)
def test_a_kept_line_that_says_all_of_a_question_and_a_name_answers_it(text: str, *, is_missed: bool) -> None:
    """No pattern of databases or ports knows what a project calls its own."""
    kept = ("the staging database is called quartz-db", "the metrics port is named vm-scrape", "Is the metrics database up?")
    assert bool(doubt(text, kept, source="memory").missing_type) is is_missed
    assert doubt(text, kept, source="turn").missing_type


def test_a_question_that_was_kept_answers_none() -> None:
    """It has all words of the question and others, within quotation marks."""
    kept = ('ana asked: "which database do we use for staging now, btw?"', "the session cache lives in Redis")
    assert doubt("Which database do we use for staging?", kept, source="observation", kind="question").missing_type
    assert not doubt("Which database do we use for staging?", kept, source="observation", kind="status").missing_type


def test_a_number_in_words_that_nobody_said_is_unknown() -> None:
    """One in digits may be a day of a month."""
    assert doubt("Why does the session cache count from six?").features["unknown_share"]


@each_case(
    ("said", "is_limit"),
    [
        ("outside of the window 20 MB/s is the limit", True),
        ("3 retries at most", True),
        ("for seven weeks the limit existed on paper alone", False),
    ],
)
def test_a_number_before_the_limit_is_its_value_behind_a_copula_only(said: str, *, is_limit: bool) -> None:
    """Before that it counts something else."""
    pattern = classify_question("What is the limit during the day?").answer_pattern
    assert pattern is not None
    assert bool(pattern.search(write_numbers(said))) == is_limit


HARBOUR = (
    "we move from Postgres 15 to Postgres 17", "the plotter now sits on 10.0.4.40", "the build image has Node 22",
    "the valve is on GPIO 23",
)  # fmt: skip


@each_case(
    ("text", "is_known"),
    [
        ("Which version of postgres do we use?", True),
        ("What postgres version are we on?", True),
        ("Which node version does the build image have?", True),
        ("What is the address of the plotter?", True),
        ("What is the IP of the plotter?", True),
        ("Which pin is the valve on?", True),
        ("Which version of redis do we use?", False),
        ("What is the password of the plotter?", False),
        ("What is the colour of the plotter?", False),
    ],
)
def test_the_name_of_a_kind_of_value_need_not_be_said_beside_the_value(text: str, *, is_known: bool) -> None:
    """Nobody says "version" of Postgres 17 or "IP" of 10.0.4.40; a value of another kind, or of another thing, is none."""
    doubted = doubt(text, HARBOUR)
    assert (doubted.probability < ABSTAIN_FROM and not doubted.is_unsure) is is_known


@each_case(
    ("text", "said", "is_version"),
    [
        ("Which version of redis do we use?", "we use redis 7", True),
        ("Which version of our postgres runs in prod?", "PostgreSQL 17 is in prod", True),
        ("Which version of postgres we use?", "postgres 17", True),
        ("What is the current Node version?", "the image has `node` 22", True),
        ("Which version of redis do we use?", "redis is at 7.2", True),
        ("Which version of redis do we use?", "we use 3 servers for redis", False),
        ("Which version of redis do we use?", "we restarted redis 3 times", False),
        ("Which version of redis do we use?", "we moved off redis, 3 hosts are left", False),
        ("Which version of redis do we use?", "redis 15 min after the deploy", False),
        ("Which version of Redis does the server run?", "the redis server 3 is down", False),
        ("Which Redis version does the server run?", "server 3 is down", False),
        ("Which version does the server run?", "server 3 is down", False),
        ("Which version of the redis server do we use?", "the redis server 3 is down", False),
    ],
)
def test_a_bare_number_is_a_version_right_behind_the_thing_only(text: str, said: str, *, is_version: bool) -> None:
    """No verb of the question, no other noun of it, and no count, time or share tells a version."""
    pattern = classify_question(text).answer_pattern
    assert pattern is not None
    assert bool(pattern.search(said)) is is_version


@each_case(("said", "is_pin"), [
    ("siren pin is GPIO17", True), ("the siren is on GPIO 17", True), ("siren on pin D4", True), ("siren: IO5", True),
    ("the PIN is AB4711", True), ("the pin of the siren", False), ("a studio of 17 people", False), ("version 17", False),
])  # fmt: skip
def test_a_pin_has_a_number_with_or_without_letters(said: str, *, is_pin: bool) -> None:
    pattern = classify_question("Which pin is the siren on?").answer_pattern
    assert pattern is not None
    assert bool(pattern.search(said)) is is_pin


@each_case(
    ("said", "is_known"),
    [
        ('User decided: "implement option A" (about: "three treatments of the orchestrator output")', True),
        ('Mara decided: "the former" (about: "three treatments of the orchestrator output")', True),
        ('User asked: "yeah let\'s do 1" (asked: the orchestrator output; chosen: quiet and compact; not: CLI-native)', True),
        ("Implemented option B for the orchestrator output", True),
        ("the orchestrator output is ugly, give me an option a user would like", False),
    ],
)
def test_an_option_is_named_by_its_letter_or_by_a_row_that_tells_the_choice(said: str, *, is_known: bool) -> None:
    doubted = doubt("which option did I pick for the orchestrator output?", (said,))
    assert not doubted.missing_type if is_known else doubted.missing_type == "option"


def test_a_letter_is_no_option_of_a_command() -> None:
    assert doubt("which command-line option turns on the cache?", ("we took option B for the cache",)).missing_type == "flag"
