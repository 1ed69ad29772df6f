"""`recollect mcp`: memory for any client that speaks the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

import json
import logging
from argparse import ArgumentParser, Namespace
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from effects.config.configuration import load_settings
from recollect.arguments import add_example
from transforms.tables.surrogates import replace_surrogates_within

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCError, JSONRPCMessage
    from pydantic import ValidationError

NO_JSON, NO_MESSAGE = -32700, -32600
"""Codes of JSON-RPC: a line that is no JSON, and JSON that is no message."""
OF_MESSAGE = 2
"""Steps to a member of a message in pydantic's errors: the kind of message, and the member."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options: there are none."""
    parser.description = "Serve memory to agents over stdin and stdout, until the client leaves."
    add_example(parser, "claude mcp add --scope user recollect -- recollect mcp")


def run_command(arguments: Namespace) -> int:
    """Serve until the client leaves."""
    settings = load_settings()  # a broken setting ends the server here, where the client's log shows it
    from mcp.server import MCPServer
    from mcp.server.stdio import stdio_server

    from recollect.mcp_server import build_server

    class AnsweringServer(MCPServer):
        """Leaves no line without an answer that asks for one."""

        async def run_stdio_async(self) -> None:
            """Serve over stdin and stdout as the library does, with `ReadableMessages` between."""
            served = self._lowlevel_server  # what the library's own method runs; it has no other name
            async with stdio_server() as (lines, answers):
                await served.run(ReadableMessages(lines, answers), answers, served.create_initialization_options())

    server = build_server(settings, AnsweringServer)
    logging.getLogger("mcp").setLevel(logging.WARNING)
    server.run("stdio")
    return 0


class ReadableMessages:
    """The messages of the library's stream of lines.

    For a line that it cannot read the library hands on an error, and then drops it: the client waited for ever. Here halves of
    surrogate pairs are replaced, and any other such line is answered with its error.
    """

    def __init__(self, lines: Any, answers: Any) -> None:
        self.lines, self.answers = lines, answers

    @property
    def last_context(self) -> Any:
        """Variables of the task that sent the last line."""
        return getattr(self.lines, "last_context", None)

    def __aiter__(self) -> ReadableMessages:
        return self

    async def __anext__(self) -> SessionMessage:
        return await self._find_message(self.lines.__anext__)

    async def receive(self) -> SessionMessage:
        """Return the next message; raises what the stream of lines raises at its end."""
        return await self._find_message(self.lines.receive)

    async def aclose(self) -> None:
        """Close the stream of lines."""
        await self.lines.aclose()

    async def __aenter__(self) -> ReadableMessages:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.aclose()

    async def _find_message(self, receive: Callable[[], Awaitable[SessionMessage | Exception]]) -> SessionMessage:
        from mcp.shared.message import SessionMessage
        from mcp.types import JSONRPCError

        while isinstance(line := await receive(), Exception):
            read = read_refused(line)
            if isinstance(read, JSONRPCError):
                await self.answers.send(SessionMessage(read))
            elif read is not None:
                return SessionMessage(read)
        return line


def read_refused(refusal: Exception) -> JSONRPCMessage | None:
    """Return the message of a line that the library refused, an error that answers it, or None where nothing is to be said."""
    from mcp.types import jsonrpc_message_adapter
    from pydantic import ValidationError

    line, sent = _find_sent(refusal) if isinstance(refusal, ValidationError) else (None, None)
    if line is not None:
        if not line.strip():
            return None
        try:
            sent = replace_surrogates_within(json.loads(line))
            return jsonrpc_message_adapter.validate_json(json.dumps(sent), by_name=False)
        except ValidationError:
            pass
        except (ValueError, RecursionError):  # nested too deep, or a number of thousands of digits
            return _word_error(NO_JSON, "Parse error: the line is no JSON that can be read", None)
    members = sent if isinstance(sent, dict) else {}
    if "method" not in members and ("result" in members or "error" in members):
        return None  # a broken answer: an answer to it would be answered in turn
    return _word_error(NO_MESSAGE, "Invalid request: the line is JSON, but no message of JSON-RPC 2.0", members.get("id"))


def _find_sent(refusal: ValidationError) -> tuple[str | None, Any]:
    """Return what a client sent, of pydantic's error: the line where it is no JSON; else its members, or None where it has none.

    Of each kind of message the error tells what it lacks, and in what: no object is a request and an answer at once.
    """
    faults = refusal.errors(include_url=False, include_context=False)
    lines = [str(fault["input"]) for fault in faults if fault["type"] == "json_invalid"]
    wholes = [fault["input"] for fault in faults if fault["type"] == "missing" and len(fault["loc"]) == OF_MESSAGE]
    return (lines[0] if lines else None), (wholes[0] if wholes else None)


def _word_error(code: int, words: str, name: object) -> JSONRPCError:
    """Return the error that answers a line, for the request of this id where it is one."""
    from mcp.types import ErrorData, JSONRPCError

    known = name if isinstance(name, str | int) and not isinstance(name, bool) else None
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=words))
