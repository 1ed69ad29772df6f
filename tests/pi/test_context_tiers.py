"""Context tiers in the real pi, against a loopback model: what each request holds, byte for byte."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.samples.drive import Client
from tests.pi.test_extension import VERSIONS, text_of
from tests.pi.test_observational_memory import OWN, Desk, Observer, prepare_desk

pytestmark = pytest.mark.pi

TIERS = {"enabled": True, "workingTierMaxTokens": 3000, "sessionTierMaxTokens": 10_000, "chunkSize": 4}
LONG = "A long answer. " * 100


@dataclass
class Talker(Observer):
    """A model that answers at length, and observes when it may: its observations are numbered."""

    may_observe: threading.Event = field(default_factory=threading.Event)
    observed: int = 0
    is_broken: bool = False

    def reply(self, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return one delta and the reason why the reply ends."""
        self.requests.append(body)
        asked = "\n".join(text_of(message) for message in body["messages"])
        if "Consolidate them" in asked:
            return {"content": "<observations>\nDate: 2026-02-10\n- [!] 15:00 All of it in one line\n</observations>"}, "stop"
        if "You keep the memory" in asked:
            self.may_observe.wait(60)
            self.observed += 1
            line = "sorry" if self.is_broken else f"Date: 2026-02-10\n- [!] 14:30 Observation {self.observed} of the session"
            return {"content": line}, "stop"
        return {"content": LONG}, "stop"

    @property
    def prompts(self) -> list[list[str]]:
        """Return the messages of each request of the conversation, as bytes of JSON in their order."""
        talks = [body for body in self.requests if "You keep the memory" not in text_of(body["messages"][-1])]
        talks = [body for body in talks if "Consolidate them" not in text_of(body["messages"][-1])]
        return [[json.dumps(message) for message in body["messages"]] for body in talks]


@pytest.fixture
def model() -> Talker:
    """A model that observes at once."""
    talker = Talker()
    talker.may_observe.set()
    return talker


@pytest.fixture
def desk(version: str, tmp_path: Path, model: Talker) -> Iterator[Desk]:
    """pi with this model."""
    with prepare_desk(version, tmp_path, model) as prepared:
        prepared.env["RECOLLECT_BIN"] = "/bin/false"
        yield prepared


def blocks_of(prompt: list[str]) -> list[str]:
    """Return the messages of a request that are blocks of the session tier."""
    return [message for message in prompt if "<recollect-observations>" in message]


