"""A lake with a few observations, and an owner who edits REVIEW.md: what the tests of review and reflection share."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from effects.config.settings import Settings
from effects.memory.reflect_step import reflect
from effects.memory.review_page import render_review
from effects.memory.review_step import review
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from tests.machine.kept_folders import copy_kept
from transforms.tables.ids import hash_text

TWICE = ["elsewhere:e0"]
"""`also` of an observation that an agent made in another session, too."""
START = datetime(2026, 5, 17, 3, 30, tzinfo=UTC)


@dataclass
class World:
    """A workspace that moves forward night by night through `as_of` alone."""

    folder: Path
    days: float = 0
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def run(self) -> Run:
        values: dict[str, Any] = {"timezone": "UTC", "owner": "joel", **self.settings}
        settings = Settings(lake=self.folder / "lake", workspace=self.folder / "work", **values)
        return Run(settings, Lake(settings.lake), START + timedelta(days=self.days))

    @property
    def review_file(self) -> Path:
        return self.folder / "work" / "REVIEW.md"

    @property
    def memory_file(self) -> Path:
        return self.folder / "work" / "MEMORY.md"

    def memory(self) -> str:
        return self.memory_file.read_text(encoding="utf-8") if self.memory_file.exists() else ""

    def observe(self, text: str, kind: str = "rule", **columns: Any) -> str:
        """Store one observation, in a window and session of its own unless stated otherwise; return its id."""
        return self.observe_all([self.observation(text, kind, **columns)])[0]

    def observe_all(self, rows: list[dict[str, Any]]) -> list[str]:
        """Store observations, each in the place of an older one with its id."""
        lake, keys = self.run.lake, [row["observation_id"] for row in rows]
        with lake.writing("test"), lake.commit() as change:
            for day in sorted({row["day"] for row in rows}):
                old = lake.scan("observations", [day]).filter(~pl.col("observation_id").is_in(keys)).collect()
                today = [row for row in rows if row["day"] == day]
                new = pl.DataFrame(today, schema_overrides={"said_at": pl.Datetime("us", "UTC"), "also": pl.List(pl.String)})
                change.replace("observations", pl.concat([old, new], how="diagonal_relaxed"), day)
        return keys

    def observation(self, text: str, kind: str = "rule", **columns: Any) -> dict[str, Any]:
        """Return a row of observations, six hours old unless stated otherwise."""
        key = columns.pop("observation_id", "o-" + hash_text(text)[:8])
        said_at = columns.pop("said_at", self.run.as_of - timedelta(hours=6))
        return {
            "observation_id": key, "segment_id": "s-" + key, "window_id": "w-" + key, "session_id": "session-" + key,
            "project": None, "day": said_at.date(), "said_at": said_at, "kind": kind, "priority": "high",
            "category": "rules", "text": text, "ordinals": [0], "entry_ids": ["e0"], "lines": [1], "files": [],
            "verdict": "allow", "verdict_reason": "", "confidence": 0.9, "tokens": 10, "engine": "test", "merged_count": 1,
            "also": [],
        } | columns  # fmt: skip

    def night(self, **review_arguments: Any) -> dict[str, Counts]:
        """Review, reflect, and write REVIEW.md, as the nightly run does."""
        run = self.run
        with run.lake.writing("test"):
            counts = {"review": review(run, is_night=True, **review_arguments), "reflect": reflect(run)}
            self.render()
        return counts

    def render(self) -> None:
        """Write REVIEW.md as `effects.pages.render_step` does: a page that changed since the last reading stays as it is."""
        run = self.run
        text, render_id = render_review(run)
        stored = run.lake.read("pages").filter(pl.col("path") == "REVIEW.md").to_dicts()
        present = self.review_file.read_bytes().decode() if self.review_file.exists() else None
        is_ours = bool(stored) and present is not None and hash_text(present) == stored[0]["text_hash"]
        self.review_file.parent.mkdir(parents=True, exist_ok=True)
        if present is not None and present.strip() and present != text and not is_ours:
            self.review_file.with_name("REVIEW.md.new").write_bytes(text.encode())
            return
        self.review_file.write_bytes(text.encode())
        row = {"path": "REVIEW.md", "render_id": render_id, "text_hash": hash_text(text), "text": text, "at": run.as_of}
        with run.lake.commit() as change:
            change.replace("pages", pl.DataFrame([row], schema_overrides={"at": pl.Datetime("us", "UTC")}))

    def edit(self, old: str, new: str) -> None:
        """Change REVIEW.md as the owner does in an editor."""
        text = self.review_file.read_bytes().decode()
        assert old in text, text
        self.review_file.write_bytes(text.replace(old, new).encode())

    def mark(self, proposal_id: str, mark: str) -> None:
        self.edit(f"- [ ] `{proposal_id}`", f"- [{mark}] `{proposal_id}`")

    def delete_line(self, proposal_id: str) -> None:
        """Delete the proposal with its evidence, as a person would."""
        kept, inside = [], False
        for line in self.review_file.read_text(encoding="utf-8").split("\n"):
            inside = f"`{proposal_id}`" in line or (inside and line.startswith("  "))
            kept += [] if inside else [line]
        self.review_file.write_text("\n".join(kept), encoding="utf-8")

    def proposals(self) -> dict[str, dict[str, Any]]:
        return {row["proposal_id"]: row for row in self.run.lake.read("proposals").to_dicts()}

    def statuses(self) -> dict[str, str]:
        return {key: row["status"] for key, row in self.proposals().items()}

    def events(self, event: str) -> list[tuple[str, str]]:
        rows = self.run.lake.read("proposal_events").filter(pl.col("event") == event)
        return [(row["proposal_id"], row["text"]) for row in rows.to_dicts()]


def copy_proposing_world(folder: Path, **fields: Any) -> World:
    """Return a world after a night that put three proposals on the page: a hard rule (001), a preference and a decision (003)."""
    copy_kept(("proposing",), _make_proposals, folder)
    return World(folder, **fields)


def _make_proposals(folder: Path) -> None:
    world = World(folder)
    world.observe('Joel set a rule: "never force-push to main"')
    world.observe('Joel wants: "i prefer uv over pip"', "preference", category="preferences")
    world.observe('Joel decided: "The cache lives in Redis because Postgres was too slow"', "decision", category="architecture")
    world.night()
    assert sorted(world.statuses()) == [f"p-20260517-00{number}" for number in (1, 2, 3)]
