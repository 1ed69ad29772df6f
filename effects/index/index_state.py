"""The state of the lake that the search index contains, stored with its rows, so that a night reads only new files.

A change of this state is part of the transaction that changes the rows. Only the announced numbers are written before: the
documents that are about to change in LanceDB. When a run dies in between, the next one removes them and makes them again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STATE_TABLES = """
CREATE TABLE parts (
  part TEXT PRIMARY KEY, mark TEXT NOT NULL, documents INTEGER NOT NULL, words INTEGER NOT NULL, newest TEXT, newest_turn TEXT,
  projects TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE files (path TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (session_id TEXT PRIMARY KEY, project TEXT, day TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE waiting (number INTEGER PRIMARY KEY, text_hash TEXT NOT NULL, is_new INTEGER NOT NULL);
CREATE TABLE announced (number INTEGER PRIMARY KEY);
"""
"""`parts` has a summary of each part's documents, `files` the files of vectors and sessions that were read, and the condensed
periods; `waiting` the documents without a vector; `is_new` while older files of vectors were not searched for theirs. A `mark` is
a fingerprint."""


@dataclass(frozen=True, slots=True)
class PartSummary:
    """Numbers of documents and words of a part, the times of its newest document and newest turn, and its projects."""

    documents: int = 0
    words: int = 0
    newest: str | None = None
    newest_turn: str | None = None
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of one generation; errors of SQLite for a broken file reach the caller."""

    database: sqlite3.Connection

    def read_fingerprints(self) -> dict[str, str]:
        """Return the fingerprint of each part at the time when it was indexed."""
        return dict(self.database.execute("SELECT part, mark FROM parts"))

    def save_part(self, part: str, fingerprint: str | None, summary: PartSummary) -> None:
        """Record that a part is indexed; without a fingerprint the part is gone."""
        self.database.execute("DELETE FROM parts WHERE part = ?", (part,))
        if fingerprint is not None:
            values = (
                part,
                fingerprint,
                summary.documents,
                summary.words,
                summary.newest,
                summary.newest_turn,
                json.dumps(summary.projects),
            )
            self.database.execute("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def summarise_parts(self) -> PartSummary:
        """Return the summary of all parts together."""
        query = "SELECT sum(documents), sum(words), max(newest), max(newest_turn) FROM parts"
        documents, words, newest, newest_turn = self.database.execute(query).fetchone()
        lists = self.database.execute("SELECT DISTINCT projects FROM parts")
        projects = {project for (projects_json,) in lists for project in json.loads(projects_json)}
        return PartSummary(documents or 0, words or 0, newest, newest_turn, tuple(sorted(projects)))

    # ---- files of vectors and of sessions

    def find_unread_files(self, table: str, fingerprints: Mapping[str, str]) -> dict[str, str]:
        """Return those of a table's files (or folders) that are new or changed, with their fingerprints."""
        query = "SELECT path, mark FROM files WHERE path >= ? AND path < ?"
        known = dict(self.database.execute(query, (f"{table}/", f"{table}0")))
        return {path: fingerprint for path, fingerprint in fingerprints.items() if known.get(f"{table}/{path}") != fingerprint}

    def read_mark(self, table: str, path: str) -> str | None:
        """Return the fingerprint of a file of a table as it was read; None when it never was."""
        row = self.database.execute("SELECT mark FROM files WHERE path = ?", (f"{table}/{path}",)).fetchone()
        return str(row[0]) if row else None

    def find_vanished_files(self, table: str, fingerprints: Mapping[str, str]) -> list[str]:
        """Return the files of a table that were read once and do not exist any more."""
        query = "SELECT path FROM files WHERE path >= ? AND path < ?"
        known = (path[len(table) + 1 :] for (path,) in self.database.execute(query, (f"{table}/", f"{table}0")))
        return [path for path in known if path not in fingerprints]

    def save_read_files(self, table: str, fingerprints: Mapping[str, str]) -> None:
        """Record that these are all files of a table and that they were read."""
        vanished = self.find_vanished_files(table, fingerprints)
        self.database.executemany("DELETE FROM files WHERE path = ?", [(f"{table}/{path}",) for path in vanished])
        unread = self.find_unread_files(table, fingerprints)
        rows = [(f"{table}/{path}", fingerprint) for path, fingerprint in unread.items()]
        self.database.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", rows)

    def replace_sessions(self, day: str, projects: Mapping[str, str]) -> None:
        """Replace the sessions of a day by these, with their projects."""
        self.database.execute("DELETE FROM sessions WHERE day = ?", (day,))
        rows = ((session, project, day) for session, project in projects.items())
        self.database.executemany("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", rows)

    def read_projects(self) -> dict[str, str]:
        """Return the project of each session."""
        return dict(self.database.execute("SELECT session_id, project FROM sessions"))

    # ---- documents without a vector

    def add_waiting(self, text_hashes: Mapping[int, str]) -> None:
        """Record that these documents have no vector yet."""
        rows = ((number, text_hash) for number, text_hash in text_hashes.items())
        self.database.executemany("INSERT OR REPLACE INTO waiting VALUES (?, ?, 1)", rows)

    def remove_waiting(self, numbers: Iterable[int]) -> None:
        """Record that these documents have a vector."""
        self.database.executemany("DELETE FROM waiting WHERE number = ?", ((number,) for number in numbers))

    def clear_new_waiting(self) -> None:
        """Record that all files of vectors were searched for the waiting documents; only new files can have theirs."""
        self.database.execute("UPDATE waiting SET is_new = 0 WHERE is_new")

    # ---- documents that are about to change

    def announce(self, numbers: Iterable[int]) -> None:
        """Record that these documents are about to change in LanceDB; in a transaction of its own."""
        self.database.executemany("INSERT OR REPLACE INTO announced VALUES (?)", ((number,) for number in numbers))

    def read_announced(self) -> list[int]:
        """Return the documents that an interrupted run was about to change."""
        return [number for (number,) in self.database.execute("SELECT number FROM announced ORDER BY number")]

    def clear_announced(self) -> None:
        """Record that LanceDB has the announced changes."""
        self.database.execute("DELETE FROM announced")

    def invalidate_all_parts(self) -> None:
        """Clear the fingerprints of all parts, so that each is indexed again."""
        self.database.execute("UPDATE parts SET mark = ''")

    def invalidate_parts(self, numbers: Iterable[int]) -> None:
        """Clear the fingerprints of the parts of these documents, so that they are indexed again."""
        statement = "UPDATE parts SET mark = '' WHERE part = (SELECT part FROM documents WHERE number = ?)"
        self.database.executemany(statement, ((number,) for number in numbers))
