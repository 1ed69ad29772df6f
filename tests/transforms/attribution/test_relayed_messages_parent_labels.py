"""A parent agent that writes into its sub-agent's session is not the owner who types there."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.attribution.test_judge_session import judge, talk
from transforms.attribution.relayed_messages import find_parent_messages

SAID = ("Parent: add a queue to the uploader.", "no, a table will do", "Parent: fine, a table. Then\nreport: back to me")


@each_case(
    ("said", "has_parent", "speakers"),
    [
        (SAID, True, ["parent_agent", "owner", "parent_agent"]),
        (SAID, False, ["owner", "owner", "owner"]),
        (SAID[:2], True, ["owner", "owner"]),
        (("note: it leaks", "note: it leaks again"), True, ["owner", "owner"]),
        (("https://a.example is down", "https://b.example is down, too"), True, ["owner", "owner"]),
        (
            ("Main agent (lead)：测试通过了吗", "还没有", "Main agent (lead)：继续"),
            True,
            ["parent_agent", "owner", "parent_agent"],
        ),
    ],
)
def test_a_label_that_begins_several_messages_of_a_child_session_is_a_sender(
    said: tuple[str, ...], has_parent: bool, speakers: list[str]
) -> None:
    """In a session that nobody opened it is a topic, one message is no habit, and people begin small."""
    judged = judge(talk(*said, roles="u" * len(said)), has_parent=has_parent)
    assert [attribution.speaker for attribution in judged.values()] == speakers


def test_a_fork_is_no_child_session() -> None:
    """It names a session, too, but goes on with what was said there, so a label stays a topic."""
    entries = talk(*SAID, roles="uuu")
    judged = judge([replace(entries[0], is_copied=True), *entries[1:]], has_parent=True)
    assert {attribution.speaker for attribution in judged.values()} == {"owner"}


@given(st.lists(st.text(max_size=60), max_size=8))
def test_only_messages_with_a_label_are_a_parents(texts: list[str]) -> None:
    sent = find_parent_messages(dict(enumerate(texts)))
    assert all(":" in texts[ordinal] or "：" in texts[ordinal] for ordinal in sent)
    assert len(sent) != 1
