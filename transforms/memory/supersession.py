"""When a newer assertion retires an older one: by evidence in the words (same subject, changed value), never by date alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from transforms.language.lexicon import ALTERNATIVES, CHANGE_WORDS, CONTRADICTIONS, GENERIC, parse_set
from transforms.language.similarity import select_subject_words
from transforms.language.statement import Statement, parse_statement, profile_words, select_content_words, split_clauses
from transforms.language.tokenizer import stem

Retirement = Literal["", "reversal", "value", "replacement"]

_PERSON_KINDS = frozenset({"preference", "rule", "correction", "decision", "convention"})
_STATED_KINDS = _PERSON_KINDS | {"state_change"}
_EVENT_KINDS = frozenset({"status", "file_change", "completion", "fix"})
RETIRED_BY: dict[str, frozenset[str]] = {
    "preference": _PERSON_KINDS,
    "rule": _PERSON_KINDS,
    "correction": _PERSON_KINDS,
    "convention": _STATED_KINDS,
    "decision": _STATED_KINDS | _EVENT_KINDS,
    "state_change": _STATED_KINDS | _EVENT_KINDS,
    "status": _STATED_KINDS | _EVENT_KINDS,
    "file_change": _STATED_KINDS | _EVENT_KINDS,
    "completion": _STATED_KINDS | _EVENT_KINDS,
    "request": _PERSON_KINDS | {"request"},
}
"""Kind → kinds that may retire it. What a person rules or wishes is retired only by a person's words; events "
"and questions never are."""
RETIRED_BY_REQUEST_VALUE = frozenset({"decision", "state_change", "status", "convention"})
"""Kinds that a later request retires, too, by another value of the same thing: "set the batch size to 200", not "move to X"."""
PERSONAL_KINDS = frozenset({"preference", "rule"})
"""Kinds about the person: they hold in every project."""

