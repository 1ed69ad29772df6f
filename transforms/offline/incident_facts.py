"""Facts from what went wrong or out: pasted errors with their cause, refused commits, failing checks, branches, releases."""

from __future__ import annotations

import re
from collections.abc import Iterator

from transforms.language import cues
from transforms.language.sentences import one_line, shorten
from transforms.offline import claims
from transforms.offline.actions import Action
from transforms.offline.candidates import Candidate, is_unfit, row
from transforms.offline.exchanges import Exchange
from transforms.tables.enums import Priority

_ERROR_LINE = re.compile(
    r"^\W{0,4}(?:[\w.-]+:\s+)?((?:[A-Z]\w*(?:Error|Exception)|Error|error(?: TS\d+)?|fatal|panic(?:ked)?|Traceback)\b"
    r"(?::| \d|\[)[^\n]{6,}(?:\n(?!\s+at )[^\n{}]{8,}){0,2})",
    re.M,
)


def incident_facts(exchange: Exchange, *, is_last: bool) -> Iterator[Candidate]:
    """What was reported broken, and how releases ended; a failing test counts when nothing was checked later (`is_last`)."""
    yield from _pasted_error(exchange)
    yield from _branches(exchange)
    if released := [action for action in exchange.actions if action.kind == "publish" and action.is_known]:
        yield _release(exchange, released)
    yield from _open_failure(exchange, is_last=is_last)


def _pasted_error(exchange: Exchange) -> Iterator[Candidate]:
    """An error that a person pasted, word for word, with the cause that the agent found."""
    found = _ERROR_LINE.search(exchange.pasted) if exchange.user and exchange.pasted else None
    if exchange.user is None or found is None or is_unfit(found[1]):
        return
    text = f"User hit an error: {shorten(one_line(found[1]), 220)}"
    ordinals = [exchange.user.ordinal]
    for entry in exchange.said:
        causes = [one for one in claims.findings_of(entry.text) if cues.CAUSE.search(one)]
        if causes:
            text += f" Cause: {shorten(causes[0], 200)}"
            ordinals.append(entry.ordinal)
            break
    yield Candidate(row(text), "error", "medium", tuple(ordinals), exchange.files[:4], 1.0, 0.8)


def _branches(exchange: Exchange) -> Iterator[Candidate]:
    for action in exchange.actions:
        if action.kind == "branch" and action.is_ok:
            text = f"Work went on on a new git branch called `{action.path}`."
            yield Candidate(text, "state_change", "medium", _cited([action]), (), 0.75, 0.9)


def _release(exchange: Exchange, released: list[Action]) -> Candidate:
    commits = [action for action in exchange.actions if action.kind == "commit" and action.is_ok]
    done = [f'committed "{commit.detail}"{f" ({commit.path})" if commit.path else ""}' for commit in commits[-1:]]
    done += [f"ran `{action.detail}`" for action in released if action.is_ok]
    failed = [action for action in released if not action.is_ok][-1:]
    parts = [", ".join(done)] if done else []
    parts += [f"`{action.detail}` failed{f': {action.error}' if action.error else ''}" for action in failed]
    text = "; ".join(parts)
    is_out = any(re.search(r"\bpublish|\btag\b|release create", action.detail) for action in released if action.is_ok)
    priority: Priority = "high" if is_out and not failed else "medium"
    ordinals = _cited([*failed, *released[-4:], *commits[-1:]])
    return Candidate(row(f"Release: {text.rstrip('.')}."), "error" if failed else "completion", priority, ordinals, (), 0.95, 0.8)


def _open_failure(exchange: Exchange, *, is_last: bool) -> Iterator[Candidate]:
    """A commit that was refused, or a test run whose last result was a failure."""
    for action in exchange.actions:
        if action.kind == "commit" and not action.is_ok and action.error:
            text = f'The commit "{action.detail}" was blocked: {action.error}'
            yield Candidate(row(text), "error", "medium", _cited([action]), exchange.files[:4], 0.6, 0.8)
    checks = [action for action in exchange.actions if action.kind == "check" and action.is_known and "test" in action.detail]
    if is_last and checks and not checks[-1].is_ok and checks[-1].error and not exchange.is_undone:
        text = f"`{checks[-1].detail}` still failed at the end: {checks[-1].error}"
        yield Candidate(row(text), "error", "low", _cited([checks[-1]]), exchange.files[:4], 0.35, 0.7)


def _cited(actions: list[Action]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(at for action in actions for at in (action.ordinal, action.result) if at is not None))[:6]
