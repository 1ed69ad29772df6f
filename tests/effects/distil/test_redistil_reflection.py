"""After `rebuild --redistil` the rules of the new engine are offered for MEMORY.md, and what was decided is not offered again."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import orjson
import polars as pl
import pytest

from effects.distil.distil_step import distil
from effects.distil.redistil import redistil
from effects.memory.decide_step import decide
from effects.memory.dedupe_step import dedupe
from effects.memory.reflect_step import reflect
from effects.store.run import Run
from tests.effects.distil.test_distil_step import write_session
from tests.effects.engines.model_server import ModelServer, Said, answer, serving
from tests.effects.engines.proposer.test_proposer import line, proposed
from tests.effects.engines.reflecting_world import rows_of
from tests.effects.engines.world import MODEL, run_on
from tests.transforms.conversations import agent, user

FORMER, OTHER = MODEL, "instructor:openai/gpt-5-mini"
TYPED = "we decided it: the cache of the importer lives in Redis because Postgres was too slow for that"
SAME = "The cache of the importer lives in Redis because Postgres was too slow for that"
OTHER_WORDS = "Decided against Postgres: it was too slow, so Redis stores what is cached"


class World:
    """One session, distilled by one model, and later by another one."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.folder, self.server = folder, server
        write_session(folder / "sessions", "one", 2, [user(TYPED), agent("Noted.")])

    def build_run(self, model: str, day: int) -> Run:
        return run_on(self.folder, model, datetime(2026, 3, day, 3, tzinfo=UTC), base_url=self.server.url, reflector=model)

    def say(self, **fact: str) -> None:
        """Let the observer tell this fact of the session from now on, and the reflector offer it as a line, refused or not."""

        def reply(prompt: str, _number: int) -> Said:
            rows = rows_of(prompt)
            if not rows:
                return Said(answer(prompt, {"kind": "decision", "priority": "high", **fact}))
            lines = [
                line("System Architecture", fact["text"], number) for number, *_, text in rows if text.endswith(fact["text"])
            ]
            return Said(proposed(*lines))

        self.server.script = reply

    def spend_night(self, model: str, day: int, *, is_redistilled: bool = False) -> dict[str, Any]:
        """Distil, or distil again, dedupe and reflect; return the counts of the reflection."""
        run = self.build_run(model, day)
        with run.lake.writing("test"):
            redistil(run, date(2026, 3, 1)) if is_redistilled else distil(run)
            dedupe(run)
            return dict(reflect(run))

    def list_lines(self) -> dict[str, str]:
        """Return the text of each proposal with its status."""
        rows = self.build_run(OTHER, 4).lake.read("proposals").to_dicts()
        return {row["text"]: row["status"] for row in rows}

    def refuse(self, day: int) -> None:
        run = self.build_run(OTHER, day)
        with run.lake.writing("test"):
            decide(run, [], run.lake.read("proposals")["proposal_id"].to_list(), {})


def test_a_rule_that_only_the_second_distilling_tells_is_offered(tmp_path: Path) -> None:
    with serving(lambda prompt, _number: Said(answer(prompt))) as server:
        world = World(tmp_path, server)
        world.say(text="Asked where the cache is", kind="question", priority="low")
        world.spend_night(FORMER, 3)
        world.say(text=SAME)
        assert world.spend_night(OTHER, 5, is_redistilled=True)["proposed"] == 1
        assert world.spend_night(OTHER, 6) == {"proposed": 0, "reason": "no_new_evidence"}


def test_the_rule_is_offered_too_where_the_reflection_before_was_one_of_an_older_version(tmp_path: Path) -> None:
    """Its note names windows without what they told; a later request about the session says that they were distilled again."""
    with serving(lambda prompt, _number: Said(answer(prompt))) as server:
        world = World(tmp_path, server)
        world.say(text="Asked where the cache is", kind="question", priority="low")
        world.spend_night(FORMER, 3)
        lake = world.build_run(FORMER, 3).lake
        events = lake.read("proposal_events").drop("schema_version")
        [note] = [orjson.loads(text) for text in events["text"]]
        del note["facts"]
        with lake.writing("test"), lake.commit() as change:
            change.replace("proposal_events", events.with_columns(text=pl.lit(json.dumps(note))))
        assert world.spend_night(FORMER, 4) == {"proposed": 0, "reason": "no_new_evidence"}
        world.say(text=SAME)
        assert world.spend_night(OTHER, 5, is_redistilled=True)["proposed"] == 1


@pytest.mark.parametrize("again", [SAME + " now", OTHER_WORDS], ids=["nearly the same words", "other words for the same message"])
def test_a_line_that_was_turned_down_is_not_offered_again_when_its_window_is_distilled_again(tmp_path: Path, again: str) -> None:
    with serving(lambda prompt, _number: Said(answer(prompt))) as server:
        world = World(tmp_path, server)
        world.say(text=SAME)
        assert world.spend_night(FORMER, 3)["proposed"] == 1
        world.refuse(4)
        refused = world.list_lines()
        world.say(text=again)
        counts = world.spend_night(OTHER, 5, is_redistilled=True)
        assert counts["windows"] == 1, "it was read again"
        assert counts["proposed"] == 0
        assert world.list_lines() == refused


def test_a_proposal_that_waits_rests_on_the_fact_that_came_back(tmp_path: Path) -> None:
    with serving(lambda prompt, _number: Said(answer(prompt))) as server:
        world = World(tmp_path, server)
        world.say(text=SAME)
        world.spend_night(FORMER, 3)
        world.say(text=OTHER_WORDS)
        world.spend_night(OTHER, 5, is_redistilled=True)
        lake = world.build_run(OTHER, 5).lake
        decided = lake.read("observations").filter(kind="decision")["observation_id"].to_list()
        assert lake.read("proposals")["evidence_ids"].to_list() == [decided]
        assert len(world.list_lines()) == 1
