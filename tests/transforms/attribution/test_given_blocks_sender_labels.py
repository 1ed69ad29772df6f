"""The line behind a label of somebody else is theirs, and the owner may go on below it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transforms.attribution.given_blocks import take_labelled_lines
from transforms.classify.paragraphs import Paragraph, split_paragraphs


def judge(text: str, *judged: bool) -> list[tuple[str, bool]]:
    """Return the paragraphs of a text with their judgement behind the sign."""
    paragraphs = split_paragraphs(text)
    taken = take_labelled_lines(text, list(zip(paragraphs, judged, strict=True)))
    return [(text[part.start : part.end], is_typed) for part, is_typed in taken]


def test_a_message_below_its_sender_is_the_senders_and_the_line_below_it_the_owners() -> None:
    """A colleague writes like the owner, and only the label tells whose words they are."""
    text = "Petter (service), 13:58:\ncan u open the port 1883 for my test box?\nWhat do you think of the 1883?"
    assert judge(text, False, True) == [
        ("Petter (service), 13:58:\n", False),
        ("can u open the port 1883 for my test box?\n", False),
        ("What do you think of the 1883?", True),
    ]


def test_a_sentence_before_a_colon_is_no_label_and_a_typed_one_takes_nothing() -> None:
    """A pasted sentence of many words may stand above the owner's answer."""
    long = "and this is what the whole of the report says about it in the end:\nno, the port stays closed"
    assert judge(long, False, True)[-1] == ("no, the port stays closed", True)
    assert judge("one rule more:\nnever open the port", True, True)[-1][1]


@given(st.lists(st.sampled_from(["Ada:\n", "the port stays closed\n", "\n\n", "a log line ", ":\n"]), max_size=10), st.data())
def test_no_word_is_lost_and_none_is_given_to_the_owner(parts: list[str], data: st.DataObject) -> None:
    """The paragraphs cover the same characters; the sign takes words from the owner and gives none."""
    text = "".join(parts)
    paragraphs = split_paragraphs(text)
    judged = data.draw(st.tuples(*[st.booleans()] * len(paragraphs)))
    taken = take_labelled_lines(text, list(zip(paragraphs, judged, strict=True)))
    assert "".join(text[part.start : part.end] for part, _ in taken).split() == text.split()
    for part, is_typed in taken:
        before = [typed for paragraph, typed in zip(paragraphs, judged, strict=True) if _holds(paragraph, part)]
        assert before == [True] or not is_typed


def _holds(paragraph: Paragraph, part: Paragraph) -> bool:
    return paragraph.start <= part.start and part.end <= paragraph.end
