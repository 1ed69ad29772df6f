"""`recollect mcp`: memory for any client that speaks the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

import logging
from argparse import ArgumentParser, Namespace

from effects.config.configuration import load_settings
from recollect.arguments import add_example


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options: there are none."""
    parser.description = "Serve memory to agents over stdin and stdout, until the client leaves."
    add_example(parser, "claude mcp add --scope user recollect -- recollect mcp")


def run_command(arguments: Namespace) -> int:
    """Serve until the client leaves."""
    settings = load_settings()  # a broken setting ends the server here, where the client's log shows it
    from recollect.mcp_server import build_server

    server = build_server(settings)
    logging.getLogger("mcp").setLevel(logging.WARNING)
    server.run("stdio")
    return 0
