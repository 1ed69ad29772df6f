"""Index words: identifiers in whole and in parts, light stems, other scripts."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.language.tokenizer import STOP_WORDS, stem, tokenize, tokenize_as_written, tokenize_question


@each_case(
    ("text", "expected"),
    [
        ("getQueuedMessages()", ["queu", "messag", "getqueuedmessages"]),
        ("src/authStore.ts", ["src", "auth", "stor", "ts", "authstore.ts", "src/authstore.ts"]),
        ("ERR_NO_CACHE", ["err", "cach", "err_no_cache"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("v1.2.3", ["v", "1", "2", "3", "v1.2.3"]),
        ("#5f8787", ["5", "f", "8787", "5f8787"]),
        ("The cached caches are caching.", ["cach", "cach", "cach"]),
        ("naïve café 日本語", ["日本", "本語", "naiv", "caf"]),
        ("API를 쓴다", ["를", "쓴다", "api"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("ภาษา", ["ภา", "าษ", "ษา"]),
        ("cafe\u0301", ["caf"]),
        ("don't", []),
        ("", []),
    ],
)
def test_words_of_texts(text: str, expected: list[str]) -> None:
    """The tokens are the words by which a text is found."""
    assert tokenize(text) == expected


@each_case(
    ("first", "other"),
    [
        ("colours", "color"),
        ("behaviour", "behavior"),
        ("initialised", "initializing"),
        ("files", "file"),
        ("tries", "trying"),
        ("running", "run"),
        ("decided", "deciding"),
        ("processes", "process"),
    ],
)
def test_forms_of_a_word_share_a_stem(first: str, other: str) -> None:
    """Number, tense and spelling."""
    assert stem(first) == stem(other)


@each_case(("first", "other"), [("status", "state"), ("need", "new"), ("thing", "th"), ("pass", "pas")])
def test_different_words_keep_different_stems(first: str, other: str) -> None:
    """Stemming is light."""
    assert stem(first) != stem(other)


def test_a_question_of_function_words_alone_still_asks_something() -> None:
    """Its own words, once each."""
    assert tokenize_question("What is it about?") == ["what", "is", "it", "about"]
    assert tokenize_question("cache the cache") == ["cach"]


def test_a_stop_word_is_no_word_of_the_index() -> None:
    """Also at the beginning of a sentence."""
    assert not any(tokenize(word) + tokenize(word.capitalize()) for word in STOP_WORDS)


@each_case(("typed", "written"), [("deposito", "depósito"), ("depositos", "Depo\u0301sitos"), ("nino", "niño")])
def test_accents_make_no_difference(typed: str, written: str) -> None:
    """Many leave them out; composed and decomposed letters are one."""
    assert tokenize_question(typed) == tokenize(written)


@given(st.text(max_size=200))
@example("hE")
def test_words_are_lower_case_and_without_space(text: str) -> None:
    """Joined by spaces they can be split again, whatever the text."""
    words = tokenize(text)
    assert " ".join(words).split() == words


@each_case(
    ("typed", "written"),
    [
        ("CSV", "ＣＳＶ"),
        ("MySQL8", "ＭｙＳＱＬ８"),
        ("キャッシュ", "ｷｬｯｼｭ"),
        ("الايموجي", "الإيموجي"),
        ("8085", "８０８５"),
        ("4310", "٤٣١٠"),
        ("محمد", "مُحَمَّد"),
        ("src/app.py", "ｓｒｃ／ａｐｐ．ｐｙ"),
    ],
)
def test_width_forms_of_letters_and_digits_make_no_difference(typed: str, written: str) -> None:
    """Japanese input writes Latin letters wide, Egyptians leave hamza out, and a question has other digits than its answer."""
    assert tokenize_question(typed) == tokenize_question(written) == tokenize(written)[: len(tokenize_question(typed))]


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_a_stem_is_never_empty(word: str) -> None:
    """A stem is never longer than its word, except for the z of -ize."""
    assert 0 < len(stem(word)) <= len(word)


def test_a_korean_question_shares_words_with_its_answer_whatever_the_particles() -> None:
    """The particles of a word differ between question and answer."""
    question = tokenize_question("배포는 어떤 언어로 만들기로 했나?")
    assert {"배포", "언어"} <= set(question) & set(tokenize("배포를 위한 언어는 Go로 정했다"))


@each_case(
    ("said", "asked"),
    [
        ("the port is sixty four hundred", "port 6400"),
        ("the port is 6400", "port sixty four hundred"),
        ("we keep them ninety days", "90 days"),
        ("wir behalten die Logs siebzehn Tage", "17 Tage"),
        ("release two point one", "release 2.1"),
    ],
)
def test_a_number_is_found_in_words_and_in_digits_alike(said: str, asked: str) -> None:
    """Whichever way it was said, and asked for."""
    assert set(tokenize(asked)) <= set(tokenize(said))
    assert not set(tokenize_as_written(asked)) <= set(tokenize_as_written(said))
