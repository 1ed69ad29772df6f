"""Grounds a model's answer about a window: places topics, resolves references and checks every sentence.

Facts get their verdict later, from the checks that all engines share. Titles, narratives and hand-overs have no verdict, so the
same checks drop their ungrounded sentences here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import accumulate

from transforms.conversation.entries import Entry
from transforms.distil.earlier_facts import EarlierFact, find_retired
from transforms.distil.engine_result import DistilledSegment, DistilledWindow, Fact
from transforms.distil.fact_grounding import NOBODY_TYPED, UNSAID, check_fact, find_missing_specific
from transforms.distil.owner_grounding import find_foreign_command, relink_to_owner
from transforms.distil.window_evidence import WindowEvidence
from transforms.language.entities import find_file_names, find_line_numbers
from transforms.language.relative_dates import resolve_date
from transforms.language.sentences import PROSE_BREAK, cut_at_word, split_words
from transforms.model_answers.window_answer_schema import FactAnswer, SegmentAnswer, WindowAnswer, choose_category
from transforms.patterns.folding import fold_writing
from transforms.patterns.late_pattern import compile_late
from transforms.patterns.stops import drop_end_stops, drop_stops
from transforms.tables.fact_notes import NoteLabel, add_note

TITLE_CHARS, NARRATIVE_CHARS, NEXT_STEP_CHARS, NOTE_CHARS = 100, 700, 600, 240
_LINE_LEAD = compile_late(r"^\s*(?:[-*•]\s+)?(?:[🔴🟡🟢✅]\ufe0f?\s*)?(?:\(\d{1,2}:\d\d\)\s*)?")
MIN_TOPIC_WORDS = 2
"""A line that names a time instead of a block must share this many words with an entry of that minute."""


def ground_window_answer(
    answer: WindowAnswer,
    entries: Sequence[Entry],
    topics: Sequence[tuple[int, int]],
    zone: tzinfo,
    earlier: Sequence[EarlierFact] = (),
    owner: str = "",
) -> DistilledWindow:
    """Return the answer as segments that cover the topics in order; a topic without a grounded narrative joins its neighbour.

    A topic may begin at another block than proposed, in the order of the topics. `earlier` are the facts that the prompt
    numbered.

    Raises:
        ValueError: when the answer holds no segment, or none with a grounded narrative.
    """
    window = WindowEvidence(tuple(entries), zone, (), tuple(fact.text for fact in earlier), owner)
    loose: list[FactAnswer] = list(getattr(answer, "loose", ()))
    placed: dict[int, list[SegmentAnswer]] = {}
    last = 0
    for segment in answer.segments:
        cited = [ref for fact in segment.facts for ref in _find_refs(fact, window)] + segment.refs
        last = segment.topic if 1 <= segment.topic <= len(topics) else _find_topic(cited, topics) or min(last + 1, len(topics))
        placed.setdefault(last - 1, []).append(segment)
    for fact in loose:
        place = (_find_topic(_find_refs(fact, window), topics) or min(placed, default=0) + 1) - 1
        placed.setdefault(place, []).append(SegmentAnswer(narrative="", facts=[fact]))
    merged = _merge_topics(placed, window)
    if not merged:
        raise ValueError("the transcript supports no narrative in it" if placed else "it holds no segment")
    starts = _choose_starts(merged, topics, window)
    ends = [*(_find_entry_before(start, window) for start in starts[1:]), topics[-1][1]]
    return DistilledWindow(
        segments=tuple(
            _build_segment(topic, first, last, window, earlier) for topic, first, last in zip(merged, starts, ends, strict=True)
        ),
        current_task=_ground_next_step(answer.current_task, window),
        suggested_response=_ground_next_step(answer.suggested_response, window),
    )


def _ground_next_step(text: str, window: WindowEvidence) -> str:
    """Return the grounded sentences of a next step; empty with a command or address that only a page or a tool's output has."""
    grounded = _ground_sentences(text, window, NEXT_STEP_CHARS)
    return "" if find_foreign_command(grounded, window) else grounded


@dataclass(slots=True)
class _Topic:
    """A topic with a grounded narrative. `parts` are its own segments and those of neighbours without one."""

    number: int
    narrative: str
    parts: list[SegmentAnswer]


