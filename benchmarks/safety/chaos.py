"""Runs random schedules of nights over a small history, with kills and errors in between.

    python -m benchmarks.safety.chaos [--schedules 300] [--seed 1]

A schedule writes, extends, replaces and removes session files, moves the clock, and runs nights. In the disturbed copy a night
dies or gets an error of the disk (full, read-only, no permission) at a random write, rename, removal or fsync, and is run again;
the calm copy has the same history without that. Invariants, each counted when it is broken: the tables of both are equal; every
entry is covered once; the sources are untouched; the owner's lines of MEMORY.md are all there; no half-written page or temporary
file is left. Keys: schedules, nights, kills, errors, violations (by invariant). One JSON line is printed last.
"""

from __future__ import annotations

import errno
import gc
import json
import os
import random
import shutil
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import patch

from effects.config.settings import EmbeddingSettings, Settings
from effects.store.run import Run, open_run
from effects.system import files
from effects.system.errors import RecollectError
from flows.pipelines import nightly_pipeline
from flows.runner import run_pipeline

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
COMPARED = ("sessions", "entries", "coverage", "windows", "segments", "observations", "distillates", "proposals")
VOLATILE = ("source_path",)
OWN_LINE = "- (2026-01-01) A line that the owner wrote by hand"
DISK_ERRORS = (errno.ENOSPC, errno.EROFS, errno.EACCES)


class Killed(BaseException):
    """The process dies here: nothing catches this but the benchmark."""


class Copy:
    """One copy of the history with its lake and workspace."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "workspace").mkdir(parents=True)
        (root / "sessions").mkdir()
        (root / "workspace" / "MEMORY.md").write_text(f"# Memory\n\n## Patterns\n\n{OWN_LINE}\n", encoding="utf-8")

    def open(self, as_of: datetime) -> Run:
        """Return a run of this copy at a moment."""
        places = {name: self.root / name for name in ("lake", "workspace")}
        embedding = EmbeddingSettings(model=str(self.root / "no-model"))
        return open_run(
            Settings(**places, sessions=(self.root / "sessions",), timezone="UTC", owner="Owner", embedding=embedding), as_of
        )

    def write(self, name: str, text: str) -> None:
        """Write a session file; its time of change is that of its text, equal in both copies."""
        path = self.root / "sessions" / f"{name}.jsonl"
        path.write_text(text, encoding="utf-8")
        os.utime(path, (START.timestamp() + len(text), START.timestamp() + len(text)))


def main() -> None:
    """Print the counts; exit with 1 when an invariant was broken."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first schedule, to repeat one alone")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    violations: Counter[str] = Counter()
    for number in range(arguments.first, arguments.first + arguments.schedules):
        with tempfile.TemporaryDirectory() as name:
            broken = run_schedule(Path(name), random.Random(f"{arguments.seed}/{number}"), counts)
        violations.update(broken)
        sys.stderr.write("".join(f"schedule {number}: {invariant}\n" for invariant in broken))
        sys.stderr.write(f"schedule {number} done, {counts['kills']} kills, {violations.total()} violations\n")
    print(json.dumps({"schedules": arguments.schedules, **counts, "violations": violations.total(), "by_invariant": violations}))
    sys.exit(1 if violations else 0)


def run_schedule(root: Path, chance: random.Random, counts: Counter[str]) -> list[str]:
    """Run one schedule on a calm and on a disturbed copy; return the invariants that were broken."""
    calm, disturbed = Copy(root / "calm"), Copy(root / "disturbed")
    texts: dict[str, str] = {}
    moment = START + timedelta(days=2)
    for _ in range(chance.randint(2, 4)):
        _change_sessions(texts, chance, (calm, disturbed))
        moment += timedelta(hours=chance.choice((1, 26, 50)))
        counts["nights"] += 1
        run_pipeline(calm.open(moment), nightly_pipeline(None))
        while _is_disturbed(disturbed.open(moment), chance, counts):
            pass
    return find_violations(calm, disturbed, texts)


