"""The parser of every command, and the options that several commands share."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser, ArgumentTypeError, HelpFormatter, RawDescriptionHelpFormatter
from pathlib import Path
from typing import Any, NoReturn

from effects.config.paths import expand_home
from effects.system.errors import UsageError

HELP_COLUMN = 32
"""Column at which the text of an option begins."""
FILE_COMPLETION = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "tcsh": "f",
    "fish": "(__fish_complete_path (commandline -ct))",
    "powershell": "_shtab_powershell_compgen_files",
}
"""`shtab.FILE`, written out: a command starts without importing shtab."""


class CommandParser(ArgumentParser):
    """A parser that raises its complaints as `UsageError`s, with the help of the command as the next command."""

    def __init__(self, **arguments: Any) -> None:
        arguments.setdefault("formatter_class", make_formatter)
        super().__init__(**arguments, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError` instead of printing the usage and exiting, in words of people."""
        raise UsageError(_word_missing(message), f"{self.prog} --help")


def _word_missing(message: str) -> str:
    """Return argparse's message; where arguments are missing in words that name only them."""
    required, of_several = "the following arguments are required: ", "one of the arguments "
    if message.startswith(required):
        return f"{message.removeprefix(required)} is missing"
    if message.startswith(of_several):
        return f"{' or '.join(message.removeprefix(of_several).removesuffix(' is required').split())} is missing"
    return message


def make_formatter(prog: str) -> HelpFormatter:
    """Return the formatter of a help text: in colour in a terminal (unless `NO_COLOR` is set), plain elsewhere."""
    if not sys.stdout.isatty():
        return RawDescriptionHelpFormatter(prog, max_help_position=HELP_COLUMN)
    from rich_argparse import RawDescriptionRichHelpFormatter

    class Formatter(RawDescriptionRichHelpFormatter):
        text_markup = help_markup = False  # [brackets] are options here

    return Formatter(prog, max_help_position=HELP_COLUMN)


def add_example(parser: ArgumentParser, *examples: str) -> None:
    """Show these command lines at the end of the command's help."""
    parser.epilog = "\n".join([f"example{'s' if len(examples) > 1 else ''}:", *(f"  {example}" for example in examples)])


def add_json(parser: ArgumentParser, text: str = "one JSON object per line", **arguments: Any) -> None:
    """Add `--json`, which prints JSON instead of text for people; `text` is its help."""
    parser.add_argument("--json", action="store_true", help=text, **arguments)


def complete_files(action: Action) -> None:
    """Let the completion script of a shell offer files for an argument."""
    action.complete = FILE_COMPLETION  # type: ignore[attr-defined]


def add_as_of(parser: ArgumentParser) -> None:
    """Add `--as-of TIME`; `effects.config.stated_times.parse_time` reads it in the owner's zone."""
    parser.add_argument(
        "--as-of", metavar="TIME", help="logical time: a date or an ISO time, in the owner's zone unless it names another"
    )


def add_yes(parser: ArgumentParser) -> None:
    """Add `--yes`, which removes for good without a question."""
    parser.add_argument(
        "--yes", action="store_true", help="do not ask, also in a terminal: what is removed cannot be brought back"
    )


def add_direct(parser: ArgumentParser) -> None:
    """Add `--direct`, which runs the pipeline in this process, without Prefect's records."""
    parser.add_argument("--direct", action="store_true", help="run without Prefect")


def parse_number(text: str) -> int:
    """Return the number that the text of an option names.

    Raises:
        ArgumentTypeError: when it names none.
    """
    try:
        return int(text)
    except ValueError as error:
        raise ArgumentTypeError(f"`{text}` is not a whole number") from error


def parse_path(text: str) -> Path:
    """Return the path that an option names, with `~` replaced by the home of the user.

    Raises:
        ArgumentTypeError: when it begins with the home of an unknown user.
    """
    try:
        return expand_home(Path(text))
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


def parse_words(text: str) -> tuple[str, ...]:
    """Return the parts of a list that is separated by commas, without empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())
