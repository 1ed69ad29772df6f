"""The friction step turns repeated failures of the last days into proposals with a target file and an exact change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import polars as pl

from effects.engines.friction_finder import FrictionFinder
from effects.engines.model_chain import Unanswered, ask_or_explain
from effects.engines.registry import build_reflector, format_owner_name
from effects.memory.proposal_store import RECOLLECT, ProposalStore, open_proposals, save_proposals
from effects.store.forgotten import read_forgotten, scan_facts
from effects.store.memory_file import read_memory
from effects.store.run import Counts, Run
from transforms.conversation.entries import ENTRY_COLUMNS_READ, build_entries
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.friction.command_runs import list_command_runs
from transforms.friction.cures import find_cures
from transforms.friction.patterns import Friction, RepeatedFact, SessionLog, find_friction
from transforms.friction.week_evidence import select_week_rows
from transforms.language.tokenizer import STOP_WORDS
from transforms.memory.normalise_claim import identify_wording
from transforms.memory.proposal_outcomes import limit_by_verdicts
from transforms.memory.same_claim import is_same_claim
from transforms.pages.memory_md import parse_memory
from transforms.pages.run_page import count_things
from transforms.tables.ids import allocate_ids
from transforms.tables.periods import DAYS_PER_WEEK
from transforms.tables.rows import ObservationRow, ProposalRow
from transforms.tables.schema import OBSERVATIONS, read_rows

FRICTION_VERSION = 2
MAX_PER_RUN = 5
"""Proposals of one run, the most severe first, and half a week's limit in seven days; the others come back later."""
SKILL_WORDS = 4
"""Words of a skill's folder."""
_UNNAMING = STOP_WORDS | {"skill", "runs"}
AGENTS_FILE = "AGENTS.md"
LONG_HISTORY = 4
"""Times the least days after which few facts suffice: whoever works little has few after months."""
HOME_OF_AGENTS = "~/.pi/agent"


def friction(run: Run) -> Counts:
    """Look for friction in the last days and propose changes that would end it; return counts per pattern.

    The reflector's models judge when some are set, and rules where none answers. Nothing is proposed before there is enough
    history (settings `friction`), and nothing twice: a rejected, waiting or approved proposal stays so, and an expired one
    returns only with a session that it did not cite.
    """
    settings = run.settings.friction
    rows = _read_observations(run)
    first_day = min((row["day"] for row in rows), default=run.today)
    days = (run.today - first_day).days
    least_facts = settings.min_observations if days < LONG_HISTORY * max(1, settings.min_days) else 0
    if days < settings.min_days or len(rows) < least_facts:
        counts: Counts = {"proposed": 0, "observations": len(rows), "days": days, "reason": "too_little_history"}
        needed = ((days, settings.min_days, "days"), (len(rows), least_facts, "facts"))
        lacking = " and ".join(f"{held} of {least} {name}" for held, least, name in needed if held < least)
        return counts | {"note": f"too little history to look for friction: {lacking}"}
    since = run.as_of - timedelta(days=settings.days)
    logs = _read_session_logs(run, settings.days)
    store = open_proposals(run)
    frictions, noted = _find(store, _list_statements(rows, since), logs)
    refused = _list_refused_rows(store, rows)
    proposed = _propose(store, [friction_case for friction_case in frictions if not set(friction_case.evidence) <= refused])
    save_proposals(store)
    patterns = defaultdict(int, {friction.pattern: 0 for friction in frictions})
    for friction_case in frictions:
        patterns[friction_case.pattern] += 1
    counts = {
        "proposed": proposed,
        "found": dict(sorted(patterns.items())),
        "sessions": len(logs),
        "observations": len(rows),
    }
    if not frictions:
        span = f"{count_things(len(logs), 'session')} of the last {settings.days} days"
        counts["note"] = f"no friction: nothing went wrong in the same way in two sessions ({span})"
    return counts | noted


def _list_refused_rows(store: ProposalStore, rows: Iterable[ObservationRow]) -> set[str]:
    """Return the observations that a refused line for MEMORY.md rests on: a no is not asked about again in other words.

    A line that the owner approved and has to say again is friction: agents read it and do not follow it.
    """
    heirs = {row["observation_id"]: row["superseded_by"] for row in rows if row["superseded_by"]}
    lines = (row for row in store.rows.values() if row["kind"] == "memory" and row["status"] == "rejected")
    refused = set()
    for key in (key for row in lines for key in row["evidence_ids"] or ()):
        chain = {key}
        while (key := heirs.get(key, "")) and key not in chain:
            chain.add(key)
        refused |= chain
    return refused


