"""Chooses and cuts the entries of a window against which a model reads its facts a second time.

The text around a citation shows roles, order and causes, and later entries show an old value or a refuted guess. So
a reading gets, beside the cited entries, all typed text, the result of a cited call, and for each fact the
later entries that speak most of its words; each cut down to the lines that matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log

from transforms.conversation.entries import SUMMARY_TYPES, Entry
from transforms.distil.compact_blocks import render_arguments
from transforms.distil.engine_result import Fact
from transforms.distil.observer_prompt import ANSWER_LABEL, SUMMARY_LABEL, label_sender, label_stretches
from transforms.distil.window_evidence import WindowEvidence, is_output
from transforms.patterns.late_pattern import compile_late
from transforms.rereading.excerpts import SPARE_CHARS, cut_excerpt, list_stems

CITED_CHARS, TYPED_CHARS, NEAR_CHARS = 900, 500, 400
"""Longest excerpt of a cited entry, of typed text, and of another entry."""
LATER_ENTRIES, OTHER_ENTRIES = 2, 1
"""Entries after the citation, and elsewhere, that each fact gets for its words."""
MAX_TYPED = 24
"""Typed entries beside the cited ones: those nearest to a citation."""
_SETTINGS = {"thinking_level_change": ("thinkingLevel",), "model_change": ("provider", "modelId")}
_OUR_MARKS = compile_late(r"<(?=\s*/?\s*(?:excerpts|facts)\b)|^#(?=\d+ \[)", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Passage:
    """An excerpt of an entry with its label (`[User]`, `[Tool result]`)."""

    ordinal: int
    label: str
    text: str


def choose_passages(facts: Sequence[Fact], window: WindowEvidence) -> list[Passage]:
    """Return the excerpts that these facts are read against, in the order of the window; none can end its block or begin another
    one."""
    entries = [entry for entry in (*window.summarised, *window.entries) if _read_text(entry)[1].strip()]
    stems = {entry.ordinal: list_stems(_read_text(entry)[1]) for entry in entries}
    frequency = Counter(stem for own in stems.values() for stem in own)
    weights = {stem: log(1 + len(entries) / count) for stem, count in frequency.items()}
    limits: dict[int, int] = {}
    wanted: dict[int, list[frozenset[str]]] = {}
    for fact in facts:
        cited = {entry.ordinal for entry in window.find_entries(fact.ordinals)}
        own = list_stems(fact.text)
        for ordinal, limit in _choose_entries(own, cited, entries, stems, weights):
            limits[ordinal] = max(limits.get(ordinal, 0), limit)
            wanted.setdefault(ordinal, []).append(own)
    everything = [list_stems(fact.text) for fact in facts]
    for ordinal in _choose_typed(entries, set(limits)):
        limits[ordinal], wanted[ordinal] = TYPED_CHARS, everything
    passages = []
    for entry in entries:
        if entry.ordinal in limits:
            for written, text in label_stretches(entry) or [_read_text(entry)]:
                label = ANSWER_LABEL if entry.ordinal in window.answers else written
                excerpt = cut_excerpt(text.strip(), wanted[entry.ordinal], weights, limits[entry.ordinal])
                passages.append(Passage(entry.ordinal, label, _OUR_MARKS.sub(lambda mark: f"{mark[0]} ", excerpt)))
    return passages


def shows_citations_whole(fact: Fact, window: WindowEvidence) -> bool:
    """Whether the excerpts contain everything that a fact cites; an entry without words has nothing to leave out."""
    return all(len(_read_text(entry)[1].strip()) <= CITED_CHARS + SPARE_CHARS for entry in window.find_entries(fact.ordinals))


def _choose_entries(
    own: frozenset[str],
    cited: set[int],
    entries: Sequence[Entry],
    stems: dict[int, frozenset[str]],
    weights: dict[str, float],
) -> list[tuple[int, int]]:
    """Return (ordinal, characters) of the entries that one fact is read against."""
    chosen = dict.fromkeys(sorted(cited & stems.keys()), CITED_CHARS)
    for entry, follower in pairwise(entries):
        if entry.ordinal in cited and is_output(follower):
            chosen.setdefault(follower.ordinal, NEAR_CHARS)  # the result of a cited call
        if follower.ordinal in cited and entry.role == "assistant":
            chosen.setdefault(entry.ordinal, NEAR_CHARS)  # the message answered, or the call
    scores = {ordinal: fsum(weights[stem] for stem in words & own) for ordinal, words in stems.items() if ordinal not in chosen}
    ranked = sorted((ordinal for ordinal in scores if scores[ordinal] > 0), key=lambda ordinal: (-scores[ordinal], ordinal))
    last = max(cited, default=-1)
    later = [ordinal for ordinal in ranked if ordinal > last][:LATER_ENTRIES]
    others = [ordinal for ordinal in ranked if ordinal not in later][:OTHER_ENTRIES]
    chosen |= dict.fromkeys([*later, *others], NEAR_CHARS)
    return list(chosen.items())


def _choose_typed(entries: Sequence[Entry], chosen: set[int]) -> list[int]:
    typed = [entry.ordinal for entry in entries if entry.is_typed and entry.ordinal not in chosen]
    nearest = sorted(typed, key=lambda ordinal: (min((abs(ordinal - other) for other in chosen), default=0), ordinal))
    return sorted(nearest[:MAX_TYPED])


def _read_text(entry: Entry) -> tuple[str, str]:
    """Return the label and the text of an entry, with the calls of tools; empty for entries that no reading gets."""
    if entry.entry_type in SUMMARY_TYPES:
        return SUMMARY_LABEL, entry.text
    if is_output(entry):
        return ("[Tool error]" if entry.is_error else "[Tool result]"), entry.text
    if entry.role == "assistant":
        calls = [f"[calls {call.name}({render_arguments(call.arguments)})]" for call in entry.tool_calls]
        return "[Assistant]", "\n".join([entry.text, *calls]).strip()
    if entry.entry_type in _SETTINGS:
        return "[Setting]", " ".join(str(entry.raw.get(name) or "") for name in _SETTINGS[entry.entry_type])
    if entry.role == "user" and not entry.is_client_text:
        sender = label_sender(entry)
        return (f"[Not the user but {sender}]", entry.text) if sender else ("[User]", entry.text)
    return "", ""
