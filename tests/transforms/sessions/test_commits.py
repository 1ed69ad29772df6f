"""Commits in the output of git, and the sessions that worked on their files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from transforms.sessions.commits import GitCommit, find_commits, find_subject_word, is_same_commit, rank_traces

NOON = datetime(2026, 2, 9, 12, tzinfo=UTC)
COMMIT = GitCommit("abc1234def", "Cache sessions", NOON, ("src/cache.py", "tests/test_cache.py"))


def test_git_names_branch_hash_and_subject() -> None:
    assert list(find_commits("[main (root-commit) abc1234] Cache  sessions\n 2 files changed")) == [
        GitCommit("abc1234", "Cache  sessions")
    ]


def test_a_rebased_commit_is_the_same_by_its_subject() -> None:
    assert is_same_commit(GitCommit("fff0000", "cache  Sessions"), COMMIT.hash, COMMIT.subject)
    assert is_same_commit(GitCommit("abc1234", "squash!"), COMMIT.hash, COMMIT.subject)
    assert not is_same_commit(GitCommit("fff0000", "Cache"), COMMIT.hash, COMMIT.subject)


def test_the_session_that_changed_more_of_the_files_is_likelier() -> None:
    """A tool may name a file by its absolute path, or from a folder of the repository."""
    changes = [
        ("half", NOON - timedelta(hours=1), ["/w/app/src/cache.py", "/w/app/README.md"]),
        ("whole", NOON - timedelta(hours=2), ["./src/cache.py", "test_cache.py"]),
        ("none", NOON, ["src/cache.pyi", "docs/src/notes.md"]),
    ]
    assert rank_traces(COMMIT, NOON, changes) == [("whole", list(COMMIT.files)), ("half", ["src/cache.py"])]


def test_of_two_sessions_with_the_same_files_the_later_one_is_likelier() -> None:
    """Days count, and a session that went on after the commit did not work later than it."""
    changes = [("old", NOON - timedelta(days=3), list(COMMIT.files)), ("new", NOON + timedelta(hours=3), ["src/cache.py"])]
    assert [session for session, _ in rank_traces(COMMIT, NOON, changes)] == ["new", "old"]


def test_the_word_to_look_for_stands_in_any_quotation() -> None:
    assert find_subject_word('fix("parser"): keep’s naïve_comments') == "comments"
    assert find_subject_word("…") == ""
