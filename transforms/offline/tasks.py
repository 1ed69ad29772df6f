"""Rewrite a person's words as a task: an imperative instead of a quotation."""

from __future__ import annotations

import re

from transforms.language import cue_phrases
from transforms.language.dialogue_acts import ClassifiedSentence
from transforms.language.sentences import join_lines

_WISH = re.compile(
    r"^(?:and |also |then |what )?i(?:'d| would)? (?:really |just |also )?(?:want|need|like|love|wish for"
    r"|miss)(?: to (?:see|have|get))?"
    r"(?: (?:is|was))?\s+(?!to\b)|^(?:it|this|there) should (?:also )?(?:have|be)\s+|^we could use\s+"
    r"|^(?:users|people|customers|they) (?:keep |are )?ask(?:ing)? for\s+",
    re.I,
)
_PROBLEM_LABEL = re.compile(
    r"^(?:\w+ )?(?:bugs?|issue|problem|error|regression)\b(?: (?:in|with|on) [^:,]{2,40})?\s*[:,-]\s+", re.I
)
_STANDING_ORDER = re.compile(r"^(?:do not|don'?t|never|always)\b", re.I)


def describe_task(sentence: ClassifiedSentence) -> str:
    """Return `Port a.ts …` for any polite request, `Find out why …` for trouble, and empty for a remark."""
    text = join_lines(sentence.text).rstrip("?.! ")
    if sentence.assertion in ("rule", "preference", "convention", "open_question", "state_change"):
        return ""
    if bare := find_imperative(text):
        return bare[:1].upper() + bare[1:]
    if sentence.assertion == "problem":
        return f"Find out why: {_PROBLEM_LABEL.sub('', cue_phrases.FILLER.sub('', text).strip())}"
    bare = cue_phrases.FILLER.sub("", text).strip()
    if wished := _WISH.match(bare):
        return f"Provide {bare[wished.end() :]}"
    return ""


def find_imperative(text: str) -> str:
    """Return the text from its verb on when it asks for something to be done; empty otherwise, also for prohibitions."""
    bare = cue_phrases.FILLER.sub("", text).strip()
    if polite := cue_phrases.POLITE.match(bare):
        bare = bare[polite.end() :]
    elif not cue_phrases.IMPERATIVE.match(bare) and (hedged := cue_phrases.HEDGED_REQUEST.match(bare)):
        bare = bare[hedged.end() :]
    return bare.rstrip("?").strip() if cue_phrases.IMPERATIVE.match(bare) and not _STANDING_ORDER.match(bare) else ""
