"""What a text denies, and the causes that it refutes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.exchanges.denials import (
    MOST_SENTENCES,
    Denial,
    find_denials,
    find_denied_words,
    is_counterfactual,
    is_refuted,
    is_taken_back,
    join_denied_words,
    leaves_as_is,
    name_object,
    points_at_thing,
)
from transforms.language.sentences import split_sentences

GUESS = "The cause is a modem outage: the modem of the mast reconnected at 04:02."


@each_case(
    "later",
    [
        "The raw files have the rows, so it was not the modem.",
        "Not the modem. It is the clock.",
        "it wasn't the modem, i looked",
        "So the modem of the mast was not it.",
    ],
)
def test_a_cause_that_is_denied_later_is_refuted(later: str) -> None:
    """By the noun behind the negated copula, or before the one behind which "it" stands for the cause."""
    assert is_refuted(GUESS, find_denied_words(later))


@each_case(
    "later",
    [
        "The modem is not new.",
        "yes, it was the modem",
        "it was not the cable",
        "the modem is the oldest part, isn't it?",
        "the modem is here, not it",
        "Do not touch the modem.",
        "the test is wrong, not the modem",
    ],
)
def test_other_words_about_it_refute_nothing(later: str) -> None:
    """A property that it lacks, an agreement, another noun, an order."""
    assert not is_refuted(GUESS, find_denied_words(later))


@each_case(
    ("typed", "denied"),
    [
        ("It was not his fault, the modem was broken.", set()),
        ("So it was not her change, the loader crashed.", set()),
        ("It was not those tests, the modem was broken.", set()),
        ("That's not his job: the loader should retry", set()),
        ("It is not your fault, the modem was broken", {"fault"}),
        ("It was not these, modem is the cause", set()),
        ("It was not that, modem is the cause", set()),
        ("It was not my script but modem firmware", {"script"}),
        ("It was not the loader—modem firmware was", {"loader"}),
        ("It was not our script - modem firmware was", {"script"}),
        ("It was not our script (modem firmware was)", {"script"}),
        ("It wasn't the modem of the mast", {"modem"}),
        ("It was not the loader and the cache", {"loader"}),
    ],
)
def test_what_is_denied_ends_at_the_next_mark_or_word_of_contrast(typed: str, denied: set[str]) -> None:
    """The cause stands behind it: "it was not your fault, the modem was broken"; whose fault it was names no cause."""
    assert find_denied_words(typed) == denied


def test_the_denial_itself_and_a_plain_statement_are_not_refuted() -> None:
    """It says what is so; only a stated cause is a guess."""
    assert not is_refuted("It was not the modem because the rows are there.", find_denied_words("it was not the modem"))
    assert not is_refuted("The modem reconnected at 04:02.", find_denied_words("it was not the modem"))


@given(st.lists(st.text(max_size=60), max_size=4))
def test_texts_deny_together_what_each_of_them_denies(texts: list[str]) -> None:
    """And never more."""
    assert join_denied_words(texts) == frozenset().union(*map(find_denied_words, texts))


@each_case(
    ("typed", "leaves"),
    [
        ("oh then leave it on", True),
        ("I had no idea. Then do leave it running, please.", True),
        ("then keep the old one", True),
        ("then write the test and leave the rest of the module for the next one, i have to go through it", False),
        ("leave the office open", False),
        ("keep redis then", True),
        ("so keep going then", False),
        ("then let me know when it is done", False),
        ("then stay on the branch and fix the vents", False),
        ("ok thursday the import then", False),
    ],
)
def test_only_short_words_of_consequence_leave_things_as_they_are(typed: str, leaves: bool) -> None:
    assert leaves_as_is(typed) is leaves


def test_a_thing_is_named_without_the_verb_that_was_taken_back() -> None:
    assert name_object("please turn off the frost alarm in the greenhouse") == "the frost alarm in the greenhouse"
    assert name_object("stop") == ""
    assert name_object("Send her the weekly report as CSV") == "the weekly report as CSV"
    assert name_object("Put those in the cache folder") == "the cache folder"
    assert points_at_thing("then leave it on", "The vents are shut now.")
    assert not points_at_thing("then leave it half up", "It rounds half up.")


def deny(typed: str, answer: str) -> tuple[Denial, ...]:
    """Return what a message of questions and statements, or the answer to it, denies."""
    asked = " ".join(sentence for sentence in split_sentences(typed) if sentence.endswith("?"))
    return (*find_denials(typed), *find_denials(answer, asked=asked))


@each_case(
    ("claim", "typed", "answer"),
    [
        ("The copy is complete and verified.", "returned nought isn't verified. count them", ""),
        ("All parity tests pass.", "three of them skipped. Skipped is not passed.", ""),
        ("The scan is committed.", "u didnt commit anything", ""),
        ("It found two crashes and fixed both.", "did it? check", "Not fixed: both inputs still panic."),
        ("CI is green again.", "is it? show me", "Not green, two jobs are pending."),
        ("Written into README, and I committed it.", "you did what?", "I looked: nothing has been committed."),
        ("The login works with cookies.", "the login doesn't work", ""),
        ("The login works with cookies.", "I tried the login on my phone. It still doesn't work", ""),
        ("`src/login.py` is tested.", "is the login tested?", "Not tested yet: there is no browser here."),
    ],
)
def test_what_the_next_words_say_is_not_so_is_taken_back(claim: str, typed: str, answer: str) -> None:
    """By a bare denial of the predicate, whose subject is the claim's, a pronoun, or what the message asked about."""
    denied = deny(typed, answer)
    assert is_taken_back(claim, denied)
    assert not is_taken_back("The port is 8190.", denied)


