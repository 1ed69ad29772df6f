"""An agent's advice that its owner answered stands on no briefing: his answer holds."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from effects.pages.page_facts import list_answered_advice
from effects.pages.project_briefing import render_briefing
from effects.store.forgotten import read_remembered
from tests.effects.recall_world import SHOP, filled, write
from tests.effects.recall_world import fact as recall_fact
from transforms.tables.schema import OBSERVATIONS, TABLES, build_frame

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)
FINDING = "The server accepts both of the forms, and the stub of the tests only the first."
ADVICE = "My recommendation: default it back to the first form. That changes nothing for who calls it."
ANSWER = 'User decided: "na, let\'s give it a try" (about: "{}")'


def fact(key: str, origin: str, kind: str, text: str, *lines: int, session: str = "s") -> dict[str, object]:
    row = {"observation_id": key, "origin": origin, "kind": kind, "text": text, "session_id": session, "verdict": "allow"}
    cited = {"entry_ids": [f"e{line}" for line in lines], "lines": list(lines), "ordinals": list(lines)}
    return row | cited | {"said_at": SAID, "day": SAID.date()}


def list_answered(advice: str, answer: str) -> list[str]:
    """Return what a decision answers of the advice of the turn before it."""
    facts = [fact("o-1", "agent", "status", advice, 8, 3), fact("o-5", "owner", "decision", answer, 9, 8)]
    return list_answered_advice(build_frame(OBSERVATIONS, facts))


def test_advice_that_a_decision_of_the_owner_answers_is_left_out() -> None:
    """Whatever he answered. A finding of the same message stays, and so does advice without an answer."""
    facts = [
        fact("o-1", "agent", "status", ADVICE, 8, 3),
        fact("o-2", "agent", "status", f"{FINDING} {ADVICE}", 8, 3),
        fact("o-3", "agent", "status", ADVICE, 20, 19),
        fact("o-4", "agent", "status", ADVICE, 8, 3, session="t"),
        fact("o-5", "owner", "decision", ANSWER.format("Default it back to the first form… — Shall I?"), 9, 8),
        fact("o-6", "owner", "request", 'User asked: "and the readme?"', 21, 20),
        fact("o-7", "owner", "rule", ANSWER.format("Default it back to the first form."), 19, 20),
    ]
    assert list_answered_advice(build_frame(OBSERVATIONS, facts)) == ["o-1"]
    unplaced = [row | {"entry_ids": None, "lines": None} for row in facts]
    assert list_answered_advice(build_frame(OBSERVATIONS, unplaced)) == []


def test_an_answer_is_one_to_what_it_quotes() -> None:
    """An addition to a plan is no answer to it, nor is one to something else of the same turn."""
    assert list_answered(ADVICE, ANSWER.format("That changes nothing for… — Want me to do that now?")) == ["o-1"]
    plan = "Summary of changes: proposed is a file for each mode, and a shared one for the session."
    for answer in (
        "Keep old code for reference, beside the new files",
        ANSWER.format("Want me to split the readme, too?"),
        ANSWER.format("the session"),
        'User decided: "na" (about: the earlier "a file for each mode")',
    ):
        assert list_answered(plan, answer) == [], answer


def test_a_page_with_everything_has_answered_advice_too(tmp_path: Path) -> None:
    run = filled(tmp_path, is_indexed=False)
    advice = recall_fact("advice", ADVICE, origin="agent", kind="fact")
    answer = recall_fact("answer", ANSWER.format("Default it back to the first form."), origin="owner")
    write(run, "observations", [
        advice | {"entry_ids": ["00000003", "00000001"], "lines": [4, 2]},
        answer | {"entry_ids": ["00000004", "00000003"], "lines": [5, 4]},
    ])  # fmt: skip
    frames = {name: read_remembered(run.lake, name) for name in TABLES}
    assert "My recommendation" not in render_briefing(run, frames, SHOP, 2_000)
    assert "My recommendation" in render_briefing(run, frames, SHOP, None)
