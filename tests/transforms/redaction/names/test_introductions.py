"""Names of secrets that introduce a value which reads as a public name."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.names.introductions import is_introduced
from transforms.redaction.redact import redact

PASSWORD = "Velvet" + "-987-" + "Timber"


def introduces_value(text: str) -> bool:
    start = text.index(PASSWORD)
    return is_introduced(text, start, start + len(PASSWORD), text.lower())


@each_case("frame", [
    "the password is {}", "pw {}", "das Kennwort für den Server lautet {}", "password for root: {}",
    "le mot de passe du routeur c'est {}",
    "heslo k databázi je {}", "smtp login bot@mail.test with {}", "the key is {}", "the key (don't share) {}", "pw; {}",
    "{} is the basic auth password",
    "nimm {} als Passwort", "пароль от сервера {}",
])  # fmt: skip
def test_a_verb_a_mark_or_the_near_word_for_a_password_introduces_a_value(frame: str) -> None:
    assert introduces_value(frame.format(PASSWORD))


@each_case("frame", [
    "login fails on {}", "the key column has {}", "the password field is filled from {}", "the token count is higher with {}",
    "the password changed. Look at {}", "the secret manager runs on {}", "{} crashed. The password is gone",
])  # fmt: skip
def test_other_words_between_a_name_and_a_value_introduce_none(frame: str) -> None:
    text = frame.format(PASSWORD)
    assert not introduces_value(text)
    assert redact(text, is_user=True) == text


def test_long_texts_cost_what_they_are_long() -> None:
    assert grows_with_text(lambda text: is_introduced(text, len(text) - 8, len(text), text), "password key is a ", 200)
