"""Function words: what every list of words without a topic has. Users add what has none for them."""

from __future__ import annotations

import re

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
    a about also am an and any are as at be been being but by can could did do does doing done for from get got had has have
    having he her here him his how i if in into is it its just let me my no not of off on only or our she should so some than
    that the their them then there these they this those to too up very was we were what when where which who why will with
    would you your
    """,
    )
)
"""Articles, pronouns, prepositions, conjunctions, auxiliaries and the adverbs next to them."""
