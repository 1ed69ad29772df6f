"""Runs `recollect` for one owner: a process with the owner's home, folders and user, and nothing of anybody else's.

A process costs a second and is worth it: settings, caches and memory of one owner cannot reach another, and a crash, a full
memory or a run that never ends is the problem of one.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import orjson

from effects.fleet.fleet_file import LAKE, SESSIONS, SETTINGS_FILE, WORKSPACE, FleetOwner, find_foreign_link, list_owner_files
from effects.system.errors import EXIT_LOCKED
from effects.system.own_process import PYTHON
from transforms.fleet.fleet_report import OwnerResult, OwnerState

PASSED_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "PYTHONPATH", "SSL_CERT_FILE", "HTTPS_PROXY", "NO_PROXY")
"""Variables of this process that every run sees; `environment` of the fleet adds others."""
OWNER_LOG_BYTES = 512 * 1024
PATIENCE_S = 10.0
"""Seconds between asking a run to stop and killing it."""


@dataclass(frozen=True, slots=True)
class OwnerJob:
    """A command for one owner: the arguments of `recollect`, its budget and its time."""

    owner: FleetOwner
    arguments: tuple[str, ...]
    span: str = ""
    budget_usd: float | None = None
    minutes: float = 120.0
    environment: tuple[str, ...] = ()


def run_owner(job: OwnerJob) -> OwnerResult:
    """Run the command of a job to its end and return the result. It raises nothing: one owner never stops a fleet."""
    started = time.monotonic()

    def end(state: OwnerState, message: str = "", hint: str = "") -> OwnerResult:
        """Return the result of the job with the seconds that it took."""
        seconds = round(time.monotonic() - started, 1)
        return {
            "owner": job.owner.name, "span": job.span, "state": state, "seconds": seconds, "message": message, "hint": hint
        }  # fmt: skip

    if job.owner.problem:
        return end("not_run", job.owner.problem, "correct it, then run the fleet again")
    try:
        if link := find_foreign_link(job.owner):
            return end("not_run", f"{link} leads out of the home of {job.owner.name}", f"remove the link {link}")
        if not (job.owner.home / LAKE).exists() and not list_owner_files(job.owner):
            return end("done", "no sessions yet")
        code, output = _run_process(job)
    except subprocess.TimeoutExpired:
        return end("timed_out", f"no end after {job.minutes:g} minutes; finished work is kept", "the next run goes on")
    except (OSError, subprocess.SubprocessError) as error:
        place = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else f"{error}"
        return end("failed", f"the run cannot be started: {place}", "check the home of the owner and its permissions")
    if code == 0:
        return end("done")
    message, hint = _read_error(output, code, _locate_log(job.owner))
    return end("locked" if code == EXIT_LOCKED else "failed", message, hint)


def make_environment(job: OwnerJob) -> dict[str, str]:
    """Return the environment of an owner's run; none of the settings of this process is in it."""
    home = job.owner.home
    environment = {name: os.environ[name] for name in (*PASSED_VARIABLES, *job.environment) if name in os.environ}
    environment |= {
        "HOME": str(home),
        "RECOLLECT_SESSIONS": str(home / SESSIONS),
        "RECOLLECT_LAKE": str(home / LAKE),
        "RECOLLECT_WORKSPACE": str(home / WORKSPACE),
    }
    if (home / SETTINGS_FILE).exists():
        environment["RECOLLECT_CONFIG"] = str(home / SETTINGS_FILE)
    else:
        environment["RECOLLECT_OWNER"] = job.owner.name
    if job.budget_usd is not None:
        environment["RECOLLECT_ENGINE__BUDGET_RUN_USD"] = f"{min(job.budget_usd, job.owner.run_usd):.6f}"
    return environment


def _run_process(job: OwnerJob) -> tuple[int, bytes]:
    """Return exit code and stdout of the command; its stderr is in the owner's own log.

    Raises:
        TimeoutExpired: after the process and its children were ended.
        OSError: when it cannot be started.
    """
    user, group = _choose_user(job.owner.home)
    command = [*PYTHON, "-m", "recollect", *job.arguments]
    with (
        _open_log(job.owner) as errors,
        subprocess.Popen(
            command,
            env=make_environment(job),
            cwd=job.owner.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        ) as process,
    ):
        try:
            output, _ = process.communicate(timeout=job.minutes * 60)
        except subprocess.TimeoutExpired:
            _end_group(process)
            raise
        except BaseException:  # Ctrl-C, a cancelled flow: nothing goes on without us
            _end_group(process)
            raise
    return process.returncode, output


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ask the run and its workers to stop, and kill them when they do not."""
    for sign, patience in ((signal.SIGTERM, PATIENCE_S), (signal.SIGKILL, None)):
        try:
            os.killpg(process.pid, sign)
            process.wait(patience)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue
        return


def _choose_user(home: Path) -> tuple[int | None, int | None]:
    """Return user and group of a run: those who own the home when this process may change users, else None for the same."""
    owner = home.stat()
    return (None, None) if os.geteuid() != 0 or owner.st_uid == 0 else (owner.st_uid, owner.st_gid)


def _locate_log(owner: FleetOwner) -> Path:
    return owner.home / "fleet.log"


def _open_log(owner: FleetOwner) -> BinaryIO:
    """Return the log of the owner's runs, private; a long one is begun anew beside the old one.

    Raises:
        OSError: when a link, pipe or folder stands in its place: what this process may write, the owner may not.
    """
    path = _locate_log(owner)
    with suppress(FileNotFoundError):
        present = path.lstat()
        if stat.S_ISREG(present.st_mode) and present.st_size > OWNER_LOG_BYTES:
            path.replace(path.with_suffix(".log.old"))
    log = os.fdopen(
        os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600), "ab"
    )
    status = os.fstat(log.fileno())
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        log.close()
        raise OSError(errno.EINVAL, "it is no file of its own", str(path))
    if os.geteuid() == 0:
        home = owner.home.stat()
        os.fchown(log.fileno(), home.st_uid, home.st_gid)
    return log


def _read_error(output: bytes, code: int, log: Path) -> tuple[str, str]:
    """Return message and hint of a run that failed, from the object that `--json` printed."""
    for line in reversed(output.splitlines()):
        try:
            error = orjson.loads(line)["error"]
            return str(error["message"]), str(error["hint"])
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue
    ended = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return f"the run ended without a word ({ended})", f"see {log}"
