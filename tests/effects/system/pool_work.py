"""Work for the processes of a pool. Each imports the module of its work: this one imports nothing of ours, and no pytest."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path


def doubled(number: int) -> int:
    """Return twice the number in a worker, and print it, which must not disturb the results."""
    sys.stdout.write("a library prints something\n")
    sys.stdout.flush()
    return 2 * number


def doubled_with_a_mark(number: int) -> int:
    """Return twice the number after a while, and leave a file of the process that did it."""
    time.sleep(0.1)
    (Path(os.environ["MARK"]) / f"{number}-{os.getpid()}").touch()
    return 2 * number


def dying_in_workers(number: int) -> int:
    """Kill the process when it is a worker."""
    if os.environ["HERE"] != str(os.getpid()):
        os._exit(3)
    return -number


def failing_in_workers(number: int) -> int:
    """Raise an error when the process is a worker."""
    if os.environ["HERE"] != str(os.getpid()):
        raise ValueError(f"no {number}")
    return -number


def process_id_after(seconds: float) -> int:
    """Return the process id of the worker after a while."""
    time.sleep(seconds)
    return os.getpid()


def failing(number: int) -> int:
    """Raise an error everywhere."""
    raise ValueError(f"never {number}")


def counting_twice(seconds: float) -> float:
    """Count ten units, and ten more after a while."""
    from effects.system.work_tally import add_done

    add_done(10)
    time.sleep(seconds)
    add_done(10)
    return seconds


def counting_before_a_worker(number: int) -> int:
    """Count ten units; outside of a worker stay at work until a worker has counted its ten and is done."""
    from effects.system.work_tally import add_done

    add_done(10)
    mark = Path(os.environ["MARK"])
    if os.environ["HERE"] != str(os.getpid()):
        mark.touch()
        return number
    for _ in range(1200):
        if mark.exists():
            break
        time.sleep(0.1)
    time.sleep(0.5)  # the worker's answer arrives
    return number
