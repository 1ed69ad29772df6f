"""The pipelines as data: which steps run, and in which order. Nothing here imports Prefect, which takes over a second.

Every step is a plain function `(run) -> counts` of `effects`. It computes the due work from the content of the lake, so a
missed night heals and a second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date
from functools import partial
from itertools import groupby
from pathlib import Path

from effects.distil.attribute_step import ATTRIBUTION_VERSION, attribute
from effects.distil.distil_step import distil
from effects.distil.redistil import redistil
from effects.distil.window_step import WINDOWING_VERSION, window
from effects.embedding.embed_step import embed, embed_kept
from effects.ground.ground_step import check_ground
from effects.health.purge_check import check_purged
from effects.health.repair_lake import repair_lake
from effects.index.index_step import index
from effects.index.index_step import rebuild as rebuild_index
from effects.ingest.ingest_step import ingest, ingest_file
from effects.ingest.session_dates import find_sessions_between
from effects.judging.rule_relations import mark_by_rules
from effects.memory.consolidate_step import consolidate
from effects.memory.dedupe_step import DEDUPE_VERSION, dedupe
from effects.memory.forget import forget, undo_forget
from effects.memory.forget_targets import ForgetRequest, ForgetScope
from effects.memory.friction_step import FRICTION_VERSION, friction
from effects.memory.prune import prune
from effects.memory.purge import blank_forgotten, purge, scrub_pages
from effects.memory.reflect_step import reflect
from effects.memory.relate_step import relate
from effects.memory.review_step import review
from effects.pages.daily_archive import archive
from effects.pages.render_step import render
from effects.pages.timeline_step import timeline
from effects.projects.decisions import join_by_hand, split_by_hand
from effects.projects.join_step import join_projects
from effects.store.run import Counts, Run
from effects.store.run_record import Step
from effects.system.errors import UsageError
from effects.todoist.exchange import read_todoist, write_todoist
from flows.pipeline import Pipeline, PlanSteps
from flows.slices import ingest_slice, plan_reading, plan_slices

NIGHTLY_STEPS: tuple[Step, ...] = (
    ingest,  # new lines of session files → sources, sessions, entries, quarantine
    blank_forgotten,  # purged entries that a file or a fork brought back → entries
    attribute,  # who spoke, where the format does not tell → entries.speaker, sketches
    join_projects,  # folders of one repository → projects
    window,  # every entry in exactly one window → windows, coverage
    distil,  # topics and cited facts → segments, observations
    embed_kept,  # vectors of kept facts → embeddings
    relate,  # pairs of facts that a model relates → relations
    dedupe,  # duplicates and superseded facts → observations.superseded_by
    mark_by_rules,  # choices that were spoken of again, numbers that work replaced → relations
    consolidate,  # days into weeks, months, years → distillates
    read_todoist,  # the owner's decisions in Todoist, if it is turned on → proposals, MEMORY.md
    partial(review, is_night=True),  # the owner's decisions in REVIEW.md, and what expires → proposals, MEMORY.md
    reflect,  # new evidence, once a day → proposals
    check_ground,  # things that MEMORY.md names, looked up in git → confirmations, proposals
    archive,  # old daily logs → memory/archive
    render,  # daily logs, REVIEW.md, briefings → workspace
    write_todoist,  # proposals that wait, as tasks, if it is turned on
    embed,  # vectors of tonight's distillates and promoted lines, then of raw turns as time allows → embeddings
    index,  # full text and vectors: a projection that can always be made again
)

NIGHTLY_PLANS: Mapping[Step, PlanSteps] = {ingest: plan_reading, distil: plan_slices}
"""What becomes of a night's steps when much is due: the newest sessions are read, distilled and shown before the others."""

STEP_VERSIONS: Mapping[str, int] = {
    "attribute": ATTRIBUTION_VERSION,
    "window": WINDOWING_VERSION,
    "dedupe": DEDUPE_VERSION,
    "friction": FRICTION_VERSION,
}
"""Versions of steps that decide again when theirs is raised; the record of a run has them."""

