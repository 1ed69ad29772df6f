"""The patterns of friction: groups of evidence from at least two sessions, each with the exact change that would end it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from statistics import mean
from typing import Literal

from transforms.friction.command_runs import CommandRun
from transforms.friction.cures import Cure
from transforms.memory.eligibility import MIN_CORRECTED_SESSIONS, MIN_WORDINGS, find_candidates
from transforms.memory.normalise_claim import extract_claims
from transforms.memory.same_claim import is_retired_by, is_same_claim
from transforms.pages.memory_md import HARD_RULES, PATTERNS, Bullet
from transforms.patterns.late_pattern import compile_late
from transforms.tables.enums import GUIDING_KINDS, Origin
from transforms.tables.periods import find_local_day
from transforms.tables.rows import ObservationRow

MIN_REPEATS = 2
CORRECTION_MINUTES, SEARCH_MINUTES, STALE_MINUTES = 5.0, 3.0, 5.0
"""Time that one occurrence costs, where the session does not tell it: reading, typing and undoing."""
MAX_MINUTES = 30.0
MIN_SEQUENCE = 3
"""Commands in a row from which a repeated sequence is worth a skill."""
MIN_SKILL_SESSIONS = 3
"""Sessions that repeat a sequence of commands before a skill is worth its writing."""
_PLACE_IN_FILE = compile_late(
    r"(?<![/\w.:-])(?:[\w.@-]+/)+[\w.@-]+\.\w{1,8}:\d+|[\w-]\.\w{1,5}(?::\d+:\d+|\(\d+(?:,\d+)?\))|\bline \d+\b", re.I
)
"""A line of a file in an error: a check did its work, and the same words tomorrow are about other text. A host's port is none."""

PatternName = Literal[
    "repeated correction", "recurring failure", "tool misuse", "configuration drift", "missing skill", "stale memory"
]
Scope = Literal["agents", "memory", "skill", "config"]


@dataclass(frozen=True, slots=True)
class Friction:
    """One thing that keeps going wrong. `evidence` are ids of observations, or `session:entry`; `minutes` cost one session;
    `origin` is the least trusted one of its evidence."""

    pattern: PatternName
    text: str
    section: str
    scope: Scope
    sessions: tuple[str, ...]
    projects: tuple[str, ...]
    evidence: tuple[str, ...]
    minutes: float
    old_line: str | None = None
    origin: Origin = "tool"

    @property
    def severity(self) -> float:
        """Sessions times the minutes that each lost."""
        return round(len(self.sessions) * self.minutes, 1)


@dataclass
class SessionLog:
    """A session of the last days: its project and the commands that ran in it, with their cures."""

    session_id: str
    project: str
    runs: list[CommandRun] = field(default_factory=list)
    cures: list[Cure] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class RepeatedFact:
    """An observation with every session that said it and every wording, merged restatements included."""

    row: ObservationRow
    sessions: frozenset[str]
    wordings: frozenset[str]


def find_friction(
    statements: Sequence[RepeatedFact],
    logs: Sequence[SessionLog],
    bullets: Sequence[Bullet],
    agent_lines: Sequence[str],
    zone: tzinfo,
) -> list[Friction]:
    """Return repeated failures, most severe first; `bullets` are of MEMORY.md, `agent_lines` of the AGENTS.md files."""
    frictions = [
        *find_repeated_corrections(statements, [*(bullet.text for bullet in bullets), *agent_lines], zone),
        *find_failures(logs),
        *find_missing_skills(logs),
        *find_stale_lines(statements, bullets, zone),
    ]
    return sorted(frictions, key=lambda friction: (-friction.severity, friction.pattern, friction.text))