_CHANGES = re.compile(
    r"\b(?:no longer|any ?more|instead|rather than|in favou?r of|replac(?:e|es|ed|ing)|supersed\w+|switch(?:ed"
    r"|ing)?\b[^.]{0,40}\b(?:to|from|back|over)"
    r"|mov(?:e|ed|ing)\b[^.]{0,40}\b(?:to|off|away|from|over)|migrat(?:e|ed|ing)\b|revert\w*|undo|undid"
    r"|roll(?:ed)? (?:it |that )?back|scrap(?:ped)?|drop(?:ped)?|ditch(?:ed)?"
    r"|actually|(?:changed?|changing) (?:my|our|his|her|the) mind|changed?\b[^.]{0,60}\bto|from now on|as of|now"
    r"|stop(?:ped)? (?:using|doing)?|abandon(?:ed)?|back to"
    r"|renam(?:e|ed)\b[^.]{0,60}\bto|bump(?:ed)?|raised?|lower(?:ed)?|upgrad\w+|downgrad\w+|turned? (?:on|off)"
    r"|forget (?:about|the)|not\b[^.,;]{1,40}\bbut)\b",
    re.I,
)
_REPLACES = re.compile(
    r"\b(?:no longer|any ?more|instead|in favou?r of|replac\w+|supersed\w+|switch(?:ed|ing)?|mov(?:e|ed|ing)"
    r"|migrat\w+|go(?:ing)? with|changed?\b[^.]{0,60}\bto"
    r"|stop(?:ped)? using|dropp?(?:ed)?|ditch(?:ed)?|back to|now (?:use|uses|using|on|in|runs?)|us(?:e|es"
    r"|ing)\b[^.]{1,40}\bnow|from now on|turned)\b",
    re.I,
)
_TENTATIVE = re.compile(
    r"\?|\b(?:maybe|perhaps|might|could|consider\w*|should we|shall we|what if|wonder\w*|propos\w+|suggest\w*|option"
    r"|would|thinking (?:about|of)"
    r"|plan(?:s|ned|ning)? to|later|eventually|some ?day|experiment\w*|not sure|discuss\w*|unclear|if (?:we|you|i|it"
    r"|the|that))\b",
    re.I,
)
_REASON = re.compile(
    r"\s*(?:,\s*)?\b(?:because|since (?!\d)|so that|due to|in order to|given that|as (?:it|they|we)\b|which\b"
    r"|otherwise)\b.*$|\s+\(.*$",
    re.I,
)
_IN_FORCE = re.compile(
    r"\b(?:us(?:e|es|ed|ing)|prefer\w*|adopt\w*|cho(?:ose|se|sen)|pick\w*|with|stor\w+ in|runs? (?:on|in)|is|are|as|must"
    r"|always)\b",
    re.I,
)
_CONDITION = re.compile(r"^(?:if|when|unless|once|let me|first,? let|now let)\b", re.I)
_OPENING = re.compile(
    r"^(?:(?:ok(?:ay)?|no|yes|well|so|agreed|exactly|actually)[,.!:]\s+)?(?:(?:we|i)(?:'ve"
    r"| have)? )?(?:change[ds]? (?:the|our|my) (?:decision|mind)|decided|decision(?: \d+)?"
    r"|(?:hard |ground |new )?rules?|convention|correction|update|new default|conditions?)\s*:\s+",
    re.I,
)
_ADDITION = re.compile(r"\b(?:also|too|as well|additionally|in addition|both|besides|second|another)\b", re.I)
_NUMBERED_LABEL = re.compile(
    r"^\W*\d+\s*[:.)]\s|\b(?:phase|step|issue|pr|ticket|lines?|part|stage|story|tests?|case|task|section|chapter|item"
    r"|point|rule|adr"
    r"|error|run|attempt|round|day|week|session"
    r"|commit|figure|table|option|exit code|milestone|sprint|wp|batch|slice|round)\s*(?:#|no\.?|number)?\s*\d",
    re.I,
)
_EVENT = re.compile(
    r"^(?:we |i |the agent |agent |it )?(?:have |has |just )?(?:fixed|added|removed|created|closed|found|ran|wrote"
    r"|committed|released|passed|deleted|tested|read|opened|published|pushed|merged|tagged|tried|failed)\b"
    r"|^[^,;:]{2,60}\b(?:was|were|has been|have been) (?:released|published|added|removed|created|closed|merged|tagged"
    r"|committed|deleted|installed|deployed|opened)\b",
    re.I,
)
_STATE = re.compile(
    r"\b(?:is|are|was|were|=|should|must|uses?|using|used|runs?|listens?|defaults?|set|keeps?|limit(?:ed)?"
    r"|max(?:imum)?|min(?:imum)?|(?<=\s)now\b(?!\s+(?:let|i|we|you)\b)|at most|at least|within|under|up to|times out"
    r"|expires?|retr(?:y|ies)"
    r"|make|give|caps?|holds?|lasts?|takes?|allows?|wants?|prefers?|raised?|lowered?|changed?|bump(?:ed)?|budget|every)\b|[:=→]",
    re.I,
)
_PREDICATES = (
    r"lives?(?: in| at| under)|(?:is|are) (?:stored|kept|written|served|deployed|hosted|built|located|saved|found|run"
    r"|called|named)(?: in| on| at| by| with| to| under)?"
    r"|defaults? to|runs? (?:on|in|as)|points? (?:to|at)|listens? on|should be|must be|goes? (?:to|in|into)|is|are|="
)
_COPULA = re.compile(rf"^(?P<subject>.{{3,80}}?)\s+(?P<predicate>{_PREDICATES})\s+(?P<value>.+)$", re.I)
_CHANGED_TO = re.compile(
    r"^(?:we |i |the agent )?(?:have |has |just )*(?:changed?|switch(?:ed)?|mov(?:e|ed)|set|renamed?"
    r"|migrated?)\s+(?P<subject>.{3,60}?)\s+(?:from .+? )?(?:to|into|over to|→)\s+(?P<value>.+)$",
    re.I,
)
_CHOICE = re.compile(
    r"\b(?:us(?:e|es|ing)|go(?:ing)? with|choose|chose|chosen|picked?|adopt(?:ed)?|stick(?:ing)? (?:with|to)|rel(?:y"
    r"|ies) on|decided on)\s+(?P<object>.{2,40}?)\s+(?:for|as|to)\s+(?P<purpose>.+)$",
    re.I,
)
_NOW = re.compile(r"\b(?:now|currently|from now on,?)\s+", re.I)
_LOCATED = re.compile(
    r"lives?|stored|kept|located|served|hosted|deployed|saved|defaults?|listens?|points?|named|called|goes", re.I
)
_OPPOSITE_PAIRS = {
    word: frozenset("/".join(sorted((word, other))) for other in others) for word, others in CONTRADICTIONS.items()
}
_NONE: frozenset[str] = frozenset()
NUMBERED, POLAR, NEGATIVE = 1, 2, 4
"""What a clause can contradict another one with: numbers, words that have an opposite, denial."""
_DENIALS = frozenset({"never", "not", "cannot"})
"""A denial is no other subject: "always squash", "never squash"."""
_TIMES = frozenset({"ms", "s", "min", "h", "d", "w", "mo", "y"})
_SIZES = frozenset({"kb", "mb", "gb"})
_VAGUE = frozenset(
    map(
        stem,
        parse_set("issue problem cause bug plan goal fix error question idea next task status reason answer result difference"),
    )
) | parse_set("point step failur")


