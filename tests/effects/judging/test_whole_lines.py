"""Which lines are completed from their message, and which are held back."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from effects.judging.whole_lines import complete_lines
from tests.effects.memory.test_review_page import store_messages
from tests.effects.memory_world import World
from transforms.memory.eligibility import Lasts, Source, find_candidates
from transforms.memory.former_values import FormerNumbers, list_former_numbers
from transforms.tables.schema import OBSERVATIONS, read_rows

SAID = "the bench crane is 4b. always name the quay. ropes are counted"


def _weigh_all(_line: str, _quote: str, _least: float = 0.0) -> float:
    return 1.0


def _weigh_none(_line: str, _quote: str, _least: float = 0.0) -> float:
    return 0.0


def _complete(world: World, key: str, source: Source = "owner", weigh: Lasts = _weigh_all) -> tuple[list[str], Counter[str]]:
    """Return the lines that a fact offers for additions, and what was left out."""
    rows = [row for row in read_rows(OBSERVATIONS, world.run.lake.read("observations")) if row["observation_id"] == key]
    candidates = [item for row in rows for item in find_candidates(row, "Ola", "Reflected", UTC, source)]
    left_out = Counter[str]()
    lines = complete_lines(world.run, candidates, rows, left_out, weigh)
    return [item.whole for item in lines if not (item.is_change or item.is_support)], left_out


def _observe(world: World, text: str, **columns: Any) -> str:
    return world.observe(text, **({"session_id": "s", "origin": "owner", "project": "/code/app"} | columns))


def test_a_rule_is_completed_from_its_message_without_what_was_replaced_or_forgotten_since(tmp_path: Path) -> None:
    world = World(tmp_path)
    store_messages(world, [("user", SAID)])
    key = _observe(world, 'Ola set a rule: "always name the quay."')
    assert _complete(world, key)[0] == ["The bench crane is 4b. Always name the quay. Ropes are counted"]
    _observe(world, 'Ola said: "the bench crane is 4b"', kind="status", superseded_by="o-newer")
    assert _complete(world, key)[0] == ["Always name the quay. Ropes are counted"]
    gone = _observe(world, 'Ola said: "ropes are counted"', kind="status")
    forgotten = {"target": gone, "reason": "", "at": world.run.as_of, "is_undone": False}
    with world.run.lake.writing("test"), world.run.lake.commit() as change:
        change.replace("tombstones", pl.DataFrame([forgotten]))
    assert _complete(world, key)[0] == ["Always name the quay"]


def test_a_sentence_beside_a_rule_that_the_weights_do_not_know_as_one_is_not_told_with_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    said = "the mayor walks there. and never moor the ferry, the tug or the barge on the old quay"
    store_messages(world, [("user", said)])
    key = _observe(world, f'Ola set a rule: "{said}"')
    rule = "Never moor the ferry, the tug or the barge on the old quay"
    assert _complete(world, key)[0] == [f"The mayor walks there. {rule}"]
    assert _complete(world, key, weigh=_weigh_none)[0] == [rule]


def test_a_secret_in_a_message_of_an_older_night_is_not_told_with_a_rule(tmp_path: Path) -> None:
    world = World(tmp_path)
    secret = "-".join(("Velvet", "987", "Timber"))
    store_messages(world, [("user", f"password of the crane: {secret}. always name the quay")])
    key = _observe(world, 'Ola set a rule: "always name the quay."')
    assert _complete(world, key)[0] == ["Always name the quay"]


def test_a_rule_that_names_next_to_nothing_is_no_line(tmp_path: Path) -> None:
    world = World(tmp_path)
    store_messages(world, [("user", "why? always wash the quay")])
    key = _observe(world, 'Ola set a rule: "always wash the quay"')
    assert _complete(world, key) == ([], {"not_lasting": 1})


def test_a_rule_that_only_says_how_often_what_stands_before_it_holds_is_told_with_it_or_not_at_all(tmp_path: Path) -> None:
    world = World(tmp_path)
    store_messages(world, [("user", "boats and nets are two lists. always, Kim reads only the nets")])
    key = _observe(world, 'Ola set a rule: "always, Kim reads only the nets"')
    assert _complete(world, key)[0] == ["Boats and nets are two lists. Always, Kim reads only the nets"]
    store_messages(world, [("user", "put it there. always, Kim reads only the nets")])
    assert _complete(world, key)[0] == []


def test_what_a_question_tool_returned_puts_no_words_before_a_question(tmp_path: Path) -> None:
    world = World(tmp_path)
    store_messages(world, [("toolResult", "User answered: keep the last good value for ten minutes")])
    asked = "A gauge shows nothing. What should the pump do?"
    key = _observe(world, f'Ola decided: "keep the last good value for ten minutes" (asked: {asked}; not: stop)', kind="decision")
    assert _complete(world, key, "answer")[0] == [f"{asked} Keep the last good value for ten minutes"]


def test_a_rule_that_points_is_told_by_the_agents_answer_or_not_at_all(tmp_path: Path) -> None:
    world = World(tmp_path)
    rule = 'Ola set a rule: "Every script of ours gets that then, set -eu at the top, no arguments."'
    told = _observe(world, f"{rule} Reply: Every shell script of the harbour starts with `set -eu`.")
    untold = _observe(world, rule)
    assert _complete(world, told) == (["Every shell script of the harbour starts with `set -eu`"], {})
    assert _complete(world, untold) == ([], {"not_lasting": 1})


def test_a_choice_of_which_its_owner_takes_another_option_later_is_no_line(tmp_path: Path) -> None:
    world = World(tmp_path)
    chosen = (
        'Ola decided: "Calendar day" (asked: Which day does a load of the harbour belong to?; not: Tide day from six; '
        "meaning: by the end of unloading)"
    )
    key = _observe(world, chosen, kind="decision", said_at=world.run.as_of - timedelta(hours=8))
    assert _complete(world, key, "answer")[0] == [
        "Which day does a load of the harbour belong to? Calendar day: by the end of unloading"
    ]
    _observe(world, 'Ola said: "the tide day begins at six. a load belongs to the tide day of its end"', kind="status")
    assert _complete(world, key, "answer") == ([], {"not_lasting": 1})


def test_each_later_text_is_read_once_for_all_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first night has thousands of lines and many more facts: a reading of all for each line took hours."""
    world, texts = World(tmp_path), list[str]()
    for number in range(9):
        _observe(
            world,
            f'Ola set a rule: "always name quay {number} of the harbour"',
            said_at=world.run.as_of - timedelta(hours=number),
        )
    _observe(world, 'Ola set a rule: "name the harbour quay 12 instead of 8"', said_at=world.run.as_of + timedelta(hours=1))
    rows = [*read_rows(OBSERVATIONS, world.run.lake.read("observations"))]
    candidates = [item for row in rows for item in find_candidates(row, "Ola", "Reflected", UTC, "owner")]

    def list_counted(text: str) -> list[FormerNumbers]:
        texts.append(text)
        return list_former_numbers(text)

    monkeypatch.setattr("effects.judging.whole_lines.list_former_numbers", list_counted)
    lines = complete_lines(world.run, candidates, rows, Counter(), _weigh_all)
    assert len(texts) == len(rows) == 10
    assert sorted(item.whole for item in lines if item.whole) == [
        f"Always name quay {number} of the harbour" for number in range(8)
    ]


def test_of_two_lines_that_each_say_the_claim_of_both_one_is_offered(tmp_path: Path) -> None:
    """They differ by the word that joins them alone."""
    world = World(tmp_path)
    said = "always name the quay of the boat. and never name the crane of the yard"
    store_messages(world, [("user", said)])
    key = _observe(world, f'Ola set a rule: "{said}"')
    assert _complete(world, key)[0] == ["Always name the quay of the boat. And never name the crane of the yard"]
