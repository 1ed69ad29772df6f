"""Finds what somebody else said and the owner only passes on in plain chat: "joão writes: a. b. never c. whats your take".

A frame has a third person before a verb of saying, or before a channel ("on slack"), and nothing else up to a colon or the end of
its line. It covers what follows in its paragraph, or the paragraphs below it, until the owner speaks again: asks, tells of the
speaker, turns against it, or says that it is right. Who takes the words over makes them their own, and nothing is cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from transforms.conversation.pasted_lines import split_lines
from transforms.language import cue_phrases
from transforms.language.dialogue_acts import is_question, is_request
from transforms.language.lexicon import CHANNELS
from transforms.language.sentences import find_content_words, split_sentences
from transforms.language.speech.reported_speech import endorses, find_saying, is_said_behind, names_channel
from transforms.language.tokenizer import is_english, list_plain_words
from transforms.patterns.late_pattern import compile_late
from transforms.words.word_classes import ARTICLES

MOST_HEAD_WORDS, MOST_PLAIN_HEAD_WORDS = 14, 8
"""Words of a head, and of one that no colon ends."""
_FRAME_MARKS = ("\n", ":", "：", "—", "–", " - ")
_CLOSING_MARKS = {'"': '"', "“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}
MIN_FRAMED_WORDS = 3
MOST_SIGNATURE_WORDS = 4
MOST_LETTER_SENTENCES = 200
"""Sentences below a head in which a letter's end is looked for: of thousands of heads each would read the whole message."""
_HEAD_END = compile_late(r":(?=\s|$)|：")
_COMPLEMENT = compile_late(
    r"(?:this|these|that|the following|me|us|back|again|today|yesterday|earlier|also|just|now|so|as follows"
    r"|i noted (?:it|this) down"
    r"|(?:this|last|on|at|in|via|by|from|to|over|about|as) (?:the |our |a |my )?\S+"
    r"(?: (?:chat|channel|list|morning|evening|meeting))?"
    r"|\d\S*|\W+)(?:\s+|$)",
    re.I,
)
"""What may stand behind the verb of a head: to whom, where and when, and no clause that would be the report itself."""
_THIRD_PERSON = compile_late(r"\b(?:he|she|him|her|his|hers|himself|herself)\b", re.I)
_OWN_VIEW = compile_late(
    r"(?:(?:but|however|though|still|imo|imho|personally|for me|to me|hm+|not sure)\b"
    r"|(?:well,? )?i (?:\w+ )?(?:think|find|reckon|feel"
    r"|believe|guess|doubt|agree|disagree|like|dislike|told|said|would rather)\b|i'd rather\b)",
    re.I,
)
"""The owner turns to what was said, or says what they think of it."""
_PERSONAL = compile_late(r"\b(?:i|i'd|i'm|we|my|our|must|should|shall|never|always|please|don'?t)\b", re.I)
"""Words of a person: an error message has none of them, so that it ends with its sentence."""
_ASKING = compile_late(r"(?:(?:and|so|but) )?(?:what|how|why|who|where|when|which)(?:'?s|'?re|'?d)?\b", re.I)
_POINTING_ORDER = compile_late(r"(?:\w+ ){0,2}?\w+ (?:that|this|it)\b", re.I)
_BEHIND = compile_late(
    r"[—–(-]*\s*(?:so|that'?s what|thus|as per|according to)?\s*(?P<words>[^\n:?!]{3,60}?)[.)!]*$",
    re.I,
)
"""A sentence that is nothing but a frame behind the words: "— so says rui"."""
_ORIGINS = frozenset({"from", "of", "for", "to", "after"})
_PLAIN_ANSWERS = frozenset({"yes", "no", "ok", "okay", "sure", "nothing"})


@dataclass(frozen=True, slots=True)
class _Unit:
    """A sentence, or a line, with its place; `line` and `paragraph` are numbers, `is_first` and `is_last` are of its line."""

    start: int
    end: int
    text: str
    line: int
    paragraph: int
    is_first: bool
    is_last: bool


@dataclass(frozen=True, slots=True)
class _Frame:
    """A head: where the framed words begin, the speaker's words, and whether the words stand on the lines below."""

    start: int
    speaker: frozenset[str]
    is_block: bool
    is_personal: bool


