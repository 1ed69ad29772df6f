"""Facts from what a person typed: quoted, with what the words refer to and what came of them, in one row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from transforms.conversation.entries import Entry
from transforms.language import cues, entities, norm_rules, norms
from transforms.language.clause import clause_of
from transforms.language.dialogue_acts import Act, Sentence
from transforms.language.norms import Norm
from transforms.language.sentences import content_words, one_line, sentences, shorten, words
from transforms.offline import claims
from transforms.offline.candidates import ROW_CHARS, Candidate, is_unfit, with_files
from transforms.offline.current_values import Settled
from transforms.offline.exchanges import Exchange
from transforms.offline.tasks import imperative
from transforms.tables.enums import FactKind, Priority

_KIND: dict[Act, FactKind] = {
    "rule": "rule", "preference": "preference", "decision": "decision", "correction": "correction", "request": "request",
    "question": "question", "report": "error", "statement": "status", "agreement": "decision", "chatter": "status",
}  # fmt: skip
_LEAD: dict[FactKind, str] = {
    "convention": "{} set a convention", "state_change": "{} decided", "rule": "{} set a rule", "preference": "{} wants",
    "decision": "{} decided", "correction": "{} objected", "request": "{} asked", "question": "{} asked",
    "error": "{} reported", "status": "{} said", "completion": "{} said", "root_cause": "{} found", "fix": "{} found",
}  # fmt: skip
_WORTH: dict[FactKind, float] = {
    "rule": 1.15, "convention": 1.1, "state_change": 1.05, "preference": 1.05, "correction": 1.0, "decision": 1.0,
    "request": 1.0, "error": 0.8, "question": 0.55, "status": 0.5, "root_cause": 1.0, "fix": 0.9, "completion": 0.7,
}  # fmt: skip
_PRIORITY: dict[FactKind, Priority] = {
    "rule": "high", "convention": "high", "state_change": "high", "preference": "high", "decision": "high",
    "correction": "high", "question": "low", "status": "low",
}  # fmt: skip
_DEICTIC = re.compile(
    r"\b(?:it|that|this|these|those|them|they|same|there|one|both|the (?:first|second|last|other)|option \w)\b", re.I
)
_LASTING = ("rule", "preference")
_NORMS: tuple[Norm, ...] = (
    "done",
    "failed",
    "trouble",
    "cure",
    "cause",
    "move",
    "choice",
    "open",
    "correction",
    "taste",
    "form",
    "rule",
)
"""What a row is when its sentences lay down several things: the last of these that occurs."""
_KIND_OF: dict[Norm, FactKind] = {
    "trouble": "error", "move": "state_change", "choice": "decision", "open": "question", "correction": "correction",
    "taste": "preference", "form": "convention", "rule": "rule", "done": "completion", "failed": "error",
    "cure": "fix", "cause": "root_cause",
}  # fmt: skip
_GOES_ON = re.compile(
    r"^(?:because|since|so|that|it|this|these|they|otherwise|not even|nor|e\.g|reason|which|we had|i had"
    r"|in other words|for example"
    r"|only|unless|except)\b",
    re.I,
)
_CONCLUDES = re.compile(r"^(?:so|therefore|hence|(?:that|this|it)(?:'s| is)|which is why|for that reason|from this)\b", re.I)
_EXPLICIT = re.compile(
    r"\b(?:decision|decided|rule|convention)\s*[:—-]|!!|\b(?:second|third|fourth|fifth|\d+(?:nd|rd|th)) time\b"
    r"|\bplease remember\b",
    re.I,
)
_ANNOUNCES = re.compile(
    r"^(?:(?:and|also|another|one|more|a|an|the|my|new|hard|house|ground)\s+)+"
    r"(?:rules?|conventions?|wish|thing|note|decision|preference)\b"
    r"[^.]{0,30}?\s*[-–—:,]",
    re.I,
)
_ONE_PIECE = ("choice", "move", "correction")
WHOLE_CHARS = 200
QUOTE_CHARS = 380
OUTCOME_GAIN = 1.25
"""What a row gains by saying what came of the words."""


@dataclass(frozen=True, slots=True)
class _Words:
    """What a person said that is one row: the quotation, its act, and whether the whole of it only asks."""

    quote: str
    act: Act
    is_last: bool
    norm: Norm | None = None
    leans: bool = False


def user_facts(exchange: Exchange, owner: str, settled: Settled) -> Iterator[Candidate]:
    """Rows for groups of sentences that belong together, each with and without its outcome."""
    if exchange.user is None:
        return
    groups = list(_groups(list(exchange.speech.kept)))
    for index, group in enumerate(groups):
        act = exchange.speech.act if len(groups) == 1 else max((one.act for one in group), key=lambda act: _WORTH[_KIND[act]])
        if all(one.asks for one in group) and not any(one.norm for one in group):
            act = "correction" if any(one.act == "correction" for one in group) else "question"
        laid = [one.norm for one in group if one.norm]
        norm = max(laid, key=_NORMS.index) if laid else None
        leans = norm is not None and all(one.leans for one in group if one.norm)
        said = _Words(_quote(group), act, index == len(groups) - 1, norm, leans)
        if words(said.quote) and not cues.INJECTION.search(said.quote):
            yield from _rows(exchange, exchange.user, owner, said, settled)


def _groups(kept: list[Sentence]) -> Iterator[list[Sentence]]:
    """Sentences that make one row: short messages whole, long ones parted where rules and wishes begin or end."""
    is_long = sum(len(one.text) for one in kept) > WHOLE_CHARS
    group: list[Sentence] = []
    for one in kept:
        size = sum(len(other.text) + 1 for other in group)
        is_verdict = is_long and len(group) == 1 and size <= 40 and bool(cues.PUSHBACK.match(group[0].text))
        is_new = is_long and size >= 40 and (one.act in _LASTING) != (group[-1].act in _LASTING) and len(one.text) >= 40
        is_open = bool(group) and _leaves_open(one.text) != _leaves_open(group[-1].text) and not _leaves_this_open(group, one)
        if group and (is_new or is_verdict or is_open or _turns(group, one) or size + len(one.text) > QUOTE_CHARS):
            yield group
            group = []
        group.append(one)
    if group:
        yield group


def _turns(group: list[Sentence], one: Sentence) -> bool:
    """Whether a sentence begins something else than the row before it: what is laid down stands without its neighbours.

    They stay together when the second goes on about the first ("because …", "not even …") or shares its words.
    """
    before = next((other.norm for other in reversed(group) if other.norm), None)
    if len(content_words(" ".join(other.text for other in group))) < 2:
        return False  # too little to stand alone
    if not (one.norm or before) or (one.norm == before and one.norm in _ONE_PIECE):
        return False
    if (before == "choice" and one.norm is None and one.act == "decision") or _leaves_this_open(group, one):
        return False
    if _ANNOUNCES.match(one.text):
        return True
    if (_GOES_ON if before else _CONCLUDES).match(one.text):
        return False
    about = content_words(" ".join(other.text for other in group))
    return not about & content_words(one.text)


def _leaves_this_open(group: list[Sentence], one: Sentence) -> bool:
    """A question and "I don't know yet", "leave it open" behind it are one open question."""
    is_asked = any(other.asks for other in group)
    return is_asked and _leaves_open(one.text) and len(content_words(one.text)) < 8


def _leaves_open(text: str) -> bool:
    return norms.leaves_open(text)


def _quote(group: list[Sentence]) -> str:
    parts = [one_line(one.text) for one in group]
    text = parts[0] if parts else ""
    for part in parts[1:]:
        text += (" " if text.endswith((".", "!", "?", ":", ";", ",", "…")) else "; ") + part
    return shorten(cues.FILLER.sub("", text).strip() or text, 400).replace('"', "'")


def _rows(exchange: Exchange, user: Entry, owner: str, said: _Words, settled: Settled) -> Iterator[Candidate]:
    kind = _kind(exchange, said)
    worth = _worth(exchange, said, kind) * (
        0.15 if settled.is_stale(said.quote, exchange.at, by_names=kind in ("request", "question", "status")) else 1.0
    )
    lead = "{} left open" if kind == "question" and _leaves_open(said.quote) else _LEAD[kind]
    text = f'{lead.format(owner)}: "{said.quote}"'
    ordinals = [user.ordinal]
    context, source = _context(exchange, said, settled)
    if context:
        text += f" (about: {context})"
        ordinals += source
    if len(content_words(said.quote)) < 2 and not entities.count(said.quote) and (not context or kind == "status"):
        return
    is_undo = bool(cues.UNDO.search(said.quote)) and len(content_words(said.quote)) < 4 and not entities.count(said.quote)
    if is_unfit(text) or is_undo or _is_slip(said.quote, exchange):
        return
    priority = "medium" if said.leans else _PRIORITY.get(kind, "medium")
    short = Candidate(
        with_files(shorten(text, ROW_CHARS), exchange.files), kind, priority, tuple(ordinals),
        tuple(_files(exchange, text)), worth, 0.9, tuple(entities.line_numbers(said.quote)), f"{user.ordinal}:{said.quote[:24]}",
    )  # fmt: skip
    yield short
    room = ROW_CHARS - len(text) - 12
    outcome, source = (
        outcome_of(exchange, settled, min(room, 200), asks=kind == "question")
        if said.is_last and room > 40 and not _leaves_open(said.quote)
        else ("", [])
    )
    if outcome:
        label = "Answer" if kind == "question" else "Outcome"
        full = with_files(f"{text} {label}: {outcome}", exchange.files)
        cited = tuple(dict.fromkeys([*ordinals, *source]))
        yield replace(short, text=full, ordinals=cited, files=tuple(_files(exchange, full)), worth=worth * OUTCOME_GAIN)


_WONDERS = re.compile(
    rf"(?:what (?:happens|does|is|are|was|did|were)|why|how (?:does|do|is|are|did|come)|who|where|when)\b"
    rf"|(?:{cues.STATUS_CHECK.pattern})",
    re.I,
)
"""Questions that want to be told something, whatever was changed on the way."""
_PASSING = re.compile(
    r"(?:read|look|show me|tell|explain|see|check|open|list|print|try|delete|remove|kill|commit|push|continue|go|restart"
    r"|stop|wait|propose|suggest|investigate"
    r"|find out|think|write (?:some|markdown|a (?:test|short|quick)))\b",
    re.I,
)
"""What is done in passing: reading, running, telling, tidying up. Its outcome may count, the request does not."""


def _is_slip(quote: str, exchange: Exchange) -> bool:
    """Whether the agent, unrefused, took a "not" for the "now" that was meant: what it did is the record, not the slip."""
    done = exchange.closing.text.lower() if exchange.closing and not exchange.is_rejected else ""
    return any(f"now {word}" in done for word in re.findall(r"\bnot (\w+)", quote.lower()))


def _kind(exchange: Exchange, said: _Words) -> FactKind:
    """A question that made the agent change files was a request in polite words; it is still no decision.

    Wishes and musts that lay down nothing lasting are requests.
    """
    if said.norm != "open" and said.act == "question" and exchange.files and not _WONDERS.match(said.quote):
        return "request"
    if said.norm == "open" or (said.norm and said.act != "question"):
        return _KIND_OF[said.norm]
    if said.act in _LASTING:
        return "request"
    if said.act == "decision" and cues.REPLACED.search(said.quote):
        return "state_change"
    kind = _KIND[said.act]
    return "request" if kind == "status" and norms.is_wish(said.quote) else kind


def _worth(exchange: Exchange, said: _Words, kind: FactKind) -> float:
    if kind == "question" and _leaves_open(said.quote):
        return 0.9
    worth = max(_WORTH[kind], _WORTH[_KIND[said.act]]) + min(0.2, 0.04 * entities.count(said.quote))
    if said.norm and _EXPLICIT.search(said.quote):
        worth += 0.35  # who says "Decision:" or says it for the third time wants it kept
    if exchange.files and not exchange.is_rejected:
        worth += 0.1
    if kind != "request" and len(content_words(said.quote)) < 4 and not entities.count(said.quote):
        worth *= 0.6
    if kind in ("question", "request"):
        worth *= _asked_weight(exchange, said.quote, kind)
    if exchange.is_undone and kind != "correction":
        worth *= 0.15
    if kind == "status":
        worth *= _said_weight(exchange, said.quote)
    if said.leans:
        worth *= 0.6
    if not exchange.actions and kind in ("request", "status") and exchange.closing:
        worth *= 0.6  # answered in words alone: nothing was changed
    return worth


def _asked_weight(exchange: Exchange, quote: str, kind: FactKind) -> float:
    """What is asked for counts by what it names and by what it changed; asking how things stand hardly does."""
    if cues.STATUS_CHECK.match(quote):
        return 0.15
    count, named = len(content_words(quote)), entities.count(quote)
    if kind == "question":
        return 1.0 if named else 0.6 if count >= 5 else 0.28
    weight = min(1.0, 0.25 + 0.1 * count + 0.1 * named)
    if _PASSING.match(imperative(quote)):
        return 0.5 * weight
    return 1.0 if exchange.files else max(weight, 0.6)


def _said_weight(exchange: Exchange, quote: str) -> float:
    """A remark counts when it says something; what might be, and how somebody feels, hardly does."""
    if clause_of(quote, quote).is_supposed or norm_rules.FEELS.search(quote):
        return 0.3
    says = bool(entities.count(quote)) or len(content_words(quote)) >= 4
    return 1.0 if exchange.files else 0.65 if says else 0.3


def _files(exchange: Exchange, text: str) -> list[str]:
    return list(dict.fromkeys([*entities.file_names(text), *exchange.files[:4]]))[:8]


def _context(exchange: Exchange, said: _Words, settled: Settled) -> tuple[str, list[int]]:
    """What the words refer to, when they need it: the offer or proposal that they answer, else the person's last request.

    A refused claim of success is not repeated: the request that it failed says more and is true.
    """
    is_short = len(content_words(said.quote)) < 6 and not (said.act == "decision" and entities.count(said.quote) > 1)
    answers = said.act in ("correction", "decision", "agreement")
    if said.act == "request" and not _DEICTIC.search(said.quote):
        return "", []
    if said.act == "decision" and not cues.AGREEMENT.match(said.quote) and len(content_words(said.quote)) >= 5:
        answers = False
    if said.act == "correction" and len(content_words(said.quote)) >= 8 and exchange.closing and not exchange.is_rejected:
        return "", []  # the outcome says what it was about
    if _stands_alone(said):
        return "", []
    if exchange.pasted.strip() and (is_short or _points(said)):
        return f'the pasted "{shorten(one_line(exchange.pasted), 120)}"'.replace('""', '"'), []
    if said.act in ("request", "preference") and exchange.files and exchange.before and not _is_proposal(exchange.before.text):
        return "", []  # what the agent had said is what these words changed
    if said.act == "correction" and exchange.before and _DEICTIC.search(said.quote[:40]) and _is_proposal(exchange.before.text):
        is_short = True
    if exchange.before is None or not (is_short or (answers and not entities.count(said.quote)) or _points(said)):
        return "", []
    before = exchange.before.text
    wants_offer = bool(cues.AGREEMENT.match(said.quote))
    if exchange.is_direct and (wants_offer or said.act != "correction" or _is_proposal(before)):
        limit = 150 if is_short else 100
        found = focus(before, said.quote, wants_offer=wants_offer, limit=limit)
        if found and not settled.is_stale(found, exchange.at - 1) and not cues.INJECTION.search(found):
            return f'"{found}"', [exchange.before.ordinal]
        return "", []
    earlier = sentences(exchange.asked_before)
    about = content_words(f"{said.quote} {' '.join(exchange.files)} {before[:400]}")
    asked = max(earlier, key=lambda one: (len(about & content_words(one)), -earlier.index(one)), default="")
    asked = shorten(cues.FILLER.sub("", one_line(asked)).replace('"', "'"), 130)
    return (f'the earlier "{asked}"' if asked else ""), [exchange.before.ordinal]


def _stands_alone(said: _Words) -> bool:
    """Whether what is laid down says itself what it is about."""
    if said.norm not in ("rule", "taste", "form", "move", "choice", "correction") or len(content_words(said.quote)) < 3:
        return False
    return not _DEICTIC.search(said.quote[:60]) or (said.norm != "correction" and entities.count(said.quote) > 0)


def _points(said: _Words) -> bool:
    is_settled = said.act == "decision" and entities.count(said.quote) > 0
    return not is_settled and bool(_DEICTIC.search(said.quote)) and len(words(said.quote)) < 12


def _is_proposal(before: str) -> bool:
    return bool(cues.PROPOSAL.search(before)) or any(cues.OFFER.match(one) or one.endswith("?") for one in sentences(before)[-3:])


def focus(before: str, quote: str, *, wants_offer: bool, limit: int) -> str:
    """The sentence of the agent's last words that a reply is about: its offer when agreed to, else what shares most words."""
    pool = [claims.declarative(one) for one in sentences(_flat(before)) if len(one) > 8]
    offers = [one for one in sentences(before) if (cues.OFFER.match(one) or one.endswith("?")) and len(one) > 8]
    if wants_offer and offers:
        told = [one for one in pool if not one.endswith("?") and not cues.OFFER.match(one)]
        lead = f"{shorten(told[-1].rstrip(':'), limit)} — " if told else ""
        return f"{lead}{shorten(one_line(offers[-1]), limit)}".replace('"', "'")
    asked = content_words(quote)
    usable = [one for one in pool if not claims.is_talk(one)]
    if not usable:
        return ""
    best = max(range(len(usable)), key=lambda at: (len(asked & content_words(usable[at])), entities.count(usable[at]) > 0, -at))
    return shorten(usable[best], limit).replace('"', "'").rstrip(":")


