"""What a model says of a waiting line, as its event keeps it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from transforms.quoting.line_doubts import LineDoubt, find_doubts, pack_doubt
from transforms.tables.enums import Actor, ProposalEventName
from transforms.tables.rows import ProposalEventRow

AT = datetime(2026, 5, 3, tzinfo=UTC)
OUTDATED = LineDoubt("p-1", "outdated", ("o-7",))
BETTER = LineDoubt("p-1", "reworded", ("o-8",), "Eight pages at most", "p-2")


def event(days: int, name: ProposalEventName, text: str = "", actor: Actor = "recollect") -> ProposalEventRow:
    return {"proposal_id": "p-1", "event": name, "at": AT + timedelta(days=days), "actor": actor, "text": text}


def test_the_last_doubt_counts_as_it_was_said() -> None:
    events = [
        event(0, "proposed", "Twelve pages"),
        event(1, "doubted", pack_doubt(OUTDATED)),
        event(2, "doubted", pack_doubt(BETTER)),
    ]
    assert find_doubts(events[:2]) == {"p-1": (OUTDATED, AT + timedelta(days=1))}
    assert find_doubts(events) == {"p-1": (BETTER, AT + timedelta(days=2))}


def test_other_words_of_the_owner_end_a_doubt_and_those_of_nobody_else() -> None:
    """A later doubt is about the owner's words and counts again."""
    doubted = event(1, "doubted", pack_doubt(OUTDATED))
    assert find_doubts([doubted, event(2, "edited", "Short", "owner")]) == {}
    assert find_doubts([doubted, event(2, "edited", "Short")]).keys() == {"p-1"}
    assert find_doubts([doubted, event(2, "edited", "Short", "owner"), event(3, "doubted", pack_doubt(OUTDATED))]).keys() == {
        "p-1"
    }


def test_an_event_without_its_words_is_no_doubt() -> None:
    """A purge may have taken them out of the middle."""
    assert find_doubts([event(1, "doubted", text) for text in ("", "{", "[]", '{"verdict": "wrong"}', "null")]) == {}


def test_a_verdict_that_a_purge_took_is_no_doubt() -> None:
    """A purge of "wrong" leaves a mark in its place, which no page shows as what a model says; an earlier doubt stays over."""
    text = pack_doubt(OUTDATED).replace("outdated", "[forgotten]")
    assert find_doubts([event(1, "doubted", text)]) == {}
    assert find_doubts([event(0, "doubted", pack_doubt(BETTER)), event(1, "doubted", text)]) == {}
