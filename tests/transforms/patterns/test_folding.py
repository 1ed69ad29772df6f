"""Comparisons see one spelling of what people type in several; places lead back to what was typed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.patterns.folding import MOST_REPLACED, fold_signs, fold_with_places, fold_writing, keep_beyond_ascii

TEXTS = st.text(st.sampled_from("aé1e\u0301１٣ｶﾞカ\u3099がأا\u0654\u0655ـﻼمُ가ᄀ\u1161\u11a8－…ﬁ　 "), max_size=9)


def test_width_form_and_digits_are_one_spelling_and_all_else_stays() -> None:
    """A raised letter, a fraction, a circled number and three dots say something of their own; accents have their own folding."""
    assert fold_writing("ＭｙＳＱＬ８ ｷｬｯｼｭ　３０００") == "MySQL8 キャッシュ 3000"
    assert fold_writing("الإيموجـي مُحَمَّد ٣٠٪") == "الايموجي محمد 30٪"
    assert fold_writing("1º … ½ x² ① é ё") == "1º … ½ x² ① é ё"


@given(TEXTS)
def test_a_folded_text_stays_as_it_is_and_its_places_lead_back(text: str) -> None:
    """Each folded character has the place of the piece that it was made of."""
    folded, places = fold_with_places(text)
    assert folded == fold_writing(text) == fold_writing(folded)
    assert len(places) == len(folded) + 1
    assert places == sorted(places)
    assert places[-1] == len(text)


def test_signs_fold_at_their_places_and_marks_of_sentences_and_of_json_stay() -> None:
    """A raised digit and a letter of another script are no signs of ASCII."""
    assert fold_signs("ＡＰＩ＿ＫＥＹ＝ｘ９　٤٣ ４२") == "API_KEY=x9 43 42"
    assert fold_signs("やめて！？（＂＼，；） x² ① ｶ é") == "やめて！？（＂＼，；） x² ① ｶ é"


WIDE_LETTERS = "".join(chr(code) for code in range(0xFF21, 0xFF21 + 26))


@given(st.text(st.sampled_from("aZ1 é–│中Ａ９＝٣\u0301\ud800" + WIDE_LETTERS), max_size=90))
def test_signs_of_a_text_fold_as_each_does_alone(text: str) -> None:
    """Few different signs are replaced one by one, many are translated; half of a surrogate pair is no sign."""
    assert fold_signs(text) == "".join(map(fold_signs, text))
    assert fold_signs(WIDE_LETTERS * 2 + "３４５６７８９" + text) == "".join(
        map(fold_signs, WIDE_LETTERS * 2 + "３４５６７８９" + text)
    )
    assert len(WIDE_LETTERS) + 7 > MOST_REPLACED


@given(st.text(alphabet="aZ é–✓│中가\u0301\ud800", max_size=20))
def test_only_characters_beyond_ascii_are_kept_and_in_order(text: str) -> None:
    assert keep_beyond_ascii(text) == "".join(char for char in text if not char.isascii())
