"""Of two numbers in one sentence the one that an older clause gave is the former one, when its part names nothing else."""

from __future__ import annotations

from tests.each_case import each_case
from transforms.exchanges.rival_numbers import find_rival_numbers, is_former_number


@each_case(
    ("older", "newer"),
    [
        ("default mash 66", "64.5 for the default, 66 came out too sweet"),
        ("relay = gpio 17", "moved the relay wire to 22, 17 was noisy"),
        ("ups: zamykaj przy 30", "30 to za malo, zamykaj przy 45, akku stare"),
        ("el timeout de la pasarela es de 5 s", "timeout de la pasarela 12 s, antes 5 s"),
        ("la sauvegarde tourne à 2h", "la sauvegarde tourne à 4h maintenant, plus à 2h"),
    ],
)
def test_a_number_without_a_subject_of_its_own_is_the_former_one_in_any_language(older: str, newer: str) -> None:
    assert is_former_number(older, newer)


@each_case(
    ("older", "newer"),
    [
        ("Testserver läuft auf Port 9010", "Testserver läuft auf 9010, Druckserver auf 9020"),  # it keeps its number
        ("retries wait 5 s", "3 retries, 5 s timeout"),  # another unit
        ("wide plates are 512 mm", "512 mm plates, the 256 ones bend"),  # the number that it gave is the present one
        ("waiting 5 s", "retry after 3 s, pause 5 s"),  # another subject
        ("timeouts are 5 s and 9 s", "timeouts are 12 s, before 5 s"),  # which of both
    ],
)
def test_a_number_that_stays_or_is_about_something_else_is_not(older: str, newer: str) -> None:
    assert not is_former_number(older, newer)


def test_one_number_three_numbers_and_sentences_without_parts_have_no_rivals() -> None:
    for text in ("port 9010", "from 9010 to 9020", "9010, 9020 and 9030, 9040", "port 9010, host heron"):
        assert find_rival_numbers(text) == ()