def count_shared(before: list[str], after: list[str]) -> int:
    """Return the number of messages with which both begin."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))


def stored_blocks(desk: Desk) -> list[dict[str, Any]]:
    """Return the blocks in the session files of the desk."""
    files = sorted((desk.root / "home/.pi/agent/sessions").rglob("*.jsonl"))
    entries = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [entry["data"] for entry in entries if entry.get("customType") == "recollect-context"]


def talk(desk: Desk, client: Client, count: int) -> None:
    """Say as many long requests; a moment after each lets the background finish, as a person does."""
    for number in range(count):
        desk.say(client, f"Request {number}: {'please go on ' * 20}")
        threading.Event().wait(0.1)


@VERSIONS
def test_the_prefix_of_the_prompt_stays_and_blocks_are_only_added(desk: Desk, model: Talker) -> None:
    """Nothing that was sent changes until a block takes the place of older messages, behind the blocks before it.

    The working tier stays near its size, and a session that is taken up again goes on with its blocks.
    """
    desk.write_config({"observer": OWN, "context": TIERS})
    client = desk.open()
    talk(desk, client, 14)
    desk.end(client)
    prompts = model.prompts
    added = 0
    for before, after in itertools.pairwise(prompts):
        old = len(blocks_of(before))
        assert before[: 1 + old] == after[: 1 + old], "system prompt and blocks never change"
        assert blocks_of(after)[:old] == blocks_of(before), "blocks are only added"
        if len(blocks_of(after)) == old:
            assert count_shared(before, after) == len(before), "the whole prompt is the beginning of the next one"
        added += len(blocks_of(after)) > old
    assert 2 <= added <= 6
    assert max(sum(map(len, prompt[1:])) for prompt in prompts) < 4 * 2 * TIERS["workingTierMaxTokens"]
    assert "Request 13" in prompts[-1][-1]
    assert not any("Request 0:" in message for message in prompts[-1])
    observed = [prompt for prompt in model.asked("You keep the memory") if "existing-observations" in prompt]
    assert "Observation 1 of the session" in observed[0], "what is known already is not observed again"
    stored = stored_blocks(desk)
    assert {block["tier"] for block in stored} == {"session"}
    again = desk.open("-c")
    desk.say(again, "Where were we?")
    desk.end(again)
    assert len(blocks_of(model.prompts[-1])) == len(stored)
    assert blocks_of(model.prompts[-1])[: len(blocks_of(prompts[-1]))] == blocks_of(prompts[-1])


@VERSIONS
def test_a_slow_observer_never_holds_up_a_turn_and_without_one_nothing_is_lost(desk: Desk, model: Talker) -> None:
    """While it thinks, the raw messages are sent; an answer that cannot be used is said once, and pi goes on."""
    model.may_observe.clear()
    model.is_broken = True
    desk.write_config({"observer": OWN, "context": TIERS})
    client = desk.open()
    talk(desk, client, 6)
    assert model.observed == 0
    assert all("Request 0:" in " ".join(prompt) for prompt in model.prompts)
    model.may_observe.set()
    desk.say(client, "And now?", "And now?")
    desk.end(client)
    assert not any(blocks_of(prompt) for prompt in model.prompts)
    assert len([notice for notice in desk.notices if "older messages stay as they are" in notice]) == 1
    assert not stored_blocks(desk)


@VERSIONS
def test_the_opening_comes_first_long_blocks_are_condensed_and_a_compaction_keeps_them(desk: Desk, model: Talker) -> None:
    """Three tiers in their order; a compaction observes only what no block stands for."""
    command = desk.root / "recollect"
    opening = json.dumps({"text": "<recollect-briefing>\nDeploys happen on Tuesdays.\n</recollect-briefing>"})
    command.write_text(f"#!/bin/sh\ncat <<'END'\n{opening}\nEND\n", encoding="utf-8")
    command.chmod(0o755)
    desk.env["RECOLLECT_BIN"] = str(command)
    desk.write_config({"observer": OWN, "reflector": OWN, "context": TIERS | {"sessionTierMaxTokens": 30}})
    client = desk.open()
    talk(desk, client, 14)
    prompts = model.prompts
    last = prompts[-1]
    assert "Deploys happen on Tuesdays" in last[1]
    assert "<recollect-observations>" in last[2]
    assert any("All of it in one line" in blocks_of(prompt)[0] for prompt in prompts if blocks_of(prompt))
    known = [block for block in stored_blocks(desk) if block["replaces"]]
    assert known
    asked = len(model.asked("You keep the memory"))
    client.send({"type": "compact"})
    [compaction] = desk.end(client)
    assert "All of it in one line" in compaction["summary"]
    assert not any("Request 0:" in prompt for prompt in model.asked("You keep the memory")[asked:])


@VERSIONS
def test_without_being_asked_for_tiers_change_nothing(desk: Desk, model: Talker) -> None:
    """Observational memory alone works at compactions only; a flag switches the tiers on without a file."""
    desk.write_config({"observer": OWN})
    client = desk.open()
    talk(desk, client, 8)
    desk.end(client)
    assert not stored_blocks(desk)
    assert all(count_shared(before, after) == len(before) for before, after in itertools.pairwise(model.prompts))
    desk.write_config({"observer": OWN, "context": TIERS | {"enabled": False}})
    client = desk.open("--memory-tiers")
    talk(desk, client, 8)
    desk.end(client)
    assert stored_blocks(desk)
