"""`recollect mcp`: memory for any client that speaks the Model Context Protocol, over stdin and stdout."""

from __future__ import annotations

import json
import logging
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from effects.config.configuration import load_settings
from recollect.arguments import add_example
from transforms.tables.surrogates import replace_surrogates_within

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream
    from mcp.server import MCPServer
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError, JSONRPCMessage
    from pydantic import ValidationError

NO_JSON, NO_MESSAGE = -32700, -32600
"""Codes of JSON-RPC: a line that is no JSON, and JSON that is no message."""
OF_MESSAGE = 2
"""Steps to a member of a message in pydantic's errors: the kind of message, and the member."""

OF_MESSAGE = 2
"""Length of the place of a member that a message lacks: the kind of message, and the member."""


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the options: there are none."""
    parser.description = "Serve memory to agents over stdin and stdout, until the client leaves."
    add_example(parser, "claude mcp add --scope user recollect -- recollect mcp")


def run_command(arguments: Namespace) -> int:
    """Serve until the client leaves."""
    settings = load_settings()  # a broken setting ends the server here, where the client's log shows it
    import anyio

    from recollect.mcp_server import build_server

    server = build_server(settings)
    logging.getLogger("mcp").setLevel(logging.WARNING)
    anyio.run(serve_stdio, server)
    return 0


async def serve_stdio(server: MCPServer) -> None:
    """Serve over stdin and stdout as the library's `run_stdio_async` does, but leave no line without an answer."""
    from mcp.server.stdio import stdio_server

    served = server._lowlevel_server
    async with stdio_server() as (lines, answers), answer_unreadable(lines, answers) as messages:
        await served.run(messages, answers, served.create_initialization_options())


@asynccontextmanager
async def answer_unreadable(
    lines: ReadStream[SessionMessage | Exception], answers: WriteStream[SessionMessage]
) -> AsyncIterator[MemoryObjectReceiveStream[SessionMessage | Exception]]:
    """Give the messages of a stream. The library hands on an error for a line that it cannot read, and then drops it: the client
    waited for ever. Here halves of surrogate pairs are replaced, and any other such line is answered with its error."""
    from anyio import create_memory_object_stream, create_task_group
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCError

    sender, messages = create_memory_object_stream["SessionMessage | Exception"](0)

    async def relay() -> None:
        async with sender, lines:
            async for line in lines:
                read = read_refused(line) if isinstance(line, Exception) else line.message
                if isinstance(read, JSONRPCError) and isinstance(line, Exception):
                    await answers.send(SessionMessage(read))
                elif read is not None:
                    await sender.send(SessionMessage(read) if isinstance(line, Exception) else line)

    async with create_task_group() as tasks:
        tasks.start_soon(relay)
        yield messages
        tasks.cancel_scope.cancel()


def read_refused(refusal: Exception) -> JSONRPCMessage | None:
    """Return the message of a line that the library refused, an error that answers it, or None where nothing is to be said."""
    from mcp_types import jsonrpc_message_adapter
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
    from mcp_types import ErrorData, JSONRPCError

    known = name if isinstance(name, str | int) and not isinstance(name, bool) else None
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=words))
