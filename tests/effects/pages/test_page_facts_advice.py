"""An agent's advice that its owner answered stands on no briefing: his answer holds."""

from __future__ import annotations

from datetime import UTC, datetime

from effects.pages.page_facts import list_answered_advice
from transforms.tables.schema import OBSERVATIONS, build_frame

SAID = datetime(2026, 3, 2, 9, tzinfo=UTC)
FINDING = "The server accepts both of the forms, and the stub of the tests only the first."
ADVICE = "My recommendation: default it back to the first form."


def fact(key: str, origin: str, kind: str, text: str, *lines: int, session: str = "s") -> dict[str, object]:
    row = {"observation_id": key, "origin": origin, "kind": kind, "text": text, "session_id": session, "verdict": "allow"}
    cited = {"entry_ids": [f"e{line}" for line in lines], "lines": list(lines), "ordinals": list(lines)}
    return row | cited | {"said_at": SAID, "day": SAID.date()}


def test_advice_that_a_decision_of_the_owner_answers_is_left_out() -> None:
    """Whatever he answered. A finding of the same message stays, and so does advice without an answer."""
    facts = [
        fact("o-1", "agent", "status", ADVICE, 8, 3),
        fact("o-2", "agent", "status", f"{FINDING} {ADVICE}", 8, 3),
        fact("o-3", "agent", "status", ADVICE, 20, 19),
        fact("o-4", "agent", "status", ADVICE, 8, 3, session="t"),
        fact("o-5", "owner", "decision", 'User decided: "na, let\'s give it a try"', 9, 8),
        fact("o-6", "owner", "request", 'User asked: "and the readme?"', 21, 20),
        fact("o-7", "owner", "rule", 'User set a rule: "ask first" Outcome: done', 19, 20),
    ]
    assert list_answered_advice(build_frame(OBSERVATIONS, facts)) == ["o-1"]
    unplaced = [row | {"entry_ids": None, "lines": None} for row in facts]
    assert list_answered_advice(build_frame(OBSERVATIONS, unplaced)) == []
