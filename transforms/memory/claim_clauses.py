"""The clauses of a claim: which of them carry it, which may retire another claim, and which pairs are worth comparing.

A clause may name the value that it replaces (`transforms.exchanges.replaced_values`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from transforms.exchanges.replaced_values import (
    blank_replaced,
    find_replaced_words,
    hide_quotations,
    list_starts,
    profile_claim_words,
)
from transforms.exchanges.rival_numbers import find_rival_numbers
from transforms.language.lexicon import ALTERNATIVES, CHANGE_WORDS, CONTRADICTIONS, GENERIC
from transforms.language.sentences import QUESTION_MARKS
from transforms.language.statement import Statement, freeze_words, parse_statement, profile_words, split_clauses
from transforms.language.tokenizer import write_numbers
from transforms.patterns.late_pattern import compile_late

_CHANGES = compile_late(
    r"\b(?:no longer|any ?more|instead|rather than|in favou?r of|replac(?:e|es|ed|ing)|supersed\w+|switch(?:ed"
    r"|ing)?\b[^.]{0,40}\b(?:to|from|back|over)"
    r"|mov(?:es?|ed|ing)\b[^.]{0,40}\b(?:to|off|away|from|over)|migrat(?:e|ed|ing)\b|revert\w*|undo|undid"
    r"|roll(?:ed)? (?:it |that )?back|scrap(?:ped)?|drop(?:ped)?|ditch(?:ed)?"
    r"|actually|(?:changed?|changing) (?:my|our|his|her|the) mind|changed?\b[^.]{0,60}\bto|from now on|as of|now"
    r"|stop(?:ped)? (?:using|doing)?|abandon(?:ed)?|back to"
    r"|renam(?:e|ed)\b[^.]{0,60}\bto|bump(?:ed)?|raised?|lower(?:ed)?|upgrad\w+|downgrad\w+|turned? (?:on|off)"
    r"|forget (?:about|the)|not\b[^.,;]{1,40}\bbut)\b",
    re.I,
)
REPLACES = compile_late(
    r"\b(?:no longer|any ?more|instead|in favou?r of|replac\w+|supersed\w+|switch(?:ed|ing)?|mov(?:e|ed|ing)"
    r"|migrat\w+|go(?:ing)? with|changed?\b[^.]{0,60}\bto"
    r"|stop(?:ped)? using|dropp?(?:ed)?|ditch(?:ed)?|back to|now (?:use|uses|using|on|in|runs?)|us(?:e|es"
    r"|ing)\b[^.]{1,40}\bnow|from now on|turned)\b",
    re.I,
)
TENTATIVE = compile_late(
    r"\?|\b(?:maybe|perhaps|might|could|consider\w*|should we|shall we|what if|wonder\w*|propos\w+|suggest\w*|option"
    r"|would|thinking (?:about|of)"
    r"|plan(?:s|ned|ning)? to|later|eventually|some ?day|experiment\w*|not sure|discuss\w*|unclear|if (?:we|you|i|it"
    r"|the|that))\b",
    re.I,
)
_REASON = compile_late(
    r"\s*(?:,\s*)?\b(?:because|since (?!\d)|so that|due to|in order to|given that|as (?:it|they|we)\b|which\b"
    r"|otherwise)\b.*$|\s+\(.*$",
    re.I,
)
_CONDITION = compile_late(r"^(?:if|when|unless|once|let me|first,? let|now let)\b", re.I)
_OPENING = compile_late(
    r"^(?:(?:ok(?:ay)?|no|yes|well|so|agreed|exactly|actually)[,.!:]\s+)?(?:(?:we|i)(?:'ve"
    r"| have)? )?(?:change[ds]? (?:the|our|my) (?:decision|mind)|decided|decision(?: \d+)?"
    r"|(?:hard |ground |new )?rules?|convention|correction|update|new default|conditions?)\s*:\s+",
    re.I,
)
ADDITION = compile_late(
    r"\b(?:also|too(?!\s+(?!and\b|for\b|in\b|on\b)[^\W\d])|as well|additionally|in addition|both|besides|second|another)\b", re.I
)
"""Words that add to what holds; "too slow" is a verdict."""
_PREDICATES = (
    r"lives?(?: in| at| under)|(?:is|are) (?:stored|kept|written|served|deployed|hosted|built|located|saved|found|run"
    r"|called|named)(?: in| on| at| by| with| to| under)?"
    r"|defaults? to|runs? (?:on|in|as)|points? (?:to|at)|listens? on|should be|must be|go(?:es)? (?:to|in|into)|is|are|="
)
COPULA = compile_late(rf"^(?P<subject>.{{3,80}}?)\s+(?P<predicate>{_PREDICATES})\s+(?P<value>.+)$", re.I)
CHANGED_TO = compile_late(
    r"^(?:we |i |the agent )?(?:have |has |just )*(?:changed?|switch(?:ed)?|mov(?:e|ed)|set|renamed?"
    r"|migrated?)\s+(?P<subject>.{3,60}?)\s+(?:from .+? )?(?:to|into|over to|→)\s+(?P<value>.+)$",
    re.I,
)
CHOICE_VERB = compile_late(
    r"\b(?:us(?:e|es|ing)|go(?:ing)? with|choose|chose|chosen|picked?|adopt(?:ed)?|stick(?:ing)? (?:with|to)|rel(?:y"
    r"|ies) on|decided on)\s+(?P<object>.{2,40}?)\s+(?:for|as|to)\s+(?P<purpose>.+)$",
    re.I,
)
NOW = compile_late(r"\b(?:now|currently|from now on,?)\s+", re.I)
_HOUR_AND_MINUTE = compile_late(r"\b([01]?\d|2[0-3]):([0-5]\d)\b(?!:)")
EVENT = compile_late(
    r"^(?:we |i |the agent |agent |it )?(?:have |has |just )?(?:fixed|added|removed|created|closed|found|ran|wrote"
    r"|committed|released|passed|deleted|tested|read|opened|published|pushed|merged|tagged|tried|failed)\b"
    r"|^[^,;:]{2,60}\b(?:was|were|has been|have been) (?:released|published|added|removed|created|closed|merged|tagged"
    r"|committed|deleted|installed|deployed|opened)\b",
    re.I,
)
_OPPOSITE_PAIRS = {
    word: frozenset("/".join(sorted((word, other))) for other in others) for word, others in CONTRADICTIONS.items()
}
_KIND, _AT = "kind ", "at "
DENIALS = frozenset({"never", "not", "cannot"})
"""A denial is no other subject: "always squash", "never squash"."""
_ALTERNATIVE_WORDS = frozenset([*ALTERNATIVES, *ALTERNATIVES.values(), *CONTRADICTIONS])
_NOTHING: frozenset[str] = frozenset()
NUMBERED, POLAR, NEGATIVE = 1, 2, 4
"""Flags of a clause that can contradict another one: it has numbers, words with an opposite, or a denial."""
MAX_CLAIM_PER_CLAUSE = 2.5
"""A clause carries its claim when the claim has at most this many times its content words."""
_VERBLESS_CHOICE = compile_late(
    r"^(?:(?:ok(?:ay)?|yes|then|so)[\s,]+)*(?:(?:we|i|let's|lets|let us)\s+)?(?:(?:will|'ll)\s+)?"
    r"(?:(?:use|take|pick|choose|go with|stick with|stay with)\s+)?"
    r"(?P<chosen>(?:the\s+)?(?!(?:is|are|was|for|it|that|this|ready|ok|good|fine|thanks?|time|wait|look|ask|check)\b)[^\s,;:.!?]+"
    r"(?:\s+\d[\w.]*)?)\s+for\s+(?P<purpose>(?:the|our|my|this|all|both|its|every)\s[^,;:.!?]+)",
    re.I,
)
"""An answer that picks a value for a purpose: "sqlite for the stock snapshots"."""


@dataclass(frozen=True, slots=True)
class ClaimClause:
    """A sentence of a claim without its reasons. `is_explicit`: it says in words that something changed.

    `core` are the words of its subject that name no alternative; `has_purpose`: it chooses something for a purpose. It holds only
    the parts that decide whether a pair is worth comparing; then the sentence is analysed again. `old_names` and `new_names` are
    the places and purposes that an older and a newer clause share when one names another; `starts` are the beginnings of its
    words and values, `replaced_starts` those of the values that it names as replaced.
    """

    text: str
    subject: frozenset[str]
    slots: frozenset[str]
    poles: frozenset[str]
    flags: int
    is_explicit: bool
    old_names: frozenset[str]
    new_names: frozenset[str]
    starts: frozenset[str]
    replaced_starts: frozenset[str]
    values: frozenset[str]
    core: frozenset[str]
    has_purpose: bool
    is_choice: bool = False
    """Whether it is only the value that a claim chose: a newer clause may name it as replaced, and says nothing else about it."""

    @property
    def statement(self) -> Statement:
        """The sentence, analysed; a time of day is one value."""
        return parse_statement(_join_clock_times(self.text))

    @property
    def old_keys(self) -> list[str]:
        """The keys under which a newer clause finds this one."""
        return [*self.old_names, *self._list_kinds(), *map(_key_value, self.starts)]

    @property
    def new_keys(self) -> list[str]:
        """The keys under which this clause finds older ones."""
        return [*self.new_names, *self._list_kinds(), *map(_key_value, self.replaced_starts)]

    def _list_kinds(self) -> list[str]:
        return [f"{_KIND}{kind}" for kind in self.slots | self.poles]

    @property
    def is_event(self) -> bool:
        """Whether it tells of something that happened once: that stays true, so nothing retires it."""
        return bool(EVENT.match(self.text) and EVENT.match(_join_clock_times(self.text)))


@lru_cache(maxsize=16_384)
def find_carrying_clauses(claim: str) -> tuple[ClaimClause, ...]:
    """Return the clauses that carry a claim: when one of them no longer holds, the claim does not; with its numbers as digits."""
    claim = write_numbers(claim)
    sentences = [
        sentence for sentence in split_clauses(claim) if not sentence.endswith(QUESTION_MARKS) and not _CONDITION.match(sentence)
    ]
    mains = [_strip_reason(sentence) for sentence in sentences]
    claim_size = len(profile_words(claim).content) or 1
    sizes = {main: len(profile_words(main).content) for main in mains if main}
    carrying = [main for main in mains if main and MAX_CLAIM_PER_CLAUSE * sizes[main] >= claim_size]
    # People decide first and explain then: the opening sentence carries the claim however long the rest is.
    opening = [_build_clause(main) for main in dict.fromkeys([*mains[:1], *carrying]) if sizes.get(main)]
    return (*opening, *_list_choices(mains[:1], {clause.text for clause in opening}))


def _list_choices(mains: Sequence[str], known: Set[str]) -> Iterator[ClaimClause]:
    """Yield what a claim that opens with a choice chose and for what, and the chosen value alone, as clauses of their own.

    A claim that names what it replaces chose the rest of its words.
    """
    for main in mains:
        if find_replaced_words(main) and (chosen := " ".join(blank_replaced(main).split())) not in known:
            yield replace(_build_clause(chosen), is_choice=True)
        if match := _VERBLESS_CHOICE.match(main):
            parts = (f"{match['chosen']} for {match['purpose']}", match["chosen"])
            yield from (replace(_build_clause(part), is_choice=True) for part in dict.fromkeys(parts) if part not in known)


def extract_headline(claim: str) -> str:
    """Return the opening sentence of a claim without its lead ("decided:") and its reasons."""
    return next((main for sentence in split_clauses(claim) if (main := _strip_reason(sentence))), claim)


@lru_cache(maxsize=16_384)
def find_asserted_clauses(claim: str) -> tuple[ClaimClause, ...]:
    """Return the clauses that may retire other claims: no questions, proposals, hedges, additions or others' words."""
    sentences = split_clauses(write_numbers(hide_quotations(claim)))
    sentences = [sentence for sentence in sentences if not (TENTATIVE.search(sentence) or _CONDITION.match(sentence))]
    return tuple(_build_clause(main) for sentence in sentences if (main := _strip_reason(sentence)) and not ADDITION.search(main))


