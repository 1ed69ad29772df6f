"""Writes, reads and shortens dated observations: the form in which a compaction keeps a conversation.

    Date: 2026-02-10
    - [!] 14:30 User: "never push to main"
    - [i] 14:35 `make test` failed: 2 of 40 tests

A day is a heading, a line is one observation with its priority and its local time. `extensions/pi/observational-memory` has a
model write the same form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo

from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import Priority
from transforms.tables.tokens import count_tokens, count_utf16_units

MARKS: dict[Priority, str] = {"high": "!", "medium": "?", "low": "i"}
_IMPORTANCE = {"i": 0, "": 1, "?": 2, "!": 3}
"""The higher, the longer a line with this mark stays."""
OWNER_WORD = "User"
"""The owner where nobody told a name, and in observations that a model made."""
TASK_STATE, NEXT_STATE = STATES = ("Current task: ", "Next: ")
"""Where the work stood: how the last lines of an observation begin."""
_DAY_HEADING = compile_late(r"^Date:\s*(\d{4}-\d\d-\d\d)\s*$")
_OBSERVATION_LINE = compile_late(r"^(\s*)- \[([!?i])\]\s+(?:(\d\d:\d\d)\s+)?(\S.*)$")
_NOT_PLAIN = compile_late(r"\s+")


@dataclass(frozen=True, slots=True)
class DatedLine:
    """One observation: the text of its day's heading (empty when it has none), its mark, its time and its words.

    A `mark` of the empty text is a line of another form, which is kept as it is.
    """

    day: str
    mark: str
    time: str
    text: str
    indent: str = ""

    def write(self) -> str:
        """Return the line without its day."""
        if not self.mark:
            return self.text
        return f"{self.indent}- [{self.mark}] {f'{self.time} ' if self.time else ''}{self.text}"


def make_line(text: str, priority: Priority, said_at: datetime, zone: tzinfo) -> DatedLine:
    """Return the line of a fact that was said at a moment; a text of several lines becomes one."""
    local = said_at.astimezone(zone)
    return DatedLine(f"{local:%Y-%m-%d}", MARKS[priority], f"{local:%H:%M}", _NOT_PLAIN.sub(" ", text).strip())


def join_moments(lines: Iterable[DatedLine], max_chars: int) -> list[DatedLine]:
    """Return the lines with those of the same minute as one line of at most `max_chars`, under the most important of their marks.

    Words, findings and actions about one subject then stand together, and their time is written once.
    """
    joined: list[DatedLine] = []
    for line in lines:
        last = joined[-1] if joined else None
        is_same = last is not None and line.mark and (last.day, last.time, last.indent) == (line.day, line.time, line.indent)
        if last and is_same and last.mark and len(last.text) + len(line.text) + 2 <= max_chars:
            mark = min(last.mark, line.mark, key="!?i".index)
            joined[-1] = replace(last, mark=mark, text=f"{last.text.rstrip('.;')}; {line.text}")
        else:
            joined.append(line)
    return joined


def write_observations(lines: Iterable[DatedLine]) -> str:
    """Return the lines as text, each day once above its lines; the order stays."""
    written: list[str] = []
    day = ""
    for line in lines:
        if line.day != day:
            day = line.day
            written += [*([""] if written else []), f"Date: {day}"]
        written.append(line.write())
    return "\n".join(written)


def parse_observations(text: str) -> list[DatedLine]:
    """Return the lines of dated observations in order; a line of another form keeps its words and has no mark."""
    lines: list[DatedLine] = []
    day = ""
    for written in text.splitlines():
        if heading := _DAY_HEADING.match(written):
            day = heading[1]
        elif match := _OBSERVATION_LINE.match(written):
            lines.append(DatedLine(day, match[2], match[3] or "", match[4], match[1]))
        elif written.strip():
            lines.append(DatedLine(day, "", "", written))
    return lines


def condense_observations(text: str, max_tokens: int, owner: str = OWNER_WORD) -> str:
    """Return the observations within `max_tokens`. A text that is short enough comes back unchanged.

    Repeated lines and states that a later one replaced go first, then lines with `[i]`, of another form, with `[?]` and with
    `[!]`; of the same mark those without the owner's words, the oldest of each first: a commit can be looked up, a wish cannot.
    """
    if count_tokens(text) <= max_tokens:
        return text
    lines = _drop_replaced_states(_drop_repeated(parse_observations(text)))
    says_owner = [line.text.startswith((f"{owner} ", f"{owner}:", f"{OWNER_WORD} ", f"{OWNER_WORD}:")) for line in lines]
    droppable = sorted(range(len(lines)), key=lambda index: (_IMPORTANCE[lines[index].mark], says_owner[index], index))
    kept_indices = dict.fromkeys(range(len(lines)))
    condensed = write_observations(lines)
    while (excess := count_utf16_units(condensed) - 4 * max_tokens) > 0:
        while excess > 0 and droppable:  # headings of empty days go with their last line: the outer loop counts exactly
            del kept_indices[droppable[0]]
            excess -= count_utf16_units(lines[droppable.pop(0)].write()) + 1
        condensed = write_observations(lines[index] for index in sorted(kept_indices))
    return condensed


def _drop_replaced_states(lines: Sequence[DatedLine]) -> list[DatedLine]:
    """Return the lines without the tasks and next steps of earlier compactions: work goes on from the last ones."""
    states = [line for line in lines if line.mark and line.text.startswith(STATES)]
    return [line for line in lines if line not in states or (line.day, line.time) == (states[-1].day, states[-1].time)]


def _drop_repeated(lines: Sequence[DatedLine]) -> list[DatedLine]:
    """Return the lines without repetitions: of those that say the same, the last of the most important ones stays."""
    index_by_text: dict[str, int] = {}
    for index, line in enumerate(lines):
        other = index_by_text.get(line.text.casefold())
        if other is None or _IMPORTANCE[line.mark] >= _IMPORTANCE[lines[other].mark]:
            index_by_text[line.text.casefold()] = index
    return [line for index, line in enumerate(lines) if index_by_text[line.text.casefold()] == index]
