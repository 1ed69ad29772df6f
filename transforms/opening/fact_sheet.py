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


class FactSheet(TypedDict):
    """Lines of a page below their `heading`, by position: the `ids` of their facts, and the words that find them.

    A fact has several lines when it replaced others. `lengths` are in index words; `words` has for each word the positions
    where it occurs, each followed by the count there.
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
    }  # fmt: skip
    former = {key: place for place, key in enumerate(known["keys"])} if known else {}
    moved, words = dict[int, list[int]](), defaultdict[str, list[tuple[int, int]]](list)
    for position, (key, text) in enumerate(zip(keys, texts, strict=True)):
        if known and (place := former.get(key)) is not None:
            moved.setdefault(place, []).append(position)
            sheet["lines"].append(known["lines"][place])
            sheet["lengths"].append(known["lengths"][place])
            continue
        counts = Counter(tokenize(text))
        sheet["lines"].append(new_lines[key])
        sheet["lengths"].append(counts.total())
        for word, count in counts.items():
            words[word].append((position, count))
    for word, postings in known["words"].items() if known else ():
        pairs = zip(postings[::2], postings[1::2], strict=True)
        if kept := [(position, count) for place, count in pairs for position in moved.get(place, ())]:
            words[word] += kept
    sheet["words"] = {word: list(chain.from_iterable(sorted(pairs))) for word, pairs in sorted(words.items())}
    return sheet


def find_request_lines(sheet: FactSheet, request: str) -> list[str]:
    """Return the lines of the facts about a request, the best first; none when memory knows less than two of its words."""
    lengths = sheet["lengths"]
    known = {word: sheet["words"][word] for word in tokenize_question(request[:REQUEST_CHARS]) if word in sheet["words"]}
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
