"""Comparisons see one spelling of what people type in several; places lead back to what was typed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.patterns.folding import fold_with_places, fold_writing

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
