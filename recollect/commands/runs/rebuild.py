"""`recollect rebuild`: makes the index or the pages again from the lake; with `--redistil` also the rows of other models."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from effects.config.stated_times import parse_day
from effects.system.errors import UsageError
from recollect.arguments import add_example, add_json
from recollect.pipeline_runs import print_summary
from recollect.terminal import open_reading_run, print_json, print_line, print_note, show_progress

if TYPE_CHECKING:
    from datetime import date

    from effects.distil.redistil import CostEstimate
    from effects.store.run import Run

REDISTIL_EXAMPLE = "recollect rebuild --redistil --since 2026-01-31"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect rebuild` to its parser, with help and examples."""
    parser.description = "Rebuild the search index or the pages from the lake. Nothing is distilled again without --redistil."
    parser.add_argument(
        "target",
        nargs="?",
        choices=("index", "pages", "all", "lake"),
        default="all",
        help="the search index, the pages, both (all), or a damaged lake, whose damaged files are set aside and rebuilt",
    )
    parser.add_argument(
        "--redistil", action="store_true", help="also repeat the distilling of another model, prompt or engine; may cost money"
    )
    parser.add_argument("--since", metavar="DAY", type=parse_day, help="with --redistil: first day")
    parser.add_argument("--dry-run", action="store_true", help="with --redistil: print the cost and stop")
    add_json(parser, "the counts as one JSON object")
    add_example(parser, "recollect rebuild index", "recollect rebuild lake", f"{REDISTIL_EXAMPLE} --dry-run")


def run_command(arguments: Namespace) -> int:
    """Rebuild, and print the counts; with `--dry-run` print only the costs."""
    since = arguments.since
    if arguments.redistil != (since is not None) or (arguments.dry_run and not arguments.redistil):
        raise UsageError("--redistil needs --since DAY; --since and --dry-run belong to it", REDISTIL_EXAMPLE)
    with show_progress() as progress:
        run = open_reading_run(report=progress)
        if since is not None:
            _print_costs(run, since, as_data=arguments.dry_run, as_json=arguments.json)
            if arguments.dry_run:
                return 0
        from effects.health.repair_lake import restore_copy, set_aside_commits
        from flows.pipelines import rebuild_pipeline, repair_pipeline
        from flows.runner import run_pipeline

        if arguments.target == "lake":
            set_aside_commits(run.lake)
            if fetched := restore_copy(run.lake):
                print_note(f"recollect: {fetched} damaged files of this machine's copy were fetched from the store again")
        summary = run_pipeline(
            run, repair_pipeline() if arguments.target == "lake" else rebuild_pipeline(arguments.target, since)
        )
    return print_summary(summary, arguments.json)


def _print_costs(run: Run, since: date, *, as_data: bool, as_json: bool) -> None:
    """Print the costs before anything is sent: as data for `--dry-run`, else as notes on stderr."""
    from effects.distil.redistil import estimate_costs, find_stale_periods, find_stale_windows

    estimates = estimate_costs(run, since)
    if as_data and as_json:
        for cost in estimates:
            print_json({name: getattr(cost, name) for name in cost.__dataclass_fields__} | {"usd": cost.usd})
        if not estimates:
            print_json({"requests": 0, "input_tokens": 0, "output_tokens": 0, "usd": 0.0})
        return
    write = print_line if as_data else lambda text: print_note(f"recollect: {text}")
    windows, periods = find_stale_windows(run, since).height, find_stale_periods(run, since).height
    write(f"since {since} {windows} windows and {periods} condensed periods were not written by the engines that are set now")
    for cost in estimates:
        write(_describe_cost(cost))
    if estimates:
        engine = run.settings.engine
        write(
            f"the budget of the day is {engine.budget_day_usd:.2f} USD, of the run {engine.budget_run_usd:.2f} USD;"
            " the rest stays as it is, and the same command continues with it"
        )


def _describe_cost(cost: CostEstimate) -> str:
    price = f"{cost.usd:.2f} USD" if cost.usd is not None else "price unknown"
    return (
        f"{cost.requests} {cost.subject} with {cost.model}: at most {cost.input_tokens:,} tokens in, about {cost.output_tokens:,}"
        f" out, {price}; requests that were paid for before cost nothing"
    )
