"""The session of a call: Codex tells it with each call, Claude Code in the environment of the server."""

from __future__ import annotations

import pytest

from effects.tasks.client_session import find_client_session


@pytest.mark.parametrize(
    ("meta", "session"),
    [
        ({"threadId": "t-1", "sessionId": "s-1"}, "t-1"),
        ({"sessionId": "s-1", "progressToken": 3}, "s-1"),
        ({"threadId": "", "sessionId": 4}, "c-1"),
        ({"claudecode/toolUseId": "toolu_1"}, "c-1"),
        (None, "c-1"),
    ],
)
def test_what_comes_with_the_call_is_nearer_than_the_environment(
    meta: dict[str, object] | None, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sub-agent of Codex has a thread of its own, whose file has the thread's id."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "c-1")
    assert find_client_session(meta) == session


def test_a_client_that_says_nothing_has_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    assert find_client_session({"progressToken": 1}) is None
