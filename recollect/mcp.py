"""`recollect mcp`: memory for any client that speaks the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

import logging

from recollect.terminal import settings_of


def mcp() -> int:
    """Serve memory to agents over stdin and stdout, until the client leaves."""
    settings = settings_of()  # a broken setting ends the server here, where the client's log shows it
    from recollect.mcp_server import build

    server = build(settings)
    logging.getLogger("mcp").setLevel(logging.WARNING)
    server.run("stdio")
    return 0
