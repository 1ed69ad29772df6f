"""The real pi as reflector, against the loopback server: a condensed day, a day's proposals and an answer, and what they cost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from effects.config.settings import EngineSettings
from effects.engines.answerer import build_answerer
from effects.recall.ask import ask, open_recall
from tests.effects.engines.model_server import Said, serving
from tests.effects.engines.proposer.test_proposer import note, texts, world_of
from tests.effects.engines.real_pi import pi_on_path
from tests.effects.engines.reflecting_world import MONDAY, condensed, distillates, lake_with_days, run_at
from tests.effects.engines.scripted import careful, in_xml, lying
from tests.effects.engines.world import calls
from tests.effects.recall_world import filled
from transforms.condensing.period_answer import MIN_MODEL_TOKENS
from transforms.recall.types import Filters
from transforms.tables.periods import DAY

QUESTION = "What TTL does the session cache have?"


def in_pis_words(prompt: str, number: int) -> Said:
    return in_xml(careful(prompt, number))


@pytest.mark.pi
@pytest.mark.parametrize("version", ["0.73.1", "1.5.2"])
def test_the_real_pi_condenses_reflects_and_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    """Both versions; instructions and prompt arrive whole, answers come back, costs are estimated."""
    with serving(in_pis_words) as server:
        engine = f"pi:{pi_on_path(tmp_path / 'pi', version, server.url, monkeypatch)}"

        monkeypatch.setitem(MIN_MODEL_TOKENS, DAY, 200)
        lake_with_days(tmp_path / "tiers")
        run = run_at(tmp_path / "tiers", reflector=engine)
        counts = condensed(run)
        assert (counts["by_models"], counts["offline_instead"], counts["held"]) == (1, {}, {})
        assert distillates(run)[1, MONDAY]["engine"] == engine
        assert "never deploy on a Friday" in distillates(run)[1, MONDAY]["text"]

        world = world_of(tmp_path / "reflection", server.url, engine)
        assert world.night()["reflect"]["by_models"] == 1
        assert texts(world)["Never force-push to main"] == ("Hard Rules", "add")
        assert note(world)["engine"] == engine

        lake = filled(tmp_path / "answers", is_indexed=False)
        settings = replace(lake.settings, engine=EngineSettings(reflector=engine))
        worded = build_answerer(type(lake)(settings, lake.lake, lake.as_of))
        answer = worded.word_answer(ask(open_recall(lake), QUESTION, Filters()), None)
        assert answer.engine == engine
        assert "TTL" in (answer.answer or "")
    assert len(server.requests) == 3
    systems = [str(body["messages"][0]["content"]) for body in server.requests]
    for system, words in zip(systems, ("condense it", "propose lines for MEMORY.md", "answer questions from"), strict=True):
        assert words in system
    [call] = calls(run)
    assert call["input_tokens"] > 500, "pi tells no usage: estimated from the text"


@pytest.mark.pi
def test_lies_through_the_real_pi_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same checks, whichever way an answer comes."""
    with serving(lambda prompt, number: in_xml(lying(prompt, number))) as server:
        engine = f"pi:{pi_on_path(tmp_path / 'pi', '1.5.2', server.url, monkeypatch)}"
        monkeypatch.setitem(MIN_MODEL_TOKENS, DAY, 200)
        lake_with_days(tmp_path / "tiers")
        run = run_at(tmp_path / "tiers", reflector=engine)
        counts = condensed(run)
    assert sum(counts["held"].values()) == 4
    text = distillates(run)[1, MONDAY]["text"]
    assert not any(lie in text for lie in ("98.76.54", "23:59", "whole team", "praise the ghost"))
