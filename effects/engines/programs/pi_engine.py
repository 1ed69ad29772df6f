"""Models through the pi binary: one process per request, the prompt on stdin, an answer in the XML form on stdout.

pi chooses keys, providers and routes, so a user of pi needs no further set-up. It has no options for temperature and output
length, and its text mode reports no usage: tokens are estimated.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from effects.engines.programs.program import is_busy, is_used_up, run_program
from effects.engines.requests import Reply, Request, Send, TransportError
from effects.system.errors import ConfigError

FLAGS = ("-p", "--no-session", "-nt", "-ne", "-ns", "-np", "-nc")
"""One answer, nothing stored; no tools, extensions, skills, prompt templates or context files."""
PRIVATE_PI = {"PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0"}


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
            output = run_program("pi", command, request.prompt, folder, environment, timeout)
        message = output.complaint
        if output.code:
            is_final = is_used_up(message)
            raise TransportError(
                f"pi ended with {output.code}: {message}", is_transient=not is_final and is_busy(message), is_final=is_final
            )
        text = output.text.strip()
        return Reply(text, "" if text else "it is empty")

    return send
