"""Answers to what the message before asks for; drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

from tests.each_case import each_case
from transforms.redaction.apart.asked_answers import find_asked_answers, may_answer, read_request
from transforms.redaction.formats.command_answers import find_command_answers

DRAW = random.Random(73)
WORD = DRAW.choice(("tulip", "copper", "lantern")) + str(DRAW.randint(100, 999))
PARTS = DRAW.sample(["harbor", "meadow", "velvet", "thistle", "anchor"], 4)
LETTERS, JOINED, PHRASE = "".join(PARTS[:2]), "-".join(PARTS[:3]), " ".join(PARTS)
SCRAMBLED = "".join(DRAW.choice(letters) for letters in ("zqxk", "2345", "vbjw", "6789", "hgfd") * 3)
CODE = str(DRAW.randint(100_000, 999_999))


def find(answer: str, request: str, is_user: bool = True) -> list[str]:
    return [answer[start:end] for start, end, _ in find_asked_answers(answer, request, is_user)]


@each_case("request_text", [
    "What's the password for the staging database?", "Wie lautet das Passwort für den Drucker?", "¿Cuál es la contraseña del wifi?",
    "Какой пароль у пользователя deploy?", "I need the admin password to continue.", "Which login should I use for the router?",
], answer=["{}", "it's {} but change it afterwards", "ja, {}", "admin {}"])  # fmt: skip
def test_the_word_that_answers_a_request_for_a_password_is_one(request_text: str, answer: str) -> None:
    assert find(answer.format(WORD), request_text) == [WORD]


@each_case("request_text, answer, secret", [
    ("Mật khẩu root của máy là gì?", f"{WORD} nhé", WORD), ("Jaké heslo má uživatel zaloha?", f"{JOINED} ale velke S", JOINED),
    ("I need the admin password.", f"{WORD}\nand restart the worker then\nthanks", WORD),
    ("The page asks for the one-time code.", f"yes it just arrived {CODE} so be quick it expires soon", CODE),
])  # fmt: skip
def test_an_answer_may_begin_with_the_value_and_say_more(request_text: str, answer: str, secret: str) -> None:
    assert may_answer(answer)
    assert find(answer, request_text) == [secret]


def test_of_two_numbers_in_a_long_answer_none_is_the_code() -> None:
    assert find(f"the page of order {CODE[:4]} says it sent 2048 of them to me", "Which one-time code did you get?") == []


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


@each_case("request_text, answer, secret", [
    ("What is the password for the vault?", "ok " + LETTERS, LETTERS), ("I need the passphrase to go on.", f"it's {JOINED}", JOINED),
    ("The key is locked; which passphrase did you set?", f"I think {PHRASE}", PHRASE), ("Kod z SMS-a?", CODE, CODE),
    ("The login page asks for your password. Which one is it?", WORD, WORD),
])  # fmt: skip
def test_when_nothing_but_the_secret_is_asked_for_words_and_phrases_are_one(request_text: str, answer: str, secret: str) -> None:
    assert secret in "".join(find(answer, request_text))


@each_case("request_text, answer", [
    ("The password is stored. What should I do next?", "step2_deploy"), ("What is the key ID?", "8F" * 8), ("Which of the files holds the password?", JOINED),
    ("What is the name of the secret?", "mail-creds-v2"), ("Where is the passphrase?", "in the shared team vault"),
    ("What is the password policy?", "strictness"),
])  # fmt: skip
def test_what_a_question_about_something_else_is_answered_with_stays(request_text: str, answer: str) -> None:
    assert find(answer, request_text) == []


def test_an_agent_answers_with_random_letters_or_in_quotation_marks() -> None:
    request_text = "what's the admin password you set?"
    assert find(f"I set it to {SCRAMBLED}.", request_text, is_user=False) == [SCRAMBLED]
    assert find(f"`seed@app.test` with `{WORD}`.", request_text, is_user=False) == [WORD]


def test_a_command_s_answer_may_have_lines_with_labels_below() -> None:
    text = f"$ pass show work/gitlab\n{JOINED}7\nuser: petra"
    assert [text[start:end] for start, end, _ in find_command_answers(text)] == [f"{JOINED}7"]


def test_a_word_with_a_number_counts_in_a_person_s_answer_only() -> None:
    assert find(f"it uses {WORD}", "How is the password stored?", is_user=False) == []


def test_only_the_end_of_a_message_is_a_request() -> None:
    assert not read_request("The password is set. " + "All tests of the parser ran without an error. " * 3)
