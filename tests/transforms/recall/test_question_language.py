"""Questions in a language that the rules do not read: which words name a thing, and what their absence proves."""

from __future__ import annotations

from datetime import date

import pytest

from tests.each_case import each_case
from tests.transforms.recall.test_answerability import doubt
from transforms.recall.answerability import collect_lookup_terms
from transforms.recall.question import parse_question
from transforms.recall.question_language import (
    READ,
    Vocabulary,
    find_missed_words,
    find_question_language,
    find_unknown_nouns,
    split_compound,
    split_question,
    strip_marks,
)

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


@each_case(
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


@each_case(
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
    assert doubts.reason == "these words were not found: “Kodierung”"


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
    assert doubt("佐藤さんの誕生日はいつ？", JAPANESE).reason == "these words were not found: “誕生日”"


def test_a_long_word_is_split_at_every_place() -> None:
    """With the letter that joins the parts, and without it."""
    assert ("kunden", "import") in split_compound("kundenimport")
    assert ("rechnung", "nummer") in split_compound("rechnungsnummer")
    assert split_compound("import") == []
    assert split_compound("v1kundenimport") == []


FRENCH = (
    "les factures partent le premier du mois, et le client veut un export de la TVA pour le comptable",
    "la rétention des sauvegardes est de trente jours, et le serveur est dans le bureau du client",
    "le rapport est prêt, il reste le test de la relance et le profil de la facture pour le client",
)


@each_case(
    ("question", "share", "missed"),
    [
        ("qui est le dentiste ?", 0.7, ["dentiste"]),
        ("wifi ?", 1.0, ["wifi"]),
        ("quelle est la rétention ?", 0.0, []),
        ("combien coûte le serveur du client ?", 0.4, ["coûte"]),
        ("谁负责部署？", 1.0, ["谁负责部署"]),
    ],
)
def test_what_a_question_is_about_is_told_by_how_rare_its_words_are(question: str, share: float, missed: list[str]) -> None:
    """The words of the grammar stand everywhere in a memory of any language; the first word asks."""
    said = {"est": 1.0, "le": 0.8, "la": 0.8, "du": 1.2, "retention": 4.0, "serveur": 3.0, "client": 2.0}
    measured, words = find_missed_words(question, lambda word: said.get(word, 4.5), said.__contains__)
    assert words == missed
    assert measured == pytest.approx(share, abs=0.05)


@each_case("question", ["qui est le dentiste ?", "wifi ?", "Kubernetes"])
def test_an_answer_about_something_else_is_unsure_in_any_language(question: str) -> None:
    """Nothing is refused: in another language an unknown word may be the asker's for what was said."""
    doubts = doubt(question, FRENCH * 20, documents=60)
    assert doubts.is_unsure
    assert not doubts.abstains
    assert doubts.reason == f"these words were not found: “{question.removesuffix(' ?').split()[-1]}”"


def test_what_was_said_in_another_language_is_not_doubted() -> None:
    """A verb that memory lacks is one word of several."""
    assert not doubt("combien de jours dure la rétention des sauvegardes ?", FRENCH * 20, documents=60).is_unsure


@each_case(
    ("question", "said", "missed"),
    [
        ("Когда у нас отпуск у Лены?", ["лена", "климова", "наш"], ["отпуск"]),
        ("На каком порту локальный постгрес?", ["порт", "постгрес", "локально", "какая"], []),
        ("من كتب تطبيق الموبايل؟", ["تطبيقات", "موبايل"], ["كتب"]),
        ("איפה שומרים את הגיבויים?", ["גיבויים"], ["שומרים"]),
        ("Какой у нас провайдер СМС?", ["какие"], ["провайдер", "СМС"]),
    ],
)
def test_no_word_is_missed_that_memory_has_in_another_form_or_that_is_too_short_to_name_anything(
    question: str, said: list[str], missed: list[str]
) -> None:
    """Endings, the article and prepositions before a word of Arabic or Hebrew; particles of two letters, pronouns of three."""
    terms, prefixes = collect_lookup_terms(parse_question(question, date(2026, 11, 27)))
    frequency = {term: 1 for term in terms if term in said}
    known = Vocabulary(frequency, frozenset(prefix for prefix in prefixes if any(word.startswith(prefix) for word in said)))
    assert find_missed_words(question, lambda word: 1.0, known.contains_or_parts)[1] == missed


def test_a_word_is_shown_without_the_marks_of_its_script() -> None:
    """A question mark of Arabic, and brackets of Japanese."""
    words = ("الموبايل؟", "「設定」、", "Kubernetes؟", "¿copia?")
    assert [strip_marks(word) for word in words] == ["الموبايل", "設定", "Kubernetes", "copia"]
    reason = doubt("ما إصدار Kubernetes؟", ("الخادم يعمل على المنفذ 8080 منذ يوم الأحد",)).reason
    assert reason.endswith("these words were not found: “Kubernetes”, “إصدار”")


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Where does the session cache live?", (*ENGLISH, *GERMAN)),
        ("session cache Redis owner warm request", ENGLISH),
        ("Auf welchem Port läuft der Mailserver?", (*ENGLISH * 5, GERMAN[2])),
    ],
    ids=["hits of two languages", "names and nouns alone", "one hit of its language"],
)
def test_a_memory_of_two_languages_is_not_called_one_of_another(question: str, texts: tuple[str, ...]) -> None:
    """It has the words of the question: nothing was missed for the language."""
    assert "different languages" not in doubt(question, texts).reason


