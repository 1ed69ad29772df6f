"""What `show` shows, as an object, as JSON and as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from transforms.recall.types import stamp
from transforms.tables.tokens import tokens

TEXT_CHARS = 1_200
"""Characters of an entry that a terminal shows; `--json` has them all."""
HIDDEN = frozenset(
    {"schema_version", "raw_json", "text", "narrative", "template_hash", "child_ids", "entry_refs", "evidence_ids"}
)
"""Columns that the text form leaves out or shows in another place."""


@dataclass(frozen=True, slots=True)
class Link:
    """Something that the shown thing belongs to or was made of."""

    id: str
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """An original entry; `line` is the 0-based line in `source_path`."""

    session_id: str
    entry_id: str
    line: int
    role: str
    said_at: datetime | None
    source_path: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A row of the lake with its surroundings."""

    id: str
    what: str
    row: dict[str, Any]
    parents: tuple[Link, ...] = ()
    children: tuple[Link, ...] = ()
    entries: tuple[ShownEntry, ...] = ()

    def without(self, forgotten: Set[str]) -> Shown:
        """The same without links and entries that were forgotten."""
        if not forgotten:
            return self
        entries = (one for one in self.entries if not {one.session_id, f"{one.session_id}:{one.entry_id}"} & forgotten)
        return replace(
            self,
            parents=tuple(link for link in self.parents if link.id not in forgotten),
            children=tuple(link for link in self.children if link.id not in forgotten),
            entries=tuple(entries),
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-able: times as ISO 8601 in UTC, days as ISO dates."""
        return {
            "id": self.id,
            "what": self.what,
            "row": {name: _plain(value) for name, value in self.row.items() if name != "schema_version"},
            "parents": [{"id": link.id, "what": link.what, "text": link.text} for link in self.parents],
            "children": [{"id": link.id, "what": link.what, "text": link.text} for link in self.children],
            "entries": [
                {
                    "session_id": entry.session_id,
                    "entry_id": entry.entry_id,
                    "line": entry.line,
                    "role": entry.role,
                    "said_at": stamp(entry.said_at),
                    "source_path": entry.source_path,
                    "text": entry.text,
                }
                for entry in self.entries
            ],
        }


def shown_text(shown: Shown, max_tokens: int | None = None) -> str:
    """The text form: what it is, what it belongs to, what it was made of, and the entries.

    Within `max_tokens` everything gets shorter before anything is left out, the entries first, and a last line says so.
    """
    text = "\n".join(_text_lines(shown, _SIZES[0])) + "\n"
    if max_tokens is None or tokens(text) <= max_tokens:
        return text
    left = max_tokens - tokens(CUT)
    for size in _SIZES[1:]:
        text = "\n".join(_text_lines(shown, size)) + "\n"
        if tokens(text) <= left:
            return text + CUT
    return text[: max(left, 0) * 4].rpartition("\n")[0] + "\n" + CUT


@dataclass(frozen=True, slots=True)
class _Size:
    entry_chars: int
    entries: int
    links: int


_SIZES = (
    _Size(TEXT_CHARS, 1_000_000, 1_000_000),
    _Size(600, 40, 20),
    _Size(300, 20, 12),
    _Size(200, 12, 8),
    _Size(120, 6, 4),
    _Size(80, 3, 2),
)
"""How much is shown, from everything to the least."""
CUT = "(shortened to the token budget; ask for a larger one, or for one of the ids above)\n"


def _text_lines(shown: Shown, size: _Size) -> Iterator[str]:
    yield f"{shown.what} {shown.id}"
    if text := shown.row.get("text") or shown.row.get("narrative"):
        yield f"  {text}"
    for name, value in shown.row.items():
        if name not in HIDDEN and value not in (None, "", []):
            yield f"  {name}: {_short(_plain(value))}"
    for title, links in (("belongs to", shown.parents), ("made of", shown.children)):
        if links:
            yield f"\n{title}"
            yield from (f"  {link.what} {link.id}  {_short(link.text)}" for link in links[: size.links])
            yield from _more(len(links) - size.links)
    if shown.entries:
        yield "\nentries"
    yield from _entry_lines(shown.entries[: size.entries], size.entry_chars)
    yield from _more(len(shown.entries) - size.entries)


def _entry_lines(entries: tuple[ShownEntry, ...], chars: int) -> Iterator[str]:
    file = None
    for entry in entries:
        if entry.source_path != file:
            file = entry.source_path
            yield f"  {file}"
        yield f"  line {entry.line}  {stamp(entry.said_at) or ''}  {entry.role}  {entry.session_id}:{entry.entry_id}"
        cut = entry.text[:chars] + ("…" if len(entry.text) > chars else "")
        yield from (f"    {line}" for line in cut.splitlines())


def _more(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  … and {count} more"


def _short(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value[:12])) + (f" … ({len(value)})" if len(value) > 12 else "")
    text = " ".join(str(value).split())
    return text if len(text) <= 160 else text[:159] + "…"


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return stamp(value)
    return value.isoformat() if isinstance(value, date) else value
