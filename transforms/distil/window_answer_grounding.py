"""A model's answer → what is kept of a window: topics placed, references resolved, every sentence held against the transcript.

Facts get their verdict later, from the checks that all engines share; here the same checks drop sentences of titles,
narratives and hand-overs that the window does not bear out, because those have no verdict of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from transforms.conversation.entries import Entry
from transforms.distil.engine_result import DistilledSegment, DistilledWindow, Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_answer_schema import FactAnswer, SegmentAnswer, WindowAnswer, choose_category
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.sentences import words
from transforms.language.spoken_dates import refers_to

TITLE_CHARS, NARRATIVE_CHARS, NEXT_STEP_CHARS = 100, 700, 600
_SENTENCE = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”’')`]))\s+(?=[A-ZÀ-Þ`\"“(\d])")
_LINE_LEAD = re.compile(r"^\s*(?:[-*•]\s+)?(?:[🔴🟡🟢✅]\ufe0f?\s*)?(?:\(\d{1,2}:\d\d\)\s*)?")
MIN_SHARED_WORDS = 2
"""A line that names a time instead of a block must share this many words with an entry of that minute to be about it."""


def ground_window_answer(
    answer: WindowAnswer, entries: Sequence[Entry], topics: Sequence[tuple[int, int]], zone: tzinfo
) -> DistilledWindow:
    """The answer as segments that cover the topics in order; a topic without a true word joins its neighbour.

    Raises:
        ValueError: when the answer holds nothing, or nothing that the transcript bears out.
    """
    window = WindowEvidence(tuple(entries), zone)
    loose: list[FactAnswer] = list(getattr(answer, "loose", ()))
    placed: dict[int, list[SegmentAnswer]] = {}
    last = 0
    for one in answer.segments:
        cited = [ref for fact in one.facts for ref in _find_refs(fact, window)] + one.refs
        last = one.topic if 1 <= one.topic <= len(topics) else _find_topic(cited, topics) or min(last + 1, len(topics))
        placed.setdefault(last - 1, []).append(one)
    for fact in loose:
        at = (_find_topic(_find_refs(fact, window), topics) or min(placed, default=0) + 1) - 1
        placed.setdefault(at, []).append(SegmentAnswer(narrative="", facts=[fact]))
    told = _merge_topics(placed, window)
    if not told:
        raise ValueError("no narrative in it is borne out by the transcript" if placed else "it holds no segment")
    starts = [topics[0][0], *(topics[one.number][0] for one in told[1:])]
    ends = [*(topics[one.number - 1][1] for one in told[1:]), topics[-1][1]]
    return DistilledWindow(
        segments=tuple(_build_segment(one, first, last, window) for one, first, last in zip(told, starts, ends, strict=True)),
        current_task=_ground_sentences(answer.current_task, window, NEXT_STEP_CHARS),
        suggested_response=_ground_sentences(answer.suggested_response, window, NEXT_STEP_CHARS),
    )


@dataclass(slots=True)
class _Topic:
    """A topic with a narrative that holds; `parts` are its own and those of neighbours without one."""

    number: int
    narrative: str
    parts: list[SegmentAnswer]


def _merge_topics(placed: dict[int, list[SegmentAnswer]], window: WindowEvidence) -> list[_Topic]:
    told: list[_Topic] = []
    stray: list[SegmentAnswer] = []
    for number in sorted(placed):
        parts = placed[number]
        if narrative := _ground_narrative(parts, window):
            told.append(_Topic(number, narrative, [*parts]))
        else:
            (told[-1].parts if told else stray).extend(parts)
    if told:
        told[0].parts += stray
    return told


def _ground_narrative(parts: list[SegmentAnswer], window: WindowEvidence) -> str:
    """What happened, as far as the transcript bears it out; without a narrative that does, the first facts that hold."""
    narrative = _ground_sentences(" ".join(part.narrative.strip() for part in parts), window, NARRATIVE_CHARS)
    if narrative:
        return narrative
    facts = (_build_fact(fact, window) for part in parts for fact in part.facts)
    true = [fact.text.rstrip(".") + "." for fact in facts if check_fact(fact, window)[0] == "allow"]
    return _clip(" ".join(true[:2]), NARRATIVE_CHARS)


def _build_segment(topic: _Topic, first: int, last: int, window: WindowEvidence) -> DistilledSegment:
    facts = [_build_fact(fact, window) for part in topic.parts for fact in part.facts]
    title = next((part.title for part in topic.parts if part.title.strip()), "")
    refs = [ref for part in topic.parts for ref in part.refs if ref in window.by_ordinal]
    cited = [at for fact in facts for at in fact.ordinals[:1] if at in window.by_ordinal]
    inside = [entry.ordinal for entry in window.entries if first <= entry.ordinal <= last]
    return DistilledSegment(
        first_ordinal=first,
        last_ordinal=last,
        title=_ground_sentences(title, window, TITLE_CHARS) or _clip(_SENTENCE.split(topic.narrative)[0], 60),
        narrative=topic.narrative,
        ordinals=tuple(dict.fromkeys(refs or cited[:3] or inside[:1])),
        facts=tuple(facts),
    )


def _build_fact(fact: FactAnswer, window: WindowEvidence) -> Fact:
    refs = tuple(dict.fromkeys(_find_refs(fact, window)))
    text = _LINE_LEAD.sub("", " ".join(fact.text.split()))
    return Fact(
        text=text, kind=fact.kind, priority=fact.priority, category=choose_category(fact), ordinals=refs,
        files=tuple(name for name in dict.fromkeys(fact.files) if name.strip() and name.lower() in window.haystack),
        line_numbers=tuple(number for number in fact.line_numbers if number > 0 and str(number) in window.haystack),
        refers_to=_choose_date(fact, text, refs, window), confidence=fact.confidence,
    )  # fmt: skip


def _choose_date(fact: FactAnswer, text: str, refs: tuple[int, ...], window: WindowEvidence) -> object:
    """The date that can be computed from what was said; a model's own date only when it is one of those."""
    cited = [window.by_ordinal[ref] for ref in refs if ref in window.by_ordinal]
    if not cited:
        return None
    said_on = cited[0].said_at.astimezone(window.zone).date()
    known = [refers_to(source, said_on) for source in (text, *(entry.text for entry in cited))]
    return fact.refers_to if fact.refers_to in known else known[0]


