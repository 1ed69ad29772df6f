"""Recognise words that begin or continue a topic: requests, thanks, farewells and words that refer back.

These are common phrases of English conversation; the caller weighs them. In other languages the remaining features are the
change of words, questions, lengths and speakers.
"""

from __future__ import annotations

import re

from transforms.patterns.late_pattern import compile_late
from transforms.windowing.boundary_features import is_continuation

_REQUEST_CUE = compile_late(
    r"\b(?:i|we)(?:['’](?:m|d|ll|re)| am| are| would| will)? ?(?:(?:also|really|just|still|now) )?"
    r"(?:need|want|wanted|looking|like to|trying|wonder\w*|have (?:a|another|some) questions?)\b"
    r"|\bam (?:looking|trying|searching|interested)\b|\b(?:searching|interested) (?:for|in)\b"
    r"|\b(?:can|could|would|will) you\b|\bplease\b|\b(?:help|tell|show|find|give|get|remind|let) (?:me|us)\b|\blet['’]?s\b",
    re.IGNORECASE,
)

_LEADING_WORDS = r"\W*(?:(?:ok|okay|and|so|but|now|then|please|also|hey|hi|hello|great|thanks|alright|well|actually|yes|no)\W+)*"
_BE_OR_DO = r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|have|has|may|shall|might)"
_QUESTION = compile_late(
    rf"{_LEADING_WORDS}(?:(?:what|where|when|who|how|why)(?:['’]s| {_BE_OR_DO})\b|(?:what|which) \w+ {_BE_OR_DO}\b"
    r"|how (?:much|many|long|far|often|soon|late|early)\b"
    rf"|{_BE_OR_DO} (?:the|there|this|that|it|i|you|we|they|he|she|my|your|any)\b)",
    re.IGNORECASE,
)
"""A question by its word order, since many are typed without a question mark."""

_IMPERATIVE = compile_late(
    _LEADING_WORDS
    + r"(?:find|show|tell|give|get|search|look|check|list|play|call|set|open|add|make|create|schedule|send|start|explain|write"
    r"|read|remove|change|fix|run|book|order|remind|help)\b",
    re.IGNORECASE,
)

_OFFERS_MORE = compile_late(
    r"\b(?:any(?:thing)?|something|what|nothing|who|where) else\b"
    r"|\b(?:any (?:other|more|further)|further|additional|other|more|else) (?:assistance|help|questions?|services?|needs?)\b"
    r"|\b(?:help|assist) you (?:further|with (?:any|some)thing)\b"
    r"|\bthat(?:['’]s|['’]ll be| is| will be) (?:all|it|everything)\b|\ball set\b",
    re.IGNORECASE,
)
"""How a speaker closes a topic: "anything else?", "that's all"."""

_FAREWELL = compile_late(
    r"\byou(?:['’]re| are|r)? (?:\w+ )?welcome\b|\b(?:my|our) pleasure\b"
    r"|\b(?:glad|happy) (?:to (?:help|assist|be)|i could|we could|that i)\b|\benjoy (?:your|the|it)\b"
    r"|\bhave an? (?:\w+ ){0,3}(?:day|night|evening|morning|afternoon|trip|time|stay|meal|weekend|one)\b"
    r"|\bgood ?-?bye\b|\bbye\b|\btake care\b|\bsee you\b",
    re.IGNORECASE,
)

_THANKS = compile_late(r"\b(?:thanks|thank|thx|cheers|appreciate)\b", re.IGNORECASE)

_REFERS_BACK = compile_late(
    r"\b(?:it|its|that|this|those|these|they|them|their|there|he|she|him|her|ones?|same|then|instead|too|either)\b",
    re.IGNORECASE,
)


def is_question_or_request(turn: str) -> bool:
    """Whether a turn asks a question or for something to be done."""
    return "?" in turn or bool(_REQUEST_CUE.search(turn) or _QUESTION.match(turn) or _IMPERATIVE.match(turn))


def is_answer(before: str) -> bool:
    """Whether the next turn is an answer: this one ends with a question other than "anything else?"."""
    return before.rstrip().endswith("?") and not _OFFERS_MORE.search(before)


def is_closed(turn: str, before: str, earlier: str) -> bool:
    """Whether the previous turns closed the topic: an offer of more help, a farewell, or thanks that were answered."""
    return bool(_OFFERS_MORE.search(before) or _FAREWELL.search(before) or (_THANKS.search(earlier) and not _THANKS.search(turn)))


def count_continuation_signs(turn: str) -> int:
    """Count the signs that a turn continues the topic: its beginning, a word that refers back, thanks."""
    return int(is_continuation(turn)) + bool(_REFERS_BACK.search(turn)) + bool(_THANKS.search(turn) or _FAREWELL.search(turn))