def is_worth_comparing(older: ClaimClause, newer: ClaimClause) -> bool:
    """Whether a pair may contradict each other: half of the longer one's words in common, or a key. This test is cheap."""
    if (
        is_contradiction_possible(older.flags, newer.flags)
        and has_kept_values(older.values, newer.values)
        and len(older.subject & newer.subject) >= compute_min_overlap(max(len(older.subject), len(newer.subject)))
    ):
        return True
    if not older.old_names.isdisjoint(newer.new_names) or may_name_value(older, newer):
        return True
    has_common_kind = not (older.slots.isdisjoint(newer.slots) and older.poles.isdisjoint(newer.poles))
    return has_common_kind and is_change_possible(older, newer)


def may_name_value(older: ClaimClause, newer: ClaimClause) -> bool:
    """Whether the newer clause may name a value of the older one as replaced (`is_value_named`). This test is cheap."""
    return bool(newer.replaced_starts) and not newer.replaced_starts.isdisjoint(older.starts)


def is_change_possible(older: ClaimClause, newer: ClaimClause) -> bool:
    """Whether an analysis may find that the newer clause takes the place of the older one.

    Beside alternatives, one of them has no word of its own; or both give values to a subject; or they assign to the same one; or
    the older one chooses something for a purpose. In a project about Redis every claim names it, so that a common kind alone
    would have all of them analysed. This test is cheap.
    """
    if not has_kept_values(older.values, newer.values):
        return False
    if older.has_purpose or (older.flags & newer.flags & NUMBERED and older.subject & newer.subject):
        return True
    if older.values <= newer.values and (older.core <= newer.subject or len(newer.core - older.subject) <= newer.is_explicit):
        return True
    return any(key.startswith(_AT) for key in older.old_names & newer.new_names)


