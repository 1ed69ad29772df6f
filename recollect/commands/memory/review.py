"""`recollect review`: the decisions of REVIEW.md, from the command line."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import print_summary
from recollect.review_walk import expand_ids
from recollect.terminal import open_reading_run, print_json, print_line, print_note

if TYPE_CHECKING:
    from effects.store.run import Run
    from flows.pipelines import Pipeline
    from transforms.tables.rows import ProposalRow


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the actions; without one, a walk through the proposals in a terminal, else `list`."""
    add_json(parser)
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for name, function, summary in (
        ("list", list_proposals, "List pending proposals, oldest first; also without an action where nobody can answer."),
        ("approve", approve_proposals, "Approve proposals: they are promoted into MEMORY.md at once."),
        ("reject", reject_proposals, "Reject proposals: they are not proposed again."),
        ("apply", apply_page, "Read REVIEW.md back now instead of tonight."),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(run_command=function)
        add_json(action, default=SUPPRESS)
        if name in ("approve", "reject"):
            action.add_argument("ids", metavar="ID", nargs="+", help="as REVIEW.md shows it, p-YYYYMMDD-NNN, or the end of it: 3")
        if name == "apply":
            action.add_argument("--yes", action="store_true", help="also when more than half is rejected at once")
        if name != "list":
            add_as_of(action)
    add_example(parser, "recollect review", "recollect review approve p-20260517-001")


def list_proposals(arguments: Namespace) -> int:
    """Print the pending proposals, oldest first."""
    from effects.memory.review_step import list_pending

    proposals = list_pending(open_reading_run())
    for proposal in proposals:
        if arguments.json:
            print_json({key: value for key, value in proposal.items() if key != "schema_version"})
        else:
            print_line(f"{proposal['proposal_id']}  {proposal['section']}: {_describe_change(proposal)}")
    if not proposals:
        print_note("nothing waits for review")
    return 0


def run_command(arguments: Namespace) -> int:
    """Walk through the pending proposals in a terminal; list them elsewhere."""
    import sys

    is_terminal = sys.stdin.isatty() and sys.stdout.isatty() and not arguments.json
    return walk_proposals() if is_terminal else list_proposals(arguments)


def walk_proposals() -> int:
    """Ask about each proposal, apply the answers at the end, and say line by line what was done."""
    from effects.memory.decide_step import decide
    from effects.memory.review_step import list_pending
    from flows.pipelines import review_pipeline
    from flows.runner import run_pipeline
    from recollect.review_walk import walk_through

    run = open_reading_run()
    proposals = list_pending(run)
    if not proposals:
        print_note("nothing waits for review")
        return 0
    walk = walk_through(proposals, lambda row: _explain(run, row["proposal_id"]))
    approved, rejected = walk.list_ids("approve"), walk.list_ids("reject")
    if not approved and not rejected:
        print_note("nothing was decided")
        return 0
    step = partial(decide, approved=approved, rejected=rejected, edited=walk.edited)
    counts = run_pipeline(open_reading_run(), review_pipeline(step))["counts"]["decide"]
    texts = {row["proposal_id"]: walk.edited.get(row["proposal_id"]) or _describe_change(row) for row in proposals}
    print_line()
    for word, ids in (("approved", approved), ("rejected", rejected)):
        for proposal_id in ids:
            print_line(f"{word}  {proposal_id}  {texts[proposal_id]}")
    for problem in counts["problems"]:
        print_note(f"recollect: {problem}")
    return 0


def _explain(run: Run, proposal_id: str) -> str:
    from effects.recall.show_record import show_record
    from transforms.recall.show_page import render_record

    return render_record(show_record(run, proposal_id)).rstrip("\n")


def approve_proposals(arguments: Namespace) -> int:
    """Approve proposals by id."""
    from effects.memory.review_step import approve, list_pending
    from flows.pipelines import review_pipeline

    return _run_review(
        review_pipeline(
            partial(approve, ids=expand_ids(arguments.ids, [row["proposal_id"] for row in list_pending(open_reading_run())]))
        ),
        arguments,
    )


def reject_proposals(arguments: Namespace) -> int:
    """Reject proposals by id."""
    from effects.memory.review_step import list_pending, reject
    from flows.pipelines import review_pipeline

    return _run_review(
        review_pipeline(
            partial(reject, ids=expand_ids(arguments.ids, [row["proposal_id"] for row in list_pending(open_reading_run())]))
        ),
        arguments,
    )


def apply_page(arguments: Namespace) -> int:
    """Read REVIEW.md back now."""
    from flows.pipelines import review_pipeline

    return _run_review(review_pipeline(is_confirmed=arguments.yes), arguments)


def _run_review(pipeline: Pipeline, arguments: Namespace) -> int:
    from flows.runner import run_pipeline

    return print_summary(run_pipeline(open_reading_run(arguments.as_of), pipeline), arguments.json)


def _describe_change(proposal: ProposalRow) -> str:
    if proposal["op"] == "replace":
        return f"{proposal['text']}  (instead of: {proposal['old_text']})"
    return f"remove: {proposal['old_text']}" if proposal["op"] == "remove" else str(proposal["text"])
