"""Measures friction on weeks in which some things keep going wrong: are they found, under which pattern, and is nothing else?

    python -m benchmarks.memory.friction FOLDER [--night-every 2] [--model-answers FOLDER] [--list]

FOLDER holds banks: JSON files with `voice`, two `projects`, `memory` (lines of MEMORY.md at the beginning), `agents_md` (lines
by project), `themes` (`pattern`, `project`, `said`: days and dialogues, `keys` that recognise an honest naming), `lookalikes`
(what recurs and is no friction) and `distractions`. Each day has a session in each project with something to say; every N-th
evening a night runs and friction is looked for. Nothing is decided. Observations are the offline engine's; with
`--model-answers` the requests for friction wait in FOLDER/VOICE for a reader (`benchmarks/model/waiting_server.py`).

Keys, per bank and as sums: `themes`, `found` (a proposal names it), `pattern_right` of these, `proposed`, `right` (proposals
that name a theme), `again` (a second proposal of one theme), `of_lookalikes`, `tokens` read and written. The baseline `rules` is
the same bank without a model, in the same run.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.arguments import make_parser, report_missing
from benchmarks.distil.planting.transcript import Transcript
from benchmarks.memory.season_model import build_engine
from benchmarks.memory.season_voice import ALL, mentions
from benchmarks.model.waiting_server import serve_waiting
from effects.config.settings import EmbeddingSettings, EngineSettings, FrictionSettings, ReviewSettings, Settings, WindowSettings
from effects.memory.friction_step import friction
from effects.store.run import open_run
from flows.pipelines import NIGHTLY_STEPS
from transforms.tables.rows import ProposalRow

FIRST_DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
PER_WEEK = 20
Bank = dict[str, Any]


@dataclass
class Weeks:
    """A bank that is lived below `root`."""

    root: Path
    bank: Bank
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        (self.root / "sessions").mkdir(parents=True)
        workspace = self.root / "workspace"
        workspace.mkdir()
        lines = "".join(f"- {line}\n" for line in self.bank["memory"])
        (workspace / "MEMORY.md").write_text(f"# Memory\n\n## Patterns\n\n{lines}", encoding="utf-8")
        for project, rules in self.bank["agents_md"].items():
            folder = self.root / "work" / project
            folder.mkdir(parents=True)
            (folder / "AGENTS.md").write_text("".join(f"- {rule}\n" for rule in rules), encoding="utf-8")
        self.settings = Settings(
            sessions=(self.root / "sessions",), lake=self.root / "lake", workspace=workspace, timezone="UTC", owner="mara",
            embedding=EmbeddingSettings(model=str(self.root / "none")), review=ReviewSettings(per_week=PER_WEEK),
            window=WindowSettings(min_user_messages=1), friction=FrictionSettings(min_days=3, min_observations=1),
        )  # fmt: skip

    def live(self, night_every: int, engine: EngineSettings | None) -> list[ProposalRow]:
        """Write the sessions of all days, run the nights, and return the proposals about friction in order."""
        last = max(said["day"] for part in ("themes", "lookalikes") for item in self.bank[part] for said in item["said"])
        for day in range(1, last + 1):
            for number, project in enumerate(self.bank["projects"]):
                self._write_session(day, number, project)
            if day % night_every == 0 or day == last:
                self._run_night(day, engine)
        rows = open_run(self.settings, FIRST_DAY).lake.read("proposals").sort("proposal_id").rows(named=True)
        return [row for row in rows if row["kind"] == "friction"]  # type: ignore[misc]

    def _write_session(self, day: int, number: int, project: str) -> None:
        talks = [*self._list_talks("themes", day, project, number), *self._list_talks("lookalikes", day, project, number)]
        talks += [item["dialogue"] for item in self.bank["distractions"] if (item["day"], item["project"]) == (day, project)]
        if not talks:
            return
        at = FIRST_DAY + timedelta(days=day, hours=5 * number)
        transcript = Transcript(self.rng, str(self.root / "work" / project), at)
        self.rng.shuffle(talks)
        for turn in (turn for talk in talks for turn in talk):
            if turn["who"] == "owner":
                transcript.user(turn["text"])
            elif turn["who"] == "agent":
                transcript.agent(turn["text"])
            else:
                transcript.tool("", "bash", {"command": turn.get("command", "")}, turn["text"], bool(turn.get("is_error")))
        transcript.write(self.root / "sessions")

    def _list_talks(self, part: str, day: int, project: str, number: int) -> list[list[dict[str, Any]]]:
        """Return the dialogues of a day in a project; what belongs to both is said in either by turns."""
        return [
            said["dialogue"]
            for item in self.bank[part]
            for place, said in enumerate(item["said"])
            if said["day"] == day
            and (
                said.get("project", item.get("project")) == project
                or (said.get("project", item.get("project")) == ALL and place % len(self.bank["projects"]) == number)
            )
        ]

    def _run_night(self, day: int, engine: EngineSettings | None) -> None:
        at = FIRST_DAY + timedelta(days=day, hours=14)
        run = open_run(self.settings, at)
        with run.lake.writing("friction"):
            for step in NIGHTLY_STEPS:
                step(run)
        asking = open_run(replace(self.settings, engine=engine), at) if engine else run
        with asking.lake.writing("friction"):
            friction(asking)


def main() -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__)
    parser.add_argument("folder", type=Path, help="folder of banks, or one")
    parser.add_argument("--night-every", type=int, default=2, help="run every N-th night only")
    parser.add_argument("--model-answers", type=Path, default=None, help="folder of requests and answers of a model")
    parser.add_argument("--list", action="store_true", help="print each proposal on stderr")
    arguments = parser.parse_args()
    files = [arguments.folder] if arguments.folder.is_file() else sorted(arguments.folder.glob("*.json"))
    if not files:
        return report_missing(arguments.folder)
    result: dict[str, Any] = {"benchmark": "friction"}
    for path in files:
        bank = json.loads(path.read_text(encoding="utf-8"))
        result[bank["voice"]] = figures = {"rules": score(bank, _live(bank, arguments.night_every, None), arguments.list)}
        if arguments.model_answers:
            with serve_waiting(arguments.model_answers / bank["voice"]) as waiting:
                engine = build_engine(waiting.url)
                rows = _live(bank, arguments.night_every, replace(engine, observer="offline"))
            tokens = {"requests": sum(waiting.requests.values()), "read": waiting.tokens_read, "written": waiting.tokens_written}
            figures["model"] = score(bank, rows, arguments.list) | tokens
    print(json.dumps(result))
    return 0


def score(bank: Bank, rows: list[ProposalRow], is_listed: bool = False) -> dict[str, Any]:
    """Return the figures of a bank's proposals."""
    figures: Counter[str] = Counter(themes=len(bank["themes"]), proposed=len(rows))
    found: dict[str, bool] = {}
    for row in rows:
        theme = next((theme for theme in bank["themes"] if mentions(row["text"], theme["keys"])), None)
        lookalike = next((item for item in bank["lookalikes"] if mentions(row["text"], item["keys"])), None)
        if theme:
            figures["again"] += theme["id"] in found
            found[theme["id"]] = found.get(theme["id"], False) or row["pattern"] == theme["pattern"]
        figures["right"] += theme is not None
        figures["of_lookalikes"] += theme is None and lookalike is not None
        if is_listed:
            name = theme["id"] if theme else f"lookalike {lookalike['id']}" if lookalike else "-"
            print(f"{row['proposal_id']} {row['pattern']} [{name}] {row['target']}: {row['text']}", file=sys.stderr)
    figures["found"], figures["pattern_right"] = len(found), sum(found.values())
    keys = ("themes", "found", "pattern_right", "proposed", "right", "again", "of_lookalikes")
    return {key: figures[key] for key in keys}


def _live(bank: Bank, night_every: int, engine: EngineSettings | None) -> list[ProposalRow]:
    root = Path(tempfile.mkdtemp(prefix="friction-"))
    try:
        return Weeks(root, bank).live(night_every, engine)
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
