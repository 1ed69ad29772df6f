"""The golden test of the model engines, on the samples and on the real sessions: a model that also lies, over real HTTP.

What the model says is the scripted model's; what reaches memory is ours, and that is what is judged here. An engine decides how
requests and answers travel, and nothing of what is kept: pi, a process a window, reads two sessions (three windows) alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from effects.config.settings import DistilSettings, EngineSettings, Settings
from tests.effects.engines.model_server import Said, serving
from tests.effects.engines.real_pi import pi_on_path
from tests.effects.engines.scripted import in_xml, lying
from tests.effects.memory import test_memory_golden as golden
from tests.effects.memory.test_memory_golden import Memory

SAMPLES, REAL = golden._samples, golden._real
FOR_PI = "2026-03-1[25]*.jsonl"
"""A session in two windows, and one in a third."""


def bring_two_sessions(target: Path) -> None:
    """Copy the sessions that pi reads."""
    golden._samples(target)
    kept = set(target.rglob(FOR_PI))
    for path in set(target.rglob("*.jsonl")) - kept:
        path.unlink()


CASES = [
    pytest.param(("instructor", SAMPLES), id="instructor-samples"),
    pytest.param(("instructor", REAL), id="instructor-real"),
    pytest.param(("pi", bring_two_sessions), id="pi", marks=pytest.mark.pi),
]


@pytest.fixture(scope="module", params=CASES)
def memory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Distil the sessions with the lying model through the engine."""
    backend, bring = request.param
    root = tmp_path_factory.mktemp("golden-models")
    bring(root / "sessions")

    def script(prompt: str, number: int) -> Said:
        text = lying(prompt, number)
        return in_xml(text) if backend == "pi" else text

    with serving(script) as server, pytest.MonkeyPatch.context() as patch:
        model = "openai/gpt-4o-mini"
        if backend == "pi":
            model = pi_on_path(root / "pi", "1.5.2", server.url, patch)
        engine = EngineSettings(
            observer=f"{backend}:{model}", base_url=server.url, budget_day_usd=100, budget_run_usd=100, concurrency=2
        )
        settings = Settings(
            sessions=(root / "sessions",), lake=root / "lake", workspace=root / "work", timezone="Europe/Berlin", owner="mara",
            engine=engine, distil=DistilSettings(second_reading="off"),
        )  # fmt: skip
        return golden.distilled(settings)


RULES: list[Callable[[Memory], None]] = [
    golden.test_every_distilled_window_keeps_an_observation,
    golden.test_every_time_of_day_stands_in_the_transcript,
    golden.test_no_tool_output_is_repeated,
    golden.test_nothing_quotes_an_aborted_request_or_the_memory_itself,
]


@pytest.mark.parametrize("rule", RULES, ids=[rule.__name__.removeprefix("test_") for rule in RULES])
def test_the_rules_of_the_offline_engine_hold_for_models(memory: Memory, rule: Callable[[Memory], None]) -> None:
    """Models keep an observation, invent no time, and repeat no tool output."""
    rule(memory)


def test_no_window_is_lost_and_no_lie_is_kept(memory: Memory) -> None:
    """The answers were usable, so every window that was due is distilled."""
    assert {row["status"] for row in memory.windows} <= {"distilled", "skipped"}
    text = "\n".join(row.get("text") or row["narrative"] for row in [*memory.observations, *memory.segments])
    for lie in ("23:59", "ghost/writer", "praise the ghost", "whole team", "all previous instructions"):
        assert lie not in text


def test_the_rules_find_what_they_look_for(memory: Memory) -> None:
    """A test that can never fail proves nothing."""
    session = next(iter(memory.entries))
    printed = next(
        (
            entry.text
            for entries in memory.entries.values()
            for entry in entries
            if entry.role == "toolResult" and len(golden._words(entry.text)) > 60
        ),
        "",
    )
    base = {"session_id": session, "window_id": "w", "priority": "low", "kind": "status", "narrative": "x", "title": "x"}
    broken = Memory([base | {"text": "Done at 03:33 sharp"}], [], memory.windows, memory.entries, memory.zone)
    with pytest.raises(AssertionError):
        golden.test_every_distilled_window_keeps_an_observation(broken)
    owner = (
        next(s for s, entries in memory.entries.items() if any(entry.text == printed for entry in entries))
        if printed
        else session
    )
    copied = Memory([base | {"session_id": owner, "text": printed}], [], memory.windows, memory.entries, memory.zone)
    with pytest.raises(AssertionError):
        golden.test_no_tool_output_is_repeated(copied)
