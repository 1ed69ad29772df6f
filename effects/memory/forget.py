"""Forgets: a tombstone for every record that a request covers, and the lines of MEMORY.md that rest on it are taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import polars as pl

from effects.memory.forget_targets import ForgetRequest, ForgetScope, find_scope
from effects.store.commit import Commit
from effects.store.memory_file import list_memory_sections, read_memory, write_memory
from effects.store.open_purges import read_open_purges, save_open_purge
from effects.store.run import Counts, Run
from effects.system.errors import NotFoundError, PageError, UsageError
from transforms.forgetting.blank_entries import WITHOUT_FORGOTTEN
from transforms.forgetting.named_documents import TURN
from transforms.forgetting.row_filter import LINE
from transforms.pages.memory_md import Bullet, UnsafeEditError, add_bullet, parse_memory
from transforms.tables.enums import Actor
from transforms.tables.rows import TombstoneRow
from transforms.tables.schema import TOMBSTONES, build_frame, read_rows
from transforms.tables.surrogates import escape_bytes, restore_bytes

_SECTION_END = "\x1f"
"""Parts the section of a removed line from the line in the column `text`."""
FIRST_WORDS_CHARS = 80


class ListedTurn(TypedDict):
    """A turn that would be forgotten: `session:entry`, its local day, who said it, and its first words."""

    id: str
    day: str
    speaker: str
    words: str


def forget(run: Run, request: ForgetRequest, scope: ForgetScope | None = None, actor: Actor = "owner") -> Counts:
    """Write tombstones for everything that the request covers, and take its lines out of MEMORY.md; return how many of each.

    `scope` receives the rows that were found, for the purge that follows.

    Raises:
        NotFoundError: when there is nothing to forget.
        UsageError: when the request cannot be carried out.
    """
    targets = _resume_scope(run, request) if request.is_purge else find_scope(run, request)
    if scope is not None:
        for name in ForgetScope.__dataclass_fields__:
            setattr(scope, name, getattr(targets, name))
    if request.is_purge:
        save_open_purge(run.lake, targets.reason, vars(targets))
    stored = {(row["target"], row["reason"]): row for row in read_rows(TOMBSTONES, run.lake.read("tombstones"))}
    removed = _remove_lines(run, targets)
    rows = dict(stored)
    for target in sorted(targets.targets | (targets.entries if request.is_purge else set())):
        rows[target, targets.reason] = _build_row(run, target, targets.reason, request.is_purge, actor)
    for number, text in enumerate(removed):
        target = f"{LINE}{number}"
        kept_text = None if request.is_purge else text
        rows[target, targets.reason] = _build_row(run, target, targets.reason, request.is_purge, actor, kept_text)
    with run.lake.commit() as change:
        change.replace("tombstones", build_frame(TOMBSTONES, rows.values()))
    return {"forgotten": len(targets.targets), **_count_kinds(targets), "lines_removed": len(removed)}


def plan_forgetting(run: Run, request: ForgetRequest) -> tuple[Counts, list[ListedTurn]]:
    """Return what `forget` would count, and the turns one by one; change nothing.

    Raises:
        NotFoundError: when there is nothing to forget.
    """
    scope = _resume_scope(run, request) if request.is_purge else find_scope(run, request)
    counts: Counts = {"forgotten": len(scope.targets), **_count_kinds(scope), "lines_removed": len(_choose_outer_bullets(scope))}
    return counts, _list_turns(run, scope)


def _resume_scope(run: Run, request: ForgetRequest) -> ForgetScope:
    """Return the scope of a purge, with what it still has to remove where the same one was stopped."""
    purges = read_open_purges(run.lake)
    names = (request.reason, f"session {request.record_id}")  # an id may be that of a session
    reasons = [name for name in purges if name in names or (request.record_id and name.startswith(request.reason))]
    try:
        scope = find_scope(run, request)
    except NotFoundError:
        if len(reasons) != 1:
            raise
        scope = ForgetScope(reasons[0])
    if (rest := purges.get(scope.reason)) is not None:
        scope.targets.update(rest["targets"])
        scope.texts.update(rest["texts"])
        scope.entries.update(rest["entries"])
        scope.sessions.update(rest["sessions"])
    return scope


def undo_forget(run: Run, request: ForgetRequest, restored_sessions: set[str] | None = None) -> Counts:
    """Undo a request: its tombstones no longer hold, and lines of MEMORY.md return to their sections.

    Windows that were distilled without the forgotten entries are due again; `restored_sessions` receives their sessions.

    Raises:
        NotFoundError: when nothing was forgotten in these words.
        UsageError: when the text was purged.
    """
    stored = list(read_rows(TOMBSTONES, run.lake.read("tombstones")))
    begins = (request.reason, f"session {request.record_id}")  # an id may be that of a session
    matching = [row for row in stored if row["reason"].startswith(begins) and not row["is_undone"]]
    if len({row["reason"] for row in matching}) != 1:
        problem = "several requests begin so" if matching else "nothing was forgotten under this name"
        raise NotFoundError(problem, "recollect sql 'SELECT DISTINCT reason, at FROM tombstones WHERE NOT is_undone'")
    if any(row["is_purged"] for row in matching):
        raise UsageError("it was purged: its text cannot come back", "the session files still have it")
    lines = [row["text"] for row in matching if row["text"]]
    before = memory = read_memory(run)
    for text in lines:
        section, _, line = text.partition(_SECTION_END)
        memory = _put_back(memory, section, restore_bytes(line), list_memory_sections(run))
    if memory != before:
        write_memory(run, before, memory)
    for row in matching:
        row["is_undone"], row["text"] = True, None
    restored = sorted(row["target"] for row in matching if row["target"].startswith("o-"))
    observations = run.lake.scan("observations").filter(pl.col("observation_id").is_in(restored)).select("day").unique().collect()
    with run.lake.commit() as change:
        change.replace("tombstones", build_frame(TOMBSTONES, stored))
        for day in sorted(observations["day"]):  # their neighbours were compared without them
            rows = run.lake.read("observations", [day]).drop("schema_version")
            is_back = pl.col("observation_id").is_in(restored)
            change.replace(
                "observations",
                rows.with_columns(pl.when(is_back).then(None).otherwise("compared_with").alias("compared_with")),
                day,
            )
        _make_due_again(run, change, [row["target"] for row in matching], restored_sessions)
    return {"restored": len(matching) - len(lines), "lines_restored": len(lines)}


def _make_due_again(run: Run, change: Commit, targets: Sequence[str], restored_sessions: set[str] | None) -> None:
    """Let the windows wait for distilling that did, or failed, without entries of these targets; until then their rows stay."""
    names = {target.removeprefix(TURN) for target in targets}
    sessions = names | {name.rpartition(":")[0] for name in names}
    is_due = (
        pl.col("status").is_in(["distilled", "failed"])
        & pl.col("reason").str.starts_with(WITHOUT_FORGOTTEN)
        & pl.col("session_id").is_in(sorted(sessions))
    ).fill_null(False)
    windows = run.lake.scan("windows").filter(is_due).select("session_id", "day").collect()
    for day in windows["day"].unique().sort():
        rows = run.lake.read("windows", [day]).drop("schema_version")
        change.replace(
            "windows",
            rows.with_columns(
                status=pl.when(is_due).then(pl.lit("pending")).otherwise("status"),
                reason=pl.when(is_due).then(pl.lit("")).otherwise("reason"),
                attempts=pl.when(is_due).then(pl.lit(0)).otherwise("attempts"),
            ),
            day,
        )
    if restored_sessions is not None:
        restored_sessions.update(windows["session_id"])


def _remove_lines(run: Run, scope: ForgetScope) -> list[str]:
    """Take the bullets out of MEMORY.md, with the lines that belong to them; return each with its section."""
    before = memory = read_memory(run)
    removed = []
    for bullet in sorted(_choose_outer_bullets(scope), key=lambda bullet: -bullet.start):
        words = memory[bullet.start : bullet.end]
        rest = memory[bullet.end :]
        memory = memory[: bullet.start] + (rest[2:] if rest.startswith("\r\n") else rest[1:])
        removed.append(f"{bullet.section}{_SECTION_END}{escape_bytes(words)}")
    if memory != before:
        write_memory(run, before, memory)
    return removed[::-1]


def _put_back(memory: str, section: str, words: str, order: Sequence[str]) -> str:
    first = words.splitlines()[0] if words else ""
    if parse_memory(memory).has_line(first):
        return memory
    try:
        added = add_bullet(memory, section, first, order)
    except UnsafeEditError as error:
        raise PageError(
            f"a line cannot come back to MEMORY.md: {error}", "mend the page, then run the same command again"
        ) from error
    bullet = parse_memory(added).find_line(first)
    return added[: bullet.start] + words + added[bullet.start + len(first) :] if bullet else added


def _build_row(run: Run, target: str, reason: str, is_purged: bool, actor: Actor, text: str | None = None) -> TombstoneRow:
    return {
        "target": target, "reason": reason, "text": text, "is_purged": is_purged, "actor": actor, "at": run.as_of,
        "is_undone": False,
    }  # fmt: skip


def _choose_outer_bullets(scope: ForgetScope) -> list[Bullet]:
    """Return the bullets that stand in no other one: these take the others with them."""
    bullets = set(scope.bullets)
    return [bullet for bullet in bullets if not any(other.start < bullet.start < other.end for other in bullets)]


def _count_kinds(scope: ForgetScope) -> dict[str, int]:
    kinds = {"o-": "facts", "s-": "segments", "p-": "proposals", "f-": "proposals"}
    counts = dict.fromkeys(("facts", "segments", "proposals", "turns", "others"), 0)
    for target in scope.targets:
        counts["turns" if ":" in target else kinds.get(target[:2], "others")] += 1
    return counts | {"sessions": len(scope.sessions)}


def _list_turns(run: Run, scope: ForgetScope) -> list[ListedTurn]:
    """Return the turns that the scope names one by one, in order of time."""
    names = {target.removeprefix(TURN) for target in scope.targets if ":" in target}
    entry = pl.format("{}:{}", "session_id", "entry_id")
    rows = run.lake.scan("entries").filter(entry.is_in(sorted(names))).unique(("session_id", "entry_id"))
    rows = rows.sort("said_at", "session_id", "ordinal").select(
        entry.alias("id"), "day", pl.coalesce("speaker", "role", "entry_type").alias("speaker"), "text"
    )
    return [
        {"id": row["id"], "day": row["day"].isoformat(), "speaker": row["speaker"], "words": _cut_words(row["text"])}
        for row in rows.collect().to_dicts()
    ]


def _cut_words(text: str) -> str:
    words = " ".join(text[: 8 * FIRST_WORDS_CHARS].split())
    return words if len(words) <= FIRST_WORDS_CHARS else words[:FIRST_WORDS_CHARS].rsplit(" ", 1)[0] + " …"
