"""Resolves an owner's short answer against an offer: numbers, letters, ordinals, "both" and "none", or words of one option.

The classes are closed: labels, ordinal numerals, quantifiers, and the function words that may stand around them. A numeral that
counts ("2 files"), an article ("a bit more"), the subject of a remark ("1 is clever") and a list of the owner's own point at
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from transforms.exchanges.offers import Offer
from transforms.language.answer_types import SPELLED
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_words
from transforms.patterns.late_pattern import compile_late

MAX_ANSWER_WORDS = 45
"""A longer message states its own decision."""
MAX_NAMING_WORDS = 14
"""Words of an answer that names an option by its words."""
NAMED_SHARE = 0.5
"""Share of the content words of a clause above which the words of one option name it."""
DENYING = compile_late(r"\b(?:not|no|never|nor|without|neither)\b|n't\b", re.I)
"""A clause that denies names nothing that it picks."""
_PHRASE = compile_late(r"\s(?:for|in|on|at|with|to|from|of|as|by|under|behind|inside|into|per|during)\s", re.I)
"""The beginning of a prepositional phrase."""
ASKING = compile_late(r"(?:what|why|how|who|whose|when|where|which)\b", re.I)
_PRO_FORMS = frozenset({"one", "ones", "option", "choice", "take", "use", "go", "way"})
ORDINALS = {
    "first": 0, "1st": 0, "former": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4,
    "last": -1, "latter": -1,
}  # fmt: skip
MIDDLE = "middle"
NUMERALS = {"one": "1", **{word: str(number) for number, word in enumerate(SPELLED[:5], 2)}}
"""Numbers as people dictate them, at the beginning of an answer to numbered options."""
CLAUSE_END = compile_late(r"[.!?;:…\n]+(?:\s|$)|\s[-–—]+\s|,\s+(?!(?:and\s+)?(?:#?\d{1,2}|[A-Ha-h])\b)")
_LEADING = (
    r"(?:(?:ok(?:ay)?|yes|yep|yeah|yup|no|nah|na|hm+|so|then|well|and|please|just|only|let's|lets|let|us|we|i|i'd|i'll|would|will"
    r"|should|say|go|going|do|does|take|try|use|pick|choose|want|with|for|to|on|it|is|it's|its|be|in|that|this|the|your"
    r"|options?|choices?|number|nr|no\.|plan|point)[\s,]+)*?"
)
"""Words that may stand before a pointer: particles, pronouns, auxiliaries, articles, prepositions, verbs of choosing."""
_NUMBER = r"[(#]?(?P<{0}>\d{{1,2}}|[A-Ha-h])[).]?(?![\w%°$€/:]|[.,]\d)"
_JOIN = r"\s*(?:,\s*and|,|\+|&|/|and|plus)\s*"
_LABELS = compile_late(
    rf"^{_LEADING}(?P<labels>{_NUMBER.format('a')}(?:{_JOIN}(?:option\s+)?{_NUMBER.format('b')})*)(?P<rest>.*)$", re.I | re.S
)
_ONE_LABEL = compile_late(r"(?<![\w])#?(\d{1,2}|[A-Ha-h])(?![\w])")
_ORDINAL = rf"(?:{'|'.join(ORDINALS)}|{MIDDLE})"
_ORDINALS = compile_late(
    rf"^{_LEADING}(?P<ordinals>{_ORDINAL}(?:{_JOIN}(?:the\s+)?{_ORDINAL})*)"
    r"(?:\s+(?:one|ones|option|choice|way|two|three))?(?P<rest>.*)$",
    re.I | re.S,
)
_QUANTIFIER = compile_late(
    r"^(?:(?:ok(?:ay)?|yes|yep|yeah|no|nah|then|please|do|take|i'd|i|say|want)[\s,]+)*"
    r"(?P<quantifier>both|all|none|neither)(?:\s+(?:of\s+(?:them|these|those)|two|three|four|five))?(?P<rest>.*)$",
    re.I | re.S,
)
_GOES_ON = compile_late(
    r"^\s*(?:$|[,;)–—-]|(?:and|but|or|with|without|then|please|for|not|as|because|so|since|if|is\s+fine|is\s+good|it\s+is|too|now"
    r"|rather|only|though|next|of\s+(?:this|that))\b"
    r"|(?P<clause>(?:the|an?|my|your|our|his|her|their|its|this|that|these|those|i|we|you|he|she|it|they|there)\b))",
    re.I,
)
"""What may follow a pointer: the end, a mark, a conjunction, a preposition or an adverb, never a noun that it counts; behind a
number or "the first" also a determiner or a pronoun, which begin the next clause ("three the desk must see it", dictated).

