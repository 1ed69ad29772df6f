"""Finds decisions whose picked option the owner names again later beside an option that was left: it may have been taken back.

Words of giving up are many, and each language has its own. The form of the question tells enough: who speaks of both options
again speaks of the choice. What was said then may also confirm it, so the decision stays, with the later words beside it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from transforms.language.sentences import find_content_words
from transforms.language.statement import split_claim
from transforms.language.tokenizer import tokenize
from transforms.patterns.late_pattern import compile_late

MOST_NAME_WORDS = 4
"""Words of an option that is a name; longer ones are sentences, whose words stand everywhere."""
MOST_STATEMENT_CHARS = 300
"""Longer messages have many subjects."""
_PICKED = compile_late(r"\bchosen: (?P<picked>.+?); not: ")
_LEFT = compile_late(r"; not: (?P<left>[^()]+)")
_HEAD = compile_late(r"\s*[(:,;–—].*", re.DOTALL)


class StatedFact(NamedTuple):
    """A fact; `is_choice` may be a decision in force, `is_owners` are the owner's words, and no question alone."""

    id: str
    project: str
    said_at: datetime
    text: str
    is_choice: bool
    is_owners: bool


def find_named_again(facts: Iterable[StatedFact]) -> dict[str, str]:
    """Return the id of each decision whose options are both named again → the last later statement of the owner that does."""
    by_project: defaultdict[str, list[StatedFact]] = defaultdict(list)
    for fact in facts:
        by_project[fact.project].append(fact)
    named: dict[str, str] = {}
    for rows in by_project.values():
        ordered = sorted(rows, key=lambda row: (row.said_at, row.id))
        choices = [(row, *options) for row in ordered if row.is_choice and (options := _read_options(row.text))]
        for choice, picked, left in choices:
            for row in ordered:
                if row.is_owners and row.said_at > choice.said_at and _names_both(row.text, picked, left):
                    named[choice.id] = row.id
    return named


def _names_both(text: str, picked: frozenset[str], left: tuple[frozenset[str], ...]) -> bool:
    """Whether a short statement names the picked option and, in other words, one that was left."""
    claim = split_claim(text).claim
    if len(claim) > MOST_STATEMENT_CHARS or claim.endswith(("?", "？", "؟")):
        return False
    words = _list_words(claim)
    return picked <= words and any(other <= words for other in left)


def _read_options(text: str) -> tuple[frozenset[str], tuple[frozenset[str], ...]] | None:
    """Return the words of the picked option and those that only each of the others has; None where no option is a name."""
    parts = split_claim(text)
    left = _LEFT.search(parts.rest)
    if left is None:
        return None
    marked = _PICKED.search(parts.rest)
    picked = _read_name(marked["picked"] if marked else parts.claim)
    others = [_read_name(option) - picked for option in left["left"].split("; ")]
    return (picked, tuple(filter(None, others))) if picked and any(others) else None


def _read_name(option: str) -> frozenset[str]:
    """Return the words of an option without its explanation; none when they are many or function words alone."""
    head = _HEAD.sub("", unicodedata.normalize("NFKC", option))
    words = _list_words(head)
    return words if len(head.split()) <= MOST_NAME_WORDS and find_content_words(head) else frozenset()


@lru_cache(maxsize=16_384)
def _list_words(text: str) -> frozenset[str]:
    return frozenset(tokenize(unicodedata.normalize("NFKC", text).casefold()))
