"""Runs a client with a session that it takes up again."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from effects.sessions.found_session import FoundSession
from effects.system.errors import SourceError
from effects.system.own_process import leave_out_own_variables
from transforms.sessions.resume_command import make_resume_command


def reopen_session(session: FoundSession) -> int:
    """Run the session's client in its folder, and return its exit code.

    Raises:
        SourceError: when the client or the folder is not on this machine.
    """
    command = make_resume_command(session["agent"], session["session_id"], session["source_path"])
    if shutil.which(command[0]) is None:
        raise SourceError(f"`{command[0]}` is not on this machine", f"install it, then: {session['open']}")
    folder = Path(session["folder"])
    if not folder.is_dir():
        raise SourceError(f"the session's folder {folder} is not on this machine", " ".join(command))
    return subprocess.run(command, cwd=folder, env=leave_out_own_variables(os.environ), check=False).returncode
