"""Makes the rows of `proposals` again from what else tells of them, and events that are lost from the proposals.

The events tell the words, the times and the outcome; REVIEW.md, as the lake keeps its last rendering or as it lies on the disk,
the section, the changed line and the facts of what waits; the daily logs the section of each, and the line that it changed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import cast

import polars as pl

from effects.memory.proposal_store import OWNER_ACTOR, RECOLLECT
from effects.memory.review_page import PATH
from effects.store.memory_file import list_memory_sections, read_memory
from effects.store.run import Run
from effects.system.files import read_page
from transforms.conversation.origins import find_least_trusted
from transforms.language.sentences import find_content_words
from transforms.memory.promotion import has_same_words
from transforms.pages.memory_md import parse_memory
from transforms.pages.page_names import shorten_project
from transforms.pages.review.read_review import read_rendered_lines
from transforms.pages.review_lines import ID, begins_item
from transforms.pages.visible_text import format_code
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import Origin, ProposalOperation, ProposalStatus
from transforms.tables.ids import shorten_id
from transforms.tables.periods import find_first_moment
from transforms.tables.rows import MemoryLineRow, ObservationRow, ProposalEventRow, ProposalRow
from transforms.tables.schema import MEMORY_LINES, OBSERVATIONS, PROPOSAL_EVENTS, PROPOSALS, build_frame, read_rows
from transforms.tables.surrogates import restore_bytes

LEAST_WORDS = 3
"""Words of a line by which a fact that has all of them is taken for its evidence."""
MOST_FACTS = 12
_ORDER = ("proposed", "vanished", "edited")
"""Events that come before the others of the same moment."""
_ENDED: dict[str, ProposalStatus] = {
    "approved": "approved",
    "promoted": "approved",
    "rejected": "rejected",
    "expired": "expired",
    "merged": "merged",
}
_ID = r"[pf]-\d{8}-\d{3,}"
_CHANGED = compile_late(r"^\s+- (?P<what>Removes from|Replaces in) MEMORY\.md: `(?P<line>.*)`$")
_SOURCE = compile_late(r"\(`recollect show (?P<id>\S+)`\)$")
_TARGET = compile_late(r"^\s+- Target: `(?P<target>.*)`, section ")
_HOLDS_IN = compile_late(r"^\s+- Holds in (?P<project>.*)$")
_SEVERITY = compile_late(r"^\s+- (?P<pattern>[^“]*), severity (?P<severity>[\d.]+(?:e[+-]?\d+)?) \(sessions × minutes ")
_NOTE = compile_late(r"^\s+- (?P<note>[^⚠⏳`]*)$")
_PROPOSED = compile_late(rf"^\* `(?P<id>{_ID})` (?P<section>[^:]+): ")
_REVIEWED = compile_late(rf"^\* .*?`(?P<id>{_ID})` \((?P<section>.*?)\): (?P<text>.*?)(?: — was: (?P<old>- .*))?$")
_SHOWN_DETAIL = compile_late(r"^\s+- (?:The line to replace is gone |and \d+ more sources? )")


@dataclass
class ShownItem:
    """A proposal as a page shows it; `old` is the line that it changes and `short_ids` name its evidence, as they stand there."""

    text: str
    section: str = ""
    op: ProposalOperation = "add"
    old: str = ""
    target: str = "MEMORY.md"
    project: str = ""
    pattern: str | None = None
    severity: float | None = None
    short_ids: list[str] = field(default_factory=list)


@dataclass
class LoggedItem:
    """A proposal as the daily logs tell it: its section, its words, and the line that it replaced or removed."""

    section: str = ""
    text: str = ""
    old: str = ""


@dataclass(frozen=True, slots=True)
class Traces:
    """What is told of one proposal."""

    events: Sequence[ProposalEventRow]
    shown: ShownItem | None
    line: MemoryLineRow | None
    logged: LoggedItem


@dataclass
class Fate:
    """What became of a proposal. `is_promoted` is whether MEMORY.md was changed, None when it never was and False when that was
    taken back; `stood` the line that this took out of it, when the page had before what was approved; None when it had not."""

    created_at: datetime
    status: ProposalStatus = "pending"
    decided_at: datetime | None = None
    shown_at: datetime | None = None
    text: str = ""
    is_promoted: bool | None = None
    stood: str | None = None


def restore_proposals(run: Run) -> int:
    """Add the rows of proposals that the events, REVIEW.md or `memory_lines` name and the table lacks; return how many."""
    lake = run.lake
    known = list(read_rows(PROPOSALS, lake.read("proposals")))
    events: defaultdict[str, list[ProposalEventRow]] = defaultdict(list)
    for event in read_rows(PROPOSAL_EVENTS, lake.read("proposal_events")):
        events[event["proposal_id"]].append(event)
    shown = read_shown_items(_read_last_page(run))
    lines = {row["proposal_id"]: row for row in read_rows(MEMORY_LINES, lake.read("memory_lines"))}
    named = {name for name in (*events, *shown, *lines) if ID.fullmatch(name)} - {row["proposal_id"] for row in known}
    if not named:
        return 0
    facts, logged = _list_facts(run), _read_logged_items(run)
    traces = {
        name: Traces(events[name], shown.get(name), lines.get(name), logged.get(name) or LoggedItem()) for name in sorted(named)
    }
    rows = [_make_row(run, name, known_of, facts) for name, known_of in traces.items()]
    with lake.commit() as change:
        change.replace("proposals", build_frame(PROPOSALS, [*known, *rows]))
    return len(rows)


def restore_events(run: Run) -> int:
    """Add the events that follow from the proposals and promoted lines and that the record of decisions lacks; return how many.

    Later wordings, marks and who wrote a line by hand are told by no other table.
    """
    lake = run.lake
    stored = lake.read("proposal_events")
    known = {(name, event) for name, event in stored.select("proposal_id", "event").iter_rows()}
    promoted = {row["proposal_id"]: row for row in read_rows(MEMORY_LINES, lake.read("memory_lines"))}
    made: list[ProposalEventRow] = []
    for row in read_rows(PROPOSALS, lake.read("proposals")):
        name, status = row["proposal_id"], row["status"]
        actor = OWNER_ACTOR if status in ("approved", "rejected") else RECOLLECT
        events = [("proposed", row["created_at"], RECOLLECT)]
        events += [(status, row["decided_at"], actor)] if status != "pending" and row["decided_at"] else []
        events += [("promoted", promoted[name]["at"], RECOLLECT)] if name in promoted else []
        made += [
            cast("ProposalEventRow", {"proposal_id": name, "event": event, "at": at, "actor": who, "text": row["text"]})
            for event, at, who in events
            if (name, event) not in known
        ]
    if made:
        with lake.commit() as change:
            change.append("proposal_events", build_frame(PROPOSAL_EVENTS, made))
    return len(made)


def read_shown_items(page: str) -> dict[str, ShownItem]:
    """Return the proposals that a rendered REVIEW.md shows, by id."""
    sections = {name: line.section or "" for name, line in read_rendered_lines(page).items()}
    items: dict[str, ShownItem] = {}
    item = None
    for row in page.splitlines():
        if begins_item(row) and (match := ID.search(row)):
            text = row[match.end() :].lstrip("`").strip()
            item = items.setdefault(match[0], ShownItem(text.removeprefix("Remove: "), sections.get(match[0], "")))
        elif not row[:1].isspace():
            item = None
        elif item is not None:
            _read_detail(item, row)
    return items


def _read_detail(item: ShownItem, row: str) -> None:
    if match := _CHANGED.match(row):
        item.op, item.old = "remove" if match["what"].startswith("Removes") else "replace", match["line"]
    elif match := _SOURCE.search(row):
        item.short_ids += [match["id"]] if not ID.fullmatch(match["id"]) else []
    elif match := _TARGET.match(row):
        item.target, item.section = match["target"], row[match.end() :].strip()
    elif match := _HOLDS_IN.match(row):
        item.project = match["project"]
    elif match := _SEVERITY.match(row):
        item.pattern, item.severity = match["pattern"].lower(), float(match["severity"])
    elif not _SHOWN_DETAIL.match(row) and (match := _NOTE.match(row)):
        item.pattern = match["note"]


def _read_last_page(run: Run) -> str:
    """Return the last rendering of REVIEW.md; where the lake has lost it, the page on the disk."""
    texts = run.lake.read("pages").filter(pl.col("path") == PATH)["text"].to_list()
    if texts and texts[0]:
        return restore_bytes(texts[0])
    path = run.settings.workspace / PATH
    return read_page(path) if path.is_file() else ""


def _read_logged_items(run: Run) -> dict[str, LoggedItem]:
    """Return the proposals that daily logs name, as they were last written."""
    items: dict[str, LoggedItem] = {}
    texts = run.lake.read("pages").filter(pl.col("path").str.starts_with("memory/")).sort("path")["text"].drop_nulls()
    for row in (row for text in texts for row in restore_bytes(text).splitlines() if row.startswith("* ")):
        if match := _PROPOSED.match(row) or _REVIEWED.match(row):
            item = items.setdefault(match["id"], LoggedItem())
            shown = match.groupdict()
            item.section, item.text, item.old = match["section"], shown.get("text") or item.text, shown.get("old") or item.old
    return items


def _list_facts(run: Run) -> list[ObservationRow]:
    facts = run.lake.scan("observations").filter(pl.col("verdict") == "allow").sort("said_at", "observation_id").collect()
    return list(read_rows(OBSERVATIONS, facts))


def _make_row(run: Run, name: str, traces: Traces, facts: Sequence[ObservationRow]) -> ProposalRow:
    """Return a proposal as its traces tell it."""
    shown, line, fate = traces.shown, traces.line, _find_fate(run, name, traces)
    (bullet,) = parse_memory(line["text"]).bullets[:1] or (None,) if line else (None,)
    text = fate.text or (bullet.text if bullet else "") or (shown.text if shown else "")
    evidence = _find_evidence(shown, text, fate.created_at, facts)
    op, old = _find_change(run, name, fate, traces)
    projects: set[str | None] = {fact["project"] for fact in evidence}
    if shown and shown.project:
        projects = {_find_project(run, shown.project) or shown.project}  # its name: else the line would hold everywhere
    times = [fact["said_at"] for fact in evidence if fact["said_at"] is not None]
    said_at = max(times, default=None) or (find_first_moment(bullet.dated, run.zone) if bullet and bullet.dated else None)
    sections = (line["section"] if line else "", shown.section if shown else "", traces.logged.section)
    return {
        "proposal_id": name, "kind": "memory" if name.startswith("p") else "friction", "op": op,
        "section": next((section for section in sections if section), None) or list_memory_sections(run)[0],
        "text": text, "old_text": old, "target": shown.target if shown else "MEMORY.md",
        "evidence_ids": [fact["observation_id"] for fact in evidence] + _find_references(run, shown),
        "evidence_sources": None, "severity": shown.severity if shown else None, "pattern": shown.pattern if shown else None,
        "origin": find_least_trusted(fact["origin"] for fact in evidence) if evidence else _find_speaker(traces.events),
        "project": next(iter(projects)) if len(projects) == 1 else None, "is_everywhere": None,
        "said_at": said_at or fate.created_at, "status": fate.status, "first_shown_at": fate.shown_at or fate.created_at,
        "created_at": fate.created_at, "decided_at": fate.decided_at,
    }  # fmt: skip


def _find_speaker(events: Iterable[ProposalEventRow]) -> Origin | None:
    """Return who saved a line on purpose; None for one that recollect proposed."""
    actors = {event["actor"] for event in events if event["event"] == "proposed"}
    return "owner" if OWNER_ACTOR in actors else "agent" if "agent" in actors else None


def _find_fate(run: Run, name: str, traces: Traces) -> Fate:
    """Return what became of a proposal by its events; without any by whether MEMORY.md got its line."""
    if traces.events:
        return _follow_events(traces.events)
    if traces.line:
        return Fate(traces.line["at"], "approved", traces.line["at"], is_promoted=True)
    return Fate(find_first_moment(date.fromisoformat(name.split("-")[1]), run.zone))


def _follow_events(events: Iterable[ProposalEventRow]) -> Fate:
    """Return what became of a proposal, event by event."""
    rank = {event: place for place, event in enumerate(_ORDER)}
    ordered = sorted(events, key=lambda row: (row["at"], rank.get(row["event"], len(rank)), row["event"]))
    fate = Fate(ordered[0]["at"])
    for event in ordered:
        kind, status = event["event"], _ENDED.get(event["event"])
        if kind in ("proposed", "undone"):
            is_expiry = kind == "undone" and event["actor"] == RECOLLECT  # that of a night to come is taken back
            fate.status, fate.decided_at, fate.shown_at = "pending", None, fate.shown_at if is_expiry else event["at"]
        elif kind == "edited" and fate.status == "merged":  # its owner took it back from a model's line
            fate.status, fate.decided_at = "pending", None
        elif status and fate.status != status:
            fate.status, fate.decided_at = status, event["at"]
        if (kind in ("proposed", "edited") or status) and event["text"]:
            fate.text = event["text"]
        if kind == "stood":
            fate.stood = event["text"]
        if kind == "promoted" or (kind == "undone" and fate.is_promoted):
            fate.is_promoted = kind == "promoted"
    return fate


def _find_change(run: Run, name: str, fate: Fate, traces: Traces) -> tuple[ProposalOperation, str | None]:
    """Return what a proposal does, and the line of MEMORY.md that it changes, as it stands there or stood.

    A removal has the words of the line that it removes, and what was promoted without a line of its own was one, unless these
    words stand there all the same: then an addition, or a removal that was taken back.
    """
    shown, logged, memory = traces.shown, traces.logged, read_memory(run)
    bullets = parse_memory(memory).bullets
    if fate.stood:
        return "replace", fate.stood
    if shown is not None and shown.old:
        exact = next((bullet.line for bullet in bullets if format_code(bullet.line) == shown.old), shown.old)
        is_reworded = shown.op == "remove" and fate.text not in ("", shown.text)
        return "replace" if is_reworded else shown.op, exact
    if shown is None and logged.old:
        is_removal = any(bullet.text == logged.text for bullet in parse_memory(logged.old).bullets)
        return "remove" if is_removal else "replace", logged.old
    is_lineless = name.startswith("p") and shown is None and fate.stood is None and traces.line is None
    if is_lineless and fate.is_promoted is not None and has_same_words(memory, fate.text, ()) is not fate.is_promoted:
        return "remove", next((bullet.line for bullet in bullets if bullet.text == fate.text), f"- {fate.text}")
    return "add", None


def _find_evidence(
    shown: ShownItem | None, text: str, made_at: datetime, facts: Sequence[ObservationRow]
) -> list[ObservationRow]:
    """Return the facts that the page names; of a line that it does not show those that have all of its words."""
    if shown is not None:
        wanted = set(shown.short_ids)
        return [fact for fact in facts if shorten_id(fact["observation_id"]) in wanted]
    words = find_content_words(re.sub(r"^\*\*[^*]+\*\* — ", "", text))
    if len(words) < LEAST_WORDS:
        return []
    match = [
        fact for fact in facts
        if (fact["said_at"] is None or fact["said_at"] <= made_at) and words <= find_content_words(fact["text"])
    ]  # fmt: skip
    return match[-MOST_FACTS:]


def _find_references(run: Run, shown: ShownItem | None) -> list[str]:
    """Return the entries that the page names as evidence, `session:entry`."""
    wanted = {name for name in shown.short_ids if ":" in name} if shown else set[str]()
    if not wanted:
        return []
    heads = {name.rpartition(":")[0] for name in wanted}
    sessions = [name for name in run.lake.read("sessions")["session_id"] if shorten_id(name) in heads]
    entries = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions)).select("session_id", "entry_id").collect()
    return sorted(name for session, entry in entries.iter_rows() if shorten_id(name := f"{session}:{entry}") in wanted)


def _find_project(run: Run, label: str) -> str | None:
    projects = run.lake.read("sessions")["project"].drop_nulls().unique().sort().to_list()
    return next((project for project in projects if shorten_project(project) == label), None)
