"""Small random histories: session files that are written, extended, replaced and removed, decisions on REVIEW.md, nights.

The calm lake after each night is kept, so that many disturbed schedules are compared with one calm history.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zlib import crc32

from effects.config.settings import EmbeddingSettings, EngineSettings, Settings
from effects.ingest.ingest_step import ingest
from effects.store.run import Run, open_run
from flows.pipeline import Pipeline
from flows.pipelines import NIGHTLY_STEPS, UPDATE_STEPS
from flows.runner import name_step, run_pipeline

START = datetime(2026, 5, 1, 9, tzinfo=UTC)
OWN_LINE = "- (2026-01-01) A line that the owner wrote by hand"
OWN_NOTE = "# Friday\n\nWater the plants.\n"
MODEL = "instructor:openai/gpt-4o-mini"
SLOW = ("embed_kept", "embed", "index")
READING = ("ingest", "blank_forgotten", "attribute", "window", "distil")

PIPELINES = {
    "reading": Pipeline("session", tuple(step for step in NIGHTLY_STEPS if name_step(step) in READING)),
    "session": Pipeline("session", (ingest, *(step for step in UPDATE_STEPS if name_step(step) not in SLOW))),
    "pages": Pipeline("nightly", tuple(step for step in NIGHTLY_STEPS if name_step(step) not in SLOW)),
    "nightly": Pipeline("nightly", NIGHTLY_STEPS),
    "model": Pipeline("nightly", tuple(step for step in NIGHTLY_STEPS if name_step(step) not in SLOW)),
}
"""The steps of a night by kind of world: the index costs most of the time and stands in an eighth of the worlds."""
KINDS = ("reading", "pages", "reading", "nightly", "session", "reading", "model", "pages")


@dataclass(frozen=True, slots=True)
class Night:
    """The changes before a night (a text, or None for a removed file), its moment, and the owner's decisions."""

    changes: dict[str, str | None]
    moment: datetime
    decision: str


@dataclass(slots=True)
class World:
    """A history below `root`: the lake of the present schedule is in `now`, the calm one of each night in `calm-N`."""

    root: Path
    kind: str
    nights: list[Night] = field(default_factory=list)
    operations: list[int] = field(default_factory=list)
    """How many durable operations each calm night made."""
    url: str | None = None

    @property
    def place(self) -> Path:
        """The folder that runs work in; one for calm and disturbed runs, because tables hold paths."""
        return self.root / "now"

    @property
    def pipeline(self) -> Pipeline:
        """The steps of a night of this world."""
        return PIPELINES[self.kind]

    def open(self, moment: datetime) -> Run:
        """Return a run at a moment."""
        places = {name: self.place / name for name in ("lake", "workspace")}
        engine = EngineSettings()
        if self.kind == "model":
            engine = EngineSettings(
                observer=MODEL, reflector=MODEL, base_url=self.url, concurrency=1, budget_day_usd=100, budget_run_usd=100
            )
        return open_run(
            Settings(
                **places,
                sessions=(self.place / "sessions",),
                timezone="UTC",
                owner="Owner",
                engine=engine,
                embedding=EmbeddingSettings(model=str(self.place / "no-model")),
            ),
            moment,
        )

    def run(self, number: int) -> None:
        """Run a night."""
        run_pipeline(self.open(self.nights[number].moment), self.pipeline)

    def restore(self, number: int) -> None:
        """Make `now` what it was after a calm night; -1 is the time before the first one."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.root / f"calm-{number}", self.place, symlinks=True)

    def keep(self, number: int) -> None:
        """Keep `now` as the calm lake of a night."""
        shutil.copytree(self.place, self.root / f"calm-{number}", symlinks=True)

    def change(self, number: int, kinds: tuple[str, ...] = ("write", "remove", "decide")) -> None:
        """Bring the files to where they are before a night: sessions, and the owner's decisions."""
        night = self.nights[number]
        for name, text in night.changes.items():
            path = self.place / "sessions" / f"{name}.jsonl"
            if text is None and "remove" in kinds:
                path.unlink(missing_ok=True)
            elif text is not None and "write" in kinds:
                write_session(path, text)
        if "decide" in kinds:
            decide(self.place / "workspace" / "REVIEW.md", night.decision)

    def list_texts(self, number: int) -> dict[str, str]:
        """Return the session files as they were written until a night."""
        texts: dict[str, str] = {}
        for night in self.nights[: number + 1]:
            texts |= {name: text for name, text in night.changes.items() if text is not None}
            for name in [name for name, text in night.changes.items() if text is None]:
                texts.pop(name, None)
        return texts


