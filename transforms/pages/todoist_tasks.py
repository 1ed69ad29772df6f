"""A proposal as a task of Todoist: its title, its description, and the proposal that a description names."""

from __future__ import annotations

import re

from transforms.pages.review_md import ReviewItem
from transforms.pages.visible_text import format_line
from transforms.patterns.late_pattern import compile_late

TODOIST_TITLE_CHARS = 500
"""Todoist's limit of a title."""
DESCRIPTION_CHARS = 8_000
_PROPOSAL_MARK = compile_late(r"^recollect ([pf]-\d{8}-\d{3,})$", re.MULTILINE)


def format_title(line: str, operation: str, old_line: str | None) -> str:
    """Return the title: the line itself, so that editing the title edits the line; a longer one is cut."""
    text = format_line(f"Remove: {old_line}" if operation == "remove" else line)
    return text if len(text) <= TODOIST_TITLE_CHARS else text[: TODOIST_TITLE_CHARS - 1] + "…"


def may_be_edited(item_text: str, operation: str) -> bool:
    """Whether the title is the whole line, so that an edited title is an edited line."""
    return operation != "remove" and len(format_line(item_text)) <= TODOIST_TITLE_CHARS


def format_description(item: ReviewItem) -> str:
    """Return the description: how to decide, the section, the evidence with time and session, and the proposal's id."""
    lines = ["Complete: accept. Delete: reject. Edit the title for other words.", f"Section: {format_line(item.section)}"]
    if item.op == "replace":
        lines.append(f"Replaces: {format_line(item.old_text)}")
    if item.target:
        lines.append(f"Target: {format_line(item.target)}")
    if len(format_line(item.text)) > TODOIST_TITLE_CHARS:
        lines.append(f"Whole line: {format_line(item.text)}")
    if item.caution:
        lines.append(item.caution)
    for source in item.evidence:
        place = ", ".join(part for part in (source.said, source.project, source.session) if part)
        lines.append(format_line(f"{place}: {source.quoted}" if source.quoted else place))
    if item.more_evidence:
        lines.append(f"and {item.more_evidence} more")
    body = "\n".join(lines)[:DESCRIPTION_CHARS]
    return f"{body}\nrecollect {item.proposal_id}"


def find_proposal(description: str) -> str:
    """Return the id of the proposal that the last line of a description names; empty when it names none."""
    marks = _PROPOSAL_MARK.findall(description.replace("\r\n", "\n"))
    return marks[-1] if marks else ""


def shows_evidence(description: str, item: ReviewItem) -> bool:
    """Whether a description quotes what a proposal rests on: another lake has other proposals of the same id."""
    marks = (source.quoted or source.session for source in item.evidence)
    return any(mark and format_line(mark) in description for mark in marks)
