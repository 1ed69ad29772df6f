"""Cuts a long text down to the lines that speak of certain facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import fsum

from transforms.distil.compact_blocks import cut_middle
from transforms.language.sentences import find_content_words, split_sentences

LONGEST_UNIT = 220
"""Characters of a line that is taken or left as a whole; a longer one is cut at its sentences, then anywhere."""
STEM = 5
"""First letters of a word that two texts share when they speak of the same thing."""
GAP = "…"
SPARE_CHARS = 40
"""Characters over the limit with which a text is still shown whole."""


def list_stems(text: str) -> frozenset[str]:
    """Return the beginnings of the content words of a text; numbers count whole."""
    return frozenset(word if word.isdigit() else word[:STEM] for word in find_content_words(text))


def cut_excerpt(text: str, wanted: Sequence[frozenset[str]], weights: Mapping[str, float], limit: int) -> str:
    """Return at most about `limit` characters of a text: the lines with most of the wanted stems, in order, gaps marked.

    `wanted` holds the stems of each fact that the text is read for; all of them get their lines. Without a common word the
    beginning and the end are returned.
    """
    if len(text) <= limit + SPARE_CHARS:
        return text
    units = list(_split_units(text))
    stems = [list_stems(unit) for unit in units]
    if not any(unit & fact for unit in stems for fact in wanted):
        return cut_middle(text, limit, 0.5)
    weights_by_fact = [dict.fromkeys(fact, 1.0) for fact in wanted]
    chosen: set[int] = set()
    room = limit
    while room > 0:
        gains = {
            index: fsum(weights.get(stem, 1.0) * fact[stem] for fact in weights_by_fact for stem in unit if stem in fact)
            / (40 + len(units[index])) ** 0.5
            for index, unit in enumerate(stems)
            if index not in chosen
        }
        best = max(gains, key=lambda index: (gains[index], -index), default=-1)
        if best < 0 or gains[best] <= 0:
            break
        chosen.add(best)
        room -= len(units[best])
        for fact in weights_by_fact:
            for stem in stems[best] & fact.keys():
                fact[stem] *= 0.4  # said again it may be the other value, but a new word comes first
    for index in sorted(chosen):  # the next line often completes it
        if room > 0 and index + 1 < len(units) and index + 1 not in chosen:
            chosen.add(index + 1)
            room -= len(units[index + 1])
    return _join_units(units, chosen)


def _split_units(text: str) -> list[str]:
    units: list[str] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        parts = [line] if len(line) <= LONGEST_UNIT else split_sentences(line)
        units += [part[start : start + LONGEST_UNIT] for part in parts for start in range(0, len(part), LONGEST_UNIT)]
    return units


def _join_units(units: Sequence[str], chosen: set[int]) -> str:
    lines: list[str] = []
    last = -1
    for index in sorted(chosen):
        lines += [GAP] if index > last + 1 else []
        lines.append(re.sub(r"[ \t]+", " ", units[index]).strip())
        last = index
    return "\n".join([*lines, *([GAP] if last < len(units) - 1 else [])])
