"""Track the values that names were given, so that a value which a later exchange changed is not kept as current."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from transforms.exchanges import claims
from transforms.exchanges.exchange import Exchange
from transforms.language import entities
from transforms.language.sentences import find_content_words, split_sentences
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import KINDS

_VALUE = r"(?:#?[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|v?\d+(?:\.\d+)+|\d+(?:\.\d+)?%?(?!\w|\.\w))"
_LINK = r"(?:is|are|was|now|to|uses?|actually|changed|back|set|from|as|should|goes?|went)"
_NAMED = compile_late(
    rf"(?P<name>`[\w.$-]{{2,40}}`"
    rf"|(?!{_LINK}\b)[A-Za-z_$][\w.$-]*(?:[ -](?!{_LINK}\b)[A-Za-z][\w-]*){{0,2}})\s*(?:\([^()\n]{{0,40}}\)\s*)?"
    rf"(?:(?::|=|→|->)\s*|\b(?:is|are|was|now|to|uses?|actually|changed|back|set|from|as|should be|goes?|went)\s+)+"
    rf"(?:[\w' -]{{0,24}}?)(?P<value>`?\"?(?<!\w){_VALUE}`?\"?(?:\s*(?:\([^()]*\)\s*)?(?:→|->|to)\s*`?\"?{_VALUE}`?\"?)?)"
)
_ARROW = compile_late(rf"(?P<name>[A-Za-z_$][\w.$-]*)\s+(?P<old>{_VALUE}|[\w.$-]+)\s*(?:→|->)\s*(?P<value>{_VALUE})")
"""`dimGray #444444 → #585858`."""
_QUOTATION_LEAD = compile_late(r"^\w+ (?:decided|asked|wants|objected|said|found|reported|set a \w+|left open): \"", re.I)
_NOT_NAMES = frozenset({"down", "back", "which", "while", "also", "then", "line", "lines", "step", "version"})
_LEADING_DETERMINERS = compile_late(r"^(?:(?:the|an?|our|your|my|its|new|old|updated|changed|current|default)\s+)+", re.I)
_LAST_VALUE = compile_late(_VALUE)


@dataclass(frozen=True)
class ValueHistory:
    """Per name and file (empty for values given in words) the index of the last exchange that set it, and the value."""

    latest: dict[str, dict[str, tuple[int, str]]] = field(default_factory=dict)
    removed_names: dict[str, int] = field(default_factory=dict)
    """Per name that edits removed from every file they touched, the index of that exchange."""
    is_undone: Callable[[str, int], bool] | None = None
    """Whether work behind an exchange took a value of a statement out of the files again."""

    def is_stale(self, text: str, index: int, *, by_names: bool = True) -> bool:
        """Whether most names that the text gives a value got another one in an exchange after `index`."""
        if (
            by_names
            and self.removed_names
            and any(self.removed_names.get(name, -1) > index for name in entities.IDENTIFIER.findall(text))
        ):
            return True
        assignments = find_assignments(text)
        replaced = [name for name, value in assignments if self._is_replaced(name, value, index)]
        return len(replaced) * 2 > len(assignments)

    def _is_replaced(self, name: str, value: str, index: int) -> bool:
        """Whether a value is replaced. Two themes may name a colour alike: a value current in one file is not replaced."""
        by_file = self.latest.get(name, {})
        last = max((when for when, _ in by_file.values()), default=-1)
        current = {current_value for place, (when, current_value) in by_file.items() if place or when == last}
        return last > index and value not in current

    def remove_stale_clauses(self, text: str, index: int) -> str:
        """Return the text without stale clauses (parts between semicolons) and undone sentences; empty when most is stale."""
        current = self._remove_clauses(text, index)
        if self.is_undone is None or not any(map(str.isdigit, current)):
            return current
        sentences = split_sentences(current)
        standing = [sentence for sentence in sentences if not self.is_undone(sentence, index)]
        return current if len(standing) == len(sentences) else " ".join(standing)

    def _remove_clauses(self, text: str, index: int) -> str:
        head, colon, body = text.partition(": ")
        parts = _split_parts(body if colon else text)
        count = sum(len(_list_points(part)) for part in parts)
        current = [kept for part in parts if (kept := self._remove_points(part, index))]
        left = sum(len(_list_points(part)) for part in current)
        if left == count:
            return text
        if 2 * left <= count:
            return ""  # most of it is history, and so is its head
        joined = "; ".join(current).strip()
        return f"{head}: {joined}" if colon and not self.is_stale(head, index) else joined

    def _remove_points(self, part: str, index: int) -> str:
        """Return a part without the stale ones of its points in brackets; empty when it is stale itself."""
        points = _list_points(part)
        if len(points) == 1:
            return "" if self.is_stale(part, index) else part
        standing = [point for point in points if not self.is_stale(point, index)]
        if len(standing) == len(points):
            return part
        return f"{part.partition(' (')[0]} ({'; '.join(standing)})" if standing else ""


def _split_parts(body: str) -> list[str]:
    """Return the parts of a list as a sentence; the points in brackets behind one stay with it. A bracket that nobody closes
    ("foo(", ":(") holds nothing together."""
    pieces, parts = body.split("; "), list[str]()
    place = 0
    while place < len(pieces):
        end = _find_close(pieces, place)
        parts.append("; ".join(pieces[place : end + 1]))
        place = end + 1
    return parts


def _find_close(pieces: Sequence[str], place: int) -> int:
    """Return the piece that closes the brackets of this one; this one when none does."""
    is_open = 0
    for end in range(place, len(pieces)):
        is_open += pieces[end].count("(") - pieces[end].count(")")
        if is_open <= 0:
            return end
    return place


def _list_points(part: str) -> list[str]:
    """Return the points in brackets at the end of a part of a list ("helper (60 lines; no links)"), or the part."""
    _, bracket, points = part.partition(" (")
    return points[:-1].split("; ") if bracket and part.endswith(")") and "(" not in points else [part]


def find_superseding_text(older: str, later: Sequence[str]) -> int | None:
    """Return the index of the first later text that gives half of the older text's names another value.

    Texts about different files do not supersede each other: two themes may name a colour alike. When only the later text names a
    file, it must mention the very value that it replaces.
    """
    older_values = dict(find_assignments(older))
    files = set(entities.find_file_names(older))
    replaced: set[str] = set()
    for index, text in enumerate(later if older_values else ()):
        other_files = set(entities.find_file_names(text))
        if files and other_files and not files & other_files:
            continue
        new_values = {name: value for name, value in find_assignments(text) if older_values.get(name, value) != value}
        if other_files and not files:
            old_values = {_normalise_name(match["name"]): match["old"].lstrip("#").lower() for match in _ARROW.finditer(text)}
            new_values = {name: value for name, value in new_values.items() if old_values.get(name) == older_values[name]}
        replaced |= set(new_values)
        if replaced and 2 * len(replaced) >= len(older_values):
            return index
    return None


def collect_values(exchanges: list[Exchange]) -> ValueHistory:
    """Return the values set by agents' final replies, edits of settings files and typed text."""
    latest: dict[str, dict[str, tuple[int, str]]] = {}
    for index, exchange in enumerate(exchanges):
        for place, name, value in _find_exchange_values(exchange):
            latest.setdefault(name, {})[place] = (index, value)
    return ValueHistory(latest, _find_removed_names(exchanges))


