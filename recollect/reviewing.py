"""`recollect review` and `recollect remember`: the same decisions as in REVIEW.md, from the command line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App, Parameter

from recollect.pipeline import AsOf
from recollect.terminal import open_command, opened, say, say_json, tell

if TYPE_CHECKING:
    from effects.store.run import Run
    from flows.pipelines import Pipeline

Json = Annotated[bool, Parameter(name="--json", help="One JSON object per line.")]
Ids = Annotated[list[str], Parameter(help="Ids as REVIEW.md shows them: p-YYYYMMDD-NNN.")]

app = App(
    name="review", help="List, approve or reject what is proposed for MEMORY.md.", help_format="plaintext", help_formatter="plain"
)


@app.default
def show(*, json: Json = False) -> int:
    """List what waits."""
    return waiting(json=json)


@app.command(name="list")
def waiting(*, json: Json = False) -> int:
    """List what waits, oldest first."""
    from effects.memory.review_step import list_pending

    run = opened()
    rows = list_pending(run)
    for row in rows:
        if json:
            say_json({key: value for key, value in row.items() if key != "schema_version"})
            continue
        say(f"{row['proposal_id']}  {row['section']}: {_change(row)}")
    if not rows:
        tell("nothing waits for review")
    return 0


@app.command
def approve(ids: Ids, /, *, as_of: AsOf = None, json: Json = False) -> int:
    """Approve proposals: they are promoted into MEMORY.md at once."""
    from effects.memory.review_step import approve as step

    return _decided(step, ids, as_of, json)


@app.command
def reject(ids: Ids, /, *, as_of: AsOf = None, json: Json = False) -> int:
    """Reject proposals: they are not proposed again."""
    from effects.memory.review_step import reject as step

    return _decided(step, ids, as_of, json)


@app.command
def apply(
    *,
    yes: Annotated[bool, Parameter(help="Also when more than half is rejected at once.")] = False,
    as_of: AsOf = None,
    json: Json = False,
) -> int:
    """Read REVIEW.md back now instead of tonight."""
    from flows.pipelines import review_pipeline

    return _run_review(review_pipeline(is_confirmed=yes), as_of, json)


def remember(
    text: str,
    /,
    *,
    section: Annotated[str | None, Parameter(help="Of MEMORY.md: Hard Rules, Patterns, …; else the owner's.")] = None,
    now: Annotated[bool, Parameter(help="Into MEMORY.md at once, without review.")] = False,
    as_of: AsOf = None,
    json: Json = False,
) -> int:
    """Propose a line for MEMORY.md, or write it there at once.

    Parameters
    ----------
    text
        What to remember: one fact in one line.
    """
    counts = remembered(open_command(as_of), text, section, now)
    for problem in counts["problems"]:
        tell(f"recollect: {problem}")
    if json:
        say_json(counts)
    else:
        say(remembered_text(counts))
    return 0


def remembered(run: Run, text: str, section: str | None, now: bool, actor: str = "owner") -> dict[str, Any]:
    """Remembers under the lake's lock and renders the pages; what `effects.memory.remember` says about it."""
    from flows.pipelines import remember_pipeline
    from flows.runner import run_pipeline

    counts = run_pipeline(run, remember_pipeline(text, section, now, actor)).counts["remember"]
    return {name: value for name, value in counts.items() if name != "seconds"}


def remembered_text(counts: dict[str, Any]) -> str:
    """What became of it, in one line."""
    what = f"{counts['section']}: {counts['text']}"
    if counts.get("already") == "memory":
        return f"already in MEMORY.md  {what}"
    if counts["promoted"]:
        return f"in MEMORY.md  {what}"
    state = "already waits" if counts.get("already") else "waits"
    return f"{counts['proposal_id']} {state} in REVIEW.md  {what}"


def _decided(step: Any, ids: list[str], as_of: str | None, as_json: bool) -> int:
    """What is said here counts first, even on the day of expiry; then the page is read back, so that it is not rendered over."""
    from flows.pipelines import review_pipeline

    return _run_review(review_pipeline(partial(step, ids=ids)), as_of, as_json)


def _run_review(pipeline: Pipeline, as_of: str | None, as_json: bool) -> int:
    from flows.runner import run_pipeline
    from recollect.pipeline import report

    return report(run_pipeline(opened(as_of), pipeline).as_dict(), as_json)


def _change(row: dict[str, Any]) -> str:
    if row["op"] == "replace":
        return f"{row['text']}  (instead of: {row['old_text']})"
    return f"remove: {row['old_text']}" if row["op"] == "remove" else str(row["text"])
