"""Finds a block of the agent's (a mock-up, a config, a list) that its owner sends back with lines changed: they are the wish.

The form tells, in any language: lines of the agent's last message stand in the same order, and between them others that are
written like those that they replace. Of a list on one line the same holds for its items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from transforms.conversation.pasted_lines import split_lines
from transforms.language.clauses import parse_clause
from transforms.language.sentences import QUESTION_MARKS
from transforms.language.speech.reported_speech import demands
from transforms.language.tokenizer import list_plain_words
from transforms.patterns.late_pattern import compile_late

MIN_SAME = 2
"""Lines, or items of a line, that both have."""
MIN_KEPT = 3
"""Lines that came back for each that did not, where nothing else was changed."""
MIN_SHARE = 0.4
"""Share of the lines of a block that both have; the others are those that were changed."""
MIN_ITEMS, MOST_ITEM_WORDS = 3, 4
MIN_LIKENESS = 0.5
"""How alike two lines are, by their letters, of which one replaces the other."""
MOST_LETTERS = 200
"""Characters of a line up to which its letters are compared, and its words above: letters that repeat cost their cube."""
LOOK_AHEAD = 3
"""Lines of the agent's of which one may be what the owner's next line replaces."""
MOST_LINES, MOST_LIKE_CHARS, MOST_GAP_SIZE = 200, 1_000, 1_000_000
"""Lines of a message with a block, characters of a line that may be like another one (to compare two of 30,000 takes 15 s), and
characters of the owner's by those of the agent's between lines that both have: what is larger was written anew."""
_FENCE = compile_late(r"\s*(?:`{3,}|~{3,})\w*\s*$")
_LABEL = compile_late(r"^\s*(?:[-*•+](?:\s+\[[ xX]\])?|\d{1,2}[.)])\s+")
_ITEM_BREAK = compile_late(r"\s*[,;|·]\s*")
_KEY = compile_late(r"\s*(?!\d{1,2}:\d\d)([^\s:=]+(?: [^\s:=]+){0,3})\s*[:=](?!//)")
_WORD = compile_late(r"\w")
_PROMPT = compile_late(r"^\s*\$\s+")
_LEAD = compile_late(r"^\s*(?P<heading>[^:,;|·]{1,60}):\s+(?=\S)")
"""What a list on one line is of: "The columns: name, age, city"."""
_POSSESSED = compile_late(r"^\S.*\w['’]s\b[^:]*:$")
_NOUN_ALONE = compile_late(r"(?:the|this|that|an?) \w+(?: \w*[^\Ws])?:?$", re.I)
"""A heading, and no sentence; an "s" at its end may be that of a verb: "the server shows"."""
_COPULAS = frozenset({"is", "are", "be"})


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line that the owner wrote, with its place, and the agent's line that it replaces; "" for one that came in addition."""

    start: int
    end: int
    text: str
    former: str


@dataclass(frozen=True, slots=True)
class BlockEdit:
    """The place of a block that was sent back, the lines changed in it, the agent's lines and items that were struck, and the
    agent's line above the block."""

    start: int
    end: int
    changes: tuple[LineChange, ...]
    struck: tuple[str, ...]
    heading: str


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str
    number: int


def find_edited_block(text: str, reply: str) -> BlockEdit | None:
    """Return the block of the agent's `reply` that a message sends back with changes; None where there is none."""
    own, given = _split_lines(text), _split_lines(reply)
    if not own or not given or len(own) > MOST_LINES or len(given) > MOST_LINES:
        return None
    return _find_changed_lines(own, given) or _find_changed_items(own, given)


def tell_change(change: LineChange) -> str:
    """Return a changed line in words: "Rows: 6, was 8"; only the words of the former line that differ are told."""
    new, old = _LABEL.sub("", change.text).strip("| \t"), _LABEL.sub("", change.former).strip("| \t")
    if not old:
        return new
    new_words, old_words = new.split(), old.split()
    first = 0
    while first < min(len(new_words), len(old_words)) and _plain(new_words[first]) == _plain(old_words[first]):
        first += 1
    last = 0
    while last < min(len(new_words), len(old_words)) - first and _plain(new_words[-1 - last]) == _plain(old_words[-1 - last]):
        last += 1
    former = " ".join(old_words[first : len(old_words) - last])
    return f"{new.rstrip('.,; ')}, was {former.rstrip('.,; ')}" if former else new


