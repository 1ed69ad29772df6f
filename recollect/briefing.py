"""`recollect briefing`: what an agent should know at the start of a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from effects.system.errors import NotFoundError, UsageError
from recollect.terminal import opened, say

if TYPE_CHECKING:
    from effects.store.run import Run


def briefing(
    *,
    project: Annotated[
        str | None, Parameter(help="Its full path or the last part of it; left out, the working directory's.")
    ] = None,
    max_tokens: Annotated[int, Parameter(help="Bound on its length; 2000.")] = 2000,
    opening: Annotated[
        bool, Parameter(help="For a client's first turn: identity files, the briefing, today's log; also in a new project.")
    ] = False,
    loaded: Annotated[
        list[Path] | None, Parameter(help="With --opening: a file that the client shows already; may be given again.")
    ] = None,
) -> int:
    """Print what an agent should know at the start of a session in a project."""
    run = opened()
    if opening:
        from effects.pages.session_opening import render_session_opening

        text = render_session_opening(run, project_of(run, project, is_new_allowed=True), max_tokens, loaded or [])
    else:
        text = briefing_of(run, project, max_tokens)
    say(text.rstrip("\n"))
    return 0


def briefing_of(run: Run, project: str | None, max_tokens: int) -> str:
    """The briefing of a project, or of the working directory's.

    Raises:
        NotFoundError: when no session belongs to it; UsageError when several projects have this name.
    """
    from effects.pages.session_opening import render_project_briefing

    return render_project_briefing(run, project_of(run, project), max_tokens)


def project_of(run: Run, named: str | None, is_new_allowed: bool = False) -> str:
    """The full path of the project that is named, or that the working directory belongs to."""
    known: list[str] = sorted(
        set(run.lake.scan("sessions").select("project").drop_nulls().unique().collect()["project"].to_list())
    )
    if named:
        found = [path for path in known if path == named.rstrip("/")] or [path for path in known if Path(path).name == named]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"`{named}` is the last part of several projects", " or ".join(found))
    else:
        folder = str(Path.cwd())
        inside = [path for path in known if folder == path or folder.startswith(path.rstrip("/") + "/")]
        if inside:
            return max(inside, key=len)
        if is_new_allowed:
            return folder
    wanted = f"no session belongs to a project `{named}`" if named else "no session belongs to this folder"
    names = ", ".join(sorted({Path(path).name for path in known})[:8])
    raise NotFoundError(wanted, f"recollect briefing --project P, with one of: {names or 'none yet'}")
