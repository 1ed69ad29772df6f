"""`make demo`: five nights over the sample sessions in a fresh folder, with the owner's decisions in between.

It runs the same commands that a person would, so that every printed command can be typed again. Nothing outside `.demo/` is
touched: lake, workspace, sessions, home of Prefect and configuration all lie in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

from effects.config.paths import PROJECT_ROOT
from effects.health.sample_sessions import copy_sample_sessions
from effects.system.errors import RecollectError
from effects.system.own_process import PYTHON
from recollect.terminal import print_line, print_note
from transforms.patterns.late_pattern import compile_late

ZONE = "Europe/Berlin"
NIGHTS = ("2026-03-04T03:30", "2026-03-07T03:30", "2026-03-11T03:30", "2026-03-14T03:30", "2026-03-16T03:30")
"""The owner's nights. A session is there from the night after it began; the last night runs through Prefect."""

QUESTION = "What did we decide about the job store?"
_STARTED = compile_late(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-\d+Z_")


def main() -> int:
    """Run the demo and print where its pages lie."""
    began = time.monotonic()
    home = PROJECT_ROOT / ".demo"
    if home.exists():
        shutil.rmtree(home)
    written = copy_sample_sessions(PROJECT_ROOT / "data" / "samples" / "sessions", home / "later")
    print_line(f"{written} sample sessions of an invented developer, Mara, over two invented projects.\n")
    environment = _build_environment(home)
    for number, night in enumerate(NIGHTS, start=1):
        arrived = _deliver_sessions(home, datetime.fromisoformat(f"{night}:00+01:00"))
        print_line(f"── night {number} of {len(NIGHTS)}, {night.replace('T', ' ')}: {arrived} new sessions")
        through = [] if night == NIGHTS[-1] else ["--direct"]
        _run_recollect(environment, "nightly", *through, "--as-of", night)
        if night != NIGHTS[-1]:
            _decide_as_owner(environment, home)
    print_line("── an answer from memory")
    _run_recollect(environment, "ask", QUESTION)
    _run_recollect(environment, "doctor", "--as-of", NIGHTS[-1])
    _print_places(home, time.monotonic() - began)
    return 0


def _build_environment(home: Path) -> dict[str, str]:
    """Return an environment with the demo's own places; settings of the person who runs it do not reach it."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("RECOLLECT_", "PREFECT_"))}
    # Raw turns are found by their words: their vectors would double the time of the demo. Tiers come sooner than by
    # default, so that two weeks are enough to show a condensed one.
    (home / "recollect.toml").write_text(
        f'sessions = "{home / "sessions"}"\nlake = "{home / "lake"}"\nworkspace = "{home / "workspace"}"\n'
        f'timezone = "{ZONE}"\nowner = "mara"\n'
        "[embedding]\nturn_minutes = 0\n[tiers]\nafter_days = [1, 6, 60, 365]\n",
        encoding="utf-8",
    )
    return inherited | {"RECOLLECT_CONFIG": str(home / "recollect.toml"), "PREFECT_HOME": str(home / "prefect")}


def _deliver_sessions(home: Path, night: datetime) -> int:
    """Move the sessions that began before the night to the folder of sessions; return their number."""
    arrived = 0
    for path in sorted((home / "later").rglob("*.jsonl")):
        start = _STARTED.match(path.name)
        if start and datetime.fromisoformat(f"{start[1]}T{start[2]}:{start[3]}:{start[4]}+00:00") < night:
            target = home / "sessions" / path.relative_to(home / "later")
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
            arrived += 1
    return arrived


def _decide_as_owner(environment: dict[str, str], home: Path) -> None:
    """Review as Mara: she ticks the first proposal of REVIEW.md and strikes the last one; the rest waits."""
    page = home / "workspace" / "REVIEW.md"
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True) if page.exists() else []
    boxes = [number for number, line in enumerate(lines) if line.startswith("- [ ] ")]
    if not boxes:
        print_line("   Mara finds nothing to review\n")
        return
    lines[boxes[0]] = lines[boxes[0]].replace("- [ ]", "- [x]", 1)
    struck = 0
    if len(boxes) > 2:
        lines[boxes[-1]] = lines[boxes[-1]].replace("- [ ]", "- [-]", 1)
        struck = 1
    page.write_text("".join(lines), encoding="utf-8")
    print_line(f"   Mara reads REVIEW.md: 1 approved, {struck} rejected, {len(boxes) - 1 - struck} left for later\n")


def _run_recollect(environment: dict[str, str], *arguments: str) -> None:
    shown = " ".join(f'"{part}"' if " " in part else part for part in arguments)
    print_line(f"$ recollect {shown}")
    sys.stdout.flush()
    done = subprocess.run([*PYTHON, "-m", "recollect", *arguments], env=environment, cwd=PROJECT_ROOT, check=False)
    if done.returncode:
        raise RecollectError(f"`recollect {shown}` ended with {done.returncode}", "see above")
    print_line()


def _print_places(home: Path, seconds: float) -> None:
    folder = home.relative_to(PROJECT_ROOT)
    print_line(f"Done in {seconds:.0f} s. Where to look:")
    for name, content in (
        ("workspace/REVIEW.md", "proposals that wait for a decision: tick, strike or edit them"),
        ("workspace/MEMORY.md", "the approved lines"),
        ("workspace/briefing/ferrypost.md", "the briefing of an agent in that project"),
        ("workspace/memory/2026-03-06.md", "the daily log of one day"),
        ("lake", "all tables, as Parquet"),
    ):
        print_line(f"  {folder / name!s:<38} {content}")
    print_line("\nTry next:")
    print_line(f"  export RECOLLECT_CONFIG={home / 'recollect.toml'}")
    for command in (
        'recollect ask "What caused the double deliveries?"',
        "recollect review list",
        f"recollect review approve ID --as-of {NIGHTS[-1]}   (the sample sessions are of March 2026)",
        "recollect briefing --project plumline",
        "recollect sql \"SELECT kind, priority, text FROM observations WHERE verdict = 'allow' LIMIT 10\"",
        "recollect show ID   (any id that you see above)",
    ):
        print_line(f"  {command if command.startswith('export') else '.venv/bin/' + command}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RecollectError as error:
        print_note(f"demo: {error.message}; {error.hint}")
        sys.exit(error.exit_code)
