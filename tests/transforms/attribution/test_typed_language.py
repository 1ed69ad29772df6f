"""The language of what an owner types, by its function words."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.attribution.typed_language import (
    ENOUGH_WORDS,
    SAMPLE_WORDS,
    TypedLanguage,
    describe_language,
    describe_model_language,
    list_prose_words,
    measure_language,
    measure_quotations,
)

ENGLISH = "please look at the importer, it is slow when there are many rows in the file"
GERMAN = "schau dir bitte mal den importer an, der wird bei vielen zeilen in der datei langsam"
JAPANESE = "src/importer.pyを見てください。行が多いと遅くなります"
SPANISH = "mira el importador por favor, se vuelve lento cuando hay muchas filas en el archivo"


@each_case(("message", "is_english"), [(ENGLISH, True), (GERMAN, False), (JAPANESE, False), (SPANISH, False)])
def test_a_message_is_english_when_it_has_english_function_words(message: str, is_english: bool) -> None:
    """All of its words count for the language of the message."""
    typed = measure_language([message])
    assert typed.words > 10
    assert typed.english == (typed.words if is_english else 0)


def test_code_and_short_messages_are_of_no_language() -> None:
    """An English owner who pastes commands or answers in one word does not become a foreigner."""
    typed = measure_language(["ja", "`git commit --amend`", "src/app.py tests/test_app.py lib/x.py docs/y.md a.b c.d"])
    assert (typed.messages, typed.words, typed.other_share) == (3, 0, 0.0)


def test_it_is_said_only_when_most_of_enough_words_are_not_english() -> None:
    """Half English, or a few words, are no reason."""
    assert "100 % of the words that you typed lately are in another language" in describe_language(measure_language([GERMAN] * 5))
    assert "not recognised" in describe_language(measure_language([GERMAN] * 5))
    assert "told by the multilingual model" in describe_language(measure_language([GERMAN] * 5), is_judged=True)
    assert describe_language(measure_language([GERMAN])) == ""
    assert describe_language(measure_language([ENGLISH, *[GERMAN] * 8])) != ""
    assert describe_language(measure_language([*[ENGLISH] * 8, GERMAN])) == ""
    assert not TypedLanguage(9, ENOUGH_WORDS, ENOUGH_WORDS // 2).is_other


def test_what_no_model_here_knows_is_said_to_need_a_language_model() -> None:
    """An owner of Danish read that the multilingual model tells what is a rule, and to set it."""
    typed = measure_language([GERMAN] * 5)
    assert "not of the 16 languages" in describe_language(typed, is_judged=True, is_foreign=True)
    assert "a language model is needed" in describe_language(typed, is_judged=True, is_foreign=True)
    assert "does not know them either" in describe_model_language(typed, is_foreign=True)
    assert "computes all vectors anew" not in describe_model_language(typed, is_foreign=True)
    assert describe_language(measure_language([ENGLISH] * 8), is_foreign=True) == ""
    assert describe_model_language(measure_language([ENGLISH] * 8), is_foreign=True) == ""


def test_the_first_words_that_are_not_english_are_kept_for_who_knows_them() -> None:
    assert measure_language([ENGLISH, "ja", GERMAN]).sample == tuple(list_prose_words(GERMAN))
    assert len(measure_language([GERMAN] * 100).sample) == SAMPLE_WORDS


@each_case(("message", "is_unread"), [(ENGLISH, False), (GERMAN, True), (JAPANESE, True), (SPANISH, True)])
def test_one_conversation_or_project_shows_its_language_in_a_few_sentences(message: str, is_unread: bool) -> None:
    """Facts quote a person between marks; what stands around the quotation is the engine's English."""
    assert measure_language([message, message]).is_unread == is_unread
    quoting = [f'User said: "{message}" Outcome: it is done and it works as you want it to.', f'User asked: "{message}"']
    assert measure_quotations(quoting).is_unread == is_unread
    assert not measure_language(["schau mal"]).is_unread


def test_words_beside_signs_in_a_row_are_found_in_the_time_that_the_text_is_long() -> None:
    """Ten thousand dots took a second: from each of them a word of code was looked for again."""
    for sign in '.:!?,|("':
        assert grows_with_text(lambda text: list_prose_words(f"we use tabs {text} in a.py"), sign, 400), sign
    assert list_prose_words("so ..... `x y`/z it `a.py`.b goes") == ["so", "it", "goes"]
