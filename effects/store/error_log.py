"""Exceptions as text: one line for people and rows, the whole traceback for the log."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from effects.system.errors import RecollectError
from transforms.redaction.redact import redact

ERROR_LINE_CHARS = 300
ERROR_LOG_BYTES = 1_000_000
"""Size from which a log is put aside."""


def describe_error(error: BaseException) -> str:
    """Return an exception in one line, without its traceback and without secrets that its text may hold."""
    message = redact(next(iter(str(error).splitlines()), "")[:ERROR_LINE_CHARS])
    if isinstance(error, RecollectError):
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def log_traceback(lake: Path, error: BaseException) -> Path:
    """Append the whole traceback to `LAKE/_logs/errors.log`, or to a temporary file when the lake cannot be written.

    Secrets are taken out of the command line, too, and bytes of it that are no text are written as escapes.
    """
    text = f"--- {datetime.now(UTC).isoformat(timespec='seconds')} {redact(' '.join(sys.argv), is_user=True)}\n"
    text += redact("".join(traceback.format_exception(error)))
    try:
        path = lake / "_logs" / "errors.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        _append_text(path, text)
    except OSError:  # an unwritable lake may be the very problem: the traceback must not be lost with it
        path = Path(tempfile.gettempdir()) / f"recollect-errors-{os.getuid()}.log"
        with suppress(OSError):  # it may be full as well, or somebody else's: the line still helps
            _append_text(path, text)
    return path


def _append_text(path: Path, text: str) -> None:
    """Append to a file that only its owner reads; no link is followed, because anybody can leave one in `/tmp`."""
    with open(path, "a", encoding="utf-8", errors="backslashreplace", opener=_open_without_links) as handle:
        handle.write(text)


def _open_without_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def rotate_logs(lake: Path) -> None:
    """Rename each log of the lake that is too long; of each there is one former part."""
    for path in sorted((lake / "_logs").glob("*.log")):
        with suppress(OSError):  # a log must not stop a run
            if path.stat().st_size > ERROR_LOG_BYTES:
                path.replace(path.with_name(path.name + ".1"))
