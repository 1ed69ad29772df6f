"""Whether the exchange with Todoist works, told without a connection: the token, and the time of the last exchange."""

from __future__ import annotations

from collections.abc import Iterator

from effects.health.check import OVERDUE, Check, word_moment
from effects.store.run import Run
from effects.system.errors import ConfigError
from effects.todoist.account import read_state, read_token


def check_todoist(run: Run) -> Iterator[Check]:
    """Yield the finding about Todoist; nothing while it is off."""
    if not run.settings.todoist.enabled:
        return
    try:
        read_token(run)
    except ConfigError as error:
        yield Check("todoist", "wrong", error.message, error.hint)
        return
    state = read_state(run)
    if state.read_at is None:
        yield Check("todoist", "note", "it is on, but no run has reached it yet", "recollect review apply")
    elif run.as_of - state.read_at > OVERDUE:
        yield Check(
            "todoist", "wrong", f"it was last reached at {word_moment(state.read_at, run.zone)}", "recollect review apply"
        )
    else:
        yield Check(
            "todoist", "ok", f"{len(state.tasks)} tasks wait there, last reached at {word_moment(state.read_at, run.zone)}"
        )