def _find(store: ProposalStore, statements: list[RepeatedFact], logs: list[SessionLog]) -> tuple[list[Friction], Counts]:
    """Return the friction that the reflector's models find, most severe first, else what rules find; and counts of the request.

    Rules compare words, so that a correction in other words, or a fault that shows itself differently, is found by a model only.
    """
    run = store.run
    projects = {*(log.project for log in logs), *(statement.row["project"] or "" for statement in statements)}
    page, agent_lines = parse_memory(read_memory(run)), _read_agent_lines(run, projects)
    written = [line for lines in agent_lines.values() for line in lines]
    chain = build_reflector(run) if _compute_room(store) else None
    if chain is None:
        return find_friction(statements, logs, page.bullets, written, run.zone), {}
    week = select_week_rows(statements, logs)
    by_id = sorted(store.rows.values(), key=lambda row: row["proposal_id"])
    known = [row["text"] for row in by_id if row["kind"] == "friction" or row["status"] == "pending"]
    noted: Counts = {}
    frictions: list[Friction] = []
    if week:
        finder = FrictionFinder(chain, format_owner_name(run), run.zone)
        answer = ask_or_explain(run.settings.lake, lambda: finder.find(week, page, agent_lines, known, MAX_PER_RUN))
        if isinstance(answer, Unanswered):
            frictions = find_friction(statements, logs, page.bullets, written, run.zone)
            noted = {"rows": len(week), "offline_instead": {answer.reason: 1}}
        else:
            frictions = sorted(answer.result.items, key=lambda case: (-case.severity, case.pattern, case.text))
            noted = {"rows": len(week), "held": answer.result.held}
    return frictions, noted | chain.call_store.close()


def _read_observations(run: Run) -> list[ObservationRow]:
    allowed = scan_facts(run.lake).filter((pl.col("verdict") == "allow") & (pl.col("said_at") <= run.as_of)).collect()
    return list(read_rows(OBSERVATIONS, drop_forgotten_rows(allowed, read_forgotten(run.lake)).sort("observation_id")))


def _list_statements(rows: Iterable[ObservationRow], since: datetime) -> list[RepeatedFact]:
    """Return the observations that hold and were said, or repeated, in the last days, each with the sessions that said it."""
    listed = list(rows)
    by_reference = {f"{row['session_id']}:{entry}": row for row in listed for entry in row["entry_ids"] or ()}
    statements = []
    for row in listed:
        if row["superseded_by"] is not None:
            continue
        merged = {name: by_reference.get(name) for name in row["also"] or ()}
        same = [row, *(said for said in merged.values() if said)]
        if max(said["said_at"] for said in same) >= since:
            sessions = {row["session_id"], *(name.rpartition(":")[0] for name in row["also"] or ())}
            gone = (name for name, said in merged.items() if not said)
            wordings = frozenset([*(identify_wording(said["text"]) for said in same), *gone])
            statements.append(RepeatedFact(row, frozenset(sessions), wordings))
    return statements


def _read_session_logs(run: Run, days: int) -> list[SessionLog]:
    """Return the commands of every session of the last days, copied entries left out."""
    lake = run.lake
    wanted = [day for day in lake.list_days("entries") if run.today - timedelta(days=days) <= day <= run.today]
    if not wanted:
        return []
    projects = dict(lake.scan("sessions").select("session_id", "project").collect().iter_rows())
    is_command = pl.col("role").is_in(["toolResult", "bashExecution"]) | (
        (pl.col("role") == "assistant") & pl.col("raw_json").str.contains('"toolCall"', literal=True)
    )
    scan = lake.scan("entries", wanted).filter(is_command & (pl.col("said_at") <= run.as_of))
    rows = scan.select(ENTRY_COLUMNS_READ).filter(pl.col("flags").list.contains("copied").fill_null(False).not_()).collect()
    logs = []
    for (session,), part in sorted(rows.sort("session_id", "ordinal").partition_by("session_id", as_dict=True).items()):
        entries = build_entries(part)
        logs.append(SessionLog(str(session), projects.get(session) or "", list_command_runs(entries), find_cures(entries)))
    return logs


