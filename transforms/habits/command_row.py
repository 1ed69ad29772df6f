"""The row of a command that ran in a window with success: `Command run here with success: …`, written and read."""

from __future__ import annotations

from dataclasses import dataclass

from transforms.tables.enums import FactKind

CHANGING_FOLDER = "cd"
COMMAND_KIND: FactKind = "command"
LEAD, NAMED_LEAD = "Command run here with success: `", "Command run here as the owner said: `"
_INSTEAD, _FAILED = ", where `", "` failed"
_RUNS, _RUNS_END = " (it runs `", "`)"
_END = "."


@dataclass(frozen=True, slots=True)
class RanCommand:
    """A command as it was typed. `is_named`: the owner's own words before it have it; `failed` is the form of it that failed just
    before, in the same session, and was not run again; `runs` is what its script runs, where a file that defines it was shown.
    Both are empty without one."""

    command: str
    is_named: bool = False
    failed: str = ""
    runs: str = ""


def write_command_row(ran: RanCommand) -> str:
    """Return the text of the row."""
    runs = f"{_RUNS}{ran.runs}{_RUNS_END}" if ran.runs else ""
    failed = f"{_INSTEAD}{ran.failed}{_FAILED}" if ran.failed else ""
    return f"{NAMED_LEAD if ran.is_named else LEAD}{ran.command}`{runs}{failed}{_END}"


def read_command_row(text: str) -> RanCommand | None:
    """Return what a row tells; None for a text of another form."""
    lead = next((lead for lead in (NAMED_LEAD, LEAD) if text.startswith(lead)), "")
    if not lead:
        return None
    command, _, rest = text.removeprefix(lead).partition("`")
    if not command.strip():
        return None
    middle, _, failed = rest.partition(_INSTEAD)
    runs = middle.removesuffix(_END).removeprefix(_RUNS).removesuffix(_RUNS_END)
    return RanCommand(command, lead == NAMED_LEAD, failed.removesuffix(_END).removesuffix(_FAILED), runs)
