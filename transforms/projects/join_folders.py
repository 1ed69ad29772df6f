"""Decides which project each working directory belongs to, also by its remote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Literal

from transforms.patterns.late_pattern import compile_late
from transforms.projects.same_folder import compose_path
from transforms.tables.enums import ProjectSign
from transforms.tables.rows import ProjectRow

REPOSITORY_SIGNS: tuple[Literal["git_dir", "remote", "first_commit"], ...] = ("git_dir", "remote", "first_commit")
"""Columns by which folders of one repository are known, the surest first."""
_REMOTE_ADDRESS = compile_late(
    r"^(?:(?:https?|ssh|git|git\+ssh)://)?(?:[^@/\s]+@)?(?P<host>[A-Za-z0-9.-]+\.[A-Za-z]+|localhost)(?::\d+(?=/))?[:/]+(?P<path>[^\s?#]+)$"
)


def join_folders(
    rows: Iterable[ProjectRow],
    first_seen: Mapping[str, datetime],
    pairs: Iterable[tuple[str, str, ProjectSign]] = (),
) -> list[ProjectRow]:
    """Return the rows with `project` and `joined_by` set anew, by folder.

    Folders with the same common git directory or first commit are one project, named by the root of the folder that was worked in
    first. A remote counts only beside the same first commit: anybody can write any address into a folder. A folder that the owner
    joined (`joined_to`) goes to the project of the other folder, with all folders of its repository; a folder joined to itself
    stands alone. A folder written with composed letters and with marks is one folder. `pairs` are folders that something else
    shows to be one repository, with the sign.
    """
    ordered = sorted(rows, key=lambda row: row["folder"])
    by_repository = _Groups(row["folder"] for row in ordered)
    signs: dict[str, ProjectSign] = {}
    spelled: dict[str, str] = {}
    for row in ordered:
        if row["joined_to"] != row["folder"] and by_repository.join(
            row["folder"], spelled.setdefault(compose_path(row["folder"]), row["folder"])
        ):
            signs[row["folder"]] = "folder"
    for sign in REPOSITORY_SIGNS:
        seen: dict[str, str] = {}
        for row in ordered:
            value = (
                row[sign]
                if sign != "remote"
                else f"{row[sign]} {row['first_commit']}"
                if row[sign] and row["first_commit"]
                else None
            )
            if value is None or row["joined_to"] == row["folder"]:
                continue
            if value in seen and by_repository.join(row["folder"], seen[value]):
                signs.setdefault(row["folder"], sign)
                signs.setdefault(seen[value], sign)
            seen.setdefault(value, row["folder"])
    alone = {row["folder"] for row in ordered if row["joined_to"] == row["folder"]}
    for first, second, reason in pairs:
        if alone.isdisjoint((first, second)) and by_repository.join(first, second):
            signs.setdefault(first, reason)
            signs.setdefault(second, reason)
    names = _name_groups(ordered, by_repository, first_seen)
    owned = {by_repository.find(row["folder"]): target for row in ordered if (target := _read_target(row, by_repository))}
    return [_decide(row, by_repository, names, signs, owned) for row in ordered]


def _read_target(row: ProjectRow, groups: _Groups) -> str | None:
    target = row["joined_to"]
    return target if target is not None and target != row["folder"] and target in groups else None


def _decide(
    row: ProjectRow, groups: _Groups, names: Mapping[str, str], signs: Mapping[str, ProjectSign], owned: Mapping[str, str]
) -> ProjectRow:
    """Return the row with its project: the owner's joins are followed from group to group, a ring of them to its first."""
    head, seen = groups.find(row["folder"]), set[str]()
    while head in owned and head not in seen:
        seen.add(head)
        head = groups.find(owned[head])
    project = names[head]
    apart: ProjectSign = "folder" if project == row["folder"] else "git_dir"
    return {**row, "project": project, "joined_by": "owner" if seen else signs.get(row["folder"], apart)}


def _name_groups(rows: list[ProjectRow], groups: _Groups, first_seen: Mapping[str, datetime]) -> dict[str, str]:
    """Return the project of each group: the root of its folder with the earliest session, on a tie the first by path."""
    best: dict[str, tuple[bool, datetime | None, str]] = {}
    for row in rows:
        seen = first_seen.get(row["folder"])
        root = row["root"] or row["folder"]
        own = row["folder"] if row["joined_to"] == row["folder"] else root
        rank = (seen is None, seen, own)
        head = groups.find(row["folder"])
        if head not in best or _comes_before(rank, best[head]):
            best[head] = rank
    return {head: rank[2] for head, rank in best.items()}


def _comes_before(rank: tuple[bool, datetime | None, str], other: tuple[bool, datetime | None, str]) -> bool:
    if rank[0] != other[0]:
        return other[0]
    if rank[1] is not None and other[1] is not None and rank[1] != other[1]:
        return rank[1] < other[1]
    return rank[2] < other[2]


class _Groups:
    """Disjoint sets of folders. Union-find, Tarjan 1975, with path halving."""

    def __init__(self, folders: Iterable[str]) -> None:
        self.heads = {folder: folder for folder in folders}

    def __contains__(self, folder: str) -> bool:
        return folder in self.heads

    def find(self, folder: str) -> str:
        """Return the folder that stands for the group of `folder`; KeyError for an unknown one."""
        while self.heads[folder] != folder:
            self.heads[folder] = folder = self.heads[self.heads[folder]]
        return folder

    def join(self, folder: str, other: str) -> bool:
        """Join the groups of two folders; return whether they were two."""
        first, second = sorted((self.find(folder), self.find(other)))
        self.heads[second] = first
        return first != second


def normalise_remote(address: str | None) -> str | None:
    """Return `host/owner/name` of a repository's address, without user, protocol, port and `.git`; None for a local path.

    Addresses with upper case and lower case are the same repository, as they are on the large hosts.
    """
    match = _REMOTE_ADDRESS.match((address or "").strip())
    if match is None:
        return None
    path = match["path"].strip("/").removesuffix(".git").strip("/")
    return f"{match['host']}/{path}".lower() if "/" in path else None
