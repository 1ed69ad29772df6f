"""Decides when a newer assertion retires an older one: by its words (same subject, changed value), never by date alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from transforms.exchanges.choosing.answered_question import PRONOUNS
from transforms.exchanges.replaced_values import is_value_named, names_measure, names_no_subject, names_same_change
from transforms.exchanges.rival_numbers import find_rival_numbers, is_former_number
from transforms.language.cue_phrases import AGREEMENT
from transforms.language.lexicon import ALTERNATIVES, CHANGE_WORDS, CONTRADICTIONS, GENERIC, parse_set
from transforms.language.similarity import select_subject_words
from transforms.language.statement import Statement, parse_statement, select_content_words
from transforms.language.tokenizer import stem
from transforms.memory.claim_clauses import (
    CHANGED_TO,
    CHOICE_VERB,
    COPULA,
    DENIALS,
    EVENT,
    NOW,
    REPLACES,
    ClaimClause,
    is_change_possible,
    is_worth_comparing,
    list_subject_words,
    may_name_value,
)
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import EVENT_KINDS, PERSON_KINDS, SETTLING_KINDS, STANDING_KINDS
from transforms.words.units import SIZE_UNITS, TIME_UNITS

Retirement = Literal["", "reversal", "value", "replacement"]
_NAMING_KINDS = SETTLING_KINDS | {"request"}
"""Kinds that retire any other by naming the value that they replace; a request names a measure: "from 14 to 45 days"."""
RETIRED_BY: dict[str, frozenset[str]] = {
    "preference": PERSON_KINDS,
    "rule": PERSON_KINDS,
    "correction": PERSON_KINDS,
    "convention": SETTLING_KINDS,
    "decision": SETTLING_KINDS | EVENT_KINDS,
    "state_change": SETTLING_KINDS | EVENT_KINDS,
    "status": SETTLING_KINDS | EVENT_KINDS,
    "fact": SETTLING_KINDS | EVENT_KINDS,
    "progress": SETTLING_KINDS | EVENT_KINDS,
    "file_change": SETTLING_KINDS | EVENT_KINDS,
    "completion": SETTLING_KINDS | EVENT_KINDS,
    "request": PERSON_KINDS | {"request"},
}
"""Kind → kinds that may retire it. Only a person's words retire a rule or a wish of a person; events and questions are never
retired."""
RETIRED_BY_REQUEST_VALUE = frozenset({"decision", "state_change", "status", "convention"})
"""Kinds that a later request also retires, by another value: "set the batch size to 200", but not "move to X"."""
_IN_FORCE = compile_late(
    r"\b(?:us(?:e|es|ed|ing)|prefer\w*|adopt\w*|cho(?:ose|se|sen)|pick\w*|with|stor\w+ in|runs? (?:on|in)|is|are|as|must"
    r"|always)\b",
    re.I,
)
_NUMBERED_LABEL = compile_late(
    r"^\W*\d+\s*[:.)]\s|\b(?:phase|step|issue|pr|ticket|lines?|part|stage|story|tests?|case|task|section|chapter|item"
    r"|point|rule|adr"
    r"|error|run|attempt|round|day|week|session"
    r"|commit|figure|table|option|exit code|milestone|sprint|wp|batch|slice|round)\s*(?:#|no\.?|number)?\s*\d",
    re.I,
)
_STATE = compile_late(
    r"\b(?:is|are|was|were|=|should|must|uses?|using|used|runs?|listens?|defaults?|set|keeps?|limit(?:ed)?"
    r"|max(?:imum)?|min(?:imum)?|(?<=\s)now\b(?!\s+(?:let|i|we|you)\b)|at most|at least|within|under|up to|times out"
    r"|expires?|retr(?:y|ies)"
    r"|make|give|caps?|holds?|lasts?|takes?|allows?|wants?|prefers?|raised?|lowered?|changed?|bump(?:ed)?|budget|every)\b|[:=→]",
    re.I,
)
_NUMBER_IN_SUBJECT = compile_late(r"^\W*(?:the )?[^\W\d][\w-]*\s#?\d+\s+(?:is|are|was|were|has|have|had|gets?|got)\b", re.I)
"""A number in front of the verb names the subject: "Sheet 12 is published" says nothing about sheet 21."""
MIN_HEAD_WORDS = 3
"""Words in front of a comma from which they may be a claim of their own."""
_VALUE_AT_END = compile_late(r"\s[-+~]?\d[\d.,:]*\s?[^\W\d]{0,12}[.!]?$")
_BEFORE_OLD_VALUE = ("from", "→", "->", "=>")
"""A clause that names the number that it replaces has one of these."""
_LOCATED = compile_late(
    r"lives?|stored|kept|located|served|hosted|deployed|saved|defaults?|listens?|points?|named|called|goes", re.I
)
_NONE: frozenset[str] = frozenset()
MAX_VALUE_REST = 0.67
"""Words that only one of two claims may have when a value changed, as a share of the common ones."""
MAX_REVERSAL_REST = 0.34
"""The same for a reversal without a word of change."""
_MEASURE_NOUNS = frozenset(
    map(stem, parse_set("address length size number count value duration retention interval amount level rate"))
)
"""Nouns that name the measure of a value: "the NAS is at .20", "the NAS has the address .31"."""
_VAGUE = frozenset(
    map(
        stem,
        parse_set("issue problem cause bug plan goal fix error question idea next task status reason answer result difference"),
    )
) | parse_set("point step failur")


def is_in_scope(old_kind: str, new_kind: str, *, is_same_project: bool) -> bool:
    """Whether a claim of the older kind is in reach of one of the newer: in another project both are about the person."""
    return is_same_project or (old_kind in STANDING_KINDS and new_kind in STANDING_KINDS)


def may_retire(old_kind: str, new_kind: str, *, is_same_project: bool) -> bool:
    """Whether a claim of the newer kind may retire one of the older kind at all, whatever their words."""
    is_wish = new_kind == "request" and old_kind in RETIRED_BY_REQUEST_VALUE
    is_named = new_kind in _NAMING_KINDS and is_same_project and old_kind in RETIRED_BY
    is_direct = new_kind in RETIRED_BY.get(old_kind, frozenset())
    return (is_wish or is_named or is_direct) and is_in_scope(old_kind, new_kind, is_same_project=is_same_project)


def must_say_change(new_kind: str, *, is_same_project: bool) -> bool:
    """Whether a claim of this kind retires others only with words of change, or by naming what it replaces."""
    return new_kind in EVENT_KINDS or not is_same_project


def find_retirement(
    old: tuple[str, Sequence[ClaimClause]], new: tuple[str, Sequence[ClaimClause]], *, is_same_project: bool
) -> Retirement:
    """Return how the newer claim's words retire the older one; empty when they do not. Each is (kind, clauses).

    The caller makes sure that `new` was said later.
    """
    if not may_retire(old[0], new[0], is_same_project=is_same_project):
        return ""
    is_wish = new[0] == "request" and old[0] in RETIRED_BY_REQUEST_VALUE
    only_named = not is_wish and new[0] not in RETIRED_BY.get(old[0], frozenset())
    needs_words, is_report = must_say_change(new[0], is_same_project=is_same_project), new[0] in EVENT_KINDS
    for older in old[1]:
        for newer in new[1]:
            is_named_here = _names_former(old[0], older, newer, is_report=is_report)
            if older.is_choice and not is_named_here:
                continue  # a value without its sentence is compared with nothing else
            if only_named and not (is_named_here or _names_old_value(older, newer)):
                continue  # of a rule only a person's words change the value, or words that name the replaced value
            if is_named_here and _may_replace_named(new[0], newer) and not EVENT.match(older.text):
                retirement: Retirement = "value" if is_wish else "replacement"
            else:
                is_worth_it = (newer.is_explicit or not needs_words) and is_worth_comparing(older, newer)
                retirement = _compare_clauses(older, newer) if is_worth_it else ""
                retirement = "" if is_wish and retirement != "value" else retirement
            if retirement and not narrows_subject(older.subject, newer.text):
                return retirement
    return ""


def narrows_subject(subject: frozenset[str], text: str) -> bool:
    """Whether what a clause says something of has a word of its own right before one of this subject: "test uploads go to minio"
    is about some of the uploads."""
    stated = COPULA.match(NOW.sub("", text))
    words = stated["subject"].rpartition(", ")[2].split() if stated else []
    keys = [select_subject_words(parse_statement(word)) for word in words]
    pairs = zip(words, keys, keys[1:], strict=False)
    return any(before and not before & subject and now & subject and word.isalpha() for word, before, now in pairs)


def _may_replace_named(new_kind: str, newer: ClaimClause) -> bool:
    """Whether a claim of this kind may retire what it names: a request names a measure or a number."""
    return new_kind != "request" or names_measure(newer.text) or bool(find_rival_numbers(newer.text))


def _names_former(old_kind: str, older: ClaimClause, newer: ClaimClause, *, is_report: bool) -> bool:
    """Whether the newer clause names a value of the older one as the former one. A report of work must not only tell a change
    again, and one in which a value merely occurs is not over with it: only who chose it gave it to something."""
    if not may_name_value(older, newer) or (old_kind in EVENT_KINDS and names_no_subject(newer.text)):
        return False
    if is_report:
        return is_value_named(older.text, newer.text) and not names_same_change(older.text, newer.text)
    return is_value_named(older.text, newer.text) or is_former_number(older.text, newer.text)


def _compare_clauses(older: ClaimClause, newer: ClaimClause) -> Retirement:
    if not is_change_possible(older, newer):
        return ""
    old, new, is_explicit = older.statement, newer.statement, newer.is_explicit
    if old.sequence == new.sequence and old.numbers == new.numbers:
        return ""
    change = _find_change(old, new, is_explicit=is_explicit)
    return "" if change and EVENT.match(old.text) else change  # something that happened once stays true


def _find_change(old: Statement, new: Statement, *, is_explicit: bool) -> Retirement:
    """Return what two clauses of other words change; most pairs change nothing, so what is cheap to ask is asked first."""
    if _is_value_changed(_cut_comment(old), _cut_comment(new), is_explicit=is_explicit):
        return "value"
    if not (old.numbers <= new.numbers or {v for v, _ in old.numbers} <= {v for v, _ in new.numbers}):
        return ""
    if _is_reversed(old, new, is_explicit=is_explicit):
        return "reversal"
    if _is_reassigned(old, new, is_explicit=is_explicit) or _is_choice_replaced(old, new):
        return "replacement"
    return ""


def _is_value_changed(old: Statement, new: Statement, *, is_explicit: bool) -> bool:
    """ "Cache TTL is 300 s" → "Cache TTL is now 60 s": one number differs, and the rest is the same subject."""
    gone, come = old.numbers - new.numbers, new.numbers - old.numbers
    if len(come) != 1 or (len(gone) != 1 and not (not gone and _is_from_old_value(old, new))):
        return False
    units = {unit for _, unit in gone | come if unit}
    if len(units) > 1 and not (units <= TIME_UNITS or units <= SIZE_UNITS):
        return False
    if gone and {value for value, _ in gone} == {value for value, _ in come}:
        return False
    shared, only_old, only_new = _split_subjects(old, new)
    only_old, only_new = only_old - _MEASURE_NOUNS, only_new - _MEASURE_NOUNS
    if not shared or (only_old and only_new and (gone or len(only_old) > len(shared))):
        return False  # the subject is another one: so it is with most pairs, and the expressions below are slow
    if _NUMBER_IN_SUBJECT.search(old.text) and _NUMBER_IN_SUBJECT.search(new.text):
        return False
    if "#" in units or _NUMBERED_LABEL.search(old.text) or _NUMBERED_LABEL.search(new.text):
        return False
    if not (_states_value(old.text) and (is_explicit or _states_value(new.text))):
        return False
    if not gone and len(only_old) <= len(shared):
        return True  # "moved from 9477 to 9500": it names the value that it replaces
    if len(shared) == 1 and all(not PRONOUNS.isdisjoint(statement.sequence[1:2]) for statement in (old, new)):
        return False  # "make it 90", "make it 7081": what "it" is stands elsewhere
    if (only_old and only_new) or (only_new & new.scoped and not is_explicit) or only_old & old.scoped:
        return False
    if (only_old and only_old & _list_things(old.text)) or (only_new and only_new & _list_things(new.text)):
        return False  # "the retry limit of import", and a retry limit of nobody knows what
    return len(only_old | only_new) <= max(len(shared) * MAX_VALUE_REST, 1 if is_explicit else 0)


def _list_things(text: str) -> frozenset[str]:
    """Return the words of what a measure is said to be of: the first content word behind each "of"."""
    behind = (map(_find_subject, part.split()) for part in text.lower().split(" of ")[1:])
    return frozenset().union(*(next(filter(None, words), _NONE) for words in behind))


def _find_subject(word: str) -> frozenset[str]:
    return select_subject_words(parse_statement(word))


def _cut_comment(statement: Statement) -> Statement:
    """Return the part in front of the first comma when it has the value: "the timeout is 12 s now, the bank is slow"."""
    head, comma, _ = statement.text.partition(", ")
    if not comma or len(head.split()) < MIN_HEAD_WORDS:
        return statement
    cut = parse_statement(head)
    return cut if cut.numbers == statement.numbers and select_content_words(cut) else statement


def _states_value(text: str) -> bool:
    """Whether a clause gives something a value: by its verb, or, in the terse form ("boss hp 900"), by ending with it."""
    return bool(_STATE.search(text) or _VALUE_AT_END.search(text))


def _names_old_value(older: ClaimClause, newer: ClaimClause) -> bool:
    """Whether the newer clause says "from" a number of the older one, or has an arrow after it; most clauses are not analysed."""
    may_name = bool(older.values) and any(mark in newer.text.lower() for mark in _BEFORE_OLD_VALUE)
    return may_name and _is_from_old_value(older.statement, newer.statement)


def _is_from_old_value(old: Statement, new: Statement) -> bool:
    return any(
        re.search(rf"\bfrom\s+\W?{re.escape(value)}|\b{re.escape(value)}\D{{0,12}}(?:→|->|=>)", new.text)
        for value, _ in old.numbers
    )


def _is_reversed(old: Statement, new: Statement, *, is_explicit: bool) -> bool:
    """Whether the newer clause denies the older about the same subject, or names an alternative."""
    shared, only_old, only_new = _split_subjects(old, new)
    turned = {word for word in shared if len(old.signs[word]) == 1 == len(new.signs[word]) and old.signs[word] != new.signs[word]}
    pairs = {(old_word, new_word) for old_word in only_old for new_word in only_new if _is_alternative(old_word, new_word)}
    poles = bool(_find_opposites(old.stems - new.stems, new.stems - old.stems))
    if not turned and not pairs and not poles:
        return False
    kinds = {ALTERNATIVES.get(word, word) for word in turned} | {ALTERNATIVES.get(old_word, old_word) for old_word, _ in pairs}
    rest_old = only_old - {old_word for old_word, _ in pairs} - _find_opposites(only_old, new.stems)
    rest_new = {
        word for word in only_new - {new_word for _, new_word in pairs} if ALTERNATIVES.get(word, word) not in kinds
    } - _find_opposites(only_new, old.stems)
    if turned and is_explicit and REPLACES.search(new.text) and len(rest_new) == 1:
        rest_new = set()  # "Bar instead of Foo": the replacement
    named = {name for name in old.names if not name.isalpha()}
    if (rest_old and rest_new) or (rest_new & new.scoped) or (named - new.words and not pairs):
        return False
    if not shared and not any(old_word in ALTERNATIVES for old_word, _ in pairs):
        return not rest_old and not rest_new and bool(pairs)  # "prefers long replies" / "prefers short replies"
    if is_explicit:
        return _is_reversed_in_words(old, new, (len(shared), bool(pairs)), rest_old, rest_new)
    if rest_old & old.scoped:
        return False
    return len(rest_old) + len(rest_new) <= len(shared) * MAX_REVERSAL_REST and bool(shared or pairs)


def _is_reversed_in_words(
    old: Statement, new: Statement, common: tuple[int, bool], rest_old: set[str] | frozenset[str], rest_new: set[str]
) -> bool:
    """Whether an explicit change reverses a clause with less in common. `common`: shared subject words, and whether an
    alternative is named."""
    covered = common[0] + common[1]
    if rest_old and not (_IN_FORCE.search(old.text) and len(rest_old) <= max(covered, 1)):
        return False
    if len(rest_new) > max(2, common[0]):
        return False
    return not common[1] or not rest_old or bool(REPLACES.search(new.text))


def _find_opposites(words: frozenset[str] | set[str], others: frozenset[str]) -> set[str]:
    return {word for word in words if not CONTRADICTIONS.get(word, _NONE).isdisjoint(others)}


def _is_alternative(old_word: str, new_word: str) -> bool:
    kind = ALTERNATIVES.get(old_word)
    return (kind is not None and ALTERNATIVES.get(new_word) == kind) or new_word in CONTRADICTIONS.get(old_word, _NONE)


def _is_reassigned(old: Statement, new: Statement, *, is_explicit: bool) -> bool:
    """ "Migrations live in db/" → "Migrations live in server/": the same predicate of the same subject, another value."""
    before = COPULA.match(NOW.sub("", old.text))
    if before is None:
        return False
    after = CHANGED_TO.match(new.text) or COPULA.match(NOW.sub("", new.text))
    if after is None:
        return False
    named = list_subject_words(before["subject"])
    if not named or named != list_subject_words(after["subject"]) or named <= _VAGUE:
        return False
    values = list_subject_words(before["value"]), list_subject_words(after["value"])
    if not values[0] or not values[1] or max(map(len, values)) > 3:
        return False
    if values[0] & values[1] and not (is_explicit and len(values[0] ^ values[1]) == 2 and len(values[0]) == len(values[1])):
        return False  # "host castor", "host pollux now": one word of the value is another one, and it is said to have changed
    predicate = after.groupdict().get("predicate")
    if predicate is None:
        return True
    if predicate.split()[-1].lower() != before["predicate"].split()[-1].lower():
        return False
    return is_explicit or bool(_LOCATED.search(predicate)) or "default" in named


def _is_choice_replaced(old: Statement, new: Statement) -> bool:
    """ "Use Foo for storage" → "Switched storage to Bar": the same purpose, another choice, and words of change."""
    choice = CHOICE_VERB.search(old.text)
    if choice is None or not REPLACES.search(new.text):
        return False
    choice_words, purpose = list_subject_words(choice["object"]), list_subject_words(choice["purpose"])
    _, only_old, only_new = _split_subjects(old, new)
    return (
        bool(choice_words and purpose)
        and purpose <= select_content_words(new)
        and only_old <= choice_words
        and 1 <= len(only_new) <= 3
    )


def _split_subjects(old: Statement, new: Statement) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the subject words of both, of the older only, and of the newer only; words of assent are about what they answer."""
    old_words, new_words = select_subject_words(old), select_subject_words(new)
    assent = AGREEMENT.match(new.text)
    answering = select_subject_words(parse_statement(assent[0])) if assent and old_words & new_words else _NONE
    # A word of change ("switch", "update") may be the subject of the other text; it never sets two texts apart.
    ignored = CHANGE_WORDS | GENERIC | DENIALS
    return (old_words & new_words) - answering, old_words - new_words - ignored, new_words - old_words - ignored