UPDATE_STEPS: tuple[Step, ...] = (
    blank_forgotten,
    attribute,
    join_projects,
    window,
    distil,
    embed_kept,
    dedupe,
    review,
    render,
    index,
)
"""Everything that depends on a session that was just read. Reflection, condensing and vectors of raw turns wait for the night.
Review comes before render, so that no decision in REVIEW.md is rendered over."""

SLICE_STEPS: tuple[Step, ...] = (
    blank_forgotten,
    attribute,
    join_projects,
    window,
    partial(distil, in_batches=True),  # in the provider's batches where the settings say so
    embed_kept,
    review,
    render,
    index,
)
"""Steps that put a part of a history on pages and into the index; steps that compare it with the rest follow at the end."""

SPAN_HINT = "recollect backfill --since FIRST --until LAST"

WAITING_SESSIONS = Pipeline("session", UPDATE_STEPS)
"""After the sessions that waited for the lake were read."""


def nightly_pipeline(as_of: str | None) -> Pipeline:
    """Return the pipeline of a night; `as_of` is the logical time that was asked for, for the record."""
    return Pipeline("nightly", NIGHTLY_STEPS, {"as_of": as_of}, NIGHTLY_PLANS)


def whole_history_pipeline() -> Pipeline:
    """Return the pipeline of a backfill of everything: a night that ends when all that later nights would fill in is there."""
    steps = tuple(partial(embed, is_complete=True) if step is embed else step for step in NIGHTLY_STEPS)
    return Pipeline("backfill", steps, {"all": True}, NIGHTLY_PLANS, is_complete=True)


def check_span(since: date | None, until: date | None) -> None:
    """Raise a UsageError for a span of days that cannot be meant: a last day without a first one, or before it."""
    if until and since is None:
        raise UsageError("--until goes with --since, not with --all", SPAN_HINT)
    if until and since and until < since:
        raise UsageError(f"--until {until} is before --since {since}", SPAN_HINT)


def backfill_or_whole_history(run: Run, since: date | None, until: date | None) -> Pipeline:
    """Return the pipeline over a span of days, or without `since` the one over the whole history.

    Raises:
        UsageError: when the span cannot be meant.
        SourceError: when there is no sessions folder, or no session file in it.
    """
    check_span(since, until)
    return backfill_pipeline(run, since, until) if since else whole_history_pipeline()


def session_pipeline(path: Path, is_closed: bool) -> Pipeline:
    """Return the pipeline that reads and distils one session at once: pi's shutdown hook starts it. It never reflects."""
    read = partial(ingest_file, path=path, is_closed=is_closed)
    return Pipeline("session", (read, *UPDATE_STEPS), {"path": str(path), "is_closed": is_closed})


def backfill_pipeline(run: Run, since: date, until: date | None) -> Pipeline:
    """Return the pipeline over sessions that began from `since` to `until`, both included.

    It reads and distils month by month, the newest first, and after each brings pages and index up to date, so that memory is
    useful long before it is complete. Then it runs once every step that looks at the whole history. A backfill that stopped
    continues with the next call: nothing that is in the lake is due again. The order of the months changes no row.
    """
    files = find_sessions_between(run, since, until)
    months = [(month, [path for _, path in group]) for month, group in groupby(files, key=lambda item: f"{item[0]:%Y-%m}")]
    steps: list[Step] = []
    for position, (month, paths) in enumerate(reversed(months), start=1):
        label = f"backfill {month}: {len(paths)} sessions, month {position}/{len(months)}; pages and answers have the newer ones"
        steps += [partial(ingest_slice, paths=paths, label=label), *SLICE_STEPS]
    steps += [embed_kept, relate, dedupe, mark_by_rules, consolidate, review, reflect, render, embed, index]
    parameters = {"since": since.isoformat(), "until": until.isoformat() if until else None}
    return Pipeline("backfill", tuple(steps), parameters)


