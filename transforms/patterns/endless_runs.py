"""Cuts runs without a blank that are too long to be words: expressions that look for words need time by the square of a run.

A pasted key, a picture in base64, minified code, or a dictation without a full stop: a million characters took hours.
"""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late

LONGEST_WORD = 1_000
"""Characters without a blank or mark from which nobody wrote a word; a sentence of a script without spaces is shorter, too."""
KEPT_OF_WORD = 200
LONGEST_RUN = 10_000
"""Characters without a blank, with marks between them, from which a run is a file in one line; or a chapter in Chinese."""

_MARKS = r"\s,;:.!?…()\[\]{}<>\"'`|。，、；：！？．｡､「」『』（）【】《》؛،؟۔।"
_WORD = compile_late(rf"[^{_MARKS}]+")
_RUN = compile_late(r"\S+")
_UNSPACED = compile_late(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
"""Signs of scripts without spaces between words, and of Korean."""
_UNSPACED_SHARE = 0.3


_FILLED_LINE = "^" * (KEPT_OF_WORD - 1) + "\n"
"""Stands for what is left out. Blanks in a row are slow, too; this sign is in no word, path or sentence, and in no Markdown."""


def blank_endless_runs(text: str) -> str:
    """Return a text of the same length without runs that cannot be words: of each its beginning stays, and lines of signs follow.

    In a script without spaces such a run may be what somebody said: single characters of it become line breaks instead.
    """
    if not _may_have_endless_run(text) or max(map(len, text.split()), default=0) < LONGEST_WORD:
        return text
    return _RUN.sub(_cut_run, _WORD.sub(_cut_word, text))


def _may_have_endless_run(text: str) -> bool:
    """Whether one of the characters at the distance of the longest word has half of such a word before it, or behind it."""
    half = LONGEST_WORD // 2
    return any(
        not text[place].isspace()
        and (
            len(text[place : place + half].split(None, 1)[0]) == half
            or len(text[place - half + 1 : place + 1].rsplit(None, 1)[-1]) == half
        )
        for place in range(LONGEST_WORD - 1, len(text), LONGEST_WORD)
    )


def _cut_word(match: re.Match[str]) -> str:
    return _cut(match[0], KEPT_OF_WORD) if len(match[0]) >= LONGEST_WORD else match[0]


def _cut_run(match: re.Match[str]) -> str:
    return _cut(match[0], LONGEST_RUN) if len(match[0]) > LONGEST_RUN else match[0]


def _cut(run: str, kept: int) -> str:
    if len(_UNSPACED.findall(run)) > _UNSPACED_SHARE * len(run):
        return "".join(f"{run[start : start + kept - 1]}\n" for start in range(0, len(run), kept))[: len(run)]
    rest = len(run) - kept
    return f"{run[: kept - 1]}\n{_FILLED_LINE * (rest // len(_FILLED_LINE))}{_FILLED_LINE[: rest % len(_FILLED_LINE)]}"
