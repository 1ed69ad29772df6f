"""The command line: `recollect COMMAND`. Only the module of the command that is called is imported, so that each starts fast."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from effects.config.paths import check_home
from effects.system.errors import LakeError, RecollectError, UsageError
from effects.system.files import make_new_files_private
from effects.system.garbage import prepare_process
from effects.system.own_process import keep_working_folder_from_imports, open_closed_streams
from effects.system.telemetry import keep_libraries_private
from recollect.arguments import CommandParser
from recollect.command_list import ABOUT_NIGHTS, COMMAND_GROUPS, COMMANDS, find_similar_command
from recollect.error_lines import describe_unexpected, find_damage_behind, log_hook_error, print_error
from recollect.terminal import escape_unwritable
from transforms.tables.surrogates import replace_surrogates

EXAMPLE_BEGIN = "for example "
"""How a hint begins that is no command, of a value that an option cannot take."""
EXAMPLES = {
    "recollect init": "five questions, the schedule, the first night",
    'recollect ask "what did we decide about cache TTLs?"': "an answer with citations",
    "recollect review": "the proposals that wait for your decision",
    "recollect doctor": "the checks, each with the next command",
}
ALL_OPTIONS = "`recollect COMMAND --help` shows the options of a command, with an example."
EXAMPLE_COLUMNS = 100
"""Columns of a terminal from which an example and what it gives stand in one line."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run a command and exit with 0, 1, 2 or 4: the entry point of the `recollect` script."""
    open_closed_streams()
    make_new_files_private()
    prepare_process()
    keep_libraries_private()
    keep_working_folder_from_imports()
    escape_unwritable()
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        code = run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # `recollect sql … | head`: the reader has enough
        code = 0
        _drop_output()
    except OSError as error:  # of the flush: the disk of `recollect sql … >file` is full
        code = _choose_reporter(arguments)(describe_unexpected(error), False)
        _drop_output()
    sys.exit(code)


