"""Words a line of what a person said and no judge proposed: for the page that names it, and for the owner who takes it over."""

from __future__ import annotations

from transforms.exchanges.chosen_option import points_behind
from transforms.language.clauses import drop_frequency
from transforms.language.entities import count_specifics
from transforms.language.sentences import CHARS_PER_WORD, find_content_words, is_unspaced
from transforms.memory.normalise_claim import extract_claims, find_quote
from transforms.pages.memory_md import MAX_LINE_CHARS
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops
from transforms.quoting.closed_cut import cut_closed
from transforms.quoting.whole_claim import FEW_WORDS, FEWEST_WORDS
from transforms.tables.enums import STANDING_KINDS
from transforms.tables.fact_notes import cut_notes

_LEANS_ON = compile_late(r'" \((?:about|asked|chosen): ')
"""What the offline engine notes behind words that answer somebody else's."""
_TELLS_CHOICE = compile_late(r'" \((?:asked|chosen): |; chosen: ')
"""What it notes behind the words of an answer: then a line of the answer has what was chosen, or asked."""


def word_held_line(text: str) -> str:
    """Return an observation as one line, in the words of the person and whole: the quotation, without what was noted beside it.

    An answer is told as a proposal of it would be: behind its question, or as the option that was chosen. A quotation in brackets
    is none of the person's words: it tells what was turned down, or how something was.
    """
    return cut_closed(_word_answer(text) or drop_end_stops(" ".join(_find_said(text).split())), MAX_LINE_CHARS)


def names_matter(text: str, kind: str) -> bool:
    """Whether the line of an observation tells a reader what it is about.

    What answers somebody else ("na, let's give it a try") must name more than a rule, which says by itself what it binds.
    """
    if _word_answer(text):
        return True
    said = _find_said(text)
    is_answer = bool(_LEANS_ON.search(text))
    if is_answer and points_behind(said):
        return False
    least = FEW_WORDS if is_answer and kind not in STANDING_KINDS else FEWEST_WORDS
    return _count_named(said) > least or count_specifics(said) > 0


def _find_said(text: str) -> str:
    kept = cut_notes(text)
    head = kept.partition('"')[0]
    return (find_quote(kept) if head.count("(") == head.count(")") else None) or kept


def _word_answer(text: str) -> str:
    """Return the line of an answer that stands alone with its question or option; empty when the row tells none."""
    return next(iter(extract_claims(text)), "") if _TELLS_CHOICE.search(text) else ""


def _count_named(words: str) -> int:
    """Return the number of words that name something; in a script whose letters count as words, by its letters at most."""
    return len(find_content_words(drop_frequency(words))) // (CHARS_PER_WORD if is_unspaced(words) else 1)
