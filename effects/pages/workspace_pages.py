"""The pages of one rendering: what is on disk, what was rendered last, and what is written. A person's text is never lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import polars as pl

from effects.judging.told_relations import read_changed_parts
from effects.pages.daily_archive import ARCHIVED, LIVE
from effects.pages.new_pages import NEW, is_changed_by_owner
from effects.pages.page_facts import ChangedParts, keep_ended_facts
from effects.store.commit import Commit
from effects.store.redo_log import RefusedPageError, build_page_error
from effects.store.run import Run
from effects.system.files import encode_page, read_page
from transforms.tables.ids import hash_text
from transforms.tables.rows import PageRow
from transforms.tables.surrogates import escape_bytes, restore_bytes


@dataclass
class WorkspacePages:
    """The pages of one rendering: the files on disk, the rows of the last rendering, and the changes."""

    run: Run
    change: Commit
    stored: dict[str, PageRow]
    rows: dict[str, PageRow] = field(default_factory=dict)
    written: int = 0
    kept: list[str] = field(default_factory=list)
    """Pages that a person edited since they were written."""
    foreign: list[str] = field(default_factory=list)
    """Pages that this memory never wrote: of another one, or a person's."""
    new_texts: dict[str, str] = field(default_factory=dict)
    """What was written beside these, by the name of the page."""
    refused: dict[str, RefusedPageError] = field(default_factory=dict)
    """Pages that cannot be read or written, as when a folder lies in their place: the others are written."""
    ended: list[str] | None = None
    parts: ChangedParts | None = None

    def list_ended(self, frames: Mapping[str, pl.DataFrame]) -> list[str]:
        """Return the ids of the facts that have ended: briefings and sheets leave them out, and finding them reads every text."""
        if self.ended is None:
            self.ended = keep_ended_facts(self.run, frames["observations"])
        return self.ended

    def read_parts(self) -> ChangedParts:
        """Return the changed parts of facts, which logs, briefings and sheets show, read once."""
        if self.parts is None:
            self.parts = read_changed_parts(self.run)
        return self.parts

    def read_page(self, name: str) -> str | None:
        """Return the page on disk, byte for byte, or None; one that cannot be read is refused, and nothing is written there."""
        path = self.run.settings.workspace / name
        try:
            return read_page(path) if path.exists() else None
        except OSError as error:
            self.refused[name] = build_page_error(path, error)
            return None

    def read_base(self, name: str) -> str:
        """Return the text of the last rendering."""
        return restore_bytes(self.stored[name]["text"] or "") if name in self.stored else ""

    def follow_move(self, name: str, day: date) -> None:
        """Apply the record of a daily log to its new place after it moved to or from the archive."""
        for former in {LIVE.format(day), ARCHIVED.format(day)} - {name}:
            if (row := self.stored.pop(former, None)) is not None and name not in self.stored:
                self.stored[name] = {**row, "path": name}

    def write_page(self, name: str, text: str, rendered: str, render_id: str | None = None) -> None:
        """Write `text`; `rendered` is stored as our part of it, the base of the next merge."""
        old = self.stored.get(name)
        if text != self.read_page(name):
            if not self._write(name, text):
                self.rows |= {name: old} if old else {}
                return
            self.written += 1
        rendered_at = old["at"] if old else self.run.as_of
        row: PageRow = {
            "path": name,
            "render_id": render_id,
            "text_hash": hash_text(text),
            "text": escape_bytes(rendered),
            "at": rendered_at,
        }
        self.rows[name] = row if row == old else {**row, "at": self.run.as_of}

    def write_own_page(self, name: str, text: str, render_id: str | None = None, rendered: str = "") -> None:
        """Write a page that is ours alone. If a person changed it, the page stays and the new text goes to `NAME.new`,
        unless a person wrote into that as well.

        `rendered` is stored in place of a text that holds words of its owner.
        """
        present, old = self.read_page(name), self.stored.get(name)
        if present and present.strip() and present != text and (old is None or hash_text(present) != old["text_hash"]):
            (self.kept if old else self.foreign).append(name)
            self.rows |= {name: old} if old else {}
            beside = self.read_page(name + NEW)
            if beside and beside != text and is_changed_by_owner(self.run, name, beside):
                return
            self.new_texts[name] = text
            if beside != text:
                self._write(name + NEW, text)
            return
        self.write_page(name, text, rendered or text, render_id)

    def _write(self, name: str, text: str) -> bool:
        """Stage a page and return whether its place takes it."""
        if name not in self.refused:
            try:
                self.change.write_page(self.run.settings.workspace / name, encode_page(text))
            except RefusedPageError as error:
                self.refused[name] = error
        return name not in self.refused

    def write_lake_file(self, name: str, data: bytes) -> None:
        """Write a file of the lake that goes with the pages, unless it has these bytes."""
        path = self.run.lake.root / name
        if not path.is_file() or path.read_bytes() != data:
            self.change.write_page(path, data)


def list_page_links(run: Run) -> dict[str, str]:
    """Return the pages of the workspace that are there, by name, as `file://` addresses: memory, review, report, today's log."""
    workspace = run.settings.workspace
    names = ("REVIEW.md", "MEMORY.md", "report.html", f"memory/{run.today}.md", "briefing", "memory", "timeline")
    return {name: (workspace / name).as_uri() for name in names if (workspace / name).exists()}
