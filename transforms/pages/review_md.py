"""REVIEW.md: the values of the page, by section. `review/read_review` reads it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo

from transforms.tables.rows import ProposalRow

FRICTION_HEADING = "Friction Fixes"
SECTION_HEADING = "Proposed for: "
NOTES_HEADING = "Your notes"


@dataclass(frozen=True, slots=True)
class ReviewSource:
    """An observation behind a proposal, as the page shows it; `answered` is the question or option that the quotation answers,
    `is_summed_up`: the line is in the words of an agent's summary rather than in these."""

    said: str
    project: str
    session: str
    quote: str
    observation_id: str
    answered: str = ""
    is_summed_up: bool = False

    @property
    def quoted(self) -> str:
        """The quotation in its marks, with what it answers, and whose words the line has; empty without one."""
        answered = f", answering “{self.answered}”" if self.answered else ""
        summed_up = ", in the words of an agent's summary" if self.is_summed_up else ""
        return f"“{self.quote}”{answered}{summed_up}" if self.quote else ""


def drop_repeated(sources: Sequence[ReviewSource]) -> list[ReviewSource]:
    """Return the sources without those that quote the same words of the same moment: several facts may rest on one message."""
    first: dict[tuple[str, ...], ReviewSource] = {}
    for source in sources:
        key = (source.said, source.session, source.quote) if source.quote else (source.observation_id,)
        first.setdefault(key, source)
    return list(first.values())


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pending proposal with its evidence. `vanished` is the line that it was to replace and that is gone,
    `severity` the pattern of friction and its cost, or a sentence about another line.

    `caution` names its evidence when neither the owner nor an agent said it; empty when one did. `project` is where a line
    without evidence was saved.
    """

    proposal_id: str
    op: str
    section: str
    text: str
    old_text: str | None
    vanished: str | None
    target: str | None
    evidence: tuple[ReviewSource, ...]
    more_evidence: int
    expires_on: date
    is_expiring: bool
    severity: str = ""
    caution: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """The proposals of one section of MEMORY.md, or the friction fixes."""

    heading: str
    items: tuple[ReviewItem, ...]


@dataclass(frozen=True, slots=True)
class ReviewPage:
    """The values of the template. `left_out` are the reasons of the last reflection not to propose something, with counts;
    `next_lines` are the first that wait for room, and `more_waiting` counts the observations behind others. `unwritten` lines are
    approved, and MEMORY.md could not take them yet; `held_lines` are ids and words of what was held back."""

    render_id: str
    groups: tuple[ReviewGroup, ...]
    notes: tuple[str, ...]
    expire_days: int
    newest: str
    left_out: tuple[tuple[str, int], ...] = ()
    next_lines: tuple[str, ...] = ()
    more_waiting: int = 0
    unwritten: tuple[str, ...] = ()
    held_lines: tuple[tuple[str, str], ...] = ()

    @property
    def pending(self) -> int:
        """The number of proposals that wait."""
        return sum(len(group.items) for group in self.groups)


def group_items(items: Sequence[tuple[str, ReviewItem]], order: Sequence[str]) -> tuple[ReviewGroup, ...]:
    """Return items by section: the known sections first and in order, then the others by name, friction fixes last."""
    by_heading: dict[str, list[ReviewItem]] = {}
    for kind, item in sorted(items, key=lambda pair: pair[1].proposal_id):
        by_heading.setdefault(FRICTION_HEADING if kind == "friction" else SECTION_HEADING + item.section, []).append(item)
    rank = {SECTION_HEADING + name: position for position, name in enumerate(order)}
    names = sorted(by_heading, key=lambda name: (name == FRICTION_HEADING, rank.get(name, len(rank)), name))
    return tuple(ReviewGroup(name, tuple(by_heading[name])) for name in names)


def format_newest_time(rows: Sequence[ProposalRow], zone: tzinfo) -> str:
    """Return when the newest evidence of the proposals was said, as the lines of evidence say it; empty when there is none."""
    times = [said_at for row in rows if isinstance(said_at := row["said_at"], datetime)]
    return max(times).astimezone(zone).strftime("%Y-%m-%d %H:%M") if times else ""
