"""Find facts in the agent's conclusions: final summaries, causes found during the work, and fixes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from transforms.conversation.entries import Entry
from transforms.exchanges import claims
from transforms.exchanges.actions import Action
from transforms.exchanges.claims import Claim
from transforms.exchanges.current_values import ValueHistory
from transforms.exchanges.denials import is_refuted, join_denied_words
from transforms.exchanges.exchange import Exchange
from transforms.language import cue_phrases, entities
from transforms.language.sentences import find_content_words, shorten, split_sentences
from transforms.offline.candidates import CANDIDATE_CHARS, Candidate, append_files, is_unfit
from transforms.offline.replies.outcomes import asks_about_state
from transforms.offline.replies.statement_kinds import is_explanation, states_fault
from transforms.offline.salience_factors import AGENT
from transforms.tables.enums import FactKind, Priority
from transforms.words.word_classes import POINTERS

_AGENT_SALIENCE: dict[FactKind, float] = {
    "task": 0.6, "question": 0.6, "root_cause": 0.85, "convention": 0.85, "decision": 0.8,
    "fix": 0.7, "completion": 0.6, "state_change": 0.6, "file_change": 0.58, "error": 0.45, "status": 0.3,
}  # fmt: skip
_PRIORITY_OF_KIND: dict[FactKind, Priority] = {"convention": "high", "status": "low"}


COUNT_WORDS = 3
MIN_ADDED = 4
"""Content words that a statement about a commit has beyond its row when it is worth one of its own."""
_BREAKS = (" — ", " – ", " - ", "; ", ": ")
"""What stands between the parts of a sentence beside a comma."""
MAX_RUNS = 2
"""Runs of checks that a row cites."""
_LEANING = POINTERS | {
    "also", "and", "as", "because", "but", "if", "not", "now", "or", "since", "so", "still", "then", "when", "while",
}  # fmt: skip
"""Conjunctions, pronouns and adverbs that tie a sentence to the one before it."""


def find_agent_facts(exchange: Exchange, history: ValueHistory) -> Iterator[Candidate]:
    """Yield the claims of the agent's final reply and the findings of the messages before it.

    A remark that leans on the sentence before it is left out: alone it has no subject. Of a doubted exchange nothing is stated.
    """
    if exchange.is_doubted:
        return
    for candidate in _find_statements(exchange, history):
        if candidate.kind != "status" or _read_first_word(candidate.text) not in _LEANING:
            yield candidate


def _read_first_word(text: str) -> str:
    return text.lower().replace("’", "'").split(" ", 1)[0].split("'", 1)[0].rstrip(",:;.—–-")


def _find_statements(exchange: Exchange, history: ValueHistory) -> Iterator[Candidate]:
    penalty = AGENT.undone if exchange.is_undone else AGENT.rejected if exchange.is_rejected else 1.0
    closing = exchange.final_reply
    if closing:
        for claim in claims.split_claims(closing.text):
            text = history.remove_stale_clauses(claim.text, exchange.index)
            text = text if exchange.has_published else claims.drop_pushes(text)
            commit = _find_told_commit(exchange, text)
            if commit and not _adds_to_commit(text, commit):
                continue
            if text and (candidate := _make_claim_candidate(exchange, closing, claim, text, penalty)):
                yield candidate
    yield from _find_findings(exchange, history, penalty)


def _make_claim_candidate(exchange: Exchange, closing: Entry, claim: Claim, text: str, penalty: float) -> Candidate | None:
    undone = bool(cue_phrases.UNFINISHED_CUE.search(text) or cue_phrases.UNFINISHED_CUE.match(claim.heading))
    failed = cue_phrases.FAILED_ATTEMPT_CUE.search(cue_phrases.CODE_SPAN.sub("", text)) is not None
    if not _is_usable(exchange, claim, text, undone=undone, failed=failed) or exchange.is_refuted(text):
        return None
    salience = 1.0
    accounts = is_explanation(text, exchange) and claim.position < 2 and not _is_acknowledgement(text, exchange)
    explains = cue_phrases.EXPLICIT_CAUSE.search(text) or accounts
    if failed or (explains and not exchange.is_rejected and not cue_phrases.HEDGE.search(text)):
        kind: FactKind = "error" if failed else "root_cause" if accounts or cue_phrases.EXPLICIT_CAUSE.search(text) else "fix"
        factor = AGENT.failed_attempt if failed else max(penalty, AGENT.min_explained)
        candidate = _make_candidate(exchange, [closing.ordinal], text, kind, factor)
        is_why = (
            kind == "root_cause"
            and not exchange.is_debugging
            and not cue_phrases.EXPLICIT_CAUSE.search(cue_phrases.REASON_WORD.sub("", text))
        )
        return replace(candidate, kind="status", priority="medium") if is_why else candidate
    if undone and (exchange.actions or exchange.is_final):
        is_asked = re.search(r"\b(?:whether|who|how (?:long|many|much))\b|\?|^which\b|: which\b", text) is not None
        return _make_candidate(
            exchange,
            [closing.ordinal],
            text,
            "question" if is_asked else "task",
            1.0 if exchange.is_final else AGENT.earlier_task,
        )
    if cue_phrases.HEDGE.search(text):
        salience *= AGENT.hedged
    if cue_phrases.PLAN_HEADING.search(claim.heading) or cue_phrases.PROPOSAL.search(text):
        salience *= AGENT.plan_with_edits if exchange.files else AGENT.plan
    elif (
        not exchange.files
        and not exchange.has_commands
        and exchange.message.act not in ("question", "correction")
        and not cue_phrases.PROCESS_DESCRIPTION.search(text)
    ):
        salience *= AGENT.analysis
    if not exchange.actions and not exchange.has_commands:  # an answer or a sample, not an outcome
        salience *= AGENT.answer_alone if exchange.message.act in ("question", "correction") else AGENT.talk_alone
    salience *= AGENT.leading if claim.position < 2 else AGENT.trailing
    if claim.is_continued:
        salience *= AGENT.continued
    if text.endswith("!"):
        salience *= AGENT.praise
    kind = _choose_kind(text, exchange)
    if kind == "status" and not exchange.is_final and asks_about_state(closing.text, text):
        return None
    if kind == "status" and claim.position < 2 and _is_result(text, exchange):
        return _make_candidate(
            exchange,
            [closing.ordinal],
            text,
            "fix" if exchange.is_debugging else "completion",
            salience * penalty * AGENT.plain_result,
        )
    return _make_candidate(exchange, [closing.ordinal], text, kind, salience * penalty)


def _find_told_commit(exchange: Exchange, text: str) -> Action | None:
    """Return the commit of an exchange that a statement of its agent begins with, by its hash."""
    first = next(iter(split_sentences(text)), "")
    commits = (action for action in exchange.actions if action.kind == "commit" and action.is_ok and action.path)
    return next((commit for commit in commits if commit.path in first), None)


def _adds_to_commit(text: str, commit: Action) -> bool:
    """Whether a statement tells more of a commit than its row: beside the hash and what it counts ("5 files changed") words that
    the subject has not."""
    for mark in _BREAKS:
        text = text.replace(mark, ", ")
    parts = [part for sentence in split_sentences(text) for part in sentence.split(", ")]
    uncounted = " ".join(part for part in parts if commit.path not in part and not _is_count(part))
    return len(find_content_words(uncounted) - find_content_words(commit.detail)) >= MIN_ADDED


def _is_count(part: str) -> bool:
    """Whether words say a number of something and no more: "5 files changed", not "retries 3 times with a backoff of 2 s"."""
    return any(map(str.isdigit, part)) and len(find_content_words(part)) <= COUNT_WORDS


ECHOED_SHARE = 0.5
"""Share of the content words of a reply without work that the person has just used, from which it says only "understood"."""


def _is_acknowledgement(text: str, exchange: Exchange) -> bool:
    """Whether a reply without work repeats what the person said: it promises to do so and finds nothing."""
    if exchange.actions or exchange.has_commands:
        return False
    words = find_content_words(text)
    return len(words & find_content_words(exchange.typed)) >= ECHOED_SHARE * len(words)


def is_reported_text(text: str) -> bool:
    """Whether a statement only reports the content of a text."""
    return bool(
        re.search(r"^(?:the|a|its|their|this) [\w ./`-]{3,60}? (?:reads|says|states|claims|prints|warns)\b", text, re.I)
        and re.search(r"[\"“]", text)
    )


def _is_usable(exchange: Exchange, claim: Claim, text: str, *, undone: bool, failed: bool) -> bool:
    """Whether a claim says something of its own: no plan, no report, enough words; the first claim may be plain."""
    if is_unfit(text) or (cue_phrases.ANNOUNCEMENT.match(text) and not undone) or is_reported_text(text):
        return False
    if claims.is_list_of_names(text):
        return False
    if _is_plan(claim, text) and not undone and not failed:
        return False
    leads = claim.position == 0 and (bool(exchange.files) or exchange.is_debugging)
    return is_substantial(text, is_plain=undone or failed) or (leads and len(find_content_words(text)) >= 4)


def _is_plan(claim: Claim, text: str) -> bool:
    """Whether a claim stands below or behind a heading such as "Plan:" or "Next steps"."""
    lead, colon, _ = text.partition(":")
    return bool(cue_phrases.PLAN_HEADING.search(f"{claim.heading} {lead if colon else ''}"))


def is_substantial(text: str, *, is_plain: bool = False) -> bool:
    """Whether a statement is specific: enough words, and a name, a value or a cause (unless it may be plain)."""
    count = len(find_content_words(text))
    return (is_plain and count >= 2) or (
        count >= 4 and bool(entities.count_specifics(text) or cue_phrases.EXPLICIT_CAUSE.search(text))
    )


def _find_findings(exchange: Exchange, history: ValueHistory, penalty: float) -> Iterator[Candidate]:
    """Yield the findings of an exchange. Later ones correct earlier ones; one that an edit follows at once was acted on."""
    findings = [
        (entry, text)
        for entry in exchange.agent_messages
        if entry is not exchange.final_reply
        for text in claims.find_findings(entry.text)
    ]
    verifying = {entry.ordinal for entry in exchange.agent_messages if cue_phrases.VERIFICATION_PLAN.search(entry.text)}
    edits = {action.ordinal for action in exchange.actions if action.kind in ("edit", "create", "delete", "commit")}
    for index, (entry, raw) in enumerate(findings):
        text = history.remove_stale_clauses(raw, exchange.index)
        if not text or is_unfit(text) or not is_substantial(text) or claims.is_list_of_names(text):
            continue
        if is_refuted(text, find_denied_later(exchange, entry.ordinal)) or exchange.is_refuted(text):
            continue
        verifies = entry.ordinal in verifying
        acted = any(entry.ordinal <= done <= entry.ordinal + (0 if verifies else 2) for done in edits)
        is_strong = bool(cue_phrases.EXPLICIT_CAUSE.search(text))
        salience = (AGENT.acted_cause if is_strong else AGENT.acted) if acted else (AGENT.idle_cause if is_strong else AGENT.idle)
        salience *= 1.0 if index >= len(findings) - 3 else AGENT.early_finding
        if verifies and not acted:
            salience *= AGENT.unverified
        failed = cue_phrases.FAILED_ATTEMPT_CUE.search(cue_phrases.CODE_SPAN.sub("", text)) is not None
        kind: FactKind = "error" if failed else "root_cause" if is_strong else _choose_kind(text, exchange)
        near = [
            action.path
            for action in exchange.actions
            if action.kind in ("read", "create", "edit") and abs(action.ordinal - entry.ordinal) <= 4
        ]
        yield _make_candidate(exchange, [entry.ordinal], text, kind, salience * penalty, near)


def find_denied_later(exchange: Exchange, ordinal: int) -> frozenset[str]:
    """Return the words that the agent denies behind an entry of an exchange, or anybody in the next exchanges."""
    later = [entry.text for entry in exchange.agent_messages if entry.ordinal > ordinal]
    return exchange.denied | join_denied_words(later)


def _is_result(text: str, exchange: Exchange) -> bool:
    """Whether one of the first statements after edits names their result, in any words."""
    named = entities.count_specifics(text) or (exchange.files and len(find_content_words(text)) >= 4)
    bare = cue_phrases.CODE_SPAN.sub("", text)
    is_work = exchange.files or (exchange.has_commands and re.search(r"\b(?:is|are|runs?|has|have)\b|ed\b", bare))
    return bool(is_work and named) and not cue_phrases.BREAKAGE.search(bare) and not cue_phrases.PROPOSAL.search(bare)


def _find_named_runs(exchange: Exchange, text: str) -> list[int]:
    """Return the entries of the newest runs of the checks that a statement names: they show what it claims."""
    runs = {action.detail.lower(): action.ordinal for action in exchange.actions if action.kind == "check"}
    return [ordinal for check, ordinal in runs.items() if check in text.lower()][:MAX_RUNS]


def _choose_kind(text: str, exchange: Exchange) -> FactKind:
    text = cue_phrases.CODE_SPAN.sub("", text)
    if cue_phrases.PROCESS_DESCRIPTION.search(text) and ":" in text:
        return "convention"
    if cue_phrases.EXPLICIT_CAUSE.search(text):
        return "root_cause"
    if cue_phrases.FIX.search(text) or (exchange.is_debugging and exchange.files and cue_phrases.CHANGE.search(text)):
        return "fix"
    if cue_phrases.BREAKAGE.search(text) and not cue_phrases.COMPLETION.search(text) and not cue_phrases.CHANGE.search(text):
        return "error"
    if cue_phrases.COMPLETION.search(text):
        return "completion"
    is_done = exchange.has_commands or any(action.kind not in ("read", "check") for action in exchange.actions)
    if cue_phrases.CHANGE.search(text) and is_done:
        return "file_change" if exchange.files else "state_change"
    return "status"


def _make_candidate(
    exchange: Exchange, ordinals: list[int], text: str, kind: FactKind, factor: float, near: list[str] | None = None
) -> Candidate:
    if kind == "root_cause" and not exchange.has_trouble:
        kind = "status"  # an explanation where nothing went wrong
    is_mere_reason = kind == "root_cause" and not states_fault(text, in_debugging=exchange.is_debugging)
    full = append_files(shorten(text, CANDIDATE_CHARS), near or exchange.files)
    files = list(dict.fromkeys([*entities.find_file_names(full), *(near or exchange.files)]))[:8]
    salience = (_AGENT_SALIENCE[kind] + min(AGENT.max_specifics, AGENT.per_specific * entities.count_specifics(text))) * factor
    extra = [*([exchange.user.ordinal] if exchange.user else []), *_find_named_runs(exchange, text)]
    weighty = kind == "root_cause" or (kind == "fix" and cue_phrases.FIX.search(text))
    is_high = (
        weighty
        and (exchange.is_debugging or exchange.files or "root cause" in text.lower())
        and not exchange.is_rejected
        and entities.count_specifics(text) > 0
    )
    priority: Priority = "high" if is_high else _PRIORITY_OF_KIND.get(kind, "medium")
    if is_mere_reason:
        kind, priority = "status", "medium"  # worth as much, but no cause of a failure
    return Candidate(full, kind, priority, tuple(dict.fromkeys(ordinals + extra)), tuple(files), salience)
