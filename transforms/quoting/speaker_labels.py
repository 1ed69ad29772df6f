"""Names who wrote a text, part by part: a turn of the user may hold a mail, a log or a skill that others wrote."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from transforms.tables.rows import SpeakerPart

OWNER_ROLE, AGENT_ROLE, SUMMARY_ROLE, PASTE = "user", "assistant", "summary", "paste"
SPEAKER_LABELS = {
    OWNER_ROLE: "User", AGENT_ROLE: "Agent", PASTE: "Pasted", "skill": "Skill", "command": "Command", "system": "System",
    "extension": "Extension", "parent_agent": "Parent agent", SUMMARY_ROLE: "Agent's summary",
}  # fmt: skip
QUOTATIONS = tuple("\"'“”„«»「『`>")
"""Marks that begin a quotation inside of a line."""
ROLE_OF_SPEAKER = {"owner": OWNER_ROLE, "agent": AGENT_ROLE}
SPEAKER_OF_ROLE = {role: speaker for speaker, role in ROLE_OF_SPEAKER.items()}


class SpokenText(NamedTuple):
    """A stretch of a text and the label of its speaker, empty when none is known."""

    label: str
    text: str


def split_spoken_text(text: str, speaker: str | None, quoted: Sequence[int] = ()) -> list[SpokenText]:
    """Return the stretches of a turn with their speakers; `quoted` are the places in a turn of the user that others wrote.

    Stretches without a letter or digit belong to the one before them.
    """
    label = SPEAKER_LABELS.get(speaker or "", "")
    if not quoted or speaker != OWNER_ROLE:
        return [SpokenText(label, text)]
    places = [0, *(place for span in list_foreign_spans(text, quoted) for place in span), len(text)]
    stretches: list[SpokenText] = []
    for number, (start, end) in enumerate(pairwise(places)):
        part = SpokenText(SPEAKER_LABELS[PASTE] if number % 2 else label, text[start:end])
        has_words = any(map(str.isalnum, part.text))
        if stretches and (part.label == stretches[-1].label or not has_words):
            stretches[-1] = SpokenText(stretches[-1].label, stretches[-1].text + part.text)
        elif has_words:
            stretches.append(part)
    return stretches or [SpokenText(label, text)]


def list_foreign_spans(text: str, quoted: Sequence[int]) -> list[tuple[int, int]]:
    """Return the places of a user's turn that are told as others'.

    What goes on in the user's own line without quotation marks ("it is slow: 4 s an invoice") is one sentence with it and is told
    as the user's; only the lines below are others'.
    """
    spans: list[tuple[int, int]] = []
    for start, end in zip(quoted[::2], quoted[1::2], strict=True):
        first, last = min(start, len(text)), min(end, len(text))
        line = text[text.rfind("\n", 0, first) + 1 : first]
        if line.strip() and text[first:last].lstrip()[:1] not in QUOTATIONS:
            below = text.find("\n", first, last)
            first = below if below >= 0 else last
        if first < last:
            spans.append((first, last))
    return spans


def label_spoken_text(text: str, speaker: str | None, quoted: Sequence[int] = ()) -> str:
    """Return a turn with the name of its speaker, and each stretch of a mixed one with its own, on a line of its own."""
    return "\n".join(label_stretch(*stretch) for stretch in split_spoken_text(text, speaker, quoted))


def label_stretch(label: str, text: str) -> str:
    """Return words behind the name of who wrote them; as they are when nobody is known."""
    return f"{label}: {text.strip()}" if label else text


def name_speaker(speaker: str | None) -> str:
    """Return the label of a speaker as the lake names him ("owner"); empty for tools."""
    return SPEAKER_LABELS.get(ROLE_OF_SPEAKER.get(speaker or "", speaker or ""), "")


def split_entry_text(text: str, parts: Sequence[SpeakerPart]) -> list[SpokenText]:
    """Return the stretches of an entry that several speakers wrote, each with its speaker; none of an entry of one speaker."""
    if not parts:
        return []
    foreign = sorted((part["start"], part["end"], part["speaker"]) for part in parts if part["speaker"] != "owner")
    spans = list_foreign_spans(text, [place for start, end, _ in foreign for place in (start, end)])
    own, stretches, position = SPEAKER_LABELS[OWNER_ROLE], list[SpokenText](), 0
    for first, last in spans:
        writer = next(speaker for start, end, speaker in foreign if start <= first < end)
        stretches += [
            SpokenText(SPEAKER_LABELS[OWNER_ROLE], text[position:first]),
            SpokenText(name_speaker(writer), text[first:last]),
        ]
        position = last
    stretches.append(SpokenText(own, text[position:]))
    return [stretch for stretch in stretches if stretch.text.strip()]
