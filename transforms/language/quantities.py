"""How many there are of a thing: how a text looks that tells it, and the quantities that a question states by the way."""

from __future__ import annotations

import re

from transforms.language.answer_types import MONTH, SPELLED, UNIT

_NUMBER = rf"(?:\d[\d.,]*|{'|'.join(SPELLED)}|twenty|thirty|hundred|thousand|dozen|both|single|only (?:one|a)|no|zero)"
_QUANTITY = re.compile(
    rf"(?<!\bthe )(?<!which )(?<!what )(?<!many )(?<![\w.:/-])(?!(?:19|20)\d\d\b)(\d{{1,5}}|{'|'.join(SPELLED)})[ -]"
    rf"(?!{MONTH})([a-z]{{3,}})\b(?! (?:ago|before|after|later|earlier|from)\b)",
    re.I,
)
"""A number with its thing; neither a date nor how long ago something was."""


def counted(noun: str) -> re.Pattern[str]:
    """Texts that tell how many there are of something: a number and, at most three words on, the thing; or `things: 5`."""
    begin = _begin(noun.lower().rsplit(maxsplit=1)[-1])
    return re.compile(rf"\b{_NUMBER}[\s*`-]+(?:[\w`'/-]+\s+){{0,3}}{begin}|\b{begin}\w*\W{{1,4}}{_NUMBER}\b", re.I)


def quantities(text: str) -> tuple[re.Pattern[str], ...]:
    """Texts that tell the quantities which a question states: "48 hours" of "why was it raised to 48 hours?".

    Of "the two hosts" whoever asks has counted them: such a number need not have been said.
    """
    return tuple(_same(match[1].lower(), match[2].lower()) for match in _QUANTITY.finditer(text))


def _same(number: str, noun: str) -> re.Pattern[str]:
    digits = str(SPELLED.index(number) + 2) if number in SPELLED else number
    value = rf"(?<![\w.])(?:{digits}{f'|{SPELLED[int(digits) - 2]}' if 2 <= int(digits) <= 12 else ''})(?![\d.])"
    thing = rf"(?:{_begin(noun)}|{noun[0]}\b)" if re.fullmatch(UNIT, noun) else _begin(noun)
    return re.compile(
        rf"{value}[\s*`_-]*(?:[\w'-]+\W+){{0,2}}{thing}|{thing}\w*\W+(?:[\w'-]+\W+){{0,2}}{value}\b",
        re.I,
    )


def _begin(noun: str) -> str:
    """What the forms of a noun begin with."""
    if noun.endswith("ies") and len(noun) > 4:
        return re.escape(noun[:-3])
    return re.escape(noun.rstrip("s")[: max(4, len(noun) - 2)] if len(noun) > 3 else noun)
