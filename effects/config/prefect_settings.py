"""Environment that Prefect reads when it is first imported: no telemetry, and no noise in a terminal.

The commands enter `prepared_for_prefect` before they import a flow. Importing a flow changes no environment: a program that runs
one itself decides about its own process, and deployments have the same values in prefect.yaml.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from effects.config.paths import expand_home
from effects.system.errors import RecollectError
from effects.system.own_process import leaving_working_folder

PRIVATE = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}

QUIET_SETTINGS = {
    # The command line prints one readable line for an error and logs its traceback; the server keeps Prefect's log of the run.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
    # The temporary server is stopped with events in flight and would log "Error flushing … CancelledError".
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
}


@contextmanager
def prepared_for_prefect() -> Iterator[None]:
    """Prepare this process for Prefect, which must not be imported yet, and let it run where nobody else leaves files.

    No telemetry, no log lines, a folder of its own. Prefect and its server read `prefect.toml`, `pyproject.toml` and `.env` of
    the working directory, which can name a server, or a function to call for each line of the log.

    Raises:
        RecollectError: when the folder cannot be made.
    """
    disable_telemetry()
    silence_logs()
    make_home()
    with leaving_working_folder():
        yield


def disable_telemetry() -> None:
    """Switch Prefect's telemetry off for this process and the servers that it starts, against any environment."""
    os.environ.update(PRIVATE)


def silence_logs() -> None:
    """Keep Prefect's log lines out of the terminal, unless the environment asks for them; before Prefect is imported."""
    for name, value in QUIET_SETTINGS.items():
        os.environ.setdefault(name, value)


def make_home() -> None:
    """Make the folder of Prefect's database. Prefect makes no parent folders and would wait for a server that never starts.

    Raises:
        RecollectError: when the folder cannot be made.
    """
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect")
    try:
        home = expand_home(home)
        home.mkdir(parents=True, exist_ok=True)
        if os.environ.get("PREFECT_HOME"):  # a relative one begins where the command was started
            os.environ["PREFECT_HOME"] = str(home.absolute())
    except (ValueError, OSError) as error:
        raise RecollectError(
            f"Prefect's folder {home} cannot be created: {getattr(error, 'strerror', None) or error}",
            "set PREFECT_HOME to a writable folder, or run the same command with --direct",
        ) from error
