"""What was replaced stays replaced after `rebuild --redistil`, with a model at the other end of a loopback connection."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from effects.distil.distil_step import distil
from effects.distil.redistil import redistil
from effects.memory.dedupe_step import dedupe
from effects.memory.relate_step import relate
from effects.store.run import Run
from tests.effects.distil.test_distil_step import write_session
from tests.effects.engines.model_server import Said, answer, serving
from tests.effects.engines.world import MODEL, run_on
from tests.transforms.conversations import agent, user

OTHER = "instructor:openai/gpt-5-mini"
FORMER, PRESENT = "The importer locks its tables", "Rows of the importer are merged at the end"
DECISIONS = {"one": FORMER, "two": PRESENT}


def answer_night(prompt: str, ending: str) -> Said:
    """Answer an observer's request with the session's decision, and a judge's that merging replaces locks."""
    if "<rows>" not in prompt:
        name = "one" if "called one" in prompt else "two"
        return Said(answer(prompt, {"text": f"{DECISIONS[name]}{ending}.", "kind": "decision", "priority": "high"}))
    pairs, new = [], ""
    for line in prompt.splitlines():
        if results := re.match(r"(\d+)\. NEW (.*)", line):
            new = results[1] if "merged at the end" in results[2] else ""
        elif new and (below := re.match(r" +([a-p])\. .*locks its tables", line)):
            pairs.append({"pair": f"{new}{below[1]}", "relation": "replaces"})
    return Said(json.dumps({"pairs": pairs}))


def spend_night(run: Run, since: date | None = None) -> dict[str, Any]:
    """Distil, or distil again, relate and dedupe; return text → text of its successor."""
    with run.lake.writing("test"):
        distil(run) if since is None else redistil(run, since)
        relate(run)
        dedupe(run)
    rows = run.lake.read("observations").to_dicts()
    texts = {row["observation_id"]: row["text"] for row in rows}
    return {row["text"]: texts.get(row["superseded_by"]) for row in rows if row["kind"] == "decision"}


def test_a_decision_that_a_later_session_replaced_stays_replaced_when_its_own_is_distilled_again(tmp_path: Path) -> None:
    """Three nights: the decision, its replacement by another model, and the first session by that model, too."""
    with serving(lambda prompt, _number: answer_night(prompt, "")) as server:

        def build_run(model: str, day: int) -> Run:
            at = datetime(2026, 3, day, 3, tzinfo=UTC)
            return run_on(tmp_path, model, at, base_url=server.url, reflector=MODEL)

        for name, day, model in (("one", 2, MODEL), ("two", 5, OTHER)):
            write_session(tmp_path / "sessions", name, day, [user(f"that was the session called {name}"), agent("Noted.")])
            successors = spend_night(build_run(model, day + 1))
        assert successors == {f"{FORMER}.": f"{PRESENT}.", f"{PRESENT}.": None}
        server.script = lambda prompt, _number: answer_night(prompt, " (said so)")
        successors = spend_night(build_run(OTHER, 7), date(2026, 3, 1))
        assert successors == {f"{FORMER} (said so).": f"{PRESENT}.", f"{PRESENT}.": None}
