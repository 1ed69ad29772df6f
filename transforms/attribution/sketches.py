"""Sketches of long texts: a few hashes that texts with shared passages share, for comparison over the whole lake.

The hashes are chosen by winnowing (Schleimer, Wilkerson and Aiken 2003, "Winnowing: local algorithms for document
fingerprinting"): in each window of runs of words the smallest hash is kept, so that a passage is found in any text around it.
Numbers are left out, because templates are filled with them.
"""

from __future__ import annotations

import zlib

from transforms.patterns.late_pattern import compile_late

_WORD_OR_IDEOGRAPH = compile_late(r"[぀-ヿ㐀-鿿가-힯]|[^\W\d_]+")
RUN_WORDS = 4
WINDOW_RUNS = 4
MAX_WORDS = 3000
"""Further words of a text are not compared."""


def split_sketch_words(text: str) -> list[str]:
    """Return the words that are compared, in lower case."""
    return _WORD_OR_IDEOGRAPH.findall(text.lower())[:MAX_WORDS]


def sketch_text(text: str) -> list[int]:
    """Return the hashes of a text, sorted, each once; none for a text of fewer than RUN_WORDS words."""
    words = split_sketch_words(text)
    runs = [zlib.crc32(" ".join(words[start : start + RUN_WORDS]).encode()) for start in range(len(words) - RUN_WORDS + 1)]
    if len(runs) <= WINDOW_RUNS:
        return sorted({min(runs)}) if runs else []
    return sorted({min(runs[start : start + WINDOW_RUNS]) for start in range(len(runs) - WINDOW_RUNS + 1)})
