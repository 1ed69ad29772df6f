"""Tells which folders that are gone were one repository, by what git printed in both."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from transforms.projects.same_folder import is_inside
from transforms.tables.enums import ProjectSign

MIN_COMMITS = 2
"""Commits that git printed in both folders: one may be a hash that somebody wrote by hand."""
MOST_FOLDERS = 200
"""A sign of more folders tells none of them apart."""


@dataclass(frozen=True, slots=True)
class FolderSigns:
    """Commits and remotes (as `normalise_remote` writes them) that are known of a folder."""

    commits: frozenset[str]
    remotes: frozenset[str]


def pair_folders(signs: Mapping[str, FolderSigns]) -> list[tuple[str, str, ProjectSign]]:
    """Return the folders that were one repository, each pair with its sign, in order.

    Either git printed two commits in both, or both have a remote and one more thing in common: a commit, or one lies in the
    other. Anybody can write any address into a folder, and give it any name.
    """
    common = _count_common({folder: own.commits for folder, own in signs.items()})
    remotes = _count_common({folder: own.remotes for folder, own in signs.items()})
    pairs: list[tuple[str, str, ProjectSign]] = []
    for first, second in sorted({*common, *remotes}):
        if common[first, second] >= MIN_COMMITS:
            pairs.append((first, second, "commit"))
        elif remotes[first, second] and (common[first, second] or is_inside(first, second) or is_inside(second, first)):
            pairs.append((first, second, "remote"))
    return pairs


def _count_common(values: Mapping[str, frozenset[str]]) -> Counter[tuple[str, str]]:
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for folder in sorted(values):
        for value in values[folder]:
            holders[value].append(folder)
    return Counter(pair for folders in holders.values() if len(folders) <= MOST_FOLDERS for pair in combinations(folders, 2))
