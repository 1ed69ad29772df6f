"""An observation as it is compared with others: its claim, words and values, and its place in the canonical order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from sys import intern

from transforms.exchanges.replaced_values import states_exchange
from transforms.language.statement import Statement, parse_statement, profile_words, split_claim
from transforms.memory.claim_clauses import COPULA, NOW, find_asserted_clauses
from transforms.merging.named_thing import name_thing
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import OFFLINE, PERSON_KINDS, PRIORITY_ORDER, STANDING_KINDS
from transforms.tables.rows import ObservationRow

Order = tuple[float, str, int, str]
"""Time, session, first ordinal and id of an observation."""

_STANDALONE_WORDS = 3
"""Content words from which a person's quoted words stand alone; shorter ones ("yes, do it") are compared with the
message that they answer."""
_SENTENCE_WORDS = 6
"""Words of any class from which they do: "and nothing of this may ever leave"."""
_NO_WORDS: frozenset[str] = frozenset()
STATED_KINDS = {"status": "state_change", "state_change": "decision"}
"""Kinds of a person's quoted words → as which they replace others or are replaced (`name_stated_kind`)."""
READ_KINDS, STANDING_KIND = frozenset({"request", "status"}), "decision"
"""Kinds as which words are read that may say what holds from now on, and as which they then replace others."""
_ASKED_FOR = compile_late(r"\(asked: [^?]*?\sor\s[^?]*?\s(?P<purpose>for\s+(?:the|our|my|this|all)\s[^?;()]+)\?", re.I)
"""A question of two alternatives, and what both are for."""
_FOR_GOOD = compile_late(r"\b(?:from now on|any ?more|no longer)\b", re.I)


@dataclass(slots=True)
class ComparedRow:
    """An observation while it is compared; `members` are the rows that it absorbed."""

    id: str
    kind: str
    project: str
    rank: int
    order: Order
    text: str
    claim: str
    compared: str
    content: frozenset[str]
    values: frozenset[str]
    refs: tuple[str, ...]
    stated_kind: str = ""
    """Its kind where it may retire others or be retired (`name_stated_kind`)."""
    is_quote: bool = False
    """Whether it quotes a person."""
    answer: str = ""
    """The window about which a model wrote the row, with all others of that answer in view; empty offline."""
    members: list[ComparedRow] = field(default_factory=list)

    @property
    def statement(self) -> Statement:
        """The text as a statement; computed on demand, because few of many rows are compared word by word."""
        return parse_statement(self.compared)

    @property
    def is_persons(self) -> bool:
        """Whether the row holds because a person said so."""
        return self.kind in PERSON_KINDS

    @property
    def spans_projects(self) -> bool:
        """Whether the row is compared with rows of every project: rules and preferences hold everywhere."""
        return self.kind in STANDING_KINDS

    @property
    def last_said(self) -> Order:
        """The latest order key of the row and of the rows merged into it."""
        return max([self.order, *(member.order for member in self.members)])

    def is_beside(self, other: ComparedRow) -> bool:
        """Whether one answer of a model has both rows: it told what replaces what, and words of one retire nothing of it."""
        return bool(self.answer) and self.answer == other.answer

    def forget_words(self) -> None:
        """Forget the words of the row and of its members, half of what they hold: groups are formed, and nothing else asks."""
        for row in (self, *self.members):
            row.content = _NO_WORDS


def sort_canonically(rows: Iterable[ComparedRow]) -> list[ComparedRow]:
    """Return the rows in the one order in which they are compared: persons' words, then priority, then newest, then id."""
    ordered = sorted(rows, key=lambda row: row.order, reverse=True)
    ordered.sort(key=lambda row: (not row.is_persons, row.rank))
    return ordered


def build_compared_row(observation: ObservationRow, owner: str) -> ComparedRow:
    """Return an observation as it is compared with others."""
    parts = split_claim(observation["text"], owner)
    claim = name_thing(parts.claim, parts.rest)
    compared = claim
    stands_alone = not parts.rest or (
        observation["kind"] in PERSON_KINDS
        and (len(profile_words(compared).content) >= _STANDALONE_WORDS or len(compared.split()) >= _SENTENCE_WORDS)
    )
    if not stands_alone:
        compared = f"{claim} {parts.rest}"
    moment = observation["said_at"].timestamp() if observation["said_at"] else 0.0
    ordinals = observation["ordinals"] or ()
    profile = profile_words(compared)
    return ComparedRow(
        id=observation["observation_id"], kind=intern(observation["kind"]), project=intern(observation["project"] or ""),
        rank=PRIORITY_ORDER.get(observation["priority"], 3),
        order=(moment, observation["session_id"] or "", min(ordinals, default=0), observation["observation_id"]),
        text=observation["text"], claim=_complete_answer(claim, parts.rest),
        compared=compared, content=profile.content, values=profile.values,
        stated_kind=name_stated_kind(observation["kind"], parts.claim, is_quote=parts.is_quote), is_quote=parts.is_quote,
        refs=tuple(f"{observation['session_id']}:{entry}" for entry in observation["entry_ids"] or ()),
        answer="" if (observation.get("engine") or OFFLINE) == OFFLINE else intern(observation["window_id"]),
    )  # fmt: skip


def name_stated_kind(kind: str, claim: str, *, is_quote: bool) -> str:
    """Return the kind of a row as one that replaces or is replaced: what a person states is no report of work.

    "Tile size is 24 px" takes the place of "tile size is 16 px" although no rule takes either for a decision, and a change that a
    person tells is their word. So is what they say of how it is from now on, in words that read like a request.
    """
    if not is_quote:
        return kind
    return STANDING_KIND if kind in READ_KINDS and _tells_standing(claim) else STATED_KINDS.get(kind, kind)


def _tells_standing(claim: str) -> bool:
    """Whether a clause says what holds from now on ("biome instead of eslint from now on", "timeouts are 45s now")."""
    return any(
        _FOR_GOOD.search(clause.text)
        or (COPULA.match(clause.text) and NOW.search(f"{clause.text} "))
        or states_exchange(clause.text)
        for clause in find_asserted_clauses(claim)
    )


def _complete_answer(claim: str, rest: str) -> str:
    """Return a terse answer with what it is for: "redis" to "Redis or Memcached for the cache?" is "redis for the cache"."""
    match = _ASKED_FOR.match(rest)
    if match is None or len(profile_words(claim).content) >= _STANDALONE_WORDS or " for " in claim:
        return claim
    return f"{claim.rstrip('.! ')} {match['purpose']}"
