from __future__ import annotations

import itertools
from collections import Counter
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.transforms.conversation.typed_text import extract_typed_text
from tests.transforms.growth import grows_with_text
from transforms.conversation.message_spans import classify_turn, split_into_spans
from transforms.conversation.pasted_lines import is_plain_line
from transforms.tables.enums import TurnKind

SKILL = '<skill name="release" location="/s/SKILL.md">\nReferences are relative to /s.\n\n# Release\nAlways tag.\n</skill>'
ATTACHED = '<file name="/w/notes.md">\n# Notes\nwe always use tabs\n</file>\n'
TRACE = (
    "Traceback (most recent call last):\n"
    '  File "a.py", line 3, in <module>\n    main()\n'
    '  File "a.py", line 1, in main\n    raise KeyError("x")\n'
    "KeyError: 'x'"
)
JS_TRACE = "Error: boom\n    at f (/w/a.ts:3:9)\n    at async g (node:internal/x:1:2)\n\nNode.js v23.4.0"


@each_case(
    "text",
    [
        "hi",
        "ok",
        "ls",
        "不错 可以的",
        "你可以干什么呢",
        "f0c674",
        "continue",
        "fix it; then commit;",
        "read packages/a/src/main.ts in full",
        "look at '/Users/me/shot.png' and tell me why it is blue",
        "/usr/local/bin/pi is not found anymore",
        "no, that's horrible.\n\ntools -> core/tools\ntui -> modes/interactive\n\nor do you have other suggestions?",
        "- [ ] first the tests\n- [ ] then the docs",
        "use port 6379, not 6380",
        "accent #8abeb7\nerror cc6666\nuser bg 343541",
        "132       collapse = false, can't we get that from the settings manager?",
        "i want:\n\n- no classes\n- pure functions\n- tests first",
        "Warning: do not touch the lock file again please",
        "what does the <recollect> tag do in our briefing?",
    ],
)
def test_words_of_a_person_are_typed_and_kept_whole(text: str) -> None:
    assert classify_turn(text) == "typed"
    assert extract_typed_text(text) == text


