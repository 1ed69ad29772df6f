"""A sheet of facts that answers a session's first request by words alone: small, and read without tables.

The rank is BM25 over index words (Robertson and Zaragoza 2009). Vectors and ranking features found no more answers
(`docs/decisions.md`), and loading them takes longer than a person waits.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
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


class FactSheet(TypedDict):
    """Lines of a page below their `heading`, by position: the `ids` of their facts, and the words that find them.

    A fact has several lines when it replaced others. `lengths` are in index words; `words` has for each word the positions
    where it occurs, each followed by the count there. `common` are those of them that find nothing, because the owner's other
    projects often say them, too (`common_words`).
    """

    content: str
    """Hash of everything that the sheet was made of."""
    heading: str
    ids: list[str]
    lines: list[str]
    lengths: list[int]
    words: dict[str, list[int]]
    common: list[str]


def build_fact_sheet(
    heading: str, ids: Sequence[str], lines: Sequence[str], texts: Sequence[str], known: FactSheet | None = None
) -> FactSheet:
    """Return the sheet of some facts: their ids, their lines below a heading, and the texts whose words find them.

    A `known` sheet of the same facts is returned as it is: most of the work is finding words.
    """
    content = hash_fields(heading, *ids, *lines, *texts)
    if known and known["content"] == content:
        return known
    words: dict[str, list[int]] = defaultdict(list)
    lengths = []
    for position, text in enumerate(texts):
        counts = Counter(tokenize(text))
        lengths.append(counts.total())
        for word, count in counts.items():
            words[word] += (position, count)
    return {
        "content": content,
        "heading": heading,
        "ids": list(ids),
        "lines": list(lines),
        "lengths": lengths,
        "words": dict(sorted(words.items())),
        "common": [],
    }


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
