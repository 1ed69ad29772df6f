"""Values that a name was given, in order: what a later exchange changed is history and must not be kept as the present state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from transforms.offline import claims
from transforms.offline.exchanges import Exchange

_VALUE = r"(?:#?[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|v?\d+(?:\.\d+)+|\d+(?:\.\d+)?%?(?![\w.]))"
_NAMED = re.compile(
    rf"(?P<name>`[\w.$-]{{2,40}}`|[A-Za-z_$][\w.$-]*(?:[ -][A-Za-z][\w-]*){{0,2}})\s*(?:\([^()\n]{{0,40}}\)\s*)?"
    rf"(?:(?::|=|→|->)\s*|\b(?:is|are|was|now|to|uses?|actually|changed|back|set|from|as|should be|goes?|went)\s+)+"
    rf"(?:[\w' -]{{0,24}}?)(?P<value>`?\"?{_VALUE}`?\"?(?:\s*(?:\([^()]*\)\s*)?(?:→|->|to)\s*`?\"?{_VALUE}`?\"?)?)"
)
_LAST_VALUE = re.compile(_VALUE)


@dataclass(frozen=True)
class Settled:
    """Per name the last exchange (by index) that gave it a value, and that value."""

    latest: dict[str, tuple[int, str]] = field(default_factory=dict)

    def is_stale(self, text: str, at: int) -> bool:
        """Whether most of the names that the text gives a value got another one in a later exchange than `at`."""
        given = assignments(text)
        replaced = [name for name, value in given if (known := self.latest.get(name)) and known[0] > at and known[1] != value]
        return len(replaced) * 2 > len(given)

    def without_stale(self, text: str, at: int) -> str:
        """The text without its stale clauses (parts between semicolons); empty when nothing else is left."""
        head, colon, body = text.partition(": ")
        parts = [part for part in (body if colon else text).split("; ") if not self.is_stale(part, at)]
        if len(parts) == (body if colon else text).count("; ") + 1:
            return text
        kept = "; ".join(parts).strip()
        return (f"{head}: {kept}" if colon and not self.is_stale(head, at) else kept) if kept and parts else ""


def settled(exchanges: list[Exchange]) -> Settled:
    """Reads the names and values of agents' last words, of edits to settings files and of what people typed."""
    latest: dict[str, tuple[int, str]] = {}
    for at, exchange in enumerate(exchanges):
        for name, value in _given(exchange):
            latest[name] = (at, value)
    return Settled(latest)


def _given(exchange: Exchange) -> Iterator[tuple[str, str]]:
    yield from assignments(exchange.typed)
    for action in exchange.actions:
        for key, _, new in action.values:
            if found := _LAST_VALUE.findall(new):
                yield _normal(key), found[-1].lstrip("#").lower()
    if exchange.closing:
        for claim in claims.claims_of(exchange.closing.text):
            yield from assignments(claim.text)


def assignments(text: str) -> list[tuple[str, str]]:
    """Names with the values that a text gives them; of "from A to B" only B."""
    found: list[tuple[str, str]] = []
    for match in _NAMED.finditer(text):
        values = _LAST_VALUE.findall(match["value"])
        if values and (name := _normal(match["name"])):
            found.append((name, values[-1].lstrip("#").lower()))
    return found


def _normal(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
