"""The search for rows with names in other languages, and the form of signs in which all rows are searched."""

from __future__ import annotations

import random
from collections.abc import Iterator

import orjson
import polars as pl

from tests.each_case import each_case
from transforms.patterns.folding import fold_signs
from transforms.reading.candidates.translated_candidates import fold_rows
from transforms.reading.redact_entries import clean_entries
from transforms.redaction.names.name_words import NAME_WORDS
from transforms.redaction.redact import EVERYTHING, redact_value

DRAW = random.Random(14)
CODE = "".join(DRAW.choices("3456789", k=6))
MADE = "Vorbel!" + CODE[:3] + "Zq"
WIDE = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(33, 127)})
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def make_entry(text: str, role: str) -> dict[str, object]:
    return {"type": "message", "id": "e", "message": {"role": role, "content": [{"type": "text", "text": text}]}}


def clean(text: str, role: str) -> str:
    entry = make_entry(text, role)
    return clean_entries([entry], [orjson.dumps(entry)]).raw_json[0]


@each_case("role", ["user", "assistant", "toolResult"])
def test_no_row_is_left_out_in_which_a_name_of_any_language_has_a_value(role: str) -> None:
    """What is stored of each row holds the value only where the rules themselves leave it."""
    entries = [make_entry(text, role) for parts in NAME_WORDS.values() for text in make_texts(parts)]
    stored = clean_entries(entries, [orjson.dumps(entry) for entry in entries]).entries
    exact = [redact_value(entry, role == "user", EVERYTHING, EVERYTHING)[0] for entry in entries]
    lost = [entry for entry, row, rules in zip(entries, stored, exact, strict=True) if row == entry and rules != entry]
    assert lost == []
    assert sum(row != entry for entry, row in zip(entries, stored, strict=True)) > len(entries) / 2


def make_texts(parts: str) -> Iterator[str]:
    """Yield texts with each name of a language before a value that only a name tells."""
    passwords, codes, tokens, keys, beside = (part.split("/") for part in parts.split("|"))
    names = [*passwords, *tokens, *(f"{name} {other}" for name in (*codes, *keys) if name for other in beside[:3] if other)]
    for name in filter(None, names):
        yield from (
            f"{name}: {MADE}",
            f"{name.title()} {CODE}",
            f"… {name.upper()} = {'0a1b' * 6}",
            f"{name}: {MADE.translate(WIDE)}",
        )


@each_case(
    ("text", "secret"),
    [
        ("ＰＡＳＳＷＯＲＤ＝" + MADE.translate(WIDE), MADE.translate(WIDE)),
        ("パスワード：" + MADE.translate(WIDE) + "、続き", MADE.translate(WIDE)),
        ("PIN: " + CODE.translate(WIDE), CODE.translate(WIDE)),
        ("رمز التحقق: " + CODE.translate(ARABIC), CODE.translate(ARABIC)),
        ("key=" + ("gh" + "p_" + "Ab1" * 12).translate(WIDE), "Ab1Ab1Ab1".translate(WIDE)),
    ],
)
def test_a_secret_of_wide_letters_or_other_digits_is_no_different_and_all_around_it_stays_as_typed(
    text: str, secret: str
) -> None:
    for role in ("user", "assistant", "toolResult"):
        stored = clean("ＡＢＣ　１２３ " + text, role)
        assert secret not in stored, role
        assert "ＡＢＣ　１２３ " in stored
        assert text[:4] in stored


@each_case("text", ["合計１２３４５６円、ＡＢＣ！？", "٤٨٢١ طلب", "電話０３－１２３４－５６７８"])
def test_wide_letters_and_other_digits_without_a_secret_stay_byte_for_byte(text: str) -> None:
    for role in ("user", "assistant", "toolResult"):
        entry = make_entry(text, role)
        assert clean(text, role).encode() == orjson.dumps(entry)


def test_folded_rows_have_the_length_of_the_others_and_are_the_same_json() -> None:
    texts = [orjson.dumps({"text": text}).decode() for text in ("plain", "Ａ＂＼１", "— no digit", "٤٨", "𝐩𝐚𝐬𝐬＝１")]
    folded = fold_rows(pl.Series("json", texts)).to_list()
    assert folded == [fold_signs(text) for text in texts]
    assert [len(text) for text in folded] == [len(text) for text in texts]
    assert [orjson.loads(text)["text"] for text in folded] == ["plain", "A＂＼1", "— no digit", "48", "pass=1"]
    plain = pl.Series("json", ["a", "—"])
    assert fold_rows(plain) is plain


def test_every_character_that_folds_to_ascii_is_one_that_the_search_for_rows_folds() -> None:
    """The regular expression of the search names no character less than Unicode's data."""
    changed = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and fold_signs(chr(code)) != chr(code)]
    folded = fold_rows(pl.Series("json", changed)).to_list()
    assert [char for char, sign in zip(changed, folded, strict=True) if not sign.isascii()] == []
