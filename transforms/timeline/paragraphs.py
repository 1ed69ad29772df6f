"""Joins facts to paragraphs in order of time: those of one subject stand together, and nothing is told twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby, zip_longest

from transforms.language.statement import parse_statement, select_content_words
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.repeated_sentences import find_saying, index_facts, split_outcome
from transforms.timeline.telling import NOTED, Telling, enumerate_words, finish, tell_fact

MAX_PARAGRAPH = 5
"""Facts of a paragraph: a longer one is not read."""
MAX_BARE = 6
"""Sayings without an outcome of their own that a page lists."""
LEAST_SHARED, MAX_SPREAD = 2, 5
"""Words that facts of one subject share; a word of more facts than `MAX_SPREAD` names no subject."""

_ALIKE = compile_late(r" \(\d+ alike\)$")
"""The number of facts of one form, behind the newest of them in a distillate."""


@dataclass(frozen=True, slots=True)
class TimelineFact:
    """A fact on its way to a page: the id of its row, and, of a model's line, that it is worded and whether it binds."""

    text: str
    day: date
    id: str = ""
    is_worded: bool = False
    is_binding: bool = False


@dataclass(frozen=True, slots=True)
class SubjectParagraph:
    """Sentences about one subject, and the ids of the facts in it."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToldPeriod:
    """What holds since a period, what was found and done in it, and what was said without an outcome of its own."""

    decided: tuple[SubjectParagraph, ...]
    done: tuple[SubjectParagraph, ...]
    open_words: str

    @property
    def is_full(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.decided or self.done or self.open_words)

    def tells(self, sentence: str) -> bool:
        """Whether a paragraph has this sentence."""
        return any(sentence in text for text in (*(part.text for part in (*self.decided, *self.done)), self.open_words))


def tell_period(facts: Sequence[TimelineFact], name: str) -> ToldPeriod:
    """Return the paragraphs of a project's period; `name` is the owner's, as sentences begin with it."""
    known: dict[str, TimelineFact] = {}
    for fact in sorted(facts, key=lambda fact: fact.day):
        if _tell(fact, name, is_first_of_day=False).sentences:
            known.setdefault(" ".join(sorted(_read_words(fact.text))) or fact.text, fact)
    parts: dict[bool, list[list[TimelineFact]]] = {True: [], False: []}
    bare: list[str] = []
    for group in _group_by_subject(list(known.values()), _read_words(name)):
        tellings = [_tell(fact, name, is_first_of_day=False) for fact in group]
        if len(group) == 1 and tellings[0].bare:
            bare.append(tellings[0].bare)
        else:
            binding = sum(telling.is_binding or fact.is_binding for telling, fact in zip(tellings, group, strict=True))
            parts[2 * binding >= len(group)].append(group)
    decided, done = (_write_paragraphs(_put_in_order(parts[key]), name) for key in (True, False))
    return ToldPeriod(decided, done, _list_bare(bare, name))


def _put_in_order(groups: Sequence[list[TimelineFact]]) -> list[list[TimelineFact]]:
    """Return the facts in order of time: those of a subject stay together where no other subject was spoken of in between."""
    days = sorted((day, place) for place, group in enumerate(groups) for day in {fact.day for fact in group})
    spoken = ((place, {day for day, _ in dated}) for place, dated in groupby(days, lambda pair: pair[1]))
    return [[fact for fact in groups[place] if fact.day in on] for place, on in spoken]


def _group_by_subject(facts: list[TimelineFact], speaker: frozenset[str]) -> list[list[TimelineFact]]:
    """Return facts of which each shares words which few others have with another one of its group, in order of time; the name of
    who speaks is no subject."""
    words = [_read_words(fact.text) - speaker for fact in facts]
    spread = Counter(word for known in words for word in known)
    groups: list[tuple[list[TimelineFact], list[set[str]]]] = []
    for fact, known in zip(facts, words, strict=True):
        rare = {word for word in known if spread[word] <= MAX_SPREAD}
        shared = [max(len(other & rare) for other in said) if len(members) < MAX_PARAGRAPH else 0 for members, said in groups]
        best = max(range(len(groups)), key=shared.__getitem__, default=None)
        if best is not None and shared[best] >= LEAST_SHARED:
            groups[best][0].append(fact)
            groups[best][1].append(rare)
        else:
            groups.append(([fact], [rare]))
    return [members for members, _ in groups]


def _read_words(text: str) -> frozenset[str]:
    return select_content_words(parse_statement(text))


def _write_paragraphs(groups: Sequence[Sequence[TimelineFact]], name: str) -> tuple[SubjectParagraph, ...]:
    """Return the paragraphs of a section; the day of what was said stands where it is another one than before."""
    paragraphs, last_day = [], None
    for facts in groups:
        paragraph, last_day = _write_paragraph(facts, name, last_day)
        paragraphs.append(paragraph)
    return tuple(paragraphs)


def _write_paragraph(facts: Sequence[TimelineFact], name: str, last_day: date | None) -> tuple[SubjectParagraph, date | None]:
    """Return the facts as one paragraph with all their ids, and the day of the last saying; what another one of them says word
    for word is not said twice."""
    sentences: list[str] = []
    for fact in _drop_said_outcomes(facts):
        telling = _tell(fact, name, is_first_of_day=fact.day != last_day)
        last_day = fact.day if telling.is_saying else last_day
        if not any(telling.sentences in said for said in sentences):
            sentences = [*(said for said in sentences if said not in telling.sentences), telling.sentences]
    text = " ".join(_join_notes(sentences))
    return SubjectParagraph(text, tuple(dict.fromkeys(fact.id for fact in facts if fact.id))), last_day


def _drop_said_outcomes(facts: Sequence[TimelineFact]) -> list[TimelineFact]:
    """Return the facts without the outcomes that the fact right behind says."""
    kept = []
    for fact, behind in zip_longest(facts, facts[1:]):
        head, outcome, files = split_outcome(fact.text)
        is_said = bool(outcome and behind) and find_saying(outcome, index_facts([("", behind.text)])) is not None
        kept.append(replace(fact, text=head + files) if is_said else fact)
    return kept


def _join_notes(sentences: Sequence[str]) -> list[str]:
    """Return the sentences with notes of an agent behind each other as one: who noted them is said once."""
    joined: list[str] = []
    for sentence in sentences:
        if joined and _is_note(sentence) and _is_note(joined[-1]):
            joined[-1] = f"{joined[-1].removesuffix('.')}; {sentence.removeprefix(NOTED)}"
        else:
            joined.append(sentence)
    return joined


def _is_note(sentence: str) -> bool:
    return sentence.startswith(NOTED) and sentence.rstrip(".").endswith("”")


def _tell(fact: TimelineFact, name: str, is_first_of_day: bool) -> Telling:
    alike = _ALIKE.search(fact.text)
    text = fact.text[: alike.start()] if alike else fact.text
    telling = tell_fact(text, fact.day, name, is_first_of_day, is_worded=fact.is_worded)
    return replace(telling, sentences=f"{telling.sentences}{alike[0]}") if alike and telling.sentences else telling


def _list_bare(bare: list[str], name: str) -> str:
    if not bare:
        return ""
    shown, rest = bare[:MAX_BARE], len(bare) - MAX_BARE
    more = [f"{rest} more"] if rest > 0 else []
    return finish(f"{name} also said: {enumerate_words([*shown, *more])}")
