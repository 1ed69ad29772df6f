"""Entries of a window → topics: consecutive stretches without gap or overlap.

A topic nearly always begins where a person asks for something; in a long turn of the agent also where it moves on to the
next item. Evidence is how much the words change there (identifiers and paths count as words), how the entry begins, a
pause, a commit or a compaction just before; the usual length of a topic says how many there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from transforms.conversation.entries import Entry
from transforms.conversation.message_spans import typed_text
from transforms.language.tokenizer import words
from transforms.windowing.boundary_features import finished_before, finishing_of, opening_of, pause_weight
from transforms.windowing.cohesion import Vector, breaks_at, vector_breaks_at, weighted
from transforms.windowing.segmentation import Lengths, best_cuts

CONTEXT_TYPES = frozenset({"message", "custom_message", "branch_summary", "compaction"})
"""Entries that reach the model; settings, labels and state of extensions do not."""
SAID_CHARS, ARGUMENT_CHARS = 4000, 300
_SPEAKING_ARGUMENTS = ("path", "command", "pattern")


@dataclass(frozen=True, slots=True)
class SegmentParams:
    """`typical` is how many entries a topic usually has (DESIGN: 10 to 50); more `bias` gives fewer topics.

    `reach` entries with words on each side are compared; `cohesion` weighs a complete change of words, `usual_break` is
    how much they change anywhere. In a turn of the agent a topic may begin `turn_entries` after the turn did. On two real
    sessions 25 to 50 entries, cohesion 3 to 10 and a spread of .6 to 1.2 move WindowDiff by less than .03; a reach of 10 by .07.

    `usual_mixed_break` is for words and vectors together. On the two sessions these reach WindowDiff .23 and F1@3 .65 at
    best (12 mixtures), words alone .22 and .69: file names and identifiers tell topics of coding apart. So a night goes
    without, and plain dialogues, where vectors are worth up to .07 Pk, have `transforms.windowing.dialogue_topics`.
    """

    lengths: Lengths = field(default_factory=lambda: Lengths(35))
    bias: float = 0.0
    reach: int = 5
    cohesion: float = 6.0
    usual_break: float = 0.85
    usual_mixed_break: float = 0.68
    turn_entries: int = 12


def segment(
    entries: Sequence[Entry], params: SegmentParams | None = None, vectors: Sequence[Vector | None] | None = None
) -> list[tuple[int, int]]:
    """(first, last) ordinal of each topic of one window's entries, in order, covering all of them.

    `vectors`, one per entry (None where there is none), take the place of half of the word statistics when given.
    """
    if not entries:
        return []
    chosen = params or SegmentParams()
    # Settings say nothing (one real session changes the thinking level 103 times): they go with the words after them.
    said = [at for at, entry in enumerate(entries) if entry.entry_type in CONTEXT_TYPES]
    messages = [entries[at] for at in said]
    evidence = _evidence(messages, chosen, [vectors[at] for at in said] if vectors is not None else None)
    cuts = best_cuts(len(messages), evidence, chosen.lengths)
    starts = [0, *(said[cut - 1] + 1 for cut in cuts[1:])]
    ends = [*(at - 1 for at in starts[1:]), len(entries) - 1]
    return [(entries[first].ordinal, entries[last].ordinal) for first, last in zip(starts, ends, strict=True)]


def _evidence(entries: Sequence[Entry], params: SegmentParams, vectors: Sequence[Vector | None] | None) -> dict[int, float]:
    openings = _places(entries, params.turn_entries)
    places = list(openings)
    changes = breaks_at(weighted([words_of(entry) for entry in entries]), places, params.reach)
    usual = params.usual_break
    if vectors is not None:
        usual = params.usual_mixed_break
        other = vector_breaks_at(vectors, places, params.reach)
        changes = [(mine + theirs) / 2 for mine, theirs in zip(changes, other, strict=True)]
    finishings = [finishing_of(entry) for entry in entries]
    return {
        at: params.cohesion * (change - usual)
        + openings[at]
        + pause_weight((entries[at].said_at - entries[at - 1].said_at).total_seconds())
        + finished_before(finishings, at)
        - params.bias
        for at, change in zip(places, changes, strict=True)
    }


def _places(entries: Sequence[Entry], turn_entries: int) -> dict[int, float]:
    """Positions where a topic may begin, with how much each entry looks like a beginning."""
    found: dict[int, float] = {}
    turn = 0
    for at, entry in enumerate(entries):
        opening = opening_of(entry) if at else None
        if entry.role == "user":
            turn = at
        if opening is not None and (entry.role == "user" or at - turn >= turn_entries):
            found[at] = opening
    return found


def words_of(entry: Entry) -> Counter[str]:
    """Words that tell the topic of an entry: what was typed or answered, and paths, commands and patterns of tool calls.

    Results of tools and pasted text are left out: they are long, and tell less about the topic than what they were asked.
    """
    said = typed_text(entry.text) if entry.role == "user" else entry.text if entry.role == "assistant" else ""
    found = Counter(words(said[:SAID_CHARS]))
    for call in entry.tool_calls:
        for name in _SPEAKING_ARGUMENTS:
            if isinstance(value := call.arguments.get(name), str):
                found.update(words(value[:ARGUMENT_CHARS]))
    return found
