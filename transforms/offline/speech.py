"""What a person does with typed words: request, question, correction, preference, rule, decision, report, agreement, chatter.

Assertion, question and request are three different things: a sentence that asks never becomes a decision, a rule or a preference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from transforms.offline import cues, norms, specifics
from transforms.offline.norms import Norm
from transforms.offline.prose import is_unspaced, sentences, words

Act = Literal[
    "rule", "preference", "decision", "correction", "request", "question", "report", "agreement", "statement", "chatter"
]
_ACT_OF: dict[Norm, Act] = {
    "rule": "rule", "form": "rule", "taste": "preference", "choice": "decision", "move": "decision", "open": "statement",
    "correction": "correction", "trouble": "report",
}  # fmt: skip
_STRENGTH: tuple[Act, ...] = (
    "chatter", "agreement", "statement", "question", "report", "request", "decision", "preference", "correction", "rule",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a person with what it does and lays down; `asks` when it is a question, whatever else it may suggest."""

    text: str
    act: Act
    asks: bool
    norm: Norm | None = None


@dataclass(frozen=True, slots=True)
class Speech:
    """A message: its sentences, and the act that counts for the whole."""

    sentences: tuple[Sentence, ...]
    act: Act

    @property
    def kept(self) -> tuple[Sentence, ...]:
        """The sentences that say something."""
        return tuple(one for one in self.sentences if one.act != "chatter")


def speech_of(typed: str, before: str) -> Speech:
    """The message taken apart; `before` is what the agent had said last (empty at the start: nothing to push back on)."""
    found = tuple(sentence_of(text, bool(before)) for text in _with_lists(_with_outcries(sentences(typed))))
    if not found:
        return Speech((), "chatter")
    act = max((one.act for one in found), key=_STRENGTH.index)
    if act in ("agreement", "statement") and before and not found[-1].asks and _offers(before) and len(words(typed)) > 1:
        act = "decision"  # an answer to the agent's question decides
    return Speech(found, act)


_OUTCRY = re.compile(
    r"^(?:(?:[\w', ]{2,24}[-–:,]\s*|and |oh,? |btw |hey,? |ok\.? )?(?:the )?(?:second|third|fourth|fifth|last"
    r"|\d+(?:nd|rd|th)) time\b.*"
    r"|(?:nope|no|wrong(?: one)?|not (?:[\w.`/-]+ ?){1,3}|that(?:'s| is) (?:wrong|incorrect)"
    r"|you (?:mixed (?:that|this|it) up|misread (?:me|that|it)))\s*)[!.]+$",
    re.I,
)


def _with_outcries(parts: list[str]) -> list[str]:
    """ "Third time!!", "Wrong." and "External links." over a question say nothing alone: they belong to what follows."""
    joined: list[str] = []
    for part in parts:
        if joined and (_OUTCRY.match(joined[-1]) or (part.endswith("?") and _is_label(joined[-1]))):
            joined[-1] = f"{joined[-1]} {part}"
        else:
            joined.append(part)
    return joined


def _is_label(text: str) -> bool:
    return len(words(text)) <= 3 and text.endswith(".") and not cues.CHATTER.match(text.lower()) and not cues.FILLER.match(text)


def _with_lists(parts: list[str]) -> list[str]:
    """Short lines without an end, one after the other, are the items of one list and one sentence."""
    joined: list[str] = []
    is_open = False
    for part in parts:
        is_item = len(words(part)) <= 12 and not part.endswith((".", "!", "?", "。", "！", "？"))
        if is_item and is_open:
            joined[-1] = f"{joined[-1]}; {part}"
        else:
            joined.append(part)
        is_open = is_item
    return joined


def sentence_of(text: str, has_before: bool) -> Sentence:
    """One sentence and its act."""
    bare = cues.FILLER.sub("", text).strip() or text.strip()
    asks = is_question(text)
    norm = None
    if not text.rstrip(" .!)\"'").endswith(("?", "？")):
        norm = norms.norm_of(bare, cues.SUBCLAUSE.sub("", bare), has_before=has_before)
        if norm == "choice" and cues.IMPERATIVE.match(bare) and re.match(r"[\w.-]+(?: [\w-]+){0,2} then\b", bare):
            norm = None  # "deploy it then" asks, "Valkey then" decides
        asks = asks and norm not in ("rule", "taste", "form", "choice")
    norm = None if asks else norm
    act = "chatter" if is_chatter(text) else _ACT_OF[norm] if norm else _act(text.strip(), bare, asks, has_before)
    return Sentence(text.strip(), act, asks, norm)


