"""The projects step: sessions in worktrees, clones and moved folders of one repository belong to one project.

The table `projects` keeps git's answer, so that a worktree stays joined after it was removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import cast

import polars as pl

from effects.projects.gone_folders import place_gone_folders
from effects.projects.printed_signs import join_by_output
from effects.projects.repositories import has_commit, read_repository
from effects.store.content_key import compute_search_key, find_settled, settle
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from transforms.patterns.late_pattern import compile_late
from transforms.projects.join_folders import join_folders, normalise_remote
from transforms.tables.json_object import parse_raw_json
from transforms.tables.rows import ProjectRow
from transforms.tables.schema import PROJECTS, build_frame

RECORDED = ("repository_url", "commit_hash")
"""What Codex notes about git at the start of a session."""
HASH = compile_late(r"[0-9a-f]{40,64}")
DAILY = ("segments", "observations")
"""Tables besides `sessions` whose rows name their project."""


def join_projects(run: Run) -> Counts:
    """Bring the project of every session, segment and observation in line with the repositories and the owner's decisions.

    Counts: folders of sessions, projects that they belong to, sessions that moved to another project.
    """
    stored = read_folders(run.lake)
    described = {folder: _describe_folder(run, folder, row) for folder, row in stored.items()}
    key = compute_search_key(run, ("projects", "sessions", "entries"), repr(described))
    if (settled := find_settled(run, "join_projects", key)) is not None:
        return settled
    sessions = _read_sessions(run.lake)
    first_seen = {folder: started_at for folder, started_at in _list_folders(sessions) if folder}
    rows = [described.get(folder) or _describe_folder(run, folder, None) for folder in sorted({*first_seen, *stored})]
    if run.settings.projects.join == "repository":
        rows = place_gone_folders(run.lake, rows, sessions)
    rows = _find_common_commits(*_add_recorded_remotes(run.lake, rows, sessions))
    if run.settings.projects.join == "repository":
        rows, pairs = join_by_output(run.lake, rows, sessions)
        joined = join_folders(rows, first_seen, pairs)
    else:
        joined = _leave_apart(rows)
    project_of = {row["folder"]: row["project"] for row in joined}
    moved = {
        session_id: project_of[folder]
        for session_id, folder, project in sessions.select("session_id", "folder", "project").iter_rows()
        if folder and project_of[folder] != project
    }
    counts: Counts = {"folders": len(joined), "projects": len(set(project_of.values())), "moved": len(moved)}
    if joined != list(stored.values()) or moved:
        _write_projects(run.lake, joined, moved)
    else:
        settle(run, "join_projects", key, counts)
    return counts


def read_folders(lake: Lake) -> dict[str, ProjectRow]:
    """Return the rows of `projects` by folder, in order."""
    rows = cast(list[ProjectRow], lake.read("projects").drop("schema_version").rows(named=True))
    return {row["folder"]: row for row in rows}


def _read_sessions(lake: Lake) -> pl.DataFrame:
    columns = ("session_id", "project", "cwd", "started_at", "agent", "day")
    return lake.scan("sessions").select(columns).with_columns(folder=pl.coalesce("cwd", "project")).sort("session_id").collect()


def _list_folders(sessions: pl.DataFrame) -> Iterable[tuple[str, datetime]]:
    return sessions.group_by("folder").agg(pl.col("started_at").min()).sort("folder").iter_rows()


def _describe_folder(run: Run, folder: str, old: ProjectRow | None) -> ProjectRow:
    """Return the row of a folder; git is asked as long as it has not told everything."""
    row: ProjectRow = old or {
        "folder": folder, "project": folder, "joined_by": "folder", "root": None, "git_dir": None, "remote": None,
        "first_commit": None, "joined_to": None,
    }  # fmt: skip
    is_known = row["git_dir"] is not None and row["first_commit"] is not None
    if is_known or run.settings.projects.join != "repository" or (repository := read_repository(folder)) is None:
        return row
    return {
        **row,
        "root": repository.root,
        "git_dir": repository.git_dir,
        "remote": repository.remote or row["remote"],
        "first_commit": repository.first_commit,
    }


def _add_recorded_remotes(
    lake: Lake, rows: list[ProjectRow], sessions: pl.DataFrame
) -> tuple[list[ProjectRow], Mapping[str, frozenset[str]]]:
    """Return the rows with the remotes that sessions recorded themselves (Codex does), where git told none, and by
    folder the commits that they recorded."""
    unknown = {row["folder"] for row in rows if row["first_commit"] is None}
    asked = sessions.filter((pl.col("agent") == "codex") & pl.col("folder").is_in(sorted(unknown)))
    if asked.is_empty():
        return rows, {}
    metas = lake.scan("entries", sorted(set(asked["day"]))).filter(
        (pl.col("entry_type") == "session_meta") & pl.col("session_id").is_in(asked["session_id"].to_list())
    )
    remotes: dict[str, str] = {}
    commits: dict[str, frozenset[str]] = {}
    folder_of = dict(asked.select("session_id", "folder").iter_rows())
    for session_id, raw_json in metas.sort("session_id", "ordinal").select("session_id", "raw_json").collect().iter_rows():
        git = (parse_raw_json(raw_json).get("payload") or {}).get("git")
        folder, address, commit = folder_of[session_id], *(git.get(key) if isinstance(git, dict) else None for key in RECORDED)
        if isinstance(address, str) and (remote := normalise_remote(address)):
            remotes.setdefault(folder, remote)
        if isinstance(commit, str) and HASH.fullmatch(commit):
            commits[folder] = commits.get(folder, frozenset()) | {commit}
    return [{**row, "remote": row["remote"] or remotes.get(row["folder"])} for row in rows], commits


def _find_common_commits(rows: list[ProjectRow], recorded: Mapping[str, frozenset[str]]) -> list[ProjectRow]:
    """Return the rows, where a folder has a commit in common with another of its remote, with the first commit of that one.

    A shallow clone begins at a later commit; of a folder that is not here, sessions recorded commits.
    """
    result = [*rows]
    holders: dict[str | None, list[int]] = {}
    for number, row in enumerate(result):
        if row["first_commit"] is not None:
            holders.setdefault(row["remote"], []).append(number)
    for number, row in enumerate(result):
        commits = recorded.get(row["folder"], frozenset()) if row["first_commit"] is None else {row["first_commit"]}
        for holder in (result[other] for other in holders.get(row["remote"], ()) if row["remote"] is not None):
            if holder["first_commit"] != row["first_commit"] and any(
                has_commit(holder["folder"], name) for name in sorted(commits)
            ):
                result[number] = {**row, "first_commit": holder["first_commit"]}
                break
    return result


def _leave_apart(rows: Iterable[ProjectRow]) -> list[ProjectRow]:
    """Return the rows of folders that only the owner joins."""
    alone: list[ProjectRow] = [{**row, "root": None, "git_dir": None, "remote": None, "first_commit": None} for row in rows]
    return join_folders(alone, {})


def _write_projects(lake: Lake, rows: list[ProjectRow], moved: dict[str, str]) -> None:
    """Write the table, and the new project of the rows of sessions that moved, in one commit."""
    names = pl.DataFrame(
        {"session_id": list(moved), "moved_to": list(moved.values())}, schema={"session_id": pl.String, "moved_to": pl.String}
    )
    with lake.commit() as change:
        change.replace("projects", build_frame(PROJECTS, rows))
        for table in ("sessions", *DAILY) if moved else ():
            days = (
                lake.scan(table).filter(pl.col("session_id").is_in(list(moved))).select(pl.col("day").unique()).collect()["day"]
            )
            for day in sorted(days):
                stored = lake.read(table, [day]).drop("schema_version")
                renamed = stored.join(names, on="session_id", how="left", maintain_order="left")
                change.replace(table, renamed.with_columns(project=pl.coalesce("moved_to", "project")).drop("moved_to"), day)
