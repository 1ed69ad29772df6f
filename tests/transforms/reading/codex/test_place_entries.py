"""The traps of Codex's format, one test each (the counts are in docs/sources.md)."""

from __future__ import annotations

import json

from tests.agent_lines import (
    CODEX_ID,
    codex_answer,
    codex_call,
    codex_line,
    codex_meta,
    codex_output,
    codex_prompt,
    read_frame,
    read_rows,
)
from tests.each_case import each_case
from transforms.conversation.entries import build_entries

EARLIER = "019a0000-0000-7000-8000-000000000001"
COUNT = "Original token count: 4\n"
LATER = "019c0000-0000-7000-8000-000000000001"


def test_a_prompt_that_stands_twice_counts_once_and_an_event_alone_is_a_prompt() -> None:
    rows = read_rows(
        codex_meta(),
        *codex_prompt(1, "fix the linter"),
        codex_line("event_msg", 2, type="user_message", message="look at this image"),
        *codex_prompt(3, "fix the linter"),
    )
    users = [(row["entry_type"], row["turn_kind"], row["text"]) for row in rows[1:]]
    assert users == [
        ("message", "typed", "fix the linter"),
        ("user_message", None, ""),
        ("message", "typed", "look at this image"),
        ("message", "typed", "fix the linter"),
        ("user_message", None, ""),
    ]


def test_what_the_client_says_in_the_users_name_is_not_typed() -> None:
    injected = codex_prompt(1, "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>")[0]
    aborted = codex_prompt(3, "<turn_aborted>\nThe user interrupted.\n</turn_aborted>")[0]
    rows = read_rows(codex_meta(), injected, *codex_prompt(2, "use spaces"), aborted)
    assert [(row["turn_kind"], row["speaker"]) for row in rows if row["role"] == "user"] == [
        ("machine", "system"),
        ("typed", "owner"),
        ("machine", "system"),
    ]
    without_events = read_rows(codex_meta(), injected, codex_prompt(2, "use spaces")[0])
    assert [row["turn_kind"] for row in without_events if row["role"] == "user"] == ["machine", "typed"]


def test_an_editors_context_is_cut_from_the_words() -> None:
    text = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nrename the class\n"
    assert read_rows(codex_meta(), *codex_prompt(1, text))[1]["text"] == "rename the class"


def test_a_heading_of_the_editor_in_a_selected_text_does_not_make_it_the_owners_words() -> None:
    selected = (
        "## Active selection of the file:\n# Readme\n\n## My request for Codex:\nAlways push to main.\n\n## Open tabs:\n- a.py"
    )
    text = f"# Context from my IDE setup:\n\n{selected}\n\n## My request for Codex:\nrename the class\n"
    assert read_rows(codex_meta(), *codex_prompt(1, text))[1]["text"] == "rename the class"


def test_lines_of_other_sessions_are_replayed_until_the_first_own_turn() -> None:
    rows = read_rows(
        codex_meta(forked_from_id=EARLIER),
        codex_meta(0, EARLIER),
        codex_line("turn_context", 0, turn_id=EARLIER, model="old"),
        *codex_prompt(0, "words of the parent"),
        codex_line("event_msg", 1, type="task_started", turn_id=LATER),
        *codex_prompt(1, "words of its own"),
    )
    assert ["replayed" in row["flags"] for row in rows] == [False, True, True, True, True, False, False, False]
    assert all(("copied" in row["flags"]) == ("replayed" in row["flags"]) for row in rows)
    assert rows[0]["session_id"] == CODEX_ID


def test_turns_that_were_taken_back_are_off_the_active_branch() -> None:
    rows = read_rows(
        codex_meta(),
        *codex_prompt(1, "keep this"),
        codex_answer(2, "done"),
        *codex_prompt(3, "take this back"),
        codex_answer(4, "wrong"),
        codex_line("event_msg", 5, type="thread_rolled_back", num_turns=1),
        *codex_prompt(6, "instead this"),
    )
    assert [row["text"] for row in rows if row["text"] and not row["on_active_branch"]] == ["take this back", "wrong"]


def test_usage_is_the_difference_of_sums_and_repeats_add_nothing() -> None:
    def report(minute: float, tokens: int, output: int) -> str:
        total = {"input_tokens": tokens, "cached_input_tokens": 1, "output_tokens": output}
        return codex_line("event_msg", minute, type="token_count", info={"total_token_usage": total})

    empty = codex_line("event_msg", 1, type="token_count", info=None)
    rows = read_rows(codex_meta(), empty, report(2, 100, 10), report(3, 100, 10), report(4, 250, 30), report(5, 50, 5))
    assert [(row["input_tokens"], row["output_tokens"]) for row in rows] == [
        (None, None), (None, None), (100, 10), (None, None), (150, 20), (50, 5),
    ]  # fmt: skip


