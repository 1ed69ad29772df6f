"""Finds somebody's sentences between quotation marks: people put a word or an option of their own there, hardly ever a speech."""

from __future__ import annotations

from transforms.patterns.late_pattern import compile_late

_QUOTED = compile_late(r'(?<![\w"“”„«»])["“„«]([^"“”„«»]{30,8000}?)["”“»](?![\w"])|[「『]([^「」『』]{12,8000}?)[」』]')
_SENTENCE_END = compile_late(r"[.!?…]\s+\S|[。！？]\s*\S")
MIN_WORDS, MIN_UNSPACED_CHARS = 8, 16
"""Size of a quotation with several sentences, in words, or in characters of a script without blanks."""
_UNSPACED = compile_late(r"[぀-ヿ㐀-鿿]")


def find_quoted_sentences(text: str) -> list[tuple[int, int]]:
    """Return the stretches between quotation marks that span more than one sentence, marks included, as character offsets."""
    quotation = []
    for match in _QUOTED.finditer(text):
        words = match[1] or match[2]
        is_long = len(words.split()) >= MIN_WORDS or len(_UNSPACED.findall(words)) >= MIN_UNSPACED_CHARS
        if is_long and _SENTENCE_END.search(words):
            quotation.append((match.start(), match.end()))
    return quotation
