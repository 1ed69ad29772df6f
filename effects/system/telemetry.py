"""Keeps libraries from telling anybody about this machine, and owners about themselves, by variables that they read at import."""

from __future__ import annotations

import os

PRIVATE_LIBRARIES = {"ORT_DISABLE_TELEMETRY": "1"}
"""onnxruntime uploads events with a device id, the path of Python and the processor since 1.3x, unless this is set."""
QUIET_LIBRARIES = {"LANCE_LOG": "error"}
"""LanceDB's tables print warnings about partitions of their index, on which nobody can act, between the lines of a night."""


def keep_libraries_private() -> None:
    """Switch the libraries' telemetry off for this process, against any environment, and their warnings unless somebody set them.

    A command calls it first of all: while another thread reads the environment, as polars and LanceDB do from their own, a new
    variable can move it and the process dies (glibc, `setenv(3)`: not safe among threads).
    """
    for name, value in PRIVATE_LIBRARIES.items():
        if os.environ.get(name) != value:
            os.environ[name] = value
    for name, value in QUIET_LIBRARIES.items():
        os.environ.setdefault(name, value)
