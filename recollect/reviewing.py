"""`recollect review`: the same decisions as in REVIEW.md, from the command line."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from cyclopts import App, Parameter

from recollect.pipeline import AsOf
from recollect.terminal import opened, say, say_json, tell

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
    from effects.review import pending

    run = opened()
    rows = pending(run)
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
    from effects.review import approve as step

    return _decided(step, ids, as_of, json)


@app.command
def reject(ids: Ids, /, *, as_of: AsOf = None, json: Json = False) -> int:
    """Reject proposals: they are not proposed again."""
    from effects.review import reject as step

    return _decided(step, ids, as_of, json)


@app.command
def apply(
    *,
    yes: Annotated[bool, Parameter(help="Also when more than half is rejected at once.")] = False,
    as_of: AsOf = None,
    json: Json = False,
) -> int:
    """Read REVIEW.md back now instead of tonight."""
    from effects.pages import render
    from effects.review import review

    return _performed([partial(review, yes=yes), render], as_of, json)


def _decided(step: Any, ids: list[str], as_of: str | None, as_json: bool) -> int:
    """What is said here counts first, even on the day of expiry; then the page is read back, so that it is not rendered over."""
    from effects.pages import render
    from effects.review import review

    return _performed([partial(step, ids=ids), review, render], as_of, as_json)


def _performed(steps: list[Any], as_of: str | None, as_json: bool) -> int:
    from flows.runner import perform
    from recollect.pipeline import report

    def story(do: Any) -> None:
        for step in steps:
            do(step)

    return report(perform(opened(as_of), "review", {}, story).as_dict(), as_json)


def _change(row: dict[str, Any]) -> str:
    if row["op"] == "replace":
        return f"{row['text']}  (instead of: {row['old_text']})"
    return f"remove: {row['old_text']}" if row["op"] == "remove" else str(row["text"])
