"""Facts from what the agent concluded: final summaries, causes found on the way, and how they were fixed."""

from __future__ import annotations

from collections.abc import Iterator

from transforms.distilled import Kind, Priority
from transforms.entries import Entry
from transforms.offline import claims, cues, specifics
from transforms.offline.candidates import ROW_CHARS, Candidate, is_unfit, with_files
from transforms.offline.claims import Claim
from transforms.offline.exchanges import Exchange
from transforms.offline.prose import content_words, shorten

_WORTH: dict[Kind, float] = {
    "root_cause": 0.85,
    "fix": 0.75,
    "completion": 0.7,
    "state_change": 0.68,
    "file_change": 0.62,
    "error": 0.55,
    "status": 0.42,
}
_PRIORITY: dict[Kind, Priority] = {"root_cause": "high", "fix": "high", "status": "low"}


def agent_facts(exchange: Exchange) -> Iterator[Candidate]:
    """Claims of the agent's last words, and findings of the messages before it."""
    penalty = 0.3 if exchange.is_rejected else 1.0
    closing = exchange.closing
    if closing:
        for claim in claims.claims_of(closing.text):
            if candidate := _from_claim(exchange, closing, claim, penalty):
                yield candidate
    yield from _findings(exchange, penalty)


def _from_claim(exchange: Exchange, closing: Entry, claim: Claim, penalty: float) -> Candidate | None:
    text = claim.text
    if is_unfit(text) or cues.INTENT.match(text) or not content_words(text):
        return None
    worth = 1.0
    if cues.HEDGE.search(text):
        worth *= 0.4
    if cues.PLAN_HEADING.search(claim.heading) or cues.PROPOSAL.search(text):
        worth *= 0.45
    kind = _kind(text, bool(exchange.files))
    if not exchange.files and not exchange.actions:
        worth *= 0.7  # talk without work: an answer, not an outcome
    if claim.position < 2:
        worth *= 1.1
    return _candidate(exchange, [closing.ordinal], text, kind, worth * penalty)


def _findings(exchange: Exchange, penalty: float) -> Iterator[Candidate]:
    """Later findings correct earlier ones of the same stretch; a finding that an edit follows at once was acted on."""
    found = [(entry, text) for entry in exchange.said if entry is not exchange.closing for text in claims.findings_of(entry.text)]
    edits = {action.ordinal for action in exchange.actions if action.kind in ("edit", "create", "delete")}
    for index, (entry, text) in enumerate(found):
        if is_unfit(text) or len(content_words(text)) < 3:
            continue
        acted = any(entry.ordinal <= at <= entry.ordinal + 2 for at in edits)
        worth = (1.0 if cues.STRONG_CAUSE.search(text) else 0.62) * (1.15 if acted else 0.85)
        worth *= 0.8 if index < len(found) - 3 else 1.0
        kind: Kind = "root_cause" if cues.STRONG_CAUSE.search(text) or acted else "status"
        near = [action.path for action in exchange.actions if action.path and abs(action.ordinal - entry.ordinal) <= 4]
        yield _candidate(exchange, [entry.ordinal], text, kind, worth * penalty, near)


def _kind(text: str, has_files: bool) -> Kind:
    if cues.STRONG_CAUSE.search(text):
        return "root_cause"
    if cues.FIXED.search(text):
        return "fix"
    if cues.FAILED.search(text) and not cues.DONE.search(text):
        return "error"
    if cues.DONE.search(text):
        return "completion"
    if cues.CHANGED.search(text):
        return "file_change" if has_files else "state_change"
    return "status"


def _candidate(
    exchange: Exchange, ordinals: list[int], text: str, kind: Kind, factor: float, near: list[str] | None = None
) -> Candidate:
    full = with_files(shorten(text, ROW_CHARS), near or exchange.files)
    files = list(dict.fromkeys([*specifics.file_names(full), *(near or exchange.files)]))[:8]
    worth = (_WORTH[kind] + min(0.3, 0.04 * specifics.count(text))) * factor
    extra = [exchange.user.ordinal] if exchange.user else []
    return Candidate(full, kind, _PRIORITY.get(kind, "medium"), tuple(dict.fromkeys(ordinals + extra)), tuple(files), worth)
