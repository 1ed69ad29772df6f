"""Facts from what the agent concluded: final summaries, causes found on the way, and how they were fixed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from transforms.conversation.entries import Entry
from transforms.language import cues, entities
from transforms.language.clause import CHOOSES, CHOSE
from transforms.language.sentences import content_words, shorten
from transforms.offline import claims
from transforms.offline.candidates import ROW_CHARS, Candidate, is_unfit, with_files
from transforms.offline.claims import Claim
from transforms.offline.current_values import Settled
from transforms.offline.exchanges import Exchange
from transforms.tables.enums import FactKind, Priority

_WORTH: dict[FactKind, float] = {
    "task": 0.6, "question": 0.6, "root_cause": 0.85, "convention": 0.85, "decision": 0.8,
    "fix": 0.7, "completion": 0.6, "state_change": 0.6, "file_change": 0.58, "error": 0.45, "status": 0.3,
}  # fmt: skip
_PRIORITY: dict[FactKind, Priority] = {"convention": "high", "status": "low"}


def agent_facts(exchange: Exchange, settled: Settled) -> Iterator[Candidate]:
    """Claims of the agent's last words, and findings of the messages before it."""
    penalty = 0.1 if exchange.is_undone else 0.22 if exchange.is_rejected else 1.0
    closing = exchange.closing
    if closing:
        for claim in claims.claims_of(closing.text):
            text = settled.without_stale(claim.text, exchange.at)
            if text and (candidate := _from_claim(exchange, closing, claim, text, penalty)):
                yield candidate
    yield from _findings(exchange, settled, penalty)


def _from_claim(exchange: Exchange, closing: Entry, claim: Claim, text: str, penalty: float) -> Candidate | None:
    undone = bool(cues.UNDONE.search(text) or cues.UNDONE.match(claim.heading))
    failed = cues.FAILED_ATTEMPT.search(cues.CODE.sub("", text)) is not None
    if not _is_told(exchange, claim, text, undone=undone, failed=failed):
        return None
    worth = 1.0
    accounts = accounts_for(text, exchange) and claim.position < 2
    explains = cues.STRONG_CAUSE.search(text) or cues.THE_FIX.search(text) or accounts
    if failed or (explains and not exchange.is_rejected and not cues.HEDGE.search(text)):
        kind: FactKind = "error" if failed else "root_cause" if accounts or cues.STRONG_CAUSE.search(text) else "fix"
        found = _candidate(exchange, [closing.ordinal], text, kind, 1.3 if failed else max(penalty, 0.9))
        is_choice = kind == "root_cause" and not exchange.is_hunt and chooses(text)
        if is_choice:
            return _candidate(exchange, [closing.ordinal], text, "decision", penalty)
        is_why = kind == "root_cause" and not exchange.is_hunt and not cues.STRONG_CAUSE.search(cues.WHY.sub("", text))
        return replace(found, kind="status", priority="medium") if is_why else found
    if undone and (exchange.actions or exchange.is_final):
        is_asked = re.search(r"\b(?:whether|who|how (?:long|many|much))\b|\?|^which\b|: which\b", text) is not None
        return _candidate(
            exchange, [closing.ordinal], text, "question" if is_asked else "task", 1.0 if exchange.is_final else 0.85
        )
    if cues.HEDGE.search(text):
        worth *= 0.35
    if cues.PLAN_HEADING.search(claim.heading) or cues.PROPOSAL.search(text):
        worth *= 0.45 if exchange.files else 0.25
    elif (
        not exchange.files
        and not exchange.has_commands
        and exchange.speech.act not in ("question", "correction")
        and not cues.PROCESS.search(text)
    ):
        worth *= 0.6  # nothing was changed: an analysis or a plan
    if not exchange.actions and not exchange.has_commands:  # talk without work: an answer or a sample, not an outcome
        worth *= 0.7 if exchange.speech.act in ("question", "correction") else 0.35
    worth *= 1.1 if claim.position < 2 else 0.9
    if claim.is_continued:
        worth *= 0.75
    if text.endswith("!") or _PRAISE.search(text):
        worth *= 0.6
    kind = _kind(text, exchange)
    if kind == "status" and claim.position < 2 and _tells_result(text, exchange):
        return _candidate(exchange, [closing.ordinal], text, "fix" if exchange.is_hunt else "completion", worth * penalty * 0.75)
    return _candidate(exchange, [closing.ordinal], text, kind, worth * penalty)


