"""Units of values."""

from __future__ import annotations

from transforms.words.units import FORMS_OF_UNIT, MEASURE_OF


def test_each_word_is_of_one_unit_and_each_measured_unit_has_words() -> None:
    """A word of two units would be read as the later one."""
    forms = [form for words in FORMS_OF_UNIT.values() for form in words.split()]
    assert len(set(forms)) == len(forms)
    assert MEASURE_OF.keys() <= FORMS_OF_UNIT.keys()
