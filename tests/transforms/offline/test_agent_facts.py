"""What the agent states is a root cause only where it says what failed; what names a check cites its run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.transforms.conversations import agent, conversation, edited, ran, user
from transforms.exchanges.current_values import collect_values
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.agent_facts import find_agent_facts
from transforms.offline.engine import OfflineEngine


def test_a_statement_that_names_a_check_cites_its_newest_run() -> None:
    entries = conversation(
        user("fix the lint errors in src/load.py"),
        ran("npm run lint 2>&1 | tail", "1 issue", "c1"),
        ran("npm run lint 2>&1 | tail", "0 issues", "c2"),
        agent("Fixed the unused import in `src/load.py`; `npm run lint` passes."),
    )
    exchanges = split_exchanges(entries)
    (candidate,) = find_agent_facts(exchanges[0], collect_values(exchanges))
    assert [entries[ordinal].text or entries[ordinal].tool_calls[0].call_id for ordinal in candidate.ordinals[1:]] == [
        "fix the lint errors in src/load.py",
        "c2",
    ]


def kinds(*parts: Any) -> dict[str, str]:
    """Return the kind of each fact of a conversation, by its text."""
    entries = conversation(*parts)
    segments = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000).segments
    return {fact.text: fact.kind for segment in segments for fact in segment.facts}


def test_how_a_thing_fails_is_no_error_where_nothing_went_wrong() -> None:
    """The word stands in a sentence that tells how the work works; where a check failed it tells what happened."""
    built = "The worker runs at 03:00 UTC and keeps three versions; it fails the import on an unknown stop."
    asked = user("build the nightly import as a job please, cron at 03:00")
    told = kinds(asked, edited("lib/gtfs_import.ex", "a", "b"), agent(built))
    assert {kind for text, kind in told.items() if text.startswith("The worker")} == {"completion"}
    failed = ran("mix test", "1 failed", "c9", is_error=True)
    told = kinds(asked, edited("lib/gtfs_import.ex", "a", "b"), failed, agent("`mix test` still fails in `import_test.exs`."))
    assert "error" in told.values()


def test_who_names_a_cause_outright_states_one_whatever_was_asked() -> None:
    """The trouble was told messages ago; a reason beside a choice stays a remark."""
    cause = "The cause is the `or` in `daily.py`: a load that spans midnight is counted on both days."
    told = kinds(user("look at the sums of the first of May again"), ran("cat daily.py", "x or y"), agent(cause))
    assert [kind for text, kind in told.items() if text.startswith("The cause is")] == ["root_cause"]


def test_a_sub_agents_report_stands_once_and_with_its_speaker() -> None:
    """What it would prefer is nobody else's wish."""
    entries = conversation(
        user("You are a sub-agent. Find out why the host key is refused."),
        ran("ssh-keyscan host", "ED25519", "c1"),
        agent("The host changed from RSA to ED25519 on 2026-09-01. I prefer pinning the new key in `config/runtime.exs`."),
    )
    worked = [replace(entries[0], speaker="parent_agent", speaker_reason="child_session"), *entries[1:]]
    segments = OfflineEngine().distil(worked, [(0, worked[-1].ordinal)], [], 3000).segments
    rows = [fact.text for segment in segments for fact in segment.facts]
    assert rows
    assert all(row.startswith("A sub-agent reported: ") for row in rows)
    assert sum("2026-09-01" in row for row in rows) == 1


def test_what_an_agent_counts_of_its_commit_is_no_fact_beside_the_commit() -> None:
    """The hash tells that they are the same; why it was made is a fact of its own."""
    commit = ran("git commit -m 'Discover the tests of agents'", "[main 1a2b3c4] Discover the tests of agents\n 5 files changed")
    counted = "Commit `1a2b3c4` created successfully — 5 files changed, net 9 lines removed."
    explained = "Committed as `1a2b3c4`. Every rewind test of the broker passes again, since it waits for its first answer."
    for closing, told in ((counted, 1), (explained, 2)):
        entries = conversation(user("commit it please"), edited("src/a.go", "1", "2"), commit, agent(closing))
        distilled = OfflineEngine().distil(entries, [(0, entries[-1].ordinal)], [], 3000)
        rows = [fact.text for segment in distilled.segments for fact in segment.facts if "1a2b3c4" in fact.text]
        assert len([text for text in rows if not text.startswith("User")]) == told, rows