def find_repeated_corrections(statements: Sequence[RepeatedFact], known: Sequence[str], zone: tzinfo) -> list[Friction]:
    """Return standing wishes that a person had to say again, in other words, in another session; no orders of the moment."""
    result = []
    standing = [statement for statement in statements if statement.row["kind"] in GUIDING_KINDS and _is_line(statement, zone)]
    for group in _cluster(standing, _says_the_same):
        claims = extract_claims(group[-1].row["text"])
        sessions = frozenset[str]().union(*(statement.sessions for statement in group))
        is_insisted = len(sessions) >= MIN_CORRECTED_SESSIONS and all(said.row["kind"] == "correction" for said in group)
        wordings = frozenset[str]().union(*(statement.wordings for statement in group))
        if not claims or not (is_insisted or len(wordings) >= MIN_WORDINGS):
            continue
        is_known = any(is_same_claim(claims[0], line) for line in known)
        text = f"{claims[0]}{' (said again although it is written down)' if is_known else ''}"
        result.append(_build(group, "repeated correction", text, HARD_RULES, "agents", CORRECTION_MINUTES))
    return [friction for friction in result if friction is not None]


def find_failures(logs: Sequence[SessionLog]) -> list[Friction]:
    """Return failures that came back in another session and whose cure is known: misused tools, drifting configuration, the rest.

    A failure without a known cure is none: "find out what helps" is no change that somebody could approve.
    """
    by_signature: defaultdict[str, list[tuple[SessionLog, CommandRun]]] = defaultdict(list)
    cures: defaultdict[str, list[Cure]] = defaultdict(list)
    for log in logs:
        for run in log.runs:
            if run.is_failed and run.signature and not _PLACE_IN_FILE.search(run.error):
                by_signature[run.signature].append((log, run))
        for cure in log.cures:
            cures[cure.failed.signature].append(cure)
    result = []
    for signature, runs in sorted(by_signature.items()):
        sessions = sorted({log.session_id for log, _ in runs})
        if len(sessions) < MIN_REPEATS:
            continue
        if (change := _word_change(cures[signature])) is None:
            continue
        pattern, text, scope = change
        result.append(
            Friction(
                pattern,
                text,
                PATTERNS if scope == "config" else HARD_RULES,
                scope,
                tuple(sessions),
                tuple(sorted({log.project for log, _ in runs})),
                tuple(_list_references(runs)),
                _measure_minutes(runs),
            )
        )
    return result


def _word_change(cures: Sequence[Cure]) -> tuple[PatternName, str, Scope] | None:
    """Return pattern, text and scope of a failure that the newest of these cures ends; None where none can be quoted whole."""
    worded = [cure for cure in cures if cure.change]
    if other := [cure for cure in worded if cure.is_other_command]:
        return "tool misuse", other[-1].change, "agents"
    if not worded:
        return None
    last = worded[-1]
    if len({cure.failed.session_id for cure in worded}) >= MIN_REPEATS:
        text = f"`{last.failed.whole}` fails with “{last.failed.error}” until `{last.cured_by.whole}` ran: make that permanent"
        return "configuration drift", text, "config"
    return "recurring failure", last.change, "agents"


def find_missing_skills(logs: Sequence[SessionLog]) -> list[Friction]:
    """Return sequences of commands that sessions repeat; that a question comes back names no change that would end it."""
    result = []
    sequences: defaultdict[tuple[str, ...], list[tuple[SessionLog, CommandRun]]] = defaultdict(list)
    for log in logs:
        done = [run for run in log.runs if not run.is_failed and run.whole]
        for start in range(len(done) - MIN_SEQUENCE + 1):
            part = done[start : start + MIN_SEQUENCE]
            commands = tuple(run.whole for run in part)
            if len(set(commands)) == MIN_SEQUENCE and all(len(command.split()) > 1 for command in commands):
                sequences[commands].append((log, part[0]))
    used: set[str] = set()
    for commands, runs in sorted(sequences.items(), key=lambda item: (-len({log.session_id for log, _ in item[1]}), item[0])):
        sessions = sorted({log.session_id for log, _ in runs})
        if len(sessions) < MIN_SKILL_SESSIONS or used & set(commands):
            continue
        used |= set(commands)
        steps = ", then ".join(f"`{command}`" for command in commands)
        projects = tuple(sorted({log.project for log, _ in runs}))
        result.append(
            Friction(
                "missing skill",
                f"A skill that runs {steps}",
                PATTERNS,
                "skill",
                tuple(sessions),
                projects,
                tuple(_list_references(runs)),
                SEARCH_MINUTES,
            )
        )
    return result


