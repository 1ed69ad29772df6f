"""Tells which project a folder that is gone may live on in: by its remote, or by places in it that only the two have.

A folder that was renamed has no session after the first one under its new name; another project beside it has.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate

MIN_SHARED = 3
"""Places that only the two projects have."""
MIN_SHARE = 0.15
"""The same as a share of all places of the one that is gone; a name that every scaffold has stands in other projects, too."""
OVERLAP = timedelta(days=1)
"""A session in the old folder may go on while another one has begun in the new one."""


@dataclass(frozen=True, slots=True)
class ProjectPlaces:
    """What is known of a project: whether its folder is still here, its remote, when its first and its last session began, and
    the places that its sessions name."""

    is_here: bool
    remote: str | None
    first: datetime
    last: datetime
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class MovedProject:
    """A project whose folder is gone, the one that it may be now, and the sign in words."""

    project: str
    successor: str
    sign: str

    def describe(self) -> str:
        """Return the hint for its owner."""
        return f"{self.project} is no longer there; it may be {self.successor} now: {self.sign}"

    def name_command(self) -> str:
        """Return the command that joins the two."""
        return f"recollect projects join {shlex.quote(self.project)} {shlex.quote(self.successor)}"


def list_places(folder: str, files: Iterable[str]) -> frozenset[str]:
    """Return the files in folders of `folder`, and these folders, relative to it; a bare name of a file says little."""
    places: set[str] = set()
    for file in files:
        path = file.removeprefix(folder.rstrip("/") + "/")
        if not path.startswith(("/", "..", "~")):
            parts = [part for part in path.split("/") if part not in ("", ".")]
            places |= {*accumulate(parts, lambda place, part: f"{place}/{part}")} - {*parts[:1]}
    return frozenset(places)


def find_moved_projects(projects: Mapping[str, ProjectPlaces]) -> list[MovedProject]:
    """Return the projects that are gone beside one that is here and seems to be the same, by path."""
    here = sorted(project for project, known in projects.items() if known.is_here)
    moved = []
    for project, known in sorted(projects.items()):
        if known.is_here:
            continue
        by_remote = [other for other in here if known.remote is not None and projects[other].remote == known.remote]
        later = [other for other in here if projects[other].first >= known.last - OVERLAP]
        shared = {other: len(_find_shared(project, other, projects)) for other in later}
        best = max(later, key=lambda other: shared[other], default="")
        if len(by_remote) == 1:
            moved.append(MovedProject(project, by_remote[0], "the same remote"))
        elif best and shared[best] >= max(MIN_SHARED, MIN_SHARE * len(known.places)):
            moved.append(MovedProject(project, best, f"{shared[best]} files or folders that no other project has"))
    return moved


def _find_shared(project: str, other: str, projects: Mapping[str, ProjectPlaces]) -> frozenset[str]:
    others = (known.places for name, known in projects.items() if name not in (project, other))
    return (projects[project].places & projects[other].places).difference(*others)
