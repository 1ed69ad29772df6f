"""Forty-five days of a season, with a night every fourth day: the properties at its end that hold for any rules of lines."""

from __future__ import annotations

import random
from typing import Any

import pytest

from benchmarks.memory.season import FOLDER, average, play_season
from benchmarks.memory.season_life import Life
from benchmarks.memory.season_questions import word_question
from benchmarks.memory.season_voice import LENGTH, mentions, read_voices, scale_day


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the figures of the end and of the weeks."""
    (voice,) = read_voices(FOLDER)
    return play_season(Life(tmp_path_factory.mktemp("season"), voice, 45, night_every=4))


def test_nothing_harmful_reaches_memory(season: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    """No words of a paste, no secret on a page, no line again after a rejection, no opposites merged, in no week."""
    scores, weeks = season
    for row in [scores, *weeks]:
        assert (row["traps"], row["secrets"]) == (0, 0)
    assert scores["reproposed_after_rejection"] == scores["polarity_merges"] == scores["wrongly_retired"] == 0


def test_memory_is_worth_its_review(season: tuple[dict[str, Any], list[dict[str, Any]]]) -> None:
    """Floors far below the present figures (docs/decisions.md): a broken step shows, a changed rule does not."""
    scores, _ = season
    assert scores["ticked"] >= 5
    assert scores["in_memory_or_briefing"] >= 0.4
    assert scores["in_tier_0"] >= 0.7
    assert scores["briefing_tokens"] <= 2000


def test_a_season_has_every_dialogue_once_and_days_in_range() -> None:
    (voice,) = read_voices(FOLDER)
    planned = voice.plan(45, random.Random(1))
    text = sum(len(state["said"]) for fact in voice.facts for state in fact["states"])
    assert sum(len(dialogues) for dialogues in planned.values()) == text + len(voice.traps)
    assert all(1 <= day < 44 for day, _ in planned)
    assert scale_day(LENGTH, LENGTH) == LENGTH - 2


def test_a_fact_holds_from_its_first_day_to_its_next_state() -> None:
    (voice,) = read_voices(FOLDER)
    port = next(fact for fact in voice.facts if len(fact["states"]) == 2)
    first, second = (scale_day(state["said"][0]["day"], LENGTH) for state in port["states"])
    assert voice.find_state(port, first - 1, LENGTH) is None
    assert voice.find_state(port, second - 1, LENGTH) is port["states"][0]
    assert voice.find_state(port, second, LENGTH) is port["states"][1]
    assert voice.list_past_states(port, second, LENGTH) == [port["states"][0]]


def test_a_mechanical_question_names_no_state() -> None:
    """The words that the lines of all states share, so that no state is preferred by the question."""
    states = [
        {"line": "The worker listens on port 9102.", "keys": [["9102"]], "said": []},
        {"line": "Since May the worker listens on 9477.", "keys": [["9477"]], "said": []},
    ]
    fact: Any = {"id": "f", "project": "p", "kind": "environment", "lasting": True, "ends": None, "states": states}
    assert word_question(fact) == "The worker listens on?"


def test_keys_are_beginnings_of_words() -> None:
    assert mentions("The API is on 9500 now.", [["api", "service"], ["950"]])
    assert not mentions("the rapid thing", [["api"]])


def test_figures_are_averaged_over_voices() -> None:
    item: dict[str, Any] = {"stale": 2, "sections": {"rule in Hard Rules": 1}, "recall_by_tier": {"1": 1.0}}
    other: dict[str, Any] = {"stale": 1, "sections": {"rule in Hard Rules": 2}, "recall_by_tier": {"1": 0.5, "2": 0.5}}
    assert average([item, other]) == {
        "stale": 1.5, "sections": {"rule in Hard Rules": 3}, "recall_by_tier": {"1": 0.75, "2": 0.5},
    }  # fmt: skip
