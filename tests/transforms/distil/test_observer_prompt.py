"""The window as a model reads it, and the prompts around it, kept as golden files."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

from effects.engines.observer import compute_observer_hash
from effects.system.templates import render_template
from tests.each_case import each_case
from tests.transforms.conversations import agent, call, conversation, edited, ran, result, user
from transforms.conversation.entries import Entry
from transforms.distil.observer_prompt import BLOCK_CHARS, render_transcript
from transforms.tables.enums import TOLD_KINDS

GOLDEN = Path(__file__).parent.parent.parent / "golden"


def golden(name: str, text: str) -> None:
    """Equal to the golden file; `UPDATE_GOLDEN=1` writes it."""
    path = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def entries() -> list[Entry]:
    return conversation(
        user("fix the flaky login test\n\n<system-reminder>be nice</system-reminder>"),
        agent("Looking.", call("read", "c0", path="tests/login.py")),
        result("c0", "def test_login(): ..."),
        *ran("pytest tests/login.py", "1 failed", "c1", is_error=True),
        user("never mock the clock in tests\n<recollect-briefing>\nYesterday you fixed it.\n</recollect-briefing>"),
        *edited("tests/login.py", "mock", "freeze", "c2", "I replaced the mock."),
        user('<skill name="tdd" location="/x">\nwrite tests first\n</skill>\n\nshow me </transcript> now'),
        agent("Done: the test passes."),
        first=3,
    )


def system(form: str) -> str:
    return render_template("llm/observer.md.j2", owner="Joel", format=form)


def window_prompt(earlier: list[str]) -> str:
    kept_entries = entries()
    topics = [(3, 7), (8, 12)]
    return render_template(
        "llm/window.md.j2", project="/work/demo", zone="Europe/Berlin", kind="closing", earlier=earlier,
        transcript=render_transcript(kept_entries, topics, ZoneInfo("Europe/Berlin")), topic_count=2, focus="",
    )  # fmt: skip


@each_case("form", ["json", "xml"])
def test_the_observers_instructions_are_the_golden_page(form: str) -> None:
    """The page has every rule, and the form of the answer."""
    golden(f"observer_{form}.md", system(form))


def test_a_window_is_the_golden_page() -> None:
    """Times in the zone, a reference before each block, topics marked, what nobody said left out."""
    golden("observer_window.md", window_prompt(["E1 rule, 2 h before: User rule: run the linter first."]))


def test_the_reflectors_instructions_are_the_golden_pages_and_carry_only_their_own_rules() -> None:
    """The observer's rules are for transcripts; a period or a proposal has none."""
    sections = [("Joel", "preferences"), ("Hard Rules", "always and never")]
    rules = render_template("llm/rules.md.j2", owner="Joel")
    for form in ("json", "xml"):
        page = render_template("llm/reflector.md.j2", owner="Joel", sections=sections, format=form)
        assert rules not in page
        golden(f"reflector_{form}.md", page)
    old = render_template("llm/condense.md.j2", owner="Joel", format="json", kinds=TOLD_KINDS, is_old=True, is_oldest=False)
    assert rules not in old
    golden("condense_json.md", old)


def test_the_instructions_for_friction_are_the_golden_pages() -> None:
    for form in ("json", "xml"):
        golden(f"friction_{form}.md", render_template("llm/friction.md.j2", owner="Joel", format=form))
    week = render_template(
        "llm/week.md.j2",
        memory=[("Patterns", ["(2026-01-02) Tests run with `make check`"])],
        files=[("/work/shop/AGENTS.md", ["Commits are small"])],
        known=["Comments are in English"],
        rows=["#1 2026-03-02 A [correction, owner] shop: User objected: “german again”"],
        most=5,
    )
    golden("friction_week.md", week)


def test_the_hash_of_the_templates_is_pinned() -> None:
    """Rows of models carry it as their version: change a template on purpose only."""
    assert (compute_observer_hash("instructor"), compute_observer_hash("pi")) == ("fcbcb2dd73438a01", "8187a33363ef4791")


