"""Which lines of MEMORY.md have a change that waits for the owner."""

from __future__ import annotations

from typing import Any

from transforms.answers.waiting_changes import WaitingChange, find_waiting_changes, join_line_marks
from transforms.pages.memory_md import parse_memory

LINE = "Deploys happen only from the release branch"


def make_proposal(key: str, status: str, evidence: list[str], **more: str) -> Any:
    return {"proposal_id": key, "op": "add", "old_text": None, "status": status, "evidence_ids": evidence} | more


def test_a_line_has_the_change_that_waits_for_the_owner_and_none_that_is_decided() -> None:
    """It quotes the line as written, with its day; other lines and decided changes say nothing."""
    page = parse_memory(f"# Memory\n\n## Rules\n\n- (2026-11-05) {LINE}\n- Tests run with make\n- Ports begin at 80\n")
    lines = [bullet.line for bullet in page.bullets]
    proposals = [
        make_proposal("p-1", "pending", ["here"], op="replace", old_text=lines[0]),
        make_proposal("p-2", "rejected", ["there"], op="replace", old_text=lines[1]),
        make_proposal("p-3", "pending", ["over"], op="remove", old_text=lines[2]),
        make_proposal("p-4", "pending", ["other"]),
    ]
    changes = find_waiting_changes(proposals, page.bullets)
    assert {text: (change.describe(), change.evidence_ids) for text, change in changes.items()} == {
        LINE: ("replacement waits: p-1", ("here",)), "Ports begin at 80": ("removal waits: p-3", ("over",)),
    }  # fmt: skip


def test_what_is_gone_stands_before_the_change_that_waits() -> None:
    """Either of them makes a mark, and neither none."""
    change = WaitingChange("p-1", True, ())
    marks = [join_line_marks(*parts) for parts in (("a is gone", change), ("a is gone", None), ("", change), ("", None))]
    assert marks == ["⚠️ a is gone; removal waits: p-1", "⚠️ a is gone", "removal waits: p-1", ""]
