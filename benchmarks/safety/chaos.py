"""Runs random schedules of nights with kills and faults: `python -m benchmarks.safety.chaos --schedules 10000 --seed 1`.

A world is a small history: session files that are written, extended, replaced and removed, decisions on REVIEW.md, a clock that
jumps, and the lake of each calm night. A schedule takes one or two of its nights, and in each the run is killed (a sample by a
real SIGKILL in a child process), gets errors of the disk (one error, full, read-only), meets a second run, or finds that files
change while it reads; then it is run again. Every eighth world asks a model on the loopback. Invariants, each counted when it is
broken: tables, index and pages are those of the calm lake; every entry is covered once; the sources are untouched; a page is
never half-written; the owner's words are all there; nothing half-written is left; an error names its place; no request is paid
twice, but the one that was under way, and each answered one is recorded; whoever reads right after a kill finds no row twice; in
a quarter of the schedules one more run over nothing new changes nothing and is recorded once. Keys: schedules, kills, nights, one
number for each kind of fault that struck, violations, by_invariant. `--first N --schedules 1` repeats one schedule. One JSON line
is printed last.
"""

from __future__ import annotations

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")  # tables of a few rows: threads only cost time
os.environ.setdefault("OPENAI_API_KEY", "-".join(("nobody", "pays")))

import gc
import json
import multiprocessing
import random
import shutil
import sys
import tempfile
import time
import traceback
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.safety.disturbing.faults import DISK_ERRORS, FAULTS, Fault, Killed, disturbing
from benchmarks.safety.disturbing.invariants import check_after_kill, check_at_end, check_quiet, read_pages
from benchmarks.safety.disturbing.worlds import KINDS, World, plan_world, prepare_calm
from effects.store.error_log import describe_error
from effects.system.errors import LockedError, RecollectError
from tests.effects.engines.model_server import ModelServer, serving
from tests.effects.engines.scripted import careful

SCHEDULES_PER_WORLD = 25
DEAD = 2**31 - 1
"""The number of no process."""
QUIET_SHARE = 0.25
"""Share of the schedules that end with one more run over nothing new."""
REAL_KILL_SHARE = 0.1
"""Share of the kills that are real ones: a child process has to import everything again."""


def main() -> None:
    """Print the counts; exit with 1 when an invariant was broken."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--schedules", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first schedule, to repeat one alone")
    parser.add_argument("--real", type=int, default=20, help="real SIGKILLs at most")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    violations: Counter[str] = Counter()
    began = time.monotonic()
    numbers = range(arguments.first, arguments.first + arguments.schedules)
    for number, broken in run_schedules(arguments.seed, numbers, counts, arguments.real):
        violations.update(broken)
        sys.stderr.write("".join(f"schedule {number}: {invariant}\n" for invariant in broken))
        if (number + 1) % 100 == 0:
            seconds = f"{time.monotonic() - began:.0f} s"
            sys.stderr.write(f"{number + 1} done in {seconds}, {violations.total()} violations, {json.dumps(counts)}\n")
    kills = counts["kill"] + counts["real kill"]
    result = {"schedules": arguments.schedules, "kills": kills, **counts}
    print(json.dumps(result | {"violations": violations.total(), "by_invariant": violations}))
    sys.exit(1 if violations else 0)


def run_schedules(
    seed: int, numbers: range, counts: Counter[str], real_kills: int = 0, kinds: Sequence[str] = KINDS
) -> Iterator[tuple[int, list[str]]]:
    """Yield each schedule's number with the invariants that it broke; `kinds` are those of the worlds, in turn."""
    world_number, world = -1, None
    memory = Path("/dev/shm")
    home = tempfile.mkdtemp(prefix="recollect-chaos-", dir=memory if memory.is_dir() else None)
    try:
        with serving(careful) as server:
            for number in numbers:
                if number // SCHEDULES_PER_WORLD != world_number:
                    world_number = number // SCHEDULES_PER_WORLD
                    if world is not None:
                        shutil.rmtree(world.root, ignore_errors=True)
                    world = make_world(
                        Path(home) / f"world-{world_number}", f"{seed}/{world_number}", kinds[world_number % len(kinds)], server
                    )
                    gc.collect()
                    gc.freeze()  # each kill collects garbage: what lives on is not searched again
                assert world is not None
                chance = random.Random(f"{seed}/schedule/{number}")
                yield number, run_schedule(world, chance, counts, server, counts["real kill"] < real_kills)
    finally:
        gc.unfreeze()
        shutil.rmtree(home, ignore_errors=True)