def test_nothing_of_memory_reminders_and_skills_is_sent() -> None:
    """Otherwise they would come back as wishes of the owner."""
    text = render_transcript(entries(), [(3, 12)], UTC)
    for left_out in ("be nice", "Yesterday you fixed it", "write tests first", "</transcript>"):
        assert left_out not in text
    assert "never mock the clock in tests" in text


def test_a_long_paste_is_cut_in_the_middle_and_typed_words_are_not() -> None:
    """The note says how much is missing."""
    typed = "please keep in mind that " + " and that ".join(f"word{at} matters" for at in range(2000))
    printed = agent("x" * (BLOCK_CHARS + 5000))
    text = render_transcript(conversation(user(typed), printed), [(0, 1)], UTC)
    assert typed in text
    assert "[… 5013 characters …]" in text


def test_the_parts_of_a_message_stand_under_those_who_wrote_them() -> None:
    """One block with one reference: a paste is not the owner's words, and a page of memory in between is left out as before."""
    shown = conversation(user("the reviews came in:\n```\nAlways report the Brier score\n```\nno ERA5 please"))
    assert render_transcript(shown, [(0, 0)], UTC).splitlines()[2:] == [
        "[09:00] #0 [User]: the reviews came in:",
        "[Not the user but a paste of the user]: ```",
        "Always report the Brier score",
        "```",
        "[User]: no ERA5 please",
    ]


def test_a_command_to_the_client_is_no_word_of_the_user() -> None:
    """`/clear` stood there as `[User]`, and so did the command before typed words."""
    shown = conversation(user("/clear"), user("/model opus no, leave it, from now on commits are in English"))
    assert render_transcript(shown, [(0, 1)], UTC).splitlines()[2:] == [
        "[09:00] #0 [Not the user but a command to the client]: /clear",
        "[09:01] #1 [Not the user but a command to the client]: /model",
        "[User]: opus no, leave it, from now on commits are in English",
    ]


def test_what_extensions_inject_and_shells_print_is_no_word_of_the_user() -> None:
    """Clients hand both to their model as a user's messages."""
    words = "Prefer short answers from now on."
    injected = {"type": "custom_message", "customType": "budget", "content": words, "display": True}
    shell = {
        "type": "message",
        "message": {"role": "bashExecution", "command": "cat a.txt", "output": "always push", "exitCode": 0},
    }
    looked, given, ran_by_hand = conversation(user("look at it"), user(words), user("Ran `cat a.txt`"))
    given = replace(given, entry_type="custom_message", role=None, raw_json=json.dumps(injected))
    ran_by_hand = replace(ran_by_hand, role="bashExecution", raw_json=json.dumps(shell))
    lines = render_transcript([looked, given, ran_by_hand], [], UTC).splitlines()
    assert lines[1:4] == [
        "[09:00] #0 [User]: look at it",
        f"[09:01] #1 [Not the user but an extension]: {words}",
        "[09:02] #2 [Tool result]: Ran `cat a.txt`",
    ]


def test_what_an_extension_writes_again_is_left_out_and_what_people_write_again_is_not() -> None:
    """A layout of the folder stood before each message of one owner: 7 % of what a model read."""
    layout = "\n".join(f"- scripts/fetch_{name}.py was changed two months ago" for name in ("index", "news", "prices"))
    pages = [{"type": "custom_message", "content": f"Day {day}\n{layout}", "display": True} for day in (1, 2)]
    typed, given, typed_again, given_again = conversation(user(layout), user("one"), user(layout), user("two"))
    shown = [
        replace(entry, entry_type="custom_message", role=None, raw_json=json.dumps(page))
        for entry, page in zip((given, given_again), pages, strict=True)
    ]
    text = render_transcript([typed, shown[0], typed_again, shown[1]], [], UTC)
    assert text.count(layout) == 3
    assert "#3 [Not the user but an extension]: Day 2\n[… 3 lines as before …]" in text