@dataclass(frozen=True, slots=True)
class ClaimClause:
    """A sentence of a claim without its reasons; `is_explicit` when it says in words that something changed.

    It holds what tells whether a pair is worth a look; the sentence itself is taken apart again only then. `old_keys` and
    `new_keys` are what an older and a newer clause have in common when one names another thing of a kind, place or purpose.
    """

    text: str
    subject: frozenset[str]
    slots: frozenset[str]
    poles: frozenset[str]
    charge: int
    is_explicit: bool
    old_keys: tuple[str, ...]
    new_keys: tuple[str, ...]

    @property
    def statement(self) -> Statement:
        """The sentence taken apart."""
        return parse_statement(self.text)


def find_carrying_clauses(claim: str) -> list[ClaimClause]:
    """The clauses that carry a claim: when one of them no longer holds, the claim does not."""
    told = [sentence for sentence in split_clauses(claim) if not sentence.endswith("?") and not _CONDITION.match(sentence)]
    mains = [_strip_reason(sentence) for sentence in told]
    whole = len(profile_words(claim).content) or 1
    sizes = {main: len(profile_words(main).content) for main in mains if main}
    carrying = [main for main in mains if main and 2.5 * sizes[main] >= whole]
    # People decide first and explain then: the opening sentence carries the claim however long the rest is.
    return [_build_clause(main) for main in dict.fromkeys([*mains[:1], *carrying]) if sizes.get(main)]


def extract_headline(claim: str) -> str:
    """The opening sentence of a claim without its lead ("decided:") and its reasons."""
    return next((main for sentence in split_clauses(claim) if (main := _strip_reason(sentence))), claim)


def find_asserted_clauses(claim: str) -> list[ClaimClause]:
    """The clauses with which a claim may retire others: no questions, no proposals, no hedges, nothing merely added."""
    told = [sentence for sentence in split_clauses(claim) if not (_TENTATIVE.search(sentence) or _CONDITION.match(sentence))]
    return [_build_clause(main) for sentence in told if (main := _strip_reason(sentence)) and not _ADDITION.search(main)]


def find_retirement(
    old: tuple[str, list[ClaimClause]], new: tuple[str, list[ClaimClause]], *, is_same_project: bool
) -> Retirement:
    """What in the newer claim's words retires the older one; empty when nothing does. Each is (kind, clauses).

    The caller makes sure that `new` was said later.
    """
    is_wish = new[0] == "request" and old[0] in RETIRED_BY_REQUEST_VALUE
    if not is_wish and new[0] not in RETIRED_BY.get(old[0], frozenset()):
        return ""
    if not is_same_project and not (old[0] in PERSONAL_KINDS and new[0] in PERSONAL_KINDS):
        return ""
    needs_words = new[0] in _EVENT_KINDS or not is_same_project
    for older in old[1]:
        for newer in new[1]:
            is_worth_it = (newer.is_explicit or not needs_words) and is_worth_comparing(older, newer)
            if is_worth_it and (found := _compare_clauses(older, newer)) and (not is_wish or found == "value"):
                return found
    return ""


def is_worth_comparing(older: ClaimClause, newer: ClaimClause) -> bool:
    """The cheap test before the sentences are taken apart: half of the longer one's words in common, or a key."""
    if is_contradiction_possible(older.charge, newer.charge) and len(older.subject & newer.subject) >= compute_min_overlap(
        max(len(older.subject), len(newer.subject))
    ):
        return True
    return not set(older.old_keys).isdisjoint(newer.new_keys)


