"""What a compaction summarised: entries of its own branch before the first one it kept, and branches given up by then.

Parents are looked up among earlier entries only, so that a line appended later (ids repeat in damaged files) never
changes what an old compaction covered.
"""

from __future__ import annotations

from transforms.windowing.window_members import Member


class Branches:
    """The tree of one session's entries, as positions; every parent precedes its child."""

    def __init__(self, members: list[Member]) -> None:
        self.members = members
        self.parents: list[int | None] = []
        latest: dict[str, int] = {}
        for position, member in enumerate(members):
            self.parents.append(latest.get(member.parent_id) if member.parent_id is not None else None)
            latest[member.entry_id] = position

    def path(self, position: int) -> list[int]:
        """Positions from the root to `position`."""
        found = [position]
        while (parent := self.parents[found[-1]]) is not None:
            found.append(parent)
        return found[::-1]

    def summarised(self, compaction: int, last_answers: list[int | None]) -> set[int]:
        """Positions that the compaction at `compaction` put away, those of earlier compactions included.

        On its own branch: everything before the first kept entry, as pi reads it (an unknown one, or the compaction
        itself, keeps nothing). Off it: branches whose last entry lies before that too and which wait for no tool; they
        were given up, and belong to the time when they happened. A second writer's branch goes on past it and stays.
        `last_answers` gives, per position with tool calls, where the last result stands (None: it is missing).
        """
        path = self.path(compaction)[:-1]
        kept_from = self.members[compaction].kept_from
        kept = next((at for at in reversed(path) if self.members[at].entry_id == kept_from), None)
        put_away = {at for at in path if kept is None or at < kept}
        silent_before = kept if kept is not None else self._last_turn(path, compaction)
        return put_away | self._given_up(set(path), silent_before, compaction, last_answers)

    def _last_turn(self, path: list[int], compaction: int) -> int:
        return next((at for at in reversed(path) if self.members[at].starts_turn), compaction)

    def _given_up(self, path: set[int], before: int, end: int, last_answers: list[int | None]) -> set[int]:
        last_heard = list(range(end))
        is_waiting = [False] * end
        for at in range(end - 1, -1, -1):
            if self.members[at].calls:
                answered = last_answers[at]
                is_waiting[at] = is_waiting[at] or answered is None or answered >= end
            parent = self.parents[at]
            if parent is not None:
                last_heard[parent] = max(last_heard[parent], last_heard[at])
                is_waiting[parent] = is_waiting[parent] or is_waiting[at]
        return {at for at in range(end) if at not in path and last_heard[at] < before and not is_waiting[at]}
