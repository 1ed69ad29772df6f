"""Completes the citations of hits, for readers that look into the session files: the lines of entries in other sessions.

The index has only the ids of these entries. Reading their lines opens the files of all days, so people and agents do without.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from effects.store.lake import Lake
from transforms.recall.types import Answer, Citation, Hit

Lines = dict[tuple[str, str], int]


def add_cited_lines(lake: Lake, answers: Iterable[Answer]) -> Iterator[Answer]:
    """Yield the answers: all entries that their hits cite have lines, and a period has the first session that it cites."""
    lines: Lines = {}
    read: set[str] = set()
    for answer in answers:
        cited = {other.session_id: other.entry_ids for hit in answer.hits for other in hit.also}
        if new := {session: entries for session, entries in cited.items() if session not in read}:
            from effects.recall.export_rows import find_lines  # polars: only for an answer that cites other sessions

            lines |= find_lines(lake, [new])
            read |= new.keys()
        yield replace(answer, hits=tuple(_complete_hit(hit, lines) for hit in answer.hits))


def _complete_hit(hit: Hit, lines: Lines) -> Hit:
    also = tuple(_complete_citation(other, lines) for other in hit.also)
    if hit.session_id is None and also:
        own, *others = also
        return replace(hit, session_id=own.session_id, entry_ids=own.entry_ids, lines=own.lines, also=tuple(others))
    return replace(hit, also=also)


def _complete_citation(citation: Citation, lines: Lines) -> Citation:
    known = tuple(lines[citation.session_id, entry] for entry in citation.entry_ids if (citation.session_id, entry) in lines)
    return replace(citation, lines=known or citation.lines)
