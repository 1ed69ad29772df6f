"""Places folders that are gone: a deleted worktree, or a folder inside of one, belonged to a repository that is still known."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from effects.projects.repositories import find_held_commits
from effects.store.lake import Lake
from effects.system.known_folders import find_enclosing
from transforms.sessions.commits import COMMITTED, find_commits
from transforms.tables.rows import ProjectRow

TOOL_ROLES = ("toolResult", "bashExecution")


def place_gone_folders(lake: Lake, rows: Sequence[ProjectRow], sessions: pl.DataFrame) -> list[ProjectRow]:
    """Return the rows, where a folder is gone that git was never asked about, with the repository that it belonged to.

    That is the one around it, or around the worktree that it lay in, else the one that holds a commit which git printed as made
    in a session there: worktrees share their objects, so the commit outlives the folder.
    """
    known = [row for row in rows if row["git_dir"] is not None]
    gone = [row for row in rows if row["git_dir"] is None and row["first_commit"] is None and not os.path.lexists(row["folder"])]
    if not known or not gone:
        return [*rows]
    places: dict[str, ProjectRow] = {}
    for row in known:
        places.setdefault(row["root"] or row["folder"], row)
        places.setdefault(row["folder"], row)
    repositories = {row["folder"]: places[around] for row in gone if (around := find_enclosing(row["folder"], places))}
    commits = _read_commits(
        lake, sessions.filter(pl.col("folder").is_in([row["folder"] for row in gone if row["folder"] not in repositories]))
    )
    repositories |= _find_holders(commits, {row["git_dir"]: row for row in known if os.path.lexists(row["folder"])}.values())
    return [copy_repository(row, repositories[row["folder"]]) if row["folder"] in repositories else row for row in rows]


def _find_holders(commits: Mapping[str, Iterable[str]], holders: Iterable[ProjectRow]) -> dict[str, ProjectRow]:
    """Return the repository that holds a commit of each folder; none where two that are not clones of each other do."""
    made = sorted({name for names in commits.values() for name in names})
    if not made:
        return {}
    held = [(row, find_held_commits(row["folder"], made)) for row in holders]
    repositories = {}
    for folder, names in commits.items():
        holding = [row for row, own in held if not own.isdisjoint(names)]
        if len({row["first_commit"] or row["git_dir"] for row in holding}) == 1:
            repositories[folder] = holding[0]
    return repositories


def copy_repository(row: ProjectRow, other: ProjectRow) -> ProjectRow:
    """Return the row of a folder with the repository of another one."""
    return {
        **row,
        "root": other["root"],
        "git_dir": other["git_dir"],
        "remote": row["remote"] or other["remote"],
        "first_commit": other["first_commit"],
    }


def _read_commits(lake: Lake, sessions: pl.DataFrame) -> dict[str, list[str]]:
    """Return the commits that git printed as made in sessions of each folder; a fork's copies were made elsewhere."""
    if sessions.is_empty():
        return {}
    folder_of = dict(sessions.select("session_id", "folder").iter_rows())
    printed = scan_outputs(lake, folder_of, COMMITTED)
    commits: defaultdict[str, dict[str, None]] = defaultdict(dict)
    rows = printed.select("session_id", "ordinal", "text").sort("session_id", "ordinal").collect()
    for session_id, _, text in rows.iter_rows():
        commits[folder_of[session_id]] |= {made.hash: None for made in find_commits(text)}
    return {folder: [*names] for folder, names in sorted(commits.items())}


def scan_outputs(lake: Lake, sessions: Iterable[str], pattern: str) -> pl.LazyFrame:
    """Return the entries of sessions in which a tool printed what the pattern finds, without those that a fork copied."""
    return lake.scan("entries").filter(
        pl.col("session_id").is_in([*sessions])
        & pl.col("role").is_in(TOOL_ROLES)
        & pl.col("flags").list.contains("copied").not_()
        & pl.col("text").str.contains(pattern)
    )