def compute_min_overlap(size: int) -> int:
    """Return the subject words that two clauses have in common at least, when the longer one has `size`.

    A retiring clause may leave half of the longer one open, or two words of it (`_is_value_changed`, `_is_reversed`).
    """
    return max(1, min((size + 1) // 2, size - 2))


def has_kept_values(older: frozenset[str], newer: frozenset[str]) -> bool:
    """Whether the newer clause repeats all values of the older one but one: a claim of which two changed is another claim."""
    return len(older - newer) <= 1


def is_contradiction_possible(old_flags: int, new_flags: int) -> bool:
    """Whether two clauses can contradict each other: one denies something, both name numbers, or both name opposites."""
    return bool((old_flags | new_flags) & NEGATIVE or old_flags & new_flags)


@lru_cache(maxsize=16_384)
def _build_clause(main: str) -> ClaimClause:
    analysed = profile_words(main)
    words = analysed.content | (analysed.stems & GENERIC)
    kinds = frozenset(ALTERNATIVES[word] for word in words if word in ALTERNATIVES)
    poles = frozenset(pair for word in analysed.content for pair in _OPPOSITE_PAIRS.get(word, ()))
    flags = (
        NUMBERED * analysed.has_numbers
        | POLAR * any(word in _OPPOSITE_PAIRS for word in analysed.stems)
        | NEGATIVE * analysed.may_deny
    )
    old, new = _find_assignment_keys(main)
    chosen = CHOICE_VERB.search(main)
    purpose = min(list_subject_words(chosen["purpose"]), default="") if chosen else ""
    is_explicit = bool(_CHANGES.search(main))
    replaces = is_explicit and REPLACES.search(main)
    old_names = frozenset([*old, *((f"for {purpose}",) if purpose else ())])
    new_names = frozenset([*new, *((f"for {word}" for word in analysed.content) if replaces else ())])
    rivals = frozenset(part.value for part in find_rival_numbers(main))
    starts, replaced_starts = list_starts(profile_claim_words(main)), list_starts(find_replaced_words(main) | rivals)
    values = profile_words(_join_clock_times(main)).values if ":" in main else analysed.values
    subject = analysed.content - CHANGE_WORDS
    subject = analysed.content if len(subject) == len(analysed.content) else freeze_words(subject)
    core = subject - _ALTERNATIVE_WORDS - DENIALS
    core = (
        subject if core == subject else freeze_words(core)
    )  # a history has hundreds of thousands of clauses, each with its sets
    return ClaimClause(
        main, subject, kinds or _NOTHING, poles or _NOTHING, flags, is_explicit, old_names or _NOTHING, new_names or _NOTHING,
        starts, replaced_starts or _NOTHING, values or _NOTHING, core or _NOTHING, chosen is not None,
    )  # fmt: skip


def _join_clock_times(text: str) -> str:
    """Return the text with each time of day as one value."""
    return _HOUR_AND_MINUTE.sub(r"\1.\2", text) if ":" in text else text


def _find_assignment_keys(main: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a clause that assigns a value, as the older and as the newer clause of a pair (see `_is_reassigned`)."""
    before = COPULA.match(NOW.sub("", main))
    after = CHANGED_TO.match(main) or before
    return tuple(  # type: ignore[return-value]
        (_AT + " ".join(sorted(named)),)
        if match and (named := list_subject_words(match["subject"])) and 0 < len(list_subject_words(match["value"])) <= 3
        else ()
        for match in (before, after)
    )


@lru_cache(maxsize=16_384)
def _strip_reason(sentence: str) -> str:
    """Return the sentence without its reasons: "moved to Postgres because SQLite locks" is not about SQLite."""
    return _REASON.sub("", _OPENING.sub("", sentence)).strip()


def list_subject_words(text: str) -> frozenset[str]:
    """Return the content words of a text without words of change, and its values."""
    analysed = profile_words(text)
    return (analysed.content - CHANGE_WORDS) | analysed.values


def _key_value(start: str) -> str:
    """Return the key under which a clause that gives a value and one that replaces it find each other."""
    return f"value {start}"
