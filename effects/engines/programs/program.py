"""One process per request: the prompt on stdin, the answer on stdout, an empty folder of its own to work in."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass

from effects.engines.requests import TransportError
from transforms.patterns.late_pattern import compile_late
from transforms.redaction.redact import redact

MAX_MESSAGE_CHARS = 200
_BUSY = compile_late(
    r"\b(?:408|409|425|429|5\d\d)\b|rate.?limit|overloaded|high demand|ECONNREFUSED|ECONNRESET|ENOTFOUND|fetch failed"
    r"|connection error|unable to connect|error sending request|stream disconnected|socket hang up",
    re.I,
)
_USED_UP = compile_late(r"\b(?:usage|session|weekly|spend|plan)\b[^.]{0,30}\blimit\b|out of [^.]{0,20}\bcredits\b", re.I)
_NO_LOGIN = compile_late(
    r"not logged in|/login\b|(?:log|sign) ?in again|\b401\b|unauthori[sz]ed|invalid api key|(?:oauth|refresh|access) token", re.I
)


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """The exit code of a program, its output, and its complaint: the end of what it wrote to stderr, without secrets."""

    code: int
    text: str
    complaint: str


def run_program(name: str, command: list[str], prompt: str, folder: str, env: dict[str, str], timeout: float) -> ProgramOutput:
    """Run a program until it ends; it and all that it started are gone when it takes too long or a person interrupts.

    Raises:
        TransportError: when it does not start, or takes longer than `timeout` seconds.
    """
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=env, start_new_session=True)
    except OSError as error:
        raise TransportError(f"{name} does not start: {error.strerror or error}") from error
    try:
        output, complaint = process.communicate(prompt.encode("utf-8", "replace"), timeout)
    except subprocess.TimeoutExpired as error:
        raise TransportError("timeout", may_be_billed=True, is_request_at_fault=True) from error
    finally:
        # It starts processes of its own: end the group, also when a person interrupts the run, or when only its leader is gone.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return ProgramOutput(
        process.returncode, output.decode("utf-8", "replace"), clean_message(complaint.decode("utf-8", "replace"))
    )


def clean_message(message: str) -> str:
    """Return the end of a message in one line, without secrets."""
    return redact(" ".join(message.split()))[-MAX_MESSAGE_CHARS:]


def is_busy(message: str) -> bool:
    """Whether a message says that the provider is busy or cannot be reached: the same request may be answered later."""
    return _BUSY.search(message) is not None


def is_used_up(message: str) -> bool:
    """Whether a message says that the limit of a subscription is reached: nothing is answered until it resets."""
    return _USED_UP.search(message) is not None


def is_login_missing(message: str) -> bool:
    """Whether a message says that a program is not logged in, or not any more."""
    return _NO_LOGIN.search(message) is not None
