"""Cuts a big history into slices: the newest sessions are read and distilled first, pages and index follow after each slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import partial
from pathlib import Path

import polars as pl

from effects.distil.attribute_step import attribute
from effects.distil.distil_step import distil, list_due_sessions
from effects.distil.window_step import window
from effects.embedding.embed_step import count_spoken_turns, embed_kept
from effects.embedding.embedder import name_model
from effects.index.index_step import index
from effects.ingest.ingest_step import ingest, ingest_files
from effects.ingest.session_dates import read_start_time
from effects.ingest.session_files import SessionFile, scan_session_folders
from effects.ingest.session_paths import name_as_known
from effects.memory.purge import blank_forgotten
from effects.memory.review_step import review
from effects.pages.render_step import render
from effects.projects.join_step import join_projects
from effects.store.run import Counts, Run
from effects.store.run_record import Step
from effects.system.errors import ModelMissing
from flows.pipeline import StepPlan
from transforms.pages.run_progress import TURNS_PER_MB, RunWork, guess_work

BIG_BYTES = 64_000_000
"""Bytes of new sessions from which the newest are read alone at first; less than that is read within seconds."""
NEWEST_BYTES = 8_000_000
"""Bytes of the newest sessions that are read at first: memory is useful after as long as these take."""
FIRST_WINDOWS, SLICE_WINDOWS = 100, 1000
"""Windows of the first slice, so that memory is useful within minutes, and of each other one."""
LONG_WINDOWS = 1000
"""Windows from which each step gives up its models: 360 MB for two seconds of a slice, which takes minutes."""

SHOW_STEPS: tuple[Step, ...] = (embed_kept, review, render, index)
"""Bring a slice to pages, words search and answers. The owner's decisions are read before pages are rendered over them."""

RENDER_PART, INDEX_PART, LAST_INDEX_PART = 0.5, 0.1, 0.5
"""Parts of the pages and of the index that a slice makes again, for the time that is left: all pages are rendered each time, and
after the first slice, which has all raw turns, the index gets the facts of one slice; last come the vectors of turns."""

MB = 1_000_000

FIRST_STEPS: tuple[Step, ...] = (
    blank_forgotten, attribute, join_projects, window, partial(distil), review, render, index,
)  # fmt: skip
"""Bring the newest sessions to pages, words search and answers. Vectors of their texts come with the first slice: they would take
as long as everything here."""


def plan_reading(run: Run) -> StepPlan:
    """Plan `ingest`, or for much that is new first the steps that bring the newest sessions to pages and answers.

    Sessions may arrive in any order, as over many nights: what others say about them is judged when those were read.
    """
    known = run.lake.collect(run.lake.scan("sources").select("path"), "sources")
    paths = frozenset(known["path"])
    files = name_as_known(scan_session_folders(run.settings, is_first=not paths).files, paths)
    new = [file for file in files if file.path not in paths]
    size = sum(file.size for file in new)
    work = guess_work(size / MB, _has_model(run)) if new else None
    if size < BIG_BYTES:
        return StepPlan((ingest,), work=work)
    newest = _pick_newest(new)
    label = f"the newest {len(newest)} of {len(new)} new sessions; pages and answers have them before the others are read"
    part = sum(file.size for file in new if Path(file.path) in set(newest)) / size
    steps: tuple[Step, ...] = (partial(ingest_slice, paths=newest, label=label), *FIRST_STEPS, partial(ingest))
    parts = [RENDER_PART if step is render else part for step in steps[:-1]]
    return StepPlan(steps, (*parts, 1 - part), {"attribute": 1 - part, "window": 1 - part, "distil": 1 - part}, work)


def ingest_slice(run: Run, paths: Sequence[Path], label: str) -> Counts:
    """Ingest some session files of a history, of a month or the newest ones, and report `label` as progress."""
    run.progress(label)
    return ingest_files(run, paths=paths)


def _pick_newest(files: Sequence[SessionFile]) -> list[Path]:
    """Return the files that began last, until they have enough bytes together."""
    picked: list[Path] = []
    size = 0
    for _, path, file_size in sorted(((read_start_time(Path(file.path)), file.path, file.size) for file in files), reverse=True):
        picked.append(Path(path))
        size += file_size
        if size >= NEWEST_BYTES:
            break
    return picked


def plan_slices(run: Run) -> StepPlan:
    """Plan `distil`, or for a big history one `distil` per slice with steps between that render and index its facts.

    A slice is a set of whole sessions, so that every window gets the same facts of its session as without slices.
    """
    due = list_due_sessions(run)
    windows = sum(count for _, _, count in due)
    work = None
    if windows >= FIRST_WINDOWS:
        turns, characters = count_spoken_turns(run.lake, [session for session, _, _ in due])
        work = RunWork(turns / TURNS_PER_MB, turns, characters, _has_model(run))
    slices = list(_cut_slices(due))
    if len(slices) < 2:
        return StepPlan((distil,), work=work)
    steps: list[Step] = []
    for number, (sessions, day) in enumerate(slices, start=1):
        covered = f", pages and answers reach back to {slices[number - 2][1]}" if number > 1 else ""
        unit = f"windows of slice {number} of {len(slices)}, back to {day}{covered}"
        steps += [*(SHOW_STEPS if steps else ()), partial(distil, sessions=sessions, unit=unit)]
    sizes = _count_windows(due, slices)
    before = _count_windows_without_vectors(run)
    parts = [sizes[0] / windows]
    for number, size in enumerate(sizes[1:]):
        vectors = (sizes[number] + (0 if number else before)) / (windows + before)
        parts += [vectors, 1, RENDER_PART, INDEX_PART if number else 1, size / windows]
    later_parts = {"embed_kept": sizes[-1] / (windows + before), "index": LAST_INDEX_PART}
    return StepPlan(tuple(steps), tuple(parts), later_parts, work, forgets_models=windows >= LONG_WINDOWS)


def _count_windows(due: Sequence[tuple[str, date, int]], slices: Sequence[tuple[list[str], date]]) -> list[int]:
    counts = {session: count for session, _, count in due}
    return [sum(counts[session] for session in sessions) for sessions, _ in slices]


def _count_windows_without_vectors(run: Run) -> int:
    """Return the windows of the newest sessions, of which no fact has a vector yet; 0 once any text has one."""
    if not run.lake.scan("embeddings").select("text_hash").head(1).collect().is_empty():
        return 0
    return int(run.lake.scan("windows").filter(pl.col("status") == "distilled").select(pl.len()).collect().item())


def _has_model(run: Run) -> bool:
    try:
        name_model(run.settings.embedding.model)
    except ModelMissing:
        return False
    return True


def _cut_slices(due: Sequence[tuple[str, date, int]]) -> Iterator[tuple[list[str], date]]:
    """Yield the sessions of each slice and the day on which its oldest one began; a rest that is small joins the slice before."""
    remaining = sum(count for _, _, count in due)
    sessions: list[str] = []
    size, room = 0, FIRST_WINDOWS
    for position, (session, day, count) in enumerate(due, start=1):
        sessions.append(session)
        size, remaining = size + count, remaining - count
        if position == len(due) or (size >= room and remaining > FIRST_WINDOWS):
            yield sessions, day
            sessions, size, room = [], 0, SLICE_WINDOWS
