"""What a sentence lays down for the time to come: rules, lasting wishes, forms, choices, moves, open points, corrections.

Each is judged by evidence that adds up: who it is about, whether it holds in general, what kind of verb it has, whether it
speaks of how work is done or of the thing being built, what the agent had said before. A rule or a preference is about how
to work; a requirement on the thing being built ("it must not happen", "I want to see them each morning") is a request,
however strongly it is worded.
"""

from __future__ import annotations

import re
from typing import Literal

from transforms.offline import evidence, specifics
from transforms.offline.clause import CHANGED, TALK, WORKSHOP, Clause
from transforms.offline.prose import content_words
from transforms.words import stem

Norm = Literal[
    "rule", "taste", "form", "choice", "move", "open", "correction", "trouble", "wish", "done", "cause", "failed", "cure",
]  # fmt: skip
ENOUGH = 2.0
"""Evidence from which a sentence lays something down."""


def leaves_open(text: str) -> bool:
    """Whether a sentence says that something is not decided yet."""
    return bool(evidence.OPEN.search(text)) and not evidence.CLOSES.search(text) and _sum(evidence.TASTE, text) < ENOUGH


def is_lasting_wish(text: str) -> bool:
    """Whether a wish is about how to work from now on, and not about the thing being built."""
    return _sum(evidence.TASTE, text) >= ENOUGH or (
        bool(evidence.EVER.search(text) or evidence.BINDS.search(text)) and not is_requirement(text)
    )


def is_requirement(text: str) -> bool:
    """Whether the "must" is one of a thing ("it must not happen") or a guess ("it must be in the cache")."""
    bare = evidence.THING_MUST.sub(" ", evidence.GUESS.sub(" ", text))
    return not (evidence.EVER.search(bare) or evidence.BINDS.search(bare) or re.search(r"\bmust\b", bare, re.I))


def is_wish(text: str) -> bool:
    """Whether a sentence wishes for something now."""
    return bool(evidence.ASKS_FOR.search(text))


def norm_of(clause: Clause, before: str) -> Norm | None:
    """What an assertion lays down; `before` is what the agent said last (empty at the start: nothing to correct)."""
    text = clause.text
    if clause.is_reported or clause.is_supposed:
        return None
    if leaves_open(text):
        return "open"
    if evidence.TROUBLE.search(text) and not re.match(r"(?:fix|solve)\b", text, re.I):
        return "trouble"
    if evidence.FORM.search(text) and (specifics.count(text) or re.search(r"\bconventions?\b", text, re.I)):
        return "form"
    weighed: dict[Norm, float] = {
        "correction": correction_weight(clause, before), "taste": taste_weight(clause), "rule": rule_weight(clause),
        "move": move_weight(clause), "choice": choice_weight(clause),
    }  # fmt: skip
    if clause.subject != "you" and not evidence.COMMANDS.match(text):
        for norm, pattern in (
            ("failed", evidence.FAILED),
            ("cure", evidence.CURE),
            ("cause", evidence.CAUSE),
            ("done", evidence.DONE),
        ):
            if pattern.search(text) and max(weighed.values()) < ENOUGH + 0.5:
                return norm  # type: ignore[return-value]
    best = max(weighed, key=lambda norm: weighed[norm])
    return best if weighed[best] >= ENOUGH else None


LEANS = 1.0
"""Evidence from which a plain assertion leans to a norm: people rarely type one that is nothing."""


def leaning_of(clause: Clause, before: str) -> Norm | None:
    """What a plain assertion most likely lays down, from less than it takes to say so; none where nothing speaks for any."""
    text, told = clause.text, content_words(clause.text)
    if len(told) < 3 or evidence.FEELS.search(text) or evidence.COMMANDS.match(text) or clause.subject == "you":
        return None
    is_own = re.search(r"\b(?:i|i'm|me|my|mine)\b", text, re.I) is not None
    is_past = evidence.PAST.search(text) is not None
    is_work = re.search(rf"\b{WORKSHOP}\b", text, re.I) is not None
    shared = {stem(word) for word in told} & {stem(word) for word in content_words(before[:400])}
    weighed: dict[Norm, float] = {
        "correction": (correction_weight(clause, before) + 0.5 + 0.5 * (len(told) < 9)) if before and shared else 0.0,
        "taste": taste_weight(clause) + 0.5 * is_own + 0.5 * (is_own and bool(re.search(r"\byour?\b", text, re.I))),
        "choice": choice_weight(clause) + 0.5 * (clause.main != text) * (clause.subject in ("thing", "none", "we")),
        "move": move_weight(clause) + 0.5 * is_past * (clause.subject in ("thing", "we")),
        "rule": rule_weight(clause) + (0.5 * is_work + 0.5 * (clause.subject not in ("i", "it", "none"))) * (not is_past),
    }  # fmt: skip
    best = max(weighed, key=lambda norm: weighed[norm])
    return best if weighed[best] >= LEANS else None