_LINKS = re.compile(
    r"\b(?:since|as (?:the|it|we|they|every|each)|so (?:that )?(?:every|each|all|the|it|no|both|nothing)|which|whose"
    r"|whichever|whenever|wherever|then"
    r"|until|twice|never|wants|takes|both|goes back|one source|happens)\b|: |\s[—–-]\s|^(?:it|this|that) (?:was"
    r"|is) an?\b|, and\b",
    re.I,
)
_REMEDIES = re.compile(
    r"\b(?:any ?more|again|gone|in place|green|ready|live|cure[sd]?|gets? rid|takes? care|did the trick|went through|now"
    r"|works?|makes? (?:it|the [\w `/.-]+?) \w+|i|we)\b",
    re.I,
)
_PRAISE = re.compile(
    r"\b(?:crystal clear|perfect(?:ly)?|beautiful\w*|elegant\w*|much (?:cleaner|better|clearer|nicer|simpler)"
    r"|exactly what|exactly like|users? (?:now )?"
    r"(?:know|understand|can see)|professional)\b",
    re.I,
)
"""An agent's praise of its own work."""
_RELIEF = re.compile(r"\b(?:any ?more|no longer|again|gone|cure[sd]?|gets? rid|takes? care|did the trick|now)\b", re.I)
_CHOOSES = re.compile(
    rf"^(?:i|we)(?:'ve| have)? (?:\w+ )?(?:{CHOSE}|{CHOOSES}|kept|took|used)\b|^(?:chose|picked|took|kept|went with)\b"
    rf"|\b(?:rather than|instead of|over|would have)\b.*\b(?:because|since|as|:)\b",
    re.I,
)


def accounts_for(text: str, exchange: Exchange) -> bool:
    """Whether a statement in a search for what is wrong says how things are and what follows: a cause, in whatever words."""
    bare = cues.CODE.sub("x", text)
    if not exchange.is_hunt or exchange.is_rejected or len(content_words(text)) < 5 or not _LINKS.search(bare):
        return False
    return not any(
        cue.search(bare) for cue in (_REMEDIES, cues.FIXED, cues.CHANGED, cues.DONE, cues.HEDGE, cues.PROPOSAL, cues.INTENT)
    )


def chooses(text: str) -> bool:
    """Whether the agent says what it chose, and why."""
    return bool(_CHOOSES.search(cues.CODE.sub("x", text)))


def is_others(text: str) -> bool:
    """Whether a statement only passes on what a text says."""
    return bool(
        re.search(r"^(?:the|a|its|their|this) [\w ./`-]{3,60}? (?:reads|says|states|claims|prints|warns)\b", text, re.I)
        and re.search(r"[\"“]", text)
    )


def _is_told(exchange: Exchange, claim: Claim, text: str, *, undone: bool, failed: bool) -> bool:
    """Whether a claim tells something of its own: no plan, no words of others, enough of it; the first may be plain."""
    if is_unfit(text) or (cues.INTENT.match(text) and not undone) or is_others(text):
        return False
    leads = claim.position == 0 and (bool(exchange.files) or exchange.is_hunt)
    return is_substantial(text, is_plain=undone or failed) or (leads and len(content_words(text)) >= 4)


def is_substantial(text: str, *, is_plain: bool = False) -> bool:
    """Whether a statement says something particular: enough words, and a name, a value or a cause (unless it may be plain)."""
    count = len(content_words(text))
    return (is_plain and count >= 2) or (count >= 4 and bool(entities.count(text) or cues.STRONG_CAUSE.search(text)))


