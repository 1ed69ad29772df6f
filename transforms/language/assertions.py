"""Classify assertions: rules, preferences, conventions, decisions, state changes, open questions, corrections and others.

Weights of evidence add up: the subject, whether it holds in general, the class of verb, whether it is about work or about
the product, and the agent's previous reply. Rules and preferences are about work. A product requirement ("it must not
happen", "I want to see them each morning") is a request, however strong its wording.
"""

from __future__ import annotations

import re

from transforms.language import assertion_patterns, cue_phrases, entities
from transforms.language.assertion_rules import (
    CORRECTION,
    DECISION_RULES,
    PREFERENCE_RULES,
    RULE,
    STATE_CHANGE,
    AssertionKind,
    sum_weights,
)
from transforms.language.clauses import CHANGE_VERBS, REPLY_NOUNS, WORK_NOUNS, Clause
from transforms.language.sentences import find_content_words
from transforms.language.statement import parse_statement
from transforms.language.tokenizer import stem
from transforms.patterns.late_pattern import compile_late

ASSERTION_THRESHOLD = 2.0
"""Sum of weights from which a sentence counts as an assertion of that kind."""
OUTCOME_THRESHOLD = 2.5
"""An outcome (completion, cause, fix, failed attempt) gives way to any other kind with this weight."""
GUESS_THRESHOLD = 1.0
"""Sum of weights from which a plain sentence is guessed to be an assertion: people rarely type one that is nothing."""
VERDICT_WEIGHT = 2.5
"""Correction rules of at least this weight pass a verdict by themselves."""
REPLY_CHARS = 400
"""Characters of the agent's reply with which a correction may share words."""
SHORT_CORRECTION_WORDS = 9
STRONG, MEDIUM, WEAK = 1.5, 1.0, 0.5
"""Weights of grammatical signs for or against a kind, in the units of `assertion_rules`."""
MAX_SHARED_WEIGHT = 2.0
"""Largest weight of the words that a correction shares with the reply."""

DENIED_WORDS, _PHRASE = 3, "port"
"""Words before a phrase among which a denial of it stands, and a noun in its place."""
_WORK = compile_late(rf"\b{WORK_NOUNS}\b", re.I)
_IN_WORK = compile_late(rf"\bin {WORK_NOUNS}\b", re.I)
_REPLY = compile_late(rf"\b{REPLY_NOUNS}\b", re.I)
_CHANGE_VERB = compile_late(rf"\b{CHANGE_VERBS}\b", re.I)
_FIRST_PERSON = compile_late(r"\b(?:i|i'm|me|my|mine)\b", re.I)
_SECOND_PERSON = compile_late(r"\byour?\b", re.I)
_NEGATED = compile_late(r"\b(?:don'?t|do not|never)\b")
_NEGATED_ACTION = compile_late(rf"\b(?:don'?t|do not|never) {assertion_patterns.ACTION_VERB}\w+", re.I)
_RULING_VERB = compile_late(r"\b(?:want|allow|expect|tolerate|catch|see)\b", re.I)
_OUTCOMES: tuple[tuple[AssertionKind, re.Pattern[str]], ...] = (
    ("failed_attempt", assertion_patterns.FAILED_ATTEMPT),
    ("fix", assertion_patterns.CURED),
    ("root_cause", assertion_patterns.ROOT_CAUSE),
    ("completion", assertion_patterns.COMPLETED),
)


def is_open_question(text: str) -> bool:
    """Whether a sentence says that something is undecided; "it is not undecided" and "nothing is still open" say the opposite."""
    return (
        any(not _is_denied(text[: match.start()]) for match in assertion_patterns.OPEN_QUESTION.finditer(text))
        and not assertion_patterns.CLOSED_QUESTION.search(text)
        and sum_weights(PREFERENCE_RULES, text) < ASSERTION_THRESHOLD
    )


def _is_denied(before: str) -> bool:
    """Whether the words right before a phrase deny it: "not", "no longer an", or "nothing"."""
    words = [word for word in before.rpartition(",")[-1].split() if word.strip(".;:")][-DENIED_WORDS:]
    return "nothing" in map(str.casefold, words) or "-" in parse_statement(" ".join([*words, _PHRASE])).signs.get(_PHRASE, "")


