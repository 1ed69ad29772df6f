"""Cuts a message in a language that no rule reads into what becomes a row each, by its form alone.

Where a sentence begins another matter only words tell. Words of another language look like English ones by chance, and what is
cut by them loses its subject. So such a message stays whole as long as it fits a row.
"""

from __future__ import annotations

from collections.abc import Sequence

from transforms.language.dialogue_acts import ClassifiedSentence
from transforms.language.sentences import join_lines, join_sentences, split_sentences
from transforms.patterns.late_pattern import compile_late

_PARAGRAPH_END = compile_late(r"\n[ \t]*\n\s*")
SHORT_PIECE = 40
"""Characters below which a paragraph stands with the one behind it."""

Piece = tuple[list[ClassifiedSentence], str]
"""The sentences of a row, and the words as they were typed."""


def cut_by_form(sentences: Sequence[ClassifiedSentence], typed: str, most: int) -> list[Piece]:
    """Return the pieces of a message, each with those of its informative `sentences` that stand in it; one without any is none.

    Args:
        sentences: the informative ones, in order.
        typed: the message.
        most: characters of the longest piece; only a single sentence may be longer.
    """
    texts = [_write_line(text) for text in cut_text(typed, most)]
    parts, place, end = [list[ClassifiedSentence]() for _ in texts], 0, 0
    for sentence in sentences:
        words = join_lines(sentence.text)[:SHORT_PIECE]
        begins = {later: text.find(words, end if later == place else 0) for later, text in enumerate(texts) if later >= place}
        if here := [later for later, start in begins.items() if start >= 0]:
            place, end = here[0], begins[here[0]] + len(words)
        parts[place].append(sentence)
    return [(part, text) for part, text in zip(parts, texts, strict=True) if part]


def _write_line(text: str) -> str:
    """Return a text as one line; a semicolon parts lines that end without a mark, between which a quotation may be left out."""
    return join_sentences(join_lines(sentence) for sentence in split_sentences(text))


def cut_text(typed: str, most: int) -> list[str]:
    """Return the paragraphs of a text, a short one with the next; of a longer one than `most` its sentences, in as few parts of
    about the same length as hold them."""
    parts = list[str]()
    for paragraph in _PARAGRAPH_END.split(typed.strip()):
        if parts and len(parts[-1]) < SHORT_PIECE:
            parts[-1] += f"\n{paragraph}"
        else:
            parts.append(paragraph)
    if len(parts) > 1 and len(parts[-1]) < SHORT_PIECE:
        parts[-2:] = [f"{parts[-2]}\n{parts[-1]}"]
    return [piece for part in parts for piece in ([part] if len(part) <= most else _cut_evenly(split_sentences(part), most))]


def _cut_evenly(sentences: Sequence[str], most: int) -> list[str]:
    whole = sum(len(sentence) + 1 for sentence in sentences)
    share = whole / -(-whole // most)
    pieces, begun = list[list[str]](), 0
    for sentence in sentences:
        is_full = bool(pieces) and (begun + len(sentence) / 2 > share * len(pieces) or _measure([*pieces[-1], sentence]) > most)
        if not pieces or is_full:
            pieces.append([])
        pieces[-1].append(sentence)
        begun += len(sentence) + 1
    return [join_sentences(piece) for piece in pieces]


def _measure(sentences: Sequence[str]) -> int:
    return sum(len(sentence) + 1 for sentence in sentences) - 1
