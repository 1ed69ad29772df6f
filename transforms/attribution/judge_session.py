"""Judges who wrote the user entries of one session, from its own entries and from signs of the lake.

Every sign only takes words away from the owner; the format's own answer stays. So the judgement can be made again at any
time from the stored columns.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from transforms.attribution.begun_sentences import own_begun_sentences
from transforms.attribution.given_blocks import find_given_blocks, take_labelled_lines, writes_formally
from transforms.attribution.owner_address import take_addressed_lines
from transforms.attribution.quotations import (
    EarlierText,
    find_edits,
    find_quoted_sentences,
    is_quoted,
    own_inline_answers,
    own_listed_answers,
)
from transforms.attribution.recurrence import split_sketch_words
from transforms.attribution.relayed_messages import find_parent_messages, take_relayed_messages
from transforms.attribution.reported_words import find_reported_words
from transforms.attribution.writing_habits import HabitCounts, add_habits, count_habits, leave_out_habits, measure_log_odds
from transforms.classify.paragraphs import Paragraph
from transforms.classify.turn_classifier import TurnClassifier
from transforms.conversation.edited_blocks import BlockEdit, find_edited_block, list_pieces
from transforms.conversation.speakers import (
    CHILD,
    EDITED,
    GIVEN_BLOCK,
    LEARNED,
    QUOTATION_MARKS,
    QUOTED_AGENT,
    QUOTED_TOOL,
    RECURRENCE,
    REPORTED,
    SPEAKER_SIGNS,
    Attribution,
    SpokenPart,
    attribute_to_parent,
    extract_words_of,
    join_parts,
    renew_format,
)
from transforms.patterns.line_ends import even_line_ends
from transforms.tables.enums import Speaker

QUOTED = {"agent": QUOTED_AGENT, "tool": QUOTED_TOOL}
MIN_RECURRING_WORDS = 12
"""Words of a message that recurs within one session."""
MIN_TIMES = 3
"""Times that it must occur, each answered before the next: a message that got no answer is sent again by people."""
MIN_EDITED_TURN_SHARE = 0.3
TEXT_BEFORE_CHARS = 1500
"""Characters at the end of the agent's last message that the classifier was fitted on."""
OPENING_SECONDS = 5
"""A program sends its prompt as soon as the session is open."""
MIN_PROMPT_CHARS = 200


@dataclass(frozen=True, slots=True)
class SpokenEntry:
    """The parts of an entry that the judgement reads. `is_answer`: a complete message of the agent."""

    ordinal: int
    is_user: bool
    is_answer: bool
    is_copied: bool
    text: str
    said_at: datetime
    attribution: Attribution


@dataclass(frozen=True, slots=True)
class LakeSigns:
    """Facts about a session from the rest of the lake: entries whose text recurs elsewhere, whether an agent opened it, and what
    others call its owner."""

    recurring: Collection[int] = ()
    is_child: bool = False
    has_parent: bool = False
    owner_names: frozenset[str] = frozenset()


def judge_session(entries: Sequence[SpokenEntry], classifier: TurnClassifier, signs: LakeSigns) -> dict[int, Attribution]:
    """Return the attribution of every user entry by its ordinal. The entries are those of one session, in order."""
    entries = [replace(entry, text=even_line_ends(entry.text)) for entry in entries]
    entries = [
        replace(entry, attribution=renew_format(entry.attribution, entry.text)) if entry.is_user else entry for entry in entries
    ]
    again = _find_repeated(entries)
    is_fork = any(entry.is_copied for entry in entries)  # the owner's own: it goes on from another session
    messages = {entry.ordinal: entry.text for entry in entries if entry.is_user}
    from_parent = find_parent_messages(messages) if signs.has_parent and not is_fork else ()
    earlier, before, answer = EarlierText(), "", ""
    own_words = [entry.text for entry in entries if entry.is_user and _is_one_typed_line(entry)]
    spoken = [entry.text for entry in entries if not entry.is_user and entry.attribution.speaker == "agent"]
    texts = [*spoken, *(entry.text for entry in entries if entry.is_user)]
    others = {*signs.recurring, *again, *from_parent}
    typed_lines = _find_typed_lines([entry for entry in entries if entry.ordinal not in others], classifier)
    habits = add_habits(map(count_habits, typed_lines))
    style = _Style(own_words, writes_formally(own_words), signs.owner_names, spoken, texts, typed_lines, habits)
    judged: dict[int, Attribution] = {}
    for entry in entries:
        if not entry.is_user:
            if entry.attribution.speaker in ("agent", "tool"):
                earlier.add(entry.attribution.speaker, entry.text)
            if entry.attribution.speaker == "agent" and entry.is_answer:
                before, answer = entry.text[-TEXT_BEFORE_CHARS:], entry.text
            continue
        attribution = entry.attribution
        if entry.ordinal in signs.recurring:
            attribution = _take_from_owner(attribution, "command", RECURRENCE)
        elif entry.ordinal in again:
            attribution = _take_from_owner(attribution, "extension", RECURRENCE)
        elif entry.ordinal in from_parent:
            attribution = _give_to_parent(attribution)
        elif extract_words_of("owner", entry.text, attribution):
            attribution = _judge_text(entry.text, attribution, before, earlier, classifier, style)
        if attribution.speaker in ("owner", "paste") and (edit := find_edited_block(entry.text, answer)):
            attribution = _own_edits(entry.text, attribution, edit)
        judged[entry.ordinal] = attribution
    if signs.is_child or _is_opened_by_program(entries, judged, signs):
        return {ordinal: _give_to_parent(attribution) for ordinal, attribution in judged.items()}
    return judged