def _findings(exchange: Exchange, settled: Settled, penalty: float) -> Iterator[Candidate]:
    """Later findings correct earlier ones of the same stretch; one that an edit follows at once was acted on."""
    found = [(entry, text) for entry in exchange.said if entry is not exchange.closing for text in claims.findings_of(entry.text)]
    edits = {action.ordinal for action in exchange.actions if action.kind in ("edit", "create", "delete", "commit")}
    for index, (entry, raw) in enumerate(found):
        text = settled.without_stale(raw, exchange.at)
        if not text or is_unfit(text) or not is_substantial(text):
            continue
        verifies = cues.VERIFIES.search(entry.text) is not None
        acted = any(entry.ordinal <= done <= entry.ordinal + (0 if verifies else 2) for done in edits)
        is_strong = bool(cues.STRONG_CAUSE.search(text))
        worth = (1.15 if is_strong else 0.95) if acted else (0.6 if is_strong else 0.7)
        worth *= 1.0 if index >= len(found) - 3 else 0.75
        if verifies and not acted:
            worth *= 0.3  # a hypothesis that it goes on to check
        failed = cues.FAILED_ATTEMPT.search(cues.CODE.sub("", text)) is not None
        kind: FactKind = "error" if failed else "root_cause" if is_strong else _kind(text, exchange)
        near = [
            action.path
            for action in exchange.actions
            if action.kind in ("read", "create", "edit") and abs(action.ordinal - entry.ordinal) <= 4
        ]
        yield _candidate(exchange, [entry.ordinal], text, kind, worth * penalty, near)


def _tells_result(text: str, exchange: Exchange) -> bool:
    """Whether one of the first statements after edits says what they did, in whatever words: it names something."""
    named = entities.count(text) or (exchange.files and len(content_words(text)) >= 4)
    bare = cues.CODE.sub("", text)
    is_work = exchange.files or (exchange.has_commands and re.search(r"\b(?:is|are|runs?|has|have)\b|ed\b", bare))
    return bool(is_work and named) and not cues.BROKE.search(bare) and not cues.PROPOSAL.search(bare)


def _kind(text: str, exchange: Exchange) -> FactKind:
    text = cues.CODE.sub("", text)
    if cues.PROCESS.search(text) and ":" in text:
        return "convention"
    if chooses(text) and not exchange.is_hunt:
        return "decision"
    if cues.STRONG_CAUSE.search(text):
        return "root_cause"
    if cues.FIXED.search(text) or (exchange.is_hunt and exchange.files and cues.CHANGED.search(text)):
        return "fix"
    if exchange.files and _RELIEF.search(text):
        return "fix" if exchange.is_hunt else "completion"
    if cues.BROKE.search(text) and not cues.DONE.search(text) and not cues.CHANGED.search(text):
        return "error"
    if cues.DONE.search(text):
        return "completion"
    is_done = exchange.has_commands or any(action.kind not in ("read", "check") for action in exchange.actions)
    if cues.CHANGED.search(text) and is_done:
        return "file_change" if exchange.files else "state_change"
    return "status"


def _candidate(
    exchange: Exchange, ordinals: list[int], text: str, kind: FactKind, factor: float, near: list[str] | None = None
) -> Candidate:
    full = with_files(shorten(text, ROW_CHARS), near or exchange.files)
    files = list(dict.fromkeys([*entities.file_names(full), *(near or exchange.files)]))[:8]
    worth = (_WORTH[kind] + min(0.3, 0.04 * entities.count(text))) * factor
    extra = [exchange.user.ordinal] if exchange.user else []
    weighty = kind == "root_cause" or (kind == "fix" and (cues.FIXED.search(text) or cues.THE_FIX.search(text)))
    is_high = (
        weighty
        and (exchange.is_hunt or exchange.files or "root cause" in text.lower())
        and not exchange.is_rejected
        and entities.count(text) > 0
    )
    priority: Priority = "high" if is_high else _PRIORITY.get(kind, "medium")
    return Candidate(full, kind, priority, tuple(dict.fromkeys(ordinals + extra)), tuple(files), worth)