def tell_struck(line: str) -> str:
    """Return a struck line without the mark of its list."""
    return _LABEL.sub("", line).strip()


def _split_lines(text: str) -> list[_Line]:
    return [
        _Line(line.start, line.start + len(words), words, number)
        for number, line in enumerate(split_lines(text))
        if _WORD.search(words := line.text.rstrip("\r\n")) and not _FENCE.match(words)
    ]


def _plain(text: str) -> str:
    """Return a line or word as it is compared: in small letters, without the marks around it."""
    return " ".join(_PROMPT.sub("", text).lower().strip("|*_`.,;:! \t").split())


def _find_changed_lines(own: Sequence[_Line], given: Sequence[_Line]) -> BlockEdit | None:
    blocks = SequenceMatcher(None, [_plain(line.text) for line in given], [_plain(line.text) for line in own], autojunk=False)
    same = [(block.a + at, block.b + at) for block in blocks.get_matching_blocks() for at in range(block.size)]
    if len(same) < MIN_SAME:
        return None
    first_given, first = _widen(given, own, same[0], -1)
    last_given, last = _widen(given, own, same[-1], 1)
    changes, struck = list[LineChange](), list[str]()
    edges = [(first_given - 1, first - 1), *same, (last_given + 1, last + 1)]
    if first and own[first].number - own[first - 1].number == 1 and _tells_of_others(own[first - 1].text):
        return None
    for (above_given, above), (below_given, below) in pairwise(edges):
        gap, former = own[above + 1 : below], given[above_given + 1 : below_given]
        if _count_chars(gap) * _count_chars(former) > MOST_GAP_SIZE:
            return None
        pairs, left = _pair(gap, former)
        changes += pairs
        struck += left
    size, shapes = last - first + 1, {_shape(given[place].text) for place, _ in same}
    is_alike = all(change.former or _shape(change.text) in shapes for change in changes) and not any(map(_asks, changes))
    if not (changes or struck) or len(same) < MIN_SHARE * size or len(same) < MIN_SHARE * (last_given - first_given + 1):
        return None
    if not is_alike or (not changes and len(struck) * MIN_KEPT > len(same)):
        return None  # words between the lines answer them, and who repeats a few lines quotes them
    return BlockEdit(own[first].start, own[last].end, tuple(changes), tuple(struck), _find_heading(given, first_given))


def _count_chars(lines: Sequence[_Line]) -> int:
    return sum(len(line.text) for line in lines)


def _asks(change: LineChange) -> bool:
    """Whether the owner put a question behind a line: "write tests (done?)" wishes nothing."""
    return change.text.rstrip(" )]|*_`").endswith(QUESTION_MARKS) and not change.former.rstrip(" )]|*_`").endswith(QUESTION_MARKS)


def _tells_of_others(line: str) -> bool:
    """Whether the line above a block says whose it is, or what a program does: "anna's version:", "now it prints"."""
    words = list_plain_words(line)
    is_other = parse_clause(line, line).subject in ("it", "noun") and not demands(words) and _COPULAS.isdisjoint(words)
    return _POSSESSED.match(line.strip()) is not None or (is_other and len(words) > 1 and not _NOUN_ALONE.match(line.strip()))


def _find_heading(given: Sequence[_Line], place: int) -> str:
    return given[place - 1].text.strip().rstrip(":") if place and given[place - 1].text.rstrip().endswith(":") else ""


def _widen(given: Sequence[_Line], own: Sequence[_Line], edge: tuple[int, int], step: int) -> tuple[int, int]:
    """Return the edge of a block, moved on while the next line of the owner's replaces one of the agent's next ones, and over the
    agent's further lines of the same form: the first or last ones were changed or struck."""
    place_given, place = edge
    while 0 <= place + step < len(own):
        ahead = [place_given + step * far for far in range(1, LOOK_AHEAD + 1)]
        near = [at for at in ahead if 0 <= at < len(given) and _replaces(own[place + step].text, given[at].text)]
        if not near:
            break
        best = max(near, key=lambda at: _measure_likeness(own[place + step].text, given[at].text))
        place_given, place = best, place + step
    while 0 <= place_given + step < len(given) and _goes_on(given, *sorted((place_given, place_given + step))):
        place_given += step
    return place_given, place


