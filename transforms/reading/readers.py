"""The readers of session files, one per agent, behind one interface. The content of a file tells its agent, never its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from transforms.conversation.claude_form import is_claude_line
from transforms.conversation.codex_form import LINE_TYPES, is_codex_line
from transforms.reading.claude import place_entries as claude_places
from transforms.reading.claude import session_header as claude_header
from transforms.reading.codex import place_entries as codex_places
from transforms.reading.codex import session_header as codex_header
from transforms.reading.json_lines import ParsedObject
from transforms.reading.pi import place_entries as pi_places
from transforms.reading.pi.session_header import read_header
from transforms.reading.placed_entry import EntryGroup, PlacedEntry
from transforms.reading.session_header import SessionHeader
from transforms.tables.enums import Agent


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of an agent's files: `read_header` recognises one by its first lines, `place_entries` puts its lines in order.

    The header is None as long as the lines do not tell, or a reason why the file cannot be read. A file of another agent than pi
    is read again from its beginning when it grew, because its lines depend on each other.
    """

    agent: Agent
    read_header: Callable[[Sequence[ParsedObject], str], SessionHeader | str | None]
    place_entries: Callable[[EntryGroup], Iterable[PlacedEntry]]


def _read_pi_header(objects: Sequence[ParsedObject], name: str) -> SessionHeader | str | None:
    return read_header(objects[0]) if objects else None


READERS: dict[Agent, Reader] = {
    "claude": Reader("claude", claude_header.read_header, claude_places.place_entries),
    "codex": Reader("codex", codex_header.read_header, codex_places.place_entries),
    "pi": Reader("pi", _read_pi_header, pi_places.place_entries),
}


def find_agent(first: ParsedObject) -> Agent:
    """Return the agent that wrote the first line of a file; pi, whose reader names the fault, when none is recognised."""
    if is_claude_line(first.value):
        return "claude"
    return "codex" if is_codex_line(first.value) and first.value["type"] in LINE_TYPES else "pi"


def recognise_session(objects: Sequence[ParsedObject], name: str, is_complete: bool) -> SessionHeader | str | None:
    """Return the header of a file from its first lines, the reason why it is not a session, or None while more lines are needed.

    `name` is the file's name without suffix; `is_complete` when there are no more lines.
    """
    if not objects:
        return None
    agent = find_agent(objects[0])
    header = READERS[agent].read_header(objects, name)
    if header is None and is_complete:
        return f"it names no session: its {len(objects)} lines accompany the sessions of other files ({agent})"
    return header


def place_entries(group: EntryGroup) -> Iterable[PlacedEntry]:
    """Return the entries of a group with their places."""
    return READERS[group.position.header.agent].place_entries(group)