def _change_sessions(texts: dict[str, str], chance: random.Random, copies: tuple[Copy, ...]) -> None:
    for _ in range(chance.randint(1, 3)):
        name = f"s{chance.randint(1, 3)}"
        deed = chance.choice(("extend", "extend", "replace", "remove")) if name in texts else "write"
        if deed == "remove":
            del texts[name]
            for copy in copies:
                (copy.root / "sessions" / f"{name}.jsonl").unlink()
            continue
        old = texts.get(name, "") if deed == "extend" else ""
        texts[name] = old + _make_lines(name, old.count("\n"), chance.randint(2, 12), chance)
        for copy in copies:
            copy.write(name, texts[name])
    if not texts:  # a night without any session is refused
        texts["s9"] = _make_lines("s9", 0, 4, chance)
        for copy in copies:
            copy.write("s9", texts["s9"])


def _make_lines(name: str, first: int, count: int, chance: random.Random) -> str:
    lines: list[dict[str, object]] = []
    if not first:
        lines.append({"type": "session", "version": 3, "id": name, "timestamp": START.isoformat(), "cwd": "/w/app"})
    for number in range(first + len(lines), first + len(lines) + count):
        role = "assistant" if number % 2 else "user"
        text = "Done." if number % 2 else f"from now on always use port {chance.randint(1024, 9999)} for service {number}"
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        time = (START + timedelta(minutes=number)).isoformat()
        parent = f"{name}-{number - 1}" if number > 1 else None
        lines.append({"type": "message", "id": f"{name}-{number}", "parentId": parent, "timestamp": time, "message": message})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _is_disturbed(run: Run, chance: random.Random, counts: Counter[str]) -> bool:
    """Run a night that may die or fail at a random operation; return whether it did."""
    is_kill, moment = chance.random() < 0.7, int(chance.expovariate(1 / 60)) + 1
    error: BaseException = (
        Killed() if is_kill else OSError(code := chance.choice(DISK_ERRORS), os.strerror(code), str(run.lake.root))
    )
    try:
        with _failing_at(moment, error):
            run_pipeline(run, nightly_pipeline(None))
    except Killed as killed:
        counts["kills"] += 1
        killed.__traceback__ = None  # it holds the frames of the dead night, and these the lock
        gc.collect()
        return True
    except (RecollectError, OSError):
        counts["errors"] += 1
        return True
    return False


@contextmanager
def _failing_at(moment: int, error: BaseException) -> Iterator[None]:
    """Let the n-th durable operation fail instead of being done; after a kill none is done any more."""
    done = 0

    def count(original: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            nonlocal done
            done += 1
            if done == moment or (done > moment and isinstance(error, Killed)):
                raise error
            return original(*arguments, **named)

        return call

    with (
        patch.object(Path, "replace", count(Path.replace)),
        patch.object(Path, "unlink", count(Path.unlink)),
        patch.object(os, "fsync", count(os.fsync)),
        patch.object(shutil, "rmtree", count(shutil.rmtree)),
        patch.object(files, "write_durably", count(files.write_durably)),
    ):
        yield


def find_violations(calm: Copy, disturbed: Copy, texts: dict[str, str]) -> list[str]:
    """Return the invariants that the disturbed copy breaks; `texts` are the session files as they were written."""
    found = []
    one, two = (copy.open(START).lake for copy in (calm, disturbed))
    for table in COMPARED:
        left, right = (lake.read(table).drop(VOLATILE, strict=False) for lake in (one, two))
        if not left.equals(right):
            found.append(f"{table} differs from the calm one")
    coverage, entries = two.read("coverage"), two.read("entries")
    key = ["session_id", "ordinal"]
    if coverage.select(key).is_duplicated().any() or entries.join(coverage, on=key, how="anti").height:
        found.append("an entry is not covered once")
    sources = {path.stem: path.read_text(encoding="utf-8") for path in (disturbed.root / "sessions").glob("*.jsonl")}
    if sources != texts:
        found.append("a source was touched")
    workspace = disturbed.root / "workspace"
    if OWN_LINE not in (workspace / "MEMORY.md").read_text(encoding="utf-8"):
        found.append("a line of the owner is gone")
    if any(path.name.endswith(".tmp") for path in workspace.rglob("*")) or any((disturbed.root / "lake" / "_tx").glob("*")):
        found.append("something half-written is left")
    return found


if __name__ == "__main__":
    main()
