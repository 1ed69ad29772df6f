"""Runs commands of Prefect, each in a process of its own: a copy of one that has imported Prefect already.

An import of Prefect's command line takes most of a short command's time. Used as a script this module reads a command a line.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
IMPORTED = (
    "prefect.cli", "prefect.cli.deploy", "prefect.cli.deployment", "prefect.cli.flow_run", "prefect.cli.work_pool",
    "flows.backfill", "flows.fleet", "flows.friction", "flows.nightly", "flows.timeline",  # `prefect deploy` imports each
)  # fmt: skip
RunPrefect = Callable[..., subprocess.CompletedProcess[str]]


class PrefectCommands:
    """Runs commands in the environment of a server."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._count = 0

    def run(self, environment: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one command as `prefect ARGUMENTS` would, with `environment`, and return its code and what it printed."""
        self._count += 1
        out, err = (self._folder / f"{self._count}.{name}" for name in ("out", "err"))
        request = {"arguments": arguments, "environment": dict(environment), "out": str(out), "err": str(err)}
        code = _exchange(self._process, request)
        return subprocess.CompletedProcess(arguments, code, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8"))


def call_server(environment: Mapping[str, str], method: str, path: str, body: Mapping[str, Any] | None = None) -> httpx.Response:
    """Send a request to the server of `environment`, again while it answers 503, and return its answer.

    Prefect answers 503 while its SQLite database is locked by another request; its own client repeats such requests, too.
    It speaks no TLS: without `verify=False` each call would read the certificates of this machine for 40 ms.
    """
    deadline = time.monotonic() + 60
    while True:
        address = f"{environment['PREFECT_API_URL']}/{path}"
        answer = httpx.request(method, address, json=body or {}, timeout=120, verify=False)
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or time.monotonic() > deadline:
            return answer
        time.sleep(0.2)


@contextmanager
def preparing_commands(environment: Mapping[str, str], folder: Path) -> Iterator[PrefectCommands]:
    """Start the process that is copied for each command, and end it."""
    command = [sys.executable, "-m", "tests.prefect_commands"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:  # fmt: skip
        yield PrefectCommands(process, folder)
        _get_pipe(process.stdin).close()


def _exchange(process: subprocess.Popen[str], request: Mapping[str, Any]) -> int:
    stdin = _get_pipe(process.stdin)
    stdin.write(json.dumps(request) + "\n")
    stdin.flush()
    return int(_get_pipe(process.stdout).readline())


def _get_pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def _serve() -> None:
    for module in IMPORTED:
        importlib.import_module(module)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _run_command(request)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)  # noqa: T201


def _run_command(request: Mapping[str, Any]) -> None:
    """Run a command in this process and end it."""
    from prefect.cli import app
    from prefect.context import refresh_global_settings_context

    code: object = 1
    try:
        os.environ.clear()
        os.environ.update(request["environment"])
        for name, descriptor in (("out", 1), ("err", 2)):
            os.dup2(os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        refresh_global_settings_context()
        sys.argv = ["prefect", *request["arguments"]]
        app()
        code = 0
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - as the interpreter does at the end of a process
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else int(bool(code)))


if __name__ == "__main__":
    _serve()