def compute_min_overlap(size: int) -> int:
    """Subject words that two clauses have in common at least, the longer of which has `size`.

    Whatever retires may leave half of the longer one open, or two words of it (`_value_changed`, `_reversed`).
    """
    return max(1, min((size + 1) // 2, size - 2))


def is_contradiction_possible(one: int, other: int) -> bool:
    """Whether two clauses can contradict each other: one denies something, both name numbers, or both name poles."""
    return bool((one | other) & NEGATIVE or one & other)


@lru_cache(maxsize=8_192)
def _build_clause(main: str) -> ClaimClause:
    one = profile_words(main)
    words = one.content | (one.stems & GENERIC)
    kinds = frozenset(ALTERNATIVES[word] for word in words if word in ALTERNATIVES)
    poles = frozenset(pair for word in one.content for pair in _OPPOSITE_PAIRS.get(word, ()))
    charge = NUMBERED * one.has_numbers | POLAR * any(word in _OPPOSITE_PAIRS for word in one.stems) | NEGATIVE * one.may_deny
    shared = tuple(f"kind {kind}" for kind in sorted(kinds | poles))
    old, new = _find_assignment_keys(main)
    chosen = _CHOICE.search(main)
    purpose = min(_subject_words(chosen["purpose"]), default="") if chosen else ""
    old = (*shared, *old, *((f"for {purpose}",) if purpose else ()))
    is_explicit = bool(_CHANGES.search(main))
    replaces = is_explicit and _REPLACES.search(main)
    new = (*shared, *new, *((f"for {word}" for word in sorted(one.content)) if replaces else ()))
    return ClaimClause(main, one.content - CHANGE_WORDS, kinds, poles, charge, is_explicit, old, new)


def _find_assignment_keys(main: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a clause assigns a value to, as the older and as the newer of a pair (see `_assigned_anew`)."""
    before = _COPULA.match(_NOW.sub("", main))
    after = _CHANGED_TO.match(main) or before
    return tuple(  # type: ignore[return-value]
        ("at " + " ".join(sorted(named)),)
        if match and (named := _subject_words(match["subject"])) and 0 < len(_subject_words(match["value"])) <= 3
        else ()
        for match in (before, after)
    )


@lru_cache(maxsize=8_192)
def _strip_reason(sentence: str) -> str:
    """The sentence without its reasons: "moved to Postgres because SQLite locks" is not about what SQLite does."""
    return _REASON.sub("", _OPENING.sub("", sentence)).strip()


def _compare_clauses(older: ClaimClause, newer: ClaimClause) -> Retirement:
    old, new, is_explicit = older.statement, newer.statement, newer.is_explicit
    if (old.sequence == new.sequence and old.numbers == new.numbers) or _EVENT.match(old.text):
        return ""  # the same words, or something that happened once: that stays true
    if _is_value_changed(old, new, is_explicit=is_explicit):
        return "value"
    if not (old.numbers <= new.numbers or {v for v, _ in old.numbers} <= {v for v, _ in new.numbers}):
        return ""
    if _is_reversed(old, new, is_explicit=is_explicit):
        return "reversal"
    if _is_reassigned(old, new, is_explicit=is_explicit) or _is_choice_replaced(old, new):
        return "replacement"
    return ""


def _is_value_changed(old: Statement, new: Statement, *, is_explicit: bool) -> bool:
    """ "Cache TTL is 300 s" → "Cache TTL is now 60 s": one number differs, everything else is the same subject."""
    gone, come = old.numbers - new.numbers, new.numbers - old.numbers
    if len(come) != 1 or (len(gone) != 1 and not (not gone and _is_from_old_value(old, new))):
        return False
    units = {unit for _, unit in gone | come if unit}
    if len(units) > 1 and not (units <= _TIMES or units <= _SIZES):
        return False
    if gone and {value for value, _ in gone} == {value for value, _ in come}:
        return False
    if "#" in units or _NUMBERED_LABEL.search(old.text) or _NUMBERED_LABEL.search(new.text):
        return False
    if not (_STATE.search(old.text) and (is_explicit or _STATE.search(new.text))):
        return False
    shared, only_old, only_new = _split_subjects(old, new)
    if not shared or (only_old and only_new) or (only_new & new.scoped and not is_explicit) or only_old & old.scoped:
        return False
    return len(only_old | only_new) <= max(len(shared) * 0.67, 1 if is_explicit else 0)


def _is_from_old_value(old: Statement, new: Statement) -> bool:
    return any(
        re.search(rf"\bfrom\s+\W?{re.escape(value)}|\b{re.escape(value)}\D{{0,12}}(?:→|->|=>)", new.text)
        for value, _ in old.numbers
    )


def _is_reversed(old: Statement, new: Statement, *, is_explicit: bool) -> bool:
    """The newer denies what the older affirms (or names another of its kind) about the same subject."""
    shared, only_old, only_new = _split_subjects(old, new)
    turned = {word for word in shared if len(old.signs[word]) == 1 == len(new.signs[word]) and old.signs[word] != new.signs[word]}
    pairs = {(one, other) for one in only_old for other in only_new if _is_alternative(one, other)}
    poles = bool(_find_opposites(old.stems - new.stems, new.stems - old.stems))
    if not turned and not pairs and not poles:
        return False
    kinds = {ALTERNATIVES.get(word, word) for word in turned} | {ALTERNATIVES.get(one, one) for one, _ in pairs}
    rest_old = only_old - {one for one, _ in pairs} - _find_opposites(only_old, new.stems)
    rest_new = {
        word for word in only_new - {other for _, other in pairs} if ALTERNATIVES.get(word, word) not in kinds
    } - _find_opposites(only_new, old.stems)
    if turned and is_explicit and _REPLACES.search(new.text) and len(rest_new) == 1:
        rest_new = set()  # "Bar instead of Foo": what takes its place
    named = {name for name in old.names if not name.isalpha()}
    if (rest_old and rest_new) or (rest_new & new.scoped) or (named - new.words and not pairs):
        return False
    if not shared and not any(one in ALTERNATIVES for one, _ in pairs):
        return not rest_old and not rest_new and bool(pairs)  # "prefers long replies" / "prefers short replies"
    if is_explicit:
        return _is_reversed_in_words(old, new, (len(shared), bool(pairs)), rest_old, rest_new)
    if rest_old & old.scoped:
        return False
    return len(rest_old) + len(rest_new) <= len(shared) * 0.34 and bool(shared or pairs)


def _is_reversed_in_words(
    old: Statement, new: Statement, common: tuple[int, bool], rest_old: set[str] | frozenset[str], rest_new: set[str]
) -> bool:
    """With a word of change less needs to agree; `common`: subject words, and whether one thing stands in for another."""
    covered = common[0] + common[1]
    if rest_old and not (_IN_FORCE.search(old.text) and len(rest_old) <= max(covered, 1)):
        return False
    if len(rest_new) > max(2, common[0]):
        return False
    return not common[1] or not rest_old or bool(_REPLACES.search(new.text))


def _find_opposites(words: frozenset[str] | set[str], others: frozenset[str]) -> set[str]:
    return {one for one in words if not CONTRADICTIONS.get(one, _NONE).isdisjoint(others)}


def _is_alternative(one: str, other: str) -> bool:
    kind = ALTERNATIVES.get(one)
    return (kind is not None and ALTERNATIVES.get(other) == kind) or other in CONTRADICTIONS.get(one, _NONE)


def _is_reassigned(old: Statement, new: Statement, *, is_explicit: bool) -> bool:
    """ "Migrations live in db/" → "Migrations live in server/": the same place of the same subject, another value."""
    before = _COPULA.match(_NOW.sub("", old.text))
    if before is None:
        return False
    after = _CHANGED_TO.match(new.text) or _COPULA.match(_NOW.sub("", new.text))
    if after is None:
        return False
    named = _subject_words(before["subject"])
    if not named or named != _subject_words(after["subject"]) or named <= _VAGUE:
        return False
    values = _subject_words(before["value"]), _subject_words(after["value"])
    if not values[0] or not values[1] or values[0] & values[1] or max(map(len, values)) > 3:
        return False
    predicate = after.groupdict().get("predicate")
    if predicate is None:
        return True
    if predicate.split()[-1].lower() != before["predicate"].split()[-1].lower():
        return False
    return is_explicit or bool(_LOCATED.search(predicate)) or "default" in named


def _is_choice_replaced(old: Statement, new: Statement) -> bool:
    """ "Use Foo for storage" → "Switched storage to Bar": the same purpose, another thing, and words that say so."""
    choice = _CHOICE.search(old.text)
    if choice is None or not _REPLACES.search(new.text):
        return False
    thing, purpose = _subject_words(choice["object"]), _subject_words(choice["purpose"])
    _, only_old, only_new = _split_subjects(old, new)
    return bool(thing and purpose) and purpose <= select_content_words(new) and only_old <= thing and 1 <= len(only_new) <= 3


def _subject_words(text: str) -> frozenset[str]:
    one = profile_words(text)
    return (one.content - CHANGE_WORDS) | one.values


def _split_subjects(old: Statement, new: Statement) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Subject words of both, of the older only, of the newer only."""
    one, other = select_subject_words(old), select_subject_words(new)
    # A word of change ("switch", "update") may be the subject of the other text; it never sets two texts apart.
    beside = CHANGE_WORDS | GENERIC | _DENIALS
    return one & other, one - other - beside, other - one - beside
