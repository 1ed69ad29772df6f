"""REVIEW.md: rendered from the proposals and their evidence, and compared with the file on disk."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from itertools import groupby
from textwrap import shorten
from typing import Any, Literal

import orjson
import polars as pl

from effects.judging.line_cautions import find_cautions, read_line_words
from effects.memory.proposal_store import ProposalStore, open_proposals
from effects.store.memory_file import list_memory_sections
from effects.store.run import Run
from effects.system.files import encode_page, read_page, remove_leftovers, replace_file
from effects.system.templates import render_template
from transforms.conversation.entries import SUMMARY_TYPES
from transforms.conversation.evidence_quotes import QuotableEntry, quote_evidence
from transforms.conversation.speakers import Attribution, attribute_user_text, read_part_rows, split_quotable
from transforms.friction.command_runs import find_error_line
from transforms.language.sentences import find_content_words
from transforms.memory.lasting.held_line import names_matter, word_held_line
from transforms.memory.normalise_claim import extract_claims
from transforms.pages.page_names import label_projects, name_session, shorten_project
from transforms.pages.review.read_review import read_review
from transforms.pages.review_decisions import find_unreadable_reason
from transforms.pages.review_lines import strip_emphasis
from transforms.pages.review_md import (
    NOTES_HEADING,
    ReviewItem,
    ReviewPage,
    ReviewSource,
    drop_repeated,
    format_newest_time,
    group_items,
)
from transforms.patterns.stops import drop_end_stops
from transforms.quoting.named_lines import fill_note, list_named_lines
from transforms.report.proposal_yield import word_reasons
from transforms.tables.fact_notes import cut_notes
from transforms.tables.ids import hash_fields, hash_text
from transforms.tables.rows import ObservationRow, PageRow, ProposalRow
from transforms.tables.schema import OBSERVATIONS, PAGES, read_rows
from transforms.tables.surrogates import restore_bytes

PATH = "REVIEW.md"
SHOWN_SOURCES, SHOWN_WAITING, MAX_WAITING_CHARS = 3, 3, 120
MAX_HELD = 12
"""Lines that wait for room are named, so that an owner may write one at once; the page stays a page of what is to be decided."""

EvidenceById = dict[str, Callable[[str], ReviewSource]]
ReviewState = Literal["absent", "same", "changed", "unreadable"]


@dataclass(frozen=True, slots=True)
class ReviewFile:
    """REVIEW.md as it is on disk. `base` is the last rendering, `problem` is the reason why it cannot be read."""

    state: ReviewState
    text: str = ""
    base: str = ""
    stored: PageRow | None = None
    problem: str = ""

    @property
    def is_blanked(self) -> bool:
        """Whether somebody emptied a rendered page and no run has noticed yet: the file holds nothing to lose."""
        is_empty, row = self.state == "absent" and bool(self.problem), self.stored
        return is_empty and row is not None and hash_text(self.text) != row["text_hash"]


def read_review_file(run: Run) -> ReviewFile:
    """Return the page on disk, compared with the last rendering. A missing or blank page has no decisions and may be written."""
    stored = next(read_rows(PAGES, run.lake.read("pages").filter(pl.col("path") == PATH)), None)
    base = restore_bytes(stored["text"] or "") if stored else ""
    path = run.settings.workspace / PATH
    try:
        text = read_page(path) if path.exists() else ""
    except OSError as error:
        return ReviewFile("unreadable", "", base, stored, f"it cannot be read: {error.strerror}")
    if not text.strip():
        return ReviewFile("absent", text, base, stored, "it is empty" if path.exists() and stored else "")
    if stored and hash_text(text) == stored["text_hash"]:
        return ReviewFile("same", text, base, stored)
    problem = find_unreadable_reason(read_review(text, base), stored["render_id"] if stored else None)
    return ReviewFile("unreadable" if problem else "changed", text, base, stored, problem)


def back_up_review(run: Run, text: str, base: str) -> None:
    """Keep the owner's version of the page as `.REVIEW.md.bak`: rendering drops ticks, marks and free formatting.

    Rows that `base`, the last rendering, does not have are the owner's: in these secrets become placeholders.
    """
    from transforms.redaction.redact import redact  # the judge of secrets: a session's start reads this module and must be quick

    page = run.settings.workspace / PATH
    backup = page.with_name(f".{PATH}.bak")
    remove_leftovers(backup)  # of a killed run: no commit names the copy
    ours = set(base.splitlines())
    parts = groupby(text.splitlines(keepends=True), lambda row: row.rstrip("\r\n") in ours)
    kept = "".join(words if is_ours else redact(words, is_user=True) for is_ours, rows in parts for words in ["".join(rows)])
    replace_file(backup, encode_page(kept), like=page)


def render_review(run: Run, frames: Mapping[str, pl.DataFrame] | None = None) -> tuple[str, str]:
    """Return REVIEW.md as it should be now, and its render id (a hash of its content). The owner's notes stay in it.

    `frames` are the tables `observations` and `sessions`, when the caller has read them.
    """
    store, disk = open_proposals(run), read_review_file(run)
    rows = list(store.list_pending().values())
    notes = read_review(disk.text, disk.base).notes if disk.state in ("same", "changed") else ()
    items = _build_items(store, rows, frames)
    note = _read_last_reflection(store)
    next_lines, more_waiting = _find_next_lines(store, note.get("waiting") or (), frames)
    held_lines = _list_held_lines(store, frames)
    page = ReviewPage(
        "-", group_items(items, list_memory_sections(run)), notes, run.settings.review.expire_days,
        format_newest_time(rows, run.zone),
        word_reasons(note.get("dropped") or {}), next_lines, more_waiting, _list_unwritten_lines(store),
        held_lines,
    )  # fmt: skip
    render_id = hash_fields(_render_page(page))
    return _render_page(replace(page, render_id=render_id)), render_id


def is_whole_rendering(text: str) -> bool:
    """Whether a text is REVIEW.md as it was rendered at some time, to the byte: it names the hash of itself."""
    render_id = read_review(text).render_id
    return bool(render_id) and hash_fields(text.replace(str(render_id), "-")) == render_id


def hide_note_secrets(page: str) -> str:
    """Return a rendered REVIEW.md as the lake keeps it: secrets in the owner's notes stay in the owner's file alone."""
    head, heading, rest = page.partition(f"\n## {NOTES_HEADING}\n")
    if not rest:
        return page
    from transforms.redaction.redact import redact  # the judge of secrets: a session's start reads this module and must be quick

    return head + heading + redact(rest, is_user=True)


def build_review_items(run: Run) -> list[ReviewItem]:
    """Return the proposals that wait, with their evidence, oldest id first."""
    store = open_proposals(run)
    items = _build_items(store, list(store.list_pending().values()))
    return sorted((item for _, item in items), key=lambda item: item.proposal_id)


def list_evidence(run: Run, row: ProposalRow) -> list[ReviewSource]:
    """Return all evidence of a proposal: when and in which session it was said, and the words that support it."""
    ids = set(row["evidence_ids"] or ())
    evidence_by_id = _read_evidence(run, ids, _read_cited_facts(run, ids, None), None)
    return drop_repeated([evidence_by_id[key](row["text"]) for key in row["evidence_ids"] or () if key in evidence_by_id])


def _read_last_reflection(store: ProposalStore) -> dict[str, Any]:
    """Return the record of the last reflection: why it did not propose something, and what waits."""
    reflected = store.past.filter(pl.col("event") == "reflected").sort("at", "proposal_id")["text"].to_list()
    note: dict[str, Any] = orjson.loads(reflected[-1]) if reflected else {}
    return note


def _find_next_lines(
    store: ProposalStore, waiting: Sequence[str], frames: Mapping[str, pl.DataFrame] | None
) -> tuple[tuple[str, ...], int]:
    """Return the first lines that wait for room, and how many observations wait that they do not rest on."""
    facts = {row["observation_id"]: row for row in _read_cited_facts(store.run, set(waiting), frames)}
    rows = [facts[key] for key in waiting if key in facts and key not in store.forgotten]
    standing = [row for row in rows if _is_standing(row)]
    lines: dict[frozenset[str], str] = {}  # which words they have; comparing claims would load numpy for each session's start
    for row in standing:
        claims = extract_claims(row["text"], shorten_project(row["project"] or ""))
        line = claims[0] if claims else cut_notes(drop_end_stops(" ".join(row["text"].split())))
        lines.setdefault(frozenset(find_content_words(line)), line)
    shown = list(lines.values())[:SHOWN_WAITING]
    return tuple(shorten(line, MAX_WAITING_CHARS, placeholder=" …") for line in shown), len(lines) - len(shown)


def _is_standing(row: ObservationRow) -> bool:
    return row["verdict"] == "allow" and row["superseded_by"] is None


def _list_held_lines(store: ProposalStore, frames: Mapping[str, pl.DataFrame] | None) -> tuple[tuple[str, str], ...]:
    """Return the ids and words of what the last reflections held back, the newest first, as long as a proposal would wait.

    The days are counted to the last reflection: the page depends on the lake alone. What a proposal rests on or says by now is
    none.
    """
    events = store.past.filter(pl.col("event") == "reflected").sort("at", "proposal_id", descending=True)
    last = events["at"].max()
    days = timedelta(days=store.run.settings.review.expire_days)
    notes = [orjson.loads(text) for at, text in events.select("at", "text").iter_rows() if last - at < days]
    taken = {key for row in store.rows.values() for key in row["evidence_ids"] or ()} | store.forgotten
    held = [key for key in dict.fromkeys(key for note in notes for key in note.get("held_back") or ()) if key not in taken]
    facts = {row["observation_id"]: row for row in _read_cited_facts(store.run, set(held), frames)}
    standing = [facts[key] for key in held if key in facts and _is_standing(facts[key])]
    telling = [row for row in standing if names_matter(row["text"], row["kind"])]
    lines = {row["observation_id"]: word_held_line(row["text"]) for row in telling}
    proposed = {_fold_line(row["text"]) for row in store.rows.values()} if lines else set[str]()
    return tuple((key, line) for key, line in lines.items() if _fold_line(line) not in proposed)[:MAX_HELD]


def _fold_line(line: str) -> str:
    return strip_emphasis(line).casefold().rstrip(" .")


def _list_unwritten_lines(store: ProposalStore) -> tuple[str, ...]:
    """Return what the owner approved and MEMORY.md could not take yet: a line to add, or one to remove."""
    rows = [store.rows[key] for key in store.list_unwritten()]
    return tuple(f"Remove: {row['old_text']}" if row["op"] == "remove" else row["text"] for row in rows)


def _render_page(page: ReviewPage) -> str:
    text = render_template("pages/review.md.j2", page=page)
    return re.sub(r"\n{3,}", "\n\n", text)


def _build_items(
    store: ProposalStore, rows: Sequence[ProposalRow], frames: Mapping[str, pl.DataFrame] | None = None
) -> list[tuple[str, ReviewItem]]:
    ids = {key for row in rows for key in row["evidence_ids"] or ()}
    cited = _read_cited_facts(store.run, ids, frames)
    evidence_by_id = _read_evidence(store.run, ids, cited, frames)
    cautions = find_cautions(store.run, rows, {row["observation_id"]: row["origin"] for row in cited}, store.past)
    return [(row["kind"], _build_item(store, row, evidence_by_id, cautions.get(row["proposal_id"], ""))) for row in rows]


def _build_item(store: ProposalStore, row: ProposalRow, evidence_by_id: EvidenceById, caution: str) -> ReviewItem:
    run = store.run
    sources = drop_repeated([evidence_by_id[key](row["text"]) for key in row["evidence_ids"] or () if key in evidence_by_id])
    touched = store.find_touched_day(row) or run.today
    expire_days = run.settings.review.expire_days
    expires = touched.fromordinal(touched.toordinal() + expire_days)
    return ReviewItem(
        proposal_id=row["proposal_id"],
        op=row["op"],
        section=row["section"],
        text=row["text"],
        old_text=row["old_text"],
        vanished=_find_vanished_line(store, row),
        target=row["target"] if row["kind"] == "friction" else None,
        evidence=tuple(sources[:SHOWN_SOURCES]),
        more_evidence=max(0, len(sources) - SHOWN_SOURCES),
        expires_on=expires,
        is_expiring=store.is_marked_expiring(row),
        severity=_describe_severity(store, row),
        caution=caution,
        project=shorten_project(row["project"]) if row["project"] and not row["evidence_ids"] else "",
    )


def _describe_severity(store: ProposalStore, row: ProposalRow) -> str:
    if row["severity"] is None:
        note = row["pattern"] or ""
        named = list_named_lines(note)
        rows = [store.rows[key] for key in named if key in store.rows]
        return fill_note(note, read_line_words(store.run, rows)) if named else note
    return f"{(row['pattern'] or 'friction').capitalize()}, severity {row['severity']:g} (sessions × minutes that each lost)"


def _find_vanished_line(store: ProposalStore, row: ProposalRow) -> str | None:
    if row["op"] != "add":
        return None
    is_vanished = (pl.col("proposal_id") == row["proposal_id"]) & (pl.col("event") == "vanished")
    texts = store.past.filter(is_vanished).sort("at")["text"].to_list()
    return texts[-1] if texts else None


def _read_cited_facts(run: Run, ids: set[str], frames: Mapping[str, pl.DataFrame] | None) -> list[ObservationRow]:
    """Return the observations with these ids."""
    if not ids:
        return []
    stored = run.lake.scan("observations") if frames is None else frames["observations"].lazy()
    return list(read_rows(OBSERVATIONS, stored.filter(pl.col("observation_id").is_in(sorted(ids))).collect()))


def _read_evidence(
    run: Run, ids: set[str], rows: list[ObservationRow], frames: Mapping[str, pl.DataFrame] | None
) -> EvidenceById:
    """Return per observation a function from a proposal's text to the source on the page, with the words that support it."""
    if not ids:
        return {}
    sessions = run.lake.scan("sessions") if frames is None else frames["sessions"].lazy()
    titles = dict(sessions.select("session_id", "title").collect().iter_rows())
    words = _read_cited_entries(run, rows, sessions)
    labels = label_projects(sessions.select("project").drop_nulls().unique().collect()["project"].to_list())
    sources: EvidenceById = {row["observation_id"]: partial(_build_source, run, row, titles, words, labels) for row in rows}
    return sources | _read_entry_evidence(run, {name for name in ids if ":" in name}, titles)