def find_reported_words(text: str, agent_texts: Collection[str] = ()) -> list[tuple[int, int]]:
    """Return the stretches of a message that its owner reports of somebody else, as character offsets; the heads stay.

    `agent_texts` show which words are common ones and name nobody.
    """
    if not any(mark in text for mark in _FRAME_MARKS):
        return []
    units = list(_split_units(text))
    stretches = list[tuple[int, int]]()
    framed = set[int]()
    place = 0
    while place < len(units):
        if (first := _find_framed_before(units, place)) is not None:
            stretches = [stretch for stretch in stretches if stretch[0] < units[first].start]
            stretches.append((units[first].start, units[place - 1].end))
            framed |= set(range(first, place + 1))
        frame = _read_frame(units, place, agent_texts)
        last = None if frame is None else _find_last(units, place, frame)
        is_one = frame is not None and not frame.is_block and last == place  # the sentence still tells who says it
        is_fact = frame is not None and not frame.is_block and _states_facts(text[frame.start : units[last or place].end])
        if (
            frame is None
            or last is None
            or is_one
            or is_fact
            or len(text[frame.start : units[last].end].split()) < MIN_FRAMED_WORDS
        ):
            place += 1
            continue
        end = _find_quotation_end(text, frame.start, units[last].end)
        stretches.append((frame.start, end))
        last -= sum(unit.start >= end for unit in units[place : last + 1])
        framed |= set(range(place, last + 1))
        place = last + 1
    if any(endorses(unit.text) for number, unit in enumerate(units) if number not in framed):
        return []
    return stretches


def _find_quotation_end(text: str, start: int, end: int) -> int:
    """Return where framed words in quotation marks end, the rest being the owner's; words without marks go on to `end`, and what
    is quoted inside of them ends nothing."""
    closing = _CLOSING_MARKS.get(text[start], "")
    depth = 0
    for place in range(start, end if closing else start):
        is_opening = text[place] == text[start] and (text[place] not in closing or text[place - 1 : place].isspace())
        if is_opening:
            depth += 1
        elif text[place] in closing:
            depth -= 1
            if depth == 0:
                return place + 1
    return end


def _states_facts(words: str) -> bool:
    """Whether words on the line of their head neither wish nor demand: what somebody says is so, the owner tells for a fact."""
    return is_english(list_plain_words(words)) and _PERSONAL.search(words) is None


def _find_framed_before(units: Sequence[_Unit], place: int) -> int | None:
    """Return the first sentence of the paragraph before one that only says whose words they are; None where it says more."""
    unit = units[place]
    match = _BEHIND.fullmatch(unit.text) if unit.text[0] in "—–-(" else None
    words = list_plain_words(match["words"]) if match else []
    if not is_said_behind(words):
        return None
    first = bisect_left(units, unit.paragraph, key=_take_paragraph)
    return first if first < place else None


def _split_units(text: str) -> Iterator[_Unit]:
    paragraph, is_open = 0, False
    for number, line in enumerate(split_lines(text)):
        if not line.text.strip():
            paragraph += is_open
            is_open = False
            continue
        is_open, place = True, line.start
        sentences = split_sentences(line.text)
        for index, sentence in enumerate(sentences):
            start = text.find(sentence, place, line.end)
            start = place if start < 0 else start
            place = start + len(sentence)
            yield _Unit(start, place, text[start:place], number, paragraph, index == 0, index == len(sentences) - 1)


def _read_frame(units: Sequence[_Unit], place: int, agent_texts: Collection[str]) -> _Frame | None:
    """Return the frame whose head is this sentence, or stands at its beginning."""
    unit = units[place]
    end = _HEAD_END.search(unit.text)
    head = unit.text[: end.start()] if end else unit.text.rstrip(" .…")
    rest = unit.text[end.end() :].strip() if end else ""
    below = units[place + 1] if place + 1 < len(units) and unit.is_last else None
    bare = cue_phrases.FILLER.sub("", head).strip() or head
    words = list_plain_words(bare)
    is_block = not rest
    if end is None and (len(words) > MOST_PLAIN_HEAD_WORDS or unit.text.rstrip().endswith(".")) and "what" not in words[:4]:
        return None  # a whole sentence, and no head
    if not 1 < len(words) <= MOST_HEAD_WORDS or (is_block and (below is None or not unit.is_last)):
        return None
    if is_question(bare) or unit.text.rstrip().endswith("?") or is_request(bare):
        return None
    said, channel = _find_last_saying(words), names_channel(words)
    is_said = said is not None and _is_bare(words[said + 1 :])
    is_apart = below is not None and below.paragraph > unit.paragraph
    is_sent = channel is not None and said is None and channel >= len(words) - 2 and _names_somebody(words[:channel], agent_texts)
    if not (is_said or (is_sent and unit.is_first and (is_apart or end is not None))):
        return None
    framed = rest or (below.text if below else "")
    names = find_content_words(" ".join(words[: said or channel]))
    is_personal = is_sent or words[said or 0] not in ("says", "said") or _PERSONAL.search(framed) is not None
    start = below.start if is_block and below else unit.end - len(rest)
    return _Frame(start, names, is_block, is_personal)