"2 of those" counts, "2 of that" does not."""
_COPULA = compile_late(
    r"^\s*(?:is|are|was|were|would|will|has|have|had|does|did|can|could|looks?|seems?|sounds?)\b(?!\s+fine)", re.I
)
_ITEM = compile_late(r"(?:^|[\n,;.]\s*)#?(\d{1,2}|[A-Ha-h])[.):]?\s+(?!(?:and|but|or|with|without|then|is)\b)[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Choice:
    """The options that an answer picked and those that it left, as indices of the offer; `is_named` when it used their words,
    `is_by_label` when their numbers or letters."""

    picked: tuple[int, ...]
    left: tuple[int, ...]
    is_named: bool = False
    is_by_label: bool = False


def resolve_answer(typed: str, offer: Offer) -> Choice | None:
    """Return what an answer picks of an offer; None when it points at nothing. Of several pointers the last clause decides."""
    count = len(offer.options)
    if count == 0 or not may_point(typed):
        return None
    picked, way = list[int](), ""
    for clause in map(str.strip, CLAUSE_END.split(typed.strip())):
        if (indices := _read_labels(clause, offer)) is not None:
            picked, way = indices, "label"
        elif (indices := _read_ordinals(clause, offer)) is not None:
            picked, way = indices, "ordinal"
        elif not way and (indices := _read_quantifier(clause, offer)) is not None:
            picked, way = indices, "quantifier"
    if not way and (named := _find_named(typed, offer)) is not None:
        picked, way = [named], "name"
    left = tuple(index for index in range(count) if index not in picked)
    return Choice(tuple(dict.fromkeys(picked)), left, way == "name", way == "label") if way else None


def may_point(typed: str) -> bool:
    """Whether a message may answer an offer: it is short, asks nothing and is no list itself."""
    asks = typed.rstrip().endswith(QUESTION_MARKS) or bool(ASKING.match(typed.strip()))
    return 0 < len(split_words(typed)) <= MAX_ANSWER_WORDS and not asks and not is_own_list(typed)


def has_label(typed: str) -> bool:
    """Whether a number or a letter that may be a label stands in a message."""
    return bool(_ONE_LABEL.search(typed))


def is_own_list(typed: str) -> bool:
    """Whether the message is itself a list: two labels or more that begin a line or a clause, each with words of its own."""
    labels = [match[1].upper() for match in _ITEM.finditer(typed)]
    return len(labels) >= 2 and labels == sorted(set(labels))


def _read_labels(clause: str, offer: Offer) -> list[int] | None:
    """Return the indices of the labels that a clause names; None when it names none, or one that the offer lacks."""
    first, space, rest = clause.partition(" ")
    if first.lower() in NUMERALS:
        clause = NUMERALS[first.lower()] + space + rest
    match = _LABELS.match(clause) if offer.is_labelled else None
    if match is None:
        return None
    names = [name.upper() for name in _ONE_LABEL.findall(match["labels"])]
    labels = [option.label for option in offer.options]
    is_letter = names[0].isalpha() and names[0] != "A"  # no article, and letters count nothing
    may_go_on = _goes_on(match["rest"], is_definite=names[0].isdigit()) or (is_letter and not _COPULA.match(match["rest"]))
    return [labels.index(name) for name in names] if may_go_on and all(name in labels for name in names) else None


def _goes_on(rest: str, *, is_definite: bool) -> bool:
    """Whether what follows a pointer leaves it one; `is_definite` when it can be nothing but a label or a place in a list."""
    match = _GOES_ON.match(rest)
    return match is not None and (is_definite or match["clause"] is None)


def _read_ordinals(clause: str, offer: Offer) -> list[int] | None:
    """Return the indices of the ordinal numerals of a clause ("the first one and the last"); None when it has none that fits."""
    count, match = len(offer.options), _ORDINALS.match(clause)
    if match is None or not _goes_on(match["rest"], is_definite=clause[: match.start("ordinals")].lower().endswith("the ")):
        return None
    words = [word.lower() for word in re.findall(_ORDINAL, match["ordinals"], re.I)]
    if MIDDLE in words and (count % 2 == 0 or offer.is_listed):
        return None  # what is only listed may have its order by size
    places = [count // 2 if word == MIDDLE else ORDINALS[word] for word in words]
    return [place % count for place in places] if all(-count <= place < count for place in places) else None


def _read_quantifier(clause: str, offer: Offer) -> list[int] | None:
    """Return the indices of "both" and "all", an empty list for "none"; None when a clause has none of them."""
    count = len(offer.options)
    if (match := _QUANTIFIER.match(clause)) and _goes_on(match["rest"], is_definite=False):
        word = match["quantifier"].lower()
        if word in ("none", "neither"):
            return []
        if word != "both" or count == 2:
            return list(range(count))
        if offer.is_labelled:  # "(a) x, (b) y, (c) both"
            return [index for index, option in enumerate(offer.options) if option.text.lower().startswith("both")] or None
    return None


def _find_named(typed: str, offer: Offer) -> int | None:
    """Return the option whose own words are most of what a clause of the answer says; None when none is or several are."""
    if len(split_words(typed)) > MAX_NAMING_WORDS or offer.is_listed or offer.is_labelled:
        return None
    heads, frame = _split_frame([option.text for option in offer.options])
    own = _find_distinct(heads)
    named = set[int]()
    for clause in CLAUSE_END.split(typed):
        said = frozenset() if DENYING.search(clause) else _find_words(clause) - _PRO_FORMS - frame
        named |= {index for index, words in enumerate(own) if said and len(said & words) > NAMED_SHARE * len(said)}
    return named.pop() if len(named) == 1 else None


def _split_frame(texts: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """Return the alternatives of a sentence without what belongs to all of them, and the words of that: "X or Y for the cache".

    A phrase behind a preposition at the end stands once and is meant twice; its words name no alternative.
    """
    last, phrase = ([*_PHRASE.split(texts[-1], maxsplit=1), ""])[:2]
    frame = _find_words(phrase)
    if not (frame and find_content_words(last)) or any(_PHRASE.search(text) for text in texts[:-1]):
        return list(texts), frozenset()  # each has a phrase of its own
    return [*texts[:-1], last], frame


def _find_distinct(texts: Sequence[str]) -> list[frozenset[str]]:
    words = [_find_words(text) for text in texts]
    return [
        own - frozenset(word for other, others in enumerate(words) if other != index for word in others)
        for index, own in enumerate(words)
    ]


def _find_words(text: str) -> frozenset[str]:
    """Return the content words, those of names in small letters too: people type "rabbitmq" for RabbitMQ."""
    return find_content_words(text) | find_content_words(text.lower())
