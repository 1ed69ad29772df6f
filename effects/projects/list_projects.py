"""Lists the folders of sessions with the projects that they belong to."""

from __future__ import annotations

from typing import TypedDict

import polars as pl

from effects.projects.join_step import read_folders
from effects.store.run import Run
from transforms.tables.enums import ProjectSign


class ProjectFolder(TypedDict):
    """A folder, its project, why it belongs there, its remote, and the number of sessions in it (sub-agents not counted)."""

    project: str
    folder: str
    joined_by: ProjectSign
    remote: str | None
    sessions: int


def list_project_folders(run: Run) -> list[ProjectFolder]:
    """Return the folders by project, a project's own folder first."""
    own = run.lake.scan("sessions").filter(pl.col("is_subagent").not_().fill_null(True))
    folder = pl.coalesce("cwd", "project").alias("folder")
    counted = dict(own.select(folder).group_by("folder").len().collect().iter_rows())
    rows = sorted(
        read_folders(run.lake).values(), key=lambda row: (row["project"], row["folder"] != row["project"], row["folder"])
    )
    return [
        {
            "project": row["project"],
            "folder": row["folder"],
            "joined_by": row["joined_by"],
            "remote": row["remote"],
            "sessions": counted.get(row["folder"], 0),
        }
        for row in rows
    ]