def _find_refs(fact: FactAnswer, window: WindowEvidence) -> list[int]:
    clock = getattr(fact, "clock", "")
    return fact.refs or (_find_entry_of_minute(fact.text, clock, window) if clock else [])


def _find_entry_of_minute(text: str, clock: str, window: WindowEvidence) -> list[int]:
    """The entry of that minute which shares most words with the line: the seeds' form names a time and nothing else."""
    wanted = clock.zfill(5)
    own = _list_stems(text)
    found = [
        (-shared, entry.ordinal)
        for entry in window.entries
        if entry.said_at.astimezone(window.zone).strftime("%H:%M") == wanted
        and (shared := len(own & _list_stems(entry.text))) >= MIN_SHARED_WORDS
    ]
    return [min(found)[1]] if found else []


def _list_stems(text: str) -> set[str]:
    """Beginnings of the longer words: `built` is `build`."""
    return {word[:4] for word in words(text.lower()) if len(word) > 3}


def _find_topic(refs: Iterable[int], topics: Sequence[tuple[int, int]]) -> int:
    """Number of the topic in which the first reference lies, 0 for none."""
    for ref in refs:
        for number, (first, last) in enumerate(topics, 1):
            if first <= ref <= last:
                return number
    return 0


def _ground_sentences(text: str, window: WindowEvidence, limit: int) -> str:
    """The sentences that pass the checks of facts against the whole window, up to `limit` characters."""
    everything = tuple(window.by_ordinal)
    kept: list[str] = []
    for line in text.splitlines():
        for sentence in _SENTENCE.split(" ".join(line.split())):
            probe = Fact(
                text=sentence.ljust(12, "."), kind="error", priority="low", category="projects", ordinals=everything
            )  # fmt: skip
            if sentence and check_fact(probe, window)[0] == "allow":
                kept.append(sentence)
    return _clip(" ".join(kept), limit)


def _clip(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rsplit(' ', 1)[0]}…"
