"""Entries of one session → windows: what is distilled together, every entry in exactly one.

A window ends with a compaction (what it put away), with a long pause once the session holds enough typed messages, or at
the token cap. Boundaries come from the entries alone: nights, missed nights and backfills agree. The clock, and pi saying
that it shut down, only settle whether the last episode may still grow.

Abandoned branches belong to the time when they happened: to the compaction or pause that follows them. A branch on which a
second writer goes on belongs to its own compaction, so a window is a set of entries, not a run of lines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from transforms.tables.ids import digest, window_id
from transforms.windowing.compacted_branches import Branches
from transforms.windowing.token_cap import cap_pieces
from transforms.windowing.window_members import Member, files_of, steps_of

TOO_FEW = "too_few_user_messages"
COPIED = "copied"
NOTHING_SAID = "nothing_said"
OPEN = "open: "
"""How the reason of a pending window begins that is not due, since its episode may still grow."""


@dataclass(frozen=True, slots=True)
class WindowParams:
    """Where windows end: the cap in tokens, the quiet time in minutes, typed messages that make a session worth closing."""

    cap_tokens: int = 30_000
    quiet_minutes: int = 120
    min_user_messages: int = 5

    @property
    def quiet(self) -> timedelta:
        """The pause that ends an episode."""
        return timedelta(minutes=self.quiet_minutes)


@dataclass(frozen=True, slots=True)
class Window:
    """Members (ordinals ascending) with what ended them; `pending` without a reason means due."""

    window_id: str
    kind: str
    ordinals: tuple[int, ...]
    user_message_count: int
    token_count: int
    started_at: datetime
    ended_at: datetime
    files_read: tuple[str, ...]
    files_modified: tuple[str, ...]
    content_hash: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Positions that ended together, before the cap."""

    kind: str
    positions: frozenset[int]


def cut_windows(
    session_id: str, members: list[Member], params: WindowParams, as_of: datetime, is_closed: bool = False
) -> list[Window]:
    """The windows of one session's entries (in ordinal order), sorted by first ordinal.

    `as_of` is the logical time of the run; `is_closed` says that pi shut down after the last entry. The last stretch is
    due when quiet time has passed since the last entry, `pending` with a reason that begins with `open` before, and
    `skipped` (provisionally) while the whole session holds too few typed messages. Copied entries of a fork count for
    that, since the session holds them, but their own window is `skipped`.
    """
    if not members:
        return []
    step_of = _step_of(members)
    copied = frozenset(at for at, member in enumerate(members) if member.is_copied)
    ended = _ended_stretches(members, step_of, params)
    left = frozenset(range(len(members))) - copied - frozenset().union(*(stretch.positions for stretch in ended))
    windows = [window for stretch in ended for window in _capped(session_id, members, step_of, stretch, params)]
    tail = _capped(session_id, members, step_of, _Stretch("closing", left), params)
    status, reason = _settled(members, left, params, as_of, is_closed)
    windows += [replace(window, status=status, reason=reason) for window in tail]
    if copied:
        windows.append(replace(_window(session_id, "closing", members, sorted(copied)), status="skipped", reason=COPIED))
    return sorted(windows, key=lambda window: window.ordinals)


def _ended_stretches(members: list[Member], step_of: list[list[int]], params: WindowParams) -> list[_Stretch]:
    """What compactions and pauses ended, in the order in which they did."""
    branches = Branches(members)
    last_answers = _last_answers(members, step_of)
    found: list[_Stretch] = []
    uncovered: set[int] = set()
    typed = 0
    busy_until = -1
    for at, member in enumerate(members):
        is_pause = at > 0 and member.said_at - members[at - 1].said_at >= params.quiet
        # A pause in which a tool ran is not the end of anything: its result follows.
        if is_pause and typed >= params.min_user_messages and busy_until < at:
            _end(found, uncovered, members, "closing", uncovered)
        if member.kept_from is not None and not member.is_copied:
            put_away = _whole_steps(branches.summarised(at, last_answers), step_of, at)
            _end(found, uncovered, members, "compaction", uncovered & put_away)
        if not member.is_copied:
            uncovered.add(at)
        typed += member.is_typed
        busy_until = max(busy_until, step_of[at][-1])
    return found


def _end(found: list[_Stretch], uncovered: set[int], members: list[Member], kind: str, positions: set[int]) -> None:
    if any(members[at].is_message for at in positions):  # settings alone wait for the words that they were made for
        found.append(_Stretch(kind, frozenset(positions)))
        uncovered -= found[-1].positions


def _step_of(members: list[Member]) -> list[list[int]]:
    """For each position the step that it belongs to."""
    found: list[list[int]] = [[]] * len(members)
    for step in steps_of(members):
        for at in step:
            found[at] = step
    return found


def _whole_steps(positions: set[int], step_of: list[list[int]], end: int) -> set[int]:
    """The positions with the results of their calls, without calls whose results come after `end`."""
    whole: set[int] = set()
    for at in positions:
        step = step_of[at]
        if step[0] in positions and step[-1] < end:
            whole.update(step)
    return whole


def _last_answers(members: list[Member], step_of: list[list[int]]) -> list[int | None]:
    """Where the last result of each entry's calls stands; None when one is missing (a step holds the entry and each result)."""
    return [step_of[at][-1] if len(step_of[at]) > len(member.calls) else None for at, member in enumerate(members)]


def _settled(
    members: list[Member], left: frozenset[int], params: WindowParams, as_of: datetime, is_closed: bool
) -> tuple[str, str]:
    """(status, reason) of the last stretch."""
    due_at = members[-1].said_at + params.quiet
    if not is_closed and as_of < due_at:
        return "pending", f"{OPEN}may still grow until {due_at:%Y-%m-%d %H:%M} UTC"
    if not any(members[at].is_message for at in left):
        return "skipped", NOTHING_SAID
    if sum(member.is_typed for member in members) < params.min_user_messages:
        return "skipped", TOO_FEW
    return "pending", ""


def _capped(
    session_id: str, members: list[Member], step_of: list[list[int]], stretch: _Stretch, params: WindowParams
) -> list[Window]:
    steps = []
    for at in sorted(stretch.positions):
        own = [other for other in step_of[at] if other in stretch.positions]
        if own[0] == at:
            steps.append(own)
    if not steps:
        return []
    pieces = cap_pieces(members, steps, params.cap_tokens)
    kinds = ["cap"] * (len(pieces) - 1) + [stretch.kind]
    return [
        _window(session_id, kind, members, sorted(at for step in piece for at in step))
        for kind, piece in zip(kinds, pieces, strict=True)
    ]


def _window(session_id: str, kind: str, members: list[Member], positions: list[int]) -> Window:
    mine = [members[at] for at in positions]
    files_read, files_modified = files_of(mine)
    first, last = mine[0].ordinal, mine[-1].ordinal
    return Window(
        window_id=window_id(session_id, kind, first, last, len(mine)),
        kind=kind,
        ordinals=tuple(member.ordinal for member in mine),
        user_message_count=sum(member.is_typed for member in mine),
        token_count=sum(member.tokens for member in mine),
        started_at=min(member.said_at for member in mine),
        ended_at=max(member.said_at for member in mine),
        files_read=tuple(files_read),
        files_modified=tuple(files_modified),
        content_hash=digest(*(member.content_hash for member in mine)),
        status="pending",
        reason="",
    )
