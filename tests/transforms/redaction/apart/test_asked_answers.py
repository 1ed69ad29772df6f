"""Answers to what the message before asks for; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

import pytest

from tests.each_case import each_case
from transforms.redaction.apart.asked_answers import find_asked_answers, read_request

DRAW = random.Random(73)
WORD = DRAW.choice(("tulip", "copper", "lantern")) + str(DRAW.randint(100, 999))
CODE = str(DRAW.randint(100_000, 999_999))


def find(answer: str, request: str, is_user: bool = True) -> list[str]:
    return [answer[start:end] for start, end, _ in find_asked_answers(answer, request, is_user)]


@pytest.mark.parametrize("request_text", [
    "What's the password for the staging database?", "Wie lautet das Passwort für den Drucker?", "¿Cuál es la contraseña del wifi?",
    "Какой пароль у пользователя deploy?", "I need the admin password to continue.", "Which login should I use for the router?",
])  # fmt: skip
@pytest.mark.parametrize("answer", ["{}", "it's {} but change it afterwards", "ja, {}", "admin {}"])
def test_the_word_that_answers_a_request_for_a_password_is_one(request_text: str, answer: str) -> None:
    assert find(answer.format(WORD), request_text) == [WORD]


def test_digits_answer_a_request_for_a_code_and_words_one_for_a_passphrase() -> None:
    assert find(CODE, "Please send me the one-time code from your app.") == [CODE]
    assert find("harbor lantern copper kettle", "What is the passphrase of the key?") == ["harbor lantern copper kettle"]


@each_case("request_text, answer", [
    ("What is the token limit?", "128000"), ("Which file has the password check?", "src/auth/password2.ts"), ("Shall I rotate the password?", "yes please"),
    ("Which password hash do you prefer?", "argon2id with 3 iterations"), ("The token refresh is done. Which version should I tag?", "v2.1"),
    ("Shall I take the password of eu-north-1?", "yes, eu-north-1"), ("Which region?", WORD), ("Where is the password set?", "PR-204"),
])  # fmt: skip
def test_what_is_no_secret_stays_behind_a_question_about_secrets(request_text: str, answer: str) -> None:
    assert find(answer, request_text) == []


def test_a_word_with_a_number_counts_in_a_person_s_answer_only() -> None:
    assert find(f"it uses {WORD}", "How is the password stored?", is_user=False) == []


def test_only_the_end_of_a_message_is_a_request() -> None:
    assert not read_request("The password is set. " + "All tests of the parser ran without an error. " * 3)
