"""Bytes tell which structures a text can hold."""

from transforms.redaction.structure_signs import DIGIT_GROUPS, has_sign, map_letters, may_hold_seed_phrase


def test_letters_and_digits_are_alike_and_other_bytes_stay() -> None:
    assert map_letters("aZ9-é") == b"aaa-" + "é".encode()
    assert has_sign(map_letters("-".join(["123456"] * 8)), DIGIT_GROUPS)
    assert not may_hold_seed_phrase("a sentence of some words that is long enough to be one of them", 12)
