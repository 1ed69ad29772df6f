"""The words that an owner's projects share: they name no matter of one project, in whatever language they are.

The index leaves out English stop words alone. Of a French first prompt "je" and "dans" found facts; a list per language would be
one more for each owner, and what is said everywhere can be counted.
"""

from __future__ import annotations

from collections.abc import Mapping

from transforms.opening.fact_sheet import FactSheet

COMMON_SHARE, LEAST_FACTS = 0.05, 3
"""Share of a project's facts, and number of them, from which a word is often said there."""
SHARE_OF_OTHERS = 0.5
"""Share of the other projects that say a word often, too."""
ENOUGH_FACTS = 20
"""Facts of a project that can tell which words are often said in it."""


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
