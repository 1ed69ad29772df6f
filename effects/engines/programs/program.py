"""One process per request: the prompt on stdin, the answer on stdout, an empty folder of its own to work in."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, cast

from effects.engines.requests import TransportError
from transforms.patterns.late_pattern import compile_late
from transforms.redaction.redact import redact

MAX_MESSAGE_CHARS, MAX_READ_CHARS = 200, 20_000
MOST_OUTPUT_BYTES = 64_000_000
PIECE_BYTES = 65_536
LOOK_EVERY_S = 0.05
"""Seconds between two looks at whether a silent program has ended."""
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
        output, complaint = _talk(process, prompt.encode("utf-8", "replace"), time.monotonic() + timeout)
    finally:
        # It starts processes of its own: end the group, also when a person interrupts the run, or when only its leader is gone.
        _end_group(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):  # what it did not read is lost with it
                cast("IO[bytes]", stream).close()
    return ProgramOutput(
        process.returncode, output.decode("utf-8", "replace"), clean_message(complaint.decode("utf-8", "replace"))
    )


def _talk(process: subprocess.Popen[bytes], prompt: bytes, deadline: float) -> tuple[bytes, bytes]:
    """Return what a program wrote to stdout and stderr until it ended.

    The end of its output is not waited for: a child in a session of its own may hold it open for days, and what the program wrote
    has come when it is gone.

    Raises:
        TransportError: when it takes too long, or writes without end.
    """
    stdin, stdout, stderr = (cast("IO[bytes]", stream) for stream in (process.stdin, process.stdout, process.stderr))
    written: dict[IO[bytes], bytearray] = {stdout: bytearray(), stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream, event in ((stdin, selectors.EVENT_WRITE), (stdout, selectors.EVENT_READ), (stderr, selectors.EVENT_READ)):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream, event)
        while True:
            has_ended = process.poll() is not None
            if has_ended:
                _end_group(process)
            ready = selector.select(0.0 if has_ended else LOOK_EVERY_S)
            for key, _ in ready:
                stream = cast("IO[bytes]", key.fileobj)
                if stream is stdin:
                    prompt = _send_some(stdin, prompt, selector)
                elif piece := _read_some(stream):
                    written[stream] += piece
                else:
                    selector.unregister(stream)
            if has_ended and not any(key.fileobj in written for key, _ in ready):
                return bytes(written[stdout]), bytes(written[stderr])
            if sum(map(len, written.values())) > MOST_OUTPUT_BYTES:
                raise TransportError(
                    f"it wrote more than {MOST_OUTPUT_BYTES} bytes", may_be_billed=True, is_request_at_fault=True
                )
            if time.monotonic() > deadline and not has_ended:
                raise TransportError("timeout", may_be_billed=True, is_request_at_fault=True)


def _send_some(stdin: IO[bytes], prompt: bytes, selector: selectors.BaseSelector) -> bytes:
    """Write what fits and return the rest; close the input behind its end, or when nobody reads it."""
    try:
        prompt = prompt[os.write(stdin.fileno(), prompt[:PIECE_BYTES]) :] if prompt else prompt
    except BlockingIOError:
        return prompt
    except OSError:
        prompt = b""
    if not prompt:
        selector.unregister(stdin)
        with suppress(OSError):
            stdin.close()
    return prompt


def _read_some(stream: IO[bytes]) -> bytes:
    try:
        return os.read(stream.fileno(), PIECE_BYTES)
    except BlockingIOError:  # somebody else took it
        return b""


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def clean_message(message: str) -> str:
    """Return the end of a message in one line, without secrets."""
    return redact(" ".join(message[-MAX_READ_CHARS:].split()))[-MAX_MESSAGE_CHARS:]


def is_busy(message: str) -> bool:
    """Whether a message says that the provider is busy or cannot be reached: the same request may be answered later."""
    return _BUSY.search(message) is not None


def is_used_up(message: str) -> bool:
    """Whether a message says that the limit of a subscription is reached: nothing is answered until it resets."""
    return _USED_UP.search(message) is not None


def is_login_missing(message: str) -> bool:
    """Whether a message says that a program is not logged in, or not any more."""
    return _NO_LOGIN.search(message) is not None
