"""Values behind names in other languages; they are drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

import random

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.names.translated_secrets import find_translated_secrets
from transforms.redaction.redact import redact

DRAW = random.Random(13)
CODE = "".join(DRAW.choices("3456789", k=6))
HEX = "".join(DRAW.choices("0123456789abcdef", k=24)) + "a1"
MADE = "Vorbel" + DRAW.choice("!#_") + CODE[:3] + "Zq"


@each_case("frame", [
    "пароль: {}", "пароль от почты — {}", "Das Passwort lautet {}", "שם משתמש dana, הסיסמה {}", "كلمة المرور: {}", "パスワードは{}です", "パスワード「{}」", "密码是{}，请勿提交",
    "비밀번호는 {} 입니다", "hasło do serwera: {}", "şifresi {} olsun", "κωδικός: συνθηματικό = {}", "รหัสผ่าน: {}", "пароль: {}\nдальше",
])  # fmt: skip
def test_a_password_behind_its_name_is_a_secret_in_any_language_also_without_blanks_around_it(frame: str) -> None:
    for is_user in (True, False):
        assert MADE not in redact(frame.format(MADE), is_user)


@each_case("frame", [
    "код подтверждения: {}", "код доступа {}", "קוד אימות {}", "קוד הגישה למחסן {}", "رمز التحقق هو {}", "確認コード：{}", "验证码 {}，十分钟有效", "로그인 코드: {}", "onay kodu {}",
    "přístupový kód: {}", "пароль {}", "パスワードが{}だった", "PINコードは{}", "PIN码是{}",
])  # fmt: skip
def test_a_number_behind_the_name_of_what_it_opens_is_a_secret(frame: str) -> None:
    assert CODE not in redact(frame.format(CODE), is_user=True)


@each_case("frame", ["ключ API: {}", "токен бота {}", "APIキーを{}に変更", "액세스 토큰은 {}이에요", "API anahtarı: {}", "אסימון גישה {}", "المفتاح السري {}", "秘密金鑰：{}"])  # fmt: skip
def test_a_key_or_token_behind_its_name_is_a_secret(frame: str) -> None:
    for is_user in (True, False):
        assert HEX not in redact(frame.format(HEX), is_user)


@each_case("text", [
    "пароль не короче 12 символов", "пароль сбрасывается через 3600 секунд", "код ошибки 40422", "пароль 2024", "ключ в redis: user:1234", "パスワードは12文字以上",
    "エラーコード40422", "パスワードの2024年版", "令牌30分钟后过期", "密码长度至少128位", "비밀번호는 12자 이상", "오류 코드 40422", "hasło musi mieć 12 znaków", "şifre en az 12 karakter",
    "הסיסמה חייבת להיות 12 תווים", "קוד שגיאה 40422", "كلمة المرور يجب أن تكون 12 حرفا", "пароль хешируется sha256", "пароль в файле config2.yaml", "код входа. Строка 40422",
])  # fmt: skip
def test_counts_years_other_codes_and_what_stands_in_the_next_sentence_stay(text: str) -> None:
    for is_user in (True, False):
        assert list(find_translated_secrets(text, is_user)) == []
        assert redact(text, is_user) == text


def test_a_value_of_native_letters_and_digits_is_a_password_behind_a_mark() -> None:
    for word, frame in (
        ("земляника", "пароль: {}"),
        ("やまぶき", "パスワード「{}」"),
        ("זית", "סיסמה: {}"),
        ("ζαφείρι", "συνθηματικό: {}"),
    ):
        assert word not in redact(frame.format(word + CODE), is_user=True)


def test_looking_for_names_takes_time_that_grows_with_the_text() -> None:
    assert grows_with_text(lambda text: list(find_translated_secrets(text, True)), "пароль код доступа 1 ", 60)


def test_a_number_of_a_setting_whose_name_only_begins_with_a_secrets_name_stays() -> None:
    """`PASSWORD_RESET_TIMEOUT=3600` kept the first word and lost the rest."""
    for text in ("PASSWORD_RESET_TIMEOUT=3600", "password_reset_timeout: 3600", "senha_minima: 1234", "KENNWORT_ALTER = 4000"):
        assert redact(text, is_user=True) == text
    assert MADE not in redact(f"senha_banco: {MADE}", is_user=True)
