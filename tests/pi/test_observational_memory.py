"""Observational memory in the real pi, against a loopback model: compactions keep dated observations, or are left to pi."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.samples.drive import Client, prepare_home
from tests.pi.clients import CLIENTS, QUIET, ROOT, node
from tests.pi.test_extension import SETTLED, VERSIONS, Model, serving, text_of

pytestmark = pytest.mark.pi

EXTENSION = ROOT / "extensions" / "pi" / "observational-memory" / "index.ts"
OWN = {"provider": "anthropic", "model": "claude-sonnet-4-5"}
PIS_SUMMARY = "## Goal\nThe summary of pi itself."
FIRST = (
    "<observations>\nDate: 2026-02-10\n- [!] 14:30 User decided: rows live in SQLite\n  - [i] 14:31 Tests pass\n</observations>"
)
SECOND = "Here they are:\n```\nDate: 2026-02-11\n- [?] 09:00 User asked about the cache\n```"


@dataclass
class Observer(Model):
    """A model that answers the observer and the reflector with what the test put there, and pi's own summaries with one."""

    observations: list[str] = field(default_factory=list)
    reflections: list[str] = field(default_factory=list)

    def reply(self, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return one delta and the reason why the reply ends."""
        self.requests.append(body)
        asked = "\n".join(text_of(message) for message in body["messages"])
        if "Consolidate them" in asked:
            return {"content": self.reflections.pop(0)}, "stop"
        if "You keep the memory" in asked:
            return {"content": self.observations.pop(0)}, "stop"
        is_summary = "summarization assistant" in asked
        return {"content": PIS_SUMMARY if is_summary else "A long answer. " * 600}, "stop"

    def asked(self, words: str) -> list[str]:
        """Return the prompts that contain these words."""
        prompts = [text_of(request["messages"][-1]) for request in self.requests]
        return [prompt for prompt in prompts if words in prompt]


@dataclass
class Desk:
    """A home with pi, and a session of it."""

    version: str
    root: Path
    model: Observer
    env: dict[str, str]

    def write_config(self, config: object, is_global: bool = False) -> None:
        """Write a memory.json."""
        folder = self.root / "home/.pi/agent" if is_global else self.root / "work/.pi"
        folder.mkdir(parents=True, exist_ok=True)
        text = config if isinstance(config, str) else json.dumps(config)
        (folder / "memory.json").write_text(text, encoding="utf-8")

    def open(self, *options: str) -> Client:
        """Start a session over RPC."""
        (self.root / "work").mkdir(exist_ok=True)
        trust = ["--approve"] if self.version == "1.5.2" else []
        command = [str(node()), str(CLIENTS[self.version]), "--mode", "rpc", "--model", "anthropic/claude-sonnet-4-5", *trust]
        return Client([*command, "-e", str(EXTENSION), *options], self.root / "work", self.env, self.root / "pi.log")

    def say(self, client: Client, *prompts: str) -> None:
        """Say these words; each is followed by a long answer, so that there is something to compact."""
        for prompt in prompts:
            client.send({"type": "prompt", "message": prompt}, until=SETTLED[self.version])

    def end(self, client: Client) -> list[dict[str, Any]]:
        """End the session; return its compactions."""
        file = Path(client.send({"type": "get_state"})["data"]["sessionFile"])
        client.close()
        return read_compactions(file)

    @property
    def notices(self) -> list[str]:
        """Return what the extension told the person, in order."""
        lines = (self.root / "pi.log").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines if line.startswith('{"type":"extension_ui_request"')]
        return [event["message"] for event in events if event["method"] == "notify"]

    @property
    def statuses(self) -> list[str]:
        """Return what stood in the footer, in order, without colours."""
        lines = (self.root / "pi.log").read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines if line.startswith('{"type":"extension_ui_request"')]
        return [event["statusText"] for event in events if event["method"] == "setStatus" and event["statusKey"] == "memory"]


def read_compactions(file: Path) -> list[dict[str, Any]]:
    """Return the compactions of a session file."""
    entries = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [entry for entry in entries if entry["type"] == "compaction"]


@contextmanager
def prepare_desk(version: str, tmp_path: Path, observer: Observer) -> Iterator[Desk]:
    """pi in a closed environment: a home in the folder of the test, and the loopback."""
    path = os.pathsep.join([str(node().parent), "/usr/local/bin", "/usr/bin", "/bin"])
    env = {"HOME": str(tmp_path / "home"), "PATH": path, "LANG": "C.UTF-8", "TERM": "dumb", "NO_PROXY": "127.0.0.1,localhost"}
    env |= QUIET | {"TZ": "UTC"}
    with serving(observer) as model:
        prepare_home(tmp_path / "home", model.port)
        yield Desk(version, tmp_path, observer, env)


@pytest.fixture
def desk(version: str, tmp_path: Path) -> Iterator[Desk]:
    """A desk whose observer answers what the test put there."""
    with prepare_desk(version, tmp_path, Observer()) as prepared:
        yield prepared


@VERSIONS
def test_without_flag_variable_or_file_it_does_nothing(desk: Desk) -> None:
    """pi compacts as ever, and nothing is shown. A file that says `enabled: false` is not a request either."""
    desk.write_config({"enabled": False, "observer": OWN}, is_global=True)
    client = desk.open()
    desk.say(client, "We store rows in SQLite.", "Which table first?")
    client.send({"type": "compact"})
    [compaction] = desk.end(client)
    assert compaction["summary"].startswith(PIS_SUMMARY)
    assert (compaction.get("fromHook", False), desk.notices, desk.statuses) == (False, [], [])
    assert not desk.model.asked("You keep the memory")


@VERSIONS
def test_observations_grow_from_compaction_to_compaction_and_a_bad_answer_is_left_to_pi(desk: Desk) -> None:
    """The first compaction keeps the observer's lines, the second begins with them; the third answer is none of the form."""
    desk.write_config({"observer": OWN | {"mode": "explore"}})
    desk.model.observations = [FIRST, SECOND, "I am sorry, I cannot do that."]
    client = desk.open("--memory")
    desk.say(client, "We store rows in SQLite.", "Which table first?")
    client.send({"type": "compact", "customInstructions": "the tables"})
    desk.say(client, "And the cache?", "How large?")
    client.send({"type": "compact"})
    desk.say(client, "Go on.", "And on.")
    client.send({"type": "compact"})
    first, second, third = desk.end(client)
    kept = "Date: 2026-02-10\n- [!] 14:30 User decided: rows live in SQLite\n  - [i] 14:31 Tests pass"
    assert first["summary"] == kept
    assert first["details"] == {"type": "observational-memory", "observationTokens": -(-len(kept) // 4)}
    assert first["fromHook"] is True
    assert second["summary"] == f"{kept}\n\nDate: 2026-02-11\n- [?] 09:00 User asked about the cache"
    assert "summary of pi itself" in third["summary"]
    prompts = desk.model.asked("You keep the memory")
    assert "User: We store rows in SQLite." in prompts[0]
    assert "looked for and not found; the tables" in prompts[0]
    assert "<existing-observations>" not in prompts[0]
    assert f"<existing-observations>\n{kept}\n</existing-observations>" in prompts[1]
    assert "We store rows in SQLite." not in prompts[1].partition("<conversation>")[2]
    assert desk.notices[0] == "Observational memory compaction enabled"
    assert "the answer holds no observations; falling back to default compaction" in desk.notices[-1]
    assert any(status.startswith("OM") or "OM" in status for status in desk.statuses)


@VERSIONS
def test_the_reflector_shrinks_what_is_too_long_and_tries_again_when_it_did_not(desk: Desk) -> None:
    """Both prompts name half of the threshold; the second says that the first answer was not smaller. The file is enough."""
    long = "\n".join(f"- [i] 14:{minute:02} The agent read src/store/part-{minute}.ts once more" for minute in range(50))
    desk.model.observations = [f"<observations>\nDate: 2026-02-10\n{long}\n</observations>", FIRST]
    short = "Date: 2026-02-10\n- [i] 14:49 The agent read the 50 parts of src/store"
    desk.model.reflections = [f"Date: 2026-02-10\n{long}\n- [i] 15:00 More", f"<observations>\n{short}\n</observations>"]
    desk.write_config({"observer": OWN, "reflector": OWN | {"observationTokenThreshold": 300}})
    client = desk.open()
    desk.say(client, "Read the store.", "Again.")
    client.send({"type": "compact"})
    desk.say(client, "We store rows in SQLite.", "Which table first?")
    client.send({"type": "compact"})
    first, second = desk.end(client)
    assert first["summary"] == short
    assert second["summary"].startswith(f"{short}\n\nDate: 2026-02-10\n- [!] 14:30")
    asked = desk.model.asked("Consolidate them")
    assert ["not smaller" in prompt for prompt in asked] == [False, True]
    assert all("at most 600 characters (about 150 tokens)" in prompt for prompt in asked)


@VERSIONS
def test_a_missing_model_is_said_and_the_compaction_is_pis(desk: Desk) -> None:
    """A model that the file names is never replaced by another one. A broken global file is named too."""
    desk.write_config("{ not json", is_global=True)
    desk.write_config({"observer": {"provider": "nobody", "model": "none-1"}})
    client = desk.open()
    desk.say(client, "We store rows in SQLite.", "Which table first?")
    client.send({"type": "compact"})
    [compaction] = desk.end(client)
    assert "summary of pi itself" in compaction["summary"]
    assert not desk.model.asked("You keep the memory")
    assert "cannot be read" in desk.notices[0]
    assert desk.notices[-1] == (
        "Observational memory: the observer's model nobody/none-1 is not available; falling back to default compaction"
    )


@VERSIONS
def test_offline_the_command_observes_and_later_compactions_repeat_nothing(desk: Desk) -> None:
    """`provider: recollect` asks no model: the owner's rule and the current task survive, each once."""
    command = desk.root / "recollect"
    note = f'echo "$1 $RECOLLECT_DISTIL__MODE" >>{desk.root}/modes'
    command.write_text(f'#!/bin/sh\n{note}\nPYTHONPATH={ROOT} exec {sys.executable} -m recollect "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    (desk.root / "empty.toml").touch()
    own = {"BIN": command, "CONFIG": desk.root / "empty.toml", "OWNER": "Mara", "TIMEZONE": "UTC"}
    desk.env |= {f"RECOLLECT_{name}": str(value) for name, value in own.items()} | {"PI_MEMORY": "1"}
    desk.write_config({"observer": {"provider": "recollect", "model": "offline", "mode": "plan"}})
    client = desk.open()
    desk.say(client, "Never push to main without my approval.", "We decided to store all rows in SQLite, not in Redis.")
    client.send({"type": "compact"})
    desk.say(client, "Please add a test for the table of orders.", "Go on.")
    client.send({"type": "compact"})
    first, second = desk.end(client)
    assert (desk.root / "modes").read_text(encoding="utf-8") == "observe plan\n" * 2
    lines = first["summary"].splitlines()
    assert lines[0].startswith("Date: 20")
    assert all(line.startswith("- [") for line in lines[1:]), lines
    assert "Never push to main without my approval" in first["summary"], desk.notices
    assert second["summary"].startswith(first["summary"])
    assert second["summary"].count("Never push to main") == 1
    assert second["details"]["type"] == "observational-memory"
    assert not desk.model.asked("You keep the memory")


@VERSIONS
def test_in_print_mode_an_automatic_compaction_keeps_observations(desk: Desk) -> None:
    """The context is full after the answer. The default model is not there, so the session's own observes."""
    desk.write_config({"enabled": True}, is_global=True)
    desk.model.observations = [FIRST]
    command = [str(node()), str(CLIENTS[desk.version]), "-p", "--model", "anthropic/claude-sonnet-4-5", "-e", str(EXTENSION)]
    (desk.root / "work").mkdir()

    def ask(*arguments: str) -> None:
        whole, folder = [*command, *arguments], desk.root / "work"
        done = subprocess.run(
            whole, check=False, env=desk.env, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr

    ask("We store rows in SQLite.")
    desk.model.prompt_tokens = 199_000
    ask("-c", "Which table first?")
    [file] = sorted((desk.root / "home/.pi/agent/sessions").rglob("*.jsonl"))
    [compaction] = read_compactions(file)
    assert compaction["summary"].startswith("Date: 2026-02-10\n- [!] 14:30"), compaction