def find_stale_lines(statements: Sequence[RepeatedFact], bullets: Sequence[Bullet], zone: tzinfo) -> list[Friction]:
    """Return lines of MEMORY.md that observations of two sessions contradict."""
    result = []
    for bullet in bullets:
        against = [
            statement
            for statement in statements
            if (bullet.dated is None or find_local_day(statement.row["said_at"], zone) > bullet.dated)
            and any(
                is_retired_by(bullet.text, bullet.section, claim, statement.row["kind"])
                for claim in extract_claims(statement.row["text"])
            )
        ]
        if against:
            claim = extract_claims(against[-1].row["text"])[0]
            result.append(_build(against, "stale memory", claim, bullet.section, "memory", STALE_MINUTES, bullet.line))
    return [friction for friction in result if friction is not None]


def _is_line(statement: RepeatedFact, zone: tzinfo) -> bool:
    return any(not candidate.is_change for candidate in find_candidates(statement.row, "", "", zone, wordings=MIN_WORDINGS))


def _says_the_same(first: RepeatedFact, second: RepeatedFact) -> bool:
    return any(
        is_same_claim(first_claim, second_claim)
        for first_claim in extract_claims(first.row["text"])
        for second_claim in extract_claims(second.row["text"])
    )


def _cluster(
    statements: Sequence[RepeatedFact], is_same: Callable[[RepeatedFact, RepeatedFact], bool]
) -> list[list[RepeatedFact]]:
    """Return groups of statements, each like the first of its group; oldest first, and only those of enough sessions."""
    groups: list[list[RepeatedFact]] = []
    for statement in sorted(statements, key=lambda statement: (statement.row["said_at"], statement.row["observation_id"])):
        home = next((group for group in groups if is_same(group[0], statement)), None)
        if home is None:
            groups.append([statement])
        else:
            home.append(statement)
    return [group for group in groups if len(frozenset().union(*(statement.sessions for statement in group))) >= MIN_REPEATS]


def _build(
    group: Sequence[RepeatedFact],
    pattern: PatternName,
    text: str,
    section: str,
    scope: Scope,
    minutes: float,
    old_line: str | None = None,
) -> Friction | None:
    sessions = sorted(frozenset().union(*(statement.sessions for statement in group)))
    if len(sessions) < MIN_REPEATS:
        return None
    projects = tuple(sorted({statement.row["project"] or "" for statement in group}))
    repetitions = sum(len(statement.sessions) for statement in group)
    severity = round(minutes * repetitions / len(sessions), 1)
    return Friction(
        pattern, text, section, scope, tuple(sessions), projects,
        tuple(sorted(statement.row["observation_id"] for statement in group)), severity, old_line,
    )  # fmt: skip


def _list_references(runs: Iterable[tuple[SessionLog, CommandRun]]) -> list[str]:
    references = {log.session_id: f"{log.session_id}:{run.entry_ids[0]}" for log, run in runs}
    return sorted(references.values())


def _measure_minutes(logged_runs: Sequence[tuple[SessionLog, CommandRun]]) -> float:
    """Return the mean minutes from the first to the last occurrence in a session, at least one each."""
    by_session: defaultdict[str, list[CommandRun]] = defaultdict(list)
    for log, run in logged_runs:
        by_session[log.session_id].append(run)
    spans = [
        min(MAX_MINUTES, max(1.0, (max(run.said_at for run in runs) - min(run.said_at for run in runs)).total_seconds() / 60))
        for runs in by_session.values()
    ]
    return round(mean(spans), 1)
