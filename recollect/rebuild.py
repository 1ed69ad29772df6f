"""`recollect rebuild`: what can be made again from the lake, made again; with `--redistil` also what models wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from effects.system.errors import UsageError
from recollect.pipeline import report
from recollect.terminal import opened, parse_day, progress_shown, say, say_json, tell

if TYPE_CHECKING:
    from datetime import date

    from effects.distil.redistil import CostEstimate
    from effects.store.run import Run

NEXT = "recollect rebuild --redistil --since 2026-01-31"


def rebuild(
    what: Literal["index", "pages", "all"] = "all",
    /,
    *,
    redistil: Annotated[
        bool, Parameter(help="Also distil again what another model, prompt or engine wrote; may cost money.")
    ] = False,
    since: Annotated[str | None, Parameter(help="With --redistil: first day.")] = None,
    dry_run: Annotated[bool, Parameter(help="With --redistil: only say what it costs.")] = False,
    json: Annotated[bool, Parameter(name="--json", help="The counts as one JSON object.")] = False,
) -> int:
    """Make the search index or the pages again from the lake; nothing is distilled again without --redistil.

    Parameters
    ----------
    what
        The search index, the pages, or both.
    """
    if redistil != (since is not None) or (dry_run and not redistil):
        raise UsageError("--redistil needs --since DAY; --since and --dry-run belong to it", NEXT)
    first = parse_day(since) if since else None
    with progress_shown() as progress:
        run = opened(progress=progress)
        if first is not None:
            _say_costs(run, first, as_data=dry_run, as_json=json)
            if dry_run:
                return 0
        summary = _rebuilt(run, what, first)
    return report(summary, json)


def _rebuilt(run: Run, what: str, since: date | None) -> dict[str, Any]:
    from flows.pipelines import rebuild_pipeline
    from flows.runner import run_pipeline

    return run_pipeline(run, rebuild_pipeline(what, since)).as_dict()


def _say_costs(run: Run, since: date, *, as_data: bool, as_json: bool) -> None:
    """What it costs, before anything is sent: data for --dry-run, else a word to the person who waits."""
    from effects.distil.redistil import estimate_costs, find_stale_periods, find_stale_windows

    found = estimate_costs(run, since)
    if as_data and as_json:
        for cost in found:
            say_json({name: getattr(cost, name) for name in cost.__dataclass_fields__} | {"usd": cost.usd})
        return
    write = say if as_data else lambda text: tell(f"recollect: {text}")
    windows, periods = find_stale_windows(run, since).height, find_stale_periods(run, since).height
    write(f"since {since} {windows} windows and {periods} condensed periods were not written by the engines that are set now")
    for cost in found:
        write(_sentence(cost))
    if found:
        engine = run.settings.engine
        write(
            f"the budget of the day is {engine.budget_day_usd:.2f} USD, of the run {engine.budget_run_usd:.2f} USD;"
            " what does not fit stays as it is, and the same command goes on with it"
        )


def _sentence(cost: CostEstimate) -> str:
    price = f"{cost.usd:.2f} USD" if cost.usd is not None else "nobody knows how many USD"
    return (
        f"{cost.requests} {cost.what} with {cost.model}: at most {cost.input_tokens:,} tokens in, about {cost.output_tokens:,}"
        f" out, {price}; requests that were paid for before cost nothing"
    )
