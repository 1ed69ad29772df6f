"""What a reflecting model is shown: the observations for its prompt, and the lines of MEMORY.md."""

from __future__ import annotations

from collections.abc import Sequence

from transforms.distil.row_grounding import ROW_OVERHEAD_TOKENS, escape_row
from transforms.language import cue_phrases
from transforms.memory.eligibility import is_notable
from transforms.memory.passing_line import is_passing
from transforms.pages.memory_md import MemoryPage
from transforms.redaction.redact import redact
from transforms.tables.rows import ObservationRow
from transforms.tables.tokens import count_tokens

EVIDENCE_TOKENS = 20_000
"""Most tokens of evidence in a prompt; the offline rules handle the rest."""
MEMORY_TOKENS = 6_000
BULLET_OVERHEAD_TOKENS = 4
"""Tokens of a bullet's date."""


def select_prompt_rows(rows: Sequence[ObservationRow]) -> list[ObservationRow]:
    """Return the observations for the prompt, oldest first: high and medium ones, the best of them when they are too many."""
    open_rows = [row for row in rows if _is_open(row)]
    remaining_tokens = EVIDENCE_TOKENS
    chosen = []
    for row in sorted(open_rows, key=rank_row):
        remaining_tokens -= count_tokens(row["text"]) + ROW_OVERHEAD_TOKENS
        if remaining_tokens < 0:
            break
        chosen.append(row)
    return sorted(chosen, key=lambda row: (row["said_at"], row["observation_id"]))


def list_unread_rows(rows: Sequence[ObservationRow], shown: Sequence[ObservationRow]) -> list[str]:
    """Return the notable observations that the prompt had no room for, the best first: they are shown another day."""
    read = {row["observation_id"] for row in shown}
    unread = [row for row in rows if row["observation_id"] not in read and _is_open(row) and is_notable(row)]
    return [row["observation_id"] for row in sorted(unread, key=rank_row)]


def _is_open(row: ObservationRow) -> bool:
    return row["verdict"] == "allow" and row["superseded_by"] is None and row["priority"] in ("high", "medium")


def rank_row(row: ObservationRow) -> tuple[bool, bool, float, str]:
    """Return the order of observations in a prompt: what is notable first, then what is high, the newest before the others."""
    return not is_notable(row), row["priority"] != "high", -row["said_at"].timestamp(), row["observation_id"]


def select_memory_lines(page: MemoryPage) -> list[tuple[str, list[str]]]:
    """Return MEMORY.md's lines by section without instructions (they breed more of their kind) and secrets; the newest lines
    stay first."""
    remaining_tokens = MEMORY_TOKENS
    by_section: dict[str, list[str]] = {section.name: [] for section in page.sections}
    for bullet in reversed(page.bullets):
        remaining_tokens -= count_tokens(bullet.text) + BULLET_OVERHEAD_TOKENS
        if remaining_tokens > 0 and bullet.text and not is_passing(bullet.text) and not cue_phrases.INJECTION.search(bullet.text):
            by_section.setdefault(bullet.section, []).insert(0, redact(escape_row(bullet.line)).removeprefix("- "))
    return [(name, lines) for name, lines in by_section.items() if lines]
