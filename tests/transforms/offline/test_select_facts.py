"""What is selected within a budget: rows that go on with one another are one, and passages of the agent fill what is left."""

from __future__ import annotations

from tests.transforms.conversations import agent, conversation, ran, user
from transforms.conversation.entries import Entry
from transforms.exchanges.exchange import split_exchanges
from transforms.exchanges.passages import PassageWeights
from transforms.offline.candidates import Candidate
from transforms.offline.engine import OfflineEngine
from transforms.offline.select_facts import fill_with_passages, join_sayings
from transforms.tables.enums import FactKind
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


def rows_of(words: str) -> list[str]:
    """Return the rows that quote a message in which much else was said."""
    opening = (user("build the importer in src/importer.py please"), agent("I added `src/importer.py` with `load_rows`."))
    entries = conversation(*opening, user(words), agent("OK."))
    facts = [fact for part in OfflineEngine().distil(entries, [], [], 3000).segments for fact in part.facts]
    return [fact.text for fact in facts if fact.ordinals[0] == 2]


CHOICE = "We keep the idempotency keys for 72 hours in Postgres."


def test_kept_words_about_one_thing_are_one_row_as_they_were_typed() -> None:
    """The number and what it is for were cut apart; their row has what stands between."""
    (row,) = rows_of(f"{CHOICE} Hm. Each key waited for phones in Edale that come back online after a weekend.")
    assert row.startswith('User decided: "We keep')
    assert "72 hours in Postgres. Hm. Each key" in row


def test_two_decisions_of_one_message_are_one_row_and_two_rules_are_not() -> None:
    words = ("Six digits, another one for each shop.", "The paper stays in the safe.")
    (exchange,) = split_exchanges(conversation(user(" ".join(words)), agent("OK.")))
    counts: dict[FactKind, int] = {"decision": 1, "rule": 2, "status": 2}
    for kind, count in counts.items():
        rows = [Candidate(f'User said: "{part}"', kind, "medium", (0,), (), 0.5) for part in words]
        assert len(join_sayings(rows, {row.text: exchange for row in rows}, "User", lambda *_: False)) == count


def test_what_points_back_stands_with_what_it_points_at() -> None:
    rule = "The pressure alarm must never be set below two bar in any of the compressor profiles."
    (row,) = rows_of(f"{rule} Hm. Under that Gary measured a vacuum on the suction side.")
    assert "profiles. Hm. Under that" in row


def test_a_remark_about_something_else_stays_apart_from_what_is_laid_down() -> None:
    """A rule stood behind the remark before it in the lines that were proposed."""
    remark = "Phones in Edale come back online after a weekend and replaced their queue."
    assert len(rows_of(f"{CHOICE} {remark}")) == 2
    assert len(rows_of(f"{remark} Never push to main without a green build.")) == 2


def test_an_order_behind_a_rule_stays_apart() -> None:
    assert len(rows_of("Never push to main without a green build. Write the list of builds into docs/rollout.md.")) == 2


def test_what_ends_soon_stays_apart_from_what_lasts() -> None:
    """A rule beside words that end within days could not be proposed any more."""
    assert len(rows_of("Never push to main without a green build. Until Friday the importer uses the staging replica.")) == 2


def test_words_of_two_kinds_that_both_claim_something_stay_two_rows() -> None:
    """A decision and a fault that is reported beside it are two matters."""
    assert len(rows_of(f"{CHOICE} The outage at Lisbon came from a broken merge, it cost 410 pounds.")) == 2