def _read_entry_evidence(run: Run, references: set[str], titles: dict[str, str | None]) -> EvidenceById:
    """Return the same for evidence that is an entry (`session:entry`), such as the output of a failed command."""
    if not references:
        return {}
    sessions = sorted({name.rpartition(":")[0] for name in references})
    scan = run.lake.scan("entries").filter(pl.col("session_id").is_in(sessions))
    named = scan.filter(pl.format("{}:{}", "session_id", "entry_id").is_in(sorted(references)))
    sources: EvidenceById = {}
    for session, entry, said_at, text in named.select("session_id", "entry_id", "said_at", "text").collect().iter_rows():
        title = " ".join((titles.get(session) or session).split())
        sources[f"{session}:{entry}"] = partial(_quote_entry, run, f"{session}:{entry}", title, said_at, text or "")
    return sources


def _quote_entry(run: Run, reference: str, title: str, said_at: datetime, words: str, _text: str) -> ReviewSource:
    return ReviewSource(
        said=said_at.astimezone(run.zone).strftime("%Y-%m-%d %H:%M"),
        project="",
        session=name_session(title),
        quote=find_error_line(words),
        observation_id=reference,
    )


def _build_source(
    run: Run,
    row: ObservationRow,
    titles: dict[str, str | None],
    entries: Mapping[tuple[str, int], QuotableEntry],
    labels: Mapping[str, str],
    text: str,
) -> ReviewSource:
    said_at: datetime | None = row["said_at"]
    cited = [entries[key] for ordinal in row["ordinals"] or () if (key := (row["session_id"], ordinal)) in entries]
    quotation = quote_evidence(cited, text, row["text"])
    title = " ".join((titles.get(row["session_id"]) or row["session_id"]).split())
    return ReviewSource(
        said=said_at.astimezone(run.zone).strftime("%Y-%m-%d %H:%M") if said_at else "undated",
        project=labels.get(row["project"]) or shorten_project(row["project"]) if row["project"] else "",
        session=name_session(title, quotation.words),
        quote=quotation.words,
        observation_id=row["observation_id"],
        answered=quotation.answered,
        is_summed_up=quotation.is_summed_up,
    )


