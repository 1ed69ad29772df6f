"""Attributes entries, and parts of mixed ones, to speakers, as their format tells. Readers of every format call these.

A reader that knows more than the text (a sidechain, an injected reminder) says so with `attribute_to`; for what a person may have
typed it calls `attribute_user_text`, and wraps the result in `attribute_to_parent` in the session of a sub-agent. Reasons are
short stable codes: the source of the sign, a colon, the sign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from transforms.conversation.message_spans import split_into_spans
from transforms.conversation.pasted_lines import is_plain_line
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.line_ends import even_line_ends
from transforms.tables.enums import Speaker
from transforms.tables.rows import SpeakerPart

TYPED = "format:user_text"
CHILD_SESSION = "format:child_session"

RECURRENCE, LEARNED, CHILD = "recurrence", "learned", "child_session"
QUOTED_AGENT, QUOTED_TOOL, EDITED = "quoted_from_agent", "quoted_from_tool_result", "edited_quotation"
QUOTATION_MARKS, GIVEN_BLOCK, REPORTED = "quotation_marks", "given_block", "reported_words"
SPEAKER_SIGNS = frozenset({RECURRENCE, LEARNED, CHILD, QUOTED_AGENT, QUOTED_TOOL, EDITED, QUOTATION_MARKS, GIVEN_BLOCK, REPORTED})
"""Reasons that no format gives: the step `attribute` found them, and finds them again."""

SPEAKER_OF_KIND: dict[str, tuple[Speaker, str]] = {
    "typed": ("owner", TYPED),
    "pasted": ("paste", "format:pasted_lines"),
    "file": ("paste", "format:attached_file"),
    "skill": ("skill", "format:skill_block"),
    "command": ("command", "format:slash_command"),
    "machine": ("system", "format:machine_block"),
    "memory": ("extension", "format:memory"),
}
"""Speaker and reason of each kind of span."""
_NO_TEXT, _COMMENT = "format:no_text", "format:header_comment"
_TEXT_REASONS = frozenset({reason for _, reason in SPEAKER_OF_KIND.values()} | {_NO_TEXT, _COMMENT})
"""Reasons that a text alone gives; readers know the others from marks of a client."""
_SPEAKER_OF_ROLE: dict[str, tuple[Speaker, str]] = {
    "assistant": ("agent", "format:agent_message"),
    "toolResult": ("tool", "format:tool_result"),
    "bashExecution": ("tool", "format:shell_command"),
    "custom": ("extension", "format:custom_message"),
    "hookMessage": ("extension", "format:custom_message"),
    "system": ("system", "format:system_message"),
}
_SPEAKER_OF_TYPE: dict[str, tuple[Speaker, str]] = {
    "custom_message": ("extension", "format:custom_message"),
    "custom": ("extension", "format:custom_entry"),
    "compaction": ("agent", "format:compaction"),
    "branch_summary": ("agent", "format:branch_summary"),
    "session_info": ("system", "format:session_info"),
}
_HEADER_COMMENT = compile_late(r"\s*<!--[^\n]*?-->[ \t]*\n\s*\S")


class SpokenPart(NamedTuple):
    """A stretch of a text with its speaker and the sign that tells; `start` and `end` are character offsets."""

    start: int
    end: int
    speaker: Speaker
    reason: str


class Attribution(NamedTuple):
    """The speaker of an entry, the sign that tells, and its parts when several speakers share the text (else none).

    The speaker of a shared text is the owner when any of it is the owner's, else the one who wrote most; a skill's block with
    words behind it is the skill's, and the words are the owner's part.
    """

    speaker: Speaker
    reason: str
    parts: tuple[SpokenPart, ...] = ()


def find_foreign_spans(parts: Iterable[SpeakerPart], start: int, end: int) -> list[int]:
    """Return where a stretch of a text is not the owner's: the first character of each such place and the one behind it, counted
    from the beginning of the stretch."""
    foreign = ((max(part["start"], start), min(part["end"], end)) for part in parts if part["speaker"] != "owner")
    return [place - start for first, last in sorted(foreign) if first < last for place in (first, last)]


def find_stretch_speaker(parts: Sequence[SpeakerPart], start: int, end: int) -> Speaker | None:
    """Return who wrote most of a stretch of a text that has no word of the owner; None when it has one, or nothing is known."""
    shares: Counter[Speaker] = Counter()
    for part in parts:
        shares[part["speaker"]] += max(min(part["end"], end) - max(part["start"], start), 0)
    return shares.most_common(1)[0][0] if not shares["owner"] and shares.total() else None


def attribute_to(speaker: Speaker, reason: str) -> Attribution:
    """Return that one speaker wrote all of an entry."""
    return Attribution(speaker, reason)


def attribute_entry(entry_type: str, role: str | None, text: str) -> Attribution:
    """Return who wrote an entry, by the types and roles of pi."""
    if entry_type == "message" and role == "user":
        return attribute_user_text(text)
    if entry_type == "message" and role in _SPEAKER_OF_ROLE:
        return Attribution(*_SPEAKER_OF_ROLE[role])
    return Attribution(*_SPEAKER_OF_TYPE.get(entry_type, ("system", "format:setting")))


def attribute_user_text(text: str) -> Attribution:
    """Return who wrote the text of an entry of role user: as its blocks and lines tell, else the owner.

    A text below a comment that only a program writes is an extension's. A message without text (an image alone) is a paste.
    """
    if is_plain_line(text):
        return Attribution("owner", TYPED)
    text = even_line_ends(text)
    spans = split_into_spans(text)
    if not spans:
        return Attribution("paste", _NO_TEXT)
    if _HEADER_COMMENT.match(text) and spans[0].kind != "memory":
        return Attribution("extension", _COMMENT)
    parts = (SpokenPart(span.start, span.end, *SPEAKER_OF_KIND[span.kind]) for span in spans)
    return join_parts(text, [part for part in parts if text[part.start : part.end].strip()])


def join_parts(text: str, parts: Sequence[SpokenPart]) -> Attribution:
    """Return the attribution of a text whose parts are known, in order; neighbours of one speaker and reason become one part."""
    joined: list[SpokenPart] = []
    for part in parts:
        if joined and joined[-1][2:] == part[2:]:
            joined[-1] = joined[-1]._replace(end=part.end)
        else:
            joined.append(part)
    if not joined:
        return Attribution("paste", _NO_TEXT)
    main = _find_main_part(text, joined)
    is_shared = len({part.speaker for part in joined}) > 1
    return Attribution(main.speaker, main.reason, tuple(joined) if is_shared else ())


def _find_main_part(text: str, parts: Sequence[SpokenPart]) -> SpokenPart:
    if parts[0].speaker == "skill":
        return parts[0]
    sizes: Counter[Speaker] = Counter()
    for part in parts:
        sizes[part.speaker] += len(text[part.start : part.end].strip())
    main = "owner" if "owner" in sizes else max(sizes, key=lambda speaker: (sizes[speaker], speaker))
    return max((part for part in parts if part.speaker == main), key=lambda part: (part.end - part.start, -part.start))


def is_judged(attribution: Attribution) -> bool:
    """Whether another sign than the format tells who wrote any of an entry."""
    return attribution.reason in SPEAKER_SIGNS or any(part.reason in SPEAKER_SIGNS for part in attribution.parts)


def recover_format(attribution: Attribution, text: str) -> Attribution:
    """Return the format's attribution of an entry that was judged before: every other sign took words from the owner."""
    if not attribution.parts:
        return Attribution("owner", TYPED) if attribution.reason in SPEAKER_SIGNS else attribution
    parts = [part._replace(speaker="owner", reason=TYPED) if part.reason in SPEAKER_SIGNS else part for part in attribution.parts]
    return join_parts(text, parts)


