"""What the search index has taken in of the lake, beside the rows: so that a night looks only at what is new.

Everything here is written in the transaction of what it tells about. Only `announced` is written before: the numbers that LanceDB
is about to be changed for, which are forgotten and made again when a run dies in between.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

TABLES = """
CREATE TABLE parts (
  part TEXT PRIMARY KEY, mark TEXT NOT NULL, documents INTEGER NOT NULL, words INTEGER NOT NULL, newest TEXT, newest_turn TEXT,
  projects TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE files (path TEXT PRIMARY KEY, mark TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (session_id TEXT PRIMARY KEY, project TEXT, day TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE waiting (number INTEGER PRIMARY KEY, text_hash TEXT NOT NULL, is_new INTEGER NOT NULL);
CREATE TABLE announced (number INTEGER PRIMARY KEY);
"""
"""`parts` sums up the documents of each; `files` of vectors and of sessions were read; `waiting` are documents without a vector,
for which, when new, older files of vectors were not searched yet."""


@dataclass(frozen=True, slots=True)
class Part:
    """How many documents and words a part has, when the newest of them and the newest turn were said, and about what projects."""

    documents: int = 0
    words: int = 0
    newest: str | None = None
    newest_turn: str | None = None
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ledger:
    """The bookkeeping of one generation; whatever SQLite raises for a broken file reaches the caller."""

    base: sqlite3.Connection

    def marks(self) -> dict[str, str]:
        """The mark of each part as it was taken in."""
        return dict(self.base.execute("SELECT part, mark FROM parts"))

    def took(self, part: str, mark: str | None, now: Part) -> None:
        """This part is in the index as its mark says; without a mark it is gone."""
        self.base.execute("DELETE FROM parts WHERE part = ?", (part,))
        if mark is not None:
            values = (part, mark, now.documents, now.words, now.newest, now.newest_turn, json.dumps(now.projects))
            self.base.execute("INSERT INTO parts VALUES (?, ?, ?, ?, ?, ?, ?)", values)

    def whole(self) -> Part:
        """All parts together."""
        asked = "SELECT sum(documents), sum(words), max(newest), max(newest_turn) FROM parts"
        documents, words, newest, newest_turn = self.base.execute(asked).fetchone()
        told = self.base.execute("SELECT DISTINCT projects FROM parts")
        projects = {project for (listed,) in told for project in json.loads(listed)}
        return Part(documents or 0, words or 0, newest, newest_turn, tuple(sorted(projects)))

    # ---- files of vectors and of sessions

    def unread(self, table: str, marks: Mapping[str, str]) -> dict[str, str]:
        """Those of the table's files (or folders) that are new or changed, with their marks."""
        known = dict(self.base.execute("SELECT path, mark FROM files WHERE path >= ? AND path < ?", (f"{table}/", f"{table}0")))
        return {path: mark for path, mark in marks.items() if known.get(f"{table}/{path}") != mark}

    def vanished(self, table: str, marks: Mapping[str, str]) -> list[str]:
        """Those of the table's files that were read once and are not there any more."""
        asked = "SELECT path FROM files WHERE path >= ? AND path < ?"
        known = (path[len(table) + 1 :] for (path,) in self.base.execute(asked, (f"{table}/", f"{table}0")))
        return [path for path in known if path not in marks]

    def read(self, table: str, marks: Mapping[str, str]) -> None:
        """These are all there are of the table, and they were read."""
        gone = self.vanished(table, marks)
        self.base.executemany("DELETE FROM files WHERE path = ?", [(f"{table}/{path}",) for path in gone])
        rows = [(f"{table}/{path}", mark) for path, mark in self.unread(table, marks).items()]
        self.base.executemany("INSERT OR REPLACE INTO files VALUES (?, ?)", rows)

    def began(self, day: str, projects: Mapping[str, str]) -> None:
        """The sessions of a day and their projects, instead of what was known of that day."""
        self.base.execute("DELETE FROM sessions WHERE day = ?", (day,))
        rows = ((session, project, day) for session, project in projects.items())
        self.base.executemany("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)", rows)

    def projects(self) -> dict[str, str]:
        """The project of each session."""
        return dict(self.base.execute("SELECT session_id, project FROM sessions"))

    # ---- documents without a vector

    def waiting(self, only_new: bool = False) -> dict[int, str]:
        """The hash of the text of each document that waits for its vector."""
        return dict(self.base.execute(f"SELECT number, text_hash FROM waiting {'WHERE is_new' if only_new else ''}"))

    def wait(self, texts: Mapping[int, str]) -> None:
        """These documents have no vector yet."""
        rows = ((number, text) for number, text in texts.items())
        self.base.executemany("INSERT OR REPLACE INTO waiting VALUES (?, ?, 1)", rows)

    def arrived(self, numbers: Iterable[int]) -> None:
        """These have one, or are gone."""
        self.base.executemany("DELETE FROM waiting WHERE number = ?", ((number,) for number in numbers))

    def searched(self) -> None:
        """All files of vectors were searched for what waits; from now on only new files can have them."""
        self.base.execute("UPDATE waiting SET is_new = 0 WHERE is_new")

    # ---- what is about to change

    def announce(self, numbers: Iterable[int]) -> None:
        """LanceDB is about to change these; in a transaction of its own."""
        self.base.executemany("INSERT OR REPLACE INTO announced VALUES (?)", ((number,) for number in numbers))

    def announced(self) -> list[int]:
        """What an interrupted run was about to change."""
        return [number for (number,) in self.base.execute("SELECT number FROM announced ORDER BY number")]

    def done(self) -> None:
        """LanceDB has what was announced."""
        self.base.execute("DELETE FROM announced")

    def forget_parts_of(self, numbers: Iterable[int]) -> None:
        """The parts of these documents are to be made again."""
        asked = "UPDATE parts SET mark = '' WHERE part = (SELECT part FROM documents WHERE number = ?)"
        self.base.executemany(asked, ((number,) for number in numbers))
