"""Models through Claude Code: `claude -p` with the owner's login: a process per request, nothing around the prompt, nothing left.

The client has no option for the temperature. It repeats no request, thinks nothing beforehand, and stops after the first answer,
also when that was cut off or does not fit the schema: a further question is ours to ask, within the budget.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import orjson

from effects.engines.programs.client_login import QUIET_CLAUDE, require_login
from effects.engines.programs.client_replies import CLAUDE, build_reply
from effects.engines.programs.program import run_program
from effects.engines.requests import Reply, Request, Send
from transforms.model_answers.client_events import read_claude_events

FLAGS = (
    "-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence", "--safe-mode", "--setting-sources", "user",
    "--strict-mcp-config", "--tools", "", "--disable-slash-commands", "--no-chrome", "--max-turns", "1",
    "--max-budget-usd", "0.000001",
)  # fmt: skip
"""One answer, nothing stored; no tools, MCP servers, hooks, plugins, skills or CLAUDE.md, of settings only those of the login.
With the smallest budget the client asks once: an answer that was cut off would be continued up to three times."""
LIMITS = {
    "CLAUDE_CODE_MAX_RETRIES": "0", "MAX_THINKING_TOKENS": "0", "CLAUDE_CODE_ENABLE_TELEMETRY": "0",
    # Without it the client puts files into the prompt that the transcript names (`@~/.ssh/config`).
    "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
}  # fmt: skip


def make_claude_send(model: str, timeout: float) -> Send:
    """Return a function that asks `anthropic/model` through Claude Code.

    Raises:
        ConfigError: when Claude Code is missing, too old, or not logged in.
    """
    login = require_login(CLAUDE, model)
    name = model.partition("/")[2]

    def send(request: Request) -> Reply:
        """Ask Claude Code in a process of its own, in an empty folder; TransportError when it gives no answer."""
        limits = QUIET_CLAUDE | LIMITS | {"CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(request.max_output_tokens)}
        # As settings too: those of the owner would go before the environment.
        settings = orjson.dumps({"env": limits, "disableAllHooks": True}).decode()
        schema = orjson.dumps(request.response_model.model_json_schema()).decode()
        with tempfile.TemporaryDirectory(prefix="recollect-claude-", ignore_cleanup_errors=True) as folder:
            work, system = Path(folder) / "work", Path(folder) / "system.md"
            work.mkdir()
            system.write_text(request.system, encoding="utf-8")
            command = [login.binary, *FLAGS, "--model", name, "--system-prompt-file", str(system)]
            command += ["--settings", settings, "--json-schema", schema]
            output = run_program(CLAUDE.name, command, request.prompt, str(work), login.make_environment(limits), timeout)
        return build_reply(CLAUDE, read_claude_events(output.text), output, request.response_model)

    return send