def _is_one_typed_line(entry: SpokenEntry) -> bool:
    """Whether a message is one line that its format gives to the owner: it shows how they write."""
    return "\n" not in entry.text and entry.attribution.speaker == "owner"


def _find_typed_lines(entries: Iterable[SpokenEntry], classifier: TurnClassifier) -> set[str]:
    """Return the different messages of one line that the classifier, which knows no habits yet, takes for typed."""
    typed_lines, before = set[str](), ""
    for entry in entries:
        if entry.is_answer and entry.attribution.speaker == "agent":
            before = entry.text[-TEXT_BEFORE_CHARS:]
        is_line = entry.is_user and _is_one_typed_line(entry) and entry.text not in typed_lines
        if is_line and all(is_typed for _, is_typed in classifier.judge_paragraphs(entry.text, before)):
            typed_lines.add(entry.text)
    return typed_lines


def _take_from_owner(attribution: Attribution, speaker: Speaker, reason: str) -> Attribution:
    parts = tuple(
        part._replace(speaker=speaker, reason=reason) if part.speaker == "owner" else part for part in attribution.parts
    )
    return Attribution(speaker, reason, parts) if attribution.speaker == "owner" else attribution._replace(parts=parts)


def _give_to_parent(attribution: Attribution) -> Attribution:
    """Return an attribution in a sub-agent's session: words of an owner, an extension or a paste are its parent's there."""
    if not attribution.parts and attribution.speaker in ("extension", "paste") and attribution.reason != "format:memory":
        return Attribution("parent_agent", CHILD)
    return attribute_to_parent(attribution, CHILD)


def _find_repeated(entries: Iterable[SpokenEntry]) -> set[int]:
    """Return the user entries whose words, numbers left out, occur several times in the session, with answers between them."""
    times: Counter[str] = Counter()
    places: dict[str, list[int]] = {}
    last: dict[str, int] = {}
    answers = 0
    for entry in entries:
        answers += entry.is_answer
        text = extract_words_of("owner", entry.text, entry.attribution) if entry.is_user else ""
        words = [] if entry.is_copied else split_sketch_words(text)
        if len(words) < MIN_RECURRING_WORDS:
            continue
        key = " ".join(words)
        times[key] += last.get(key) != answers
        last[key] = answers
        places.setdefault(key, []).append(entry.ordinal)
    return {ordinal for key, count in times.items() if count >= MIN_TIMES for ordinal in places[key]}


class _Style(NamedTuple):
    """How an owner writes, by messages of one line; what others call them; the agent's texts, and those of both; the lines that
    the owner surely typed, and the habits that they show."""

    own_words: Sequence[str]
    is_formal: bool
    owner_names: frozenset[str]
    agent_texts: Sequence[str]
    all_texts: Sequence[str]
    typed_lines: Collection[str]
    habits: HabitCounts


def _judge_text(
    text: str,
    attribution: Attribution,
    before: str,
    earlier: EarlierText,
    classifier: TurnClassifier,
    style: _Style,
) -> Attribution:
    """Divide the owner's parts of a text further: by quotations of earlier text, their register, quotation marks, and headings
    that give a block to somebody else."""
    owned = attribution.parts or (SpokenPart(0, len(text), "owner", attribution.reason),)
    parts = [part for part in owned if part.speaker != "owner"]
    habits = leave_out_habits(style.habits, text) if text in style.typed_lines else style.habits
    measure = partial(measure_log_odds, owner=habits, usual=classifier.usual_rates)
    judged = _judge_paragraphs(text, attribution, before, classifier, is_formal=style.is_formal, habits=measure)
    owned_more = own_inline_answers(text, own_begun_sentences(text, judged), earlier)
    judgement = own_listed_answers(text, take_relayed_messages(text, owned_more, style.all_texts), before)
    for paragraph, is_typed in take_addressed_lines(
        text, take_labelled_lines(text, judgement), style.owner_names, style.agent_texts
    ):
        for part in owned:
            start, end = max(part.start, paragraph.start), min(part.end, paragraph.end)
            if part.speaker == "owner" and text[start:end].strip():
                parts += _judge_stretch(text, part._replace(start=start, end=end), earlier, is_typed=is_typed)
    for stretches, reason in (
        (find_quoted_sentences(text), QUOTATION_MARKS),
        (find_given_blocks(text, style.own_words), GIVEN_BLOCK),
        (find_reported_words(text, style.agent_texts), REPORTED),
    ):
        parts = sorted(piece for part in parts for piece in _cut_out(text, part, stretches, reason))
    return join_parts(text, parts)


