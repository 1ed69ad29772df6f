"""Values that a name was given, in order: what a later exchange changed is history and must not be kept as the present state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from transforms.language import entities
from transforms.language.sentences import content_words
from transforms.offline import claims
from transforms.offline.exchanges import Exchange

_VALUE = r"(?:#?[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|v?\d+(?:\.\d+)+|\d+(?:\.\d+)?%?(?!\w|\.\w))"
_LINK = r"(?:is|are|was|now|to|uses?|actually|changed|back|set|from|as|should|goes?|went)"
_NAMED = re.compile(
    rf"(?P<name>`[\w.$-]{{2,40}}`"
    rf"|(?!{_LINK}\b)[A-Za-z_$][\w.$-]*(?:[ -](?!{_LINK}\b)[A-Za-z][\w-]*){{0,2}})\s*(?:\([^()\n]{{0,40}}\)\s*)?"
    rf"(?:(?::|=|→|->)\s*|\b(?:is|are|was|now|to|uses?|actually|changed|back|set|from|as|should be|goes?|went)\s+)+"
    rf"(?:[\w' -]{{0,24}}?)(?P<value>`?\"?{_VALUE}`?\"?(?:\s*(?:\([^()]*\)\s*)?(?:→|->|to)\s*`?\"?{_VALUE}`?\"?)?)"
)
_ARROW = re.compile(rf"(?P<name>[A-Za-z_$][\w.$-]*)\s+(?P<old>{_VALUE}|[\w.$-]+)\s*(?:→|->)\s*(?P<value>{_VALUE})")
"""`dimGray #444444 → #585858`."""
_LEAD = re.compile(r"^\w+ (?:decided|asked|wants|objected|said|found|reported|set a \w+|left open): \"", re.I)
_NO_NAMES = frozenset({"down", "back", "which", "while", "also", "then", "line", "lines", "step", "version"})
_DETERMINER = re.compile(r"^(?:(?:the|an?|our|your|my|its|new|old|updated|changed|current|default)\s+)+", re.I)
_IDENTIFIER = re.compile(r"(?<![\w$])(?:[A-Za-z$][\w$]*[a-z][A-Z][\w$]*|[a-z]\w*_\w+)(?![\w$])")
_LAST_VALUE = re.compile(_VALUE)


@dataclass(frozen=True)
class Settled:
    """Per name and file (empty where words gave it) the last exchange, by index, that gave it a value, and that value."""

    latest: dict[str, dict[str, tuple[int, str]]] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    """Per name that edits took out of every file they touched, the exchange that did so."""

    def is_stale(self, text: str, at: int, *, by_names: bool = True) -> bool:
        """Whether most of the names that the text gives a value got another one in a later exchange than `at`."""
        if by_names and any(self.gone.get(name, -1) > at for name in _IDENTIFIER.findall(text)):
            return True
        given = assignments(text)
        replaced = [name for name, value in given if self._is_replaced(name, value, at)]
        return len(replaced) * 2 > len(given)

    def _is_replaced(self, name: str, value: str, at: int) -> bool:
        """Two themes may name a color alike: what is still so in one of the files is not replaced."""
        known = self.latest.get(name, {})
        last = max((when for when, _ in known.values()), default=-1)
        current = {now for place, (when, now) in known.items() if place or when == last}
        return last > at and value not in current

    def without_stale(self, text: str, at: int) -> str:
        """The text without its stale clauses (parts between semicolons); empty when nothing else is left."""
        head, colon, body = text.partition(": ")
        parts = [part for part in (body if colon else text).split("; ") if not self.is_stale(part, at)]
        if len(parts) == (body if colon else text).count("; ") + 1:
            return text
        if 2 * len(parts) <= (body if colon else text).count("; ") + 1:
            return ""  # most of it is history, and so is what it was said about
        kept = "; ".join(parts).strip()
        return (f"{head}: {kept}" if colon and not self.is_stale(head, at) else kept) if kept and parts else ""


def outdated_by(older: str, later: Sequence[str]) -> int | None:
    """The first of the later texts with which half of the names that the older text gives a value have another one.

    A text about another file says nothing about them: two themes may name a color alike. Where the older text names no file
    and a later one does, that must say that it replaces the very value.
    """
    given = dict(assignments(older))
    files = set(entities.file_names(older))
    replaced: set[str] = set()
    for at, text in enumerate(later if given else ()):
        others = set(entities.file_names(text))
        if files and others and not files & others:
            continue
        now = {name: value for name, value in assignments(text) if given.get(name, value) != value}
        if others and not files:
            before = {_normal(match["name"]): match["old"].lstrip("#").lower() for match in _ARROW.finditer(text)}
            now = {name: value for name, value in now.items() if before.get(name) == given[name]}
        replaced |= set(now)
        if replaced and 2 * len(replaced) >= len(given):
            return at
    return None


def settled(exchanges: list[Exchange]) -> Settled:
    """Reads the names and values of agents' last words, of edits to settings files and of what people typed."""
    latest: dict[str, dict[str, tuple[int, str]]] = {}
    for at, exchange in enumerate(exchanges):
        for place, name, value in _given(exchange):
            latest.setdefault(name, {})[place] = (at, value)
    return Settled(latest, _gone(exchanges))


def _gone(exchanges: list[Exchange]) -> dict[str, int]:
    """Names that were taken out of two files or more and stand in none that was written: what was said of them is history."""
    places: dict[str, dict[str, int]] = {}
    for at, exchange in enumerate(exchanges):
        for action in exchange.actions:
            if action.kind in ("edit", "create") and action.is_ok:
                for name in action.lost:
                    places.setdefault(name, {})[action.path] = at
                for name in action.held:
                    places.setdefault(name, {})[action.path] = -1
    return {name: max(found.values()) for name, found in places.items() if len(found) > 1 and min(found.values()) >= 0}


def _given(exchange: Exchange) -> Iterator[tuple[str, str, str]]:
    yield from (("", *one) for one in assignments(exchange.typed))
    for action in exchange.actions:
        for key, _, new in action.values:
            if found := _LAST_VALUE.findall(new):
                yield action.path, _normal(key), found[-1].lstrip("#").lower()
    if exchange.closing:
        for claim in claims.claims_of(exchange.closing.text):
            yield from (("", *one) for one in assignments(claim.text))


@lru_cache(maxsize=8192)
def assignments(text: str) -> tuple[tuple[str, str], ...]:
    """Names with the values that a text gives them; of "from A to B" only B."""
    text = _LEAD.sub("", text)
    found: list[tuple[str, str]] = []
    for match in _NAMED.finditer(text):
        values = _LAST_VALUE.findall(match["value"])
        if values and (name := _normal(match["name"])) and not entities.file_names(match["name"]):
            found.append((name, values[-1].lstrip("#").lower()))
    found += [(_normal(match["name"]), match["value"].lstrip("#").lower()) for match in _ARROW.finditer(text)]
    return tuple(one for one in found if one[0])


def _normal(name: str) -> str:
    bare = _DETERMINER.sub("", name.lower())
    return re.sub(r"[^a-z0-9]", "", bare) if content_words(bare) - _NO_NAMES else ""
