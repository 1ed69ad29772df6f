"""The owner's decisions on a REVIEW.md: pure, so that the same page and table always yield the same answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from itertools import takewhile

from transforms.pages.review.read_review import OwnLine, ParsedReview, read_rendered_lines, read_review
from transforms.pages.review_lines import ID, ReviewLine, begins_item, compare_words, strip_emphasis

MAX_UNCONFIRMED = 2
"""Rejections at once that never need a confirmation."""
OF_ANOTHER_MEMORY = "the page of another memory (of another machine, or of a lake that is gone)"
EXPIRING_DAYS_BEFORE = 2
"""A proposal is marked as expiring from this many days before its end: from day 5 of 7."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Outcomes by proposal id. `held` are rejections that wait for a confirmation; `unclear` ones could not be understood.

    `own` are lines that the owner wrote and ticked. `late` are ticks on lines that do not wait any more, with their edited words.
    """

    edited: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    approved: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    own: tuple[OwnLine, ...] = ()
    late: dict[str, str] = field(default_factory=dict)


def find_unreadable_reason(page: ParsedReview, render_id: str | None) -> str:
    """Return why nothing can be read from this page; empty when it can."""
    if page.has_conflict:
        return "it has the marks of a merge conflict (<<<<<<<, >>>>>>>)"
    if page.render_id is None:
        return "it lacks the line `<!-- recollect:review … -->` at its start"
    if render_id is None:
        return f"it is {OF_ANOTHER_MEMORY}"
    if page.render_id != render_id:
        return f"it is an older rendering, or {OF_ANOTHER_MEMORY} ({page.render_id} instead of {render_id})"
    if not page.is_complete:
        return f"it lacks the line `<!-- /recollect:review {render_id} -->` at its end"
    return ""


def read_decisions(text: str, base: str, pending: Collection[str], is_confirmed: bool) -> Decisions:
    """Return the decisions of a readable page on the proposals that `base` (the last rendering) showed and that still wait.

    A rejection of more than two, and more than half, of them at once is held unless `is_confirmed`: it looks like an editor's
    accident.
    """
    page, rendered = read_review(text, base), read_rendered_lines(base)
    pending_lines = {proposal_id: line for proposal_id, line in sorted(rendered.items()) if proposal_id in pending}
    edited: dict[str, str] = {}
    moved: dict[str, str] = {}
    outcomes: dict[str, str] = {}
    for proposal_id, before in pending_lines.items():
        line = page.lines.get(proposal_id)
        # Without an id nobody knows whether a ticked line was this one with other words: it is not taken for deleted.
        perhaps = [own.text for own in page.own if own.section in (None, before.section)]
        is_doubtful = bool(perhaps) and not _is_taken_out(text, base, proposal_id)
        if is_doubtful and _is_block_gone(text, base, proposal_id):
            is_doubtful = any(not own.isascii() or compare_words(own, before.text) > 0 for own in perhaps)
        outcomes[proposal_id] = outcome = _read_outcome(line, proposal_id in page.mentioned or is_doubtful)
        if line is None or outcome == "reject":
            continue
        if line.text and line.text != before.text:
            edited[proposal_id] = line.text
        if line.section is not None and line.section != before.section and before.section is not None:
            moved[proposal_id] = line.section
    rejected = _select_outcome(outcomes, "reject")
    is_held = is_too_many(len(rejected), len(pending_lines)) and not is_confirmed
    return Decisions(
        edited=edited,
        moved=moved,
        approved=_select_outcome(outcomes, "approve"),
        rejected=() if is_held else rejected,
        held=rejected if is_held else (),
        unclear=_select_outcome(outcomes, "unclear"),
        own=page.own,
        late={
            proposal_id: line.text if line.text != rendered[proposal_id].text else ""
            for proposal_id, line in page.lines.items()
            if proposal_id in rendered and proposal_id not in pending and line.mark == "approve" and line.text
        },
    )


def is_too_many(rejected: int, shown: int) -> bool:
    """Whether so many rejections at once look like an accident: more than two, and more than half of the shown proposals."""
    return rejected > MAX_UNCONFIRMED and 2 * rejected > shown


def count_days_left(touched: date, today: date, expire_days: int) -> int:
    """Return the days until an untouched proposal expires; 0 or less when it has expired."""
    return expire_days - (today - touched).days


def is_expiring(days_left: int, expire_days: int) -> bool:
    """Whether a proposal is to be marked as expiring soon."""
    return days_left <= min(EXPIRING_DAYS_BEFORE, expire_days - 1)


def _is_block_gone(text: str, base: str, proposal_id: str) -> bool:
    """Whether nothing of a proposal stands on the page, nor its evidence: who words a line anew leaves that below it.

    Proposals of one message have the same evidence, so each that is missing must have taken its own away.
    """
    shown = [row for row in base.splitlines() if row.strip()]
    evidence: dict[str, set[str]] = {}
    for at, row in enumerate(shown):
        for key in ID.findall(row)[:1] if begins_item(row) else ():
            evidence[key] = set(map(_strip_row, takewhile(lambda below: below[:1].isspace(), shown[at + 1 :])))
    here = {key for row in text.splitlines() if begins_item(row) for key in ID.findall(row)[:1]} - {proposal_id}
    lost = Counter(row for key, rows in evidence.items() if key not in here for row in rows)
    was, left = Counter(map(_strip_row, shown)), Counter(map(_strip_row, text.splitlines()))
    own = evidence.get(proposal_id, set())
    return bool(own) and all(was[row] - left[row] >= lost[row] for row in own)


def _is_taken_out(text: str, base: str, proposal_id: str) -> bool:
    """Whether the rows below a proposal still stand on the page, and right below other rows of ours: nothing took its place."""
    shown = [row for row in base.splitlines() if row.strip()]
    start = next((at for at, row in enumerate(shown) if proposal_id in ID.findall(row) and begins_item(row)), len(shown))
    below = next(iter(shown[start + 1 :]), "")
    if not below[:1].isspace():
        return False
    own_rows, rows = [_strip_row(row) for row in shown], [_strip_row(row) for row in text.splitlines() if row.strip()]
    places = [at for at, row in enumerate(rows) if row == _strip_row(below)]
    is_standing = len(places) == own_rows.count(_strip_row(below))
    return is_standing and all(rows[at - 1] in own_rows or ID.search(rows[at - 1]) for at in places if at)


def _strip_row(row: str) -> str:
    """Return the words of a row in any form, without its bullet."""
    return strip_emphasis(row.strip().lstrip("-*+>• "))


def _read_outcome(line: ReviewLine | None, is_mentioned: bool) -> str:
    if line is None:
        return "unclear" if is_mentioned else "reject"
    if line.mark == "approve" and not line.text:
        return "unclear"
    return line.mark


def _select_outcome(outcomes: Mapping[str, str], wanted: str) -> tuple[str, ...]:
    return tuple(proposal_id for proposal_id, outcome in outcomes.items() if outcome == wanted)
