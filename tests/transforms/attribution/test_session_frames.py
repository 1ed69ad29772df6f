"""Whether a session is a sub-agent's is told by who gave its first prompt."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.each_case import each_case
from transforms.attribution.judge_session import SpokenEntry
from transforms.attribution.session_frames import find_subagent
from transforms.conversation.speakers import Attribution
from transforms.tables.enums import Speaker

AT = datetime(2026, 9, 10, tzinfo=UTC)


@each_case(
    ("speakers", "is_subagent"),
    [
        (("parent_agent",), True),
        (("system", "parent_agent"), True),
        (("system", "owner"), False),
        (("parent_agent", "owner"), False),
        (("system",), None),
        ((), None),
    ],
)
def test_what_a_client_puts_before_the_prompt_does_not_hide_a_sub_agent(
    speakers: tuple[Speaker, ...], is_subagent: bool | None
) -> None:
    """Codex begins each session with its environment."""
    judged = {ordinal: Attribution(speaker, "format:test", ()) for ordinal, speaker in enumerate(speakers)}
    entries = [
        SpokenEntry(ordinal, is_user=True, is_answer=False, is_copied=False, text="find it", said_at=AT, attribution=attribution)
        for ordinal, attribution in judged.items()
    ]
    assert find_subagent(entries, judged) is is_subagent
