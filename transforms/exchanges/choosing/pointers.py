"""Reads the pointers of a clause at options: their labels, ordinal numerals and quantifiers. The classes are closed."""

from __future__ import annotations

import re
from itertools import pairwise

from transforms.exchanges.offers import Offer
from transforms.language.lexicon import ALTERNATING, FOREIGN_DENIALS, FOREIGN_ORDINALS, FOREIGN_PRO_FORMS, ORDINALS
from transforms.language.sentences import split_words
from transforms.patterns.late_pattern import compile_late
from transforms.words.number_words import NUMBER_OF, SPELLED

MIDDLE = "middle"
NUMERALS = {word: str(NUMBER_OF[word]) for word in ("one", *SPELLED[:5])}
"""Numbers as people dictate them, at the beginning of an answer to numbered options."""
MAX_BEFORE_WORDS, SHORT_WORD = 3, 5
"""Words before "the other one" or an ordinal of another language, and letters of such a word."""
LEADING_WORDS = (
    r"(?:(?:ok(?:ay)?|yes|yep|yeah|yup|no|nah|na|hm+|so|then|well|and|please|just|only|let's|lets|let|us|we|i|i'd|i'll|would|will"
    r"|should|say|go|going|do|does|take|try|use|pick|choose|want|with|for|to|on|it|is|it's|its|be|in|that|this|the|your"
    r"|options?|choices?|number|nr|no\.|plan|point)[\s,]+)*?"
)
"""Words that may stand before a pointer: particles, pronouns, auxiliaries, articles, prepositions, verbs of choosing."""
LABEL_IN_GROUP = r"[(#]?(?P<{0}>\d{{1,2}}|[A-Ha-h])[).]?(?![\w%°$€/:]|[.,]\d)"
LABEL_JOINT = r"\s*(?:,\s*and|,|\+|&|/|and|plus)\s*"
LED_LABELS = compile_late(
    rf"^{LEADING_WORDS}(?P<labels>{LABEL_IN_GROUP.format('a')}(?:{LABEL_JOINT}(?:option\s+)?{LABEL_IN_GROUP.format('b')})*)(?P<rest>.*)$",
    re.I | re.S,
)
ONE_LABEL = compile_late(r"(?<![\w])#?(\d{1,2}|[A-Ha-h])(?![\w])")
ORDINAL_WORD = rf"(?:{'|'.join(ORDINALS)}|{MIDDLE})"
LED_ORDINALS = compile_late(
    rf"^{LEADING_WORDS}(?P<ordinals>{ORDINAL_WORD}(?:{LABEL_JOINT}(?:the\s+)?{ORDINAL_WORD})*)"
    r"(?P<noun>\s+(?:one|ones|option|choice|way|two|three)\b)?(?P<rest>.*)$",
    re.I | re.S,
)
_QUANTIFIER = compile_late(
    r"^(?:(?:ok(?:ay)?|yes|yep|yeah|no|nah|then|please|do|take|i'd|i|say|want)[\s,]+)*"
    r"(?P<quantifier>both|all|none|neither)(?:\s+(?:of\s+(?:them|these|those)|two|three|four|five))?(?P<rest>.*)$",
    re.I | re.S,
)
_GOES_ON = compile_late(
    r"^\s*(?:$|[,;)–—-]|(?:and|but|or|with|without|then|please|for|not|as|because|cause|cos|so|since|if|pl(?:ea)?[sz]e?|is\s+fine|is\s+good|it\s+is|too|now"
    r"|rather|only|though|next|of\s+(?:this|that))\b"
    r"|(?P<clause>(?:the|an?|my|your|our|his|her|their|its|this|that|these|those|i|we|you|he|she|it|they|there)\b))",
    re.I,
)
"""What may follow a pointer: the end, a mark, a conjunction, a preposition or an adverb, never a noun that it counts; behind a
number or "the first" also a determiner or a pronoun, which begin the next clause ("three the desk must see it", dictated).

"2 of those" counts, "2 of that" does not."""
VERB_NEXT = compile_late(
    r"^\s*(?:is|are|was|were|would|will|has|have|had|does|did|can|could|looks?|seems?|sounds?)\b(?!\s+fine)", re.I
)


def names_another(rest: str) -> bool:
    """Whether another option stands behind a pointer and "or", so that neither is told."""
    words = [word for word in split_words(rest.lower()) if word not in ("the", "option")][:3]
    is_label = len(words) > 1 and (bool(ONE_LABEL.fullmatch(words[1])) or words[1] in ORDINALS)
    is_article = len(words) > 2 and words[1] == "a"
    return is_label and words[0] in ALTERNATING and not is_article


