"""The texts of a schedule: launchd property lists, systemd units, lines of a crontab."""

from __future__ import annotations

import plistlib
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CRON_BEGIN = "# recollect: begin (made by `recollect init`, removed by `recollect uninstall`)"
CRON_END = "# recollect: end"


@dataclass(frozen=True, slots=True)
class Job:
    """A command that runs every day, or every week on Mondays, at an hour and a minute of the owner's zone."""

    name: str
    command: tuple[str, ...]
    hour: int
    minute: int
    is_weekly: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


def render_launchd(job: Job, log: Path) -> bytes:
    """Return the property list of a launch agent; a run that was missed while the computer slept starts when it wakes."""
    time = {"Hour": job.hour, "Minute": job.minute} | ({"Weekday": 1} if job.is_weekly else {})
    return plistlib.dumps(
        {
            "Label": name_launchd_job(job),
            "ProgramArguments": list(job.command),
            "EnvironmentVariables": dict(job.environment),
            "StartCalendarInterval": time,
            "StandardOutPath": str(log),
            "StandardErrorPath": str(log),
            "ProcessType": "Background",
            "LowPriorityIO": True,
        }
    )


def name_launchd_job(job: Job) -> str:
    """Return the name of a launch agent."""
    return f"recollect.{job.name}"


def render_systemd(job: Job, zone: str) -> dict[str, str]:
    """Return the service and the timer by file name; a run that was missed starts as soon as the computer is on."""
    environment = "".join(f"Environment={_quote_systemd(f'{name}={value}')}\n" for name, value in job.environment.items())
    service = (
        f"[Unit]\nDescription=recollect: {job.name}\n\n[Service]\nType=oneshot\nNice=10\nIOSchedulingClass=idle\n{environment}"
        f"ExecStart={' '.join(_quote_systemd(part).replace('$', '$$') for part in job.command)}\n"
    )
    day = "Mon *-*-*" if job.is_weekly else "*-*-*"
    timer = (
        f"[Unit]\nDescription=recollect: {job.name}\n\n[Timer]\nOnCalendar={day} {job.hour:02}:{job.minute:02}:00 {zone}\n"
        "Persistent=true\n\n[Install]\nWantedBy=timers.target\n"
    )
    return {f"recollect-{job.name}.service": service, f"recollect-{job.name}.timer": timer}


def render_cron(jobs: Sequence[Job], log: Path) -> str:
    """Return the lines of a crontab, between marks. Cron knows the system's zone only, and passes over a missed run.

    Each line makes the folder of its log: a shell that cannot open the log runs nothing, and says so to nobody.
    """
    lines = [CRON_BEGIN]
    for job in jobs:
        words = ["mkdir", "-p", shlex.quote(str(log.parent)), "&&"]
        words += [f"{name}={shlex.quote(value)}" for name, value in job.environment.items()]
        words += [shlex.quote(part) for part in job.command]
        command = " ".join([*words, ">>", shlex.quote(str(log)), "2>&1"]).replace("%", "\\%")
        lines.append(f"{job.minute} {job.hour} * * {'1' if job.is_weekly else '*'} {command}")
    return "\n".join([*lines, CRON_END, ""])


def strip_cron_block(crontab: str) -> str:
    """Return a crontab without the lines of recollect."""
    return re.sub(rf"^{re.escape(CRON_BEGIN)}\n.*?^{re.escape(CRON_END)}\n?", "", crontab, flags=re.DOTALL | re.MULTILINE)


def _quote_systemd(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"' if re.search(r"[\s\"'\\;]", text) else escaped
