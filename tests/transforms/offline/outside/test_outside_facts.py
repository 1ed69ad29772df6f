"""Each change outside of the working tree stands once among the facts, with the newest state of a thing."""

from __future__ import annotations

from typing import Any

from tests.transforms.conversations import conversation, ran, user
from transforms.exchanges.exchange import split_exchanges
from transforms.offline.candidates import Candidate
from transforms.offline.outside.outside_facts import MOST_ROWS, find_outside_facts

COMMITTED = 'Committed and pushed "one" (1f2e3d4): edited a.py.'


def find(*parts: Any, kept: tuple[str, ...] = (COMMITTED,)) -> list[Candidate]:
    """Return the rows of one window, of which each part is an exchange, beside the facts that were kept."""
    exchanges = split_exchanges(conversation(*(item for part in parts for item in (user("go on"), part))), None)
    return find_outside_facts(exchanges, kept)


def test_a_merge_cites_the_command_its_output_and_what_gave_the_title() -> None:
    opened = ran("gh pr create --title 'Wider columns'", "https://github.com/o/r/pull/47", "a")
    (row,) = find(opened, ran("gh pr merge 47", "", "b"))
    assert row.text == 'Merged pull request #47 "Wider columns".'
    assert (row.kind, row.priority, row.ordinals) == ("completion", "medium", (4, 5, 2))


def test_what_other_rows_tell_is_left_out() -> None:
    """The row of an opened request, of a release, and of a commit that was pushed at once."""
    assert not find(ran("gh pr create --title 'a'", "https://github.com/o/r/pull/47"))
    assert not find(ran("git tag v1 && npm publish", ""))
    assert not find(ran("git commit -m 'one' && git push", "[main 1f2e3d4] one\nTo host\n   1..2  main -> main"))


def test_a_commit_of_which_no_fact_was_kept_has_a_short_row() -> None:
    pushed = ran(
        "git commit -m 'add the exporter' && git push", "[main 1f2e3d4] add the exporter\nTo host\n   1..2  main -> main"
    )
    (row,) = find(pushed, kept=())
    assert (row.text, row.priority) == ('Committed and pushed "add the exporter" (1f2e3d4).', "low")
    assert not find(pushed, kept=('Committed "add the exporter": edited a.py.',))


def test_a_later_push_is_told_with_its_commits() -> None:
    (row,) = find(
        ran("git commit -m 'one'", "[main 1f2e3d4] one", "a"), ran("git push", "To x\n   0..1f2e3d4  main -> main", "b")
    )
    assert row.text == 'Pushed branch main "one".'


def test_of_a_thing_the_last_change_of_a_kind_counts_and_what_was_seen_counts_less() -> None:
    log = ran("git log --oneline", "d33066a Merge pull request #47 from o/topic", "b")
    (row,) = find(ran("gh pr merge 47", "", "a"), log)
    assert row.text == "Merged pull request #47 (branch topic)."
    (seen,) = find(log)
    assert (seen.text, seen.kind) == ("Pull request #47 (branch topic) is merged, as git log showed.", "status")
    failed, done = ran("just deploy", "error: no", "a", is_error=True), ran("just deploy", "OK", "b")
    assert [row.kind for row in find(failed)] == ["error"]
    assert [row.kind for row in find(failed, done)] == ["completion"]


def test_a_window_has_no_more_than_the_newest_rows() -> None:
    rows = find(*(ran(f"gh issue close {number}", "", f"c{number}") for number in range(30)))
    assert len(rows) == MOST_ROWS
    assert rows[-1].text == "Closed issue #29."
