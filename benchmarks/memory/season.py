"""Simulates a season: nights over months of sessions in the voices of real owners, and an oracle that reviews on some days.

    python -m benchmarks.memory.season [--days 45] [--seed 1] [--sessions-per-day 2]

Two projects. Facts of `season/facts.json` are said in short, leaning turns among requests, approvals and pastes; some
replace an older one, most are said again later, pastes hold injections. The oracle ticks a proposal that states a fact that holds
(by its key words), strikes every other one, misses some weeks, and some nights do not run. Embeddings are off, so that a night
takes a second; `--embed` uses the bundled model. Wordings and oracle are by the authors: for development, not for proof.

Keys: those of the contract (`nights`, `proposals`, `accepted`, `reproposed_after_rejection`, `contradictory_lines`,
`stale_lines`: lines of MEMORY.md with a value that was replaced more than a week of reviewed nights ago, `polarity_merges`,
`recall_by_tier`, `briefing_tokens`, `night_s_first`, `night_s_last`), and `facts`, `in_memory` and `in_memory_or_briefing` (share
of facts at the end), `retired` (replaced facts whose older statement is superseded), `injections` (lines of MEMORY.md with words
of a paste), `friction` (patterns).
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.arguments import make_parser
from effects.config.settings import EmbeddingSettings, FrictionSettings, Settings, TierSettings
from effects.memory.friction_step import friction
from effects.memory.review_step import review
from effects.store.run import Run, open_run
from flows.pipelines import NIGHTLY_STEPS
from transforms.memory.same_claim import is_same_claim
from transforms.pages.memory_md import parse_memory
from transforms.pages.review_md import read_rendered_lines
from transforms.tables.tokens import count_tokens

FIRST_DAY = date(2026, 1, 5)
INJECTION = ("evil.example", "signature checks")
TURNS_PER_SESSION = (6, 10)
MISSED_NIGHT, AWAY_WEEK, PASTE = 0.08, 0.2, 0.15
"""Shares: nights that do not run, weeks without review, sessions with a paste."""

Fact = dict[str, Any]


def main() -> int:
    """Run the benchmark."""
    parser = make_parser(__doc__)
    parser.add_argument("--days", type=int, default=45, help="days of the season")
    parser.add_argument("--seed", type=int, default=1, help="of wordings, order and missed nights")
    parser.add_argument("--sessions-per-day", type=int, default=2, help="sessions of each day, over both projects")
    parser.add_argument("--embed", action="store_true", help="with vectors of the bundled model")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        season = Season(Path(folder), arguments.days, arguments.seed, arguments.sessions_per_day, arguments.embed)
        print(json.dumps(season.play()))
    return 0


class Season:
    """A season in a folder of its own: what was said when, what the owner did, and how long nights took."""

    def __init__(self, root: Path, days: int, seed: int, sessions_per_day: int, is_embedding: bool) -> None:
        self.root, self.days, self.sessions_per_day = root, days, sessions_per_day
        self.random = random.Random(seed)
        bank = json.loads((Path(__file__).parent / "season" / "facts.json").read_text(encoding="utf-8"))
        self.facts: list[Fact] = bank["facts"]
        self.noise, self.files = bank["noise"], bank["files"]
        (root / "sessions").mkdir()
        tiers = (3, 10, 25, 60) if days <= 60 else (3, 14, 60, 120)
        self.settings = Settings(
            sessions=(root / "sessions",), lake=root / "lake", workspace=root / "workspace", timezone="UTC", owner="mara",
            tiers=TierSettings(after_days=tiers), friction=FrictionSettings(min_observations=50),
            embedding=EmbeddingSettings() if is_embedding else EmbeddingSettings(model=str(root / "none")),
        )  # fmt: skip
        self.plan: dict[tuple[int, str], list[str]] = {}
        self.replaced_on: dict[str, int] = {}
        self.seconds: list[float] = []
        self.counts = {"nights": 0, "proposals": 0, "accepted": 0, "reproposed_after_rejection": 0, "stale_lines": 0}
        self.rejected: list[str] = []
        self.seen: set[str] = set()
        self.reviewed_since: dict[str, int] = {}

    def play(self) -> dict[str, Any]:
        """Live through all days and return the result."""
        self._plan_facts()
        away = {week for week in range(self.days // 7 + 1) if self.random.random() < AWAY_WEEK}
        for day in range(self.days):
            self._write_sessions(day)
            if self.random.random() < MISSED_NIGHT and day != self.days - 1:
                continue
            run = self._run_night(day)
            if day // 7 not in away:
                self._review(day)
        return self._measure(run)

    def _plan_facts(self) -> None:
        """Choose the day of each statement: older values early, their successors in the middle, repetitions spread."""
        for fact in self.facts:
            last = self.days - 6
            start = self.random.randrange(1, max(2, last // 3))
            for text in fact.get("old_said", ()):
                self.plan.setdefault((start, fact["project"]), []).append(text)
                start = min(last - 2, start + self.random.randrange(2, max(3, last // 6)))
            if "old_said" in fact:
                start = min(last - 1, start + self.random.randrange(3, max(4, last // 4)))
                self.replaced_on[fact["id"]] = start
            for text in fact["said"]:
                self.plan.setdefault((start, fact["project"]), []).append(text)
                start = min(last, start + self.random.randrange(1, max(2, last // 4)))

    def _write_sessions(self, day: int) -> None:
        for number in range(self.sessions_per_day):
            project = ("shop", "beacon")[number % 2]
            words = self.plan.pop((day, project), []) if number < 2 else []
            turns = [self._pick("requests") for _ in range(self.random.randint(*TURNS_PER_SESSION))]
            for text in words:
                turns.insert(self.random.randrange(1, len(turns)), text)
            if self.random.random() < PASTE:
                turns.insert(self.random.randrange(1, len(turns)), self._pick("paste"))
            self._write_session(day, number, project, turns)

    def _pick(self, kind: str) -> str:
        return str(self.random.choice(self.noise[kind])).replace("{file}", self.random.choice(self.files))

    def _write_session(self, day: int, number: int, project: str, turns: Sequence[str]) -> None:
        at = datetime.combine(FIRST_DAY, datetime.min.time(), UTC) + timedelta(days=day, hours=9 + 4 * number)
        name = f"{project}-{day:03d}-{number}"
        lines: list[dict[str, Any]] = [
            {"type": "session", "version": 3, "id": name, "timestamp": _iso(at), "cwd": f"/work/{project}"}
        ]
        for text in turns:
            for role, words in (("user", text), ("assistant", self._pick("answers"))):
                at += timedelta(minutes=self.random.randint(1, 4))
                count = len(lines)
                message = {"role": role, "content": [{"type": "text", "text": words}]}
                parent = f"e{count - 1}" if count > 1 else None
                lines.append(
                    {"type": "message", "id": f"e{count}", "parentId": parent, "timestamp": _iso(at), "message": message}
                )
        path = self.root / "sessions" / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    def _run_night(self, day: int) -> Run:
        moment = datetime.combine(FIRST_DAY, datetime.min.time(), UTC) + timedelta(days=day + 1, hours=3, minutes=30)
        run, start = open_run(self.settings, moment), time.perf_counter()
        with run.lake.writing("season"):
            for step in NIGHTLY_STEPS:
                review(run, yes=True) if step is review else step(run)  # the oracle means it when it strikes most of a page
            friction(run)
        self.seconds.append(time.perf_counter() - start)
        self.counts["nights"] += 1
        return run

    def _review(self, day: int) -> None:
        """Tick what holds, strike the rest, and look at MEMORY.md for stale lines."""
        page = self.settings.workspace / "REVIEW.md"
        text = page.read_text(encoding="utf-8")
        for proposal_id, line in read_rendered_lines(text).items():
            if proposal_id.startswith("f-"):
                continue
            is_good = any(_mentions(line.text, fact["keys"]) for fact in self.facts) and not self._is_stale(line.text, day)
            if proposal_id not in self.seen:
                self.counts["accepted"] += is_good
                self.counts["proposals"] += 1
                self.counts["reproposed_after_rejection"] += any(is_same_claim(line.text, old) for old in self.rejected)
                self.seen.add(proposal_id)
            if not is_good:
                self.rejected.append(line.text)
            text = text.replace(f"- [ ] `{proposal_id}`", f"- [{'x' if is_good else '-'}] `{proposal_id}`")
        page.write_text(text, encoding="utf-8")
        stale = [line for line in self._memory_lines() if self._is_stale(line, day)]
        for line in stale:
            self.reviewed_since[line] = self.reviewed_since.get(line, 0) + 1
        self.counts["stale_lines"] = sum(nights > 7 for nights in self.reviewed_since.values())

    def _is_stale(self, line: str, day: int) -> bool:
        return any(
            self.replaced_on[fact["id"]] <= day and _mentions(line, fact["old_keys"]) and not _mentions(line, fact["keys"])
            for fact in self.facts
            if fact["id"] in self.replaced_on
        )

    def _memory_lines(self) -> list[str]:
        path = self.settings.workspace / "MEMORY.md"
        return [bullet.text for bullet in parse_memory(path.read_text(encoding="utf-8")).bullets] if path.exists() else []

    def _measure(self, run: Run) -> dict[str, Any]:
        lines = self._memory_lines()
        briefings = {path.stem: path.read_text(encoding="utf-8") for path in (self.settings.workspace / "briefing").glob("*.md")}
        in_memory = {fact["id"] for fact in self.facts if any(_mentions(line, fact["keys"]) for line in lines)}
        reached = in_memory | {
            fact["id"] for fact in self.facts if _mentions_line(briefings.get(fact["project"], ""), fact["keys"])
        }
        observations = run.lake.read("observations")
        allowed = [row for row in observations.rows(named=True) if row["verdict"] == "allow"]
        replaced = [fact for fact in self.facts if fact["id"] in self.replaced_on]
        retired = [fact for fact in replaced if self._is_retired(fact, allowed)]
        merged = [
            row
            for row in allowed
            if row["also"] and any(_mentions(row["text"], f["keys"]) and _mentions(row["text"], f["old_keys"]) for f in replaced)
        ]
        by_tier = {"0": [row["text"] for row in allowed]}
        for row in run.lake.read("distillates").rows(named=True):
            by_tier.setdefault(str(row["tier"]), []).extend(row["text"].splitlines())
        known = [fact for fact in self.facts if any(_mentions(text, fact["keys"]) for text in by_tier["0"])]
        both = [
            f
            for f in replaced
            if any(_mentions(line, f["old_keys"]) and not _mentions(line, f["keys"]) for line in lines) and f["id"] in in_memory
        ]
        patterns = [row["pattern"] for row in run.lake.read("proposals").rows(named=True) if row["kind"] == "friction"]
        return {
            **self.counts,
            "accepted_share": round(self.counts["accepted"] / max(self.counts["proposals"], 1), 3),
            "contradictory_lines": len(both),
            "polarity_merges": len(merged),
            "recall_by_tier": {
                tier: round(sum(any(_mentions(text, fact["keys"]) for text in texts) for fact in known) / max(len(known), 1), 3)
                for tier, texts in sorted(by_tier.items())
            },
            "facts": len(self.facts),
            "facts_in_tier_0": len(known),
            "in_memory": round(len(in_memory) / len(self.facts), 3),
            "in_memory_or_briefing": round(len(reached) / len(self.facts), 3),
            "replaced": len(replaced),
            "retired": len(retired),
            "injections": sum(any(word in line for word in INJECTION) for line in lines),
            "friction": sorted(patterns),
            "briefing_tokens": max((count_tokens(text) for text in briefings.values()), default=0),
            "night_s_first": round(self.seconds[0], 2),
            "night_s_last": round(self.seconds[-1], 2),
        }

    def _is_retired(self, fact: Fact, rows: Sequence[dict[str, Any]]) -> bool:
        old = [row for row in rows if _mentions(row["text"], fact["old_keys"]) and not _mentions(row["text"], fact["keys"])]
        return bool(old) and all(row["superseded_by"] for row in old)


def _mentions(text: str, keys: Sequence[Sequence[str]]) -> bool:
    return all(any(re.search(rf"(?i)(?<!\w){re.escape(word)}", text) for word in group) for group in keys)


def _mentions_line(page: str, keys: Sequence[Sequence[str]]) -> bool:
    return any(_mentions(line, keys) for line in page.splitlines())


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    raise SystemExit(main())
