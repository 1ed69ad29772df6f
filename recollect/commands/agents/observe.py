"""`recollect observe`: dated observations of a conversation, for a client that compacts its context."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from effects.config.configuration import load_settings
from effects.system.errors import SourceError, UsageError
from recollect.arguments import add_example, add_json, complete_files, parse_number, parse_path
from recollect.terminal import print_json, print_line

if TYPE_CHECKING:
    from effects.config.settings import Settings


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of `recollect observe` to its parser, with help and examples."""
    parser.description = (
        "Print dated observations of a conversation: a session file of pi, Claude Code or Codex, or lines of one on stdin."
        " Nothing is stored and no model is asked. A compaction among the lines counts as known."
    )
    complete_files(
        parser.add_argument("file", metavar="FILE", nargs="?", type=parse_path, help="a session file (default: stdin)")
    )
    parser.add_argument("--from", dest="first", metavar="ENTRY", help="begin at the entry with this id")
    parser.add_argument("--to", dest="end", metavar="ENTRY", help="end before the entry with this id")
    parser.add_argument(
        "--max-tokens", metavar="N", type=parse_number, help="most tokens to print (default: a share of the input)"
    )
    parser.add_argument("--condense", action="store_true", help="the input is dated observations: shorten them to --max-tokens")
    add_json(parser, "one JSON object: observations, tokens, read_tokens")
    add_example(
        parser, "recollect observe session.jsonl --max-tokens 1000", "recollect observe --condense --max-tokens 2000 <old.txt"
    )


def run_command(arguments: Namespace) -> int:
    """Print the observations, as text or as JSON with their tokens; UsageError for a budget below 1."""
    if arguments.max_tokens is not None and arguments.max_tokens < 1:
        raise UsageError("--max-tokens is below 1", "for example --max-tokens 1000")
    settings = load_settings()
    data = _read_input(arguments.file)
    text, read_tokens = _condense(data, arguments, settings) if arguments.condense else _observe(data, arguments, settings)
    if arguments.json:
        from transforms.tables.tokens import count_tokens

        print_json({"observations": text, "tokens": count_tokens(text), "read_tokens": read_tokens})
    elif text:
        print_line(text)
    return 0


def _read_input(file: Path | None) -> bytes:
    if file is None:
        return sys.stdin.buffer.read()
    try:
        return file.read_bytes()
    except OSError as error:
        raise SourceError(
            f"{file} cannot be read: {error.strerror}", "recollect observe FILE, with a session file of pi, Claude Code or Codex"
        ) from error


def _condense(data: bytes, arguments: Namespace, settings: Settings) -> tuple[str, int]:
    from transforms.distil.dated_observations import condense_observations
    from transforms.tables.tokens import count_tokens

    if arguments.max_tokens is None:
        raise UsageError("--condense needs --max-tokens", "recollect observe --condense --max-tokens 2000")
    text = data.decode("utf-8", "replace")
    return condense_observations(text, arguments.max_tokens, settings.owner), count_tokens(text)


def _observe(data: bytes, arguments: Namespace, settings: Settings) -> tuple[str, int]:
    from zoneinfo import ZoneInfo

    from effects.distil.observe_messages import observe_entries, read_conversation, select_range

    zone = ZoneInfo(settings.timezone)
    entries = select_range(read_conversation(data, zone), arguments.first, arguments.end)
    mode = None if settings.distil.mode == "auto" else settings.distil.mode
    observed = observe_entries(entries, settings.owner, zone, settings.distil.budget, arguments.max_tokens, mode=mode)
    return observed.text, observed.read_tokens
