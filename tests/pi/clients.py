"""Finds the clients that `tests/pi/setup.sh` prepared; without them the tests marked `pi` are skipped."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
READY = ROOT / "build" / "pi"
ENTRIES = {
    "0.73.1": READY / "node_modules/@mariozechner/pi-coding-agent/dist/index.js",
    "1.5.2": READY / "pi-1.5.2/dist/bundle/index.js",
}
CLIENTS = {version: entry.with_name("cli.js") for version, entry in ENTRIES.items()}
QUIET = {
    "PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1", "PI_TELEMETRY": "0",
    "NODE_COMPILE_CACHE": str(READY / "compiled"),  # a fifth of the start of pi 0.73
}  # fmt: skip
"""Variables of each pi: it asks nobody on the internet, and keeps between its processes what node compiled."""


def node() -> Path:
    """Return a node that runs both clients, the prepared one or that of the machine; skip the test without."""
    if not (READY / ".ready").exists():
        pytest.skip("the pi packages are not here: tests/pi/setup.sh prepares them (node >= 20 with npm)")
    if listed_paths := sorted(READY.glob("node_modules/node-*/bin/node")):
        return listed_paths[0]
    system = shutil.which("node")
    result = subprocess.run([system, "--version"], capture_output=True, text=True, check=True).stdout if system else "v0"
    if system is None or int(result.lstrip("v").split(".")[0]) < 22:
        pytest.skip("pi 1.5.2 needs node >= 22")
    return Path(system)


def told_by_pi(version: str, paths: list[Path]) -> str:
    """Return the output of the oracle for the sessions, one JSON line each."""
    command = [str(node()), str(HERE / "oracle.mjs"), str(ENTRIES[version])]
    done = subprocess.run(
        command, check=False, input="".join(f"{path}\n" for path in paths), capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
