"""Finds what a person says is still open: a duty of their own, or a thing that "is open".

Only grammar is read: who has to do it, the verb, and what stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise

import polars as pl

from transforms.briefing.row_signs import fill_origin
from transforms.language.assertions import is_open_question
from transforms.language.cue_phrases import IMPERATIVE
from transforms.language.entities import find_dates
from transforms.language.lexicon import PREPOSITIONS, parse_set
from transforms.language.relative_dates import resolve_date
from transforms.language.sentences import find_content_words, has_question_mark, split_sentences, split_words
from transforms.language.statement import split_claim
from transforms.words.word_classes import NEGATIONS, QUESTION_WORDS

MAX_THING = 2
"""Content words of a thing that is open, without a verb; more of them are a question that some word beside them settles not."""
OPEN_STATES = parse_set("open undecided unclear unresolved tbd")
"""What the pattern of open questions has behind "is", also where the "is" is left out: "toilets open"."""
HABITS = parse_set("always whenever when if every each often usually again")
"""Words with which "I have to" tells a habit or a condition."""
_FILLERS = parse_set("still also just only really probably will")
_DUTY = (["have", "to"], ["need", "to"], ["got", "to"], ["must"])
_ASKING = (QUESTION_WORDS - {"whom", "whose"}) | {"whether", "if"}
_JOINING = parse_set("and or then")
_DENIALS = NEGATIONS | {"cannot"}
ENDS_OF_OBJECT = PREPOSITIONS | parse_set(
    "and or then so because that which who now already finally also too just still yesterday today this last again"
)
"""Words behind which an object goes no further: "call the insurance about the car"."""


@dataclass(frozen=True, slots=True)
class OpenPart:
    """One thing to do: the verb, the prepositions right behind it ("look at"), the content words of its object, and those
    farther off; or a thing that is open, without a verb (`""`)."""

    verb: str
    particles: tuple[str, ...]
    thing: frozenset[str]
    rest: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """Something open, in at least one part: all that a sentence says somebody has to do."""

    parts: tuple[OpenPart, ...]


def find_open_matters(text: str, said_on: date) -> tuple[OpenMatter, ...]:
    """Return what a row's words leave open; empty where they ask, or say nothing of the kind.

    A duty is the speaker's own, with a "still" or a day ("I still have to call the insurance"), or a reminder that they ask for.
    """
    claim = split_claim(text).claim
    day = resolve_date(claim, said_on)
    is_dated = day > said_on if day else bool(find_dates(claim))
    matters = (_read_sentence(sentence, claim, is_dated=is_dated) for sentence in split_sentences(claim))
    return tuple(matter for matter in matters if matter)


def find_open_work(observations: pl.DataFrame) -> list[str]:
    """Return the ids of the rows of owners that leave something open."""
    rows = observations.filter((fill_origin() == "owner") & may_be_open()).select("observation_id", "text", "day")
    return [key for key, text, day in rows.iter_rows() if find_open_matters(text, day)]


def may_be_open() -> pl.Expr:
    """Return whether a row has a word without which nothing is open, for columns: the rest is asked of few rows."""
    lower = pl.col("text").str.to_lowercase()
    words = (*sorted(OPEN_STATES), *(" ".join(form) for form in _DUTY), "remind me")
    return pl.any_horizontal([lower.str.contains(word, literal=True) for word in words])


def read_whole_matters(text: str, day: date) -> tuple[OpenMatter, ...]:
    """Return the matters of a row of which every sentence leaves something open; empty for other rows."""
    matters = find_open_matters(text, day)
    return matters if len(matters) == len(split_sentences(split_claim(text).claim)) else ()


def _read_sentence(sentence: str, claim: str, *, is_dated: bool) -> OpenMatter | None:
    if has_question_mark(sentence):
        return None
    words = [word.casefold() for word in split_words(sentence)]
    if (place := _find_duty(words)) and not (is_dated or "still" in words[:place]):
        place = 0
    if place := place or _find_reminder(words):
        parts = _split_duty(words[place:], claim)
        return OpenMatter(parts) if parts else None
    things = find_content_words(sentence) - OPEN_STATES - _FILLERS
    if not 0 < len(things) <= MAX_THING or IMPERATIVE.match(sentence) or is_denied(words) or _is_plain_state(words):
        return None
    is_bare = words[-1] in OPEN_STATES and set(words[:-1]) - _FILLERS <= things
    return OpenMatter((OpenPart("", (), things),)) if is_bare or is_open_question(sentence) else None


def _is_plain_state(words: Sequence[str]) -> bool:
    """Whether "open" tells what a thing is like, as of a shop or an interface: nothing says that it will not stay so."""
    return OPEN_STATES.intersection(words) == {"open"} and "still" not in words


def _find_duty(words: Sequence[str]) -> int:
    """Return the place of the verb that the speaker has to do; 0 for none, a habit or a condition."""
    if HABITS & set(words):
        return 0
    for place in (at for at, word in enumerate(words) if word in ("i", "i'll") and words[at - 1 : at] not in (["do"], ["did"])):
        rest = place + 1
        while rest < len(words) and words[rest] in _FILLERS:
            rest += 1
        lengths = [len(form) for form in _DUTY if words[rest : rest + len(form)] == form]
        if lengths and rest + lengths[0] < len(words):
            return rest + lengths[0]
    return 0


def _find_reminder(words: Sequence[str]) -> int:
    """Return the place of what somebody wants to be reminded of; 0 where they ask for something they have forgotten."""
    for place, pair in enumerate(pairwise(words)):
        if pair == ("remind", "me") and not _ASKING & set(words[place + 2 :]):
            behind = words[place + 2 :]
            return place + 3 + behind.index("to") if "to" in behind[:-1] else 0
    return 0


def _split_duty(words: Sequence[str], claim: str) -> tuple[OpenPart, ...]:
    """Return each verb with its object; without one, it is about what the row names first."""
    pieces: list[list[str]] = [[]]
    for word in words:
        if word in _JOINING:
            pieces.append([])
        else:
            pieces[-1].append(word)
    pieces = [piece for piece in pieces if piece]
    verbs = {piece[0] for piece in pieces}
    content = find_content_words(claim) - OPEN_STATES - verbs
    first = next((word for word in split_words(claim) if word.casefold() in content), "").casefold()
    parts = []
    for verb, *behind in pieces:
        particles, thing, rest = split_object(behind)
        parts.append(OpenPart(verb, particles, thing, rest) if thing else OpenPart(verb, (), frozenset({first} - {""})))
    return tuple(parts)


def split_object(words: Sequence[str]) -> tuple[tuple[str, ...], frozenset[str], frozenset[str]]:
    """Return the prepositions right behind a verb, the content words of its object, and those behind that."""
    start = next((at for at, word in enumerate(words) if word not in PREPOSITIONS), len(words))
    end = next((at for at in range(start, len(words)) if words[at] in ENDS_OF_OBJECT and words[at] != "this"), len(words))
    thing, rest = find_content_words(" ".join(words[start:end])), find_content_words(" ".join(words[end:]))
    return tuple(words[:start]), thing, rest


def is_denied(words: Sequence[str]) -> bool:
    """Return whether one of some words in lower case says no: "not", "never", "isn't"."""
    return any(word in _DENIALS or word.endswith(("n't", "n’t")) for word in words)
