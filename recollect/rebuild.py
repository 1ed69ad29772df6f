"""`recollect rebuild`: what can be made again from the lake, made again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from recollect.pipeline import report
from recollect.terminal import opened, progress_shown


def rebuild(
    what: Literal["index", "pages", "all"] = "all",
    /,
    *,
    json: Annotated[bool, Parameter(name="--json", help="The counts as one JSON object.")] = False,
) -> int:
    """Make the search index or the pages again from the lake; nothing is distilled again.

    Parameters
    ----------
    what
        The search index, the pages, or both.
    """
    with progress_shown() as progress:
        run = opened(progress=progress)
        from effects.index import rebuild as index
        from effects.pages import render
        from effects.review import review
        from flows.runner import perform

        def story(do: Any) -> None:
            if what in ("pages", "all"):
                do(review)
                do(render)
            if what in ("index", "all"):
                do(index)

        summary = perform(run, "rebuild", {"what": what}, story).as_dict()
    return report(summary, json)
