"""The words of a window are those of its whole text, in whatever parts they are cut."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from tests.transforms.conversations import agent, conversation, ran, user
from transforms.distil.window_evidence import WindowEvidence, is_output, pad_words

TEXT = st.text(alphabet="aΣσİẞ日本한 '’.-_\n9Z", max_size=12)


@example([("", "", "9’日9'9")], [])
@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=1, max_size=3), st.lists(TEXT, max_size=2))
def test_words_of_parts_are_the_words_of_the_whole(said: list[tuple[str, str, str]], earlier: list[str]) -> None:
    """In every script: signs that change in lower case by their neighbours, characters that are a word each."""
    parts = [[user(typed), *ran(f"echo {reply}", printed, text=reply)] for typed, reply, printed in said]
    window = WindowEvidence(tuple(conversation(*parts, agent("Done Σ"))), earlier=tuple(earlier))
    assert window.all_words == pad_words(window.known_names)
    assert window.output == pad_words("\n".join(entry.text for entry in window.entries if is_output(entry)))
    spoken = [entry for entry in window.entries if not is_output(entry)]
    words_said = [entry.text if entry.role == "assistant" else entry.owner_words for entry in spoken]
    assert window.prose == pad_words("\n".join(words_said))