def _flat(before: str) -> str:
    return "\n".join(claim.text for claim in claims.claims_of(before)) or before[:600]


def outcome_of(exchange: Exchange, settled: Settled, limit: int, *, asks: bool = False) -> tuple[str, list[int]]:
    """What came of the words, unless the person refused it or a later exchange replaced it; and the entry that says so."""
    if exchange.is_rejected or not (exchange.actions or exchange.has_commands or asks):
        return "", []
    granted = [exchange.acceptance] if exchange.acceptance and entities.count(exchange.acceptance.text) else []
    plain: tuple[str, list[int]] = ("", [])
    for entry in [*granted, *reversed(exchange.said[-6:])]:
        text = settled.without_stale(claims.headline(entry.text, 400), exchange.at)
        is_result = (
            entry in (exchange.closing, exchange.acceptance)
            or cues.DONE.search(text)
            or cues.CHANGED.search(text)
            or cues.FIXED.search(text)
        )
        is_failure = cues.FAILED_ATTEMPT.search(cues.CODE.sub("", text)) is not None  # a row of its own
        if text and is_result and not is_failure and not cues.HEDGE.search(text) and not claims.is_talk(text):
            if entities.count(text):
                return shorten(text, limit), [entry.ordinal]
            plain = plain if plain[0] else (shorten(text, limit), [entry.ordinal])
    return plain