def _read_cited_entries(run: Run, rows: Sequence[ObservationRow], sessions: pl.LazyFrame) -> dict[tuple[str, int], QuotableEntry]:
    """Return the entries that these facts cite, by session and ordinal; the agent's messages that an owner's entry may answer are
    those before it that a fact cites with it, and the last one."""
    together: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for row in rows:
        for ordinal in row["ordinals"] or ():
            together[row["session_id"], ordinal].update(row["ordinals"])
    wanted = set(together)
    said_on = {row["said_at"].astimezone(run.zone).date() for row in rows if row["said_at"] is not None}
    days = sorted(said_on | _find_session_days(run, sessions, {row["session_id"] for row in rows}))
    scan = run.lake.scan("entries", days).filter(pl.col("session_id").is_in(sorted({session for session, _ in wanted})))
    is_said = (pl.col("role") == "assistant") & (pl.col("text").str.strip_chars() != "")
    order = scan.select("session_id", "ordinal", is_said=is_said).sort("session_id", "ordinal").collect()
    before: dict[tuple[str, int], list[tuple[str, int]]] = {}  # whole sessions are long: their texts are read below, few of them
    agents: list[tuple[str, int]] = []
    for session, ordinal, has_said in order.iter_rows():
        agents = agents if not agents or agents[-1][0] == session else []
        if (session, ordinal) in wanted:
            before[session, ordinal] = [key for key in agents if key[1] in together[session, ordinal] or key == agents[-1]]
        agents += [(session, ordinal)] if has_said else []
    keys = sorted({*wanted, *(key for earlier in before.values() for key in earlier)})
    read_keys = pl.LazyFrame(keys, schema={"session_id": pl.String, "ordinal": order.schema["ordinal"]}, orient="row")
    columns = ("session_id", "ordinal", "entry_type", "role", "text", "speaker", "speaker_reason", "speaker_parts")
    read = scan.select(columns).join(read_keys, on=("session_id", "ordinal"), how="semi")
    texts: dict[tuple[str, int], str] = {}
    typed: dict[tuple[str, int], str] = {}
    handed: dict[tuple[str, int], str] = {}
    summaries = set[tuple[str, int]]()
    for session, ordinal, entry_type, role, text, speaker, reason, parts in read.collect().iter_rows():
        texts[session, ordinal] = text or ""
        if entry_type in SUMMARY_TYPES:
            summaries.add((session, ordinal))
        if role == "user":
            attribution = Attribution(speaker, reason, read_part_rows(parts)) if speaker else attribute_user_text(text or "")
            typed[session, ordinal], handed[session, ordinal] = split_quotable(text or "", attribution)
    return {
        key: QuotableEntry(
            typed.get(key) or texts[key],
            bool(typed.get(key)),
            [*(texts[earlier] for earlier in before.get(key, ())), *([handed[key]] if typed.get(key) and handed[key] else [])],
            key in summaries,
        )
        for key in wanted
        if key in texts
    }


def _find_session_days(run: Run, sessions: pl.LazyFrame, ids: set[str]) -> set[date]:
    """Return the days of some sessions: a fact of the first one may cite the summary of the third."""
    spans = sessions.filter(pl.col("session_id").is_in(sorted(ids))).select("started_at", "ended_at").collect()
    days = set[date]()
    for moments in spans.iter_rows():
        first, last = (moment.astimezone(run.zone).date() for moment in moments)
        days |= {first + timedelta(days=number) for number in range((last - first).days + 1)}
    return days
