"""A person's words as a task: an imperative description instead of a quotation."""

from __future__ import annotations

import re

from transforms.language import cues
from transforms.language.dialogue_acts import Sentence
from transforms.language.sentences import one_line

_WISHED = re.compile(
    r"^(?:and |also |then |what )?i(?:'d| would)? (?:really |just |also )?(?:want|need|like|love|wish for"
    r"|miss)(?: to (?:see|have|get))?"
    r"(?: (?:is|was))?\s+(?!to\b)|^(?:it|this|there) should (?:also )?(?:have|be)\s+|^we could use\s+"
    r"|^(?:users|people|customers|they) (?:keep |are )?ask(?:ing)? for\s+",
    re.I,
)
_LABEL = re.compile(r"^(?:\w+ )?(?:bugs?|issue|problem|error|regression)\b(?: (?:in|with|on) [^:,]{2,40})?\s*[:,-]\s+", re.I)
_FIXING = re.compile(r"^(?:do not|don'?t|never|always)\b", re.I)


def task_of(one: Sentence) -> str:
    """`Port a.ts …` for what was asked in any politeness, `Find out why …` for trouble; empty when it is a remark."""
    text = one_line(one.text).rstrip("?.! ")
    if one.norm in ("rule", "taste", "form", "open", "move"):
        return ""
    if bare := imperative(text):
        return bare[:1].upper() + bare[1:]
    if one.norm == "trouble":
        return f"Find out why: {_LABEL.sub('', cues.FILLER.sub('', text).strip())}"
    bare = cues.FILLER.sub("", text).strip()
    if wished := _WISHED.match(bare):
        return f"Provide {bare[wished.end() :]}"
    return ""


def imperative(text: str) -> str:
    """The text from its verb on, when it asks for something to be done; empty else, also for orders that forbid."""
    bare = cues.FILLER.sub("", text).strip()
    if polite := cues.POLITE.match(bare):
        bare = bare[polite.end() :]
    elif not cues.IMPERATIVE.match(bare) and (hedged := cues.HEDGED_REQUEST.match(bare)):
        bare = bare[hedged.end() :]
    return bare.rstrip("?").strip() if cues.IMPERATIVE.match(bare) and not _FIXING.match(bare) else ""