def is_lasting_preference(text: str) -> bool:
    """Whether a wish is about how to work from now on, and not about the product."""
    return sum_weights(PREFERENCE_RULES, text) >= ASSERTION_THRESHOLD or (
        bool(assertion_patterns.LASTING.search(text) or assertion_patterns.BINDING.search(text))
        and not is_product_requirement(text)
    )


def is_product_requirement(text: str) -> bool:
    """Whether the "must" is a product requirement ("it must not happen") or a guess ("it must be in the cache")."""
    bare = assertion_patterns.PRODUCT_REQUIREMENT.sub(" ", assertion_patterns.GUESS.sub(" ", text))
    return not (
        assertion_patterns.LASTING.search(bare) or assertion_patterns.BINDING.search(bare) or re.search(r"\bmust\b", bare, re.I)
    )


def names_work(text: str) -> bool:
    """Whether a text has a noun of software work, or of what an agent writes to a person."""
    return bool(_WORK.search(text) or _REPLY.search(text))


def is_wish(text: str) -> bool:
    """Whether a sentence asks for something now."""
    return bool(assertion_patterns.WISH.search(text))


def classify_assertion(clause: Clause, reply: str) -> AssertionKind | None:
    """Return the kind of an assertion, None when it is none. `reply` is the agent's previous text (empty at the start)."""
    text = clause.text
    if clause.is_reported or clause.is_hypothetical:
        return None
    if is_open_question(text):
        return "open_question"
    if assertion_patterns.PROBLEM.search(text) and not re.match(r"(?:fix|solve)\b", text, re.I):
        return "problem"
    if assertion_patterns.CONVENTION.search(text) and (
        entities.count_specifics(text) or re.search(r"\bconventions?\b", text, re.I)
    ):
        return "convention"
    weights: dict[AssertionKind, float] = {
        "correction": weigh_correction(clause, reply), "preference": weigh_preference(clause), "rule": weigh_rule(clause),
        "state_change": weigh_state_change(clause), "decision": weigh_decision(clause),
    }  # fmt: skip
    best = max(weights, key=lambda kind: weights[kind])
    if clause.is_behaviour and best in ("rule", "state_change", "correction") and not _is_ordered(text):
        return "problem"  # it tells what a thing does: nobody wants that
    if clause.subject != "you" and not cue_phrases.IMPERATIVE.match(text) and weights[best] < OUTCOME_THRESHOLD:
        for outcome, pattern in _OUTCOMES:
            if pattern.search(text):
                return outcome
    return best if weights[best] >= ASSERTION_THRESHOLD else None


def guess_assertion(clause: Clause, reply: str) -> AssertionKind | None:
    """Return the most likely kind of a plain assertion below the threshold, None without any evidence."""
    text, content = clause.text, find_content_words(clause.text)
    if len(content) < 3 or clause.subject == "you":
        return None
    if assertion_patterns.FEELING.search(text) or cue_phrases.IMPERATIVE.match(text):
        return None
    is_own = _FIRST_PERSON.search(text) is not None
    is_past = assertion_patterns.PAST_TENSE.search(text) is not None
    is_work = _WORK.search(text) is not None
    shared = {stem(word) for word in content} & {stem(word) for word in find_content_words(reply[:REPLY_CHARS])}
    weights: dict[AssertionKind, float] = {
        "correction": (weigh_correction(clause, reply) + WEAK + WEAK * (len(content) < SHORT_CORRECTION_WORDS))
        if reply and shared
        else 0.0,
        "preference": weigh_preference(clause) + WEAK * is_own + WEAK * (is_own and bool(_SECOND_PERSON.search(text))),
        "decision": weigh_decision(clause) + WEAK * (clause.main != text) * (clause.subject in ("noun", "none", "we")),
        "state_change": weigh_state_change(clause) + WEAK * is_past * (clause.subject in ("noun", "we")),
        "rule": 0.0
        if clause.is_habit
        else weigh_rule(clause) + (WEAK * is_work + WEAK * (clause.subject not in ("i", "it", "none"))) * (not is_past),
    }
    best = max(weights, key=lambda kind: weights[kind])
    return best if weights[best] >= GUESS_THRESHOLD else None


