"""Plans a run: leave, exclude, refuse or read each session file. The plan is made before a file is read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from effects.ingest.session_files import SessionFile, find_matching_glob, read_first_header, stat_file
from transforms.reading.session_header import SessionHeader
from transforms.reading.timestamps import LATEST
from transforms.redaction.redact import redact
from transforms.tables.enums import SourceStatus
from transforms.tables.rows import SourceRow
from transforms.tables.surrogates import replace_surrogates

MAX_REASON_CHARS = 300
COPY_REASON = "same session id"
"""Beginning of the reason of a file that is a copy of another one that is read."""
PI_ONLY_REASON = "its first object is not a session header"
"""Beginning of the reason with which versions that knew only pi refused a file of another client: it is looked at again."""
UNSEEN_NS = -1
"""mtime of a file that could not be read: it counts as changed next time."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A file to be read: the canonical source of its session."""

    file: SessionFile
    header: SessionHeader
    latest: datetime = LATEST
    """A time in the file that is not before this one was written by a clock that is set wrong."""
    is_mistimed: bool = False
    """Whether what was read before has wrong times: nothing of it is kept."""


@dataclass(slots=True)
class Plan:
    """Files to read, and rows of `sources` that change without reading; `unchanged` files were not opened."""

    latest: datetime = LATEST
    mistimed: frozenset[str] = frozenset()
    tasks: list[ReadTask] = field(default_factory=list)
    copies: dict[str, str] = field(default_factory=dict)
    """The session of each file that is refused as a copy, where one of its files is new or has changed: it may have gone on."""
    rows: dict[str, SourceRow] = field(default_factory=dict)
    unchanged: int = 0


def make_plan(
    files: list[SessionFile],
    known: dict[str, SourceRow],
    speakers: dict[str, str],
    cwds: dict[str, str],
    exclude: tuple[str, ...],
    latest: datetime = LATEST,
    mistimed: frozenset[str] = frozenset(),
) -> Plan:
    """Return the plan for all `files`: `known` are rows of `sources` by path; `speakers` and `cwds` go by session.

    Times that are not before `latest` are of a clock that is set wrong; the `mistimed` files are read whole once more.
    """
    plan = Plan(latest, mistimed)
    changed: dict[str, tuple[SessionFile, SessionHeader]] = {}
    for file in files:
        old = known.get(file.path)
        if glob := find_matching_glob(file.path, exclude) or find_matching_glob(file.found_at, exclude):
            _exclude(plan, file, old, f"path matches {glob}")
        elif old and (glob := find_matching_glob(cwds.get(old["session_id"] or "", ""), exclude)):
            _exclude(plan, file, old, f"cwd matches {glob}")
        elif old and file.path not in mistimed and _is_unchanged(file, old, exclude):
            plan.unchanged += 1
        else:
            _inspect_file(plan, changed, file, old, exclude)
    _add_gone_rows(plan, known, {file.path for file in files})
    _choose_speakers(plan, changed, known, speakers)
    plan.tasks.sort(key=lambda task: (Path(task.file.path).name, task.file.path))
    return plan


def make_source_row(file: SessionFile, status: SourceStatus, reason: str = "") -> SourceRow:
    """Return the row of `sources` of a file of which nothing is consumed."""
    return {
        "path": file.path, "session_id": None, "size": file.size, "mtime_ns": file.mtime_ns, "consumed_bytes": 0,
        "prefix_hash": None, "status": status, "reason": reason, "header_version": None, "line_count": 0, "days": [],
    }  # fmt: skip


def _is_unchanged(file: SessionFile, old: SourceRow, exclude: tuple[str, ...]) -> bool:
    if (old["size"], old["mtime_ns"]) != (file.size, file.mtime_ns):
        return False
    if old["status"] == "excluded":
        return bool(old["reason"].startswith("cwd matches ")) and old["reason"].removeprefix("cwd matches ") in exclude
    return old["status"] == "read" or (old["status"] == "refused" and not old["reason"].startswith(PI_ONLY_REASON))


def _exclude(plan: Plan, file: SessionFile, old: SourceRow | None, reason: str) -> None:
    row = make_source_row(file, "excluded", reason)
    if old:
        row["session_id"], row["days"] = old["session_id"], old["days"]
    if old != row:
        plan.rows[file.path] = row
    else:
        plan.unchanged += 1


def _inspect_file(
    plan: Plan,
    changed: dict[str, tuple[SessionFile, SessionHeader]],
    file: SessionFile,
    old: SourceRow | None,
    exclude: tuple[str, ...],
) -> None:
    try:
        head = read_first_header(Path(file.path))
    except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
        plan.rows[file.path] = refuse_for_now(file, old, error)
        return
    days = old["days"] if old else []
    if head is None and old and old["session_id"] and old["consumed_bytes"]:
        # nothing is left: what was read stays, and the file is known again when it is restored
        plan.rows[file.path] = {**old, "size": file.size, "mtime_ns": file.mtime_ns, "status": "read", "reason": ""}
    elif head is None:
        plan.rows[file.path] = make_source_row(file, "read")
    elif isinstance(head, str):
        row = make_source_row(file, "refused", head)
        row["session_id"], row["days"] = old["session_id"] if days and old else None, days
        plan.rows[file.path] = row
    elif glob := find_matching_glob(head.cwd, exclude):
        plan.rows[file.path] = make_source_row(file, "excluded", f"cwd matches {glob}")
    else:
        changed[file.path] = (file, head)


