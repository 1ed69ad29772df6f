"""What a run has to do about each session file: leave, exclude, refuse or read it. Decided before anything is read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from effects.ingest.session_files import SessionFile, head_of, matching_glob, stat_file
from transforms.reading.pi.session_header import SessionHeader
from transforms.redaction.redact import redact
from transforms.tables.surrogates import replace_surrogates

SourceRow = dict[str, Any]
UNSEEN_NS = -1
"""mtime of a file that could not be read: it counts as changed next time."""


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A file to be read: the one that speaks for its session."""

    file: SessionFile
    header: SessionHeader


@dataclass(slots=True)
class Plan:
    """Files to read, and rows of `sources` that change without reading; `unchanged` files were not opened."""

    tasks: list[ReadTask] = field(default_factory=list)
    rows: dict[str, SourceRow] = field(default_factory=dict)
    unchanged: int = 0


def make_plan(
    files: list[SessionFile], known: dict[str, SourceRow], holders: dict[str, str], cwds: dict[str, str], exclude: tuple[str, ...]
) -> Plan:
    """The plan for `files` (all that were found), given the `sources` rows by path, who speaks for each session, and its cwd."""
    plan = Plan()
    changed: dict[str, tuple[SessionFile, SessionHeader]] = {}
    for file in files:
        old = known.get(file.path)
        if glob := matching_glob(file.path, exclude):
            _exclude(plan, file, old, f"path matches {glob}")
        elif old and (glob := matching_glob(cwds.get(old["session_id"] or "", ""), exclude)):
            _exclude(plan, file, old, f"cwd matches {glob}")
        elif old and _is_unchanged(file, old, exclude):
            plan.unchanged += 1
        else:
            _look_at(plan, changed, file, old, exclude)
    _mark_gone(plan, known, {file.path for file in files})
    _choose_speakers(plan, changed, known, holders)
    plan.tasks.sort(key=lambda task: (Path(task.file.path).name, task.file.path))
    return plan


def source_row(file: SessionFile, status: str, reason: str = "", **columns: Any) -> SourceRow:
    """A row of `sources` for a file of which nothing is consumed, unless `columns` say otherwise."""
    return {
        "path": file.path, "session_id": None, "size": file.size, "mtime_ns": file.mtime_ns, "consumed_bytes": 0,
        "prefix_hash": None, "status": status, "reason": reason, "header_version": None, "line_count": 0, "days": [],
    } | columns  # fmt: skip


def _is_unchanged(file: SessionFile, old: SourceRow, exclude: tuple[str, ...]) -> bool:
    if (old["size"], old["mtime_ns"]) != (file.size, file.mtime_ns):
        return False
    if old["status"] == "excluded":
        return bool(old["reason"].startswith("cwd matches ")) and old["reason"].removeprefix("cwd matches ") in exclude
    return old["status"] in ("read", "refused")


def _exclude(plan: Plan, file: SessionFile, old: SourceRow | None, reason: str) -> None:
    kept = {name: old[name] for name in ("session_id", "days") if name in old} if old else {}
    row = source_row(file, "excluded", reason, **kept)
    if old != row:
        plan.rows[file.path] = row
    else:
        plan.unchanged += 1


def _look_at(
    plan: Plan,
    changed: dict[str, tuple[SessionFile, SessionHeader]],
    file: SessionFile,
    old: SourceRow | None,
    exclude: tuple[str, ...],
) -> None:
    try:
        head = head_of(Path(file.path))
    except Exception as error:  # noqa: BLE001  # one bad file must not stop a night; it is named, quarantined and tried again
        plan.rows[file.path] = refused_later(file, old, error)
        return
    days = old["days"] if old else []
    if head is None:
        plan.rows[file.path] = source_row(file, "read")
    elif isinstance(head, str):
        plan.rows[file.path] = source_row(
            file, "refused", head, session_id=old["session_id"] if days and old else None, days=days
        )
    elif glob := matching_glob(head.cwd, exclude):
        plan.rows[file.path] = source_row(file, "excluded", f"cwd matches {glob}")
    else:
        changed[file.path] = (file, head)


