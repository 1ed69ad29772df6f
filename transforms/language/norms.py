"""What a sentence lays down for the time to come: rules, lasting wishes, forms, choices, moves, open points, corrections.

Each is judged by evidence that adds up: who it is about, whether it holds in general, what kind of verb it has, whether it
speaks of how work is done or of the thing being built, what the agent had said before. A rule or a preference is about how
to work; a requirement on the thing being built ("it must not happen", "I want to see them each morning") is a request,
however strongly it is worded.
"""

from __future__ import annotations

import re
from typing import Literal

from transforms.language import entities, norm_rules
from transforms.language.clause import CHANGED, TALK, WORKSHOP, Clause
from transforms.language.sentences import content_words
from transforms.language.tokenizer import stem

Norm = Literal[
    "rule", "taste", "form", "choice", "move", "open", "correction", "trouble", "wish", "done", "cause", "failed", "cure",
]  # fmt: skip
ENOUGH = 2.0
"""Evidence from which a sentence lays something down."""


def leaves_open(text: str) -> bool:
    """Whether a sentence says that something is not decided yet."""
    return bool(norm_rules.OPEN.search(text)) and not norm_rules.CLOSES.search(text) and _sum(norm_rules.TASTE, text) < ENOUGH


def is_lasting_wish(text: str) -> bool:
    """Whether a wish is about how to work from now on, and not about the thing being built."""
    return _sum(norm_rules.TASTE, text) >= ENOUGH or (
        bool(norm_rules.EVER.search(text) or norm_rules.BINDS.search(text)) and not is_requirement(text)
    )


def is_requirement(text: str) -> bool:
    """Whether the "must" is one of a thing ("it must not happen") or a guess ("it must be in the cache")."""
    bare = norm_rules.THING_MUST.sub(" ", norm_rules.GUESS.sub(" ", text))
    return not (norm_rules.EVER.search(bare) or norm_rules.BINDS.search(bare) or re.search(r"\bmust\b", bare, re.I))


def is_wish(text: str) -> bool:
    """Whether a sentence wishes for something now."""
    return bool(norm_rules.ASKS_FOR.search(text))


def norm_of(clause: Clause, before: str) -> Norm | None:
    """What an assertion lays down; `before` is what the agent said last (empty at the start: nothing to correct)."""
    text = clause.text
    if clause.is_reported or clause.is_supposed:
        return None
    if leaves_open(text):
        return "open"
    if norm_rules.TROUBLE.search(text) and not re.match(r"(?:fix|solve)\b", text, re.I):
        return "trouble"
    if norm_rules.FORM.search(text) and (entities.count(text) or re.search(r"\bconventions?\b", text, re.I)):
        return "form"
    weighed: dict[Norm, float] = {
        "correction": correction_weight(clause, before), "taste": taste_weight(clause), "rule": rule_weight(clause),
        "move": move_weight(clause), "choice": choice_weight(clause),
    }  # fmt: skip
    if clause.subject != "you" and not norm_rules.COMMANDS.match(text):
        for norm, pattern in (
            ("failed", norm_rules.FAILED),
            ("cure", norm_rules.CURE),
            ("cause", norm_rules.CAUSE),
            ("done", norm_rules.DONE),
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
    if len(told) < 3 or norm_rules.FEELS.search(text) or norm_rules.COMMANDS.match(text) or clause.subject == "you":
        return None
    is_own = re.search(r"\b(?:i|i'm|me|my|mine)\b", text, re.I) is not None
    is_past = norm_rules.PAST.search(text) is not None
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


def _sum(table: norm_rules.Evidence, text: str) -> float:
    return sum(weight for weight, pattern in table if pattern.search(text))


def rule_weight(clause: Clause) -> float:
    """What speaks for a rule: it binds, it holds in general, and it is about how work is done."""
    weight = _sum(norm_rules.RULE, clause.main)
    if clause.subject in ("nobody", "every") and norm_rules.ONGOING.search(clause.main):
        weight += 1.5
    if (
        clause.subject in ("we", "nobody")
        and re.search(r"\b(?:don'?t|do not|never)\b", clause.main)
        and re.search(rf"\b(?:don'?t|do not|never) {norm_rules.DEED}\w+", clause.main, re.I)
    ):
        weight += 1
    if weight and re.search(rf"\b{WORKSHOP}\b", clause.text, re.I):
        weight += 1
    if clause.subject == "i" and not re.search(r"\b(?:want|allow|expect|tolerate|catch|see)\b", clause.main, re.I):
        weight -= 1.5  # a person's own habit is a taste
    if weight and is_requirement(clause.main) and norm_rules.THING_MUST.search(clause.main):
        return 0.0
    return weight


def taste_weight(clause: Clause) -> float:
    """What speaks for a lasting wish: somebody's liking, a comparison, the agent's own manner."""
    if norm_rules.SETTING_UP.match(clause.text):
        return 0.0
    weight = _sum(norm_rules.TASTE, clause.text) - (1.5 if clause.subject in ("it", "you") else 0)
    if (
        clause.subject == "none"
        and norm_rules.RATHER.match(clause.text)
        and not re.search(r"\bi (?:said|meant)\b", clause.text, re.I)
    ):
        weight += 1
    if weight and re.search(rf"\b{TALK}\b", clause.text, re.I) and not re.search(rf"\bin {WORKSHOP}\b", clause.text, re.I):
        weight += 0.5
    return weight


def move_weight(clause: Clause) -> float:
    """What speaks for a changed state: somebody changed it, it is so now, it was so before."""
    if (
        norm_rules.COMMANDS.match(clause.text)
        or clause.subject == "you"
        or (clause.subject == "it" and not re.search(r"\bthere\b", clause.text, re.I))
    ):
        return 0.0
    weight = _sum(norm_rules.MOVE, norm_rules.WHY.sub("", clause.text))
    if clause.subject == "thing" and re.search(rf"\b{CHANGED}\b", clause.main, re.I):
        weight += 0.5
    if norm_rules.VAGUE_OBJECT.search(clause.text) and not entities.count(clause.text):
        weight -= 1
    return weight - (1.5 if clause.subject == "none" and not re.search(rf"\b{CHANGED}\b", clause.text, re.I) else 0.0)


def choice_weight(clause: Clause) -> float:
    """What speaks for a choice: somebody who may choose, a verb of choosing, a reason."""
    weight = _sum(norm_rules.CHOICE, clause.main)
    return weight + (0.5 if weight and clause.main != clause.text else 0.0)


def correction_weight(clause: Clause, before: str) -> float:
    """What speaks for a correction: a verdict, the agent's deed as its subject, and that it contradicts the words before."""
    if not before or (norm_rules.EVER.search(clause.main) and not _verdict(clause.text)):
        return 0.0
    weight = _sum(norm_rules.CORRECTION, clause.text)
    if (
        clause.subject not in ("i", "we")
        and norm_rules.CONTRASTS.search(clause.text)
        and not (norm_rules.ORDERS.match(clause.text) and not weight)
    ):
        shared = content_words(clause.text) & content_words(before[:400])
        weight += min(2.0, 1.0 + 0.5 * len(shared)) if shared else 0.0
        weight += 0.5 if any(re.search(r"\d", word) for word in shared) else 0.0
    return weight


def _verdict(text: str) -> bool:
    return any(weight >= 2.5 and pattern.search(text) for weight, pattern in norm_rules.CORRECTION)