def _find_removed_names(exchanges: list[Exchange]) -> dict[str, int]:
    """Return names removed from two files or more and written in none: statements about them are history."""
    places: dict[str, dict[str, int]] = {}
    for index, exchange in enumerate(exchanges):
        for action in exchange.actions:
            if action.kind in ("edit", "create") and action.is_ok:
                for name in action.removed_names:
                    places.setdefault(name, {})[action.path] = index
                for name in action.written_names:
                    places.setdefault(name, {})[action.path] = -1
    return {name: max(indexes.values()) for name, indexes in places.items() if len(indexes) > 1 and min(indexes.values()) >= 0}


def _find_exchange_values(exchange: Exchange) -> Iterator[tuple[str, str, str]]:
    yield from (("", *assignment) for assignment in find_assignments(exchange.typed))
    for action in exchange.actions:
        for key, _, new in action.values:
            if matches := _LAST_VALUE.findall(new):
                yield action.path, _normalise_name(key), matches[-1].lstrip("#").lower()
    if exchange.final_reply:
        for claim in claims.split_claims(exchange.final_reply.text):
            yield from (("", *assignment) for assignment in find_assignments(claim.text))


@lru_cache(maxsize=8192)
def find_assignments(text: str) -> tuple[tuple[str, str], ...]:
    """Return the names and values that a text assigns; of "from A to B" only B."""
    if not _LAST_VALUE.search(text):
        return ()
    text = _QUOTATION_LEAD.sub("", text)
    assignments: list[tuple[str, str]] = []
    for match in _NAMED.finditer(text):
        values = _LAST_VALUE.findall(match["value"])
        if values and (name := _normalise_name(match["name"])) and not entities.find_file_names(match["name"]):
            assignments.append((name, values[-1].lstrip("#").lower()))
    assignments += [(_normalise_name(match["name"]), match["value"].lstrip("#").lower()) for match in _ARROW.finditer(text)]
    return tuple(assignment for assignment in assignments if assignment[0])


def _normalise_name(name: str) -> str:
    bare = _LEADING_DETERMINERS.sub("", name.lower())
    is_kind = bare.split(" ", 1)[0] in KINDS  # "Decision for the page: 3 columns" names no value
    return "" if is_kind or not find_content_words(bare) - _NOT_NAMES else re.sub(r"[^a-z0-9]", "", bare)
