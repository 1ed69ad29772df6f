"""`recollect doctor`: what is stale, failing or overdue, each with the next command."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from recollect.terminal import open_command, say, say_json

SIGNS = {"ok": "ok  ", "note": "note", "wrong": "BAD "}


def doctor(
    *,
    as_of: Annotated[str | None, Parameter(name="--as-of", help="Judge lateness as of this time.")] = None,
    json: Annotated[bool, Parameter(name="--json", help="One JSON object per check.")] = False,
) -> int:
    """Say what is stale, failing or overdue, each with the next command; exits 1 when something is wrong."""
    from effects.health.health_checks import examine

    found = examine(open_command(as_of))
    width = max(len(check.name) for check in found)
    for check in found:
        if json:
            say_json({"check": check.name, "level": check.level, "detail": check.detail, "next": check.next or None})
        else:
            say(f"{SIGNS[check.level]}  {check.name:<{width}}  {check.detail}" + (f"  → {check.next}" if check.next else ""))
    return 1 if any(check.level == "wrong" for check in found) else 0
