"""The weights of the offline engine, which raise or lower the salience of a candidate: for people, agents, work and narratives.

Factors multiply the salience of a kind, bonuses add to it. The values are set by hand on annotated sessions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from transforms.exchanges.exchange import Exchange
from transforms.language import assertion_patterns, assertions, cue_phrases, entities
from transforms.language.clauses import parse_clause
from transforms.language.sentences import find_content_words
from transforms.offline.quotation_context import Quotation
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import FactKind


@dataclass(frozen=True, slots=True)
class UserFactors:
    """Weights of a person's words."""

    open_question: float = 0.9  # salience of a question that is left open, before all other factors
    per_specific: float = 0.04  # bonus per name, path or value …
    max_specifics: float = 0.2  # … and their largest sum
    explicit: float = 0.35  # bonus: "Decision:", or said for the third time
    changed_files: float = 0.1  # bonus: the agent changed files and was not rejected
    few_words: float = 0.6  # fewer than four content words and no specific
    undone: float = 0.15  # the person had the outcome undone
    guessed: float = 0.6  # the assertion is only guessed
    words_alone: float = 0.6  # answered without any action
    stale: float = 0.15  # a later exchange gave the names other values
    status_check: float = 0.15  # asks how things stand
    vague_question: float = 0.6  # a question without specifics
    short_question: float = 0.28  # the same in fewer than five content words
    bare_question: float = 0.7  # a question without its answer …
    answered_question: float = 1.3  # … and with it
    request_base: float = 0.25  # a request …
    per_request_word: float = 0.1  # … per content word and per specific, up to 1
    passing_request: float = 0.5  # "read this", "continue"
    idle_request: float = 0.6  # least weight of another request after which no file changed
    feeling: float = 0.3  # a feeling or a hypothesis
    plain_remark: float = 0.65  # a remark with content after which no file changed
    empty_remark: float = 0.3  # a remark without content


@dataclass(frozen=True, slots=True)
class AgentFactors:
    """Weights of an agent's claims and findings."""

    undone: float = 0.1  # the person had the outcome undone
    rejected: float = 0.22  # the person objected to the outcome
    failed_attempt: float = 1.3  # an attempt that did not help: nobody should repeat it
    min_explained: float = 0.9  # least factor of an explained cause or fix
    earlier_task: float = 0.85  # remaining work named before the last exchange
    hedged: float = 0.35  # "might", "probably"
    plan_with_edits: float = 0.45  # a plan or proposal in an exchange that changed files
    plan: float = 0.25  # the same without changed files
    analysis: float = 0.6  # nothing was changed
    answer_alone: float = 0.7  # an answer without any action
    talk_alone: float = 0.35  # other text without any action
    leading: float = 1.1  # the first two claims of a message
    trailing: float = 0.9  # later claims
    continued: float = 0.75  # later items of a long list
    praise: float = 0.6  # praise of its own work
    plain_result: float = 0.75  # a result in other words than the cue phrases
    acted_cause: float = 1.15  # a finding that an edit follows at once, with an explicit cause …
    acted: float = 0.95  # … and without
    idle_cause: float = 0.6  # a finding without an edit, with an explicit cause …
    idle: float = 0.7  # … and without
    early_finding: float = 0.75  # all findings but the last three
    unverified: float = 0.3  # a hypothesis that the agent goes on to check
    per_specific: float = 0.04  # bonus per name, path or value …
    max_specifics: float = 0.3  # … and their largest sum


@dataclass(frozen=True, slots=True)
class WorkFactors:
    """Salience of facts about the work itself: commits, files, values, errors and releases."""

    commit: float = 0.72
    per_specific: float = 0.04  # bonus of a commit per name, path or value …
    max_specifics: float = 0.2  # … and their largest sum
    changed_value: float = 0.45
    new_value: float = 0.25
    per_value: float = 0.03  # bonus per value of the row
    pasted_error: float = 1.0
    release: float = 0.95
    opened: float = 0.8
    refused_commit: float = 0.6
    failed_check: float = 0.35


@dataclass(frozen=True, slots=True)
class NarrativeFactors:
    """Weights of sentences that may name the subject of a topic; the weight of the dialogue act is added."""

    empty: float = 0.05  # a few characters, or a question about the status
    reading: float = 0.35  # loss: it only asks to read, look or continue
    per_specific: float = 0.08  # bonus per name, path or value …
    max_specifics: int = 3  # … up to so many
    per_word: float = 0.03  # bonus per content word …
    max_words: int = 8  # … up to so many
    per_exchange: float = 0.15  # loss per exchange before it …
    max_exchanges: int = 3  # … up to so many
    per_recurring_word: float = 0.05  # bonus per word that recurs in the topic …
    max_recurring_words: int = 6  # … up to so many
    undone: float = 0.4  # the person had the outcome undone