def _find_last_saying(words: Sequence[str]) -> int | None:
    """Return the place of the verb of saying of a head; "here is what the director said" begins with its own clause."""
    begin = words.index("what") + 1 if "what" in words[:4] else 0
    place = find_saying(words[begin:])
    return None if place is None else begin + place


def _is_bare(behind: Sequence[str]) -> bool:
    if behind and behind[0] in _PLAIN_ANSWERS:
        return False
    if any(word in CHANNELS for word in behind) and len(behind) <= MOST_SIGNATURE_WORDS:
        return True
    if len(behind) == 1:
        return True  # when or to whom: one word is no clause
    rest = " ".join(behind)
    while rest and (match := _COMPLEMENT.match(rest)):
        rest = rest[match.end() :]
    return not rest


def _names_somebody(words: Sequence[str], agent_texts: Collection[str]) -> bool:
    """Whether the words before a channel may name somebody: not many things, no word that the agent uses, and nothing that comes
    out of a channel ("decision from the call")."""
    bare = [word for word in words if word not in ARTICLES] or words
    if bare[-1] in _ORIGINS:
        return False
    first = bare[0]
    is_common = (first.endswith("s") and not first.endswith("ss")) or any(first in _list_words_once(text) for text in agent_texts)
    return not (is_common or cue_phrases.IMPERATIVE.match(" ".join(words)))


@lru_cache(maxsize=512)
def _list_words_once(text: str) -> frozenset[str]:
    """Return the words of a text of the agent's: the name of each head of a long message is looked for in all of them."""
    return frozenset(list_plain_words(text))


def _find_last(units: Sequence[_Unit], place: int, frame: _Frame) -> int | None:
    """Return the place of the last sentence that a frame covers."""
    first = place + 1 if frame.is_block else place
    paragraph = units[first].paragraph
    end = bisect_right(units, paragraph, key=_take_paragraph)
    if not frame.is_personal and not frame.is_block:
        return first
    last = _find_return(units, first, end, frame) - 1
    is_apart = frame.is_block and units[first].paragraph > units[place].paragraph
    if last < end - 1 or not is_apart:
        return last
    return max(last, _find_letter_end(units, end, frame))


def _take_paragraph(unit: _Unit) -> int:
    return unit.paragraph


def _find_return(units: Sequence[_Unit], first: int, end: int, frame: _Frame) -> int:
    """Return the place in a paragraph from which the owner speaks again: its end, where they do not."""
    for number in range(first + 1, end):
        text = units[number].text
        is_asked = _asks(text) and all(_is_owners(unit.text, frame) for unit in units[number:end])
        is_signed = number == end - 1 and _is_signature(text)
        is_view = _OWN_VIEW.match(text) or cue_phrases.AGREEMENT.match(text)
        is_about = _THIRD_PERSON.search(text) or is_view or (_names(text, frame) and not is_signed)
        is_ordered = not frame.is_block and is_request(text) and _POINTING_ORDER.match(text)
        if is_about or is_asked or is_ordered or endorses(text) or _read_frame(units, number, ()):
            return number
    return end


def _find_letter_end(units: Sequence[_Unit], start: int, frame: _Frame) -> int:
    """Return the last sentence of the paragraphs below the first one that are the speaker's, too: up to a signature."""
    below = units[start : start + MOST_LETTER_SENTENCES]
    for number, unit in enumerate(below, start):
        is_short = unit.is_first and len(unit.text.split()) <= MOST_SIGNATURE_WORDS
        if is_short and _names(unit.text, frame) and _is_signature(unit.text):
            return number
    last = start - 1
    for _, paragraph in groupby(below, lambda unit: unit.paragraph):
        members = [*paragraph]
        if members[-1] is below[-1]:
            break  # the last one is the owner's: who only passes on a text says what for
        if any(_is_owners(unit.text, frame) for unit in members):
            break
        last += len(members)
    return last


def _is_owners(text: str, frame: _Frame) -> bool:
    """Whether a sentence asks, or speaks of who was reported or of what they said."""
    is_own = _THIRD_PERSON.search(text) or _OWN_VIEW.match(text) or _names(text, frame) or cue_phrases.AGREEMENT.match(text)
    return bool(is_own) or _asks(text)


def _is_signature(text: str) -> bool:
    return len(text.split()) <= MOST_SIGNATURE_WORDS and not _asks(text)


def _asks(text: str) -> bool:
    last = re.split(r"[,;] ", text)[-1]
    return is_question(text) or _ASKING.match(text) is not None or _ASKING.match(last) is not None


def _names(text: str, frame: _Frame) -> bool:
    return not frame.speaker.isdisjoint(list_plain_words(text))
