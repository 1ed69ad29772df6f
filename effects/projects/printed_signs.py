"""Reads from sessions which folders that are gone were one repository: git printed the same commits, or one remote, in both."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence

import polars as pl

from effects.projects.gone_folders import TOOL_ROLES, copy_repository, scan_outputs
from effects.projects.repositories import find_held_commits
from effects.store.lake import Lake
from transforms.conversation.entries import ENTRY_COLUMNS_READ, build_entries
from transforms.exchanges.outside.repository_signs import (
    PRINTED_SIGN,
    RepositorySigns,
    read_printed_signs,
    read_repository_signs,
)
from transforms.projects.join_folders import normalise_remote
from transforms.projects.printed_signs import MIN_COMMITS, FolderSigns, pair_folders
from transforms.projects.same_folder import is_inside
from transforms.tables.enums import ProjectSign
from transforms.tables.rows import ProjectRow

Pair = tuple[str, str, ProjectSign]


def join_by_output(lake: Lake, rows: Sequence[ProjectRow], sessions: pl.DataFrame) -> tuple[list[ProjectRow], list[Pair]]:
    """Return the rows, where a folder is gone whose repository is here with that one, and the pairs of others that were one.

    Outputs are read first, and the commands behind them only where these would join a folder: what a file or another folder
    showed joins nothing.
    """
    # where git told nothing, the root is a folder around this one, which is found anew each night
    rows = [{**row, "root": None} if row["git_dir"] is None else row for row in rows]
    gone = {
        row["folder"]: row
        for row in rows
        if row["git_dir"] is None and row["first_commit"] is None and not os.path.lexists(row["folder"])
    }
    here = [*{row["git_dir"]: row for row in rows if row["git_dir"] is not None and os.path.lexists(row["folder"])}.values()]
    asked = sessions.filter(pl.col("folder").is_in([*gone]))
    if asked.is_empty() or len(gone) + len(here) < 2:
        return [*rows], []
    maybe = _read_outputs(lake, asked)
    wanted = _list_wanted(maybe, gone, here)
    if not wanted:
        return [*rows], []
    signs = _read_commands(lake, asked.filter(pl.col("folder").is_in(sorted(wanted)) & pl.col("session_id").is_in([*maybe])))
    held = _place_held(signs, here)
    pairs = pair_folders({folder: _name_signs(gone[folder], signs.get(folder)) for folder in gone if folder not in held})
    placed = [copy_repository(row, held[row["folder"]]) if row["folder"] in held else row for row in rows]
    alone = {row["folder"] for row in rows if row["joined_to"] == row["folder"]}
    return [_name_root(row, pairs, alone) for row in placed], pairs


def _read_outputs(lake: Lake, asked: pl.DataFrame) -> dict[str, tuple[str, RepositorySigns]]:
    """Return the folder of each session, and what its outputs would tell; sessions without such outputs are left out."""
    folder_of = dict(asked.select("session_id", "folder").iter_rows())
    printed = scan_outputs(lake, folder_of, PRINTED_SIGN)
    signs: defaultdict[str, RepositorySigns] = defaultdict(RepositorySigns)
    for session_id, text in printed.select("session_id", "text").collect().iter_rows():
        signs[session_id] = signs[session_id].add(read_printed_signs(text))
    return {session_id: (folder_of[session_id], own) for session_id, own in sorted(signs.items())}


def _list_wanted(
    maybe: dict[str, tuple[str, RepositorySigns]], gone: dict[str, ProjectRow], here: Sequence[ProjectRow]
) -> set[str]:
    """Return the folders that their outputs would join to another one."""
    by_folder: defaultdict[str, RepositorySigns] = defaultdict(RepositorySigns)
    for folder, own in maybe.values():
        by_folder[folder] = by_folder[folder].add(own)
    named = {folder: _name_signs(row, by_folder.get(folder)) for folder, row in gone.items()}
    return {folder for pair in pair_folders(named) for folder in pair[:2]} | {*_place_held(by_folder, here)}


def _read_commands(lake: Lake, asked: pl.DataFrame) -> dict[str, RepositorySigns]:
    """Return by folder what git printed there."""
    folder_of = dict(asked.select("session_id", "folder").iter_rows())
    entries = (
        lake.scan("entries")
        .filter(
            pl.col("session_id").is_in([*folder_of])
            & pl.col("role").is_in(("assistant", *TOOL_ROLES))
            & pl.col("flags").list.contains("copied").not_()
        )
        .select(ENTRY_COLUMNS_READ)
        .sort("session_id", "ordinal")
        .collect()
    )
    signs: defaultdict[str, RepositorySigns] = defaultdict(RepositorySigns)
    for (session_id,), own in entries.group_by("session_id", maintain_order=True):
        folder = folder_of[str(session_id)]
        signs[folder] = signs[folder].add(read_repository_signs(build_entries(own), folder))
    return dict(signs)


def _place_held(signs: dict[str, RepositorySigns], here: Iterable[ProjectRow]) -> dict[str, ProjectRow]:
    """Return by folder the one repository here that holds two of the commits that git printed there."""
    printed = sorted({name for own in signs.values() for name in own.commits})
    held = [(row, find_held_commits(row["folder"], printed)) for row in here] if printed else []
    placed = {}
    for folder, own in signs.items():
        counts = Counter({number: len(names & own.commits) for number, (_, names) in enumerate(held)})
        holding = [held[number][0] for number, count in counts.items() if count >= MIN_COMMITS]
        if len({row["first_commit"] or row["git_dir"] for row in holding}) == 1:
            placed[folder] = holding[0]
    return placed


def _name_root(row: ProjectRow, pairs: Iterable[Pair], alone: Collection[str]) -> ProjectRow:
    """Return the row of a folder inside of another one of its repository with that one as its root, which names the project;
    `alone` are folders that their owner parted from all others."""
    around = [
        other
        for pair in pairs
        for folder, other in (pair[:2], pair[1::-1])
        if folder == row["folder"] and is_inside(folder, other) and folder not in alone and other not in alone
    ]
    return {**row, "root": min(around, key=len)} if around else row


def _name_signs(row: ProjectRow, own: RepositorySigns | None) -> FolderSigns:
    remotes = {normalise_remote(address) for address in own.remotes} if own else set()
    return FolderSigns(own.commits if own else frozenset(), frozenset(name for name in {*remotes, row["remote"]} if name))
