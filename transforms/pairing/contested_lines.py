"""Finds the line of MEMORY.md about the subject of something that its owner says later: what it contradicts, or says again.

Less proof is asked for than where a fact is retired without a word: the owner sees both texts and decides. A page has few lines,
each of which was reviewed, and a line that is over misleads every session.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from transforms.exchanges.replaced_values import (
    begins_elsewhere,
    find_replaced_words,
    list_among,
    list_starts,
    profile_claim_words,
    states_exchange,
)
from transforms.language.assertion_patterns import PAST_TENSE
from transforms.language.lexicon import CHANGE_WORDS, parse_set
from transforms.language.sentences import QUESTION_MARKS, split_words
from transforms.language.statement import Statement, parse_statement, select_content_words
from transforms.language.tokenizer import stem
from transforms.memory.claim_clauses import REPLACES, ClaimClause, find_asserted_clauses, find_carrying_clauses
from transforms.memory.passing_line import is_passing
from transforms.memory.same_claim import parse_line
from transforms.memory.supersession import find_retirement, narrows_subject
from transforms.tables.enums import PERSON_KINDS, SETTLING_KINDS
from transforms.words.word_classes import DEMONSTRATIVES

MOST_CHARS = 300
"""Longer sayings have many subjects, and a short line is one of them at most."""
MIN_COVERED = 0.5
"""Share of a line's subject that a saying names which turns it or gives it another value."""
MIN_PART_WORDS = 2
"""Words from which a part of a sentence names what it denies; "not s3" is about what the other part says."""
MOST_COMING = 3
"""Words that take the place of a value where a saying shares nothing else with the line."""
_POINTING = DEMONSTRATIVES | {"once", "own"}
"""Words that bind a saying to the work at hand: "emojis are fine in this one"."""
_VERDICTS = frozenset(map(stem, parse_set("ok okay fine allow allowed permit permitted ban banned forbid forbidden")))
"""Words that say of something whether it may be: what they deny is denied, though the word for it stands outside."""
_FORCE = _VERDICTS | frozenset(map(stem, parse_set("never not no cannot stop need")))
"""Words that say whether something may be, and not what."""
CONTESTING_KINDS = SETTLING_KINDS | {"request", "status"}
"""Kinds of facts that may contradict a line; what a request asks for once lacks the words of a change."""
Contest = Literal["", "polarity", "dropped", "value"]


class Saying(NamedTuple):
    """What an owner said: the claim, and the kind of the fact."""

    claim: str
    kind: str


def contest_line(line: str, saying: Saying) -> Contest:
    """Return how a later saying contradicts a line: it lifts a ban, forbids what the line asks for, names its value as gone,
    or gives its subject another value. Empty when it does not, or holds for a case, a moment or a place of its own."""
    if len(saying.claim) > MOST_CHARS or saying.claim.rstrip().endswith(QUESTION_MARKS):
        return ""
    for clause in find_asserted_clauses(saying.claim):
        if not _is_bound(line, clause) and (contest := _compare(line, clause, saying.kind)):
            return contest
    return ""


def _is_bound(line: str, clause: ClaimClause) -> bool:
    """Whether a clause is about a moment, the work at hand, or a thing or place of its own."""
    words = split_words(clause.text.casefold())
    if is_passing(clause.text) or not _POINTING.isdisjoint(words) or begins_elsewhere(profile_claim_words(line), clause.text):
        return True
    return narrows_subject(_list_subject(parse_line(line)), clause.text)


def _compare(line: str, clause: ClaimClause, kind: str) -> Contest:
    older = parse_line(line)
    parts = [parse_statement(part) for part in clause.text.split(", ")]
    is_lasting = kind in PERSON_KINDS or bool(REPLACES.search(clause.text))
    if any(_turns(older, part, is_alone=len(parts) == 1, is_lasting=is_lasting) for part in parts):
        return "polarity"
    if _drops_value(older, clause):
        return "dropped"
    if any(_gives_value(older, part, is_explicit=clause.is_explicit) for part in parts):
        return "value"
    if not clause.is_explicit or _denies_again(older, clause.statement):
        return ""
    decided = ("decision", find_carrying_clauses(line)), ("decision", [clause])
    return "dropped" if find_retirement(*decided, is_same_project=True) in ("reversal", "replacement") else ""


