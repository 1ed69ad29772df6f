"""`recollect review`: the decisions of REVIEW.md, from the command line."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import print_problems
from recollect.terminal import open_reading_run, print_json, print_line, print_note, print_wrapped

WALK_PATIENCE_S = 6 * 3600.0
"""Seconds for which the answers of a walk wait for a run that holds the lake."""

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flows.pipeline import Pipeline
    from transforms.tables.rows import ProposalRow


ID_HELP = "id in REVIEW.md, p-YYYYMMDD-NNN, or its end: 3"


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the actions; without one, a walk through the proposals in a terminal, else `list`."""
    add_json(parser)
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for name, function, summary in (
        ("list", list_proposals, "List pending proposals, oldest first; also without an action where nobody can answer."),
        ("approve", approve_proposals, "Approve proposals: they are promoted into MEMORY.md at once."),
        ("reject", reject_proposals, "Reject proposals: they are not proposed again."),
        ("undo", undo_decisions, "Take back the last decisions; their lines leave MEMORY.md and wait again."),
        (
            "apply",
            apply_page,
            "Read REVIEW.md, and Todoist if it is on, back now, and say line by line what it did.",
        ),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(run_command=function)
        add_json(action, default=SUPPRESS)
        if name in ("approve", "reject"):
            more = "; or o-…, of what was said" if name == "approve" else ""
            action.add_argument("ids", metavar="ID", nargs="+", help=ID_HELP + more)
        if name == "apply":
            action.add_argument("--yes", action="store_true", help="apply even when more than half would be rejected at once")
        if name != "list":
            add_as_of(action)
    add_example(parser, "recollect review", "recollect review approve p-20260517-001")


def list_proposals(arguments: Namespace) -> int:
    """Print the pending proposals, oldest first, each with the short name that `approve` and `reject` take."""
    from effects.memory.review_step import list_pending
    from recollect.review_walk import shorten_ids

    proposals = list_pending(open_reading_run())
    short = shorten_ids([proposal["proposal_id"] for proposal in proposals])
    for proposal in proposals:
        if arguments.json:
            print_json({key: value for key, value in proposal.items() if key != "schema_version"})
        else:
            name = short[proposal["proposal_id"]]
            change = f"{proposal['section']}: {_describe_change(proposal)}"
            print_wrapped(f"{proposal['proposal_id']}  {change}", f"{name:>6}  ", " " * 8)
    if not proposals:
        print_note("no proposal waits for review")
    return 0


def run_command(arguments: Namespace) -> int:
    """Walk through the pending proposals in a terminal; list them elsewhere."""
    import sys

    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.json
    return walk_proposals() if is_terminal else list_proposals(arguments)


def walk_proposals() -> int:
    """Ask about each proposal, apply the answers at the end, and print the result line by line."""
    from effects.memory.decide_step import decide
    from effects.memory.review_page import list_evidence
    from effects.memory.review_step import list_pending
    from flows.owner_pipelines import review_pipeline
    from recollect.review_walk import explain, walk_through

    run = open_reading_run()
    proposals = list_pending(run)
    if not proposals:
        print_note("no proposal waits for review")
        return 0
    walk = walk_through(proposals, lambda row: explain(row, list_evidence(run, row)))
    approved, rejected = walk.list_ids("approve"), walk.list_ids("reject")
    if not approved and not rejected:
        print_note("nothing was decided")
        return 0
    step = partial(decide, approved=approved, rejected=rejected, edited=walk.edited)
    print_line()
    commands = [f"recollect review approve {' '.join(approved)}"] if approved else []
    commands += [f"recollect review reject {' '.join(rejected)}"] if rejected else []
    return _apply_when_unlocked(partial(_run_review, review_pipeline(step), Namespace(as_of=None, json=False)), commands)


def _apply_when_unlocked(apply: Callable[[], int], commands: Sequence[str]) -> int:
    """Apply the answers of a walk as soon as the lake is free: they cost a person minutes.

    `commands` do the same; whoever stops waiting sees them.

    Raises:
        LockedError: when another run holds the lake for longer than a night takes.
    """
    from effects.system.errors import LockedError
    from effects.tasks.task_step import wait_for_lock

    try:
        return apply()
    except LockedError as locked:
        print_note(f"recollect: {locked.message}; your answers are applied when it is free (Ctrl-C stops waiting)")
    try:
        return wait_for_lock(apply, WALK_PATIENCE_S)
    except (LockedError, KeyboardInterrupt):
        print_note("\n".join(["recollect: nothing was applied; later these do it, without edits of words:", *commands]))
        raise


def approve_proposals(arguments: Namespace) -> int:
    """Write the proposals with these ids into MEMORY.md; the beginning of an id is enough. Returns the exit code."""
    from effects.memory.review_step import approve
    from flows.owner_pipelines import review_pipeline

    return _run_review(review_pipeline(partial(approve, ids=_expand_ids(arguments.ids))), arguments)


def reject_proposals(arguments: Namespace) -> int:
    """Reject the proposals with these ids, so that none returns; the beginning of an id is enough. Returns the exit code."""
    from effects.memory.review_step import reject
    from flows.owner_pipelines import review_pipeline

    return _run_review(review_pipeline(partial(reject, ids=_expand_ids(arguments.ids))), arguments)


def undo_decisions(arguments: Namespace) -> int:
    """Take back the last decisions."""
    from effects.memory.decide_step import undo_last
    from flows.owner_pipelines import review_pipeline

    return _run_review(review_pipeline(undo_last), arguments)


def apply_page(arguments: Namespace) -> int:
    """Read REVIEW.md back now."""
    from flows.owner_pipelines import review_pipeline

    return _run_review(review_pipeline(is_confirmed=arguments.yes, is_exchanged=True), arguments)


def _expand_ids(words: list[str]) -> list[str]:
    from effects.memory.review_step import list_pending
    from recollect.review_walk import expand_ids

    return expand_ids(words, [row["proposal_id"] for row in list_pending(open_reading_run())])


def _run_review(pipeline: Pipeline, arguments: Namespace) -> int:
    """Run the pipeline and print a line for each proposal that changed, problems, and the number that waits."""
    from effects.memory.decide_step import count_events, format_decision, list_decisions
    from effects.memory.review_step import list_pending
    from flows.runner import run_pipeline

    run = open_reading_run(arguments.as_of)
    before = count_events(run)
    summary = run_pipeline(run, pipeline)
    lines = list_decisions(run, before)
    if arguments.json:
        print_problems(summary["counts"])
        print_json({**summary, "decisions": [asdict(line) for line in lines]})
        return 0
    for line in lines:
        print_line(format_decision(line))
    print_problems(summary["counts"])
    waiting = len(list_pending(run))
    print_line(f"{'' if lines else 'nothing changed; '}{waiting} {'proposal waits' if waiting == 1 else 'proposals wait'}")
    return 0


def _describe_change(proposal: ProposalRow) -> str:
    if proposal["op"] == "replace":
        return f"{proposal['text']}  (instead of: {proposal['old_text']})"
    return f"remove: {proposal['old_text']}" if proposal["op"] == "remove" else str(proposal["text"])
