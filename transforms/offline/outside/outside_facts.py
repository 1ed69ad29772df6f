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
from transforms.offline.work_facts import find_commits
from transforms.tables.enums import FactKind, Priority

MOST_ROWS = 16
"""Rows of one window, the newest changes."""
_PLAIN = frozenset({"pushed", "deleted", "rebased", "is open"})
"""Changes that tell little by themselves: another one mostly ends what they began."""


def find_outside_facts(exchanges: Sequence[Exchange], kept: Sequence[str] = ()) -> list[Candidate]:
    """Return the rows of the changes of a window that no other row tells, in order; and short ones of commits, pushed or not, of
    which none of the facts `kept` tells: whether something was pushed is asked of each."""
    entries = [entry for exchange in exchanges for entry in ([exchange.user] if exchange.user else []) + [*exchange.replies]]
    entries.sort(key=lambda entry: entry.ordinal)
    changes = _name_branches(_leave_out_covered(exchanges, find_outside_changes(entries)))
    newest = [change for place, change in enumerate(changes) if not _is_repeated(change, changes[place + 1 :], changes)]
    rows = [row for change in newest if not is_unfit((row := _make_row(change)).text)]
    rows += [replace(row, priority="low", confidence=RECORDED) for row in _list_untold_commits(exchanges, kept)]
    return sorted(rows, key=lambda row: row.ordinals[0])[-MOST_ROWS:]


def _list_untold_commits(exchanges: Sequence[Exchange], kept: Sequence[str]) -> list[Candidate]:
    quoted = {quotation for text in kept for quotation in text.split('"')[1::2]}
    rows = (row for exchange in exchanges for row in find_commits(exchange, is_short=True))
    return [row for row in rows if row.text.partition('"')[2].partition('"')[0] not in quoted]


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
