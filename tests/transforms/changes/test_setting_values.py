"""An edit tells which value of which setting became another one."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.changes.setting_values import is_signed, list_setting_changes


def changes(old: str, new: str, path: str = "") -> list[tuple[str, str]]:
    return [(change.removed, change.added) for change in list_setting_changes(old, new, path)]


@each_case(
    ("old", "new", "expected"),
    [
        ("strategy='timestamp', key='ward_id'", "strategy='check', key='ward_id'", [("timestamp", "check")]),
        ("{% set lookback_days = 3 %}", "{% set lookback_days = 7 %}", [("3", "7")]),
        ('"sort_by": "voice",', '"sort_by": "title",', [("voice", "title")]),
        ('var("readmission_days", 30)', 'var("readmission_days", 28)', [("30", "28")]),
        ("a = 1\nlock_min: 15\nb = 2", "a = 1\nlock_min: 5\nb = 2", [("15", "5")]),
        ("CC-4417", "CC-4520", [("CC-4417", "CC-4520")]),
        ("30 23 * * * backup.sh", "15 22 * * * backup.sh", [("23:30", "22:15")]),
        ("^45 4 ", "20 4 ", [("04:45", "04:20")]),
        ('    schedule="30 4 * * *",', '    schedule="15 5 * * *",', [("04:30", "05:15")]),
        ('  - cron: "0 12 * * 4"', '  - cron: "0 15 * * 3"', [("12:00", "15:00")]),
    ],
)
def test_the_former_and_the_new_value_are_told(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert changes(old, new) == expected


@each_case(
    ("old", "new"),
    [
        ("def load_user(name):", "def fetch_user(name):"),  # a name of code
        ("return total", "return amount"),
        ("text := strings.TrimSpace(body)", "text := oauthhttp.Sanitize(body)"),
        ("TokenType: sts.TokenTypeJWT,", "TokenType: cfg.TokenTypeOwn,"),
        ("the night is long", "the night is short"),
        ("strategy='timestamp'", "check_cols=['ward']"),
        ("a = 1, b = 2, c = 3", "a = 4, b = 5, c = 6"),  # a line written anew
        ("port = 80", "port = 80"),
        ("", "port = 80"),
        ("*/15 * * * *", "5,35 * * * *"),  # no one hour
    ],
)
def test_what_is_renamed_or_written_anew_has_no_former_value(old: str, new: str) -> None:
    assert changes(old, new) == []


def test_the_words_of_the_name_are_told_apart_from_those_beside_it() -> None:
    (change,) = list_setting_changes("lookback_days = 3", "lookback_days = 7", "models/readmission.sql")
    assert "lookback" in change.name
    assert "lookback" not in {word for word in change.beside if word.startswith("read")}
    assert not {"model", "readmission"}.isdisjoint(change.beside)
    assert change.path == "models/readmission.sql"


@each_case(
    ("value", "expected"),
    [("CC-4417", True), ("db.t4g.medium", True), ("23:30", True), ("check", False), ("4", False), ("4417", False)],
)
def test_letters_and_digits_or_a_time_say_what_they_are(value: str, *, expected: bool) -> None:
    assert is_signed(value) is expected
