"""How recollect starts Python: a process of ours imports nothing from the folder in which somebody started it.

Python puts the working directory first among the places of modules for `-m` and `-c`, and a command runs wherever its owner or a
client's hook stands: in a cloned repository with a module `orjson`, whose code would run.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

PYTHON = (sys.executable, "-P")
"""The beginning of a command that runs Python of this environment."""
NEUTRAL_FOLDER = "/"
"""A working directory in which nobody but the system leaves files: installers and libraries read settings of theirs there."""
SAFE_PATH, OUR_VALUE = "PYTHONSAFEPATH", "recollect"


def find_own_command() -> tuple[str, ...]:
    """Return the full path of the `recollect` command of this environment, or Python and the module."""
    script = Path(sys.executable).with_name("recollect")
    return (str(script),) if script.is_file() else (*PYTHON, "-m", "recollect")


def keep_working_folder_from_imports() -> None:
    """Let every Python that this process and its libraries start (workers, Prefect's server) import nothing from where it runs.

    A command calls it first of all, for the reason in `keep_libraries_private`.
    """
    os.environ.setdefault(SAFE_PATH, OUR_VALUE)


def open_closed_streams() -> None:
    """Lead stdin, stdout and stderr that the caller closed (`>&-`) to the null device: Python has None for them then.

    Their numbers are taken, too, or the next file that is opened would get what something else writes there.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)  # a worker would have it closed again, and another file in its place
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w" if number else "r", encoding="utf-8"))  # noqa: SIM115, PTH123  for good


@contextmanager
def leaving_working_folder() -> Iterator[None]:
    """Work in the neutral folder, for a library that reads settings from where it runs, and come back. Paths must be absolute."""
    before = None
    with suppress(OSError):  # somebody removed it
        before = Path.cwd()
    os.chdir(NEUTRAL_FOLDER)
    try:
        yield
    finally:
        with suppress(OSError):
            os.chdir(before or NEUTRAL_FOLDER)


def leave_out_own_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a program of the owner, whose own scripts import from where they lie, as they always did."""
    return {name: value for name, value in environment.items() if (name, value) != (SAFE_PATH, OUR_VALUE)}
