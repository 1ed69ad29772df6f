"""Sentences between quotation marks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from transforms.attribution.quotations import find_quoted_sentences

SPEECH = "We deploy on mondays only. Nobody touches the old box, not even to look."


@each_case(
    "text",
    [
        f'Ada says: "{SPEECH}" do you agree?', f"Ada says:\n\n“{SPEECH}”", f"Ada schreibt: „{SPEECH}“, oder?",
        f"« {SPEECH} »", f'see ("{SPEECH}")',
        "同僚が言うには「月曜日にしかデプロイしない。古いサーバーには誰も触らない」とのこと",
    ],
)  # fmt: skip
def test_a_speech_between_marks_of_any_kind_is_found(text: str) -> None:
    """With its marks, and nothing around it."""
    ((start, end),) = find_quoted_sentences(text)
    assert text[start] in '"“„«「'
    assert text[end - 1] in '"“”»」'
    assert "do you agree" not in text[start:end]


@each_case(
    "text",
    [
        'name it "Nobody touches the old box"', 'i said "no. stop." twice', 'use "a" and "b". Then "c".', SPEECH, f'"{SPEECH}',
        'set WIDTH="3" and HEIGHT="4". Then build it again with both of them, please and thank you. It says "ok".',
    ],
)  # fmt: skip
def test_names_single_sentences_and_open_marks_are_not(text: str) -> None:
    """They are often the owner's own."""
    assert find_quoted_sentences(text) == []


@given(st.text(alphabet='ab .!"“”„«»「」。\n', max_size=300))
def test_stretches_lie_in_order_in_the_text(text: str) -> None:
    """Whatever the marks are."""
    position = 0
    for start, end in find_quoted_sentences(text):
        assert position <= start < end <= len(text)
        position = end
