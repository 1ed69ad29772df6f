"""What a model sees of the last days to find friction in: words of people, what went wrong, commands that failed again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from transforms.friction.command_runs import CommandRun
from transforms.friction.cures import Cure
from transforms.friction.patterns import MIN_REPEATS, RepeatedFact, SessionLog
from transforms.tables.enums import Origin
from transforms.tables.rows import ObservationRow
from transforms.tables.tokens import count_tokens

WEEK_TOKENS = 8_000
"""Most tokens of a request's rows; people's words go before findings, and new before old."""
ROW_OVERHEAD_TOKENS = 16
"""Tokens of a row's number, day, session, kind and project."""
_TROUBLE = frozenset({"error", "root_cause", "fix", "cure", "correction", "state_change", "rejected", "convention"})
"""Kinds of an agent's or a tool's rows that tell of something that went wrong, or that changed under a page."""


@dataclass(frozen=True, slots=True)
class WeekRow:
    """A numbered row of the request. `sessions` said it, `evidence` is its observation, or `session:entry` of a command."""

    text: str
    signs: tuple[str, ...]
    said_at: datetime
    project: str
    sessions: tuple[str, ...]
    evidence: str
    origin: Origin | None
    minutes: float = 0.0


def select_week_rows(statements: Sequence[RepeatedFact], logs: Sequence[SessionLog]) -> list[WeekRow]:
    """Return the rows for the request, the oldest first; none when everything comes from one session."""
    kept, remaining_tokens = [], WEEK_TOKENS
    rows = [*_list_failures(logs), *(_build_row(statement) for statement in statements if _is_wanted(statement.row))]
    for row in sorted(rows, key=lambda row: (row.origin != "owner", -row.said_at.timestamp(), row.evidence)):
        remaining_tokens -= count_tokens(row.text) + ROW_OVERHEAD_TOKENS
        if remaining_tokens < 0:
            break
        kept.append(row)
    is_repeated = len(frozenset().union(*(row.sessions for row in kept))) >= MIN_REPEATS
    return sorted(kept, key=lambda row: (row.said_at, row.evidence)) if is_repeated else []


def _is_wanted(row: ObservationRow) -> bool:
    return row["origin"] == "owner" or (row["kind"] in _TROUBLE and row["origin"] in ("agent", "tool", "summary"))


def _build_row(statement: RepeatedFact) -> WeekRow:
    row = statement.row
    first = row["session_id"]
    sessions = (first, *sorted(statement.sessions - {first}))
    return WeekRow(
        row["text"], (row["kind"], row["origin"] or "agent"), row["said_at"], row["project"] or "", sessions,
        row["observation_id"], row["origin"],
    )  # fmt: skip


def _list_failures(logs: Sequence[SessionLog]) -> Iterable[WeekRow]:
    """Yield the failures of programs that failed in several sessions, one row for each session and error, with what cured it."""
    failing = Counter(program for log in logs for program in {run.program for run in log.runs if run.error})
    for log in logs:
        cures = {cure.failed.signature: cure for cure in log.cures}
        by_signature: defaultdict[str, list[CommandRun]] = defaultdict(list)
        for run in log.runs:
            if run.error and failing[run.program] >= MIN_REPEATS:
                by_signature[run.signature].append(run)
        for signature, runs in by_signature.items():
            last = runs[-1]
            minutes = max(1.0, (last.said_at - runs[0].said_at).total_seconds() / 60)
            yield WeekRow(
                _describe(runs, cures.get(signature)), ("failed command", "tool"), last.said_at, log.project, (log.session_id,),
                f"{log.session_id}:{last.entry_ids[0]}", "tool", minutes,
            )  # fmt: skip


def _describe(runs: Sequence[CommandRun], cure: Cure | None) -> str:
    last = runs[-1]
    times = f" {len(runs)} times" if len(runs) > 1 else ""
    cured = f"; then `{cure.cured_by.command}` {'worked instead' if cure.is_other_command else 'cured it'}" if cure else ""
    return f"`{last.command}` failed{times} (exit {last.exit_code}): {last.error}{cured}"
