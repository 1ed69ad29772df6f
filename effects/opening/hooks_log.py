"""The log of the hooks: events that were late, calls that failed, and what reading a transcript complains about."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_cache_path

from effects.config.paths import check_home
from effects.system.errors import ConfigError, RecollectError

LOG_BYTES = 512 * 1024
FAILED, NEXT = " hook failed: ", "; next: "


@dataclass(frozen=True, slots=True)
class HookFailure:
    """A call of `recollect hook` that failed: its moment, the problem, and the next command, which may be empty."""

    at: datetime
    problem: str
    hint: str


def log_miss(event: str, seconds: float, outcome: str) -> None:
    """Write a line into the log of the hooks: an event was late, and `outcome` tells the context that the client got."""
    _append_line(f" {event}: not within {seconds:g} s; {outcome}")


def log_silence(event: str) -> None:
    """Write a line into the log of the hooks: an event got no context, because memory has nothing about it."""
    _append_line(f" {event}: no fact of the project is about the prompt; nothing was given")


def log_failure(error: RecollectError) -> None:
    """Write a line into the log of the hooks: a call failed. `list_failures` reads it back."""
    from transforms.redaction.redact import redact  # slow to import, and most calls do not fail

    problem = f"{error.message}{NEXT}{error.hint}" if error.hint else error.message
    _append_line(FAILED + redact(" ".join(problem.split())))


def list_failures(since: datetime) -> list[HookFailure]:
    """Return the calls that failed since a moment, as both logs have them; the newest last."""
    failures = []
    for path in (_locate_log(), _locate_temporary_log()):
        with suppress(OSError):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                moment, mark, problem = line.partition(FAILED)
                with suppress(ValueError, TypeError):  # another line, or a moment without a zone
                    if mark and (at := datetime.fromisoformat(moment)) >= since:
                        failures.append(HookFailure(at, *problem.partition(NEXT)[::2]))
    return sorted(failures, key=lambda failure: failure.at)


def is_hooks_log(descriptor: int) -> bool:
    """Whether a descriptor leads into the log of the hooks: complaints of a reading belong there, its progress does not."""
    with suppress(OSError, ValueError):
        written = os.fstat(descriptor)
        return any(os.path.samestat(written, path.stat()) for path in (_locate_log(), _locate_temporary_log()) if path.is_file())
    return False


def open_hooks_log() -> BinaryIO:
    """Return `recollect/hooks.log` in the cache folder of the user, private and open at its end; a long one is begun anew.

    Where that cannot be written, or without a home, it is a temporary file.

    Raises:
        OSError: when neither can be written.
    """
    try:
        check_home()
    except ConfigError:
        return _open_log(_locate_temporary_log())
    cached = _locate_log()
    try:
        cached.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if cached.is_file() and cached.stat().st_size > LOG_BYTES:
            cached.replace(cached.with_suffix(".log.old"))
        return _open_log(cached)
    except OSError:
        return _open_log(_locate_temporary_log())


def _append_line(text: str) -> None:
    """Append a line with the moment; a log that cannot be written must not cost a client its session."""
    with suppress(OSError), open_hooks_log() as log:
        log.write(f"{datetime.now(UTC).isoformat(timespec='seconds')}{text}\n".encode(errors="backslashreplace"))


def _locate_log() -> Path:
    return user_cache_path("recollect", appauthor=False) / "hooks.log"


def _locate_temporary_log() -> Path:
    import tempfile  # slow to import, and most calls do not need it

    return Path(tempfile.gettempdir()) / f"recollect-hooks-{os.getuid()}.log"


def _open_log(path: Path) -> BinaryIO:
    """Return a file that only its owner reads, open at its end; no link is followed, because anybody can leave one in `/tmp`."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600), "ab")
