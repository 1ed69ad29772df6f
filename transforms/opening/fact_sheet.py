"""A sheet of facts that answers a session's first request by words alone: small, and read without tables.

The rank is BM25 over index words (Robertson and Zaragoza 2009). Vectors and ranking features found no more answers
(`docs/decisions.md`), and loading them takes longer than a person waits.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypedDict

from transforms.language.tokenizer import tokenize, tokenize_question
from transforms.tables.ids import hash_fields
from transforms.tables.tokens import count_tokens

FACTS = 6
REQUEST_HEADING = "## From earlier sessions, about this request"
"""The heading of `request_recall.md.j2`, by which a text is known to have facts."""
REQUEST_CHARS = 2_000
"""Characters of a request that are searched for: the rest is mostly pasted."""
MIN_KNOWN_WORDS = 2
"""Words of a request that the facts of its project must know: "clear" alone links anything with anything."""
MIN_SCORE_SHARE = 0.25
"""Share of the weight of those words that a fact must have: of a long request one common word is not enough."""
K1, B = 1.2, 0.75
COMMON_SHARE, LEAST_FACTS = 0.05, 3
"""Share of a project's facts, and number of them, from which a word is often said there."""
SHARE_OF_OTHERS = 0.5
"""Share of the other projects that say a word often, too."""
ENOUGH_FACTS = 20
"""Facts of a project that can tell which words are often said in it."""


class FactSheet(TypedDict):
    """Lines of a page below their `heading`, by position: the `ids` of their facts, and the words that find them.

    A fact has several lines when it replaced others. `lengths` are in index words; `words` has for each word the positions
    where it occurs, each followed by the count there. `common` are those of them that find nothing, because the owner's other
    projects often say them, too (`common_words`).
    """

    content: str
    """Hash of everything that the sheet was made of."""
    heading: str
    keys: list[str]
    """Of each line a hash of all that the line and its words are made of: one that is known is not made again."""
    ids: list[str]
    lines: list[str]
    lengths: list[int]
    words: dict[str, list[int]]
    common: list[str]


def list_new_places(keys: Sequence[str], known: FactSheet | None) -> list[int]:
    """Return the positions of the lines that a sheet does not have yet, by their keys."""
    present = {*known["keys"]} if known else set()
    return [place for place, key in enumerate(keys) if key not in present]


def build_fact_sheet(
    heading: str,
    keys: Sequence[str],
    ids: Sequence[str],
    new_lines: Mapping[str, str],
    texts: Sequence[str],
    known: FactSheet | None = None,
) -> FactSheet:
    """Return the sheet of some facts: the keys of their lines, their ids, and the texts whose words find them.

    `new_lines` has by key the lines that the `known` sheet of the same project does not have; the others are taken from it with
    their words, because most of the work is finding words. A known sheet of the same facts is returned as it is.
    """
    content = hash_fields(heading, *keys)
    if known and known["content"] == content:
        return known
    sheet: FactSheet = {
        "content": content, "heading": heading, "keys": list(keys), "ids": list(ids), "lines": [], "lengths": [], "words": {},
        "common": [],
    }  # fmt: skip
    former = {key: place for place, key in enumerate(known["keys"])} if known else {}
    lines = {**(dict(zip(known["keys"], known["lines"], strict=True)) if known else {}), **new_lines}
    moved, fresh = dict[int, int](), defaultdict[str, list[int]](list)
    for position, (key, text) in enumerate(zip(keys, texts, strict=True)):
        sheet["lines"].append(lines[key])
        place = former.pop(key, None)  # the words of a line that stands there twice are searched twice
        if known and place is not None:
            moved[place] = position
            sheet["lengths"].append(known["lengths"][place])
            continue
        counts = Counter(tokenize(text))
        sheet["lengths"].append(counts.total())
        for word, count in counts.items():
            fresh[word] += (position, count)
    sheet["words"] = _join_words(_move_words(known, moved) if known and moved else {}, fresh)
    return sheet


