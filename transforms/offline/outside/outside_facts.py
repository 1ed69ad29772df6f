"""Finds facts about what commands changed outside of the working tree, once each, with the newest state of a thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from transforms.exchanges.exchange import Exchange
from transforms.exchanges.outside.outside_change import OutsideChange
from transforms.exchanges.outside.outside_changes import find_outside_changes
from transforms.exchanges.outside.told_changes import tell_change
from transforms.offline.candidates import READ, RECORDED, Candidate, is_unfit, shorten_row
from transforms.offline.salience_factors import WORK
from transforms.tables.enums import FactKind, Priority

MOST_ROWS = 16
"""Rows of one window, the newest changes."""
_PLAIN = frozenset({"pushed", "deleted", "rebased", "is open"})
"""Changes that tell little by themselves: another one mostly ends what they began."""


def find_outside_facts(exchanges: Sequence[Exchange]) -> list[Candidate]:
    """Return the rows of the changes of a window that no other row tells, in order."""
    entries = [entry for exchange in exchanges for entry in ([exchange.user] if exchange.user else []) + [*exchange.replies]]
    entries.sort(key=lambda entry: entry.ordinal)
    changes = _name_branches(_leave_out_covered(exchanges, find_outside_changes(entries)))
    kept = [change for place, change in enumerate(changes) if not _is_repeated(change, changes[place + 1 :], changes)]
    return [row for change in kept[-MOST_ROWS:] if not is_unfit((row := _make_row(change)).text)]


def _leave_out_covered(exchanges: Sequence[Exchange], changes: Sequence[OutsideChange]) -> list[OutsideChange]:
    """Return the changes that rows of commits, requests and releases do not tell."""
    actions = [(exchange, action) for exchange in exchanges for action in exchange.actions]
    opened = {action.ordinal for _, action in actions if action.kind == "open"}
    published = {action.ordinal for _, action in actions if action.kind == "publish" and not action.detail.startswith("git push")}
    committing = {
        push.ordinal
        for exchange, push in actions
        for commit in exchange.actions
        if push.kind == "publish" and commit.kind == "commit" and commit.is_ok and commit.ordinal <= push.ordinal
    }
    covered = {"opened": opened, "tagged": published, "published": published, "pushed": published | committing}
    return [
        change
        for change in changes
        if change.ordinal not in covered.get(change.deed, ())
        and (change.names or change.command)
        and (change.is_ok or change.deed not in ("pushed", "deleted"))
    ]


def _name_branches(changes: Sequence[OutsideChange]) -> list[OutsideChange]:
    """Return the changes; a pull request that was merged has the branch that a list of commits or its opening showed."""
    branches = {change.names: change.branch for change in changes if change.thing == "pull request" and change.branch}
    return [
        replace(change, branch=branches.get(change.names, ""))
        if change.thing == "pull request" and change.deed != "opened" and not change.branch
        else change
        for change in changes
    ]


def _is_repeated(change: OutsideChange, later: Sequence[OutsideChange], changes: Sequence[OutsideChange]) -> bool:
    """Whether another change of the window tells the same: a later one, or of a state that was only seen the one that made it."""
    same = [other for other in later if _is_same(other, change)]
    if any(other.deed == change.deed and other.is_seen <= change.is_seen for other in same):
        return True
    made = [other for other in changes if _is_same(other, change) and not other.is_seen and other.is_ok]
    return change.is_seen and bool(made)


def _is_same(change: OutsideChange, other: OutsideChange) -> bool:
    is_command = change.command == other.command or change.is_seen or other.is_seen
    return change.thing == other.thing and change.names == other.names and is_command


def _make_row(change: OutsideChange) -> Candidate:
    cited = [change.ordinal, change.result, *([] if change.titled is None else [change.titled])]
    kind: FactKind = "error" if not change.is_ok else "status" if change.is_seen else "completion"
    priority: Priority = "low" if change.deed in _PLAIN or change.is_seen else "medium"
    confidence = READ if change.is_seen or not change.is_ok else RECORDED
    return Candidate(
        shorten_row(tell_change(change)), kind, priority, tuple(dict.fromkeys(cited)), (), WORK.opened, confidence
    )  # fmt: skip
