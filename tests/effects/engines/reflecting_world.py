"""A week of observations on one project, condensed and reflected on with a model at the other end of a loopback connection."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl

from effects.config.settings import EngineSettings, Settings
from effects.memory.consolidate_step import consolidate
from effects.store.lake import Lake
from effects.store.run import Counts, Run
from tests.effects.engines.model_server import Said

MONDAY = date(2026, 3, 2)
MODEL = "instructor:openai/gpt-4o-mini"
RULE = 'Joel set a rule: "never deploy on a Friday, whatever it is"'
STORY = "The job store was moved to Postgres. The duplicate invoices were traced to the worker and fixed."
FACTS = (
    ("rule", "high", RULE),
    ("decision", "high", "The job store moved to Postgres 16, because two hosts claim jobs at the same time"),
    ("root_cause", "high", "Root cause of the duplicate invoices: `src/worker.py` acknowledged a job before it was stored"),
    ("state_change", "high", "The staging database listens on port 6543 now instead of 5432"),
    ("fix", "medium", "Fixed the duplicate invoices: `src/worker.py` acknowledges a job after the commit"),
    ("completion", "medium", "The migration of the job store is finished, all 212 tests pass"),
    ("file_change", "medium", "Edited src/pg_store.py: added claim, finish and fail"),
    ("status", "low", "Looked at how the webhook sender reads its settings before anything was changed there"),
    ("question", "low", "Asked whether the old SQLite file can be deleted once the archive has been checked, without an answer"),
    ("file_change", "medium", "Created src/archive.py: copies the finished jobs of the old store before they are dropped"),
    ("status", "low", "Listed the running containers twice to see which of them held the lock on the table"),
)


def observation(number: int, text: str, kind: str, priority: str, day: date) -> dict[str, Any]:
    """Return an allowed observation of its own session."""
    at = datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + timedelta(seconds=number)
    return {
        "observation_id": f"o-{number:04}", "segment_id": f"s-{day}", "window_id": f"w-{day}", "session_id": f"s{number}",
        "project": "/code/app", "day": day, "said_at": at, "kind": kind, "priority": priority, "category": "projects",
        "text": text, "ordinals": [number], "entry_ids": [f"e{number}"], "lines": [number], "files": [], "verdict": "allow",
        "confidence": 0.9, "tokens": 8, "merged_count": 1, "also": [],
    }  # fmt: skip


def lake_with_days(folder: Path, days: int = 1) -> None:
    """Write `days` days with the same nine facts, worded for the day, and a narrative each."""
    lake = Lake(folder / "lake")
    with lake.writing("test"), lake.commit() as change:
        for n in range(days):
            day = MONDAY + timedelta(days=n)
            worded = [(kind, level, text if n == 0 else f"{text} (service {'abcdefg'[n % 7]}{n})") for kind, level, text in FACTS]
            rows = [observation(100 * n + at, text, kind, level, day) for at, (kind, level, text) in enumerate(worded)]
            at = datetime(day.year, day.month, day.day, 8, tzinfo=UTC)
            segment = {
                "segment_id": f"s-{day}", "window_id": f"w-{day}", "session_id": f"s{100 * n}", "project": "/code/app",
                "title": "Jobs", "narrative": STORY, "first_ordinal": 0, "last_ordinal": 9, "entry_ids": [f"n{n}"], "lines": [0],
                "started_at": at, "tokens": 24, "engine": "test", "day": day,
            }  # fmt: skip
            change.replace("observations", pl.DataFrame(rows), day)
            change.replace("segments", pl.DataFrame([segment]), day)


def run_at(folder: Path, day: date = date(2026, 3, 6), reflector: str = MODEL, **engine: Any) -> Run:
    """Return a run early on that day: five days after MONDAY its day is due, two weeks later its week."""
    chosen = {"concurrency": 1, "budget_day_usd": 10.0, "budget_run_usd": 10.0, **engine}
    settings = Settings(
        lake=folder / "lake", workspace=folder / "work", timezone="UTC", owner="joel",
        engine=EngineSettings(reflector=reflector, **chosen),
    )  # fmt: skip
    return Run(settings, Lake(settings.lake), datetime(day.year, day.month, day.day, 3, 30, tzinfo=UTC))


def condensed(run: Run, **arguments: Any) -> Counts:
    with run.lake.writing("test"):
        return consolidate(run, **arguments)


def distillates(run: Run) -> dict[tuple[int, date], dict[str, Any]]:
    """Return the distillates by tier and first day."""
    return {(row["tier"], row["period_start"]): row for row in run.lake.read("distillates").to_dicts()}


def held(run: Run) -> dict[str, str]:
    """Return text → rule of the lines that were held back."""
    rows = run.lake.read("quarantine").filter(pl.col("path") == "distillates").to_dicts()
    return {row["detail"].partition(": ")[2]: row["rule"] for row in rows}


ROW = re.compile(r"^#(\d+) (\d{4}-\d\d-\d\d)(?: \d\d:\d\d)? (?:(🔴|🟡|🟢|✅) )?\[(\w+)(?:, [\w ]+)*\] (.*)$", re.M)
_MARKS = {"🔴": "high", "🟡": "medium", "🟢": "low", "✅": "medium"}


def rows_of(prompt: str) -> list[tuple[int, str, str, str, str]]:
    """Return (number, day, priority, kind, text) of the rows that a prompt shows."""
    return [(int(n), day, _MARKS.get(mark, "medium"), kind, text) for n, day, mark, kind, text in ROW.findall(prompt)]


def period(*lines: dict[str, Any], narrative: str = "The job store was moved to Postgres.") -> str:
    return json.dumps({"narrative": narrative, "lines": list(lines)})


def line(text: str, *refs: int, kind: str = "decision", priority: str = "high") -> dict[str, Any]:
    return {"text": text, "kind": kind, "priority": priority, "refs": list(refs)}


def good_period(prompt: str, _number: int = 0) -> Said:
    """Return a careful model's answer: high and finished rows in their own words, cause and fix in one line, a narrative."""
    rows = [row for row in rows_of(prompt) if row[3] != "narrative"]
    lines = [
        line(text, n, kind=kind, priority=level) for n, _, level, kind, text in rows if level == "high" or kind == "completion"
    ]
    return Said(period(*lines, narrative="The job store was moved to Postgres and the duplicate invoices were fixed."))


def as_xml(answer: str) -> str:
    """Return the same answer as a model writes it through pi."""
    reply = json.loads(answer)
    mark = {"high": "🔴", "medium": "🟡", "low": "🟢"}
    lines = [
        f"* {mark[item['priority']]} [{item['kind']}] {item['text']} ({' '.join(f'#{ref}' for ref in item['refs'])})"
        for item in reply["lines"]
    ]
    return "\n".join(["<period>", f"<narrative>{reply['narrative']}</narrative>", "<facts>", *lines, "</facts>", "</period>"])


def endless_period(prompt: str, _number: int = 0) -> Said:
    """Return an answer that repeats every row together with every other one."""
    rows = [row for row in rows_of(prompt) if row[3] != "narrative"]
    pairs = [(record, other) for at, record in enumerate(rows) for other in rows[at + 1 :]][:40]
    return Said(period(*[line(f"{first[4]}; {second[4]}", first[0], second[0], kind=first[3]) for first, second in pairs]))
