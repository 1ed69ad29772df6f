"""The real pi in a terminal, as a person uses it: the footer, the opening, compactions and their notices, commands."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.clients.terminal import PATIENCE, Terminal, open_terminal
from tests.pi.clients import CLIENTS, ROOT, node
from tests.pi.test_extension import VERSIONS, text_of
from tests.pi.test_observational_memory import EXTENSION, FIRST, OWN, PIS_SUMMARY, Observer, prepare_desk, read_compactions

pytestmark = pytest.mark.pi

OPENING = "<recollect-briefing>\nThe gateway listens on port 9500\n\n📋 3 proposals wait for you\n</recollect-briefing>"
RULE = "─" * 20
BUSY = ("Working", "Compacting")


@dataclass
class Talker(Observer):
    """A model with numbered answers, so that a screen tells which has come; its summaries wait until the notice was seen."""

    answers: int = 0
    saw_notice: threading.Event = field(default_factory=threading.Event)

    def reply(self, body: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """Return one delta and the reason why the reply ends."""
        delta, reason = super().reply(body)
        if delta["content"] == PIS_SUMMARY:
            self.saw_notice.wait(PATIENCE)
        if delta["content"].startswith("A long answer"):
            self.answers += 1
            delta["content"] += f"\n\nEnd of answer {self.answers}."
        return delta, reason

    def count_openings(self) -> list[int]:
        """Return how often each request of the conversation holds the opening."""
        texts = [[text_of(message) for message in request["messages"]] for request in self.requests]
        talks = [words for words in texts if not any("You keep the memory" in text or "summarization" in text for text in words)]
        return [sum("port 9500" in text for text in words) for words in talks]


def write_command(path: Path) -> None:
    """Write a `recollect` that opens every session with the same words: the real one is tested over RPC."""
    answer = json.dumps({"text": OPENING, "page": None})
    path.write_text(f"#!/bin/sh\n[ \"$1\" = briefing ] && cat <<'END'\n{answer}\nEND\nexit 0\n", encoding="utf-8")
    path.chmod(0o755)


def wait_for_rest(terminal: Terminal, footer: str, *texts: str) -> None:
    """Wait until these texts and the whole screen are drawn, down to the footer, and pi waits for the person again."""

    def rests() -> bool:
        screen = terminal.text
        is_whole = screen.endswith(f"\n{footer}\n") and screen.count(RULE) > 1
        return is_whole and all(text in screen for text in texts) and not any(word in screen for word in BUSY)

    terminal.wait_until(rests, f"{texts} and the footer {footer}")


@VERSIONS
def test_a_person_sees_the_footer_the_opening_and_each_compaction(version: str, tmp_path: Path) -> None:
    """Two sessions. The observer's second answer is none: pi compacts by itself and says why. Each context has one opening."""
    model = Talker(observations=[FIRST, "I am sorry, I cannot do that."])
    with prepare_desk(version, tmp_path, model) as desk:
        desk.write_config({"observer": OWN})
        write_command(tmp_path / "recollect")
        desk.env |= {"RECOLLECT_BIN": str(tmp_path / "recollect"), "RECOLLECT_PI_WAIT_MS": "60000"}
        extensions = ["-e", str(EXTENSION), "--memory", "-e", str(ROOT / "extensions" / "pi" / "recollect.ts")]
        trust = ["--approve"] if version == "1.5.2" else []
        command = [str(node()), str(CLIENTS[version]), "--model", "anthropic/claude-sonnet-4-5", *trust, *extensions]
        with open_terminal(command, tmp_path / "work", desk.env, lines=200) as terminal:
            wait_for_rest(terminal, "OM", "Observational memory compaction enabled")
            terminal.type("We store rows in SQLite.")
            wait_for_rest(terminal, "OM", "End of answer 1.", "📋 3 proposals wait for you")
            terminal.type("Which table first?")
            wait_for_rest(terminal, "OM", "End of answer 2.")
            terminal.type("/compact", "Manually compact the session context")
            wait_for_rest(terminal, "OM 22", "[compaction]")
            terminal.type("And the cache?")
            wait_for_rest(terminal, "OM 22", "End of answer 3.")
            terminal.type("How large?")
            wait_for_rest(terminal, "OM 22", "End of answer 4.")
            terminal.type("/compact", "Manually compact the session context")
            terminal.wait("the answer holds no observations; falling back to default")
            model.saw_notice.set()
            wait_for_rest(terminal, "OM", "[compaction]")
            terminal.type("/new", "Start a new session")
            wait_for_rest(terminal, "OM", "New session started")
            terminal.type("Hello again.")
            wait_for_rest(terminal, "OM", "End of answer 5.")
            terminal.type("/quit", "Quit pi")
            assert terminal.wait_for_end() == 0
    assert model.count_openings() == [1, 1, 1, 1, 1]
    first, last = sorted((tmp_path / "home/.pi/agent/sessions").rglob("*.jsonl"))
    kept, default = read_compactions(first)
    assert kept["summary"].startswith("Date: 2026-02-10\n- [!] 14:30 User decided: rows live in SQLite")
    assert default["summary"].startswith(PIS_SUMMARY)
    assert read_compactions(last) == []
