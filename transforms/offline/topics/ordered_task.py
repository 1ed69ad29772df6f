"""Words what a person asks for as an imperative, of any polite form of it."""

from __future__ import annotations

import re

from transforms.language import cue_phrases
from transforms.language.dialogue_acts import ClassifiedSentence
from transforms.language.sentences import QUESTION_MARKS, capitalise, join_lines
from transforms.patterns.late_pattern import compile_late

_WISH = compile_late(
    r"^(?:and |also |then |what )?i(?:'d| would)? (?:really |just |also )?(?:want|need|like|love|wish for"
    r"|miss)(?: to (?:see|have|get))?"
    r"(?: (?:is|was))?\s+(?!to\b)|^(?:it|this|there) should (?:also )?(?:have|be)\s+|^we could use\s+"
    r"|^(?:users|people|customers|they) (?:keep |are )?ask(?:ing)? for\s+",
    re.I,
)
_PROBLEM_LABEL = compile_late(
    r"^(?:\w+ )?(?:bugs?|issue|problem|error|regression)\b(?: (?:in|with|on) [^:,]{2,40})?\s*[:,-]\s+", re.I
)
_PROHIBITION = compile_late(r"^(?:do not|don'?t|never|always)\b", re.I)


def describe_task(sentence: ClassifiedSentence) -> str:
    """Return `Port a.ts …` for any polite request, `Find out why …` for trouble, and empty for a remark."""
    text = join_lines(sentence.text).rstrip("?.! ")
    if sentence.assertion in ("rule", "preference", "convention", "open_question", "state_change"):
        return ""
    if bare := find_imperative(text):
        return capitalise(bare)
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
    is_order = cue_phrases.IMPERATIVE.match(bare) and not _PROHIBITION.match(bare)
    return bare.rstrip("".join(QUESTION_MARKS)).strip() if is_order else ""
