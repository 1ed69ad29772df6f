"""Whether the owner is logged in to Claude Code or Codex, and who pays for its requests. No words are sent, no secret is read.

The program is asked for its version and for its login (`claude auth status`, `codex login status`). A key in the environment goes
before a login in both programs. So where there is a login, requests do not see the key: who pays is the same in a shell that has
the key and in a schedule that has not. Where there is none, the key pays, and every place that names the engine says so.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from effects.engines.programs.client_replies import CLAUDE, CODEX, Client
from effects.system.errors import ConfigError
from transforms.patterns.late_pattern import compile_late
from transforms.tables.json_object import JsonObject, parse_raw_json

QUIET_CLAUDE = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}  # fmt: skip
KEYS = {"claude": ("ANTHROPIC_API_KEY",), "codex": ("CODEX_API_KEY", "OPENAI_API_KEY")}
"""Variables that decide who pays before a login does."""
SESSION_PREFIXES = ("CLAUDECODE", "CLAUDE_CODE_SESSION", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_CHILD", "CLAUDE_CODE_SSE_PORT",
                    "CLAUDE_CODE_FORCE_SESSION", "CLAUDE_CODE_EXTRA_BODY", "CODEX_THREAD", "CODEX_SESSION")  # fmt: skip
"""Beginnings of variables that a session sets for its commands: a request from within one is no part of it."""
LOGIN_TIMEOUT_S = 20.0
_VERSION = compile_late(r"\d+(?:\.\d+)+")


@dataclass(frozen=True, slots=True)
class ClientLogin:
    """A client on this machine: its program, who pays for its requests, and the variables that these do not see.

    `problem` says why it cannot be asked, empty when it can; `hint` is the next command. Without the program both are empty.
    """

    binary: str = ""
    payer: str = ""
    hidden: tuple[str, ...] = ()
    problem: str = ""
    hint: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether requests would be answered, as far as the program knows."""
        return bool(self.binary) and not self.problem

    def make_environment(self, *changes: dict[str, str]) -> dict[str, str]:
        """Return the environment of a request."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(SESSION_PREFIXES)}
        for change in changes:
            kept |= change
        return {name: value for name, value in kept.items() if name not in self.hidden}


def find_login(client: Client) -> ClientLogin:
    """Return what this machine knows of a client; its program is asked once in a process."""
    deciding = ("PATH", "HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLAUDE_CODE_OAUTH_TOKEN", *KEYS[client.program])
    return _find_login(client, tuple(os.environ.get(name, "") for name in deciding))


def require_login(client: Client, model: str) -> ClientLogin:
    """Return the login of a client that can be asked.

    Raises:
        ConfigError: when the program is missing, too old, or not logged in.
    """
    login = find_login(client)
    engine = f"{client.program}:{model.partition('/')[2]}"
    if not login.binary:
        raise ConfigError(
            f"the engine `{engine}` needs the program `{client.program}`, which is not on PATH",
            f"install {client.name}, or add its folder to PATH of the schedule that starts recollect",
        )
    if login.problem:
        raise ConfigError(f"the engine `{engine}`: {login.problem}", login.hint)
    return login


def describe_payers(models: Iterable[tuple[str, str]]) -> str:
    """Return who pays for requests through clients, for (backend, model) of a chain; empty without a client that can be asked."""
    backends = dict.fromkeys(backend for backend, _ in models)
    logins = [(client, find_login(client)) for client in (CLAUDE, CODEX) if client.program in backends]
    return "; ".join(f"{login.payer} pays for {client.name}" for client, login in logins if login.is_usable)


def list_paying_keys(models: Iterable[tuple[str, str]]) -> list[str]:
    """Return the variables whose keys pay for requests through the clients of a chain, because their owner is not logged in."""
    backends = {backend for backend, _ in models}
    payers = {client.program: find_login(client).payer for client in (CLAUDE, CODEX) if client.program in backends}
    return [payer for program, payer in payers.items() if payer in KEYS[program]]


@lru_cache(maxsize=8)
def _find_login(client: Client, _environment: tuple[str, ...]) -> ClientLogin:
    binary = shutil.which(client.program)
    if binary is None:
        return ClientLogin()
    version = _VERSION.search(ask_program(binary, "--version", hidden=())[1])
    if version is None:
        return ClientLogin(binary, problem=f"{client.name} is installed but does not start", hint=f"{client.program} --version")
    if tuple(map(int, version.group().split("."))) < client.oldest:
        oldest = ".".join(map(str, client.oldest))
        problem = f"{client.name} {version.group()} is too old: {oldest} or newer is needed"
        return ClientLogin(binary, problem=problem, hint=client.update_command)
    hidden = tuple(name for name in KEYS[client.program] if os.environ.get(name))
    if payer := _PAYERS[client.program](binary, hidden):
        return ClientLogin(binary, payer, hidden)
    if payer := _find_paying_key(client, binary):
        return ClientLogin(binary, payer)
    return ClientLogin(binary, problem=f"{client.name} is installed but not logged in", hint=client.login_command)


def _find_paying_key(client: Client, binary: str) -> str:
    """Return the variable whose key pays where there is no login; Codex takes only its own from the environment."""
    name = KEYS[client.program][0]
    if not os.environ.get(name):
        return ""
    return name if client is CODEX or _find_claude_payer(binary, ()) else ""


def _find_claude_payer(binary: str, hidden: tuple[str, ...]) -> str:
    """Return who pays, in words, from the method that `claude auth status` tells; empty without a login."""
    status = ask_program(binary, "auth", "status", hidden=hidden)[2]
    if status.get("loggedIn") is not True:
        return ""
    if status.get("apiKeySource"):
        return f"an API key ({status['apiKeySource']})"
    plan = f" ({status['subscriptionType']})" if status.get("subscriptionType") else ""
    method = status.get("authMethod")
    return f"your subscription{plan}" if method == "claude.ai" else f"your login ({method})"


def _find_codex_payer(binary: str, hidden: tuple[str, ...]) -> str:
    """Return who pays, in words, from what `codex login status` says; empty without a login."""
    code, said, _ = ask_program(binary, "login", "status", hidden=hidden)
    if code or "not logged in" in said.lower():
        return ""
    return "your subscription" if "ChatGPT" in said else "an API key (of its login)" if "API key" in said else "your login"


_PAYERS = {CLAUDE.program: _find_claude_payer, CODEX.program: _find_codex_payer}


def ask_program(binary: str, *arguments: str, hidden: tuple[str, ...]) -> tuple[int, str, JsonObject]:
    """Return the exit code of a program that is asked about itself, what it says, and the JSON object in it, if there is one; 1
    and nothing when it does not answer."""
    environment = ClientLogin(hidden=hidden).make_environment(QUIET_CLAUDE)
    try:
        with tempfile.TemporaryDirectory(prefix="recollect-login-", ignore_cleanup_errors=True) as folder:
            done = subprocess.run(
                [binary, *arguments], check=False, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                cwd=folder, timeout=LOGIN_TIMEOUT_S, env=environment,
            )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return 1, "", {}
    try:
        value = parse_raw_json(done.stdout)
    except ValueError:
        value = {}
    said = done.stdout if done.stdout.strip() else re.sub(r"(?m)^WARNING.*$", "", done.stderr)
    return done.returncode, said, value
