"""Tells what a statement of an agent is, as its exchange bears it out: a cause, a failure, a result, or another's report."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from transforms.exchanges.exchange import Exchange
from transforms.exchanges.menus import lists_options
from transforms.language import cue_phrases
from transforms.language.sentences import find_content_words
from transforms.offline.candidates import FAULT, HEAD_CHARS, Candidate, names_cause
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import FactKind

_EXPLAINING_LINK = compile_late(
    r"\b(?:since|as (?:the|it|we|they|every|each)|so (?:that )?(?:every|each|all|the|it|no|both|nothing)|which|whose"
    r"|whichever|whenever|wherever|then"
    r"|until|twice|never|wants|takes|both|goes back|one source|happens)\b|: |\s[—–-]\s|^(?:it|this|that) (?:was"
    r"|is) an?\b|, and\b",
    re.I,
)
_REMEDY = compile_late(
    r"\b(?:any ?more|again|gone|in place|green|ready|live|cure[sd]?|gets? rid|takes? care|did the trick|went through|now"
    r"|works?|makes? (?:it|the [\w `/.-]+?) \w+|i|we)\b",
    re.I,
)


def is_explanation(text: str, exchange: Exchange) -> bool:
    """Whether a statement made while debugging states a cause or a consequence, in any words."""
    bare = cue_phrases.CODE_SPAN.sub("x", text)
    if (
        not exchange.is_debugging
        or exchange.is_rejected
        or len(find_content_words(text)) < 5
        or not _EXPLAINING_LINK.search(bare)
    ):
        return False
    return not any(
        cue.search(bare)
        for cue in (
            _REMEDY,
            cue_phrases.FIX,
            cue_phrases.CHANGE,
            cue_phrases.COMPLETION,
            cue_phrases.HEDGE,
            cue_phrases.PROPOSAL,
            cue_phrases.ANNOUNCEMENT,
        )
    )


def states_fault(text: str, *, in_debugging: bool) -> bool:
    """Whether a statement says what failed or what is not so, outside of code; in a list its head has to state a cause.

    "Because" alone gives a reason (docs/decisions.md, "A cause names what failed"). A sentence that calls itself a cause, or
    that was said while debugging, need not say so.
    """
    head, colon, items = text.partition(": ")
    is_list = bool(colon) and "; " in items and len(head) <= HEAD_CHARS and not set(";`") & set(head)
    stated = f"{head}:" if is_list else cue_phrases.CODE_SPAN.sub("x", text)
    if cue_phrases.EXPLICIT_CAUSE.search(cue_phrases.REASON_WORD.sub("", stated)):
        return True
    if is_list and not cue_phrases.EXPLICIT_CAUSE.search(stated):
        return False
    return bool((in_debugging and not is_list) or FAULT.search(stated) or cue_phrases.BREAKAGE.search(stated))


REPORTER = "A sub-agent reported: "
_DONE: frozenset[FactKind] = frozenset({"completion", "file_change", "state_change", "fix"})


def name_claim_kind(candidate: Candidate, exchange: Exchange) -> Candidate:
    """Return an agent's statement under the kind that it and its exchange bear out ("A cause names what failed").

    A root cause names a failure and its cause; who names a cause outright states one whatever went before. An error needs that
    something went wrong: else "fails the import on an unknown stop" tells how a thing works.
    """
    text = candidate.text
    if candidate.kind == "root_cause" and not names_cause(text, exchange.typed):
        return replace(candidate, kind="status", priority="medium")
    if candidate.kind == "error" and not _went_wrong(exchange):
        return replace(candidate, kind="completion" if exchange.files else "status")
    if candidate.kind in _DONE and lists_options(text, exchange):
        return replace(candidate, kind="status")
    if candidate.kind == "status" and not cue_phrases.HEDGE.search(text):
        is_outright = cue_phrases.EXPLICIT_CAUSE.search(cue_phrases.REASON_WORD.sub("", text)) and names_cause(text, "")
        return replace(candidate, kind="root_cause", priority="medium") if is_outright else candidate
    return candidate


def name_reporter(selected: Sequence[Candidate], recorded: Collection[str]) -> list[Candidate]:
    """Return what was selected of a sub-agent's work, each report once and with its speaker: "I prefer …" is nobody else's wish.

    `recorded` are the texts that commands show.
    """
    texts = [candidate.text for candidate in selected]
    fullest = [
        candidate
        for place, candidate in enumerate(selected)
        if not any(candidate.text in other for at, other in enumerate(texts) if at != place and other != candidate.text)
    ]
    return [
        candidate if candidate.text in recorded else replace(candidate, text=f"{REPORTER}{candidate.text}")
        for candidate in fullest
    ]


def _went_wrong(exchange: Exchange) -> bool:
    """Whether the agent looks for an error, a tool or a check failed, something was pasted that may be one, or the next message
    rejects what was done."""
    failed = any(entry.role == "toolResult" and entry.is_error for entry in exchange.replies)
    return exchange.is_debugging or failed or exchange.ends_in_failure or exchange.is_rejected or bool(exchange.pasted.strip())