def _list_subject(statement: Statement) -> frozenset[str]:
    return select_content_words(statement) - CHANGE_WORDS - _FORCE


def _turns(line: Statement, part: Statement, *, is_alone: bool, is_lasting: bool) -> bool:
    """Whether a part of a saying permits what the line forbids, or denies what it asks for, and says nothing of anything else."""
    subject, own = _list_subject(line), _list_subject(part)
    if not own <= subject or len(own) < max(MIN_COVERED * len(subject), 1 if is_alone else MIN_PART_WORDS):
        return False
    if any({_read_sign(line, word), _read_sign(part, word)} != {"+", "-"} for word in own):
        return False
    return part.has_permission or (is_lasting and len(own) >= MIN_PART_WORDS) or bool(REPLACES.search(part.text))


def _read_sign(statement: Statement, word: str) -> str | None:
    """Return the sign of a word: of "emojis are not fine" and "emojis are forbidden" the end of the sentence decides."""
    is_denied = any(statement.signs.get(verdict) == "-" for verdict in _VERDICTS)
    return "-" if is_denied and word in statement.signs else statement.signs.get(word)


def _denies_again(line: Statement, said: Statement) -> bool:
    """Whether a saying denies nothing but what the line denies, and asks for nothing else."""
    subject, own = _list_subject(line), _list_subject(said)
    return bool(own) and own <= subject and all(_read_sign(line, word) == _read_sign(said, word) == "-" for word in own)


def _drops_value(line: Statement, clause: ClaimClause) -> bool:
    """Whether a saying names something that a line asks for as gone, and something else beside it, in no place of its own."""
    said = clause.statement
    subject, own = _list_subject(line), _list_subject(said)
    named = find_replaced_words(clause.text)
    if named and not (clause.is_explicit or states_exchange(clause.text)):
        return False  # "the loop must not use it" takes the place of nothing
    is_lasting = bool(REPLACES.search(clause.text))  # "don't run it now" is an order of the moment
    denied = frozenset(word for word in own if said.signs.get(word) == "-") if is_lasting else frozenset[str]()
    replaced = named or denied
    gone = list_among(subject, replaced)
    if not gone or any(_read_sign(line, word) == "-" for word in gone) or len(list_among(replaced, subject)) < len(replaced):
        return False  # "the eslint config" is no eslint
    come = own - subject - denied - named
    return bool(come) and not said.scoped & come and (bool(own & subject - gone) or len(come) <= MOST_COMING)


def _gives_value(line: Statement, part: Statement, *, is_explicit: bool) -> bool:
    """Whether a saying gives the subject of a line with one number another one of its unit."""
    subject, own = _list_subject(line), _list_subject(part)
    if len(line.numbers) != 1 or len(part.numbers) != 1:
        return False
    ((before, old_unit),), ((now, new_unit),) = line.numbers, part.numbers
    if before == now or old_unit != new_unit or not (is_explicit or (old_unit and not PAST_TENSE.search(part.text))):
        return False  # "it was 45s before" gives it nothing
    return bool(own) and own <= subject and len(own) >= MIN_COVERED * len(subject)


def find_contested(lines: Iterable[str], saying: Saying) -> str:
    """Return the one line that a saying contradicts, the one with most of its words; empty when there is none."""
    words = select_content_words(parse_statement(saying.claim))
    starts = list_starts(profile_claim_words(saying.claim))
    near = [line for line in lines if not starts.isdisjoint(list_starts(profile_claim_words(line)))]  # of a page few are
    contested = [line for line in near if contest_line(line, saying)]
    return max(contested, key=lambda line: len(words & select_content_words(parse_line(line))), default="")