def make_world(root: Path, seed: str, kind: str, server: ModelServer) -> World:
    """Return a world whose calm nights are over."""
    world = plan_world(root, kind, random.Random(seed))
    world.url = server.url
    for number in prepare_calm(world):
        fault = Fault()
        with disturbing(fault, world.place):
            world.run(number)
        world.operations.append(fault.done)
    return world


def run_schedule(world: World, chance: random.Random, counts: Counter[str], server: ModelServer, may_fork: bool) -> list[str]:
    """Disturb one or two nights of a world; return the invariants that were broken."""
    first = chance.randrange(len(world.nights))
    last = min(first + chance.choice((0, 0, 1)), len(world.nights) - 1)
    world.restore(first - 1)
    paid, strikes = len(server.requests), 0
    is_early = False
    broken: list[str] = []
    for number in range(first, last + 1):
        world.change(number)
        counts["nights"] += 1
        before, after = read_pages(world.place), read_pages(world.root / f"calm-{number}")
        for _ in range(chance.choice((1, 1, 1, 2))):
            fault = make_fault(world, number, last, chance, may_fork)
            broken += run_disturbed(world, number, fault, counts)
            is_early |= fault.kind == "meanwhile" and fault.struck
            strikes += fault.struck
            if fault.struck and fault.kind != "meanwhile":
                broken += [f"{text} ({fault.kind} at {fault.struck_at})" for text in check_after_kill(world, before, after)]
        if not (is_early and number < last):
            broken += _run_again(world, number)
    broken += check_at_end(world, last, world.list_texts(last), is_early)
    if not is_early and chance.random() < QUIET_SHARE:
        broken += check_quiet(world, last)
    requests = Counter(json.dumps(body["messages"], sort_keys=True) for body in server.requests[paid:])
    if requests.total() - len(requests) > strikes:
        broken.append("a request was paid twice")
    return broken


def _run_again(world: World, number: int) -> list[str]:
    """Run a night without a fault; return the error that it ends in, which is a violation."""
    try:
        world.run(number)
    except Exception as error:  # noqa: BLE001 - a violation like the others
        return [f"the next run ends in {describe_error(error)}"]
    return []


def make_fault(world: World, number: int, last: int, chance: random.Random, may_fork: bool) -> Fault:
    """Return a random fault at a random operation of a night."""
    kind = chance.choice(FAULTS)
    if kind == "kill" and may_fork and chance.random() < REAL_KILL_SHARE:
        kind = "real kill"
    fault = Fault(kind, chance.randint(1, max(1, world.operations[number])), chance.choice(DISK_ERRORS))
    if kind == "meanwhile":
        fault.meanwhile = lambda: world.change(number + 1, ("write",)) if number < last else None
    if kind == "second run":
        fault.meanwhile = lambda: _expect_lock(world, number, fault.is_locked)
    return fault


def run_disturbed(world: World, number: int, fault: Fault, counts: Counter[str]) -> list[str]:
    """Run a night with a fault; return the complaint about the error that it raised."""
    wrong: list[str] = []
    try:
        if fault.kind == "real kill":
            _run_in_child(world, number, fault)
        else:
            with disturbing(fault, world.place):
                world.run(number)
    except Killed as killed:
        traceback.clear_frames(killed.__traceback__)  # they hold the lock
        killed.__traceback__ = None
        _bury(world.place)
    except (RecollectError, OSError) as error:
        if str(world.place) not in str(error):
            wrong = [f"an error names no place: {describe_error(error)}"]
    except Exception as error:  # noqa: BLE001 - a violation like the others
        wrong = [f"{fault.kind} at {fault.struck_at} ends in {describe_error(error)}"]
    gc.collect()
    if fault.struck:
        counts[fault.kind] += 1
    return wrong


def _bury(place: Path) -> None:
    """Give the temporary files of a kill that this process survived the number of a process that is dead, as a real kill does."""
    for left in place.rglob(f".*.{os.getpid()}.tmp"):
        left.rename(left.with_name(left.name.replace(f".{os.getpid()}.", f".{DEAD}.")))


def _expect_lock(world: World, number: int, is_locked: bool) -> None:
    """Start a second run in the middle of the first; before the first one has the lock, both are done one after the other."""
    try:
        world.run(number)
    except LockedError:
        return
    if is_locked:
        raise AssertionError("a second run wrote while the first one did")


def _run_in_child(world: World, number: int, fault: Fault) -> None:
    child = multiprocessing.get_context("spawn").Process(target=_die, args=(world, number, fault))
    child.start()
    child.join()
    fault.struck, fault.struck_at = child.exitcode != 0, "a real process"


def _die(world: World, number: int, fault: Fault) -> None:
    with disturbing(fault, world.place):
        world.run(number)


if __name__ == "__main__":
    main()
