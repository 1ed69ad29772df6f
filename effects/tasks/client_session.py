"""The session in which a client calls a tool, as far as the client tells: what it claims belongs to that session."""

from __future__ import annotations

import os
from collections.abc import Mapping

CALL_KEYS = ("threadId", "sessionId")
"""Members of a call's `_meta` in which Codex names its conversation (seen in 0.169)."""
SERVER_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""Variable in which Claude Code names its session to the servers that it starts (seen in 2.1.197)."""


def find_client_session(meta: Mapping[str, object] | None) -> str | None:
    """Return the id of the session whose client makes a call with this `_meta`; None when the client does not say."""
    named = (meta.get(key) for key in CALL_KEYS) if meta else ()
    return next((value for value in named if isinstance(value, str) and value), None) or os.environ.get(SERVER_VARIABLE) or None
