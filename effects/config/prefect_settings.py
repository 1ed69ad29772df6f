"""Environment that Prefect reads when it is first imported: no telemetry ever, and no noise in a terminal."""

from __future__ import annotations

import os
from pathlib import Path

from effects.system.errors import RecollectError

PRIVATE = {"PREFECT_SERVER_ANALYTICS_ENABLED": "false", "DO_NOT_TRACK": "1"}

QUIET = {
    # Our doors print one readable line for what went wrong and log the traceback; the server keeps Prefect's own log of the run.
    "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "CRITICAL",
    "PREFECT_INTERNAL_LOGGING_LEVEL": "CRITICAL",
    # The temporary server is stopped with events in flight and would log "Error flushing … CancelledError".
    "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
    # A temporary server takes 6 to 15 s to start, in a new home and on a busy machine more than Prefect's patience of 20 s.
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
}


def be_private() -> None:
    """Switches Prefect's telemetry off for this process and the servers it starts, whatever the environment says."""
    os.environ.update(PRIVATE)


def be_quiet() -> None:
    """Keeps Prefect's log lines out of the terminal, unless the environment asks for them; before Prefect is imported."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)


def make_home() -> None:
    """Makes the folder in which Prefect keeps its database: it makes no parents itself and would wait 180 s for its server.

    Raises:
        RecollectError: when the folder cannot be made.
    """
    home = Path(os.environ.get("PREFECT_HOME") or "~/.prefect").expanduser()
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecollectError(
            f"Prefect's folder {home} cannot be made: {error.strerror or error}",
            "set PREFECT_HOME to a folder that can be written, or run the same command with --direct",
        ) from error