def refused_later(file: SessionFile, old: SourceRow | None, error: Exception) -> SourceRow:
    """The row of a file that could not be read this time; what was read before stays, and it is tried again next time."""
    reason = f"cannot be read: {getattr(error, 'strerror', None) or f'{type(error).__name__}: {error}'}"
    told = {"status": "refused", "reason": redact(replace_surrogates(reason))[:300], "mtime_ns": UNSEEN_NS}
    return (old or source_row(file, "refused")) | told


def _mark_gone(plan: Plan, known: dict[str, SourceRow], present: set[str]) -> None:
    for path, old in known.items():
        if path not in present and old["status"] != "gone" and stat_file(Path(path)) is None:
            plan.rows[path] = old | {"status": "gone"}


@dataclass(frozen=True, slots=True)
class _Member:
    size: int
    is_present: bool
    path: str


def _choose_speakers(
    plan: Plan, changed: dict[str, tuple[SessionFile, SessionHeader]], known: dict[str, SourceRow], holders: dict[str, str]
) -> None:
    """One file speaks for a session id: the longest, then one that exists, then the first by path; the others are refused.

    A copy or backup is a prefix of its original, so the longest holds everything, whatever the order of arrival. A page that
    pi exported speaks only where no session file does.
    """
    members: dict[str, dict[str, _Member]] = defaultdict(dict)
    for path, row in known.items():
        now = plan.rows.get(path, row)
        if row["session_id"] and path not in changed and now["status"] in ("read", "refused", "gone") and now["session_id"]:
            members[row["session_id"]][path] = _Member(row["size"], now["status"] != "gone", path)
    touched = {plan.rows[path]["session_id"] for path in plan.rows if path in known and plan.rows[path]["session_id"]}
    for path, (file, header) in changed.items():
        members[header.session_id][path] = _Member(file.size, True, path)
        touched.add(header.session_id)
        if (before := known.get(path)) and before["session_id"]:
            touched.add(before["session_id"])
    for session_id in sorted(touched):
        _settle_session(plan, session_id, members.get(session_id, {}), changed, known, holders)


def _settle_session(
    plan: Plan,
    session_id: str,
    members: dict[str, _Member],
    changed: dict[str, tuple[SessionFile, SessionHeader]],
    known: dict[str, SourceRow],
    holders: dict[str, str],
) -> None:
    if not members:
        return
    ranked = sorted(members.values(), key=lambda one: (one.path.endswith(".html"), -one.size, not one.is_present, one.path))
    speaker = ranked[0]
    for other in ranked[1:]:
        if other.is_present:
            plan.rows[other.path] = _refused_copy(other, session_id, speaker, changed, known)
    if speaker.path in changed:
        plan.tasks.append(ReadTask(*changed[speaker.path]))
    elif speaker.is_present and holders.get(session_id) != speaker.path:
        _read_again(plan, speaker.path, known)


def _read_again(plan: Plan, path: str, known: dict[str, SourceRow]) -> None:
    """Adds a file that did not change, but speaks for its session from now on."""
    if (file := stat_file(Path(path))) is None:
        return
    try:
        head = head_of(Path(path))
    except Exception as error:  # noqa: BLE001  # as above
        plan.rows[path] = refused_later(file, known.get(path), error)
        return
    if isinstance(head, SessionHeader):
        plan.tasks.append(ReadTask(file, head))


def _refused_copy(
    other: _Member,
    session_id: str,
    speaker: _Member,
    changed: dict[str, tuple[SessionFile, SessionHeader]],
    known: dict[str, SourceRow],
) -> SourceRow:
    better = "as long" if speaker.size == other.size else "longer" if speaker.size > other.size else "the session itself"
    reason = f"same session id as {speaker.path}, which is {better}"
    row = known.get(other.path, {})
    file = changed[other.path][0] if other.path in changed else SessionFile(other.path, row["size"], row["mtime_ns"])
    return source_row(file, "refused", reason, session_id=session_id)