@each_case(
    ("claim", "typed", "answer"),
    [
        ("Two seeds silently became 11.", "then no silent fallbacks in these files", "The fallback is gone."),
        ("All four packages pass.", "skip race today, don't pass -race", "OK, plain tests."),
        ("The cross container is not needed any more.", "do it", "It builds in 21 s, no cross compiler."),
        ("The card is written.", "a tape is never written on by night", "Done."),
        ("The limit is 42.", "I would not want 42 of those", "No, 42 stays."),
        ("The two are committed.", "good", "Tagged locally. Not committed: the notes."),
        ("The cache lives in Redis now.", "isn't Redis too slow for that?", "No, Redis answers within 1 ms."),
        ("The footer reads the version.", "nice. why isn't the footer sticky on mobile?", "Safari ignores it."),
        ("The error comes from `load_rows`.", "fix it", "No errors any more."),
        ("`tests/test_retry.py` has 12 new tests.", "rename max to limit", "No new tests were needed."),
        ("The export works with semicolons.", "ok. The login doesn't work on Safari, look at it", "The cookie was lax."),
        ("The export works with semicolons.", "the login doesn't work", "The login is odd."),
        ("The export works with semicolons.", "The login page is odd. It doesn't work.", "It works now."),
        ("The export works with semicolons.", "it doesn't work on safari", "It works now."),
        ("`load_rows` crashes on empty files.", "nice, it doesn't crash any more", "Good."),
        ("The cause is the pool: it crashes on exit.", "it doesn't crash here", "Good."),
        ("All 14 endpoints are done.", "The deploy isn't done yet, do it", "The deploy is done."),
        ("`src/export.py` is tested.", "now src/login.py", "`src/login.py` isn't tested."),
        ("The importer is tested.", "rename max to limit", "It isn't tested."),
        ("The importer is committed.", "and the outbox?", "Not committed: the hook refused."),
        ("The importer is verified.", "I haven't verified it yet, now add the users", "Added."),
        ("The importer is verified.", "if it isn't verified, count the rows", "Counted."),
        ("The importer is verified.", "why isn't it verified", "It is."),
    ],
)
def test_orders_and_denials_of_other_things_take_nothing_back(claim: str, typed: str, answer: str) -> None:
    """Nor do claims that deny, later sentences of an answer, questions, what is over, and denials with more behind them."""
    assert not is_taken_back(claim, deny(typed, answer))


def test_only_the_first_sentences_of_a_long_message_are_read_for_denials() -> None:
    """Each denial by a pronoun keeps all words before it: of a long paste they would grow with its square."""
    denials = find_denials(" ".join(f"The thing{place} is odd. It isn't fixed." for place in range(MOST_SENTENCES)))
    assert len(denials) == MOST_SENTENCES / 2
    assert is_taken_back("The thing3 is fixed.", denials)


@each_case(
    ("typed", "refutes"),
    [
        ("if that was it 50 in 50 would fail, think", True),
        ("Hm. If it were the encoding they wouldn't look alike.", True),
        ("if that is it, commit", False),
        ("would it help if that was faster", False),
    ],
)
def test_what_would_follow_and_does_not_refutes_the_words_before(typed: str, *, refutes: bool) -> None:
    assert is_counterfactual(typed) == refutes