def test_commands_and_patches_have_the_names_of_pi() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: /w/a.py\n@@\n same\n-old\n+new\n*** Add File: /w/b.py\n+one\n+two\n"
        "*** Delete File: /w/c.py\n*** End Patch"
    )
    frame = read_frame(
        codex_meta(),
        codex_line("turn_context", 0, model="gpt-x", turn_id=LATER),
        codex_call(1, "c1", "exec_command", {"cmd": "git commit -m x", "workdir": "/w"}),
        codex_output(2, "c1", f"Chunk ID: ab12\nWall time: 0.1 seconds\nProcess exited with code 2\n{COUNT}Output:\nno\n"),
        codex_line("response_item", 3, type="custom_tool_call", call_id="c2", name="apply_patch", input=patch),
        codex_line(
            "response_item", 4, type="custom_tool_call_output", call_id="c2",
            output=json.dumps({"output": "Success", "metadata": {"exit_code": 0}}),
        ),
        codex_call(5, "c3", "shell", {"command": ["bash", "-lc", "ls"]}),
    )  # fmt: skip
    entries = build_entries(frame)
    assert [(call.name, call.arguments) for call in entries[2].tool_calls] == [
        ("bash", {"command": "git commit -m x", "workdir": "/w"})
    ]
    assert (entries[3].text, entries[3].is_error, entries[3].tool_name) == (
        "no\n\nCommand exited with code 2",
        True,
        "exec_command",
    )
    assert [(call.name, call.arguments, call.continues) for call in entries[4].tool_calls] == [
        ("edit", {"path": "/w/a.py", "edits": [{"oldText": "same\nold", "newText": "same\nnew"}]}, False),
        ("write", {"path": "/w/b.py", "content": "one\ntwo"}, True),
        ("bash", {"command": "rm /w/c.py"}, True),
    ]
    assert (entries[5].text, entries[5].is_error) == ("Success", False)
    assert entries[6].tool_calls[0].arguments == {"command": "ls"}
    assert frame["model"].to_list()[2] == "gpt-x"
    assert frame["provider"].to_list()[2] == "openai"


@each_case(("summary", "kind"), [([], "reasoning"), ([{"type": "summary_text", "text": "I look."}], "message")])
def test_reasoning_without_readable_words_is_not_a_message(summary: list[object], kind: str) -> None:
    rows = read_rows(codex_meta(), codex_line("response_item", 1, type="reasoning", summary=summary, encrypted_content="x" * 50))
    assert rows[1]["entry_type"] == kind
    assert "x" * 50 not in rows[1]["raw_json"]


def test_a_compaction_keeps_its_summary_and_a_type_of_a_later_version_is_kept() -> None:
    rows = read_rows(
        codex_meta(),
        codex_line("compacted", 1, message="We fixed the linter.", replacement_history=[]),
        codex_line("event_msg", 2, type="thread_name_updated", thread_name="Linter"),
        codex_line("event_msg", 3, type="from_version_nine", words="kept"),
    )
    assert [(row["entry_type"], row["text"]) for row in rows[1:]] == [
        ("compaction", "We fixed the linter."),
        ("session_info", "Linter"),
        ("from_version_nine", ""),
    ]
    assert "kept" in rows[3]["raw_json"]


def test_in_the_session_of_a_sub_agent_the_parent_agent_speaks() -> None:
    meta = codex_meta(source={"subagent": {"thread_spawn": {"parent_thread_id": EARLIER}}})
    row = read_rows(meta, *codex_prompt(1, "review this file"))[1]
    assert (row["turn_kind"], row["speaker"]) == ("machine", "parent_agent")


def test_the_same_words_on_lines_without_a_time_are_said_twice() -> None:
    lines = [codex_meta(), *codex_prompt(1, "yes"), codex_answer(2, "Done."), *codex_prompt(1, "yes")]
    untimed = [lines[0], *(json.dumps({**json.loads(line), "timestamp": None}) for line in lines[1:])]
    assert [row["turn_kind"] for row in read_rows(*untimed) if "copied" not in row["flags"]].count("typed") == 2
    assert [row["turn_kind"] for row in read_rows(*lines) if "copied" not in row["flags"]].count("typed") == 1
