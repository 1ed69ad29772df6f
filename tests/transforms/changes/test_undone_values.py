"""A line of memory meets what the work behind the owner's words changed in files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from tests.each_case import each_case
from transforms.changes.undone_values import UndoneValue, find_undone_value, list_values, list_works
from transforms.conversation.entries import Entry

ASKED, REPLY = "the matron says everybody is late, make it twenty", "The grace of a no-show is longer now."
LINE = "A check-in more than 15 minutes after the slot counts as a no-show"
GRACE = {
    "path": "dbt_project.yml",
    "edits": [{"oldText": "  no_show_grace_minutes: 15", "newText": "  no_show_grace_minutes: 20"}],
}


def entry(ordinal: int, role: str, text: str = "", **fields: Any) -> Entry:
    raw = {"type": "message", "message": {"role": role, "content": fields.pop("content", [])}}
    at = datetime(2026, 10, 1, 9, ordinal, tzinfo=UTC)
    values: dict[str, Any] = {
        "session_id": "s", "ordinal": ordinal, "entry_id": f"e{ordinal}", "parent_id": None, "line_no": ordinal,
        "entry_type": "message", "role": role, "turn_kind": None, "text": text, "tool_name": None, "tool_call_id": None,
        "is_error": False, "stop_reason": None, "token_count": 1, "said_at": at, "on_active_branch": True, "flags": (),
        "raw_json": json.dumps(raw), "speaker": "owner" if role == "user" else "agent", "speaker_reason": "",
    }  # fmt: skip
    return Entry(**values | fields)


def exchange(start: int, typed: str, reply: str, *calls: dict[str, Any], is_error: bool = False, **fields: Any) -> list[Entry]:
    content = [{"type": "toolCall", "id": f"c{start}{at}", "name": "tool", "arguments": call} for at, call in enumerate(calls)]
    results = [entry(start + 2, "toolResult", tool_call_id=f"c{start}{at}", is_error=is_error) for at, _ in enumerate(calls)]
    return [entry(start, "user", typed, **fields), entry(start + 1, "assistant", reply, content=content), *results]


def find(line: str, *entries: list[Entry]) -> UndoneValue | None:
    return find_undone_value(line, list_works([item for part in entries for item in part]))


@each_case(
    ("line", "asked", "reply", "call", "changed"),
    [
        (LINE, ASKED, REPLY, GRACE, "A check-in more than 20 minutes after the slot counts as a no-show"),
        (
            "The night run starts at 02:30 Berlin, an alert comes after 30 min", "the second", "The run starts later now.",
            {"command": "sed -i 's/starts at 2:30 (Berlin)/starts at 04:15 (Berlin)/; s/30 2/15 4/' docs/runbook.md"},
            "The night run starts at 04:15 Berlin, an alert comes after 30 min",
        ),
        (
            "The default of --min-conf is 0.80, the office would rather review", "3rd row", "Fewer rows to review.",
            {"file_path": "src/main.rs", "oldText": "default_value_t = 0.8,", "newText": "default_value_t = 0.9,"},
            "The default of --min-conf is 0.9, the office would rather review",
        ),
        (
            "Notebook outputs are stripped by nbstripout", "the first, then my plots stay", "The notebooks are paired.",
            {"command": "uv add --dev jupytext && uv remove --dev nbstripout && git status -s"}, "",
        ),
        (
            "Battery counts as low below 3.3 V", "hmm, the former", "The low battery limit is higher.",
            {"path": "Kconfig", "oldText": "default 3300 # battery counts", "newText": "default 3450 # battery counts"},
            "Battery counts as low below 3.45 V",
        ),
        (
            "El lock de dispatch dura 15 s", "la 3", "El lock de dispatch dura más.",
            {"path": "src/dispatch.ts", "oldText": "DISPATCH_LOCK_TTL_MS = 15_000", "newText": "DISPATCH_LOCK_TTL_MS = 40_000"},
            "El lock de dispatch dura 40 s",
        ),
        (
            "Workers have 512Mi memory with GOMEMLIMIT=460MiB", "B", "The workers have more memory.",
            {"command": "sed -i 's/memory: 512Mi/memory: 768Mi/; s/460MiB/690MiB/' k8s/worker.yaml && git diff"},
            "Workers have 768Mi memory with GOMEMLIMIT=690MiB",
        ),
        (
            "The nonce is kept by LORAWAN_NVM_SETTINGS, not by an own key", "2", "Only the nonce is stored.",
            {"command": "sed -i '/LORAWAN_NVM_SETTINGS/d' prj.conf && printf 'CONFIG_SAVE_NONCE=y' >> prj.conf"}, "",
        ),
        ("Twilio sends the SMS", "no, take it out", "It sends nothing.", {"command": "git rm -q app/messaging/twilio.py"}, ""),
    ],
)  # fmt: skip
def test_a_value_that_the_work_took_out_is_found_although_nobody_named_it(
    line: str, asked: str, reply: str, call: dict[str, Any], changed: str
) -> None:
    value = find(line, exchange(0, asked, reply, call))
    assert value is not None
    assert (value.text, value.work.typed) == (changed, asked)


@each_case(
    ("line", "call"),
    [
        ("Retries stop after 15 attempts", GRACE),  # about something else
        ("A no-show check-in is late after 15 minutes, or after 15 missed calls", GRACE),  # which one?
        ("The grace of a no-show was 15 minutes and is 20", GRACE),  # knows both
        ("Rule 14 of the no-show checklist", {"path": "a.md", "oldText": "14. no-show", "newText": "15. no-show"}),  # a list
        ("The no-show page lists components", {"command": "git rm -r src/components"}),  # a word, not a name
        ("There is one no-show mailer: Twilio is removed", {"command": "git rm app/twilio.py"}),  # written afterwards
        ("No-show texts go out by post, not Twilio", {"command": "git rm app/twilio.py"}),
        ("no-show uses late_limit", {"path": "a.py", "oldText": "late_limit = 1", "newText": "x = 1\nlate_limit = 1"}),
        ("Twilio is mocked in no-show tests", {"command": "rm -rf /tmp/twilio"}),
        ("no-show logs go to app/twilio.py", {"command": "git rm app/messaging/twilio.py"}),  # another file
    ],
)
def test_a_line_about_something_else_stands(line: str, call: dict[str, Any]) -> None:
    assert find(line, exchange(0, ASKED, REPLY, call)) is None


def test_a_change_that_failed_was_brought_back_or_follows_no_words_of_the_owner_asks_nothing() -> None:
    back = {"path": "dbt_project.yml", "oldText": "  no_show_grace_minutes: 20", "newText": "  no_show_grace_minutes: 15"}
    assert find(LINE, exchange(0, ASKED, REPLY, GRACE, is_error=True)) is None
    assert find(LINE, exchange(0, ASKED, REPLY, GRACE), exchange(4, "no, back", "As before.", back)) is None
    assert find(LINE, exchange(0, ASKED, REPLY, GRACE, speaker="parent_agent", speaker_reason="child_session")) is None
    assert find(LINE, exchange(0, ASKED, REPLY, GRACE)) is not None


def test_values_of_lines_are_listed_in_a_spelling_that_files_contain() -> None:
    assert list_values(["at 02:30, 0.80 of 3", "port 5432 of late_limit"]) == [".8", "2:30", "5432", "8", "late_limit"]
