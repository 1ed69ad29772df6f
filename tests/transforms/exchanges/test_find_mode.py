"""The mode of a window: what was done tells the kind of work, never the words alone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, ran, result, user
from transforms.distil.modes import MODES
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.find_mode import find_mode
from transforms.offline.engine import OfflineEngine


def read(*paths: str) -> list[Any]:
    """Return an agent's reading of files."""
    return [part for path in paths for part in (agent("", call("read", path, path=path)), result(path, "text"))]


FILES = [f"src/part{number}.py" for number in range(8)]
EDITS = [edited(path, "old = 1", "new = 2") for path in FILES]
TEST_EDITS = [edited(f"tests/test_part{number}.py", "old = 1", "new = 2") for number in range(8)]


@each_case(
    ("words", "work", "mode"),
    [
        ("How is the store built?", read(*FILES), "explore"),
        ("The export crashes since Monday, why?", read(*FILES), "debugging"),
        ("Add a retry to the upload", EDITS, "default"),
        ("Cover the parts with tests", TEST_EDITS, "testing"),
        ("The export crashes since Monday, why?", EDITS, "bug_fixing"),
        ("Which queue do others use?", [agent("", call("web_search", path, query=path)) for path in FILES], "research"),
        ("Plan the move to queues", [agent("", call("exitplanmode", "c1", plan="one, two"))], "plan"),
        ("hi", [agent("Hello.")], "default"),
        (
            "Raise the tick to 15",
            [*read(*FILES), *ran("sed -i 's/10/15/' tick.go && git commit -qam 'tick 15 Hz'", "")],
            "default",
        ),
        ("The export crashes since Monday, why?", [*read(*FILES), *ran("git commit -qam 'mend the export'", "")], "default"),
    ],
)
def test_the_work_tells_the_mode(words: str, work: list[Any], mode: str) -> None:
    assert find_mode(split_exchanges(conversation(user(words), *work, agent("Done.")))) == mode


def test_a_mode_prefers_its_kinds_when_room_is_short() -> None:
    """With room for a few facts a debugger keeps the error and a planner the decision; the owner's rule stays in both."""
    entries = conversation(
        user("never push to main without a green build"),
        agent("Noted."),
        user("we keep SQLite as the job store because it runs on one node"),
        *ran(
            "pytest tests/test_store.py",
            "FAILED tests/test_store.py::test_lock - sqlite3.OperationalError: database is locked",
            is_error=True,
        ),
        agent("The cause was that `src/store.py` opened two connections, so the second one waited for the lock."),
        *EDITS,
        agent("I changed `src/store.py` to share one connection."),
    )
    spans = [(entries[0].ordinal, entries[-1].ordinal)]
    kinds = {}
    for mode in MODES:
        distilled = OfflineEngine(mode=mode).distil(entries, spans, [], 81)
        kinds[mode] = {fact.kind for fact in distilled.segments[0].facts}
    assert all("rule" in kind for kind in kinds.values()), kinds
    assert kinds["debugging"] != kinds["plan"], kinds


def test_modes_have_the_thresholds_of_the_plan() -> None:
    assert {name: mode.threshold // 1000 for name, mode in MODES.items() if name != "plan"} == {
        "default": 30, "explore": 60, "bug_fixing": 40, "refactoring": 50, "testing": 40, "debugging": 40, "research": 60,
    }  # fmt: skip
    assert (MODES["default"].share, MODES["explore"].share) == (1.0, 0.5)


def test_exchanges_that_a_caller_has_split_are_not_split_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mode of a window is found in the exchanges from which the engine takes its facts, and these are the same facts."""
    entries = conversation(user("Add a retry to the upload"), *EDITS, agent("I added a retry to `src/part1.py`."))
    spans = [(entries[0].ordinal, entries[-1].ordinal)]
    expected = OfflineEngine().distil(entries, spans, [], 400)
    exchanges = tuple(split_exchanges(entries))
    monkeypatch.setattr("transforms.offline.engine.split_exchanges", lambda *_: pytest.fail("split again"))
    assert OfflineEngine(exchanges=exchanges).distil(entries, spans, [], 400) == expected