def is_question(text: str) -> bool:
    """Whether a sentence asks: a question mark at its end, or a question's word order; polite requests do not ask."""
    bare = cues.FILLER.sub("", text).strip()
    if is_request(bare):
        return False
    return text.rstrip(" .!)\"'").endswith(("?", "？")) or bool(
        cues.QUESTION_WORD.match(bare) and not re.search(r"[.!]$", bare) and len(words(bare)) > 2
    )


def is_request(bare: str) -> bool:
    """Whether a sentence (without fillers) asks for something to be done."""
    if cues.IMPERATIVE.match(bare):
        return True
    polite = cues.POLITE.match(bare)
    if polite and _ASSIGNS.match(polite[0]):
        return True
    if re.search(r", ?(?:please|pls)\W*$", bare, re.I) and not norms.is_lasting_wish(bare):
        return True
    return bool(polite and cues.IMPERATIVE.match(bare[polite.end() :]))


_ASSIGNS = re.compile(
    r"i(?:'d| would)? (?:\w+ )?(?:like|want|need)(?: for)? you to|(?:i )?want you to|(?:it )?would be \w+ if"
    r"|(?:it'?s )?time to|today we"
    r"|let us",
    re.I,
)
"""Openings after which every verb is asked for, known or not."""


def _act(text: str, bare: str, asks: bool, has_before: bool) -> Act:
    if asks:
        return "correction" if has_before and cues.SUGGESTIVE.search(bare) and cues.PUSHBACK.search(bare) else "question"
    main = cues.SUBCLAUSE.sub("", bare)
    if cues.DECIDED.search(main) and not is_request(main):
        return "decision"
    if cues.RULE.search(main) and not cues.POLITE.match(bare):
        return "rule"
    if cues.TROUBLE.match(bare):
        return "report"
    if len(cues.HEX_VALUE.findall(bare)) > 1:
        return "decision"
    if has_before and (cues.PUSHBACK.search(bare) or cues.PUSHBACK.match(text)):
        return "correction"
    if cues.PREFERENCE.search(bare) or cues.NEGATED_WISH.search(bare):
        return "preference"
    if is_request(bare) or any(is_request(clause.strip()) for clause in re.split(r",|;| and | then ", bare)[1:]):
        return "request"
    if cues.AGREEMENT.match(text) and len(words(bare)) <= 3:
        return "agreement"
    return _told(bare, main)


def _told(bare: str, main: str) -> Act:
    """What a plain assertion does: reports, dictates, or only states."""
    if cues.FAILED.search(bare) or cues.NEGATED_STATE.search(main):
        return "report"
    if is_unspaced(bare):
        return "request"  # no cue knows the language: most of what people type to an agent asks for something
    is_dictated = cues.DICTATED.search(bare) or ((label := cues.LABELLED.match(bare)) and specifics.count(bare[label.end() :]))
    return "decision" if is_dictated or cues.CHOSEN.search(bare) else "statement"


def is_chatter(text: str) -> bool:
    """Greetings, thanks, praise, curses and bare signals: nothing to remember."""
    rest = text.strip().lower()
    if all(len(words(part)) <= 3 and not specifics.count(part) and not is_request(part.strip()) for part in rest.split(";")) and (
        ";" in rest or rest.endswith(":")
    ):
        return True  # labels over something pasted
    if rest.endswith(":") and len(words(rest)) <= 6 and not specifics.count(rest):
        return True
    while rest and (found := cues.CHATTER.match(rest)):
        rest = rest[found.end() :]
    return not words(rest) or (
        len(words(text)) <= 2 and not specifics.count(text) and not cues.IMPERATIVE.match(rest) and len(text) < 16
    )


def _offers(before: str) -> bool:
    return any(cues.OFFER.match(one) or one.endswith("?") for one in sentences(before)[-3:])
