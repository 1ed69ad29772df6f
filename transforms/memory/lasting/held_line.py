"""Words a line of what a person said and no judge proposed: for the page that names it, and for the owner who takes it over."""

from __future__ import annotations

from transforms.exchanges.chosen_option import capitalise
from transforms.memory.normalise_claim import find_quote
from transforms.pages.memory_md import MAX_LINE_CHARS
from transforms.patterns.stops import drop_end_stops
from transforms.quoting.closed_cut import cut_closed
from transforms.tables.fact_notes import cut_notes


def word_held_line(text: str) -> str:
    """Return the words of an observation as one line, whole: the quotation, without what was noted beside it.

    A quotation in brackets is none of them: it tells what was turned down, or how something was.
    """
    kept = cut_notes(text)
    head = kept.partition('"')[0]
    said = (find_quote(kept) if head.count("(") == head.count(")") else None) or kept
    return cut_closed(capitalise(drop_end_stops(" ".join(said.split()))), MAX_LINE_CHARS)
