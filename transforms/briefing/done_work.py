"""Tells what of the owner's open work later words say is done; in doubt it stays open.

Grammar alone is read, clause by clause: the owner did it ("Called the insurance"), or it is in a state that it was brought to
("the invoice has been sent"). What must, will or might be, what is scheduled, denied or half done, and what another one did is
not told as done. A name right before a past ("insurance called") may be who did it, and says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import polars as pl

from transforms.briefing.open_work import (
    HABITS,
    OpenMatter,
    OpenPart,
    is_denied,
    may_be_open,
    read_whole_matters,
    split_object,
)
from transforms.briefing.row_signs import fill_origin
from transforms.calendars.day_names import DAY_OF
from transforms.language.lexicon import PREPOSITIONS, parse_set
from transforms.language.sentences import find_content_words, has_question_mark, split_sentences, split_words
from transforms.language.statement import split_claim
from transforms.language.tokenizer import stem
from transforms.words.word_classes import (
    ARTICLES,
    DEMONSTRATIVES,
    FIRST_PERSONS,
    MODALS,
    PAST_COPULAS,
    POSSESSIVES,
    PRESENT_COPULAS,
    QUANTIFIERS,
)

_VERBS = """
send sent, pay paid, buy bought, write wrote written, make made, get got gotten, find found, take took taken, give gave given,
tell told, bring brought, choose chose chosen, do did done, meet met, speak spoke spoken, see saw seen, put put, set set,
build built, sell sold, leave left, draw drew drawn, run ran, go went gone, hear heard, cut cut, read read, teach taught,
think thought, hold held, drive drove driven, know knew known, feed fed, lend lent, rewrite rewrote rewritten, redo redid redone
"""
_IRREGULAR = {past: verb.split()[0] for verb in _VERBS.split(",") for past in verb.split()[1:]}
"""Past form -> verb."""
_UNSETTLED = (
    HABITS
    | MODALS
    | parse_set(
        "ought need needs want wants let lets please supposed"
        " unless until till once before whether but however though although except yet almost nearly half partly"
        " tomorrow next soon last ago"
    )
)
"""Words of a sentence that tells no fact, one of another time, or one with a reserve."""
_ADVERBS = parse_set("now already finally just also too today yesterday then and so ok yes")
_SPEAKERS_WITH_HAVE = parse_set("i've we've i’ve we’ve")
_HAVE, _PAST = parse_set("have has"), PAST_COPULAS | {"been"}
_BEHIND_PASSIVE = parse_set("to from by with")
"""Prepositions that begin what stands farther off, and make no other verb of a participle ("sent to", but "called off")."""
_STATES = parse_set("done there here ready closed decided settled resolved clear clarified answered")
"""What a thing is that is open no longer: the opposites of the states that leave it open."""
_DETERMINERS = ARTICLES | DEMONSTRATIVES | (POSSESSIVES - {"its"}) | (QUANTIFIERS - {"each", "every"})
_CLAUSE_ENDS = str.maketrans(dict.fromkeys(",;()–—", "\n"))

_Key = tuple[str, tuple[str, ...], frozenset[str], str]
"""Stem of a verb, the prepositions right behind it, its object, and a word farther off (`_NO_WORD`, `_ANY_WORD`), by which a
duty finds its deeds without reading those of all others."""
_NO_WORD, _ANY_WORD = "", "*"


@dataclass(slots=True)
class _News:
    """When deeds were told last, by verb and object and then by the word and what stands farther off; and when things were
    said to be open no longer."""

    deeds: defaultdict[_Key, dict[tuple[str, frozenset[str]], datetime]] = field(default_factory=lambda: defaultdict(dict))
    states: dict[frozenset[str], datetime] = field(default_factory=dict)


def find_done_work(observations: pl.DataFrame) -> list[str]:
    """Return the ids of the rows that say nothing but what is open, where later rows of the owner say that all of it is done.

    `observations` are those of one project.
    """
    own = observations.filter((fill_origin() == "owner") & (pl.col("verdict") == "allow")).sort("said_at", "observation_id")
    rows = own.filter(may_be_open()).select("observation_id", "text", "day", "said_at").rows()
    open_rows = [(key, matters, said_at) for key, text, day, said_at in rows if (matters := read_whole_matters(text, day))]
    if not open_rows:
        return []
    news, first = _News(), min(said_at for *_, said_at in open_rows)
    for text, said_at in own.filter(pl.col("said_at") > first).select("text", "said_at").iter_rows():
        for sentence in split_sentences(split_claim(text).claim):
            _note_news(news, sentence, said_at)
    return [key for key, matters, said_at in open_rows if _are_done(matters, said_at, news)]


def _are_done(matters: Sequence[OpenMatter], said_at: datetime, news: _News) -> bool:
    return all(_is_done(part, said_at, news) for matter in matters for part in matter.parts)


def _is_done(part: OpenPart, said_at: datetime, news: _News) -> bool:
    if not part.thing:
        return False
    if not part.verb:
        return part.thing in news.states and news.states[part.thing] > said_at
    rest = part.rest - DAY_OF.keys()
    roots = {stem(part.verb), part.verb}  # the stem takes the end of "embed" for that of a past
    keys = [(root, word) for root in roots for word in ((_NO_WORD, min(rest)) if rest else (_ANY_WORD,))]
    return any(
        at > said_at and (past != part.verb or past in _IRREGULAR) and (not farther or rest <= farther)
        for root, word in keys
        for (past, farther), at in news.deeds.get((root, part.particles, part.thing, word), {}).items()
    )


def _note_news(news: _News, sentence: str, said_at: datetime) -> None:
    """Add what a sentence says is done; sentences come in the order in which they were said."""
    words = [word.casefold() for word in split_words(sentence)]
    is_plain = _UNSETTLED.isdisjoint(words) and not any(word.endswith(("'ll", "’ll", "'d", "’d")) for word in words)
    if not is_plain or is_denied(words) or has_question_mark(sentence):
        return
    before_colon = sentence.partition(":")[0]  # behind it stands what somebody else said, or a value
    for clause in before_colon.translate(_CLAUSE_ENDS).split("\n"):
        words = [word.casefold() for word in split_words(clause)]
        words = words[_skip_adverbs(words, 0) :]
        for word, particles, thing, rest in (*_read_own_deed(words), *_read_passive(words)):
            for farther in (_ANY_WORD, *(rest or (_NO_WORD,))):
                news.deeds[stem(_IRREGULAR.get(word, word)), particles, thing, farther][word, rest] = said_at
            if word in _STATES and not particles:
                news.states[thing] = said_at
        if thing := _read_state(words):
            news.states[thing] = said_at


_Deed = tuple[str, tuple[str, ...], frozenset[str], frozenset[str]]
"""The past form, the prepositions behind it, the object, and the words farther off."""


def _read_own_deed(words: Sequence[str]) -> Iterator[_Deed]:
    """Yield what a clause says that its speaker did: "I've paid the rent", "Sent the deed to Huber"."""
    place, has_subject = 0, bool(words) and words[0] in FIRST_PERSONS | _SPEAKERS_WITH_HAVE
    has_have = has_subject and words[0] in _SPEAKERS_WITH_HAVE
    if has_subject:
        place = _skip_adverbs(words, 1)
        if not has_have and words[place : place + 1] and words[place] in _HAVE:
            has_have, place = True, _skip_adverbs(words, place + 1)
    if place == len(words) or not _is_past(words[place]):
        return
    is_like_verb = _IRREGULAR.get(words[place]) == words[place]  # "read", "set": an order, or what is planned
    if not is_like_verb or has_have or (has_subject and DAY_OF.keys().isdisjoint(words)):
        yield words[place], *split_object(words[place + 1 :])


def _read_passive(words: Sequence[str]) -> Iterator[_Deed]:
    """Yield what a clause says was done: "the invoice has been sent to Huber"; "is sent on Friday" is a plan."""
    verb = next((at for at, word in enumerate(words) if word in PRESENT_COPULAS | _PAST), 0)
    place = _skip_adverbs(words, verb + 1)
    if not verb or place >= len(words) or not _is_past(words[place]):
        return
    before = words[: verb - 1] if words[verb] == "been" else words[:verb]
    if words[verb] == "been" and words[verb - 1] not in _HAVE:
        return
    leading, thing, rest = split_object(before)
    particles, behind, farther = split_object(words[place + 1 :])
    if words[verb] in PRESENT_COPULAS and not _ADVERBS.issuperset(words[place + 1 + len(particles) :]):
        return
    if len(particles) == 1 and particles[0] in _BEHIND_PASSIVE:
        particles = ()
    if not leading and _is_noun_phrase(before):
        yield words[place], particles, thing, rest | behind | farther


def _read_state(words: Sequence[str]) -> frozenset[str]:
    """Return the content words of a thing of which a clause says no more than that it is open no longer; empty for none."""
    place = next((at for at, word in enumerate(words) if word in _STATES), 0)
    if not place or not _ADVERBS.issuperset(words[place + 1 :]):
        return frozenset()
    subject = [word for word in words[:place] if word not in _ADVERBS]
    while subject and subject[-1] in PRESENT_COPULAS | _PAST | _HAVE:
        subject.pop()
    is_thing = PREPOSITIONS.isdisjoint(subject) and _is_noun_phrase(subject)
    return find_content_words(" ".join(subject)) if is_thing else frozenset()


def _is_noun_phrase(words: Sequence[str]) -> bool:
    """Whether words name a thing, and no clause or guess ("the invoice we", "maybe the invoice")."""
    named = find_content_words(" ".join(words)) | PREPOSITIONS | _DETERMINERS
    return named.issuperset(words) and {"this", "that"}.isdisjoint(words[1:])


def _skip_adverbs(words: Sequence[str], place: int) -> int:
    while place < len(words) and words[place] in _ADVERBS:
        place += 1
    return place


def _is_past(word: str) -> bool:
    return word in _IRREGULAR or (len(word) > len("used") and word.endswith("ed"))
