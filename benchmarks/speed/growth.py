"""Measures how the cost of a night grows with what was said: stranger's pastes of one unit, repeated, in each role and place.

    python -m benchmarks.speed.growth [--size 64000] [--limit 20] [--mixtures 20] [--shapes A,B] [--places A,B]

Each shape (`benchmarks.speed.growth_shapes`) stands in each place of a small session, and a night without vectors reads it: a
question, a line to remember and a text of REVIEW.md have it, too. A text of `--size` bytes is measured first; where it costs
more than a quarter of a second, one of half and one of a quarter are. Processor seconds above those of a session without the
text, within `--limit`. A row is printed when a doubling multiplies the time by more than 2.6 or 100 kB cost more than a second:
shape, place, the three seconds (-1: beyond the limit, -2: it crashed), the steps that take longest, and the lines of ours in
which most of the time went. The last JSON line has `measured`, `slow`, `steep` and `crashed`. The baseline is linear growth: 2.0.
"""

from __future__ import annotations

import os

os.environ.setdefault("POLARS_MAX_THREADS", "1")

import json
import multiprocessing
import random
import shutil
import signal
import sys
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import pairwise, product
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from benchmarks.arguments import ROOT, make_parser
from benchmarks.speed.growth_shapes import BEGAN, PLACES, SHAPES, make_text, write_session

STEEP, SLOW = 2.6, 1.0
"""Growth of a doubling, and seconds for 100 kB, from which a shape is told."""
CHEAP = 0.25
"""Seconds below which growth is not looked at."""
SAMPLE_SECONDS = 0.02
SIGNS = ("slow", "steep", "crashed")
OWN_PLACES = ("ask", "remember", "review page")
BEYOND, CRASHED = -1.0, -2.0
NIGHT = BEGAN + timedelta(days=2)


class Measured(NamedTuple):
    """Processor seconds of one run (`BEYOND`: stopped at the limit, `CRASHED`: it ended by an error), of its steps, and the lines
    of ours where samples fell."""

    seconds: float
    steps: dict[str, float]
    lines: dict[str, int]


class LimitError(BaseException):
    """Stops a run at its limit; no error of ours that a step may catch."""


def main() -> None:
    """Print the rows that are steep or slow, then the counts."""
    parser = make_parser(__doc__)
    parser.add_argument("--size", type=int, default=64_000, help="bytes of the largest text")
    parser.add_argument("--limit", type=float, default=20.0, help="processor seconds of one run")
    parser.add_argument("--mixtures", type=int, default=0, help="pairs of shapes, drawn by --seed, beside the single ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--shapes", help="only these, by comma; `a+b` is a mixture")
    parser.add_argument("--places", help="only these, by comma")
    parser.add_argument("--screen", action="store_true", help="the whole size only, to find what to look at")
    parser.add_argument("--slow", type=float, default=SLOW, help="seconds for 100 kB from which a row is slow")
    parser.add_argument("--all", action="store_true", help="print every row")
    arguments = parser.parse_args()
    shapes: list[tuple[str, ...]] = [tuple(shape.split("+")) for shape in (arguments.shapes or "").split(",") if shape]
    shapes = shapes or [(shape,) for shape in SHAPES]
    chance = random.Random(arguments.seed)
    shapes += [tuple(chance.sample(list(SHAPES), 2)) for _ in range(arguments.mixtures)]
    places = arguments.places.split(",") if arguments.places else [*PLACES, *OWN_PLACES]
    counts: Counter[str] = Counter()
    with Worker(arguments.limit) as worker:
        base = {place: min(worker.measure((), place, 0).seconds for _ in range(2)) for place in places}
        for names, place in product(shapes, places):
            row = measure_growth(worker, names, place, arguments, base[place])
            counts.update(("measured",))
            counts.update(sign for sign in SIGNS if row[sign])
            if any(row[sign] for sign in SIGNS) or arguments.all:
                print(json.dumps(row, ensure_ascii=False), flush=True)
    print(json.dumps({"benchmark": "growth", "size": arguments.size, **{key: counts[key] for key in ("measured", *SIGNS)}}))


