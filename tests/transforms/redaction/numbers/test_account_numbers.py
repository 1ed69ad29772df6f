"""Numbers of cards and IBANs; the made ones keep their checksum, and no others are found."""

# ruff: noqa: E501 - a made text is read best on one line

import random
import string

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.numbers.account_numbers import (
    IBAN_LENGTHS,
    LEAST_DIFFERENT,
    find_account_numbers,
    is_card_number,
    is_iban,
)
from transforms.redaction.redact import redact

ISSUERS = (("4539", 16), ("5425", 16), ("2221", 16), ("3530", 16), ("6011", 16), ("6221", 16), ("3782", 15), ("3600", 14))


def make_card(chance: random.Random, issuer: str, size: int) -> str:
    """Return a number of an issuer with its check digit and enough different digits."""
    while True:
        body = issuer + "".join(chance.choices(string.digits, k=size - len(issuer) - 1))
        for digit in string.digits:
            if is_card_number(body + digit):
                return body + digit


def make_iban(chance: random.Random, country: str) -> str:
    body = "".join(chance.choices(string.digits, k=IBAN_LENGTHS[country] - 4))
    digits = int("".join(str(int(char, 36)) for char in f"{body}{country}00"))
    return f"{country}{98 - digits % 97:02}{body}"


def list_found(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in find_account_numbers(text)]


def write_groups(digits: str, joint: str) -> str:
    sizes = {16: (4, 4, 4, 4), 15: (4, 6, 5), 14: (4, 6, 4)}[len(digits)]
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    return joint.join(digits[start : start + size] for start, size in zip(starts, sizes, strict=True))


@each_case(("issuer", "size"), ISSUERS, joint=[" ", "-"])
def test_the_number_of_a_card_is_found_in_groups(issuer: str, size: int, joint: str) -> None:
    number = write_groups(make_card(random.Random(issuer), issuer, size), joint)
    assert list_found(f"Pay with {number}, exp 09/27.") == [number]
    assert number not in redact(f"Pay with {number}, exp 09/27.")


@each_case(("issuer", "size"), [issuer for issuer in ISSUERS if issuer[1] > 14])
def test_the_number_of_a_card_is_found_in_one_word(issuer: str, size: int) -> None:
    number = make_card(random.Random(issuer), issuer, size)
    assert list_found(f"card={number}") == [] or list_found(f"card: {number}") == [number]
    assert list_found(f"PAN {number}\n") == [number]


@given(st.randoms(use_true_random=False), st.integers(0, 15), st.integers(1, 9))
def test_one_changed_digit_breaks_the_checksum(chance: random.Random, place: int, step: int) -> None:
    number = make_card(chance, "4539", 16)
    changed = number[:place] + str((int(number[place]) + step) % 10) + number[place + 1 :]
    assert not is_card_number(changed)


@each_case("text", [
    "4111 1111 1111 1111", "4242 4242 4242 4242", "5555555555554444", "1732617123456789012", "20261126093000", "0.4539148803436467",
    "4539-1488", "id=45391488034364670", "/photo/4539148803436467", "user_4539148803436467", '"id": 4539148803436467', "2026 1126 0930 0000",
])  # fmt: skip
def test_test_numbers_times_and_ids_are_no_cards(text: str) -> None:
    assert list_found(text) == []


def test_a_card_has_many_different_digits() -> None:
    assert LEAST_DIFFERENT == 6


@each_case("country", ["DE", "GB", "FR", "NO", "ES", "NL", "MT"])
def test_an_iban_is_found_in_one_word_and_in_groups(country: str) -> None:
    iban = make_iban(random.Random(country), country)
    groups = " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))
    assert list_found(f"to {iban}, please") == [iban]
    assert list_found(f"IBAN {groups} BIC COBADEFF") == [groups]
    assert groups not in redact(f"IBAN: {groups}\n")


@given(st.randoms(use_true_random=False), st.sampled_from(sorted(IBAN_LENGTHS)))
def test_an_iban_keeps_the_length_of_its_country_and_the_checksum(chance: random.Random, country: str) -> None:
    iban = make_iban(chance, country)
    assert is_iban(iban)
    assert not is_iban(f"{iban}0")
    assert not is_iban(iban[:2] + f"{(int(iban[2:4]) + 1) % 100:02}" + iban[4:])


@each_case(
    "text", ["DE00370400440532013000", "AB12 3456 7890 1234", "ES2022", "SHA256 0123 4567 89AB", "XDE89370400440532013000"]
)
def test_other_words_are_no_ibans(text: str) -> None:
    assert list_found(text) == []


@each_case("piece", ["4539 ", "4539", "DE89 ", "DE893704", "3782-"])
def test_the_search_takes_linear_time(piece: str) -> None:
    assert grows_with_text(lambda text: list(find_account_numbers(text)), piece, 500)


def test_groups_of_a_table_are_no_card_and_a_year_behind_a_card_is_no_group() -> None:
    number = make_card(random.Random(3), "4539", 16)
    card = " ".join(number[at : at + 4] for at in range(0, 16, 4))
    for table in (f"542D 542E {card}\n5434", f"{card} 5436 5437 5438"):
        assert redact(table) == table
    assert card not in redact(f"card: {card} 2027")
    assert card not in redact(f"no. 0012 {card} 2027 0815")
