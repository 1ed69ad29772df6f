"""Passwords of letters alone, where the place tells them; drawn at run time."""

from __future__ import annotations

import random

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.reading.redact_entries import clean_entries
from transforms.redaction.apart.plain_values import find_plain_values
from transforms.redaction.apart.plain_words import are_words, is_joined

DRAW = random.Random(61)
WORDS = ("garden", "silver", "planet", "window", "summer", "castle", "forest", "bridge", "orange", "winter")
LETTERS = "".join(DRAW.choice("qxzjvkwfpbgm") + DRAW.choice("bcdfghjklmnp") for _ in range(6))
JOINED = "".join(DRAW.sample(WORDS, 2))
HYPHENED = "-".join(DRAW.sample(WORDS, 3))
CODE_WORDS = st.sampled_from(["string", "filename", "startswith", "username", "none", "value"])
PHRASE = " ".join(DRAW.sample(WORDS, 4))


def clean(text: str, role: str = "toolResult") -> str:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    entry = {"type": "message", "message": message | ({"toolCallId": "c", "toolName": "bash"} if role == "toolResult" else {})}
    return str(clean_entries([entry], [orjson.dumps(entry)]).raw_json[0])


@each_case("frame", [
    "database:\n  user: app\n  password: {}\n  port: 1", "<server>\n  <password>{}</password>\n</server>",
    "define('DB_PASSWORD', '{}');",
    "Username: kiosk\nPassword: {}", "A new root password has been set: {}", "The generated password is:\n{}",
    "New passphrase (write it down):\n\n  {}\n",
])  # fmt: skip
def test_letters_in_the_place_of_a_password_are_one_in_outputs(frame: str) -> None:
    for value in (LETTERS, JOINED, HYPHENED):
        assert value not in clean(frame.replace("{}", value))


@each_case("frame", [
    "The default password is `{}`.", "(default password is `{}`)", "log in as admin, the password is '{}'",
    "CREATE USER 'app'@'localhost' IDENTIFIED BY '{}';", "CREATE ROLE app LOGIN PASSWORD '{}'",
    'When I sign in as "user1" with password "{}"',
])  # fmt: skip
def test_quotes_behind_a_verb_or_in_sql_say_that_a_word_is_the_password(frame: str) -> None:
    for word in WORDS:
        assert f"{word}" not in clean(frame.replace("{}", word)).replace("password", "")


@each_case("text", ["my password is just {}", "das Passwort ist übrigens {}", "wachtwoord {}", "my pw: {}"])
def test_a_person_may_name_a_password_of_joined_words(text: str) -> None:
    assert JOINED not in clean(text.replace("{}", JOINED), "user")


def test_a_phrase_behind_its_flag_goes_as_a_whole() -> None:
    cleaned = clean(f'gpg --batch --passphrase "{PHRASE}" -d backup.gpg')
    assert not any(word in cleaned for word in PHRASE.split())


@each_case("text", [
    "password: string", "password: required", "<password>changeme</password>",
    "def login(password: hashlib, key)", "password = keyfile",
    "let password = getpass(prompt)", "passwd: files systemd", "Password: HTTP Basic Auth password.",
    "password=ssl_keyfile_password,", "util._assertion_pass = saved_assert_hooks", "'username', 'password', 'hostname'",
    "The password part of the address", "password: filename", "token: startswith", "Password:\n  unchanged\n",
    "the password is `required`", "IDENTIFIED BY '${PASSWORD}'", "IDENTIFIED BY '<password>'", "the password is `DB_PASSWORD`",
    "PASSWORD_HINT = 'garden'", 'port + " with password " + password',
    "the password is 'your_password'",
])  # fmt: skip
def test_words_and_names_of_source_code_stay(text: str) -> None:
    assert list(find_plain_values(text, False)) == []


@each_case("text", [
    "the password field has no label", "le mot de passe oublié doit envoyer un mail", "password reset emails never arrive",
    "das Passwort ist falsch", "the password manager is slow today", "passwords must match and have twelve characters",
])  # fmt: skip
def test_talk_about_passwords_stays(text: str) -> None:
    assert list(find_plain_values(text, True)) == []


@given(
    st.sampled_from(["password", "secret", "token"]),
    st.sampled_from(["string", "filename", "startswith", "username", "none", "value"]),
)
def test_a_word_of_source_code_is_never_a_value(name: str, word: str) -> None:
    for frame in (f"{name}: {word}", f'"{name}": "{word}"', f"{name}={word}", f"<{name}>{word}</{name}>", f"--{name} {word}"):
        assert list(find_plain_values(frame, False)) == []


def test_joined_words_are_told_from_words_and_from_names_in_code() -> None:
    assert is_joined(JOINED)
    assert not any(map(is_joined, (*WORDS, "filename", "startswith", "datetime", "username", "Gardensilver", LETTERS)))
    assert are_words(HYPHENED)
    assert not are_words("my-secret-name")
    assert not are_words("reset-password-form")
