"""Takes from the owner the line behind a label that somebody else stands in: "Petter (service), 13:58: can you open the port".

The judge of paragraphs sees label and message apart. It knows the label for no words of the owner, while the message of a
colleague is written like the owner's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.attribution.given_blocks import is_point
from transforms.classify.paragraphs import Paragraph

MOST_LABEL_CHARS = 40
"""A longer paragraph before a colon is a sentence."""


def take_labelled_lines(text: str, judged: Sequence[tuple[Paragraph, bool]]) -> list[tuple[Paragraph, bool]]:
    """Return the judged paragraphs of an entry; the first line behind a short one that ends with a colon and that the owner did
    not type is not typed either. Below it the owner may go on, so the rest keeps its judgement."""
    taken: list[tuple[Paragraph, bool]] = []
    for paragraph, is_typed in judged:
        is_below = bool(taken) and not taken[-1][1] and _is_label(text[taken[-1][0].start : taken[-1][0].end])
        if is_typed and is_below and not is_point(text[paragraph.start : paragraph.end]):  # no message, but a list of "Topics:"
            line_end = text.find("\n", paragraph.start, paragraph.end) + 1 or paragraph.end
            taken.append((Paragraph(paragraph.start, line_end), False))
            if text[line_end : paragraph.end].strip():
                taken.append((Paragraph(line_end, paragraph.end), True))
        else:
            taken.append((paragraph, is_typed))
    return taken


def _is_label(words: str) -> bool:
    label = words.strip()
    return label.endswith(":") and "\n" not in label and len(label) <= MOST_LABEL_CHARS
