"""Labels of fields and words to be replaced are no secrets."""

# ruff: noqa: E501 - a made text is read best on one line

import json

from tests.each_case import each_case
from transforms.redaction.names.field_labels import is_field_label
from transforms.redaction.redact import redact


@each_case("value", [
    "Passwort", "Hasło", "Şifre", "Wi-Fi şifresi", "パスワード", "पासवर्ड", "Contraseña", "Подтверждение пароля", "API-Schlüssel", "TU_CONTRASEÑA_AQUI",
    "@@LOHN_KENNWORT@@", "[MASKED]", "haslo_kopie", "password_here",
])  # fmt: skip
def test_a_value_that_names_a_secret_is_a_label(value: str) -> None:
    assert is_field_label(value)
    text = json.dumps({"login": "Login", "password": value}, ensure_ascii=False)
    assert redact(text) == text


@each_case(
    "value", ["Passwort" + "7!", "kaffee" + "haus9", "lemon" + "kettle", "mypassword", "pass" + "word1!", "schluessel" + "#44"]
)
def test_a_value_with_a_digit_or_a_mark_and_other_words_are_none(value: str) -> None:
    assert not is_field_label(value)


@each_case("text", [
    "SENTRY_DSN=\nSESSION_TTL=86400\n", "API_SECRET=\nPUBLIC_URL=fill_in_here2\n", "`--password` takes its value from the next argument",
    "  -W, --password   forzar la solicitud", "  -W, --password\n        Force psql to prompt for one.", "  --passphrase=PHRASE   decrypt with PHRASE",
    "error.password=Nieprawidłowe hasło\n",
])  # fmt: skip
def test_empty_settings_helps_and_messages_stay(text: str) -> None:
    assert redact(text) == text


def test_what_stands_right_behind_a_flag_or_a_setting_goes() -> None:
    value = "otter" + "boats"
    assert value not in redact(f"tool login --password {value} --host db1")
    assert value not in redact(f"DB_PASSWORD={value}\nDB_HOST=db1\n")