def friction_pipeline() -> Pipeline:
    """Return the pipeline that looks for friction and shows its proposals."""
    return Pipeline("friction", (review, friction, render))


def timeline_pipeline() -> Pipeline:
    """Return the pipeline that writes the chapters of the weeks that ended."""
    return Pipeline("timeline", (timeline,))


def forget_pipeline(request: ForgetRequest) -> Pipeline:
    """Return the pipeline that forgets; a purge also rewrites the lake and the tables of the index, and reads everything back.

    The tombstones come first, then the pages: from then on nobody reads what they name, also when the rest is stopped."""
    scope = ForgetScope()
    steps: tuple[Step, ...] = (read_todoist, review, partial(forget, request=request, scope=scope), render, write_todoist)
    steps += (dedupe, consolidate)
    if request.is_purge:
        steps += (
            partial(purge, scope=scope),
            render,
            partial(timeline, is_refresh=True),
            partial(scrub_pages, scope=scope),
            embed_kept,
            partial(index, is_purge=True),
        )
        steps += (partial(check_purged, scope=scope),)
    else:
        steps += (render, partial(timeline, is_refresh=True), embed_kept, index)
    return Pipeline("forget", steps, {"is_purge": request.is_purge})


def undo_forget_pipeline(request: ForgetRequest) -> Pipeline:
    """Return the pipeline that takes back a request to forget and brings pages and index up to date."""
    sessions: set[str] = set()
    again = partial(distil_restored, sessions=sessions)
    steps: tuple[Step, ...] = (review, partial(undo_forget, request=request, restored_sessions=sessions), again, embed_kept)
    steps += (dedupe, consolidate, render, partial(timeline, is_refresh=True), embed_kept, index)
    return Pipeline("forget", steps, {"is_undo": True})


def distil_restored(run: Run, sessions: Collection[str]) -> Counts:
    """Distil the windows of sessions that did without entries which are remembered again."""
    return distil(run, sessions=sessions) if sessions else {"due": 0}


def prune_pipeline(before: date, is_dry_run: bool) -> Pipeline:
    """Return the pipeline that removes old raw text that is summarised and cited by nothing."""
    pruning = partial(prune, before=before, is_dry_run=is_dry_run)
    steps: tuple[Step, ...] = (pruning,) if is_dry_run else (pruning, index)
    return Pipeline("prune", steps, {"before": before.isoformat(), "is_dry_run": is_dry_run})


def projects_pipeline(first: str, second: str | None) -> Pipeline:
    """Return the pipeline that joins two projects; with one project it undoes the join."""
    decide = partial(join_by_hand, first=first, second=second) if second is not None else partial(split_by_hand, name=first)
    return Pipeline("projects", (decide, join_projects, dedupe, review, render, index), {"first": first, "second": second})


def repair_pipeline() -> Pipeline:
    """Return the pipeline that sets damaged files of the lake aside and marks their rows as due: a night does the rest."""
    return Pipeline("rebuild", (repair_lake, *NIGHTLY_STEPS), {"what": "lake"}, {distil: plan_slices})


def rebuild_pipeline(target: str, redistil_since: date | None) -> Pipeline:
    """Return the pipeline that makes the `index`, the `pages` or `all` again; with a day, also the rows of models since then."""
    steps: list[Step] = []
    if redistil_since is not None:
        again = partial(consolidate, again_since=redistil_since)
        steps += [partial(redistil, since=redistil_since), embed_kept, dedupe, again]  # reflection waits for the night
    if target in ("pages", "all"):
        steps += [review, render]
    if target in ("index", "all"):
        steps.append(rebuild_index)
    parameters: dict[str, str | int | bool | None] = {"what": target}
    if redistil_since:
        parameters["redistil_since"] = redistil_since.isoformat()
    return Pipeline("rebuild", tuple(steps), parameters)