def _move_words(known: FactSheet, moved: Mapping[int, int]) -> dict[str, list[int]]:
    """Return the words of a sheet with the new positions of its lines; those of lines that have none are gone."""
    import numpy as np  # openings, which have no time, read sheets and make none

    sizes = np.fromiter(map(len, known["words"].values()), np.int64, len(known["words"])) // 2
    pairs = np.fromiter(chain.from_iterable(known["words"].values()), np.int64, 2 * sizes.sum()).reshape(-1, 2)
    positions = np.full(len(known["keys"]), -1)
    positions[[*moved]] = [*moved.values()]
    pairs[:, 0] = positions[pairs[:, 0]]
    is_kept = pairs[:, 0] >= 0
    pairs, numbers = pairs[is_kept], np.repeat(np.arange(len(sizes)), sizes)[is_kept]
    ends = np.cumsum(np.bincount(numbers, minlength=len(sizes))) * 2
    flat, start, words = pairs[np.lexsort((pairs[:, 0], numbers))].ravel().tolist(), 0, dict[str, list[int]]()
    for word, end in zip(known["words"], ends.tolist(), strict=True):
        if end > start:
            words[word] = flat[start:end]
        start = end
    return words


def _join_words(words: dict[str, list[int]], fresh: Mapping[str, list[int]]) -> dict[str, list[int]]:
    """Return the words of both, sorted, each with its positions in order."""
    for word, postings in fresh.items():
        joined = [*words.get(word, ()), *postings]
        pairs = sorted(zip(joined[::2], joined[1::2], strict=True))
        words[word] = list(chain.from_iterable(pairs))
    return dict(sorted(words.items()))


def find_request_lines(sheet: FactSheet, request: str) -> list[str]:
    """Return the lines of the facts about a request, the best first; none when memory knows less than two of its words."""
    lengths = sheet["lengths"]
    telling = [word for word in tokenize_question(request[:REQUEST_CHARS]) if word not in sheet["common"]]
    known = {word: sheet["words"][word] for word in telling if word in sheet["words"]}
    if len(known) < MIN_KNOWN_WORDS:
        return []
    mean_length = sum(lengths) / len(lengths) or 1.0
    scores: dict[int, float] = defaultdict(float)
    shared: dict[int, float] = defaultdict(float)
    total = 0.0
    for postings in known.values():
        count_of_facts = len(postings) // 2
        weight = math.log(1 + (len(lengths) - count_of_facts + 0.5) / (count_of_facts + 0.5))
        total += weight
        for position, count in zip(postings[::2], postings[1::2], strict=True):
            scores[position] += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * lengths[position] / mean_length))
            shared[position] += weight
    related = [position for position in scores if shared[position] >= MIN_SCORE_SHARE * total]
    best: dict[str, str] = {}
    for position in sorted(related, key=lambda position: (-round(scores[position], 9), position)):
        best.setdefault(sheet["ids"][position], sheet["lines"][position])
    return list(best.values())[:FACTS]


def format_request_page(sheet: FactSheet, request: str, max_tokens: int) -> str:
    """Return the lines about a request below their heading within `max_tokens`, the best first; empty when there are none."""
    lines = find_request_lines(sheet, request)
    while lines:
        page = "\n\n".join([sheet["heading"], *lines]) + "\n"
        if count_tokens(page) <= max_tokens:
            return page
        lines.pop()
    return ""


def mark_common_words(sheets: Mapping[str, FactSheet]) -> dict[str, FactSheet]:
    """Return the sheets of all projects of an owner, each with the words that it shares with half of the others or more."""
    often = {project: _find_often_said(sheet) for project, sheet in sheets.items() if len(sheet["lengths"]) >= ENOUGH_FACTS}
    return {
        project: {**sheet, "common": _find_shared(_find_often_said(sheet), project, often)} for project, sheet in sheets.items()
    }


def _find_often_said(sheet: FactSheet) -> frozenset[str]:
    least = max(LEAST_FACTS, COMMON_SHARE * len(sheet["lengths"]))
    return frozenset(word for word, postings in sheet["words"].items() if len(postings) // 2 >= least)


def _find_shared(own: frozenset[str], project: str, often: Mapping[str, frozenset[str]]) -> list[str]:
    others = [words for other, words in often.items() if other != project]
    least = SHARE_OF_OTHERS * len(others)
    return sorted(word for word in own if others and sum(word in words for words in others) >= least)