USER = UserFactors()
AGENT = AgentFactors()
WORK = WorkFactors()
NARRATIVE = NarrativeFactors()


def weigh_remark(quote: str, *, has_files: bool) -> float:
    """Return the weight of a person's remark, by its content and by whether files changed after it; suppositions and feelings
    hardly count."""
    if parse_clause(quote, quote).is_hypothetical or assertion_patterns.FEELING.search(quote):
        return USER.feeling
    has_content = bool(entities.count_specifics(quote)) or len(find_content_words(quote)) >= 4
    return 1.0 if has_files else USER.plain_remark if has_content else USER.empty_remark


SALIENCE_OF_KIND: dict[FactKind, float] = {
    "rule": 1.15, "convention": 1.1, "state_change": 1.05, "preference": 1.05, "correction": 1.0, "decision": 1.0,
    "request": 1.0, "error": 0.8, "question": 0.55, "status": 0.5, "root_cause": 1.0, "fix": 0.9, "completion": 0.7,
}  # fmt: skip
EXPLICIT = compile_late(
    r"\b(?:decision|decided|rule|convention)\s*[:—-]|^(?:we|i)(?:'ve| have)? decided\b"
    r"|!!|\b(?:second|third|fourth|fifth|\d+(?:nd|rd|th)) time\b"
    r"|\bplease remember\b",
    re.I,
)

ANNOUNCING = compile_late(
    r"^(?:(?:and|also|another|one|more|a|an|the|my|new|hard|house|ground)\s+)+"
    r"(?:rules?|conventions?|wish|thing|note|decision|preference)\b"
    r"[^.]{0,30}?\s*[-–—:,]",
    re.I,
)
LABEL_WORDS = 6
"""Words before a colon that end with a label: "we change the decision: …"."""


def names_its_kind(quote: str) -> bool:
    """Whether words say what they are: "decision: …", "we decided …", "one more rule: …"."""
    head, colon, _ = quote.partition(":")
    is_labelled = bool(colon) and len(head.split()) <= LABEL_WORDS and EXPLICIT.search(f"{head}:") is not None
    return is_labelled or ANNOUNCING.match(quote) is not None or EXPLICIT.match(quote) is not None


def compute_salience(exchange: Exchange, quotation: Quotation, kind: FactKind, *, is_passing: bool) -> float:
    """Return the salience of a person's words of a kind, before it is known what became of them.

    `is_passing`: they ask for no more than to read, run or tidy up.
    """
    if kind == "question" and assertions.is_open_question(quotation.quote):
        return USER.open_question
    count = entities.count_specifics(quotation.quote)
    salience = SALIENCE_OF_KIND[kind] + min(USER.max_specifics, USER.per_specific * count)
    if quotation.assertion and EXPLICIT.search(quotation.quote):
        salience += USER.explicit
    if exchange.files and not exchange.is_rejected:
        salience += USER.changed_files
    if kind != "request" and len(find_content_words(quotation.quote)) < 4 and not count:
        salience *= USER.few_words
    if kind in ("question", "request"):
        salience *= _weigh_request(exchange, quotation.quote, kind, is_passing=is_passing)
    if exchange.is_undone and kind != "correction":
        salience *= USER.undone
    if kind == "status":
        salience *= weigh_remark(quotation.quote, has_files=bool(exchange.files))
    if quotation.is_guess:
        salience *= USER.guessed
    if not exchange.actions and kind in ("request", "status") and exchange.final_reply:
        salience *= USER.words_alone
    return salience


def _weigh_request(exchange: Exchange, quote: str, kind: FactKind, *, is_passing: bool) -> float:
    """Return the weight of a request by its names and its changes; a question about the status hardly counts."""
    if cue_phrases.STATUS_CHECK.match(quote):
        return USER.status_check
    count, named = len(find_content_words(quote)), entities.count_specifics(quote)
    if kind == "question":
        return 1.0 if named else USER.vague_question if count >= 5 else USER.short_question
    weight = min(1.0, USER.request_base + USER.per_request_word * count + USER.per_request_word * named)
    if is_passing:
        return USER.passing_request * weight
    return 1.0 if exchange.files else max(weight, USER.idle_request)
