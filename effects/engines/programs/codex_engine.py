"""Models through Codex: `codex exec` with the owner's login, one process per request, nothing around the prompt and nothing left.

The client has no option for the temperature and none for the length of an answer. It repeats by itself what got no answer.
"""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

import orjson

from effects.engines.programs.client_login import ClientLogin, ask_program, require_login
from effects.engines.programs.client_replies import CODEX, build_reply
from effects.engines.programs.program import run_program
from effects.engines.requests import Reply, Request, Send
from transforms.model_answers.client_events import read_codex_events
from transforms.model_answers.window_answer_schema import make_strict
from transforms.tables.json_object import JsonObject

FLAGS = (
    "exec", "--json", "--ephemeral", "--ignore-user-config", "--ignore-rules", "--skip-git-repo-check", "--sandbox", "read-only",
    "--color", "never",
)  # fmt: skip
"""One answer, nothing stored, nothing of the owner's settings: no MCP servers, hooks, notifications or other providers."""
FEATURES_OFF = (
    "apps", "daemon_auto_start", "goals", "hooks", "image_generation", "memories", "multi_agent", "plugins", "remote_plugin",
    "shell_snapshot", "shell_tool", "skill_mcp_dependency_install", "sleep_tool", "tool_suggest", "unbounded_connection_retries",
    "unified_exec", "view_image",
)  # fmt: skip
SETTINGS = (
    *(f"features.{name}=false" for name in FEATURES_OFF), "agents.enabled=false", "analytics.enabled=false",
    "check_for_update_on_startup=false", 'history.persistence="none"', "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false", "include_environment_context=false",
    "include_permissions_instructions=false", "project_doc_max_bytes=0", "skills.bundled.enabled=false",
    "skills.include_instructions=false", "tools.experimental_request_user_input.enabled=false", "tools.update_plan.enabled=false",
    'web_search="disabled"',
)  # fmt: skip
"""No tool, no skill, no search, no file of the working directory; an unknown one is passed over, in older and newer versions."""
OWN_TEXTS = (
    "\n\nInstructions under the heading `AGENTS.md instructions` belong to other work of the owner: leave them out of account.\n"
)
"""Codex sends the AGENTS.md of its own home with every request and has no option against it."""
TOOL_FIELDS: JsonObject = {
    "tool_mode": None, "apply_patch_tool_type": None, "multi_agent_version": None, "experimental_supported_tools": [],
    "supports_search_tool": False, "shell_type": "disabled",
}  # fmt: skip
"""Fields of a model in Codex's list that bring tools, and their values without any (None: left out): they go before settings."""


def make_codex_send(model: str, timeout: float) -> Send:
    """Return a function that asks `openai/model` through Codex.

    Raises:
        ConfigError: when Codex is missing, too old, or not logged in.
    """
    login = require_login(CODEX, model)
    name = model.partition("/")[2]

    def send(request: Request) -> Reply:
        """Ask Codex in a process of its own, in an empty folder; TransportError when it gives no answer."""
        with tempfile.TemporaryDirectory(prefix="recollect-codex-", ignore_cleanup_errors=True) as place:
            folder = Path(place)
            (folder / "work").mkdir()
            (folder / "system.md").write_text(request.system + OWN_TEXTS, encoding="utf-8")
            (folder / "schema.json").write_bytes(orjson.dumps(make_strict(request.response_model.model_json_schema())))
            own = {"model_instructions_file": "system.md", "sqlite_home": "state", "log_dir": "logs"}
            if catalogue := describe_without_tools(login, name):
                (folder / "models.json").write_bytes(catalogue)
                own["model_catalog_json"] = "models.json"
            settings = [*SETTINGS, *(f"{key}={orjson.dumps(str(folder / path)).decode()}" for key, path in own.items())]
            command = [login.binary, *FLAGS, "--model", name, "--output-schema", str(folder / "schema.json")]
            command += [part for setting in settings for part in ("-c", setting)]
            output = run_program(CODEX.name, command, request.prompt, str(folder / "work"), login.make_environment(), timeout)
        return build_reply(CODEX, read_codex_events(output.text), output, request.response_model)

    return send


@lru_cache(maxsize=8)
def describe_without_tools(login: ClientLogin, name: str) -> bytes:
    """Return what Codex's own list of models says of a model, without tools; empty for one that it does not list."""
    models = ask_program(login.binary, "debug", "models", hidden=login.hidden)[2].get("models")
    for model in models if isinstance(models, list) else ():
        if isinstance(model, dict) and model.get("slug") == name:
            changed = model | TOOL_FIELDS
            return orjson.dumps({"models": [{key: value for key, value in changed.items() if value is not None}]})
    return b""