def _choose_starts(merged: Sequence[_Topic], topics: Sequence[tuple[int, int]], window: WindowEvidence) -> list[int]:
    """Return the first ordinal of each topic: where the model moved it, else where it was proposed; always in order."""
    starts = [topics[0][0]]
    proposed = [topics[topic.number][0] for topic in merged[1:]]
    for index, topic in enumerate(merged[1:]):
        moved = next((part.starts_at for part in topic.parts if part.starts_at in window.by_ordinal), None)
        limit = proposed[index + 1] if index + 1 < len(proposed) else topics[-1][1] + 1
        is_between = moved is not None and starts[-1] < moved < limit
        starts.append(moved if is_between and moved is not None else max(proposed[index], _find_entry_after(starts[-1], window)))
    return starts


def _find_entry_before(ordinal: int, window: WindowEvidence) -> int:
    return max(known for known in window.by_ordinal if known < ordinal)


def _find_entry_after(ordinal: int, window: WindowEvidence) -> int:
    return min((known for known in window.by_ordinal if known > ordinal), default=ordinal)


def _merge_topics(placed: dict[int, list[SegmentAnswer]], window: WindowEvidence) -> list[_Topic]:
    merged: list[_Topic] = []
    leading: list[SegmentAnswer] = []
    for number in sorted(placed):
        parts = placed[number]
        if narrative := _ground_narrative(parts, window):
            merged.append(_Topic(number, narrative, [*parts]))
        else:
            (merged[-1].parts if merged else leading).extend(parts)
    if merged:
        merged[0].parts += leading
    return merged


def _ground_narrative(parts: list[SegmentAnswer], window: WindowEvidence) -> str:
    """Return the grounded sentences of the narrative; without any, the first two facts that are allowed."""
    narrative = _ground_sentences(" ".join(part.narrative.strip() for part in parts), window, NARRATIVE_CHARS)
    if narrative:
        return narrative
    facts = (_build_fact(fact, window, ()) for part in parts for fact in part.facts)
    allowed = [f"{drop_end_stops(fact.text)}." for fact in facts if check_fact(fact, window)[0] == "allow"]
    return _cut(" ".join(allowed[:2]), NARRATIVE_CHARS)


def _build_segment(
    topic: _Topic, first: int, last: int, window: WindowEvidence, earlier: Sequence[EarlierFact]
) -> DistilledSegment:
    facts = [_build_fact(fact, window, earlier) for part in topic.parts for fact in part.facts]
    title = next((part.title for part in topic.parts if part.title.strip()), "")
    refs = [ref for part in topic.parts for ref in part.refs if ref in window.by_ordinal]
    cited = [ordinal for fact in facts for ordinal in fact.ordinals[:1] if ordinal in window.by_ordinal]
    inside = [entry.ordinal for entry in window.entries if first <= entry.ordinal <= last]
    return DistilledSegment(
        first_ordinal=first,
        last_ordinal=last,
        title=_ground_sentences(title, window, TITLE_CHARS) or _cut(PROSE_BREAK.split(topic.narrative)[0], 60),
        narrative=topic.narrative,
        ordinals=tuple(dict.fromkeys(refs or cited[:3] or inside[:1])),
        facts=tuple(facts),
    )


def _build_fact(fact: FactAnswer, window: WindowEvidence, earlier: Sequence[EarlierFact]) -> Fact:
    refs = tuple(dict.fromkeys(_find_refs(fact, window)))
    refs = tuple(ref for ref in refs if ref in window.by_ordinal) or refs  # one number that no block has costs no fact
    text = _name_owner(_LINE_LEAD.sub("", " ".join(fact.text.split())), window)
    text = _add_notes(text, fact, refs, window)
    files = fact.files or find_file_names(text)
    line_numbers = fact.line_numbers or find_line_numbers(text)
    grounded = Fact(
        text=text, kind=fact.kind, priority=fact.priority, category=choose_category(fact), ordinals=refs,
        files=tuple(name for name in dict.fromkeys(files) if name.strip() and fold_writing(name).lower() in window.haystack),
        line_numbers=tuple(number for number in line_numbers if number > 0 and str(number) in window.haystack),
        refers_to=_choose_date(fact, text, refs, window), confidence=fact.confidence,
        retires=find_retired(text, fact.kind, fact.replaces, earlier), closes=find_retired(text, fact.kind, fact.closes, earlier),
    )  # fmt: skip
    is_unowned = check_fact(grounded, window)[1] in (NOBODY_TYPED, UNSAID)
    return relink_to_owner(grounded, window) if is_unowned else grounded


