"""Asks git for commits, and finds the session of one that git did not print: by the command that made it, or by its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from effects.projects.git import ask_git
from effects.store.forgotten import read_forgotten
from effects.store.lake import Lake
from effects.system.known_folders import find_enclosing
from transforms.conversation.entries import build_entries
from transforms.exchanges.actions import find_actions
from transforms.forgetting.row_filter import drop_forgotten_rows
from transforms.sessions.commits import GitCommit, find_subject_word, is_same_commit, rank_traces
from transforms.sessions.session_query import SessionMatch
from transforms.tables.rows import SessionRow

MIN_SUBJECT_WORDS = 3


def match_commit_commands(lake: Lake, subject: str) -> Iterator[SessionMatch]:
    """Yield the sessions in which an agent ran `git commit` with this subject; git's output does not matter."""
    if len(subject.split()) < MIN_SUBJECT_WORDS or not (word := find_subject_word(subject)):
        return  # it reads every agent's calls: not for a word or two
    calls = lake.scan("entries").filter(
        (pl.col("role") == "assistant")
        & pl.col("flags").list.contains("copied").not_()
        & pl.col("raw_json").str.contains("commit", literal=True)
        & pl.col("raw_json").str.contains(word, literal=True)
    )
    for entry in build_entries(drop_forgotten_rows(calls.collect(), read_forgotten(lake))):
        for action in find_actions([entry]):
            if action.kind == "commit" and is_same_commit(GitCommit("", action.detail), None, subject):
                yield SessionMatch(entry.session_id, "commit", 1, f"git commit: {action.detail}")


def collect_texts(lake: Lake, entries: pl.LazyFrame) -> list[tuple[str, str]]:
    """Return session and text of the rows of a query over `entries` that were not forgotten."""
    rows = drop_forgotten_rows(entries.select("session_id", "entry_id", "text").collect(), read_forgotten(lake))
    return rows.select("session_id", "text").rows()


def match_commit_files(lake: Lake, commit: GitCommit, here: Path, sessions: Mapping[str, SessionRow]) -> Iterator[SessionMatch]:
    """Yield the sessions of this project that changed files of a commit before it was made, the likeliest first."""
    if commit.authored_at is None or not commit.files:
        return
    project = _find_project(lake, here, sessions)
    windows = lake.scan("windows").filter(pl.col("started_at") <= commit.authored_at, pl.col("files_modified").list.len() > 0)
    changes: list[tuple[str, datetime, list[str]]] = [
        (session_id, ended_at, files)
        for session_id, ended_at, files in windows.select("session_id", "ended_at", "files_modified").collect().iter_rows()
        if session_id in sessions and (project is None or sessions[session_id]["project"] == project)
    ]
    for rank, (session_id, files) in enumerate(rank_traces(commit, commit.authored_at, changes)):
        yield SessionMatch(session_id, "changed", rank, ", ".join(files))


def _find_project(lake: Lake, here: Path, sessions: Mapping[str, SessionRow]) -> str | None:
    """Return the project of a folder; None when memory knows no session there."""
    folders: dict[str, str] = dict(lake.scan("projects").select("folder", "project").collect().iter_rows())
    folders |= {row["project"]: row["project"] for row in sessions.values() if row["project"]}
    enclosing = find_enclosing(str(here), folders)
    return folders[enclosing] if enclosing else None


def read_commit(folder: Path, revision: str) -> GitCommit | None:
    """Return the commit with this hash in the repository of a folder; None when there is none."""
    answer = ask_git(folder, "show", "--name-only", "--format=%H%n%s%n%at", f"{revision}^{{commit}}")
    return _parse(answer)


def read_blamed_commit(folder: Path, path: str, line: int) -> GitCommit | None:
    """Return the commit that last changed a line of a file; None when git does not know the line, or it is not committed."""
    file = Path(path).expanduser()
    file = file if file.is_absolute() else folder / file
    if not file.is_file():
        return None
    answer = ask_git(file.parent, "blame", "--porcelain", "-L", f"{line},{line}", "--", file.name)
    revision = answer.split(maxsplit=1)[0] if answer else ""
    return read_commit(file.parent, revision) if revision.strip("0") else None


def _parse(answer: str | None) -> GitCommit | None:
    lines = answer.splitlines() if answer else []
    if len(lines) < 3:
        return None
    moment = datetime.fromtimestamp(int(lines[2]), UTC) if lines[2].isdigit() else None
    return GitCommit(lines[0], lines[1], moment, tuple(line for line in lines[3:] if line))
