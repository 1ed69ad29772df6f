"""Cut the entries of a session into windows; every entry is in exactly one.

A window ends with a compaction, with a long pause once the session holds enough typed messages, or at the token cap. The
boundaries depend on the entries alone, so that nightly runs, missed nights and backfills agree. The clock, and pi's note
that it shut down, only decide whether the last episode may still grow.

An abandoned branch belongs to the compaction or pause that follows it. A branch on which a second writer continues belongs
to its own compaction. So a window is a set of entries, not a run of lines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from transforms.tables.enums import WindowKind, WindowStatus
from transforms.tables.ids import hash_fields, make_window_id
from transforms.windowing.compacted_branches import EntryTree
from transforms.windowing.talk_times import list_talk_times
from transforms.windowing.token_cap import split_at_cap
from transforms.windowing.window_entries import WindowEntry, group_steps, merge_files

TOO_FEW_REASON = "too_few_user_messages"
COPIED_REASON = "copied"
NOTHING_SAID_REASON = "nothing_said"
OPEN_REASON = "open: "
"""Beginning of the reason of a pending window that is not due yet, since its episode may still grow."""


@dataclass(frozen=True, slots=True)
class WindowParams:
    """Parameters of windowing: token cap, pause in minutes, and typed messages from which a session is worth distilling."""

    cap_tokens: int = 30_000
    quiet_minutes: int = 120
    min_user_messages: int = 5

    @property
    def quiet(self) -> timedelta:
        """The pause that ends an episode."""
        return timedelta(minutes=self.quiet_minutes)


@dataclass(frozen=True, slots=True)
class Window:
    """The ordinals (ascending) of a window and the reason it ended. `pending` without a reason means due."""

    window_id: str
    kind: WindowKind
    ordinals: tuple[int, ...]
    user_message_count: int
    token_count: int
    started_at: datetime
    ended_at: datetime
    files_read: tuple[str, ...]
    files_modified: tuple[str, ...]
    content_hash: str
    attribution_hash: str | None
    status: WindowStatus
    reason: str


@dataclass(frozen=True, slots=True)
class _Span:
    """Positions that ended together, before the cap is applied."""

    kind: WindowKind
    positions: frozenset[int]


def cut_windows(
    session_id: str, members: list[WindowEntry], params: WindowParams, as_of: datetime, is_closed: bool = False
) -> list[Window]:
    """Return the windows of one session's entries (given in ordinal order), sorted by first ordinal.

    `as_of` is the logical time of the run; `is_closed` means that pi shut down after the last entry. The last span is due
    when the pause after the last entry is long enough; before that it is `pending` with a reason that begins with `open`.
    While the session holds too few typed messages (of pasted ones, where nothing was typed) it is `skipped` for the time
    being. Copied entries of a fork count as typed messages of the session, but their own window is `skipped`.
    """
    if not members:
        return []
    step_of = _map_steps(members)
    copied = frozenset(index for index, member in enumerate(members) if member.is_copied)
    ended = _find_ended_spans(members, step_of, params)
    tail_positions = frozenset(range(len(members))) - copied - frozenset().union(*(span.positions for span in ended))
    windows = [window for span in ended for window in _cap_span(session_id, members, step_of, span, params)]
    tail = _cap_span(session_id, members, step_of, _Span("closing", tail_positions), params)
    status, reason = _decide_status(members, tail_positions, params, as_of, is_closed)
    windows += [replace(window, status=status, reason=reason) for window in tail]
    if copied:
        windows.append(
            replace(_build_window(session_id, "closing", members, sorted(copied)), status="skipped", reason=COPIED_REASON)
        )
    return sorted(windows, key=lambda window: window.ordinals)


def _find_ended_spans(members: list[WindowEntry], step_of: list[list[int]], params: WindowParams) -> list[_Span]:
    """Return the spans that compactions and pauses ended, in the order in which they ended."""
    tree = EntryTree(members)
    last_answers = _find_last_results(members, step_of)
    spans: list[_Span] = []
    uncovered: set[int] = set()
    typed = 0
    busy_until = -1
    times = list_talk_times((member.said_at, member.starts_turn) for member in members)
    for index, member in enumerate(members):
        is_pause = index > 0 and times[index] - times[index - 1] >= params.quiet
        # A pause in which a tool ran ends nothing: its result follows.
        if is_pause and typed >= params.min_user_messages and busy_until < index:
            _end_span(spans, uncovered, members, "closing", uncovered)
        if member.first_kept_id is not None and not member.is_copied:
            summarised = _select_complete_steps(tree.find_summarised(index, last_answers), step_of, index)
            _end_span(spans, uncovered, members, "compaction", uncovered & summarised)
        if not member.is_copied:
            uncovered.add(index)
        typed += member.is_typed
        busy_until = max(busy_until, step_of[index][-1])
    return spans


def _end_span(spans: list[_Span], uncovered: set[int], members: list[WindowEntry], kind: WindowKind, positions: set[int]) -> None:
    if any(members[index].is_message for index in positions):  # settings alone wait for the message after them
        spans.append(_Span(kind, frozenset(positions)))
        uncovered -= spans[-1].positions


def _map_steps(members: list[WindowEntry]) -> list[list[int]]:
    """Return the step of each position."""
    steps: list[list[int]] = [[]] * len(members)
    for step in group_steps(members):
        for index in step:
            steps[index] = step
    return steps


def _select_complete_steps(positions: set[int], step_of: list[list[int]], end: int) -> set[int]:
    """Return the positions with the results of their calls, without calls whose results come after `end`."""
    complete: set[int] = set()
    for index in positions:
        step = step_of[index]
        if step[0] in positions and step[-1] < end:
            complete.update(step)
    return complete


def _find_last_results(members: list[WindowEntry], step_of: list[list[int]]) -> list[int | None]:
    """Return the position of the last result of each entry's calls; None when a result is missing."""
    return [step_of[index][-1] if len(step_of[index]) > len(member.call_ids) else None for index, member in enumerate(members)]