def measure_growth(worker: Worker, shapes: tuple[str, ...], place: str, arguments: Namespace, base: float) -> dict[str, Any]:
    """Return the row of a shape in a place: seconds for a quarter, a half and the whole of the size, and what they show."""
    size, parts = arguments.size, () if arguments.screen else (4, 2)
    whole = worker.measure(shapes, place, size)
    seconds = [whole.seconds]
    if whole.seconds == BEYOND or whole.seconds - base > CHEAP:
        seconds = [worker.measure(shapes, place, size // part).seconds for part in parts] + seconds
    above = [value if value < 0 else round(max(value - base, 0.01), 3) for value in seconds]
    pairs = [(after, before) for before, after in pairwise(above) if before >= 0 and after != CRASHED]
    growth = [worker.limit / before if after == BEYOND else after / before for after, before in pairs if before > CHEAP / 4]
    return {
        "shape": "+".join(shapes),
        "place": place,
        "seconds": above,
        "growth": [round(value, 1) for value in growth],
        "steep": max(growth, default=0) > STEEP,
        "slow": is_slow(above, arguments),
        "crashed": CRASHED in above,
        "steps": dict(Counter(whole.steps).most_common(2)),
        "lines": dict(Counter(whole.lines).most_common(4)),
    }


def is_slow(above: list[float], arguments: Namespace) -> bool:
    """Whether one of these seconds (for a quarter, a half, the whole) is too much for its size; long texts may be left unread."""
    sizes = [arguments.size / part for part in (4, 2, 1)][-len(above) :]
    return any(value == BEYOND or value > arguments.slow * size / 100_000 for value, size in zip(above, sizes, strict=True))


class Worker:
    """A process that runs cases one after the other; one that does not come back is replaced."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()

    def measure(self, shapes: tuple[str, ...], place: str, size: int) -> Measured:
        """Return what a run over so many bytes of these shapes costs."""
        self._end.send((shapes, place, size, self.limit))
        cost = Measured(BEYOND, {}, {"no answer": 1})
        try:
            if self._end.poll(self.limit * 40):
                return Measured(*self._end.recv())
        except (EOFError, OSError):  # the process is gone, with or without a traceback on stderr
            cost = Measured(CRASHED, {}, {"crashed": 1})
        self._process.kill()
        self._start()
        return cost

    def _start(self) -> None:
        self._end, other = self._context.Pipe()
        self._process = self._context.Process(target=run_cases, args=(other,), daemon=True)
        self._process.start()
        other.close()  # else the end of a process that crashed would never be noticed
        self.measure(("sentences",), "typed", 2_000)  # compiles what a night needs


def run_cases(end: Connection) -> None:
    """Run the cases that come and send what each cost."""
    memory = Path("/dev/shm")
    while True:
        shapes, place, size, limit = end.recv()
        root = Path(tempfile.mkdtemp(prefix="recollect-growth-", dir=memory if memory.is_dir() else None))
        try:
            end.send(tuple(run_case(root, make_text(shapes, size) if shapes else "", place, limit)))
        finally:
            shutil.rmtree(root, ignore_errors=True)


def run_case(root: Path, text: str, place: str, limit: float) -> Measured:
    """Run a night, a question, a line to remember or a page of proposals over a text and return what it cost."""
    steps, lines = dict[str, float](), Counter[str]()
    work = prepare_own(root, text, place) if place in OWN_PLACES else partial(run_night, prepare_night(root, text, place), steps)
    started = time.process_time()
    try:
        with sampling(lines, limit):
            work()
    except LimitError:
        return Measured(BEYOND, steps, dict(lines.most_common(8)))
    return Measured(time.process_time() - started, steps, dict(lines.most_common(8)))


@contextmanager
def sampling(lines: Counter[str], limit: float) -> Iterator[None]:
    """Count in which line of ours the time goes; raise LimitError when the processor seconds are over."""
    started = time.process_time()

    def take_sample(_: int, frame: FrameType | None) -> None:
        while frame is not None and (str(ROOT) not in frame.f_code.co_filename or ".venv" in frame.f_code.co_filename):
            frame = frame.f_back
        if frame is not None:
            lines[f"{Path(frame.f_code.co_filename).stem}.{frame.f_code.co_name}:{frame.f_lineno}"] += 1
        if time.process_time() - started > limit:
            raise LimitError

    signal.signal(signal.SIGPROF, take_sample)
    signal.setitimer(signal.ITIMER_PROF, SAMPLE_SECONDS, SAMPLE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def prepare_night(root: Path, text: str, place: str) -> Any:
    """Write the session and return the run of its night, without an embedding model."""
    from effects.config.settings import EmbeddingSettings, Settings
    from effects.store.run import open_run

    (root / "sessions").mkdir()
    write_session(root / "sessions" / "s1.jsonl", PLACES[place](text) if text else [])
    places = {name: root / name for name in ("lake", "workspace")}
    embedding = EmbeddingSettings(model=str(root / "no-model"))
    return open_run(Settings(**places, sessions=(root / "sessions",), timezone="UTC", owner="Owner", embedding=embedding), NIGHT)


def run_night(run: Any, steps: dict[str, float]) -> None:
    """Run a night and note the seconds of its steps."""
    from flows.pipelines import nightly_pipeline
    from flows.runner import run_pipeline

    def call_step(name: str, call: Callable[[], Any]) -> Any:
        started = time.process_time()
        try:
            return call()
        finally:
            steps[name] = round(steps.get(name, 0) + time.process_time() - started, 2)

    run_pipeline(run, nightly_pipeline(None), call_step)


def prepare_own(root: Path, text: str, place: str) -> Callable[[], object]:
    """Return a question with the text, a line to remember with it, or the reading of a REVIEW.md that ends with it."""
    from effects.recall.ask import ask, open_recall
    from effects.system.errors import UsageError
    from flows.owner_pipelines import remember_pipeline, review_pipeline
    from flows.runner import run_pipeline

    run = prepare_night(root, "", "typed")
    run_night(run, {})
    text = text or "what does the importer read?"

    def remember() -> None:
        try:
            run_pipeline(run, remember_pipeline(text, None, False, "owner"))
        except UsageError:
            return  # too long for a line

    def read_page() -> None:
        page = run.settings.workspace / "REVIEW.md"
        page.write_text(f"{page.read_text(encoding='utf-8') if page.exists() else ''}\n{text}\n", encoding="utf-8")
        run_pipeline(run, review_pipeline())

    return {"ask": partial(ask, open_recall(run), text), "remember": remember, "review page": read_page}[place]


if __name__ == "__main__":
    sys.exit(main())
