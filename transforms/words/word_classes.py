"""Classes of function words that grammar closes. Users write unions and differences, so that what one leaves out is seen."""

from __future__ import annotations

ARTICLES = frozenset({"a", "an", "the"})
SINGULAR_DEMONSTRATIVES = frozenset({"this", "that"})
DEMONSTRATIVES = SINGULAR_DEMONSTRATIVES | {"these", "those"}
THINGS = frozenset({"it", "they", "them"})
"""Pronouns of what was named before, of a person only in the plural."""
POINTERS = THINGS | DEMONSTRATIVES
PERSONS = frozenset({"he", "him", "she", "her"})
OBJECTS = frozenset({"me", "us", "him", "it", "them"})
"""Pronouns that stand behind a verb or a preposition; "her" and "you" have other places, too."""
FIRST_PERSONS = frozenset({"i", "we"})
SECOND_PERSONS = frozenset({"you", "u"})
POSSESSIVES_OF_PERSONS = frozenset({"his", "her"})
POSSESSIVES_OF_OTHERS = POSSESSIVES_OF_PERSONS | {"their"}
POSSESSIVES = POSSESSIVES_OF_OTHERS | {"my", "our", "your", "its"}
QUANTIFIERS = frozenset({"all", "both", "each", "every"})
PRESENT_COPULAS = frozenset({"is", "are"})
PAST_COPULAS = frozenset({"was", "were"})
COPULAS = PRESENT_COPULAS | PAST_COPULAS
AUXILIARIES = COPULAS | {"do", "does", "did", "has", "have", "had"}
"""Finite forms of "be", "do" and "have" of the third person and the plural."""
MODALS = frozenset({"can", "could", "will", "would", "shall", "should", "may", "might", "must"})
NEGATIONS = frozenset({"not", "no", "never"})
NOBODY = frozenset({"nothing", "nobody", "none"})
QUESTION_WORDS = frozenset({"what", "which", "who", "whom", "whose", "when", "where", "why", "how"})
CONDITIONS = frozenset({"if", "when", "whenever", "before", "after", "until", "unless", "once", "while", "where"})
"""Conjunctions that begin the case or the time for which something is said."""