def refuses_label(clause: str) -> bool:
    """Whether "no" is the verdict on what a preposition points at, and no particle: "no to 2"."""
    pairs = pairwise(split_words(clause.lower()))
    return any(first in ("no", "nah") and second in ("to", "for", "with", "on") for first, second in pairs)


def has_label(typed: str) -> bool:
    """Whether a number or a letter that may be a label stands in a message."""
    return bool(ONE_LABEL.search(typed))


def read_labels(clause: str, offer: Offer) -> list[int] | None:
    """Return the indices of the labels that a clause names; None when it names none, or one that the offer lacks."""
    first, space, rest = clause.partition(" ")
    if first.lower() in NUMERALS:
        clause = NUMERALS[first.lower()] + space + rest
    match = LED_LABELS.match(clause) if offer.is_labelled else None
    labels = [option.label for option in offer.options]
    if match is None or refuses_label(clause):
        return None
    names = [name.upper() for name in ONE_LABEL.findall(match["labels"])]
    is_letter = names[0].isalpha() and names[0] != "A"  # no article, and letters count nothing
    is_alone = not (VERB_NEXT.match(match["rest"]) or names_another(match["rest"]))
    may_go_on = leaves_pointer(match["rest"], is_definite=names[0].isdigit()) or (is_letter and is_alone)
    return [labels.index(name) for name in names] if may_go_on and all(name in labels for name in names) else None


def leaves_pointer(rest: str, *, is_definite: bool) -> bool:
    """Whether what follows a pointer leaves it one; `is_definite` when it can be nothing but a label or a place in a list."""
    match = None if names_another(rest) else _GOES_ON.match(rest)
    return match is not None and (is_definite or match["clause"] is None)


def read_ordinals(clause: str, offer: Offer) -> list[int] | None:
    """Return the indices of the ordinal numerals of a clause ("the first one and the last"); None when it has none that fits."""
    count, match = len(offer.options), LED_ORDINALS.match(clause)
    if match is None:
        return _read_foreign_ordinal(clause, count)
    if refuses_label(clause):
        return None
    is_definite = clause[: match.start("ordinals")].lower().endswith("the ")
    goes_on = leaves_pointer(match["rest"], is_definite=is_definite) or (match["noun"] and len(match["rest"].split()) <= 1)
    if not goes_on or names_another(match["rest"]):
        return None
    words = [word.lower() for word in re.findall(ORDINAL_WORD, match["ordinals"], re.I)]
    if MIDDLE in words and (count % 2 == 0 or offer.is_listed):
        return None  # what is only listed may have its order by size
    places = [count // 2 if word == MIDDLE else ORDINALS[word] for word in words]
    many = SPELLED.index(noun) + 2 if (noun := (match["noun"] or "").strip().lower()) in SPELLED else 1
    if many > 1:  # "the first two"
        places = [*range(many)] if places == [0] else [*range(-many, 0)] if places == [-1] and many <= count else [count]
    return [place % count for place in places] if all(-count <= place < count for place in places) else None


def _read_foreign_ordinal(clause: str, count: int) -> list[int] | None:
    """Return the index of an ordinal of another language that is all of a clause: "o segundo", "dann bitte die zweite"."""
    words = split_words(clause.lower())
    places = [place for place, word in enumerate(words) if word in FOREIGN_ORDINALS]
    is_denied = not FOREIGN_DENIALS.isdisjoint(words)
    if len(places) != 1 or is_denied or places[0] > MAX_BEFORE_WORDS or not FOREIGN_PRO_FORMS.issuperset(words[places[0] + 1 :]):
        return None
    place = FOREIGN_ORDINALS[words[places[0]]]
    is_short = all(len(word) <= SHORT_WORD for word in words[: places[0]])
    return [place % count] if is_short and -count <= place < count else None


def read_quantifier(clause: str, offer: Offer) -> list[int] | None:
    """Return the indices of "both" and "all", an empty list for "none"; None when a clause has none of them."""
    count = len(offer.options)
    match = _QUANTIFIER.match(clause)
    word = match["quantifier"].lower() if match else ""
    if match and (leaves_pointer(match["rest"], is_definite=False) or (word == "neither" and not match["rest"].startswith("'"))):
        if word in ("none", "neither"):
            return []
        if word != "both" or count == 2:
            return list(range(count))
        if offer.is_labelled:  # "(a) x, (b) y, (c) both"
            return [index for index, option in enumerate(offer.options) if option.text.lower().startswith("both")] or None
    return None
