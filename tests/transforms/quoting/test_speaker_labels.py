"""The names of those who wrote a text, part by part."""

from __future__ import annotations

from transforms.quoting.speaker_labels import (
    SpokenText,
    label_spoken_text,
    list_foreign_spans,
    split_entry_text,
    split_spoken_text,
)
from transforms.tables.rows import SpeakerPart

MAIL = "> Never retry twice.\n> Tom"
TEXT = f"What Tom wants:\n{MAIL}\nDo it."
START = TEXT.index(">")
QUOTED = (START, START + len(MAIL))


def test_a_mixed_turn_has_each_ones_words_behind_his_name() -> None:
    """What one speaker wrote alone has one name, and a tool's has none."""
    assert label_spoken_text(TEXT, "user", QUOTED) == f"User: What Tom wants:\nPasted: {MAIL}\nUser: Do it."
    assert label_spoken_text("Done.", "assistant") == "Agent: Done."
    assert label_spoken_text("exit 1", "toolResult") == "exit 1"


def test_words_that_go_on_in_the_users_line_are_the_users() -> None:
    """A style that looks pasted proves little there; quotation marks and the lines below do."""
    text = "it is slow: 4 s an invoice\nERROR timeout"
    assert list_foreign_spans(text, (12, len(text))) == [(text.index("\n"), len(text))]
    assert list_foreign_spans('Tom wrote: "never twice"', (11, 24)) == [(11, 24)]
    assert list_foreign_spans(text, (0, 2, 12, 26)) == [(0, 2)]


def test_marks_between_two_stretches_belong_to_the_first() -> None:
    """A turn that was cut for its budget has no places behind its end."""
    assert split_spoken_text("ok\n--\nlog line", "user", (6, 14)) == [
        SpokenText("User", "ok\n--\n"),
        SpokenText("Pasted", "log line"),
    ]
    assert split_spoken_text(TEXT[:10], "user", QUOTED) == [SpokenText("User", TEXT[:10])]


def test_an_entry_names_a_skill_and_the_words_behind_it() -> None:
    """An entry of one speaker has no stretches."""
    parts: list[SpeakerPart] = [
        {"start": 0, "end": 6, "speaker": "skill", "reason": "format:skill_block"},
        {"start": 6, "end": 12, "speaker": "owner", "reason": "format:user_text"},
    ]
    assert split_entry_text("Steps\nGo on.", parts) == [SpokenText("Skill", "Steps\n"), SpokenText("User", "Go on.")]
    assert split_entry_text("Go on.", ()) == []
