"""The schedule of this machine: launchd, a systemd user timer, or cron; installed so that it can be undone."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from effects.config.paths import find_config_file, find_system_timezone, is_default_config, word_unnamed_timezone
from effects.config.settings import Settings
from effects.setup.changes import SetupRecord, read_crontab, run_program, save_record, undo, write_recorded
from effects.setup.schedule_texts import Job, name_launchd_job, render_cron, render_launchd, render_systemd, strip_cron_block
from effects.system.own_process import find_own_command

Scheduler = Literal["launchd", "systemd", "cron", "none"]
SCHEDULERS: tuple[Scheduler, ...] = ("launchd", "systemd", "cron", "none")

TIMES = {"nightly": (3, 30, False), "friction": (7, 0, False), "timeline": (7, 30, True)}
"""Hour, minute, and whether on Mondays only, in the owner's zone; the same as in prefect.yaml."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The files of a schedule by path, the lines of a crontab, and the commands that start and stop it."""

    scheduler: Scheduler
    files: dict[Path, bytes] = field(default_factory=dict)
    crontab: str = ""
    start_commands: tuple[tuple[str, ...], ...] = ()
    stop_commands: tuple[tuple[str, ...], ...] = ()


def list_schedule_lines(schedule: Schedule) -> Iterator[str]:
    """Yield the lines that show a schedule: its files, each with its path, its crontab, and the commands that start it."""
    for path, data in schedule.files.items():
        yield f"# {path}"
        yield from data.decode().splitlines()
        yield ""
    yield from schedule.crontab.splitlines()
    if schedule.start_commands:
        yield "# then"
        yield from map(shlex.join, schedule.start_commands)


def list_schedule_faults(scheduler: Scheduler, settings: Settings) -> Iterator[str]:
    """Yield a sentence for each way in which a scheduler starts its jobs at another time than the owner expects."""
    system = find_system_timezone()
    if scheduler in ("cron", "launchd") and settings.timezone != system:
        yield f"{scheduler} starts at 03:30 of the system's zone, {system}, not of {settings.timezone}, in which your days are"
    if note := word_unnamed_timezone(settings.timezone):
        yield f"{note}; `recollect init --timezone ZONE` sets another"
    if scheduler == "systemd" and not _goes_on_after_logout():
        yield "systemd starts nothing of yours while you are logged out; on a server run: loginctl enable-linger"


def choose_scheduler() -> Scheduler:
    """Return the scheduler of this machine: launchd on macOS, else a systemd of the user, else cron, else none."""
    if sys.platform == "darwin":
        return "launchd"
    if shutil.which("systemctl"):
        asked = subprocess.run(["systemctl", "--user", "show-environment"], capture_output=True, check=False)
        if asked.returncode == 0:
            return "systemd"
    return "cron" if shutil.which("crontab") else "none"


def list_jobs(names: Sequence[str]) -> list[Job]:
    """Return the jobs of these commands; each finds other programs (pi) and the settings as this shell does."""
    environment = {"PATH": _keep_absolute(os.environ.get("PATH", ""))}
    if not is_default_config():
        environment["RECOLLECT_CONFIG"] = str(find_config_file())
    jobs = [Job(name, (*find_own_command(), name), *TIMES[name], environment=environment) for name in TIMES if name in names]
    return [replace(job, command=(*job.command, "--direct")) if job.name == "nightly" else job for job in jobs]


def make_schedule(scheduler: Scheduler, settings: Settings, names: Sequence[str]) -> Schedule:
    """Return the schedule of the commands `names`; nothing is written."""
    jobs, log = list_jobs(names), settings.lake / "_logs" / "schedule.log"
    if scheduler == "launchd":
        folder, domain = Path.home() / "Library" / "LaunchAgents", f"gui/{os.getuid()}"
        files = {folder / f"{name_launchd_job(job)}.plist": render_launchd(job, log) for job in jobs}
        start = (("mkdir", "-p", str(log.parent)), *(("launchctl", "bootstrap", domain, str(path)) for path in files))
        return Schedule(
            scheduler, files, "", start, tuple(("launchctl", "bootout", f"{domain}/{name_launchd_job(job)}") for job in jobs)
        )
    if scheduler == "systemd":
        folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "systemd" / "user"
        units = {folder / name: text.encode() for job in jobs for name, text in render_systemd(job, settings.timezone).items()}
        timers = tuple(path.name for path in units if path.suffix == ".timer")
        reload = ("systemctl", "--user", "daemon-reload")
        enable, disable = (("systemctl", "--user", verb, "--now", *timers) for verb in ("enable", "disable"))
        return Schedule(scheduler, units, "", (reload, enable), (disable,))
    return Schedule(scheduler, crontab=render_cron(jobs, log) if scheduler == "cron" else "")


def install_schedule(record: SetupRecord, schedule: Schedule, settings: Settings) -> None:
    """Install a schedule, in place of the one that the set-up installed before.

    Raises:
        RecollectError: when the system refuses; the written files are in the record.
    """
    (settings.lake / "_logs").mkdir(parents=True, exist_ok=True)
    if _is_installed(record, schedule):
        return
    for _ in undo(record, ("schedule",)):
        pass
    for path, data in schedule.files.items():
        write_recorded(record, "schedule", path, data, 0o644)
    if schedule.crontab:
        before = read_crontab()
        other_lines = strip_cron_block(before or "")
        after = other_lines + ("" if other_lines.endswith("\n") or not other_lines else "\n") + schedule.crontab
        record["crontab_before"], record["crontab_after"] = (None if before is None else other_lines), after
        save_record(record)
        run_program(["crontab", "-"], after)
    record["stop_commands"] = [list(command) for command in schedule.stop_commands]
    save_record(record)
    for command in schedule.start_commands:
        run_program(list(command))


def _is_installed(record: SetupRecord, schedule: Schedule) -> bool:
    """Return whether exactly this schedule runs already: an agent that is loaded cannot be loaded again."""
    own_paths = {change["path"] for change in record["files"] if change["group"] == "schedule"}
    is_same_files = own_paths == {str(path.resolve()) for path in schedule.files} and all(
        path.is_file() and path.read_bytes() == data for path, data in schedule.files.items()
    )
    is_same_stop = record["stop_commands"] == [list(command) for command in schedule.stop_commands]
    crontab = read_crontab() or "" if schedule.crontab or record["crontab_after"] is not None else ""
    is_same_cron = schedule.crontab in crontab if schedule.crontab else record["crontab_after"] is None
    return is_same_files and is_same_stop and is_same_cron and bool(own_paths or schedule.crontab)


def _goes_on_after_logout() -> bool:
    """Whether systemd keeps the timers of this user without a login; it knows no user who neither lingers nor is logged in."""
    if not shutil.which("loginctl"):
        return False
    asked = ["loginctl", "show-user", str(os.getuid()), "--property=Linger"]
    return "Linger=yes" in subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()


def _keep_absolute(path: str) -> str:
    return os.pathsep.join(dict.fromkeys(folder for folder in path.split(os.pathsep) if Path(folder).is_absolute()))