def renew_format(attribution: Attribution, text: str) -> Attribution:
    """Return the format's attribution of an entry, by the forms that are known now where its text alone told who wrote it."""
    by_format = recover_format(attribution, text)
    is_renewed = _TEXT_REASONS.issuperset([by_format.reason, *(part.reason for part in by_format.parts)])
    return attribute_user_text(text) if is_renewed else by_format


def attribute_to_parent(attribution: Attribution, reason: str = CHILD_SESSION) -> Attribution:
    """Return the attribution of an entry in the session of a sub-agent: the owner's words become those of its parent agent."""
    parts = tuple(
        part._replace(speaker="parent_agent", reason=reason) if part.speaker == "owner" else part for part in attribution.parts
    )
    return Attribution("parent_agent", reason, parts) if attribution.speaker == "owner" else attribution._replace(parts=parts)


def extract_words_of(speaker: Speaker, text: str, attribution: Attribution) -> str:
    """Return the words of one speaker; their stretches are stripped and joined by newlines."""
    if not attribution.parts:
        return text.strip() if attribution.speaker == speaker else ""
    words = (text[part.start : part.end].strip() for part in attribution.parts if part.speaker == speaker)
    return "\n".join(part for part in words if part)


def split_quotable(text: str, attribution: Attribution) -> tuple[str, str]:
    """Return the owner's words of a text, and those of others that they stand beside; both empty where the owner says nothing.

    A learned judge cuts a line at its colon ("change the retry policy: three times"): such a line is the owner's as a whole.
    """
    if not extract_words_of("owner", text, attribution):
        return "", ""
    if not attribution.parts:
        return text.strip(), ""
    owners = [part for part in attribution.parts if part.speaker == "owner"]

    def is_owners(part: SpokenPart) -> bool:
        pairs = (sorted((part, other)) for other in owners if part.reason == LEARNED)
        return part.speaker == "owner" or any("\n" not in text[first.start : last.end].strip() for first, last in pairs)

    words = {True: "", False: ""}
    for kept, parts in groupby(attribution.parts, is_owners):
        stretch = list(parts)
        words[kept] = f"{words[kept]}\n{text[stretch[0].start : stretch[-1].end].strip()}".strip()
    return words[True], words[False]


def make_part_rows(attribution: Attribution) -> list[SpeakerPart] | None:
    """Return the parts as the lake stores them; None when one speaker wrote everything."""
    if not attribution.parts:
        return None
    return [{"start": part.start, "end": part.end, "speaker": part.speaker, "reason": part.reason} for part in attribution.parts]


def read_part_rows(rows: Sequence[SpeakerPart] | None) -> tuple[SpokenPart, ...]:
    """Return stored parts; none for null."""
    return tuple(SpokenPart(row["start"], row["end"], row["speaker"], row["reason"]) for row in rows or ())
