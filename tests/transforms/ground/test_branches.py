"""The branch of a session is read off what its client noted and what git printed, never off words."""

from __future__ import annotations

from transforms.ground.branches import BranchEntry, find_branch, list_branch_commits, read_branch_signs


def result(ordinal: int, text: str) -> BranchEntry:
    return BranchEntry(ordinal, True, text, "")


def test_what_git_printed_tells_the_branch_and_the_commits() -> None:
    signs = read_branch_signs(
        [
            result(2, "On branch try/redis\nnothing to commit"),
            BranchEntry(3, False, "On branch of the tree\n[other 1234567] no output of git", ""),
            result(5, "[try/redis 0a1b2c3d] Add a cache\n 2 files changed"),
            result(8, "Switched to branch 'main'\nYour branch is up to date"),
        ]
    )
    assert [find_branch(signs, ordinal) for ordinal in (0, 2, 5, 7, 8, 99)] == [*["try/redis"] * 4, "main", "main"]
    assert list_branch_commits(signs, "try/redis") == ["0a1b2c3d"]


def test_before_a_switch_nothing_is_known() -> None:
    signs = read_branch_signs([result(4, "Switched to a new branch 'idea'")])
    assert find_branch(signs, 1) is None
    assert find_branch(signs, 4) == "idea"


def test_clients_that_note_the_branch_are_believed() -> None:
    """Claude Code on each line, Codex at the head of the session."""
    claude = [
        BranchEntry(n, False, "hi", f'{{"type": "user", "gitBranch": "{b}"}}') for n, b in enumerate(["a", "a", "HEAD", "b"])
    ]
    assert [find_branch(read_branch_signs(claude), n) for n in range(4)] == ["a", "a", "a", "b"]
    codex = BranchEntry(0, False, "", '{"payload": {"git": {"commit_hash": "0f9", "branch": "fix/x", "repository_url": "u"}}}')
    assert find_branch(read_branch_signs([codex]), 7) == "fix/x"
