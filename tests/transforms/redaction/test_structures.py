"""Secrets that their structure tells."""

import base64
import random
import string
import time

from tests.each_case import each_case
from transforms.redaction.seed_words import SEED_BEGINNINGS
from transforms.redaction.structures import find_structures

DRAW = random.Random(7)
SEED = sorted(word for word in SEED_BEGINNINGS if len(word) == 4)


def draw(alphabet: str, count: int) -> str:
    return "".join(DRAW.choices(alphabet, k=count))


def list_found(text: str, is_user: bool = False) -> set[str]:
    return {text[start:end] for start, end, _ in find_structures(text, is_user)}


def test_there_are_2048_words_of_seed_phrases() -> None:
    assert len(SEED_BEGINNINGS) == 2048


@each_case("joint", [" ", ", ", "\n"])
def test_twelve_words_of_the_list_are_a_seed_phrase(joint: str) -> None:
    phrase = joint.join(DRAW.sample(SEED, 12))
    assert phrase in list_found(f"The wallet is: {phrase}")
    assert not list_found(f"The wallet is: {joint.join(DRAW.sample(SEED, 11))}.")


def test_one_word_of_the_list_again_and_again_is_no_seed_phrase() -> None:
    assert not list_found("word " * 600)
    assert not list_found("one two one two " * 40)


def test_numbered_words_of_the_list_are_a_seed_phrase() -> None:
    rows = [
        f"{number}. {word}   {number + 12}. {other}"
        for number, (word, other) in enumerate(zip(SEED[:12], SEED[50:62], strict=True), 1)
    ]
    assert any(word.count("\n") == 11 for word in list_found("\n".join(rows)))


def test_groups_of_random_letters_are_a_password_and_words_are_none() -> None:
    groups = " ".join(draw("bcdfghjkqvwxz" + string.digits[:0], 4) for _ in range(4))
    assert groups in list_found(f"it gave me {groups} for mail")
    assert not list_found("look into this file that does some more work here")


def test_blocks_of_keys_lists_of_bytes_and_codes() -> None:
    body = "\n".join(draw("0123456789abcdef", 32) for _ in range(16))
    assert any(
        body in found
        for found in list_found(f"-----BEGIN OpenVPN Static key V1-----\n{body}\n-----END OpenVPN Static key V1-----")
    )
    numbers = ", ".join(str(DRAW.randrange(256)) for _ in range(16))
    assert numbers in list_found(f"network_key: [{numbers}]")
    codes = [f"{draw('0123456789abcdef', 4)}7-a{draw('0123456789abcdef', 4)}" for _ in range(6)]
    assert set(codes) <= list_found("my codes\n" + "\n".join(codes) + "\n")


def test_base64_of_an_account_is_a_secret() -> None:
    word = base64.b64encode(b"svc_backup:" + b"lantern1983").decode()
    assert word in list_found(f"$ echo {word} | base64 -d")
    assert not list_found(base64.b64encode(b"just a sentence of words").decode())


@each_case(
    "text",
    [
        "-----BEGIN PUBLIC KEY-----\n" + "MIIBIjANBgkqhkiG9w0B" * 6 + "\n-----END PUBLIC KEY-----",
        "GHSA-jf85-cpcp-j695",
        "4111 1111 1111 1111",
        "0077 6c30 5f77 7061",
        "a list [1, 2, 3, 4]",
        "2026-01-02 2026-01-03",
    ],
)
def test_public_keys_advisories_dumps_and_numbers_are_none(text: str) -> None:
    assert not list_found(text)


@each_case("piece", ["1 ", "12", "a1b2-", "abcd ", "0x1f ", "\n1234 5678", "abandon 1. ", "[1,", "A1B2C-"])
def test_repeated_beginnings_are_searched_in_time(piece: str) -> None:
    began = time.process_time()
    list(find_structures(piece * 20_000, is_user=True))
    assert time.process_time() - began < 5


@each_case("words", ["weil zwei Wege zwei Fehlerquellen sind", "para cada caso todo", "qkzv wmxr ptlh qkzv"])
def test_words_of_four_letters_and_repeated_groups_are_no_app_password(words: str) -> None:
    """Words of every language can be spoken, and what is random does not repeat itself."""
    assert not list_found(f"nur der Poller, {words}")
    assert list_found("app password: qkzv wmxr ptlh gjyb") == {"qkzv wmxr ptlh gjyb"}
