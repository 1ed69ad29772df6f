"""The changes of lines of MEMORY.md that wait for the owner: until a decision the line says so wherever it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from transforms.tables.rows import ProposalRow

if TYPE_CHECKING:  # a question that meets no waiting change needs no parser of Markdown
    from transforms.pages.memory_md import Bullet


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """A proposal in REVIEW.md that would replace or remove a line of MEMORY.md, and the facts that it rests on."""

    proposal_id: str
    is_removal: bool
    evidence_ids: tuple[str, ...]

    def describe(self) -> str:
        """Return the mark behind the line: it may no longer hold, and the owner has not decided yet."""
        return f"{'removal' if self.is_removal else 'replacement'} waits: {self.proposal_id}"


def find_waiting_changes(proposals: Iterable[ProposalRow], bullets: Iterable[Bullet]) -> dict[str, WaitingChange]:
    """Return the change that waits for each of the `bullets` that has one, by the bullet's text without its date.

    The newest one counts where a line has several.
    """
    waiting = [row for row in proposals if row["status"] == "pending" and row["op"] in ("replace", "remove")]
    changes = {
        row["old_text"]: WaitingChange(row["proposal_id"], row["op"] == "remove", tuple(row["evidence_ids"] or ()))
        for row in sorted(waiting, key=lambda row: row["proposal_id"])
    }
    return {bullet.text: changes[bullet.line] for bullet in bullets if bullet.line in changes}


def join_line_marks(warning: str, change: WaitingChange | None) -> str:
    """Return the mark behind a line of MEMORY.md: what is gone of what it names, and the change that waits."""
    return "; ".join(filter(None, (f"⚠️ {warning}" if warning else "", change.describe() if change else "")))