def _decide_status(
    members: list[WindowEntry], tail_positions: frozenset[int], params: WindowParams, as_of: datetime, is_closed: bool
) -> tuple[WindowStatus, str]:
    """Return the (status, reason) of the last span."""
    due_at = members[-1].said_at + params.quiet
    if not is_closed and as_of < due_at:
        return "pending", f"{OPEN_REASON}may still grow until {due_at:%Y-%m-%d %H:%M} UTC"
    if not any(members[index].is_message for index in tail_positions):
        return "skipped", NOTHING_SAID_REASON
    typed = sum(member.is_typed for member in members)
    # Who pastes an error and adds no word wants it explained: the agent's findings are worth as much as after a typed question.
    if (typed or sum(member.is_pasted for member in members)) < params.min_user_messages:
        return "skipped", TOO_FEW_REASON
    return "pending", ""


def _cap_span(
    session_id: str, members: list[WindowEntry], step_of: list[list[int]], span: _Span, params: WindowParams
) -> list[Window]:
    steps = []
    for index in sorted(span.positions):
        step_positions = [member for member in step_of[index] if member in span.positions]
        if step_positions[0] == index:
            steps.append(step_positions)
    if not steps:
        return []
    pieces = split_at_cap(members, steps, params.cap_tokens)
    kinds: list[WindowKind] = ["cap" for _ in pieces[1:]]
    kinds.append(span.kind)
    return [
        _build_window(session_id, kind, members, sorted(index for step in piece for index in step))
        for kind, piece in zip(kinds, pieces, strict=True)
    ]


def _build_window(session_id: str, kind: WindowKind, members: list[WindowEntry], positions: list[int]) -> Window:
    window_entries = [members[index] for index in positions]
    files_read, files_modified = merge_files(window_entries)
    judged = [member.attribution_hash for member in window_entries if member.attribution_hash]
    first, last = window_entries[0].ordinal, window_entries[-1].ordinal
    return Window(
        window_id=make_window_id(session_id, kind, first, last, len(window_entries)),
        kind=kind,
        ordinals=tuple(member.ordinal for member in window_entries),
        user_message_count=sum(member.is_typed for member in window_entries),
        token_count=sum(member.tokens for member in window_entries),
        started_at=min(member.said_at for member in window_entries),
        ended_at=max(member.said_at for member in window_entries),
        files_read=tuple(files_read),
        files_modified=tuple(files_modified),
        content_hash=hash_fields(*(member.content_hash for member in window_entries)),
        attribution_hash=hash_fields(*judged) if judged else None,
        status="pending",
        reason="",
    )
