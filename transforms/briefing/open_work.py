"""Finds what a person says is still open: a duty of their own, or a thing that "is open"; and what later words say is done.

Only grammar is read: who has to do it, the verb, what stands beside it, and whether a later sentence has that verb in the past.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

import polars as pl

from transforms.briefing.row_signs import fill_origin
from transforms.language.assertions import is_open_question
from transforms.language.cue_phrases import IMPERATIVE
from transforms.language.entities import find_dates
from transforms.language.lexicon import parse_set
from transforms.language.relative_dates import resolve_date
from transforms.language.sentences import find_content_words, has_question_mark, split_sentences, split_words
from transforms.language.statement import split_claim
from transforms.language.tokenizer import stem

MAX_THING = 2
"""Content words of a thing that is open, without a verb; more of them are a question that some word beside them settles not."""
OPEN_STATES = parse_set("open undecided unclear unresolved tbd")
"""What the pattern of open questions has behind "is", also where the "is" is left out: "toilets open"."""
HABITS = parse_set("always whenever when if every each often usually again")
"""Words with which "I have to" tells a habit or a condition."""
_FILLERS = parse_set("still also just only really probably will")
_DUTY = (["have", "to"], ["need", "to"], ["got", "to"], ["must"])
_ASKING = parse_set("how what why which who when where whether if")
_JOINING = parse_set("and or then")
_BESIDE = parse_set(
    "is are was were has have had been be now finally already all i we he she they the a an my our your that this"
)
"""Words between a thing and the verb of what became of it."""
_DENIALS = parse_set("not never no cannot")
_REACHED = parse_set("done there here ready")
"""States that a thing which was open has reached."""
_VERBS = """
send sent, pay paid, buy bought, write wrote written, make made, get got gotten, find found, take took taken, give gave given,
tell told, bring brought, choose chose chosen, do did done, meet met, speak spoke spoken, see saw seen, put put, set set,
build built, sell sold, leave left, draw drew drawn, run ran, go went gone, hear heard, cut cut, read read, teach taught,
think thought, hold held, drive drove driven, know knew known, feed fed, lend lent, rewrite rewrote rewritten, redo redid redone
"""
_IRREGULAR = {past: verb.split()[0] for verb in _VERBS.split(",") for past in verb.split()[1:]}
"""Past form -> verb."""


@dataclass(frozen=True, slots=True)
class OpenMatter:
    """Something open: the verbs of a duty, each with the content words beside it, or a thing without a verb (`""`)."""

    parts: tuple[tuple[str, frozenset[str]], ...]


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
    rows = observations.filter((fill_origin() == "owner") & _may_be_open()).select("observation_id", "text", "day")
    return [key for key, text, day in rows.iter_rows() if find_open_matters(text, day)]


def find_done_work(observations: pl.DataFrame) -> list[str]:
    """Return the ids of the rows that say nothing but what is open, where later rows of the owner say that all of it is done.

    `observations` are those of one project.
    """
    own = observations.filter((fill_origin() == "owner") & (pl.col("verdict") == "allow")).sort("said_at", "observation_id")
    rows = own.filter(_may_be_open()).select("observation_id", "text", "day", "said_at").rows()
    open_rows = [(key, matters, said_at) for key, text, day, said_at in rows if (matters := _read_whole(text, day))]
    if not open_rows:
        return []
    news = [
        (said_at, sentence)
        for said_at, text in own.select("said_at", "text").iter_rows()
        for sentence in split_sentences(split_claim(text).claim)
        if _tells_past(sentence)
    ]
    return [key for key, matters, said_at in open_rows if _are_done(matters, said_at, news)]


def _may_be_open() -> pl.Expr:
    """Whether a row has a word without which nothing is open; the rest is asked of few rows."""
    lower = pl.col("text").str.to_lowercase()
    words = (*sorted(OPEN_STATES), *(" ".join(form) for form in _DUTY), "remind me")
    return pl.any_horizontal([lower.str.contains(word, literal=True) for word in words])


def _read_whole(text: str, day: date) -> tuple[OpenMatter, ...]:
    """Return the matters of a row of which every sentence leaves something open."""
    matters = find_open_matters(text, day)
    return matters if len(matters) == len(split_sentences(split_claim(text).claim)) else ()


def _read_sentence(sentence: str, claim: str, *, is_dated: bool) -> OpenMatter | None:
    if has_question_mark(sentence):
        return None
    words = [word.casefold() for word in split_words(sentence)]
    if (place := _find_duty(words)) and not (is_dated or "still" in words[:place]):
        place = 0
    if place := place or _find_reminder(words):
        return OpenMatter(_split_duty(words[place:], find_content_words(claim) - OPEN_STATES))
    things = find_content_words(sentence) - OPEN_STATES - _FILLERS
    if not 0 < len(things) <= MAX_THING or IMPERATIVE.match(sentence) or _is_denied(words):
        return None
    is_bare = words[-1] in OPEN_STATES and set(words[:-1]) - _FILLERS <= things
    return OpenMatter((("", things),)) if is_bare or is_open_question(sentence) else None


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


def _split_duty(words: Sequence[str], around: frozenset[str]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return each verb with what stands beside it; with nothing there, what the whole row names."""
    pieces: list[list[str]] = [[]]
    for word in words:
        if word in _JOINING:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return tuple((piece[0], find_content_words(" ".join(piece[1:])) & around or around - {piece[0]}) for piece in pieces if piece)


def _tells_past(sentence: str) -> bool:
    words = [word.casefold() for word in split_words(sentence)]
    is_past = any(_is_past(word) or word in _REACHED for word in words)
    return is_past and not _is_denied(words) and not has_question_mark(sentence)


def _is_denied(words: Sequence[str]) -> bool:
    return any(word in _DENIALS or word.endswith(("n't", "n’t")) for word in words)


def _is_past(word: str) -> bool:
    return word in _IRREGULAR or (len(word) > len("used") and word.endswith("ed"))


def _are_done(matters: Sequence[OpenMatter], said_at: datetime, news: Sequence[tuple[datetime, str]]) -> bool:
    later = [sentence for at, sentence in news if at > said_at]
    parts = [part for matter in matters for part in matter.parts]
    return all(any(_is_told_done(verb, things, sentence) for sentence in later) for verb, things in parts)


def _is_told_done(verb: str, things: frozenset[str], sentence: str) -> bool:
    """Whether a sentence of the past has the verb of a duty with one of its things, or a thing right beside what became of it."""
    words = [word.casefold() for word in split_words(sentence)]
    if verb:
        return any(_is_past_of(word, verb) for word in words) and bool(things & find_content_words(sentence))
    bare = [word for word in words if word not in _BESIDE]
    return any(
        (first in things and (_is_past(second) or second in _REACHED)) or (_is_past(first) and second in things)
        for first, second in list(pairwise(bare))[:2]
    )


def _is_past_of(word: str, verb: str) -> bool:
    return _IRREGULAR[word] == verb if word in _IRREGULAR else _is_past(word) and stem(word) == stem(verb)