def _name_owner(text: str, window: WindowEvidence) -> str:
    """Return a text with the owner's name for `User's`, the mark of the prompt, unless somebody wrote that in the window.

    With an article it is a user of what they build.
    """
    if not window.owner or "User's" not in text or "user's" in window.haystack:
        return text
    words = text.split(" ")
    name = f"{window.owner[:1].upper()}{window.owner[1:]}'s"
    before = ["", *(word.lower() for word in words)]
    return " ".join(
        name if word == "User's" and last not in {"the", "a"} else word for last, word in zip(before, words, strict=False)
    )


def _add_notes(text: str, fact: FactAnswer, refs: tuple[int, ...], window: WindowEvidence) -> str:
    """Return a text with the notes that the window supports: of a correction what was wrong, of a decision what was rejected, of
    an error the cure. A note with a name that stands nowhere is left out and costs no fact."""
    cited = [window.by_ordinal[ref] for ref in refs if ref in window.by_ordinal]
    notes: tuple[tuple[NoteLabel, str], ...] = (("wrong", fact.wrong), ("rejected", fact.rejected), ("cured by", fact.cure))
    for label, note in notes:
        plain = _strip_brackets(" ".join(note.split()))
        if plain and plain.lower() not in text.lower() and not find_missing_specific(plain, window, cited):
            text = add_note(text, label, _cut(plain, NOTE_CHARS))
    return text


def _strip_brackets(note: str) -> str:
    """Return a note without the brackets and stops around it; a bracket whose other half is inside belongs to the note."""
    plain = drop_stops(note)
    while plain[:1] == "(" and plain[-1:] == ")" and _is_paired(plain[1:-1]):
        plain = drop_stops(plain[1:-1])
    if plain[-1:] == ")" and plain.count(")") > plain.count("("):
        plain = drop_stops(plain[:-1])
    if plain[:1] == "(" and plain.count("(") > plain.count(")"):
        plain = drop_stops(plain[1:])
    return plain


def _is_paired(text: str) -> bool:
    depths = list(accumulate((sign == "(") - (sign == ")") for sign in text))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def _choose_date(fact: FactAnswer, text: str, refs: tuple[int, ...], window: WindowEvidence) -> object:
    """Return the date that the words imply. The model's own date counts only when it is one of those."""
    cited = [window.by_ordinal[ref] for ref in refs if ref in window.by_ordinal]
    if not cited:
        return None
    said_on = cited[0].said_at.astimezone(window.zone).date()
    known = [resolve_date(source, said_on) for source in (text, *(entry.text for entry in cited))]
    return fact.refers_to if fact.refers_to in known else known[0]


def _find_refs(fact: FactAnswer, window: WindowEvidence) -> list[int]:
    clock = getattr(fact, "clock", "")
    return fact.refs or (_find_entry_of_minute(fact.text, clock, window) if clock else [])


def _find_entry_of_minute(text: str, clock: str, window: WindowEvidence) -> list[int]:
    """Return the entry of that minute with most words in common: the XML form may name a time and nothing else."""
    minute = clock.zfill(5)
    stems = _list_stems(text)
    matches = [
        (-shared, entry.ordinal)
        for entry in window.entries
        if entry.said_at.astimezone(window.zone).strftime("%H:%M") == minute
        and (shared := len(stems & _list_stems(entry.text))) >= MIN_TOPIC_WORDS
    ]
    return [min(matches)[1]] if matches else []


def _list_stems(text: str) -> set[str]:
    """Return the first letters of the longer words, so that `built` matches `build`."""
    return {word[:4] for word in split_words(text.lower()) if len(word) > 3}


def _find_topic(refs: Iterable[int], topics: Sequence[tuple[int, int]]) -> int:
    """Return the number of the topic in which the first reference lies; 0 for none."""
    for ref in refs:
        for number, (first, last) in enumerate(topics, 1):
            if first <= ref <= last:
                return number
    return 0


def _ground_sentences(text: str, window: WindowEvidence, limit: int) -> str:
    """Return the sentences that pass the checks of facts against the whole window, up to `limit` characters."""
    all_ordinals = tuple(window.by_ordinal)
    grounded: list[str] = []
    for line in text.splitlines():
        for sentence in PROSE_BREAK.split(" ".join(line.split())):
            probe = Fact(
                text=sentence.ljust(12, "."), kind="error", priority="low", category="projects", ordinals=all_ordinals
            )  # fmt: skip
            if sentence and check_fact(probe, window)[0] == "allow":
                grounded.append(sentence)
    return _cut(" ".join(grounded).replace("。 ", "。"), limit)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{cut_at_word(text, limit - 1)}…"
