"""Promotes an approved proposal into MEMORY.md, and cleans the words of a person that become a line: pure, and idempotent.

REVIEW.md, the walk in a terminal, `remember` and Todoist bring words in through `clean_line` alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from transforms.pages.memory_md import (
    MAX_LINE_CHARS,
    QUOTED_MARKER,
    Bullet,
    UnsafeEditError,
    add_bullet,
    format_bullet,
    has_conflict_marks,
    has_hidden_line,
    parse_memory,
    remove_line,
    replace_line,
)
from transforms.pages.review_lines import strip_emphasis
from transforms.pages.visible_text import format_line, make_visible
from transforms.patterns.late_pattern import compile_late
from transforms.tables.rows import ProposalRow

_OWN_DATE = compile_late(r"^(?:-\s+)?\((\d{4}-\d{2}-\d{2})\)\s+(?=\S)")

MOST_TYPED_CHARS = 8 * MAX_LINE_CHARS
"""Characters that are searched for secrets; more make no line whatever they are."""

PromotionResult = Literal["done", "stood", "vanished", "unsafe"]


class UnfitLineError(ValueError):
    """These words are no line: there are none (`size` 0), or too many."""

    def __init__(self, size: int) -> None:
        """`size` is the number of characters."""
        super().__init__(f"{size} characters are too long for a line of memory" if size else "there is nothing to remember")
        self.size = size


def clean_line(text: str) -> str:
    """Return the words as a line: blanks become one, what cannot be seen is left out, secrets become placeholders.

    Raises:
        UnfitLineError: when there are no words, or too many.
    """
    from transforms.redaction.redact import redact  # the judge of secrets: a session's start reads this module and must be quick

    if len(text) > MOST_TYPED_CHARS:
        raise UnfitLineError(len(text))
    words = redact(" ".join(make_visible(text).split()), is_user=True)
    if not 0 < len(words) <= MAX_LINE_CHARS:
        raise UnfitLineError(len(words))
    return words


@dataclass(frozen=True, slots=True)
class Promotion:
    """MEMORY.md after the promotion, the line that stands in it now (empty after a removal), and the result.

    `removed` is the line that it took out, when the one that takes its place stood there before.
    """

    text: str
    line: str
    result: PromotionResult
    problem: str = ""
    removed: str = ""


def promote(memory: str, proposal: ProposalRow, day: date, order: Sequence[str]) -> Promotion:
    """Add, replace or remove one line, dated `day` unless the owner wrote a date.

    `stood`: the page has what the proposal wants by its owner's hand, with any date and emphasis; then nothing is added.
    `vanished`: the line to replace is gone, and nothing changes. `unsafe`: nobody knows what an edit would mean on this page.
    """
    own = _OWN_DATE.match(proposal["text"])
    words = proposal["text"][own.end() :] if own else proposal["text"]
    line = format_bullet(words, _parse_date_or(own[1], day) if own else day)
    old = proposal["old_text"] or ""
    if has_conflict_marks(memory):
        return Promotion(
            memory, line, "unsafe", "MEMORY.md has the marks of a merge conflict (<<<<<<<, >>>>>>>); resolve it first"
        )
    if proposal["op"] != "add" and has_hidden_line(memory, old):
        return Promotion(memory, line, "unsafe", "the line that it changes stands inside a code fence or a comment")
    if proposal["op"] == "remove":
        changed = remove_line(memory, old)
        return Promotion(memory, "", "stood") if changed is None else Promotion(changed, "", "done")
    standing = _find_same_words(memory, words, old)
    if proposal["op"] == "replace":
        return _replace(memory, old, _keep_prefix(old, line), standing)
    if standing:
        return Promotion(memory, standing.line, "stood")
    try:
        return Promotion(add_bullet(memory, proposal["section"], line, order), line, "done")
    except UnsafeEditError as error:
        return Promotion(memory, line, "unsafe", str(error))


def is_line_missing(memory: str, proposal: ProposalRow) -> bool:
    """Whether a change quotes a line that MEMORY.md does not have; a conflict or an open code fence hides lines only."""
    old = proposal["old_text"] or ""
    if has_conflict_marks(memory) or has_hidden_line(memory, old):
        return False
    return proposal["op"] != "add" and not parse_memory(memory).has_line(old)


def _replace(memory: str, old: str, line: str, standing: Bullet | None) -> Promotion:
    """Return the page with one line in place of another; when its words stand elsewhere, only without the old one."""
    if standing is None:
        changed = replace_line(memory, old, line)
        return Promotion(memory, line, "vanished") if changed is None else Promotion(changed, line, "done")
    without = remove_line(memory, old)
    if without is None:
        return Promotion(memory, standing.line, "stood")
    return Promotion(without, standing.line, "stood", removed=old)


def has_same_words(memory: str, words: str, olds: Collection[str]) -> bool:
    """Whether a bullet, other than `olds`, has these words, with any date and emphasis."""
    wanted, bullets = _strip_form(format_line(words)), parse_memory(memory).bullets
    return any(wanted and bullet.line not in olds and _strip_form(bullet.text) == wanted for bullet in bullets)


def _find_same_words(memory: str, words: str, old: str) -> Bullet | None:
    """Return the bullet, other than the line to replace, that has these words."""
    wanted, bullets = _strip_form(format_line(words)), parse_memory(memory).bullets
    return next((bullet for bullet in bullets if wanted and bullet.line != old and _strip_form(bullet.text) == wanted), None)


def _strip_form(text: str) -> str:
    return strip_emphasis(text).rstrip(" .")


def _keep_prefix(old: str, line: str) -> str:
    """Return the new line with the indentation and list marker of the old one, so that a list stays one list."""
    prefix = QUOTED_MARKER.match(old)
    return (prefix[0] if prefix else "- ") + line.removeprefix("- ")


def _parse_date_or(written: str, fallback: date) -> date:
    try:
        return date.fromisoformat(written)
    except ValueError:
        return fallback
