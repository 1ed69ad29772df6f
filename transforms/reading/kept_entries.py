"""Compares a session file with the entries that were read from it before: what the file no longer has stays in the lake."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

COMPARED = ("entry_id", "line_no", "entry_type", "text", "flags")
"""Columns of `entries` that tell whether two rows are the same entry."""
REDACTED = "[redacted:"
_EMPTIED = frozenset({"forgotten", "pruned"})


@dataclass(frozen=True, slots=True)
class CutFile:
    """A file that lacks the entries `lost` (numbers) of those in the lake; from its entry `first_new` on it tells news."""

    lost: tuple[int, ...]
    first_new: int


def find_cut(stored: pl.DataFrame, fresh: pl.DataFrame) -> CutFile | None:
    """Return what a file lacks of the `stored` entries and adds to them; None when it lacks none or was written anew.

    A file that was cut tells the stored entries in their places, without a stretch of them; a client that goes on behind the cut
    adds entries with ids of their own. Any other entry in a known place, or known id in another place, is a file whose owner or
    client wrote it anew: it counts as it stands.
    """
    old, new = ([*frame.select(COMPARED).iter_rows()] for frame in (stored, fresh))
    places: dict[tuple[str, int], int] = {(row[0], row[1]): number for number, row in enumerate(old)}
    at = first_new = 0
    lost: list[int] = []
    for row in new:
        place = places.get((row[0], row[1]))
        if place is None or place < at or not _is_same(old[place], row):
            break
        lost += range(at, place)
        at, first_new = place + 1, first_new + 1
    known = {row[0] for row in old}
    if first_new == len(old) or any(row[0] in known for row in new[first_new:]):
        return None
    if first_new == 0 and new:
        return None
    return CutFile((*lost, *range(at, len(old))), first_new)


def find_redacted_since(stored: pl.DataFrame, fresh: pl.DataFrame, cut: CutFile) -> dict[int, int]:
    """Return by the numbers of stored entries those of the file in their places, where only these are without a secret.

    An entry further down may have given it away. What was forgotten or pruned is not brought back.
    """
    lost = {*cut.lost}
    before, now = ([*frame.select(COMPARED).iter_rows()] for frame in (stored, fresh))
    places = zip((place for place in range(len(before)) if place not in lost), range(cut.first_new), strict=True)
    return {
        place: row
        for place, row in places
        if _EMPTIED.isdisjoint(before[place][4] or ()) and _count_redacted(now[row]) > _count_redacted(before[place])
    }


def _count_redacted(row: tuple[str, int, str, str, list[str]]) -> int:
    """Return how many placeholders a text has; a secret may also have stood beside the text alone."""
    return (row[3] or "").count(REDACTED) + ("redacted" in (row[4] or ()))


def count_missing(stored: pl.DataFrame, fresh: pl.DataFrame) -> int:
    """Return how many of the `stored` entries have words that no entry of the file has any more, in whichever place.

    An entry that became longer, or whose lines stand in others, is there. What was redacted in one of two readings, forgotten or
    pruned cannot be compared and is not missing.
    """
    rows = [*fresh.select(COMPARED).iter_rows()]
    now = {row[3] for row in rows if row[3]}
    places = {(row[0], row[1]): row for row in rows}
    suspects = [
        row
        for row in stored.select(COMPARED).iter_rows()
        if row[3]
        and row[3] not in now
        and REDACTED not in row[3]
        and _EMPTIED.isdisjoint(row[4] or ())
        and not ((other := places.get((row[0], row[1]))) and REDACTED in (other[3] or ""))
    ]
    if not suspects:
        return 0
    same = {row[0]: row[3] or "" for row in rows}
    lines = {line.strip() for text in now for line in text.splitlines()} | {
        ""
    }  # no search in all words: of a long file it takes hours
    return sum(
        row[3] not in same.get(row[0], "") and not all(line.strip() in lines for line in row[3].splitlines()) for row in suspects
    )


def _is_same(old: tuple[str, int, str, str, list[str]], new: tuple[str, int, str, str, list[str]]) -> bool:
    """Whether two rows are one entry; a text of several lines is shorter where its last lines are cut."""
    if old[2] != new[2]:
        return False
    before, now = old[3] or "", new[3] or ""
    return before.startswith(now) or REDACTED in before or REDACTED in now or not _EMPTIED.isdisjoint(old[4] or ())