def _read_agent_lines(run: Run, projects: Iterable[str]) -> dict[str, list[str]]:
    """Return the bullets of the AGENTS.md files that agents of these projects read, by the file's path."""
    paths = {path for path in run.settings.identity if path.name == AGENTS_FILE}
    paths |= {Path(project) / AGENTS_FILE for project in projects if project}
    lines: dict[str, list[str]] = {}
    for path in sorted(paths):
        try:
            page = parse_memory(path.read_text(encoding="utf-8", errors="replace"))
        except (OSError, ValueError):  # most projects have none, and some are not on this machine
            continue
        lines[str(path)] = [bullet.text for bullet in page.bullets]
    return lines


def _compute_room(store: ProposalStore) -> int:
    """Return how many proposals today may bring: half a week's limit in seven days, fewer when the owner strikes most of them."""
    since = store.run.as_of - timedelta(days=DAYS_PER_WEEK)
    recent = sum(row["kind"] == "friction" and row["created_at"] > since for row in store.rows.values())
    limit = limit_by_verdicts(store.rows.values(), "friction", store.run.settings.review.per_week // 2)
    return min(MAX_PER_RUN, max(0, limit - recent))


def _propose(store: ProposalStore, frictions: list[Friction]) -> int:
    run, proposed, room = store.run, 0, _compute_room(store)
    for friction_case in frictions:
        target = _choose_target(run, friction_case)
        if proposed == room or _is_known(store, friction_case, target):
            continue
        (proposal_id,) = allocate_ids(store.rows, store.past["proposal_id"].to_list(), run.today, 1, "f")
        store.rows[proposal_id] = _build_row(run, proposal_id, friction_case, target)
        store.record(proposal_id, "proposed", RECOLLECT, friction_case.text)
        proposed += 1
    return proposed


def _is_known(store: ProposalStore, friction_case: Friction, target: str) -> bool:
    """Whether the change was offered before, is a line that MEMORY.md has or that waits for it, or is of a line of which another
    change waits."""
    if friction_case.old_line is not None and any(
        row["old_text"] == friction_case.old_line for row in store.list_pending().values()
    ):
        return True
    if friction_case.scope == "memory" and friction_case.old_line is None:
        waiting = (row["text"] for row in store.list_pending().values())
        lines = (bullet.text for bullet in parse_memory(read_memory(store.run)).bullets)
        if any(is_same_claim(line, friction_case.text) for line in (*waiting, *lines)):
            return True
    for row in store.rows.values():
        if row["kind"] != "friction" or not (row["text"] == friction_case.text or is_same_claim(row["text"], friction_case.text)):
            continue
        if row["status"] != "expired" or row["target"] != target:
            return True
        cited = {name.rpartition(":")[0] or name for name in row["evidence_ids"] or ()}
        if {name.rpartition(":")[0] or name for name in friction_case.evidence} <= cited:
            return True
    return False


def _choose_target(run: Run, friction_case: Friction) -> str:
    """Return the file that the change belongs to: of the project when only one is concerned, else of all agents."""
    if friction_case.scope == "memory":
        return "MEMORY.md"
    if friction_case.scope == "skill":
        words = [word for word in re.findall(r"[a-z0-9]+", friction_case.text.lower()) if word not in _UNNAMING]
        return f"{HOME_OF_AGENTS}/skills/{'-'.join(words[:SKILL_WORDS]) or 'new'}/SKILL.md"
    if len(friction_case.projects) == 1 and friction_case.projects[0]:
        return f"{friction_case.projects[0]}/{AGENTS_FILE}"
    own = next((path for path in run.settings.identity if path.name == AGENTS_FILE), None)
    return str(own) if own else f"{HOME_OF_AGENTS}/{AGENTS_FILE}"


def _build_row(run: Run, proposal_id: str, friction_case: Friction, target: str) -> ProposalRow:
    projects = friction_case.projects
    return {
        "proposal_id": proposal_id, "kind": "friction", "op": "replace" if friction_case.old_line else "add",
        "section": friction_case.section, "text": friction_case.text, "old_text": friction_case.old_line, "target": target,
        "evidence_ids": list(friction_case.evidence), "severity": friction_case.severity, "origin": friction_case.origin,
        "project": projects[0] if len(projects) == 1 else None, "said_at": run.as_of, "status": "pending",
        "first_shown_at": run.as_of, "created_at": run.as_of, "decided_at": None,
        "is_everywhere": None, "evidence_sources": None, "pattern": friction_case.pattern,
    }  # fmt: skip
