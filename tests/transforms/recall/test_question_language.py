"""Questions in a language that the rules do not read: which words name a thing, and what their absence proves."""

from __future__ import annotations

import pytest

from tests.transforms.recall.test_answerability import doubt
from transforms.recall.question_language import READ, find_question_language, find_unknown_nouns, split_compound, split_question

GERMAN = (
    "Der Import der Kunden war so langsam, weil jede Zeile einzeln in die Datenbank geschrieben wurde.",
    "Für die Oberfläche siezen wir die Kunden, und die Rechnung geht am Montag mit der Post raus.",
    "Der Mailserver zum Testen läuft auf Port 8025, der echte Server darf aus den Tests nie angesprochen werden.",
)
SPANISH = (
    "el descuento siempre va antes del envío y el importe se guarda en céntimos, nunca con decimales",
    "la copia de seguridad se guarda sesenta días en otro centro, y la revisa Davi cada lunes por la mañana",
)
JAPANESE = (
    "貸出期間は二十一日に変更になったので、画面も直してください。",
    "本番のデプロイは佐藤さんの承認が要るから覚えておいて。",
)
ENGLISH = ("The session cache lives in Redis, and the owner wants it to be warm before the first request is sent.",)


def test_what_is_english_on_both_sides_is_read_as_before() -> None:
    """A question of English words over English hits, also one without any sentence."""
    assert find_question_language("Where does the session cache live?", ENGLISH) == READ
    assert find_question_language("cache port", ENGLISH) == READ


@pytest.mark.parametrize(
    ("question", "evidence", "is_question_read", "is_shared", "has_names", "marks_nouns"),
    [
        ("Warum war der Kundenimport so langsam?", GERMAN, False, True, False, True),
        ("warum war der kundenimport so langsam", GERMAN, False, True, False, False),
        ("¿Cuánto tiempo guardamos la copia?", SPANISH, False, True, True, False),
        ("貸出期間は何日？", JAPANESE, False, True, True, True),
        ("Why was the customer import slow?", GERMAN, True, False, True, False),
        ("Whose approval does a deployment need?", JAPANESE, True, False, False, False),
        ("Wo liegt der Cache der Sitzungen eigentlich?", ENGLISH, False, False, False, False),
    ],
)
def test_the_language_of_a_question_is_seen_beside_that_of_its_hits(
    question: str, evidence: tuple[str, ...], is_question_read: bool, is_shared: bool, has_names: bool, marks_nouns: bool
) -> None:
    """Capitals are names where nouns have none, and where both sides write names alike."""
    language = find_question_language(question, evidence)
    assert not language.is_read
    found = (language.is_question_read, language.is_shared, language.has_names, language.marks_nouns)
    assert found == (is_question_read, is_shared, has_names, marks_nouns)


@pytest.mark.parametrize(
    ("question", "evidence", "unknown"),
    [
        ("Wer hat eigentlich nochmal Urlaub bei den Kunden?", GERMAN, ["urlaub"]),
        ("佐藤さんの誕生日はいつ？", JAPANESE, ["誕生", "生日"]),
        ("¿Y qué proveedor guarda la copia?", SPANISH, ["proveedor"]),
    ],
)
def test_only_words_that_name_things_are_missed(question: str, evidence: tuple[str, ...], unknown: list[str]) -> None:
    """No question words, particles or verbs of the language; a word is missed when half of its parts are."""
    said = {"kunden", "佐藤", "copia", "guarda"}
    assert find_unknown_nouns(question, find_question_language(question, evidence), said.__contains__) == unknown


def test_a_german_question_is_not_refused_for_words_that_memory_has_in_parts() -> None:
    """ "Kundenimport" is Kunden and Import; "nochmal" proves nothing."""
    doubts = doubt("Warum war der Kundenimport nochmal so langsam?", GERMAN, documents=1_000)
    assert not doubts.abstains
    assert not doubts.is_unsure


def test_a_missing_noun_makes_a_german_answer_unsure_and_refuses_nothing() -> None:
    """A noun has a capital as a name has, so that nobody can tell a paraphrase from a thing that was never said."""
    doubts = doubt("In welcher Kodierung kommt die Rechnung?", GERMAN)
    assert doubts.is_unsure
    assert not doubts.abstains
    assert doubts.reason == "nothing was said of “Kodierung”"


def test_a_missing_name_refuses_where_capitals_are_names() -> None:
    """Spanish writes nouns small."""
    assert doubt("¿En qué puerto corre Redis para la copia?", SPANISH).features["unknown_name"] == 1.0


def test_a_question_in_another_language_than_memory_says_so() -> None:
    """Its words are missing in any case; the hits may answer it all the same."""
    doubts = doubt("Why was the customer synchronisation so slow?", GERMAN)
    assert not doubts.abstains
    assert doubts.is_unsure
    assert doubts.reason.startswith("question and memory are in different languages")


def test_words_of_japanese_are_quoted_one_by_one() -> None:
    """A sentence without spaces is no word; neither is the question word."""
    assert split_question("佐藤さんの誕生日はいつ？") == ["佐藤", "誕生日"]
    assert split_question("ポートは何番？") == ["ポート"]
    assert doubt("佐藤さんの誕生日はいつ？", JAPANESE).reason == "nothing was said of “誕生日”"


def test_a_long_word_is_split_at_every_place() -> None:
    """With the letter that joins the parts, and without it."""
    assert ("kunden", "import") in split_compound("kundenimport")
    assert ("rechnung", "nummer") in split_compound("rechnungsnummer")
    assert split_compound("import") == []
    assert split_compound("v1kundenimport") == []
