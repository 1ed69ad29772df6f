"""The command line: `recollect COMMAND`. Commands are imported when they are called, so that `--help` stays fast."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

from effects.system.errors import EXIT_FAILED, RecollectError, UsageError

if TYPE_CHECKING:
    from cyclopts import App

COMMANDS = (
    ("nightly", "recollect.pipeline:nightly", "Run everything that is due: read, distil, reflect, render."),
    ("session", "recollect.pipeline:session", "Read and distil one session file now."),
    ("backfill", "recollect.pipeline:backfill", "Run over the sessions of a span of days; can be stopped and resumed."),
    ("ask", "recollect.recall:ask", "Answer a question from memory, with citations."),
    ("show", "recollect.recall:show", "Follow any id down to the original entries."),
    ("briefing", "recollect.briefing:briefing", "Print what an agent should know at the start of a session."),
    ("review", "recollect.reviewing:app", "List, approve or reject what is proposed for MEMORY.md."),
    ("remember", "recollect.reviewing:remember", "Save something on purpose: proposed for MEMORY.md, or written there."),
    ("export", "recollect.export:export", "Print what is kept, one row per fact or narrative."),
    ("sql", "recollect.sql:sql", "Query the lake with DuckDB, one view per table."),
    ("doctor", "recollect.doctor:doctor", "Say what is stale, failing or overdue, and the next command."),
    ("rebuild", "recollect.rebuild:rebuild", "Make the search index or the pages again from the lake."),
    ("mcp", "recollect.mcp:mcp", "Serve memory to agents: an MCP server on stdin and stdout."),
    ("config", "recollect.config:config", "Print every setting and where it came from."),
)


def build() -> App:
    """The whole command line; importing a command's module is left to its first use."""
    from cyclopts import App, Parameter

    app = App(
        name="recollect",
        help="Long-term memory for coding agents: from pi's session files to cited, reviewed Markdown.",
        help_format="plaintext",
        help_formatter="plain",
        version=_version,
        default_parameter=Parameter(negative="", show_default=False),
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
    )
    for position, (name, path, summary) in enumerate(COMMANDS):
        app.command(path, name=name, help=summary, sort_key=position)
    return app


def main(arguments: list[str] | None = None) -> NoReturn:
    """Entry point of the `recollect` command: runs it and exits with 0, 1, 2 or 4."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = run(given)
        sys.stdout.flush()
    except BrokenPipeError:  # `recollect sql … | head`: the reader has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_FAILED
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Runs one command and returns its exit code; whatever goes wrong was said in one line, or as JSON under --json."""
    as_json = "--json" in arguments
    try:
        result = _called(arguments)
        return result if isinstance(result, int) else 0
    except RecollectError as error:
        return _complain(error, as_json)
    except KeyboardInterrupt:
        return _complain(RecollectError("stopped; what was finished is kept", "run the same command again to go on"), as_json)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence: a person gets one line, the log the traceback
        return _complain(_unexpected(error), as_json)


def _called(arguments: list[str]) -> object:
    """What the command returns; a plain `ask` goes without the whole command line, which takes longer than its answer."""
    if arguments[:1] == ["ask"]:
        from recollect.asking import asked

        if (code := asked(arguments[1:])) is not None:
            return code
    from cyclopts import CycloptsError

    try:
        return build()(arguments)
    except CycloptsError as error:
        command = " ".join(["recollect", *(error.command_chain or ())])
        raise UsageError(" ".join(str(error).split()), f"{command} --help") from error


def _complain(error: RecollectError, as_json: bool) -> int:
    from recollect.terminal import say_json, tell

    if as_json:
        say_json(error.envelope())
    else:
        tell(f"recollect: {error.message}" + (f"\n  next: {error.hint}" if error.hint else ""))
    return error.exit_code


def _unexpected(error: Exception) -> RecollectError:
    from effects.config.paths import absolute
    from effects.store.run_record import log_traceback, one_line

    try:
        from effects.config.configuration import load_settings

        lake = load_settings().lake
    except RecollectError:
        from pathlib import Path

        lake = absolute(Path("data/lake"))
    return RecollectError(one_line(error), f"see {log_traceback(lake, error)}")


def _version() -> str:
    from effects.store.run_record import product_version

    return product_version()
