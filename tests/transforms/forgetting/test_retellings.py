"""What tells a forgotten fact again: a stretch with most of its words, or what it quotes, never a plain answer alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.forgetting.retellings import (
    COMMON_WORDS,
    compile_forgotten,
    find_retellings,
    is_distinctive,
    is_written_as_name,
    list_quotations,
    list_removed_quotations,
)
from transforms.forgetting.scrub_text import has_words, scrub_text


def says_again(text: str, fact: str) -> bool:
    """Whether one text repeats enough of the words of one fact, or what it quotes."""
    return find_retellings([text], [fact])[0]


PRIVATE = (
    "Falkenstein",
    "lupus",
    "swordfish!",
    "Müller",
    "481",
    "2026",
    "8080",
    "sk_live",
    "2.5.10",
    "acme-shop",
    "feature/login",
)
PLAIN = (
    "both",
    "9",
    "tomorrow",
    "Sure!",
    "bitte",
    "2",
    "done",
    "yes",
    "ok",
    "go ahead",
    "yes, please do it",
    "continue",
    "run the tests",
    "commit and push",
    "Option 2",
    "no",
)
PERMITS = (
    "Filesystem sandboxing defines which files can be read or written. Network access is restricted. Commands are run outside"
    " of the sandbox if they are approved by the user. Interactive escalation: the user is asked before each one. "
    + "Nothing else is written. " * 40
    + "What is enabled by default stands in the manual."
)
WORDS = st.lists(
    st.sampled_from(["falcon", "salary", "München", "harbour", "tram", "你好", "ledger", "Übung"]), min_size=2, max_size=6
)
OTHERS = st.text(st.sampled_from("abc xyz.,\n(—"), max_size=40)


@each_case("answer", PLAIN)
def test_a_plain_answer_is_no_sign_of_a_fact(answer: str) -> None:
    """Each session has dozens of them, and tool outputs begin with them, too."""
    fact = f'User decided: "{answer}" (asked: - Keep interactive tests enabled by default.)'
    assert not is_distinctive(answer)
    assert list_quotations(fact) == []
    assert find_retellings([answer, f"{answer}.", f"{answer} I changed the parser and its docs.", PERMITS], [fact]) == [False] * 4
    assert says_again("Decided: interactive tests stay enabled by default, as asked.", fact)


@each_case(
    ("fact", "text"),
    [
        ('User said: "hunter22"', "it is hunter22 now"),
        ('User said: "4491"', "typed 4491 there"),
        ('User said: "Sarah Miller"', "Write to Sarah  MILLER."),
        ('User set a rule: "Always use tabs in the exports, never commas."', "Understood: the exports use tabs."),
        ("Uses pnpm", "We use pnpm here"),
        ('User said: "我的工资是八万"', "好的，我的工资是八万。"),
    ],
)
def test_private_words_are_known_again(fact: str, text: str) -> None:
    assert says_again(text, fact)
    assert says_again("Before. " * 300 + text + " After." * 300, fact)


@each_case(
    ("fact", "text"),
    [
        ('User set a rule: "Always use tabs in the exports, never commas."', "Now write the exports."),
        ("Uses pnpm", "pnpm it is"),
        ('User said: "./scripts/setup.sh"', "I read setup.py."),
        ('User asked: "I want to test setup.sh haha"', "You want more in setup.sh? It links files."),
        ("", "anything"),
        ('User said: "4491"', "build 44917 passed"),
    ],
)
def test_a_few_words_that_others_share_repeat_nothing(fact: str, text: str) -> None:
    assert not says_again(text, fact)


@given(WORDS, OTHERS, OTHERS)
def test_what_repeats_a_distinctive_quotation_word_by_word_is_found_wherever_it_stands(
    words: list[str], before: str, after: str
) -> None:
    quotation = " ".join(words)
    found = says_again(f"{before} {quotation.upper()} {after}", f'User said: "{quotation}"')
    assert found or not is_distinctive(quotation)


@given(st.lists(st.sampled_from(sorted(COMMON_WORDS)), min_size=1, max_size=8), OTHERS)
def test_common_words_in_any_number_are_no_sign(words: list[str], after: str) -> None:
    assert not is_distinctive(" ".join(words))
    assert not says_again(f"{words[0]} {after}", f'User decided: "{words[0]}" (asked: whether the harbour kiosk closes at six)')


@given(st.lists(st.sampled_from(["falcon", "salary", "harbour", "tram", "ledger", "kiosk"]), min_size=3, max_size=9))
def test_a_long_text_that_has_the_words_far_from_each_other_repeats_nothing(words: list[str]) -> None:
    fact = "The falcon harbour kiosk wants a ledger of every tram salary"
    assert not says_again(" ".join(f"{word} {'other words here ' * 30}" for word in words), fact)
    assert says_again(f"{'other words here ' * 30} {fact}", fact)


@each_case("words", PRIVATE)
def test_a_single_private_word_is_followed_as_a_word_alone(words: str) -> None:
    fact = f'User decided: "{words}" (asked: Which client should the importer write for?)'
    bare = words.strip("!")
    assert list_quotations(fact) == [bare]
    found = find_retellings([f"All rows go to {bare}.", f"={bare.upper()}", f"x{bare}x", f"7{bare}1", "Rows of others."], [fact])
    assert found == [True, True, False, False, False]


def test_a_common_word_of_english_is_no_sign_unless_the_session_writes_it_as_a_name() -> None:
    assert is_distinctive("phoenix")
    assert not is_distinctive("later", lambda word: word == "later")
    assert is_written_as_name("phoenix", ["phoenix", "All rows go to Phoenix now."])
    assert not is_written_as_name("later", ["Later, we go", "later", "We go Later"][:2])
    assert not is_written_as_name("later", ["We go, Later it is", "do it later on"])


@given(st.sampled_from(PRIVATE), OTHERS, OTHERS)
def test_a_turn_is_found_exactly_where_the_word_stands_as_a_word(words: str, before: str, after: str) -> None:
    fact, bare = f'User decided: "{words}" (asked: whether the harbour kiosk closes at six)', words.strip("!")
    assert says_again(f"{before} {bare} {after}", fact)
    assert not says_again(f"{before}a{bare}b{after}", fact)
    assert not says_again(f"{before} {after}", fact)


def test_a_purge_takes_quotations_as_words_and_no_numbers_versions_or_single_words() -> None:
    """`[forgotten]` stood inside a number of another file; words that a person names by themselves may be a part of others."""
    for words in ("8080", "2026", "2.5.10", "0170 808099", "Falkenstein", "src/app2", "v2.1.0"):
        assert list_removed_quotations(f'User decided: "{words}"') == []
    fact = 'User said: "hunter22" and "Sarah Miller"'
    pattern = compile_forgotten({fact, *list_removed_quotations(fact)}, is_match=False)
    assert pattern is not None
    assert scrub_text("hunter22, xhunter22, hunter221; Sarah  MILLER, Sarah Millers; Ähunter22", pattern) == (
        "[forgotten], xhunter22, hunter221; [forgotten], Sarah Millers; Ähunter22"
    )
    named = compile_forgotten({"hunter22"}, is_match=True)
    assert named is not None
    assert has_words("xhunter221", named)
    assert compile_forgotten((), is_match=False) is None


def test_one_sentence_of_a_message_that_one_row_quotes_is_known_again() -> None:
    """A row quotes a short message whole; what the agent repeats is mostly one sentence of it."""
    fact = (
        'User set a rule: "The vault password is in an envelope in the safe. You never ask for it, and if a play needs it you '
        'stop and tell me. Keep 21 days of cash-ups for the auditors."'
    )
    texts = ["Noted: the vault password lies in an envelope, in the safe.", "The tests of the printer pass again."]
    assert find_retellings(texts, [fact]) == [True, False]
