"""Facts about windows in another language: true ones stand, in that language and in English; other values are held."""

from __future__ import annotations

from tests.each_case import each_case
from tests.transforms.conversations import agent, conversation, ran, user
from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence

GERMAN = WindowEvidence(
    tuple(
        conversation(
            [user("der Import von 12.000 Kunden dauert 40 Minuten, das darf nie so bleiben. Timer bitte auf 7:15")],
            ran("gradle run", "imported 12000 rows in 2391s", text="Ich starte den Import und messe nach."),
            agent("Jede Zeile wurde einzeln geschrieben. Mit Paketen von je 1500 Zeilen zu 2,5 KB sind es jetzt 41 Sekunden."),
        )
    )
)
JAPANESE = WindowEvidence(
    tuple(
        conversation(
            [user("pg_bigmでいこう。検索は500ミリ秒以内、コミットは「Conventional Commits」の形式にして")],
            agent("pg_bigmのインデックスを作り、検索は38ミリ秒になりました。"),
        )
    )
)

WIDE = WindowEvidence(
    tuple(
        conversation(
            [
                user(
                    "ＤＢはＭｙＳＱＬ８で。キャッシュは３０分だと長いので１５分に。リリースは１１月３０日、ﾎﾟｰﾄは「３０００番」です"
                )
            ],
            agent("変更しました。テストは通りました。"),
        )
    )
)
ARABIC = WindowEvidence(
    tuple(
        conversation(
            [user("مهلة الجلسة ٣٠ دقيقة، والمنفذ ٤٣١٠ لأن ٣٠٠٠ محجوز، التسليم ١٠ ديسمبر ٢٠٢٦ بدون الإيموجي")],
            agent("حسنًا، عدّلت الإعدادات."),
        )
    )
)


def judge(window: WindowEvidence, text: str, kind: str = "fact") -> str:
    """Return the verdict on a fact that cites what was typed and what the agent said last."""
    entries = window.entries
    typed = next(entry.ordinal for entry in entries if entry.is_typed)
    return check_fact(
        Fact(text=text, kind=kind, priority="high", category="projects", ordinals=(typed, entries[-1].ordinal)), window
    )[0]


@each_case(
    "text",
    [
        "Der Import von 12.000 Kunden dauerte 40 Minuten und braucht jetzt 41 Sekunden.",
        "The import of 12,000 customers took 40 minutes and takes 41 seconds now.",
        "12 000 Zeilen werden importiert, je 1.500 auf einmal.",
        "Pakete von 1,500 Zeilen haben 2.5 KB.",
        "Der Timer läuft um 7.15 Uhr.",
    ],
)
def test_numbers_stand_in_the_notation_of_any_language(text: str) -> None:
    """Dots and commas of thousands and decimals, clock times with a dot, units by other names."""
    assert judge(GERMAN, text) == "allow"


@each_case(
    "text",
    [
        "Der Import von 120.000 Kunden dauerte 40 Minuten.",
        "Pakete von 15.000 Zeilen haben 2,5 KB.",
        "Der Timer läuft um 7.45 Uhr.",
        "Pakete haben 3,5 KB, sagt der Agent.",
        "Der Agent sagt: »Mit Paketen sind es zwei Stunden«.",
    ],
)
def test_other_numbers_and_quotations_are_held(text: str) -> None:
    """Another notation is no other value."""
    assert judge(GERMAN, text) == "hold"


@each_case(
    ("text", "verdict"),
    [
        ("検索にはpg_bigmを使い、38ミリ秒になった。", "allow"),
        ("Search uses pg_bigm and takes 38 ms.", "allow"),
        ("コミットは「Conventional Commits」の形式にする。", "allow"),
        ("検索は83ミリ秒になった。", "hold"),
        ("検索にはpg_trgmを使う。", "hold"),
        ("コミットは「日本語の形式」にする。", "hold"),
    ],
)
def test_names_and_numbers_between_characters_are_words(text: str, verdict: str) -> None:
    """No space parts them from the characters around them."""
    assert judge(JAPANESE, text) == verdict


@each_case(
    ("window", "text", "verdict"),
    [
        (WIDE, "データベースはMySQL8、キャッシュは30分から15分にする。", "allow"),
        (WIDE, "リリースは2026年11月30日。", "allow"),
        (WIDE, 'The release is on 2026-11-30, the port is "3000番".', "allow"),
        (WIDE, "ポートは３０００番、キャッシュは１５分。", "allow"),
        (WIDE, "キャッシュは25分にする。", "hold"),
        (WIDE, "リリースは2027年11月30日。", "hold"),
        (WIDE, "リリースは2026年12月30日。", "hold"),
        (WIDE, "ポートは「4000番」です。", "hold"),
        (ARABIC, "مهلة الجلسة 30 دقيقة والمنفذ 4310 بدل 3000.", "allow"),
        (ARABIC, "التسليم 10 ديسمبر 2026.", "allow"),
        (ARABIC, "The session timeout is 30 minutes.", "allow"),
        (ARABIC, "مهلة الجلسة 45 دقيقة.", "hold"),
        (ARABIC, "التسليم 20 ديسمبر 2026.", "hold"),
    ],
)
def test_values_are_the_same_in_digits_and_letters_of_any_width_and_script(
    window: WindowEvidence, text: str, verdict: str
) -> None:
    """A model writes 15 where its source has １５ or ١٥, and the year of a day that was said without one."""
    assert judge(window, text, "decision") == verdict


def test_an_english_rule_rests_on_words_of_another_language() -> None:
    """It shares no word with them, and "never" is said otherwise there."""
    assert judge(GERMAN, "Imports must never take that long again.", "rule") == "allow"
    assert judge(JAPANESE, "検索には必ずpg_bigmを使う。", "rule") == "allow"


@each_case(
    ("written", "verdict"),
    [("Am 1.3.", "allow"), ("Am 1. März", "allow"), ("El 1 de marzo", "allow"), ("3月1日", "allow"), ("Seit 01.03.2026", "allow"),
     ("Am 9.7.", "hold"), ("Am 9. Juli", "hold"), ("7月9日", "hold"), ("Seit 09.07.2026", "hold")],
)  # fmt: skip
def test_dates_stand_in_the_notation_of_any_language(written: str, verdict: str) -> None:
    """The day of the window, or one that is written there."""
    days = {entry.said_at.date() for entry in GERMAN.entries}
    day = min(days)
    text = f"{written} lief der Import in 41 Sekunden durch."
    for old, new in (
        ("1.3.", f"{day.day}.{day.month}."),
        ("01.03.2026", f"{day:%d.%m.%Y}"),
        ("3月1日", f"{day.month}月{day.day}日"),
    ):
        text = text.replace(old, new)
    months = ("Januar enero", "Februar febrero", "März marzo", "April abril", "Mai mayo", "Juni junio")
    text = text.replace("1. März", f"{day.day}. {months[day.month - 1].split()[0]}")
    text = text.replace("1 de marzo", f"{day.day} de {months[day.month - 1].split()[1]}")
    assert judge(GERMAN, text) == verdict
