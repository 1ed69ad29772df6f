"""Tells which texts are over because newer words of the owner say so, where both are known to be about one thing.

Less proof is asked for than where a fact is retired: the newer words name a number of the older text as the former one, or retire
a clause of it. A name that they deny ("not in the log", "so much for X") is none: of sixty such marks three were right. A reader
who sees both loses nothing when the older one only goes behind or is told as what was before.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise

from transforms.exchanges.replaced_values import begins_elsewhere, find_replaced_words, profile_claim_words
from transforms.language.relative_dates import MAY_END
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_sentences, split_words
from transforms.language.similarity import select_subject_words
from transforms.language.statement import parse_statement, split_claim
from transforms.language.tokenizer import write_numbers
from transforms.memory.claim_clauses import ClaimClause, find_asserted_clauses, find_carrying_clauses
from transforms.memory.supersession import find_retirement
from transforms.patterns.stops import drop_end_stops
from transforms.tables.enums import PERSON_KINDS

MOST_CHARS = 600
"""Longer texts have many subjects: one that replaces something in them replaces little of it."""
MIN_SHARED_WORDS = 2
"""Content words that a sentence shares with what names its number as a former one."""
FormerNumbers = tuple[frozenset[str], frozenset[str]]
"""Content words of a sentence, and the numbers that it names as former ones."""
CHANGING_KINDS = PERSON_KINDS | {"request"}
"""Kinds of the owner's words that may say that something is over."""
STATED_KIND = "decision"
"""The kind as which texts are compared: a turn has none."""
_NUMBER = r"(?<![\w.,:])(?P<value>\d+(?:[.,:]\d+)*)(?:\s?(?P<unit>[^\W\d_]+))?"


def _list_changes(newer: str) -> list[ClaimClause]:
    """Return the clauses of a text that may name a number as the former one beside another one."""
    clauses = find_asserted_clauses(split_claim(newer).claim)
    return [clause for clause in clauses if len(list_numbers(clause.text)) > 1 and (clause.is_explicit or clause.replaced_starts)]


@lru_cache(maxsize=256)  # pieces of one message and facts of one turn are compared with the same hits
def says_replaced(older: str, newer: str) -> bool:
    """Whether the newer text says that a value of the older one, a short text, is over."""
    if len(older) > MOST_CHARS:
        return False
    claim = split_claim(newer).claim
    clauses = find_asserted_clauses(claim)
    if any(_takes_number(older, clause) for clause in _list_changes(newer)):
        return True
    carrying = find_carrying_clauses(split_claim(older).claim)
    return bool(find_retirement((STATED_KIND, carrying), (STATED_KIND, clauses), is_same_project=True))


def swap_former_number(older: str, newer: str) -> str:
    """Return the older text with the new number in the place of the former one; empty
    where it is not plain which is which, and for a text that ends some day."""
    changes = {change for clause in _list_changes(newer) if (change := _find_taken_numbers(older, clause))}
    (former, come), *others = [*changes] or [(frozenset[str](), frozenset[str]())]
    if others or len(former) != 1 or len(come) != 1 or re.search(MAY_END, older):
        return ""
    place = rf"(?<![\w.,:]){re.escape(next(iter(former)))}(?!\w|[.,:]\d)"
    return re.sub(place, next(iter(come)), older) if len(re.findall(place, older)) == 1 else ""


def _takes_number(older: str, clause: ClaimClause) -> bool:
    return bool(_find_taken_numbers(older, clause))


def _find_taken_numbers(older: str, clause: ClaimClause) -> FormerNumbers | None:
    """Return the numbers of the older text that a clause names as former ones, and the new ones beside them, of the same unit or
    subject; None without both."""
    old, new = list_numbers(older), list_numbers(clause.text)
    named = {word for word in find_replaced_words(clause.text) if any(map(str.isdigit, word))}
    former = {value for value in new if value in old and (value in named or (clause.is_explicit and not named))}
    come = new.keys() - old.keys()
    if not former or not come or begins_elsewhere(profile_claim_words(older), clause.text):
        return None
    if not named:  # words of change alone: the new number must be of the kind of the one that goes
        come = {value for value in come if any(_is_of_kind(value, new[value], other, old[other]) for other in former)}
        return (frozenset(former), frozenset(come)) if come else None
    units = {unit for value in former for unit in old[value]} & {unit for value in come | former for unit in new[value]}
    subjects = [select_subject_words(parse_statement(text)) for text in (split_claim(older).claim, clause.text)]
    return (frozenset(former), frozenset(come)) if units or subjects[0] & subjects[1] else None


def _is_of_kind(value: str, units: Collection[str], former: str, former_units: Collection[str]) -> bool:
    """Whether two numbers are of so many of the same thing, or both times of day."""
    return any(unit in former_units for unit in units) or (":" in value and ":" in former)


@lru_cache(maxsize=1024)
def list_numbers(text: str) -> dict[str, set[str]]:
    """Return the numbers of a text, each with the words behind it."""
    numbers: dict[str, set[str]] = {}
    for match in re.finditer(_NUMBER, write_numbers(text)):
        numbers.setdefault(match["value"], set()).update(split_words(match["unit"] or ""))
    return numbers


def list_former_numbers(text: str) -> list[FormerNumbers]:
    """Return the content words of each sentence that names numbers as former ones ("16 pages instead of twelve"), with these."""
    named = ((sentence, find_replaced_words(sentence)) for sentence in split_sentences(text))
    numbers = ((sentence, frozenset(filter(str.isdigit, words))) for sentence, words in named)
    return [(frozenset(find_content_words(sentence)), former) for sentence, former in numbers if former]


def drop_former_numbers(line: str, newer: Collection[FormerNumbers]) -> str:
    """Return a line without the sentences of which newer words name a number as the former one (`list_former_numbers`).

    Empty when it is the claim: the first sentence, or the one behind a question.
    """
    sentences = split_sentences(line)
    claimed = 1 + (len(sentences) > 1 and sentences[0].endswith(QUESTION_MARKS))

    def is_former(sentence: str) -> bool:
        """Whether newer words name a number of the sentence, and the thing that it counts or two other words of it."""
        words = [word.strip(".,;:!?()") for word in write_numbers(sentence).casefold().split()]
        if not newer or not any(map(str.isdigit, words)):
            return False
        own, content = frozenset(words), find_content_words(sentence)
        for said, former in newer:
            if gone := former & own:
                shared = (content & said) - former
                counted = {after for number, after in pairwise(words) if number in gone}
                if len(shared) >= MIN_SHARED_WORDS or counted & shared:
                    return True
        return False

    kept = [sentence for place, sentence in enumerate(sentences) if place < claimed or not is_former(sentence)]
    is_over = any(is_former(sentence) for sentence in sentences[:claimed])
    return "" if is_over else line if len(kept) == len(sentences) else drop_end_stops(" ".join(kept))