def _sum(table: evidence.Evidence, text: str) -> float:
    return sum(weight for weight, pattern in table if pattern.search(text))


def rule_weight(clause: Clause) -> float:
    """What speaks for a rule: it binds, it holds in general, and it is about how work is done."""
    weight = _sum(evidence.RULE, clause.main)
    if clause.subject in ("nobody", "every") and evidence.ONGOING.search(clause.main):
        weight += 1.5
    if (
        clause.subject in ("we", "nobody")
        and re.search(r"\b(?:don'?t|do not|never)\b", clause.main)
        and re.search(rf"\b(?:don'?t|do not|never) {evidence.DEED}\w+", clause.main, re.I)
    ):
        weight += 1
    if weight and re.search(rf"\b{WORKSHOP}\b", clause.text, re.I):
        weight += 1
    if clause.subject == "i" and not re.search(r"\b(?:want|allow|expect|tolerate|catch|see)\b", clause.main, re.I):
        weight -= 1.5  # a person's own habit is a taste
    if weight and is_requirement(clause.main) and evidence.THING_MUST.search(clause.main):
        return 0.0
    return weight


def taste_weight(clause: Clause) -> float:
    """What speaks for a lasting wish: somebody's liking, a comparison, the agent's own manner."""
    if evidence.SETTING_UP.match(clause.text):
        return 0.0
    weight = _sum(evidence.TASTE, clause.text) - (1.5 if clause.subject in ("it", "you") else 0)
    if (
        clause.subject == "none"
        and evidence.RATHER.match(clause.text)
        and not re.search(r"\bi (?:said|meant)\b", clause.text, re.I)
    ):
        weight += 1
    if weight and re.search(rf"\b{TALK}\b", clause.text, re.I) and not re.search(rf"\bin {WORKSHOP}\b", clause.text, re.I):
        weight += 0.5
    return weight


def move_weight(clause: Clause) -> float:
    """What speaks for a changed state: somebody changed it, it is so now, it was so before."""
    if (
        evidence.COMMANDS.match(clause.text)
        or clause.subject == "you"
        or (clause.subject == "it" and not re.search(r"\bthere\b", clause.text, re.I))
    ):
        return 0.0
    weight = _sum(evidence.MOVE, evidence.WHY.sub("", clause.text))
    if clause.subject == "thing" and re.search(rf"\b{CHANGED}\b", clause.main, re.I):
        weight += 0.5
    if evidence.VAGUE_OBJECT.search(clause.text) and not specifics.count(clause.text):
        weight -= 1
    return weight - (1.5 if clause.subject == "none" and not re.search(rf"\b{CHANGED}\b", clause.text, re.I) else 0.0)


def choice_weight(clause: Clause) -> float:
    """What speaks for a choice: somebody who may choose, a verb of choosing, a reason."""
    weight = _sum(evidence.CHOICE, clause.main)
    return weight + (0.5 if weight and clause.main != clause.text else 0.0)


def correction_weight(clause: Clause, before: str) -> float:
    """What speaks for a correction: a verdict, the agent's deed as its subject, and that it contradicts the words before."""
    if not before or (evidence.EVER.search(clause.main) and not _verdict(clause.text)):
        return 0.0
    weight = _sum(evidence.CORRECTION, clause.text)
    if (
        clause.subject not in ("i", "we")
        and evidence.CONTRASTS.search(clause.text)
        and not (evidence.ORDERS.match(clause.text) and not weight)
    ):
        shared = content_words(clause.text) & content_words(before[:400])
        weight += min(2.0, 1.0 + 0.5 * len(shared)) if shared else 0.0
        weight += 0.5 if any(re.search(r"\d", word) for word in shared) else 0.0
    return weight


def _verdict(text: str) -> bool:
    return any(weight >= 2.5 and pattern.search(text) for weight, pattern in evidence.CORRECTION)