def weigh_rule(clause: Clause) -> float:
    """Return the weight for a rule: it binds, it holds in general, it is about how work is done."""
    weight = sum_weights(RULE, clause.main) - STRONG * clause.is_habit
    if clause.subject in ("nobody", "every") and assertion_patterns.PRESENT_TENSE.search(clause.main):
        weight += STRONG
    if clause.subject in ("we", "nobody") and _NEGATED.search(clause.main) and _NEGATED_ACTION.search(clause.main):
        weight += MEDIUM
    if weight and _WORK.search(clause.text):
        weight += MEDIUM
    if clause.subject == "i" and not _RULING_VERB.search(clause.main):
        weight -= STRONG  # a person's own habit is a preference
    if weight and is_product_requirement(clause.main) and assertion_patterns.PRODUCT_REQUIREMENT.search(clause.main):
        return 0.0
    return weight


def weigh_preference(clause: Clause) -> float:
    """Return the weight for a preference: a liking, a comparison, the agent's own manner."""
    if assertion_patterns.STANDING_ORDER.match(clause.text):
        return 0.0
    weight = sum_weights(PREFERENCE_RULES, clause.text) - (STRONG if clause.subject in ("it", "you") else 0)
    if clause.subject == "none" and assertion_patterns.COMPARISON.match(clause.text):
        weight += MEDIUM
    if weight and _REPLY.search(clause.text) and not _IN_WORK.search(clause.text):
        weight += WEAK
    return weight


def weigh_state_change(clause: Clause) -> float:
    """Return the weight for a state change: an actor of a change, a new state, a former state."""
    if cue_phrases.IMPERATIVE.match(clause.text) or clause.subject == "you":
        return 0.0
    if clause.subject == "it" and not re.search(r"\bthere\b", clause.text, re.I):
        return 0.0
    weight = sum_weights(STATE_CHANGE, assertion_patterns.REASON_CLAUSE.sub("", clause.text))
    if clause.subject == "noun" and _CHANGE_VERB.search(clause.main):
        weight += WEAK
    if assertion_patterns.VAGUE_OBJECT.search(clause.text) and not entities.count_specifics(clause.text):
        weight -= MEDIUM
    return weight - (STRONG if clause.subject == "none" and not _CHANGE_VERB.search(clause.text) else 0.0)


def weigh_decision(clause: Clause) -> float:
    """Return the weight for a decision: someone who may decide, a verb of choice, a reason."""
    weight = sum_weights(DECISION_RULES, clause.main)
    return weight + (WEAK if weight and clause.main != clause.text else 0.0)


def weigh_correction(clause: Clause, reply: str) -> float:
    """Return the weight for a correction: a verdict, the agent's action as subject, words shared with the reply."""
    if not reply or (assertion_patterns.LASTING.search(clause.main) and not _has_verdict(clause.text)):
        return 0.0
    weight = sum_weights(CORRECTION, clause.text)
    if (
        clause.subject not in ("i", "we")
        and assertion_patterns.CONTRAST.search(clause.text)
        and not (assertion_patterns.ORDER.match(clause.text) and not weight)
    ):
        shared = find_content_words(clause.text) & find_content_words(reply[:REPLY_CHARS])
        weight += min(MAX_SHARED_WEIGHT, MEDIUM + WEAK * len(shared)) if shared else 0.0
        weight += WEAK if any(re.search(r"\d", word) for word in shared) else 0.0
    return weight


def _is_ordered(text: str) -> bool:
    """Whether a sentence begins with what is to be done, or passes a verdict on what the agent did."""
    return bool(cue_phrases.IMPERATIVE.match(text) or assertion_patterns.WISH.match(text)) or _has_verdict(text)


def _has_verdict(text: str) -> bool:
    return any(rule.weight >= VERDICT_WEIGHT and rule.pattern.search(text) for rule in CORRECTION)
