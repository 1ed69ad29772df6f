"""Names of secrets in other languages than English, from the table of words."""

# ruff: noqa: E501 - a made text is read best on one line

from __future__ import annotations

from tests.each_case import each_case
from transforms.redaction.names.name_words import NAME_WORDS
from transforms.redaction.names.translated_names import CODE, KEY, PASSWORD, TOKEN, find_names, list_beginnings


@each_case(
    ("text", "kind"),
    [
        ("пароля от базы", PASSWORD), ("בסיסמה של השרת", PASSWORD), ("كلمة مرور الخادم", PASSWORD), ("本番のパスワードは", PASSWORD),
        ("код для входа", CODE), ("giriş kodunu", CODE), ("קוד הגישה", CODE), ("로그인 코드", CODE), ("確認コード", CODE),
        ("токена", TOKEN), ("액세스 토큰은", TOKEN), ("секретный ключ", KEY), ("api anahtarı", KEY), ("المفتاح السري", KEY),
    ],
)  # fmt: skip
def test_a_name_is_known_with_its_ending_its_article_and_what_it_opens_before_or_behind(text: str, kind: int) -> None:
    assert kind in {found for _, found in find_names(text, is_user=True)}


@each_case("text", [
    "код ошибки", "ключ кэша", "エラーコード", "注文コード", "hata kodu", "مفتاح أساسي", "קוד שגיאה", "주문 코드", "sandbox", "unparole", "Passat",
])  # fmt: skip
def test_a_code_or_key_of_something_else_and_a_part_of_a_word_are_no_names(text: str) -> None:
    assert list(find_names(text.lower(), is_user=True)) == []


def test_each_name_is_found_by_its_beginning_and_where_no_person_typed_only_with_a_letter_beyond_ascii() -> None:
    beginnings = list_beginnings()
    for names in NAME_WORDS.values():
        for word in filter(None, names.partition("|")[0].split("/")):
            assert any(beginning in word for beginning in beginnings)
            assert bool(list(find_names(word, is_user=False))) != word.isascii(), word
            assert list(find_names(word, is_user=True)), word
