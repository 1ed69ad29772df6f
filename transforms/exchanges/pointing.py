"""Resolves an owner's short answer against an offer: numbers, letters, ordinals, "both" and "none", or words of one option.

The classes are closed: labels, ordinal numerals, quantifiers, and the function words that may stand around them. A numeral that
counts ("2 files"), an article ("a bit more"), the subject of a remark ("1 is clever") and a list of the owner's own point at
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from transforms.exchanges.choosing.pointers import (
    LABEL_IN_GROUP,
    LABEL_JOINT,
    LEADING_WORDS,
    LED_LABELS,
    LED_ORDINALS,
    MAX_BEFORE_WORDS,
    ONE_LABEL,
    VERB_NEXT,
    leaves_pointer,
    names_another,
    read_labels,
    read_ordinals,
    read_quantifier,
)
from transforms.exchanges.offers import Offer, find_distinct_words, find_loose_words
from transforms.language.lexicon import ORDINALS
from transforms.language.sentences import QUESTION_MARKS, find_content_words, split_words
from transforms.patterns.late_pattern import compile_late

MIN_OTHER, MAX_ANSWER_WORDS = 2, 45
"""Options of which one is "the other"; a longer message states its own decision."""
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
CLAUSE_END = compile_late(r"[.!?;:…\n]+(?:\s|$)|\s[-–—]+\s|,\s+(?!(?:(?:and|or)\s+)?(?:#?\d{1,2}|[A-Ha-h])\b)")
_LABEL_COMMA = r"(?<!\b[A-Ha-h\d])(?<!\b\d\d),\s+(?=(?:(?:and|so|then)\s+)?#?(?:\d{1,2}|[A-Ha-h])\b)"
"""A comma before a label and not behind one: a clause of its own begins there ("2 is overkill, 1")."""
_ANY_LABEL_COMMA = r",\s+(?=#?(?:\d{1,2}|[A-Ha-h])\b)"
_BOUNDS = frozenset({"only", "later", "first", "at", "when", "once", "if", "in", "on", "as", "for"})
"""Words that say of an option behind "but" when it holds, and do not leave it out: "both but 2 later"."""
_SEQUENCE = r"(?<![\w.,])(\d{1,2}|[A-Ha-h])(?:\s+first)?(?:,\s*|\s+)(?:and\s+)?then\s+(?=#?(?:\d{1,2}|[A-Ha-h])(?!\w))"
"""One option and then another one: both are taken."""
EXCLUDING = compile_late(
    r"(?:^|[.!?;…\n]\s+)(?:(?:ok(?:ay)?|yes|yep|yeah|no|nah|then|well|please|just|do|take|use|keep|run|i'd|i|say|want)[\s,]+)*"
    r"(?:(?P<none>none)|all|any(?:thing|one)?|every(?:thing|\s?one)?|each|both|alle[sn]?|tous|toutes?|tout|todos?|todas?|tutt[ieo])"
    r"(?:\s+(?:of\s+(?:them|these|those)|the\s+rest|options?|three|four|five|six))?(?P<comma>,?)"
    r"\s+(?:but(?:\s+not)?|except(?:\s+for)?|excluding|besides|apart\s+from|aside\s+from|other\s+than|bar|save|minus|without|not"
    r"|außer|bis\s+auf|sauf|menos|excepto|salvo|tranne|behalve)\s+(?P<left>[^.;!?\n]+)",
    re.I,
)
"""A quantifier with what it leaves out: the languages are those of the ordinals."""
_ITEM = compile_late(r"(?:^|[\n,;.]\s*)#?(\d{1,2}|[A-Ha-h])[.):]?\s+(?!(?:and|but|or|with|without|then|is)\b)[^\W\d]\w+")


@dataclass(frozen=True, slots=True)
class Choice:
    """The options that an answer picked and those that it left, as indices of the offer; `is_named` when it used their words,
    `is_by_label` when their numbers or letters; `is_exclusion` when it named those that it left."""

    picked: tuple[int, ...]
    left: tuple[int, ...]
    is_named: bool = False
    is_by_label: bool = False
    is_exclusion: bool = False


def resolve_answer(typed: str, offer: Offer) -> Choice | None:
    """Return what an answer picks of an offer; None when it points at nothing. Of several pointers the last clause decides."""
    count = len(offer.options)
    if count == 0 or not may_point(typed):
        return None
    if excluding := EXCLUDING.search(typed):
        choice = _exclude(excluding["left"], offer, is_none=bool(excluding["none"]))
        if choice or not excluding["comma"]:
            return choice
    picked, way = list[int](), ""
    for clause in map(str.strip, CLAUSE_END.split(re.sub(_SEQUENCE, r"\1 and ", typed.strip(), flags=re.I))):
        pieces = _read_pieces(re.split(_LABEL_COMMA, clause), offer) or _read_pieces(re.split(_ANY_LABEL_COMMA, clause), offer)
        if len(pieces) > 1 and any(labels != pieces[0] for labels in pieces):
            return None  # "2 with the lock, 3 without": each may be taken for something else
        if pieces:
            picked, way = pieces[0], "label"
        elif (indices := read_ordinals(clause, offer)) is not None:
            picked, way = indices, "ordinal"
        elif _offers_another(clause, offer):
            picked, way = [], "open"
        elif not way and (indices := read_quantifier(clause, offer)) is not None:
            picked, way = indices, "quantifier"
        elif not way and (indices := _read_other(clause, offer)) is not None:
            picked, way = indices, "other"
    if not way and (named := _find_named(typed, offer)) is not None:
        picked, way = [named], "name"
    left = tuple(index for index in range(count) if index not in picked)
    return Choice(tuple(dict.fromkeys(picked)), left, way == "name", way == "label") if way not in ("", "open") else None


def _offers_another(clause: str, offer: Offer) -> bool:
    """Whether a clause leaves it open which of two options is taken: "1 or 3, you choose"."""
    match = (LED_LABELS.match(clause) if offer.is_labelled else None) or LED_ORDINALS.match(clause)
    return match is not None and names_another(match["rest"])


def _takes_other(clause: str) -> bool:
    """Whether a clause takes "the other one": neither a denial or a verb of liking stands before it, nor a noun ("the other
    thing") or a judgement behind it."""
    if not re.match(rf"{LEADING_WORDS}(?:the\s+)?other\b", clause, re.I):
        return False
    words = clause.lower().split()
    place = next((place for place, pair in enumerate(pairwise(words)) if pair == ("the", "other")), MAX_BEFORE_WORDS + 1)
    if place > MAX_BEFORE_WORDS:
        return False
    has_noun = not _PRO_FORMS.isdisjoint(word.strip(",;") for word in words[place + 2 : place + 3])
    rest = " " + " ".join(words[place + 2 + has_noun :])
    return (has_noun or leaves_pointer(rest, is_definite=True)) and not VERB_NEXT.match(rest)


def _read_pieces(pieces: Sequence[str], offer: Offer) -> list[list[int]]:
    return [labels for piece in pieces if (labels := read_labels(piece.strip(), offer)) is not None]


def is_unsure(typed: str, offer: Offer) -> bool:
    """Whether an answer surely speaks of the options of an offer, and does not tell which: it excludes some that it does not
    name, takes "the other one" of more than two, or says something of several."""
    if (
        not 0 < len(split_words(typed)) <= MAX_ANSWER_WORDS
        or len(offer.options) < MIN_OTHER
        or offer.is_listed
        or typed.endswith(QUESTION_MARKS)
    ):
        return False
    clauses = [clause.strip() for clause in CLAUSE_END.split(typed.strip())]
    several = (_read_pieces(re.split(_LABEL_COMMA, clause), offer) for clause in clauses)
    return (
        bool((excluding := EXCLUDING.search(typed)) and not excluding["comma"])
        or any(map(_takes_other, clauses))
        or any(len(pieces) > 1 for pieces in several)
        or any(_offers_another(clause, offer) for clause in clauses)
        or (offer.is_labelled and is_own_list(typed))
    )


def find_confirmed(typed: str, offer: Offer, confirmation: str) -> int | None:
    """Return the option that an answer mentions by its label or place and whose words the agent's next words have; None
    without exactly one."""
    labels = {label.upper() for label in ONE_LABEL.findall(typed)}
    places = {ORDINALS[word] % len(offer.options) for word in map(str.lower, split_words(typed)) if word in ORDINALS}
    own, said = find_distinct_words([option.text for option in offer.options]), find_loose_words(confirmation)
    confirmed = [place for place, words in enumerate(own) if words & said]
    if len(confirmed) != 1:
        return None
    is_mentioned = confirmed[0] in places or (offer.is_labelled and offer.options[confirmed[0]].label in labels)
    return confirmed[0] if is_mentioned else None


def resolve_menus(typed: str, offers: Sequence[Offer], confirmation: str) -> dict[int, Choice]:
    """Return what an answer picks of each of several menus, as far as it tells: by labels of one form, the words of a head or
    of an option; a clause that may be about two of them picks nothing.

    Args:
        typed: the answer.
        offers: the menus, in order.
        confirmation: the agent's next words, which may tell what a place among the options ("the second would suit us") picked.
    """
    heads = find_distinct_words([offer.asked for offer in offers])
    options = find_distinct_words([" ".join(option.text for option in offer.options) for offer in offers])
    picked: dict[int, list[int]] = {}
    about: list[int] = []
    for clause in filter(None, map(str.strip, re.split(_MENU_CLAUSE_END, typed.strip()))):
        said = find_loose_words(clause)
        named = [place for place, words in enumerate(heads) if said & words]
        about = named or about
        rest = " ".join(word for word in clause.split() if not named or find_loose_words(word).isdisjoint(heads[named[0]]))
        tried = named or (about if len(about) == 1 else [])
        read = [(place, indices) for place in tried or range(len(offers))
                if (indices := _read_pointer(rest, offers[place], confirmation)) is not None]  # fmt: skip
        if not read and len(by_words := [place for place, words in enumerate(options) if said & words]) == 1:
            option = _find_option(clause, offers[by_words[0]])
            read = [(by_words[0], [option])] if option is not None and by_words[0] not in picked else []
        if len(read) == 1:
            picked.setdefault(read[0][0], []).extend(read[0][1])
            about = []
    return {
        place: Choice(tuple(dict.fromkeys(indices)), tuple(i for i in range(len(offers[place].options)) if i not in indices))
        for place, indices in picked.items()
    }


_MENU_CLAUSE_END = r"[.!?;:…\n]+(?:\s|$)|\s[-–—]+\s|,\s+|\s+(?:and|und|y|et|e|en|then|plus)\s+|\s*[&+/]\s*"


def _read_pointer(clause: str, offer: Offer, confirmation: str) -> list[int] | None:
    if DENYING.search(clause):
        return None
    for read in (read_labels, read_ordinals, read_quantifier):
        if (indices := read(clause, offer)) is not None:
            return indices
    confirmed = find_confirmed(clause, offer, confirmation)
    return None if confirmed is None else [confirmed]


def _find_option(clause: str, offer: Offer) -> int | None:
    said = frozenset() if DENYING.search(clause) else find_loose_words(clause)
    named = [place for place, words in enumerate(find_distinct_words([option.text for option in offer.options])) if said & words]
    return named[0] if len(named) == 1 else None


def _exclude(words: str, offer: Offer, *, is_none: bool) -> Choice | None:
    """Return all options but those that the words behind "all but" point at or name, and only those behind "none but"; None when
    they do neither, or name all."""
    count = len(offer.options)
    match = re.match(
        rf"(?:(?:the|number|nr|option)\s+)*(?P<labels>{LABEL_IN_GROUP.format('a')}(?:{LABEL_JOINT}{LABEL_IN_GROUP.format('b')})*)",
        words,
        re.I,
    )
    names = [name.upper() for name in ONE_LABEL.findall(match["labels"])] if match and offer.is_labelled else []
    labels = [option.label for option in offer.options]
    if match and names and all(name in labels for name in names):
        rest = words[match.end() :]
        if not (_BOUNDS.isdisjoint(split_words(rest.lower())[:1]) and leaves_pointer(rest, is_definite=True)):
            return None  # "all but 2 tests pass"
        left = [labels.index(name) for name in names]
    else:
        clause = next(iter(CLAUSE_END.split(words)), "")
        ordinals, own = read_ordinals(clause, offer), find_distinct_words([option.text for option in offer.options])
        said = find_loose_words(clause) - _PRO_FORMS
        left = ordinals if ordinals is not None else [index for index, option in enumerate(own) if said & option]
    others = tuple(index for index in range(count) if index not in left)
    picked, left_out = (tuple(left), others) if is_none else (others, tuple(left))
    return Choice(picked, left_out, is_by_label=bool(names), is_exclusion=not is_none) if left and others else None


def _read_other(clause: str, offer: Offer) -> list[int] | None:
    """Return the one of two options that the agent would not take, for "the other one"; None when that is not known."""
    if len(offer.options) != MIN_OTHER or offer.advised is None or not _takes_other(clause):
        return None
    return [1 - offer.advised]


def may_point(typed: str) -> bool:
    """Whether a message may answer an offer: it is short, asks nothing and is no list itself."""
    asks = typed.rstrip().endswith(QUESTION_MARKS) or bool(ASKING.match(typed.strip()))
    return 0 < len(split_words(typed)) <= MAX_ANSWER_WORDS and not asks and not is_own_list(typed)


def is_own_list(typed: str) -> bool:
    """Whether the message is itself a list: two labels or more that begin a line or a clause, each with words of its own."""
    labels = [match[1].upper() for match in _ITEM.finditer(typed)]
    return len(labels) >= 2 and labels == sorted(set(labels))


def _find_named(typed: str, offer: Offer) -> int | None:
    """Return the option whose own words are most of what a clause of the answer says; None when none is or several are."""
    if len(split_words(typed)) > MAX_NAMING_WORDS or offer.is_listed or offer.is_labelled:
        return None
    heads, frame = _split_frame([option.text for option in offer.options])
    own = find_distinct_words(heads)
    named = set[int]()
    for clause in CLAUSE_END.split(typed):
        said = frozenset() if DENYING.search(clause) else find_loose_words(clause) - _PRO_FORMS - frame
        named |= {index for index, words in enumerate(own) if said and len(said & words) > NAMED_SHARE * len(said)}
    return named.pop() if len(named) == 1 else None


def _split_frame(texts: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """Return the alternatives of a sentence without what belongs to all of them, and the words of that: "X or Y for the cache".

    A phrase behind a preposition at the end stands once and is meant twice; its words name no alternative.
    """
    last, phrase = ([*_PHRASE.split(texts[-1], maxsplit=1), ""])[:2]
    frame = find_loose_words(phrase)
    if not (frame and find_content_words(last)) or any(_PHRASE.search(text) for text in texts[:-1]):
        return list(texts), frozenset()  # each has a phrase of its own
    return [*texts[:-1], last], frame
