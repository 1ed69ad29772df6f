"""Secrets that a person notes behind or below a label."""

# ruff: noqa: E501 - a made text is read best on one line

import hashlib
import random
import secrets as tokens

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.growth import grows_with_text
from transforms.redaction.redact import redact
from transforms.redaction.written.label_lines import find_label_lines

DRAW = random.Random(23)
WORDS = st.lists(
    st.sampled_from(("blue", "kettles", "Harbour", "otter", "vrba", "Sieben", "tins", "lune")), min_size=2, max_size=5
)
LABELS = st.sampled_from(("pw", "password", "Passwort", "contraseña", "app password", "пароль", "wifi psk"))


def find(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in find_label_lines(text)]


@given(LABELS, WORDS, st.integers(2, 99), st.sampled_from(("", " (exclamation mark belongs to it)", " # from the sticker")))
def test_the_words_of_a_label_go_to_the_end_of_the_line(label: str, words: list[str], number: int, aside: str) -> None:
    value = f"{' '.join(words)} {number}"
    text = f"ssh deploy@192.0.2.7\n{label}: {value}{aside}\nplease look why nginx does not start"
    assert find(text) == [value]
    assert value not in redact(text, is_user=True)
    assert redact(text) == text or value in redact(text, is_user=False) or label in redact(text)


@given(st.sampled_from(("the token of the shop", "my new api key", "client secret")), st.integers(10**5, 10**9))
def test_the_word_below_a_label_with_a_colon_goes(label: str, number: int) -> None:
    value = f"APP-{number}-{hashlib.sha256(str(number).encode()).hexdigest()[:32]}"
    assert find(f"{label}:\n\n{value}\n\nput it into .env") == [value]


def test_groups_of_letters_words_with_marks_and_keys_go_where_the_name_introduces_them() -> None:
    groups = " ".join("".join(DRAW.choices("bcdfghjkz", k=4)) for _ in range(4))
    assert find(f"user a@b.example\napp password {groups}\nport 587") == [groups]
    assert find("heslo na databazi je kremilek" + "+vochomurka, stare neplati") == ["kremilek" + "+vochomurka"]
    key = tokens.token_hex(32)
    assert set(find(f"passkey of the live shop is here {key} , same code")) == {key}


@each_case("text", [
    "password: see the wiki page 12", "password: 8 characters at least", "passwort: wie immer 2 mal klicken", "password: 3 retries then lockout",
    "pass_threshold: Optional[float] = None", "password: str | None = 3", "the password is read-only", "the password is user@db1.example",
    "keys:\nsrc/app/main.py", "The password check:\ntests/test_login.py", "password\nfoo.py", "our app password that will open this",
    "the key of the cache is sha " + "ab12" * 8, "commit of the token change is " + "ab12" * 8, "password: foo = bar[2] more",
])  # fmt: skip
def test_remarks_code_files_and_sums_stay(text: str) -> None:
    assert find(text) == []


@each_case("part", ["password: x 1 ", "password: x 1\n", "key is ab "])
def test_the_search_takes_linear_time(part: str) -> None:
    assert grows_with_text(lambda text: list(find_label_lines(text)), part, 60)
