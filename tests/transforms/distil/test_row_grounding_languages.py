"""Lines about rows of other languages: true ones stand, in the language of the rows and in English; other values do not."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.each_case import each_case
from transforms.distil.row_grounding import CitedRow, ground_line

ROWS = {
    1: "Die Mahnfrist beträgt jetzt 21 statt 14 Tage nach Fälligkeit, der Timer läuft um 7:15 Uhr.",
    2: "Der Import von 12.000 Kunden dauerte 40 Minuten, weil jede Zeile einzeln geschrieben wurde.",
    3: "Nos testes nunca se manda e-mail de verdade; usa-se o mailhog na porta 1025.",
    4: "貸出期間は14日から21日に変更された。テスト用DBはポート5544。",
    5: "로그는 JSON으로 남기고 주민번호는 절대 남기지 않는다.",
    6: "キャッシュの期限は３０分から１５分に変更された。",
}
SOURCES = {number: CitedRow(number, text, datetime(2026, 10, number, tzinfo=UTC)) for number, text in ROWS.items()}


def is_grounded(text: str, ref: int) -> bool:
    """Whether a line may stand that cites this row."""
    return not ground_line(text, [ref], SOURCES, UTC)[1]


@each_case(
    ("text", "ref"),
    [
        ("Die Mahnfrist beträgt 21 Tage, der Timer läuft um 7.15 Uhr.", 1),
        ("The reminder goes out 21 days after an invoice is due.", 1),
        ("The import of 12,000 customers was slow, because each of the rows was written alone.", 2),
        ("Nos testes os e-mails vão para o mailhog, porta 1025.", 3),
        ("貸出期間は21日。", 4),
        ("The test database is on port 5544.", 4),
        ("로그에는 주민번호를 남기지 않는다.", 5),
        ("There must be no resident numbers in the logs.", 5),
        ("キャッシュの期限は15分。", 6),
    ],
)
def test_a_true_line_stands_in_the_language_of_its_row_and_in_english(text: str, ref: int) -> None:
    """Words without spaces share pairs of characters; two languages share no words."""
    assert is_grounded(text, ref)


@each_case(
    ("text", "ref"),
    [
        ("Die Mahnfrist beträgt 30 Tage.", 1),
        ("The timer is at 7:45 on the days of the week.", 1),
        ("Der Import von 120.000 Kunden dauerte lange.", 2),
        ("Commits sind auf Englisch.", 2),
        ("O mailhog usa a porta 8025.", 3),
        ("テスト用DBはポート5545。", 4),
        ("キャッシュの期限は45分。", 6),
        ("로그는 `logs/app.txt`에 남긴다.", 5),
    ],
)
def test_another_value_or_subject_does_not_stand(text: str, ref: int) -> None:
    """Numbers, names and times have to occur in the row, and lines of one language share words with it."""
    assert not is_grounded(text, ref)