def test_a_question_whose_words_memory_lacks_in_its_script_is_unsure() -> None:
    doubts = doubt("日本語の設定を確認してください", ENGLISH)
    assert (doubts.is_unsure, doubts.abstains) == (True, False)
    assert doubts.reason.startswith("question and memory are in different languages")


CHINESE = ("部署到生产环境需要张伟批准。", "备份保留三十天，每周一检查。", "数据库端口是5433，用户表叫user_accounts。")


@each_case(
    ("question", "unsure", "reason"),
    [
        ("谁批准部署？", False, ""),
        ("数据库的端口号", False, ""),
        ("S3备份保留多少天？", True, "these words were not found: “S3”"),
        ("部署审批人是谁？", True, "these words were not found: “审批人是谁”"),
        ("会议室预约", True, "these words were not found: “会议室预约”"),
    ],
)
def test_a_question_without_spaces_is_met_by_its_parts(question: str, unsure: bool, reason: str) -> None:
    """What was said of it is found, and what was not is quoted alone; an identifier glued to it refuses nothing."""
    doubts = doubt(question, CHINESE * 20, documents=60)
    assert (doubts.is_unsure, doubts.abstains) == (unsure, False)
    assert doubts.reason == reason


NAMES = ("Kubernetes的集群在东京。", "我们用grafana看监控，我们的policies在仓库里。", "备份保留三十天，每周一检查。")


@each_case(
    ("question", "reason"),
    [
        ("Kubernetes在哪里？", ""),
        ("grafana是什么", ""),
        ("policies在哪里？", ""),
        ("我们的policies是什么", ""),
        ("Terraform在哪里？", "these words were not found: “Terraform”, “在哪里”"),
        ("备份存放多久？备份谁负责检查？", ""),
        ("备份存放多久？备份归谁负责呢？", "these words were not found: “存放多久”, “归谁负责呢”"),
    ],
)
def test_a_long_name_before_few_signs_is_met_as_a_whole(question: str, reason: str) -> None:
    """With "Kubernetes" in memory, “Kubernetes在哪里” was told as not found; and neither ends nor known words are quoted."""
    assert doubt(question, NAMES * 20, documents=60).reason == reason


def test_a_latin_letter_with_a_mark_stays_in_its_name() -> None:
    assert split_question("Größe在哪里") == ["Größe", "在哪里"]


def test_a_name_in_other_letters_is_read_by_itself() -> None:
    assert parse_question("K8s部署流程", date(2026, 11, 27)).specifics[0][-1] == "k8s"
    assert split_question("K8s部署") == ["K8s", "部署"]
    assert (
        doubt("S3バックアップの期間は？", (*JAPANESE, "バックアップの保存期間は三十日です。") * 20, documents=60).abstains
        is False
    )