def _goes_on(lines: Sequence[_Line], first: int, second: int) -> bool:
    """Whether a line stands right below another one and has its form."""
    is_head = lines[first].text.rstrip().endswith(":") and not lines[second].text.rstrip().endswith(":")
    is_below = lines[second].number - lines[first].number == 1
    return is_below and not is_head and _shape(lines[first].text) == _shape(lines[second].text) != "plain"


def _pair(own: Sequence[_Line], given: Sequence[_Line]) -> tuple[list[LineChange], list[str]]:
    """Return the owner's lines of a gap with those that they replace, and the agent's that nothing replaces."""
    changes, left = list[LineChange](), list(given)
    is_paired = len(own) == len(given) == 1 and _shape(own[0].text) == _shape(given[0].text)
    for line in own:
        alike = [other for other in left if is_paired or _replaces(line.text, other.text)]
        former = max(alike, key=lambda other: _measure_likeness(line.text, other.text), default=None)
        if former is not None:
            left.remove(former)
        changes.append(LineChange(line.start, line.end, line.text, former.text if former else ""))
    return changes, [line.text for line in left]


def _replaces(line: str, former: str) -> bool:
    """Whether two lines have one key before a colon or "=", or are much alike."""
    key, other = _KEY.match(line), _KEY.match(former)
    if key and other:
        return _plain(key[1]) == _plain(other[1])
    if _shape(line) != _shape(former):
        return False
    return _measure_likeness(line, former) >= MIN_LIKENESS


def _measure_likeness(line: str, former: str) -> float:
    if max(len(line), len(former)) > MOST_LIKE_CHARS:
        return 0.0
    new, old = _plain(_LABEL.sub("", line)), _plain(_LABEL.sub("", former))
    if max(len(new), len(old)) > MOST_LETTERS:
        return SequenceMatcher(None, new.split(), old.split(), autojunk=False).ratio()
    return SequenceMatcher(None, new, old, autojunk=False).ratio()


def _shape(line: str) -> str:
    """Return how a line is written: the mark of a list, a key, or a plain line."""
    if label := _LABEL.match(line):
        return re.sub(r"\d+", "1", label[0].strip())[:1]
    return "key" if _KEY.match(line) else "|" if line.lstrip().startswith("|") else "plain"


def _find_changed_items(own: Sequence[_Line], given: Sequence[_Line]) -> BlockEdit | None:
    split = [_split_items(former.text) for former in given]
    for line in own:
        items = _split_items(line.text)
        plain = [_plain(item) for item in items]
        for place, (former, others) in enumerate(zip(given, split, strict=True) if items else ()):
            known = [_plain(item) for item in others]
            same = set(plain) & set(known)
            is_edit = plain != known and len(same) >= max(MIN_SAME, len(plain) / 2, len(known) / 2)
            longest, added = max((len(word.split()) for word in known), default=0), set(plain) - same
            if is_edit and added and max(len(word.split()) for word in added) <= longest + 1:
                lead = _LEAD.match(former.text)
                heading = lead["heading"].strip() if lead else _find_heading(given, place)
                struck = tuple(item for item, word in zip(others, known, strict=True) if word not in same)
                return BlockEdit(
                    line.start, line.end, (LineChange(line.start, line.end, line.text.strip(), ""),), struck, heading
                )
    return None


def _split_items(line: str) -> list[str]:
    """Return the items of a list on one line; none where one of them is a sentence, or the line asks."""
    items = [item for item in _ITEM_BREAK.split(_LEAD.sub("", line).strip().strip("|")) if item.strip()]
    is_list = len(items) >= MIN_ITEMS and all(len(item.split()) <= MOST_ITEM_WORDS for item in items)
    return items if is_list and not line.rstrip().endswith("?") else []


def list_pieces(edit: BlockEdit) -> Iterator[tuple[int, int, bool]]:
    """Yield the stretches of a block in order, each with whether the owner wrote it."""
    position = edit.start
    for change in edit.changes:
        if change.start > position:
            yield position, change.start, False
        yield change.start, change.end, True
        position = change.end
    if position < edit.end:
        yield position, edit.end, False
