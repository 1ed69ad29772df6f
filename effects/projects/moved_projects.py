"""Looks for projects whose folder was renamed or moved before recollect saw it: only the owner can join them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import polars as pl

from effects.projects.join_step import read_folders
from effects.store.run import Run
from transforms.projects.moved_folders import MovedProject, ProjectPlaces, find_moved_projects, list_places
from transforms.tables.rows import ProjectRow


def list_moved_projects(run: Run) -> list[MovedProject]:
    """Return the projects of which no folder is here, each with the one here that it may be; none that the owner parted."""
    rows = read_folders(run.lake)
    by_project: defaultdict[str, list[ProjectRow]] = defaultdict(list)
    for row in rows.values():
        by_project[row["project"]].append(row)
    is_here = {project: any(_is_folder(row["folder"]) for row in members) for project, members in by_project.items()}
    if all(is_here.values()) or not any(is_here.values()):
        return []
    files = _read_files(run)
    spans = run.lake.scan("sessions").group_by("project").agg(first=pl.col("started_at").min(), last=pl.col("started_at").max())
    projects = {
        project: ProjectPlaces(
            is_here[project],
            next((row["remote"] for row in by_project[project] if row["remote"]), None),
            first,
            last,
            frozenset().union(*(list_places(row["folder"], files[row["folder"]]) for row in by_project[project])),
        )
        for project, first, last in spans.drop_nulls().collect().iter_rows()
        if project in by_project
    }
    parted = {row["project"] for row in rows.values() if row["joined_to"] == row["folder"]}
    return [moved for moved in find_moved_projects(projects) if moved.project not in parted]


def _read_files(run: Run) -> defaultdict[str, set[str]]:
    """Return the files that sessions in each folder read, changed or named."""
    folders = run.lake.scan("sessions").select("session_id", folder=pl.coalesce("cwd", "project"))
    files: defaultdict[str, set[str]] = defaultdict(set)
    for table, columns in (("windows", ("files_read", "files_modified")), ("observations", ("files",))):
        for column in columns:
            named = (
                run.lake.scan(table).select("session_id", file=column).explode("file", empty_as_null=True).drop_nulls().unique()
            )
            for folder, file in named.join(folders, on="session_id").select("folder", "file").unique().collect().iter_rows():
                files[folder].add(file)
    return files


def _is_folder(folder: str) -> bool:
    try:
        return Path(folder).is_dir()
    except (OSError, ValueError):
        return False
