"""Models through the pi binary: one process per request, the prompt on stdin, an answer in the XML form on stdout.

pi chooses keys, providers and routes, so a user of pi needs no further set-up. It has no options for temperature and output
length, and its text mode reports no usage: tokens are estimated.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from effects.engines.requests import Reply, Request, Send, TransportError
from effects.system.errors import ConfigError
from transforms.patterns.late_pattern import compile_late
from transforms.redaction.redact import redact

FLAGS = ("-p", "--no-session", "-nt", "-ne", "-ns", "-np", "-nc")
"""One answer, nothing stored; no tools, extensions, skills, prompt templates or context files."""
PRIVATE_PI = {"PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}
MAX_MESSAGE_CHARS = 200
_BUSY = compile_late(
    r"\b(?:408|409|429|5\d\d)\b|rate.?limit|overloaded|ECONNREFUSED|ECONNRESET|ENOTFOUND|fetch failed|connection error"
    r"|socket hang up",
    re.I,
)


def make_pi_send(model: str, timeout: float) -> Send:
    """Return a function that asks `provider/model` through pi.

    Raises:
        ConfigError: when there is no pi on PATH.
    """
    binary = shutil.which("pi")
    if binary is None:
        raise ConfigError(
            f"the engine `pi:{model}` needs the program `pi`, which is not on PATH",
            "install pi, or add its folder to PATH of the schedule that starts recollect",
        )
    environment = os.environ | PRIVATE_PI

    def send(request: Request) -> Reply:
        """Ask pi in a process of its own, in an empty folder; TransportError when it fails or takes too long."""
        with tempfile.TemporaryDirectory(prefix="recollect-pi-") as folder:
            system = Path(folder) / "system.md"  # pi reads the file when its name is given: argv is too short for a prompt
            system.write_text(request.system, encoding="utf-8")
            command = [binary, *FLAGS, "--model", model, "--system-prompt", str(system)]
            return _run_pi(command, request.prompt, folder, environment, timeout)

    return send


def _run_pi(command: list[str], prompt: str, folder: str, environment: dict[str, str], timeout: float) -> Reply:
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=environment, start_new_session=True
        )
    except OSError as error:
        raise TransportError(f"pi does not start: {error.strerror or error}") from error
    try:
        output, complaint = process.communicate(prompt.encode("utf-8", "replace"), timeout)
    except subprocess.TimeoutExpired as error:
        raise TransportError("timeout", may_be_billed=True, is_request_at_fault=True) from error
    finally:
        if process.poll() is None:  # pi starts processes of its own: kill the group, also when a person interrupts the run
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    message = redact(" ".join(complaint.decode("utf-8", "replace").split()))[-MAX_MESSAGE_CHARS:]
    if process.returncode:
        raise TransportError(f"pi ended with {process.returncode}: {message}", is_transient=bool(_BUSY.search(message)))
    text = output.decode("utf-8", "replace").strip()
    return Reply(text, "" if text else "it is empty")
