"""A simulated season over the sample sessions: the sessions until tonight, one run, and an owner with an editor."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from effects.config.settings import Settings
from effects.store.run import Counts, Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from flows.runner import name_step

SAMPLES = Path(__file__).parents[1] / "data" / "samples"
ZONE = ZoneInfo("Europe/Berlin")
STEPS = (
    "ingest", "blank_forgotten", "attribute", "join_projects", "window", "distil", "embed_kept", "relate", "dedupe",
    "mark_by_rules",
    "consolidate", "read_todoist", "review", "reflect", "check_ground", "archive", "render", "write_todoist", "embed",
    "index",
)  # fmt: skip
ITEM = re.compile(r"^- \[(.)\] `(p-\d{8}-\d{3,})`\s*(.*)$")


def truth() -> dict[str, Any]:
    """Return the planted truth of the samples; see data/samples/README.md."""
    content: dict[str, Any] = json.loads((SAMPLES / "truth.json").read_text(encoding="utf-8"))
    return content


def settings_in(root: Path, sessions: Path) -> Settings:
    """Return a lake and a workspace of their own below `root`, in Mara's zone."""
    return Settings(
        sessions=(sessions,), lake=root / "lake", workspace=root / "workspace", timezone="Europe/Berlin", owner="mara"
    )


def cut(source: Path, target: Path, until: datetime) -> None:
    """Append to the files in `target` all lines that pi had written by `until`."""
    for path in sorted(source.rglob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        began = _time(lines[0])
        written = next((index for index, line in enumerate(lines) if max(began, _time(line)) > until), len(lines))
        if written > 1:
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            old = copy.read_text(encoding="utf-8") if copy.exists() else ""
            if new := "".join(lines[:written])[len(old) :]:
                with copy.open("a", encoding="utf-8") as handle:
                    handle.write(new)


def _time(line: str) -> datetime:
    return datetime.fromisoformat(json.loads(line)["timestamp"])


def step(name: str) -> Callable[[Run], Counts]:
    """Return a step of the night by its name."""
    return next(each for each in NIGHTLY_STEPS if name_step(each) == name)


def night(settings: Settings, at: datetime, steps: Sequence[str] = STEPS) -> dict[str, Counts]:
    """Run the steps in order under the lake's lock, as `recollect nightly --direct --as-of` does."""
    run = open_run(settings, at)
    with run.lake.writing("season"):
        return {name: step(name)(run) for name in steps}


@dataclass
class Owner:
    """Somebody who edits REVIEW.md: which proposal was treated how, by day."""

    workspace: Path
    did: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def waiting(self) -> dict[str, str]:
        """Return id → text of every open line of the page."""
        page = self.workspace / "REVIEW.md"
        lines = page.read_text(encoding="utf-8").splitlines() if page.exists() else []
        proposals = {match[2]: match[3] for line in lines if (match := ITEM.match(line)) and match[1] == " "}
        self.texts |= proposals
        return proposals

    def rewrite(self, proposal: str, change: Callable[[str], str | None], group: str) -> None:
        """Change one line of the page, or with None delete it with what is indented below it."""
        page = self.workspace / "REVIEW.md"
        result, dropping = [], False
        for line in page.read_text(encoding="utf-8").splitlines(keepends=True):
            if dropping and line.startswith((" ", "\t")):
                continue
            dropping = False
            if (match := ITEM.match(line.rstrip("\n"))) and match[2] == proposal:
                changed = change(line.rstrip("\n"))
                dropping = changed is None
                result += [] if changed is None else [changed + "\n"]
            else:
                result.append(line)
        page.write_text("".join(result), encoding="utf-8")
        self.did.setdefault(group, []).append(proposal)

    def approve(self, proposal: str) -> None:
        """Tick it."""
        self.rewrite(proposal, lambda line: line.replace("[ ]", "[x]", 1), "approved")

    def reject(self, proposal: str) -> None:
        """Strike it."""
        self.rewrite(proposal, lambda line: line.replace("[ ]", "[-]", 1), "rejected")

    def edit(self, proposal: str, text: str) -> None:
        """Tick it with other words."""
        self.rewrite(proposal, lambda _: f"- [x] `{proposal}` {text}", "edited")

    def delete(self, proposal: str) -> None:
        """Delete the line, which also rejects the proposal."""
        self.rewrite(proposal, lambda _: None, "deleted")


def mentions(text: str, keys: list[list[str]]) -> bool:
    """Whether one of each group of words occurs."""
    folded = text.lower()
    return all(any(word.lower() in folded for word in group) for group in keys)


def on(day: str, clock: str = "03:30") -> datetime:
    """Return a local time in Mara's zone."""
    return datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=ZONE)


def days(first: date, last: date) -> list[str]:
    """Return every day from first to last."""
    return [date.fromordinal(number).isoformat() for number in range(first.toordinal(), last.toordinal() + 1)]
