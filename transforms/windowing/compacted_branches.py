"""Find the entries that a compaction summarised: those of its branch before the first kept entry, and abandoned branches.

Parents are looked up among earlier entries only. So a line that is appended later (ids repeat in damaged files) never
changes the result for an earlier compaction.
"""

from __future__ import annotations

from transforms.windowing.window_entries import WindowEntry


class EntryTree:
    """The tree of one session's entries, as positions; every parent precedes its children."""

    def __init__(self, members: list[WindowEntry]) -> None:
        self.members = members
        self.parents: list[int | None] = []
        latest: dict[str, int] = {}
        for position, member in enumerate(members):
            self.parents.append(latest.get(member.parent_id) if member.parent_id is not None else None)
            latest[member.entry_id] = position

    def find_path(self, position: int) -> list[int]:
        """Return the positions from the root to `position`."""
        path = [position]
        while (parent := self.parents[path[-1]]) is not None:
            path.append(parent)
        return path[::-1]

    def find_summarised(self, compaction: int, last_answers: list[int | None]) -> set[int]:
        """Return the positions that the compaction at `compaction` summarised, those of earlier compactions included.

        On its own branch these are all entries before the first kept one. As in pi, an unknown first kept entry keeps nothing.
        Off the branch they are the branches that ended before that entry and wait for no tool result: they were abandoned. The
        branch of a second writer continues after the compaction and stays. `last_answers` holds, per position with tool calls,
        the position of the last result (None when one is missing).
        """
        path = self.find_path(compaction)[:-1]
        kept_from = self.members[compaction].first_kept_id
        first_kept = next((index for index in reversed(path) if self.members[index].entry_id == kept_from), None)
        summarised = {index for index in path if first_kept is None or index < first_kept}
        silent_before = first_kept if first_kept is not None else self._find_last_turn(path, compaction)
        return summarised | self._find_abandoned(set(path), silent_before, compaction, last_answers)

    def _find_last_turn(self, path: list[int], compaction: int) -> int:
        return next((index for index in reversed(path) if self.members[index].starts_turn), compaction)

    def _find_abandoned(self, path: set[int], before: int, end: int, last_answers: list[int | None]) -> set[int]:
        last_descendant = list(range(end))
        is_waiting = [False] * end
        for index in range(end - 1, -1, -1):
            if self.members[index].call_ids:
                answer_index = last_answers[index]
                is_waiting[index] = is_waiting[index] or answer_index is None or answer_index >= end
            parent = self.parents[index]
            if parent is not None:
                last_descendant[parent] = max(last_descendant[parent], last_descendant[index])
                is_waiting[parent] = is_waiting[parent] or is_waiting[index]
        return {index for index in range(end) if index not in path and last_descendant[index] < before and not is_waiting[index]}
