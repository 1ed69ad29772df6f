"""What a model that proposes is told about former proposals."""

from __future__ import annotations

from datetime import UTC, datetime

from transforms.memory.proposal_outcomes import PastProposal, describe_proposal, list_decided_lines
from transforms.pages.memory_md import parse_memory
from transforms.tables.enums import ProposalOperation, ProposalStatus

PAGE = parse_memory("# Memory\n\n## Patterns\n- The job store is SQLite\n- Tests run in Docker\n")
AT = datetime(2026, 5, 3, tzinfo=UTC)


def past(text: str, status: ProposalStatus, op: ProposalOperation = "add", old: str | None = None) -> PastProposal:
    return PastProposal(f"p-{text}", status, (text,), frozenset({f"o-{text}"}), AT, AT, op, old)


def test_a_change_is_told_with_the_line_that_it_would_change() -> None:
    """The removal of a line that waits looked like a line that waits to be added."""
    known = [
        past("The job store is Postgres", "pending", "replace", "- The job store is SQLite"),
        past("Tests run in Docker", "pending", "remove", "- Tests run in Docker"),
        past("Deploys wait for a review", "pending"),
    ]
    assert [describe_proposal(item) for item in known] == [
        'The job store is Postgres (in place of "The job store is SQLite")',
        "that this line goes: Tests run in Docker",
        "Deploys wait for a review",
    ]


def test_a_secret_in_a_line_that_shall_go_is_not_told() -> None:
    """MEMORY.md is sent without its secrets, but a line of it that waited for its removal was sent with them."""
    line = "The harbour's password is Quarz-Lampe-7719 while Ana is away"
    waiting_line = describe_proposal(past(line, "pending", "remove", f"- {line}"))
    assert waiting_line.startswith("that this line goes: The harbour's password is [redacted:")
    assert "Quarz-Lampe-7719" not in waiting_line


def test_a_line_that_expired_is_told_when_what_it_rests_on_is_shown_again() -> None:
    """Code takes a line on the same observations for it, and it comes again by itself: a place of the week was lost."""
    known = [past("Deploys wait for a review", "expired"), past("Logs are kept for a week", "expired")]
    assert list_decided_lines(known, PAGE, {"o-Deploys wait for a review"}, set()) == ([], ["Deploys wait for a review"])


def test_a_refused_removal_turns_down_no_line_and_a_change_that_was_said_again_is_open() -> None:
    known = [
        past("Tests run on the host", "rejected", "remove", "- Tests run on the host"),
        past("The job store is Redis", "rejected", "replace", "- The job store is SQLite"),
        past("Use tabs", "rejected"),
    ]
    assert list_decided_lines(known, PAGE, set(), {"p-The job store is Redis"}) == (["Use tabs"], [])