def _judge_paragraphs(
    text: str,
    attribution: Attribution,
    before: str,
    classifier: TurnClassifier,
    *,
    is_formal: bool,
    habits: Callable[[str], float],
) -> list[tuple[Paragraph, bool]]:
    """Return the paragraphs, cut where the format finds pasted lines; one is typed by itself, or as part of a typed one."""
    whole = classifier.judge_paragraphs(text, before, is_formal=is_formal, habits=habits)
    edges = [edge for part in attribution.parts for edge in (part.start, part.end)]
    if not edges:
        return whole
    typed = [paragraph for paragraph, is_typed in whole if is_typed]
    return [
        (piece, is_typed or any(paragraph.start <= piece.start and piece.end <= paragraph.end for paragraph in typed))
        for piece, is_typed in classifier.judge_paragraphs(text, before, edges, is_formal=is_formal, habits=habits)
    ]


def _take_end(stretch: tuple[int, int]) -> int:
    return stretch[1]


def _cut_out(text: str, part: SpokenPart, stretches: Sequence[tuple[int, int]], reason: str) -> Iterator[SpokenPart]:
    """Yield a part in pieces: in words that only the format gives to the owner, these stretches of the text are a paste."""
    position = part.start
    is_formats = part.speaker == "owner" and part.reason not in SPEAKER_SIGNS
    place = bisect_right(stretches, part.start, key=_take_end) if is_formats else len(stretches)
    while place < len(stretches) and stretches[place][0] < part.end:
        first, last = stretches[place]
        place += 1
        start, end = max(first, position), min(last, part.end)
        if start < end:
            if text[position:start].strip():
                yield part._replace(start=position, end=start)
            yield SpokenPart(start, end, "paste", reason)
            position = end
    if text[position : part.end].strip():
        yield part._replace(start=position)


def _judge_stretch(text: str, part: SpokenPart, earlier: EarlierText, *, is_typed: bool) -> list[SpokenPart]:
    """Return the parts of a stretch that the format gives to the owner."""
    words = text[part.start : part.end]
    if source := earlier.find_source(words):
        speaker, source_text, share = source
        edits = find_edits(words, source_text) if share >= MIN_EDITED_TURN_SHARE else None
        if edits is not None:
            return _split_edits(part.start, part.end, edits, QUOTED[speaker])
        if is_quoted(share):
            return [part._replace(speaker="paste", reason=QUOTED[speaker])]
    if copied := earlier.find_copied_start(words):  # "- the agent's point. yes, and …": the owner goes on in the same paragraph
        speaker, end = copied
        rest = part._replace(start=part.start + end)
        given = part._replace(end=rest.start, speaker="paste", reason=QUOTED[speaker])
        return [given, *_judge_stretch(text, rest, earlier, is_typed=is_typed)]
    return [part if is_typed else part._replace(speaker="paste", reason=LEARNED)]


def _split_edits(start: int, end: int, edits: Sequence[tuple[int, int]], reason: str) -> list[SpokenPart]:
    """Return the stretches that the owner changed in a quotation, and those between them."""
    parts, position = [], start
    for first, last in edits:
        if start + first > position:
            parts.append(SpokenPart(position, start + first, "paste", reason))
        parts.append(SpokenPart(start + first, start + last, "owner", EDITED))
        position = start + last
    return [*parts, SpokenPart(position, end, "paste", reason)] if position < end else parts


def _own_edits(text: str, attribution: Attribution, edit: BlockEdit) -> Attribution:
    """Return the attribution of a message that sends a block of the agent's back: its changed lines are the owner's."""
    parts = list[SpokenPart]()
    for part in attribution.parts or (SpokenPart(0, len(text), attribution.speaker, attribution.reason),):
        ends = [(part.start, min(part.end, edit.start)), (max(part.start, edit.end), part.end)]
        parts += [part._replace(start=start, end=end) for start, end in ends if text[start:end].strip()]
    for start, end, is_own in list_pieces(edit):
        if text[start:end].strip():
            parts.append(SpokenPart(start, end, "owner" if is_own else "paste", EDITED if is_own else QUOTED_AGENT))
    return join_parts(text, sorted(parts))


def _is_opened_by_program(entries: Sequence[SpokenEntry], judged: dict[int, Attribution], signs: LakeSigns) -> bool:
    """Whether another agent runs the session: nobody typed anything, and its first message was there at once."""
    own = [entry for entry in entries if entry.is_user and not entry.is_copied]
    if not own or any(extract_words_of("owner", entry.text, judged[entry.ordinal]) for entry in own):
        return False
    first = judged[own[0].ordinal]
    if first.reason == "format:header_comment":
        return True
    waited = own[0].said_at - entries[0].said_at
    is_prompt = first.reason == LEARNED and len(own[0].text) >= MIN_PROMPT_CHARS
    return is_prompt and (signs.has_parent or waited <= timedelta(seconds=OPENING_SECONDS))