def refuse_for_now(file: SessionFile, old: SourceRow | None, error: Exception) -> SourceRow:
    """Return the row of a file that could not be read this time; its earlier rows stay, and the next run tries again."""
    reason = f"cannot be read: {getattr(error, 'strerror', None) or f'{type(error).__name__}: {error}'}"
    row = (old or make_source_row(file, "refused")).copy()
    row["status"], row["reason"], row["mtime_ns"] = "refused", redact(replace_surrogates(reason))[:MAX_REASON_CHARS], UNSEEN_NS
    return row


def _add_gone_rows(plan: Plan, known: dict[str, SourceRow], present: set[str]) -> None:
    for path, old in known.items():
        if path not in present and old["status"] != "gone" and stat_file(Path(path)) is None:
            row = old.copy()
            row["status"] = "gone"
            plan.rows[path] = row


_SPEAKING = ("read", "refused", "gone")
"""States of a file that may speak for a session."""


@dataclass(frozen=True, slots=True)
class _Member:
    size: int
    is_present: bool
    path: str


def _choose_speakers(
    plan: Plan, changed: dict[str, tuple[SessionFile, SessionHeader]], known: dict[str, SourceRow], speakers: dict[str, str]
) -> None:
    """Choose the file that speaks for each session id: the longest, then one that exists, then the first by path; refuse others.

    A copy or backup is a prefix of its original, so the longest holds everything, in any order of arrival. An exported page
    speaks only where no session file does.
    """
    touched = {row["session_id"] for path, row in plan.rows.items() if path in known and row["session_id"]}
    touched |= {header.session_id for _, header in changed.values()}
    touched |= {before["session_id"] for path in changed if (before := known.get(path)) and before["session_id"]}
    if not touched:  # a quiet night: nothing is said about thousands of files
        return
    members: dict[str, dict[str, _Member]] = defaultdict(dict)
    for path, row in known.items():
        now = plan.rows.get(path, row)
        if row["session_id"] in touched and path not in changed and now["status"] in _SPEAKING and now["session_id"]:
            members[row["session_id"]][path] = _Member(row["size"], now["status"] != "gone", path)
    for path, (file, header) in changed.items():
        members[header.session_id][path] = _Member(file.size, True, path)
    for session_id in sorted(touched):
        _choose_speaker(plan, session_id, members.get(session_id, {}), changed, known, speakers)


def _choose_speaker(
    plan: Plan,
    session_id: str,
    members: dict[str, _Member],
    changed: dict[str, tuple[SessionFile, SessionHeader]],
    known: dict[str, SourceRow],
    speakers: dict[str, str],
) -> None:
    if not members:
        return
    ranked = sorted(members.values(), key=lambda member: _rank_member(member, session_id))
    speaker = ranked[0]
    for other in ranked[1:]:
        if other.is_present:
            plan.rows[other.path] = _make_copy_row(other, session_id, speaker, changed, known)
            if not other.path.endswith(".html"):
                plan.copies[other.path] = session_id
    if speaker.path in changed:
        plan.tasks.append(_make_task(plan, *changed[speaker.path]))
    elif speaker.is_present and speakers.get(session_id) != speaker.path:
        _read_again(plan, speaker.path, known)


def _rank_member(member: _Member, session_id: str) -> tuple[object, ...]:
    """Return the place of a file among those of one session: of two as long the one that its client named by the session."""
    is_named = Path(member.path).stem.endswith(session_id)
    return member.path.endswith(".html"), -member.size, not member.is_present, not is_named, member.path


def _read_again(plan: Plan, path: str, known: dict[str, SourceRow]) -> None:
    """Add a file that did not change, but speaks for its session from now on."""
    if (file := stat_file(Path(path))) is None:
        return
    try:
        head = read_first_header(Path(path))
    except Exception as error:  # noqa: BLE001  # as above
        plan.rows[path] = refuse_for_now(file, known.get(path), error)
        return
    if isinstance(head, SessionHeader):
        plan.tasks.append(_make_task(plan, file, head))


def _make_task(plan: Plan, file: SessionFile, header: SessionHeader) -> ReadTask:
    return ReadTask(file, header, plan.latest, file.path in plan.mistimed)


def _make_copy_row(
    other: _Member,
    session_id: str,
    speaker: _Member,
    changed: dict[str, tuple[SessionFile, SessionHeader]],
    known: dict[str, SourceRow],
) -> SourceRow:
    better = "as long" if speaker.size == other.size else "longer" if speaker.size > other.size else "the session itself"
    reason = f"{COPY_REASON} as {speaker.path}, which is {better}"
    if other.path in changed:
        file = changed[other.path][0]
    else:
        old = known[other.path]
        file = SessionFile(other.path, old["size"], old["mtime_ns"])
    row = make_source_row(file, "refused", reason)
    row["session_id"] = session_id
    return row