def write_session(path: Path, text: str) -> None:
    """Write a session file; its time of change follows from its text, so that it is the same in every copy."""
    path.write_text(text, encoding="utf-8")
    changed_at = START.timestamp() + crc32(text.encode())
    os.utime(path, (changed_at, changed_at))


def decide(page: Path, mark: str) -> None:
    """Approve, strike or edit the first proposal of REVIEW.md as an owner with an editor does."""
    if not mark or not page.exists():
        return
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("- [ ]", f"- [{mark}]", 1), encoding="utf-8")


def plan_world(root: Path, kind: str, chance: random.Random) -> World:
    """Return a history of two to four nights; the clock may stand still, jump a year ahead, or go back."""
    world = World(root, kind)
    texts: dict[str, str] = {}
    moment = START + timedelta(days=2)
    for _ in range(chance.randint(2, 4)):
        world.nights.append(Night(_plan_changes(texts, chance), moment, chance.choice(("", "x", "x", "-"))))
        moment += timedelta(hours=chance.choice((0, 1, 26, 26, 50, 24 * 8, 24 * 400, -30)))
    return world


def prepare_calm(world: World) -> Iterator[int]:
    """Run the calm history, keep the lake of each night, and yield the number of each night when it is to be run."""
    (world.place / "workspace" / "memory").mkdir(parents=True)
    (world.place / "sessions").mkdir()
    (world.place / "workspace" / "MEMORY.md").write_text(f"# Memory\n\n## Patterns\n\n{OWN_LINE}\n", encoding="utf-8")
    (world.place / "workspace" / "memory" / f"{START:%Y-%m-%d}.md").write_text(OWN_NOTE, encoding="utf-8")
    world.keep(-1)
    for number in range(len(world.nights)):
        world.change(number)
        yield number
        world.keep(number)


def _plan_changes(texts: dict[str, str], chance: random.Random) -> dict[str, str | None]:
    changes: dict[str, str | None] = {}
    for _ in range(chance.randint(1, 2)):
        name = f"s{chance.randint(1, 3)}"
        deed = chance.choice(("extend", "extend", "replace", "remove")) if name in texts else "write"
        if deed == "remove" and name not in changes and len(texts) > 1:  # a night without any session is refused
            del texts[name]
            changes[name] = None
        elif deed != "remove":
            old = texts.get(name, "") if deed == "extend" else ""
            changes[name] = texts[name] = old + _make_lines(name, old.count("\n"), chance.randint(2, 8), chance)
    if not texts:
        changes["s9"] = texts["s9"] = _make_lines("s9", 0, 4, chance)
    return changes


def _make_lines(name: str, first: int, count: int, chance: random.Random) -> str:
    lines: list[dict[str, object]] = []
    if not first:
        lines.append({"type": "session", "version": 3, "id": name, "timestamp": START.isoformat(), "cwd": "/w/app"})
    for number in range(first + len(lines), first + len(lines) + count):
        role = "assistant" if number % 2 else "user"
        text = "Done." if number % 2 else f"from now on always use port {chance.randint(1024, 9999)} for service {number}"
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        time = (START + timedelta(minutes=number)).isoformat()
        parent = f"{name}-{number - 1}" if number > 1 else None
        lines.append({"type": "message", "id": f"{name}-{number}", "parentId": parent, "timestamp": time, "message": message})
    return "".join(json.dumps(line) + "\n" for line in lines)
