"""`recollect review`: the decisions of REVIEW.md, from the command line."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from recollect.arguments import add_as_of, add_example, add_json
from recollect.pipeline_runs import print_summary
from recollect.terminal import open_reading_run, print_json, print_line, print_note

if TYPE_CHECKING:
    from flows.pipelines import Pipeline
    from transforms.tables.rows import ProposalRow


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the actions; without one, `list`."""
    add_json(parser)
    actions = parser.add_subparsers(title="actions", metavar="ACTION")
    for name, function, summary in (
        ("list", list_proposals, "List pending proposals, oldest first; also without an action."),
        ("approve", approve_proposals, "Approve proposals: they are promoted into MEMORY.md at once."),
        ("reject", reject_proposals, "Reject proposals: they are not proposed again."),
        ("apply", apply_page, "Read REVIEW.md back now instead of tonight."),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(run_command=function)
        add_json(action, default=SUPPRESS)
        if name in ("approve", "reject"):
            action.add_argument("ids", metavar="ID", nargs="+", help="as REVIEW.md shows it: p-YYYYMMDD-NNN")
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


run_command = list_proposals


def approve_proposals(arguments: Namespace) -> int:
    """Approve proposals by id."""
    from effects.memory.review_step import approve
    from flows.pipelines import review_pipeline

    return _run_review(review_pipeline(partial(approve, ids=arguments.ids)), arguments)


def reject_proposals(arguments: Namespace) -> int:
    """Reject proposals by id."""
    from effects.memory.review_step import reject
    from flows.pipelines import review_pipeline

    return _run_review(review_pipeline(partial(reject, ids=arguments.ids)), arguments)


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
