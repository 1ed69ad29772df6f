"""What is selected within a budget, and the passages of the agent that fill what is left."""

from __future__ import annotations

from tests.transforms.conversations import agent, conversation, ran, user
from transforms.conversation.entries import Entry
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.passages import PassageWeights
from transforms.offline.engine import OfflineEngine
from transforms.offline.select_facts import fill_with_passages
from transforms.tables.tokens import count_tokens

FOUND = (
    "The answers are in the execution logs below `kiro.agent/414d1636`, one file for each turn: `say` holds the whole answer of "
    "the agent as `output.message`; `create` holds the path and the content of a file as `input.file`; `edit` holds only the "
    "path; `read` holds nothing that the export of transcripts needs."
)
TITLE = "Empty transcripts: the export needs the whole answer of the agent for each turn"
WORK_ON_EXPORT = (
    ran("ls -la ~/Library", "414d1636", text=f"**Found it!** {FOUND}"),
    agent("The export reads `kiro.agent/414d1636` now."),
)
WORK = conversation(user("why are the exported transcripts empty?"), *WORK_ON_EXPORT)


def passages(entries: list[Entry], room: int, kept: list[str], earlier: list[str]) -> list[str]:
    return [candidate.text for candidate in fill_with_passages(split_exchanges(entries), room, kept, earlier)]


def test_a_finding_between_two_actions_fills_the_room_and_cites_its_message() -> None:
    (candidate,) = fill_with_passages(split_exchanges(WORK), 200, [TITLE], [])
    assert "414d1636" in candidate.text
    assert WORK[candidate.ordinals[0]].role == "assistant"
    assert (candidate.kind, candidate.priority) == ("status", "medium")


def test_no_passage_goes_beyond_the_room() -> None:
    cost = count_tokens(passages(WORK, 200, [TITLE], [])[0])
    assert passages(WORK, cost, [TITLE], [])
    assert not passages(WORK, cost - 1, [TITLE], [])
    assert not passages(WORK, -5, [TITLE], [])


def test_what_is_kept_anyway_or_was_kept_earlier_is_not_said_again() -> None:
    assert not passages(WORK, 200, [TITLE, FOUND], [])
    assert not passages(WORK, 200, [TITLE], [FOUND])


def test_the_engine_fills_only_what_its_candidates_leave() -> None:
    """Rows of candidates are the same with passages and without; all rows together keep to the budget."""
    without = PassageWeights(-50.0, 0.0, 0.0, 0.0)
    work = conversation(user("export the transcripts of the last week"), *WORK_ON_EXPORT)  # nothing is searched: no cause says it
    topics = [(work[0].ordinal, work[-1].ordinal)]
    budget = 300
    bare, filled = (engine.distil(work, topics, [], budget) for engine in (OfflineEngine(passages=without), OfflineEngine()))
    rows = [fact.text for segment in filled.segments for fact in segment.facts]
    assert {fact.text for segment in bare.segments for fact in segment.facts} < set(rows)
    assert any("414d1636" in row for row in rows)
    narratives = sum(count_tokens(f"{segment.title}\n{segment.narrative}") for segment in filled.segments)
    assert narratives + sum(count_tokens(row) for row in rows) <= budget
