"""Tells lines that are about the page itself, instruct its editor, or are true only for a moment."""

from __future__ import annotations

import re
from datetime import tzinfo

from transforms.language.cue_phrases import CODE_SPAN
from transforms.language.relative_dates import find_stated_end
from transforms.patterns.late_pattern import compile_late
from transforms.tables.fact_notes import read_told_choice
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ObservationRow

SOON_DAYS = 31
"""Days within which a stated end keeps a fact from becoming a line, which would still be true next month."""
_INSTRUCTION = compile_late(
    r"^(?:add|update|replace|remove|expand|consolidate|strengthen|confirm|clarify|insert|append|promote|edit|modify"
    r"|rewrite|include)\b",
    re.I,
)
"""Instructions to an editor of MEMORY.md. A line of this form in the page breeds more of its kind."""
_MOMENTS = (
    r"currently|right now|at the moment|so far|for now|temporar\w+|work in progress|wip|(?-i:TO[D]O)|todo(?=:)"
    r"|next steps?|(?:is|are|was|were) (?:still )?failing|not yet"
    r"|still (?:needs?|broken|failing|missing|fails)|tomorrow|tonight|yesterday"
    r"|this (?:week|morning|afternoon|session)|has been (?:deleted|created|updated|added|fixed)|user runs?"
    r"|commit [0-9a-f]{7,40}"
)
_WORK = (
    r"today|this time|committed|pushed|tagged|released v?\d|(?:all )?tests? (?:now )?pass(?:es|ed|ing)?|now pass(?:es)?|wp\d+"
    r"|line \d+|lines? \d+-\d+|successfully|pull request|pr #?\d+|git branch|is done|are done|compiles?"
)
_REPORT = r"^(?:we (?:had|did|got|tried|saw|found)\b|fixed|updated|created|changed|added|deleted|committed|completed|the fix\b)"
_EPHEMERAL = compile_late(rf"\b(?:{_MOMENTS}|{_WORK})\b|{_REPORT}", re.I)
_MOMENT = compile_late(rf"\b(?:{_MOMENTS})\b|{_REPORT}", re.I)
"""What a model that was asked for lasting lines says of a moment. Its "committed", "is done" or "compiles" are words of rules."""
_META = compile_late(
    r"\b(?:MEMORY\.md|REVIEW\.md|[pf]-\d{8}-\d{3}|memory proposals?|ignore (?:all |any )?(?:previous|prior|above)"
    r"|system prompt|you are now)\b|<!--|</?\w+>",
    re.I,
)
_PLACEHOLDER = compile_late(r"(?<=[\w/>:.-])<\w+>|<\w+>(?=[\w/<:.-])")
"""A name in angle brackets inside of a path or a word (`boia/<station>/<sensor>`) is no mark of a page."""
_QUOTED = compile_late(r"[\"“][^\"“”\n]*[\"”]")
_PAST_TENSE = compile_late(r"\b(?:was|were|had been)\b", re.I)
_RELATIVE = compile_late(r"\b(?:that|which|who)\b", re.I)


def ends_soon(observation: ObservationRow, zone: tzinfo) -> bool:
    """Whether an observation says until when it holds, or the option that it chose does, and that is soon: it makes no line, and
    takes the place of none."""
    said_on = find_local_day(observation["said_at"], zone)
    choice = read_told_choice(observation["text"])
    ends = [find_stated_end(text, said_on) for text in (observation["text"], choice.chosen if choice else "")]
    return any(end is not None and (end - said_on).days <= SOON_DAYS for end in ends)


def tells_past(line: str) -> bool:
    """Whether a sentence tells what was; a clause about a noun does not count: "files that were not asked for"."""
    return bool(_PAST_TENSE.search(_RELATIVE.split(line)[0]))


def is_passing(line: str, *, is_worded: bool = False) -> bool:
    """Whether a line is about the page itself, instructs an editor, or is true only today.

    A line that a model worded (`is_worded`) says what it says outside of its quotations and code.
    """
    if not is_worded:
        return bool(_META.search(line) or _EPHEMERAL.search(line) or _INSTRUCTION.match(line))
    plain = _QUOTED.sub("“x”", CODE_SPAN.sub("`x`", line))
    return bool(_META.search(_PLACEHOLDER.sub("x", line)) or _MOMENT.search(plain) or _INSTRUCTION.match(plain))
