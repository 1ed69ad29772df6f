"""What a person does with typed words: request, question, correction, preference, rule, decision, report, agreement, chatter.

Assertion, question and request are three different things: a sentence that asks never becomes a decision, a rule or a preference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from transforms.language import cues, entities, norms
from transforms.language.clause import clause_of, spelt
from transforms.language.norms import Norm
from transforms.language.sentences import content_words, is_unspaced, sentences, words
from transforms.language.tokenizer import stem

Act = Literal[
    "rule", "preference", "decision", "correction", "request", "question", "report", "agreement", "statement", "chatter"
]
_ACT_OF: dict[Norm, Act] = {
    "rule": "rule", "form": "rule", "taste": "preference", "choice": "decision", "move": "decision", "open": "statement",
    "correction": "correction", "trouble": "report", "done": "statement", "cause": "statement", "cure": "statement",
    "failed": "report",
}  # fmt: skip
_WEIGHTY: tuple[Norm | None, ...] = ("rule", "taste", "choice", "move", "correction")
"""What counts in however few words: "Kafka's out."."""
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
    leans: bool = False
    """Whether the norm is what speaks for it most, without being laid down in so many words."""


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
    found = tuple(sentence_of(text, before) for text in _with_lists(_with_outcries(sentences(typed))))
    if not found:
        return Speech((), "chatter")
    if any(one.act not in ("chatter", "statement") and not one.leans for one in found):
        found = tuple(replace(one, act="statement", norm=None, leans=False) if one.leans else one for one in found)
    act = max((one.act for one in found), key=_STRENGTH.index)
    if before and not any(one.asks for one in found) and _answers(found, act, typed, before):
        act = "decision"  # an answer to the agent's question decides
    return Speech(found, act)


def _answers(found: tuple[Sentence, ...], act: Act, typed: str, before: str) -> bool:
    """Whether a message takes up what the agent asked or laid out to choose from."""
    if act in ("agreement", "statement") and _offers(before) and len(words(typed)) > 1:
        return True
    if act != "request" or len(words(typed)) > 14 or not (_offers(before) or _ALTERNATIVES.search(before)):
        return False
    first = cues.FILLER.sub("", spelt(found[0].text))
    picks = not cues.IMPERATIVE.match(first) or _PICKS.match(first)
    return bool(picks and {*map(stem, content_words(typed))} & {*map(stem, content_words(before))})


_OUTCRY = re.compile(
    r"^(?:(?:[\w', ]{2,24}[-–:,]\s*|and |oh,? |btw |hey,? |ok\.? )?(?:the )?(?:second|third|fourth|fifth|last"
    r"|\d+(?:nd|rd|th)) time\b.*"
    r"|(?:nope|no|wrong(?: one)?|not (?:[\w.`/-]+ ?){1,3}|that(?:'s| is) (?:wrong|incorrect)"
    r"|you (?:mixed (?:that|this|it) up|misread (?:me|that|it))|sorry,? but no|(?:left|right|up|down))\s*)[!.]+$",
    re.I,
)


_ALTERNATIVES = re.compile(
    r"\b(?:could|either|options?|alternativ\w+|two (?:ways|options)|three (?:ways|options))\b|\bor\b[^.]*\?", re.I
)
_PICKS = re.compile(r"(?:take|use|go (?:with|for)|pick|choose|keep|prefer|leave)\b", re.I)
_TAG = re.compile(
    r"^(?:(?:and |so |that'?s |it'?s |this is )?(?:settled|decided|agreed|final|ever|always|never|everywhere|period"
    r"|full stop|end of (?:discussion|story)"
    r"|no exceptions?|without exceptions?|non[- ]?negotiable|no excuses|mandatory|i mean it|not even (?:once|\w+ \w+)"
    r"|no (?:discussion|debate)))\W*$",
    re.I,
)
"""What binds what was said before it."""


def _with_outcries(parts: list[str]) -> list[str]:
    """ "Third time!!", "Wrong." and "External links." over a question say nothing alone: they belong to what follows."""
    joined: list[str] = []
    for part in parts:
        if joined and (_OUTCRY.match(joined[-1]) or _TAG.match(part) or (part.endswith("?") and _is_label(joined[-1]))):
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


def sentence_of(text: str, before: str) -> Sentence:
    """One sentence and its act; `before` is what the agent had said last."""
    told = spelt(_BULLET.sub("", text.strip()))
    bare = cues.FILLER.sub("", told).strip() or told.strip()
    asks = is_question(told)
    clause = clause_of(bare, cues.SUBCLAUSE.sub("", bare))
    norm = None
    if not told.rstrip(" .!)\"'").endswith(("?", "？")) or _SCOLDS.match(bare):
        norm = norms.norm_of(clause, before)
        if norm == "choice" and cues.IMPERATIVE.match(bare) and re.match(r"[\w.-]+(?: [\w-]+){0,2} then\b", bare):
            norm = None  # "deploy it then" asks, "Valkey then" decides
        asks = asks and norm not in ("rule", "taste", "form", "choice")
    norm = None if asks else norm
    if is_chatter(told) and norm not in _WEIGHTY:
        act: Act = "chatter"
    elif norm:
        act = _ACT_OF[norm]
    elif (clause.is_supposed or clause.is_reported) and not asks:
        act = "statement"  # what might be and what others say lays down nothing
    else:
        act = _act(told.strip(), clause.text, asks, bool(before))
    is_plain = act == "statement" and norm is None and not (clause.is_supposed or clause.is_reported)
    if is_plain and (leaning := norms.leaning_of(clause, before)):
        return Sentence(_BULLET.sub("", text.strip()), _ACT_OF[leaning], asks, leaning, leans=True)
    return Sentence(_BULLET.sub("", text.strip()), act, asks, norm)


_BULLET = re.compile(r"^(?:[-*•+]|\d{1,2}[.)])\s+(?=\S)")
_SCOLDS = re.compile(r"how (?:often|many times) (?:do|did|must) i (?:have to |need to )?(?:say|tell|repeat|ask)\b", re.I)
"""A rule in the form of a question."""


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
    if cues.IMPERATIVE.match(bare) or _HINTS.match(bare):
        return True
    polite = cues.POLITE.match(bare)
    if polite and _ASSIGNS.match(polite[0]):
        return True
    if re.search(r", ?(?:please|pls)\W*$", bare, re.I) and not norms.is_lasting_wish(bare):
        return True
    return bool(polite and cues.IMPERATIVE.match(bare[polite.end() :]))


_HINTS = re.compile(
    r"(?:would|is|might) it be possible\b|(?:is there )?any (?:chance|way) (?:that |of |for )?(?:we|you|the|it|this|to"
    r"|\w+ could|\w+ can)\b"
    r"|(?:could|can)(?:n't| not)? (?:we|you|the \w+|it|this|that) (?:just |maybe |not |simply )*(?:be \w+(?:ed|en|wn)"
    r"|get rid of|drop|have|make|add|remove|use)\b"
    r"|what i(?:'d| would)? (?:really )?(?:love|like|want|need|miss)\b|we could (?:really )?(?:do with|use)\b"
    r"|why (?:don't|not) (?:we|you) (?:just|simply)\b",
    re.I,
)
"""Questions and remarks that ask for something to be done."""
_ASSIGNS = re.compile(
    r"i(?:'d| would)? (?:\w+ )?(?:like|want|need)(?: for)? you to|(?:i )?want you to|(?:it )?would be \w+ if"
    r"|(?:it'?s )?time to|today we"
    r"|let us",
    re.I,
)
"""Openings after which every verb is asked for, known or not."""


def _act(text: str, bare: str, asks: bool, has_before: bool) -> Act:
    if asks:
        doubts = cues.SUGGESTIVE.search(bare) and cues.PUSHBACK.search(bare)
        return "correction" if has_before and (doubts or _OUTRAGED.match(bare)) else "question"
    main = cues.SUBCLAUSE.sub("", bare)
    if cues.DECIDED.search(main) and not is_request(main):
        return "decision"
    if cues.RULE.search(main) and not cues.POLITE.match(bare):
        return "rule"
    if cues.TROUBLE.match(bare):
        return "report"
    if len(cues.HEX_VALUE.findall(bare)) > 1:
        return "decision"
    if _HINTS.match(bare):
        return "request"
    if has_before and (cues.PUSHBACK.search(bare) or cues.PUSHBACK.match(text)):
        return "correction"
    if cues.PREFERENCE.search(bare) or cues.NEGATED_WISH.search(bare):
        return "preference"
    if is_request(bare) or any(is_request(clause.strip()) for clause in re.split(r",|;| and | then ", bare)[1:]):
        return "request"
    if cues.AGREEMENT.match(text) and len(words(bare)) <= 3:
        return "agreement"
    return _told(bare, main)


_OUTRAGED = re.compile(
    r"why (?:on earth|the \w+|for \w+'s sake|in the world)\b|(?:who told|did i (?:ask|tell|say)|what made) (?:you|me)\b"
    r"|(?:is|are|was|were)n't (?:it|that|this|an?|the) .*\b(?:ugly|silly|overkill|redundant|pointless|dangerous|wrong"
    r"|odd|a bit|instead)\b|an? [\w ]{2,24}\?",
    re.I,
)
"""Questions that need no answer: they say that something is wrong."""


def _told(bare: str, main: str) -> Act:
    """What a plain assertion does: reports, dictates, or only states."""
    if cues.FAILED.search(bare) or cues.NEGATED_STATE.search(main):
        return "report"
    if is_unspaced(bare):
        return "request"  # no cue knows the language: most of what people type to an agent asks for something
    is_dictated = cues.DICTATED.search(bare) or ((label := cues.LABELLED.match(bare)) and entities.count(bare[label.end() :]))
    if is_dictated:
        return "decision"
    if norms.is_wish(main):
        return "request"
    return "decision" if cues.CHOSEN.search(bare) else "statement"


_WAITS = re.compile(
    r"never ?mind\b|let me (?:think|see|check|read|look|sleep|try|test|get back)\b|(?:i'll|i will|i'm going to|i have to"
    r"|i need to|i must) (?:\w+ )?(?:check|look|think|leave|go\b(?! with| for)|be back|come back"
    r"|get back|read|sleep|run|head|have a look)\b|(?:just )?(?:wait|hold on|give me a (?:sec\w*|min\w*|moment))\b"
    r"|(?:[\w' ]{0,30}\b(?:is|are) (?:still )?running\b,? )?let's (?:wait|see)\W*$|(?:be right back|brb|back in"
    r"|gotta go)\b"
    r"|(?:i )?(?:always |keep )?forget(?:ting)?\b",
    re.I,
)
"""What a person is doing meanwhile: nothing of it lasts."""


def is_chatter(text: str) -> bool:
    """Greetings, thanks, praise, curses and bare signals: nothing to remember."""
    rest = text.strip().lower()
    if all(len(words(part)) <= 3 and not entities.count(part) and not is_request(part.strip()) for part in rest.split(";")) and (
        ";" in rest or rest.endswith(":")
    ):
        return True  # labels over something pasted
    if _WAITS.match(cues.FILLER.sub("", rest)) and not entities.count(rest) and len(words(rest)) <= 16:
        return True
    if rest.endswith(":") and len(words(rest)) <= 6 and not entities.count(rest):
        return True
    while rest and (found := cues.CHATTER.match(rest)):
        rest = rest[found.end() :]
    return not words(rest) or (
        len(words(text)) <= 2 and not entities.count(text) and not cues.IMPERATIVE.match(rest) and len(text) < 16
    )


def _offers(before: str) -> bool:
    return any(cues.OFFER.match(one) or one.endswith("?") for one in sentences(before)[-3:])