@each_case(
    ("text", "kind"),
    [
        (TRACE, "pasted"),
        (JS_TRACE, "pasted"),
        ("```ts\nconst rule = 'never';\n```", "pasted"),
        ("```\nunclosed fence", "pasted"),
        ("$ npm test\n12 passing\nall good here now", "pasted"),
        ("me@box:~/w$ make\ncc -o a a.c", "pasted"),
        ('{"type":"message","id":"a"}\n{"type":"message","id":"b"}', "pasted"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n -1 +1 \n-old line here\n+new line here", "pasted"),
        ("2026-01-01 10:00:00 INFO started\n2026-01-01 10:00:01 ERROR failed", "pasted"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "pasted"),
        ("import x from 'y';\nexport function f() {\n  return 1;\n}", "pasted"),
        ("[redacted:token:ab12cd]", "pasted"),
        ("", "pasted"),
        (SKILL, "skill"),
        (ATTACHED, "file"),
        ('<file name="/w/a.png"></file>', "file"),
        ("/model", "command"),
        ("/", "command"),
        ("/login xai-oauth", "command"),
        ("/skill:release", "command"),
        ("[Request interrupted by user for tool use]", "machine"),
        ("<system-reminder>\nYou should always test.\n</system-reminder>", "machine"),
        ("'/var/folders/49/T/TemporaryItems/x/Screenshot 2025-11-21 at 01.27.21.png'", "machine"),
        ("/tmp/pi-clipboard-1.png", "machine"),
        ("<!-- recollect:window w-1 -->\n### Title\n- 🔴 always test\n<!-- /recollect:window w-1 -->", "memory"),
        ("<!-- recollect:briefing -->\n# pi-mono\n\nA narrative of what we always do.", "memory"),
        ('<recollect-briefing project="x">\n- we always test\n</recollect-briefing>', "memory"),
        ("# Pending Memory Proposals\n\n- [ ] `p-20260101-001` always test", "memory"),
        ("<observations>\n🔴 user prefers tabs\n</observations>", "memory"),
        ("### 🔭 Reflected\nWe prefer tabs.", "memory"),
    ],
)
def test_what_nobody_typed_is_told_apart_and_gives_no_typed_words(text: str, kind: str) -> None:
    assert classify_turn(text) == kind
    assert extract_typed_text(text) == ""


@each_case(
    ("text", "typed"),
    [
        (f"{SKILL}\n\ntag it as v2 please", "tag it as v2 please"),
        (f"{ATTACHED}\nsummarise this for me", "summarise this for me"),
        (f"this exploded, fix it\n\n{TRACE}\n\nit must never explode", "this exploded, fix it\nit must never explode"),
        (f"same again\n\n{JS_TRACE}", "same again"),
        (
            "vs code\n➜  w git:(main) ✗ env\nTERM=xterm\n\nghostty\n➜  w git:(main) ✗ env\nTERM=ghostty\n\nwtf",
            "vs code\nghostty\nwtf",
        ),
        ("'/tmp/T/shot.png'\n\nmake it like that", "make it like that"),
        ("/compact keep every decision about the cache TTLs in detail", "keep every decision about the cache TTLs in detail"),
        ("do it\n<system-reminder>be nice</system-reminder>", "do it"),
        ("use this key\n[redacted:token:ab12cd]", "use this key"),
        ("never do this:\n```py\nprint(1)\n```\nuse logging", "never do this:\nuse logging"),
    ],
)
def test_typed_words_survive_beside_other_material(text: str, typed: str) -> None:
    assert classify_turn(text) == "typed"
    assert extract_typed_text(text) == typed


def test_a_long_document_with_headings_is_pasted_from_its_first_heading() -> None:
    text = "please follow this plan\n\n" + "\n".join(f"## Step {n}\n" + "We do something sensible here. " * 30 for n in range(6))
    assert extract_typed_text(text) == "please follow this plan"


PIECES = st.sampled_from(
    [SKILL, ATTACHED, TRACE, "```", "$ ls", "/model", "hello there my friend", "\n", "\n\n", "<!-- recollect:x -->", "你好"]
)


@given(st.one_of(st.text(), st.lists(PIECES).map("".join), st.lists(PIECES).map("\n".join)))
def test_spans_cover_a_text_in_order_without_gap_or_overlap(text: str) -> None:
    spans = split_into_spans(text)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(span.start < span.end and span.kind in get_args(TurnKind) for span in spans)
    assert all(first.kind != second.kind for first, second in itertools.pairwise(spans))
    assert classify_turn(text) in get_args(TurnKind)


LINE_STARTS = [
    "fix", "at", "from", "import", "On branch", "SELECT a FROM", "npm error", "diff --git", "Best,", "C:", "file:", "drwx"
]  # fmt: skip


@given(st.sampled_from(LINE_STARTS), st.text(" ab1.,'?!-_+*&:/@()[]{}<>#$%;|~`\\\"=^", max_size=30))
def test_a_plain_line_is_one_that_every_rule_leaves_to_the_person(start: str, rest: str) -> None:
    text = start + rest
    if is_plain_line(text):
        assert {span.kind for span in split_into_spans(text)} == {"typed"}


def _kind_by_spans(text: str) -> str:
    sizes: Counter[str] = Counter()
    for span in split_into_spans(text):
        sizes[span.kind] += len(text[span.start : span.end].strip())
    if sizes["typed"]:
        return "typed"
    return max(sizes, key=lambda kind: (sizes[kind], kind)) if sizes.total() else "pasted"


_LINES = [
    "fix the port in src/a.ts", "why?", "", "  ", "# Plan", "## More", "> quoted words here", "From: Ana <a@b.example>",
    "Subject: the plan", "Best,", "$ npm test", "    at f (/w/a.ts:3:9)", "Error: boom", "const a = 1;", "```", "~~~", "{", "}",
    '<file name="/w/a">', "</file>", "/model", "/usr/bin is missing", "'/tmp/x.png'", "[redacted:token:7d18]", "[Image 1]",
    "Caveat: The messages below were generated by a hook", "12345 x = 1", "a  =  b  ;", "key: value,", "不错 可以的",
    "- [ ] `p-20260101-001` something", "long words " * 150,
]  # fmt: skip


@settings(max_examples=200)
@given(st.lists(st.sampled_from([*_LINES, *LINE_STARTS]), max_size=8))
def test_the_kind_told_from_the_beginning_is_the_kind_told_from_everything(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert classify_turn(text) == _kind_by_spans(text)


def test_the_same_for_every_line_and_every_two_lines() -> None:
    for lines in itertools.chain(zip(_LINES), itertools.product(_LINES, repeat=2)):
        text = "\n".join(lines)
        assert classify_turn(text) == _kind_by_spans(text), text


def test_lines_below_a_point_in_words_go_on_with_it() -> None:
    """People indent what belongs to a point of their plan; below a line of output an indent is a sign of output."""
    plan = "1. The exit codes are a mess, I want:\n   0 = verified\n   2 = mismatch\n   3 = unreadable\n   64 = bad arguments"
    assert extract_typed_text(plan) == plan
    assert extract_typed_text(plan.replace("1. The exit codes are a mess, I want", "exit_codes")) == ""


def test_lines_with_the_clock_of_a_kernel_or_a_monitor_are_pasted() -> None:
    """Seconds since the start, or since 1970, between brackets."""
    log = "[88123.410221] st 0:0:0:0: [st0] Sense Key : Medium Error\n[1792627201] SERVICE ALERT: box2;TAPE;UNKNOWN;SOFT"
    assert extract_typed_text(f"look at this\n{log}\nWhat do you say?") == "look at this\nWhat do you say?"


def test_blanks_in_a_row_cost_what_they_are_long() -> None:
    """Columns of an output were looked for from each blank again: 20,000 took seconds, also while a session is read."""
    for blank in " \t\u00a0\n":
        assert grows_with_text(lambda blanks: split_into_spans(f"Keep this.{blanks}And that."), blank, 400), repr(blank)
    typed = "we use tabs         here, and nothing else"
    assert extract_typed_text(typed) == typed
    assert extract_typed_text(f"NAME{' ' * 9}READY{' ' * 9}AGE") == ""


def test_backticks_in_a_row_begin_one_block() -> None:
    """Each shorter run of the same ones was tried, too, with the rest of the line behind it."""
    assert grows_with_text(split_into_spans, "`", 1_000)
    assert [span.kind for span in split_into_spans("see\n`````\ncode\n```\nmore\n`````\nok?")] == ["typed", "pasted", "typed"]