def _drop_output() -> None:
    """Lead stdout nowhere: what it holds cannot be written, and Python would try it again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _is_hook(arguments: Sequence[str]) -> bool:
    return arguments[:1] == ["hook"]


def _choose_reporter(arguments: Sequence[str]) -> Callable[[RecollectError, bool], int]:
    """Return the function that reports an error of a command and returns its exit code."""
    return log_hook_error if _is_hook(arguments) else print_error


def run(arguments: list[str]) -> int:
    """Run a command and return its exit code; an error is printed as one line, or as JSON under `--json`.

    One of `recollect hook` is logged and ends with 0: with 2 a client erases the prompt of its user.
    """
    as_json = "--json" in arguments
    report_error = _choose_reporter(arguments)
    try:
        namespace = parse_arguments(arguments)
        check_home()
        return int(namespace.run_command(namespace))
    except SystemExit as end:  # after --help and --version
        return int(end.code or 0)
    except LakeError as error:
        return report_error(find_damage_behind(error) or error, as_json)
    except RecollectError as error:
        return report_error(error, as_json)
    except KeyboardInterrupt:
        _forget_interrupt()
        return report_error(RecollectError("stopped; finished work is kept", "run the same command again to continue"), as_json)
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence: a person gets one line, the log the traceback
        return report_error(describe_unexpected(error), as_json)
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # of polars, whose own code failed at a damaged file
            raise
        return report_error(describe_unexpected(error), as_json)


def _forget_interrupt() -> None:
    """Let Python end with our exit code under `-m`, not by the signal, after an interrupt that was handled.

    CPython notes a KeyboardInterrupt that leaves code run from a string, as of a dataclass that a library makes on import, and
    forgets it only when the next string is run (`run_eval_code_obj` in Python/pythonrun.c).
    """
    exec("")


def parse_arguments(arguments: Sequence[str]) -> Namespace:
    """Return the options of a command line; `run_command` in them runs the command.

    Raises:
        UsageError: for a command or an option that does not exist, or a value that cannot be used.
        SystemExit: after `--help` or `--version` was printed.
    """
    name, *options = arguments or ["--help"]
    if name in COMMANDS:
        try:
            return _replace_unreadable(build_command_parser(name).parse_args(options))
        except UsageError as error:
            if not error.hint.startswith(EXAMPLE_BEGIN):
                raise
            raise UsageError(f"{error.message}; {error.hint}", f"recollect {name} --help") from error
    if name.startswith("-"):
        return build_parser().parse_args(arguments)
    raise _make_unknown(name)


def _make_unknown(name: str) -> UsageError:
    """Return the complaint about a command that does not exist, with the one that was meant, or those that tell of the nights."""
    if name in ABOUT_NIGHTS:
        return UsageError(
            f"there is no command `{name}`; `recollect doctor` tells of the last night, `recollect report` of all",
            "recollect doctor",
        )
    similar = find_similar_command(name)
    if similar is None:
        return UsageError(f"there is no command `{name}`", "recollect --help")
    return UsageError(f"there is no command `{name}`; did you mean `{similar}`?", f"recollect {similar} --help")


def _replace_unreadable(namespace: Namespace) -> Namespace:
    """Return the options with U+FFFD for bytes of their texts that are no UTF-8; paths keep theirs, as the disk has them."""
    for name, value in vars(namespace).items():
        if isinstance(value, str):
            setattr(namespace, name, replace_surrogates(value))
        elif isinstance(value, list):
            setattr(namespace, name, [replace_surrogates(item) if isinstance(item, str) else item for item in value])
    return namespace


def build_command_parser(name: str) -> ArgumentParser:
    """Return the parser of one command, whose module is imported for it."""
    module = import_command(name)
    parser = CommandParser(prog=f"recollect {name}", description=COMMANDS[name])
    parser.set_defaults(run_command=module.run_command)
    module.add_arguments(parser)
    return parser


def import_command(name: str) -> Any:
    """Return the module of a command, with `add_arguments` and `run_command`."""
    package = next(package for package, commands in COMMAND_GROUPS.items() if name in commands)
    return import_module(f"recollect.commands.{package}.{name}")


def _format_examples() -> str:
    """Return the end of the help; in a narrow terminal what an example gives stands below it."""
    width = max(map(len, EXAMPLES)) + 5
    is_narrow = sys.stdout.isatty() and shutil.get_terminal_size().columns < EXAMPLE_COLUMNS
    lines = [f"  {line}\n      {result}" if is_narrow else f"  {line:<{width}}{result}" for line, result in EXAMPLES.items()]
    return "\n".join(["", "examples:", *lines, "", ALL_OPTIONS, ""])


def build_parser(*, has_options: bool = False) -> ArgumentParser:
    """Return the parser of `recollect` itself: its help lists all commands.

    `has_options` gives every command its options, for which the modules of all of them are imported.
    """
    parser = CommandParser(
        prog="recollect",
        description="Long-term memory for coding agents: cited and reviewed Markdown from pi, Claude Code and Codex.",
        epilog=_format_examples(),
    )
    parser.add_argument("--version", action=_PrintVersion, nargs=0, help="print the version")
    parser.add_argument(
        "--completion",
        action=_PrintCompletion,
        metavar="SHELL",
        help="print the completion script for bash, zsh, fish, tcsh or powershell",
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary)
        if has_options:
            import_command(name).add_arguments(command)
    return parser


class _PrintVersion(Action):
    """Prints the version; argparse's own action would need it before it is asked for."""

    def __call__(self, parser: ArgumentParser, *values: object) -> None:
        from effects.system.version import read_product_version

        print(read_product_version())
        parser.exit()


class _PrintCompletion(Action):
    """Prints the script that completes commands, options and files in a shell."""

    def __call__(self, parser: ArgumentParser, namespace: Namespace, values: object, *_: object) -> None:
        from recollect.completion import render_completion

        print(render_completion(build_parser(has_options=True), str(values)))
        parser.exit()
