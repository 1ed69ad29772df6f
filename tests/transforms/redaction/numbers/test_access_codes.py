"""Codes and passphrases that a noun of access introduces; digits and words are drawn at run time."""

# ruff: noqa: E501 - a made text is read best on one line

import random

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.numbers.access_codes import find_access_codes, is_phrase
from transforms.redaction.redact import redact

DRAW = random.Random(3)
CODE = "".join(DRAW.choices("3456789", k=6))
SHORT = "".join(DRAW.choices("3456789", k=4))
PHRASE = " ".join(DRAW.sample(["correct", "horse", "battery", "staple", "lantern", "pebble", "walrus"], 4))


def list_found(text: str, is_user: bool = False) -> list[str]:
    return [text[start:end] for start, end, _ in find_access_codes(text, is_user)]


@each_case("frame", [
    "PIN: {}", "pin={}", "my pin is {}", "the PUK of the sim is {}", "CVV {}", "card pin -> {}", "Passcode: `{}`", "le PUK est {}", "PIN-Code: {}",
    "the door code is {}, use it", "Alarm code: {}",
])  # fmt: skip
def test_a_code_behind_its_noun_is_a_secret_anywhere(frame: str) -> None:
    assert list_found(frame.format(CODE)) == [CODE]
    assert CODE not in redact(frame.format(CODE))


@each_case("frame", [
    "the alarm code is {}", "the code for the front door is {}.", "Türcode: {}", "le code de la sim, c'est {}", "el código de la puerta es {}",
    "the nuki keypad code is {}, put it in", "(code secret {})", "verification code {}", "kapı kodu: {}", "ペアリングコードは {} です",
], code=[CODE, SHORT, f"{SHORT}-{CODE[:3]}-{SHORT}"])  # fmt: skip
def test_a_person_names_what_a_code_opens(frame: str, code: str) -> None:
    assert list_found(frame.format(code), is_user=True) == [code]


@each_case("text, code", [
    (f"digicode {CODE[:2]}B{CODE[2:4]}", f"{CODE[:2]}B{CODE[2:4]}"), (f"the door code is {CODE[:4]}#{SHORT[:2]}", f"{CODE[:4]}#{SHORT[:2]}"),
    (f"サーバールームの暗証番号は{SHORT}-{CODE[:2]}、開けたら", f"{SHORT}-{CODE[:2]}"),
])  # fmt: skip
def test_a_code_may_have_a_key_of_the_pad_and_stand_without_a_blank(text: str, code: str) -> None:
    assert list_found(text, is_user=True) == [code]


def test_a_phrase_between_marks_may_be_a_sentence_where_its_name_says_phrase() -> None:
    sentence = "the otter sleeps on " + DRAW.choice(("sundays", "mondays"))
    assert list_found(f"passphrase for the key is '{sentence}' with blanks", is_user=True) == [sentence]
    assert list_found(f"password of the key is '{sentence}' with blanks", is_user=True) == []
    assert list_found(f"passphrase for the key is '{sentence}' with blanks") == []


@each_case(
    "frame", ["the otp it sent me is {}", "2fa code: {}, quick", "safe combination {}", "bank card pin {} - not for the notes"]
)
def test_a_code_of_four_or_six_digits_needs_no_verb_where_a_person_typed(frame: str) -> None:
    for code in (SHORT, CODE):
        assert code not in redact(frame.format(code), is_user=True)


@each_case("text", [
    "exit code is 1234", "error code for the lock is 1234", "area code is 4155", "status code: 4041", "zip code 94110", "the secret code is 40 lines",
    "pin 17 and pin 4", "set pin 2021", "pin 104, then pin 20", "the combination of 1200 rows", "pin the version to 1234", "pinned: 2024-11-26", "spin: 4711", "pin: 2.10.1", "code: 4711", "const pin = 4711px", "pin to 2026", "PIN_4711",
    "security update 2026", "the door opens at 1830", "Alarm code: 4711ms", "the alarm code is 471 lines",
])  # fmt: skip
def test_other_numbers_stay(text: str) -> None:
    assert list_found(text, is_user=True) == []


def test_a_phrase_behind_its_name_is_a_secret() -> None:
    assert list_found(f"my passphrase is {PHRASE}", is_user=True) == [PHRASE]
    assert list_found(f"the passphrase for the key: '{PHRASE}'") == [PHRASE]
    assert list_found(f'the password is "{PHRASE}", with blanks') == [PHRASE]
    assert PHRASE not in redact(f"my passphrase is {PHRASE}", is_user=True)


@each_case("text", [
    "the passphrase is required to unlock the key", "my passphrase is stored in the keychain of macOS", "passphrase: enter it twice please",
    'the password is "not set", ask the owner', "the passphrase is wrong again",
])  # fmt: skip
def test_sentences_about_phrases_stay(text: str) -> None:
    assert list_found(text, is_user=True) == []


def test_a_phrase_has_four_words_and_no_small_ones() -> None:
    assert is_phrase("lantern pebble walrus copper")
    assert not is_phrase("lantern pebble walrus")
    assert not is_phrase("lantern with a pebble for walrus")


@each_case("text", ["unlock the tablet with %s", "Handy entsperren mit %s, danke", "disarm the alarm using %s."])
def test_what_something_is_unlocked_with_is_a_secret(text: str) -> None:
    code = "48" + "1527"
    assert list_found(text % code, is_user=True) == [code]


@each_case("text", ["unlock the level with 5000 points", "unlocking with 1024 threads deadlocks", "disarm with 3000 ms delay"])
def test_counts_of_things_that_unlock_stay(text: str) -> None:
    assert list_found(text, is_user=True) == []


@each_case("piece", ["pin ", "code door ", "passphrase is a ", "pin: 1", "code is "])
def test_the_search_takes_linear_time(piece: str) -> None:
    assert grows_with_text(lambda text: list(find_access_codes(text, True)), piece, 200)
