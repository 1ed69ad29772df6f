"""Facts from what a person typed: quoted, with what the words refer to and what came of them, in one row."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.distilled import Kind, Priority
from transforms.offline import claims, cues, specifics
from transforms.offline.candidates import ROW_CHARS, Candidate, is_unfit
from transforms.offline.exchanges import Exchange
from transforms.offline.prose import content_words, one_line, sentences, shorten, words
from transforms.offline.speech import Act, Sentence

_KIND: dict[Act, Kind] = {
    "rule": "rule", "preference": "preference", "decision": "decision", "correction": "correction", "request": "request",
    "question": "question", "report": "error", "statement": "status", "agreement": "decision", "chatter": "status",
}  # fmt: skip
_LEAD: dict[Kind, str] = {
    "rule": "{} set a rule", "preference": "{} wants", "decision": "{} decided",
    "correction": "{} objected", "request": "{} asked",
    "question": "{} asked (a question)", "error": "{} reported", "status": "{} said",
}  # fmt: skip
_WORTH: dict[Kind, float] = {
    "rule": 1.05, "preference": 1.0, "correction": 0.98, "decision": 0.95,
    "request": 0.85, "error": 0.7, "question": 0.6, "status": 0.45,
}  # fmt: skip
_PRIORITY: dict[Kind, Priority] = {
    "rule": "high",
    "preference": "high",
    "decision": "high",
    "correction": "high",
    "question": "low",
}
_DEICTIC = re.compile(
    r"\b(?:it|that|this|these|those|them|they|same|there|one|both|the (?:first|second|last|other)|option \w)\b", re.I
)
QUOTE_CHARS = 300


def user_facts(exchange: Exchange, owner: str) -> Iterator[Candidate]:
    """One row per group of sentences that belong together."""
    if exchange.user is None:
        return
    groups = list(_groups(list(exchange.speech.kept)))
    for index, group in enumerate(groups):
        quote = _quote(group)
        if is_unfit(quote) and len(quote) >= 12:
            continue
        act = exchange.speech.act if len(groups) == 1 else max((one.act for one in group), key=lambda act: _WORTH[_KIND[act]])
        if _asks_only(group):
            act = "correction" if any(one.act == "correction" for one in group) else "question"
        if candidate := _candidate(exchange, owner, quote, act, is_last=index == len(groups) - 1):
            yield candidate


def _asks_only(group: list[Sentence]) -> bool:
    return all(one.asks for one in group)


def _groups(kept: list[Sentence]) -> Iterator[list[Sentence]]:
    group: list[Sentence] = []
    for one in kept:
        if group and sum(len(other.text) + 1 for other in group) + len(one.text) > QUOTE_CHARS:
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _quote(group: list[Sentence]) -> str:
    parts = [one_line(one.text) for one in group]
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += (" " if text.endswith((".", "!", "?", ":", ";", ",", "…")) else "; ") + part
    return shorten(cues.FILLER.sub("", text).strip() or text, 360).replace('"', "'")


def _candidate(exchange: Exchange, owner: str, quote: str, act: Act, is_last: bool) -> Candidate | None:
    user = exchange.user
    if user is None or not words(quote):
        return None
    kind = _KIND[act]
    ordinals = [user.ordinal]
    text = f'{_LEAD[kind].format(owner)}: "{quote}"'
    if context := _context(exchange, quote, act):
        text += f' (about: "{context}")'
        ordinals += [exchange.before.ordinal] if exchange.before else []
    elif _stands_alone(quote) is False:
        return None
    if is_last:
        text, used = _with_outcome(exchange, text)
        ordinals += used
    if is_unfit(text):
        return None
    bonus = min(0.25, 0.05 * specifics.count(text))
    return Candidate(
        shorten(text, ROW_CHARS), kind, _PRIORITY.get(kind, "medium"), tuple(dict.fromkeys(ordinals)),
        tuple(_files(exchange, text)), _WORTH[kind] + bonus, confidence=0.9, line_numbers=tuple(specifics.line_numbers(quote)),
    )  # fmt: skip


def _files(exchange: Exchange, text: str) -> list[str]:
    return list(dict.fromkeys([*specifics.file_names(text), *exchange.files[:4]]))[:8]


def _stands_alone(quote: str) -> bool:
    return len(content_words(quote)) >= 2 or specifics.count(quote) > 0


def _context(exchange: Exchange, quote: str, act: Act) -> str:
    """What the words refer to: the agent's proposal or claim, when they cannot be understood without it."""
    if exchange.before is None:
        return ""
    is_short = len(content_words(quote)) < 5
    if (
        act not in ("correction", "decision", "agreement")
        and not (_DEICTIC.search(quote) and len(words(quote)) < 14)
        and not is_short
    ):
        return ""
    return focus(exchange.before.text, quote, wants_offer=bool(cues.AGREEMENT.match(quote)), limit=150 if is_short else 110)


def focus(before: str, quote: str, *, wants_offer: bool, limit: int) -> str:
    """The sentence of the agent's last words that a reply is about: its offer when agreed to, else what shares most words."""
    pool = [claims.declarative(one) for one in sentences(_flat(before)) if len(one) > 8]
    offers = [one for one in pool if cues.OFFER.match(one) or one.endswith("?")]
    if wants_offer and offers:
        return shorten(offers[-1], limit).replace('"', "'")
    asked = content_words(quote)
    usable = [one for one in pool if not cues.OFFER.match(one)] or pool
    if not usable:
        return ""
    best = max(range(len(usable)), key=lambda at: (len(asked & content_words(usable[at])), specifics.count(usable[at]) > 0, -at))
    return shorten(usable[best], limit).replace('"', "'").rstrip(":")


def _flat(before: str) -> str:
    return "\n".join(claim.text for claim in claims.claims_of(before)) or before[:600]


def _with_outcome(exchange: Exchange, text: str) -> tuple[str, list[int]]:
    """The row with what came of it, unless the person refused that; and the entries that say so."""
    if exchange.is_rejected or exchange.closing is None:
        return text, []
    room = ROW_CHARS - len(text) - 12
    outcome = claims.headline(exchange.closing.text, min(room, 220)) if room > 40 else ""
    if not outcome or cues.HEDGE.search(outcome):
        return text, []
    return f"{text} Outcome: {outcome}", [exchange.closing.ordinal]
