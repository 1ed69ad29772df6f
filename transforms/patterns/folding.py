"""One spelling for comparisons: what is written in another width, another form or with other digits is the same word.

Only comparisons fold: what is stored and shown stays as it was typed. All that is folded stands in Unicode's own data.
"""

from __future__ import annotations

from unicodedata import category, combining, decimal, decomposition, normalize

from transforms.patterns.late_pattern import compile_late

_LETTER_FORMS = {"wide", "narrow", "initial", "medial", "final", "isolated", "compat", "font"}
"""Kinds of compatible characters that are a letter in another form; a raised, circled or squared one says something else."""
_SIGN_FORMS = ("<wide>", "<font>")
_KEPT_SIGNS = '"\\!?,;()'
"""Signs of ASCII that `fold_signs` does not make: those that JSON reads, and those that end or part sentences without a blank."""
_WIDTHS = {"wide", "narrow"}
"""The same for marks and spaces: "…" is no three full stops."""
_VOWEL_CLASSES = range(10, 37)
"""Combining classes of the vowel signs of Hebrew, Arabic and Syriac, which most people leave out."""
_HAMZAS = range(0x653, 0x656)
"""Marks of alef, waw and yeh that most people leave out, too: madda, and the hamza above or below."""
_TATWEEL = "\u0640"
"""Makes an Arabic word longer and says nothing."""
_JAMO = range(0x1160, 0x1200)
"""Vowels and last consonants of Hangul, which form one character with what is before them."""
_ASCII = bytes(range(128))
_ACCENTS = compile_late("[\u0300-\u036f]+")
MOST_REPLACED = 32
"""Characters that are replaced one after the other; to translate a text costs as much as to replace some fifty."""


def keep_beyond_ascii(text: str) -> str:
    """Return the characters of a text that ASCII lacks: looking through these alone is many times faster."""
    return text.encode("utf-8", "surrogatepass").translate(None, _ASCII).decode("utf-8", "surrogatepass")


def fold_writing(text: str) -> str:
    """Return a text in the spelling that comparisons use; its case and its accents stay.

    Width, composed and parted characters, forms of Arabic letters, digits of any script; vowel signs, hamza and tatweel go.
    """
    if text.isascii():
        return text
    for char in set(keep_beyond_ascii(text)):  # few of them change, and replacing those is many times as fast as translating all
        if (folded := _FOLDED[ord(char)]) != char:
            text = text.replace(char, folded)
    return normalize("NFC", text)


def remove_accents(parted: str) -> str:
    """Return a text of parted characters (NFD) without the marks over and under letters that people leave out when they type.

    Dots and vowel signs of other scripts are no such marks.
    """
    return _ACCENTS.sub("", parted)


def fold_signs(text: str) -> str:
    """Return a text of the same length, with ASCII for the signs and letters of another width or font and digits of any script.

    Every character keeps its place. Quotation marks and backslashes stay, so that JSON says the same, and marks of sentences,
    which stand without a blank in the scripts that have wide ones.
    """
    if text.isascii():
        return text
    changed = [char for char in set(keep_beyond_ascii(text)) if _ASCII_SIGNS[ord(char)] != ord(char)]
    if len(changed) > MOST_REPLACED:
        return text.translate(_ASCII_SIGNS)
    for char in changed:
        text = text.replace(char, chr(_ASCII_SIGNS[ord(char)]))
    return text


def fold_with_places(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its characters where it begins in the text; behind them the length of the text."""
    if text.isascii():
        return text, list(range(len(text) + 1))
    starts = [place for place, char in enumerate(text) if place == 0 or not _continues(_FOLDED[ord(char)])]
    folded: list[str] = []
    places: list[int] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = fold_writing(text[start:end])
        folded.append(piece)
        places += [start] * len(piece)
    return "".join(folded), [*places, len(text)]


class _FoldedCharacters(dict[int, str]):
    """Characters by their number, folded when they are first seen."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_character(chr(code))
        return folded


_FOLDED = _FoldedCharacters()


class _AsciiSigns(dict[int, int]):
    """Characters by their number, and the sign of ASCII that they are another form of, found when they are first seen."""

    def __missing__(self, code: int) -> int:
        char = chr(code)
        number = decimal(char, None)
        folded = normalize("NFKC", char) if decomposition(char).startswith(_SIGN_FORMS) else char
        is_sign = len(folded) == 1 and folded.isascii() and folded not in _KEPT_SIGNS
        sign = self[code] = ord(str(number) if number is not None else folded if is_sign else char)
        return sign


_ASCII_SIGNS = _AsciiSigns()


def _fold_character(char: str) -> str:
    """Return one character folded: the empty text for a sign that people leave out."""
    number = decimal(char, None)
    if number is not None:
        return str(number)
    kind = decomposition(char).partition(">")[0].removeprefix("<") if decomposition(char).startswith("<") else ""
    is_folded = not kind or kind in (_LETTER_FORMS if category(char)[0] in "LM" else _WIDTHS)
    parts = normalize("NFKD" if is_folded else "NFD", char)
    return normalize("NFC", "".join(part for part in parts if not _is_left_out(part)))


def _is_left_out(char: str) -> bool:
    return char == _TATWEEL or ord(char) in _HAMZAS or combining(char) in _VOWEL_CLASSES


def _continues(folded: str) -> bool:
    """Whether a folded character belongs to the one before it."""
    return not folded or category(folded[0])[0] == "M" or ord(folded[0]) in _JAMO
