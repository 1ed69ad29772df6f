"""Echoes: an earlier turn that only asks what the question asks is no evidence for an answer, in any language."""

from __future__ import annotations

from datetime import date
from typing import Any

from tests.each_case import each_case
from tests.transforms.recall.test_rank import ranked, row
from transforms.recall.echoes import mark_echoes
from transforms.recall.question import parse_question
from transforms.recall.question_language import Vocabulary, leave_out_unsaid
from transforms.recall.ranking_record import measure_question_share

QUESTION = "¿en qué máquina probamos antes de publicar?"


def turn(place: int, text: str, speaker: str = "user", **more: Any) -> dict[str, Any]:
    """Return a spoken row at a place of its session."""
    return row(f"t:one:{place}", text, source="turn", position=place, speaker=speaker, **more)


def echoes(rows: list[Any], question: str = QUESTION) -> list[str | None]:
    """Return the marks of rows."""
    mark_echoes(rows, parse_question(question, date(2026, 5, 1)))
    return [record.get("echo") for record in rows]


@each_case(
    ("question", "statement"),
    [
        (QUESTION, "el servidor de pruebas es horno2 y no se publica sin él"),
        ("公開前にどのマシンで試しますか？", "検証用サーバーはtsubakiで、公開の前に使います。"),
        ("which machine do we test on before a release?", "the test server is horno2, before a release it runs everything"),
    ],
)
def test_an_earlier_turn_that_asked_the_same_leads_no_answer(question: str, statement: str) -> None:
    """It was the first hit, because nothing in memory is as similar to the question."""
    rows = [turn(1, question), turn(2, "tell me?", "assistant"), turn(30, statement)]
    keys = ranked(rows, question)
    assert keys[0] == "t:one:30"
    assert "t:one:1" not in keys


def test_turns_around_an_echo_gain_nothing_but_the_one_that_answers_it() -> None:
    """What was said before and two turns after led as neighbours; "7431." is about the port only through its question."""
    question = "¿en qué puerto escucha el servidor de pruebas?"
    rows = [turn(1, "borra los temporales"), turn(2, question), turn(3, "7431.", "assistant"), turn(4, "sube la versión", "user")]
    assert ranked(rows, question) == ["t:one:3"]
    asked_back = [turn(2, question), turn(3, "No encuentro nada, ¿me lo dices?", "assistant")]
    assert ranked(asked_back, question) == []


def test_an_echo_is_answered_when_another_speaker_states_something_right_behind_it() -> None:
    assert echoes([turn(1, QUESTION), turn(2, "en horno2", "assistant")]) == ["answered", None]
    assert echoes([turn(1, QUESTION), turn(2, "¿cuál te refieres?", "assistant")]) == ["open", None]
    assert echoes([turn(1, QUESTION)]) == ["open"]
    assert echoes([turn(1, QUESTION), turn(2, "en horno2, creo")]) == ["open", None], "the same speaker goes on"


def test_a_question_that_names_what_may_be_the_answer_is_no_echo() -> None:
    """ "on port 8080?" beside "yes" is the evidence; so is a statement in the question's words."""
    asked = "what port does the staging server use?"
    assert echoes([turn(1, "does the staging server use port 8080?")], asked) == [None]
    assert echoes([turn(1, "we use postgres")], "do we use postgres?") == [None]
    assert echoes([turn(1, "probamos antes de publicar en la máquina horno2")]) == [None]


def test_a_search_by_a_few_words_finds_what_was_asked() -> None:
    """Who searches for "puerto pruebas" asks nothing yet; the same words in the same order are the same question."""
    asked = "en qué puerto escucha el servidor de pruebas"
    assert echoes([turn(1, f"¿{asked}?")], "servidor de pruebas, puerto en que escucha") == [None]
    assert echoes([turn(1, f"¿{asked}?")], asked) == ["open"]


def test_a_fact_that_quotes_an_echo_goes_with_its_turn_and_a_models_fact_stays() -> None:
    """The offline engine keeps the question with its reply; a model's fact tells the answer in words of its own."""
    text = f'User asked: "{QUESTION}" Answer: No encuentro nada.'
    quoted = row("o-1", text, kind="question")
    assert echoes([turn(1, QUESTION), turn(2, "No encuentro nada.", "assistant"), quoted])[2] == "answered"
    assert echoes([row("o-1", text, kind="question")]) == [None], "the reply is nowhere else"
    assert echoes([turn(1, QUESTION), row("o-1", text, kind="question", cites=["t:one:1"])])[1] is None


def test_what_only_an_echo_without_an_answer_says_was_never_said() -> None:
    """Asked twice, a question about something unknown was answered as if memory knew its words."""
    words = parse_question(QUESTION, date(2026, 5, 1)).words
    rows: list[Any] = [turn(1, QUESTION), row("s-1", f"User asked: {QUESTION}", source="segment"), turn(9, "probamos todo")]
    mark_echoes(rows, parse_question(QUESTION, date(2026, 5, 1)))
    known = leave_out_unsaid(Vocabulary(dict.fromkeys(words, 2) | {"probamos": 3}), rows)
    assert not known.contains("maquina")
    assert known.contains("probamos")
    answered: list[Any] = [turn(1, QUESTION), turn(2, "en horno2", "assistant")]
    mark_echoes(answered, parse_question(QUESTION, date(2026, 5, 1)))
    assert leave_out_unsaid(Vocabulary({"maquina": 1}), answered).contains("maquina")


@each_case(("text", "share"), [("何時まで？", 1.0), ("分かりました。何時まで？", 0.5), ("متى؟", 1.0), ("18時です。", 0.0)])
def test_questions_of_other_scripts_are_questions(text: str, share: float) -> None:
    """Only "?" counted, so a Japanese question was a statement."""
    assert measure_question_share(text) == share
