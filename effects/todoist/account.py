"""The account of Todoist: whether the owner turned it on, the token, and the state of the last exchange."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import msgspec

from effects.config.paths import find_config_file
from effects.store.run import Run
from effects.system.errors import ConfigError
from effects.system.files import replace_file

TOKEN_VARIABLE = "TODOIST_API_TOKEN"
TODOIST_STATE_FILE = Path("_todoist") / "state.json"


class SentTask(msgspec.Struct, frozen=True):
    """A task that stands for a proposal: its id at Todoist, and hashes of its title and of all that was sent."""

    task_id: str
    title_hash: str
    sent_hash: str


@dataclass(slots=True)
class TodoistState:
    """The last exchange: the token of the changes, the tasks by proposal, and the time of the run that read last."""

    sync_token: str = "*"
    tasks: dict[str, SentTask] = field(default_factory=dict)
    read_at: datetime | None = None


def locate_token_file(run: Run) -> Path:
    """Return the file that holds the token when the environment does not."""
    return run.settings.todoist.token_file or find_config_file().with_name("todoist-token")


def read_token(run: Run) -> str:
    """Return the token from the environment, or from a file that nobody else may read.

    Raises:
        ConfigError: when there is none, it cannot be one, or others may read the file.
    """
    if token := os.environ.get(TOKEN_VARIABLE, "").strip():
        return _check_token(token, TOKEN_VARIABLE)
    path = locate_token_file(run)
    try:
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise ConfigError(f"other users can read the Todoist token in {path}", f"chmod 600 {path}")
        token = path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        token = ""
    if not token:
        raise ConfigError(f"found no Todoist token in {TOKEN_VARIABLE} or {path}", f"write it to {path} with mode 600")
    return _check_token(token, str(path))


def _check_token(token: str, place: str) -> str:
    """Return a token that a header can carry; the library's own complaint about another would quote it."""
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise ConfigError(f"the Todoist token in {place} is no single word of plain letters", "copy it again: docs/todoist.md")
    return token


def read_state(run: Run) -> TodoistState:
    """Return the state of the last exchange; a damaged or missing one is an empty state, and everything is read again."""
    try:
        return msgspec.json.decode((run.lake.root / TODOIST_STATE_FILE).read_bytes(), type=TodoistState)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return TodoistState()


def write_state(run: Run, state: TodoistState) -> None:
    """Store the state. It holds ids and hashes, never words or the token."""
    path = run.lake.root / TODOIST_STATE_FILE
    path.parent.mkdir(exist_ok=True)
    replace_file(path, msgspec.json.encode(state))
