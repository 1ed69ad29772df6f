"""Measures the checks of facts: how many true facts they stop, and how many false ones they let pass.

    python -m benchmarks.model.checks [--facts FOLDER …] [--sessions FOLDER …] [--yesterday WORKTREE] [--show HALF]

Facts are JSON lines with `session_file`, `first_line`, `last_line`, `entry_ids`, `text`, `kind`, `true` and `lie`; each is
checked against the entries of its stretch as if a model had written it about that window. Per bank and half (`develop`: the
checks were changed after reading it; `held`: its facts were scored and not read): `wrongly_stopped` and `lies_passed` as shares,
with their numbers, and `lies_by_class` that passed. Baselines in the same run: everything passes; a citation that exists is
enough; and with `--yesterday` the code of another worktree. `--show develop` prints the misjudged facts of that half.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.arguments import SHARED, make_parser, read_jsonl
from effects.config.settings import Settings
from effects.ingest.ingest_step import ingest_files
from effects.store.lake import Lake
from effects.store.run import Run
from transforms.conversation.entries import Entry, build_entries
from transforms.distil import fact_grounding, owner_grounding
from transforms.distil.engine_result import Fact
from transforms.distil.fact_grounding import check_fact
from transforms.distil.window_evidence import WindowEvidence

MADE = Path(__file__).parent / "facts"
HELD = frozenset(
    {"mod_grumbl", "nb_churn", "php_kessler", "rails_bookings", "rust_duf", "pinion_awesome"}
    | {f"ext_{name}" for name in ("goconst", "kirocli", "kiroide", "lifecycle", "researcher", "subskills")}
    | {f"pidev_{name}" for name in ("android", "brave", "entire", "skillcreator", "thinking")}
)
"""Files of facts that nobody read while the checks were changed; no owner stands in both halves."""

RELINK = getattr(owner_grounding, "relink_to_owner", None)
"""The code of another worktree may have none."""


def main() -> int:
    """Run the benchmark."""
    arguments = _parse_arguments()
    figures: dict[str, Any] = {}
    for folder in arguments.facts:
        figures[folder.name] = _score_bank(folder, arguments.sessions, arguments.show)
    result = {"benchmark": "model/checks", "banks": figures}
    if arguments.yesterday:
        result["yesterday"] = _run_yesterday(arguments)
    print(json.dumps(result))
    return 0


def _score_bank(folder: Path, sessions: list[Path], show: str) -> dict[str, Any]:
    by_half: defaultdict[str, list[tuple[dict[str, Any], str, str, bool]]] = defaultdict(list)
    unread: list[Path] = []
    for path in sorted(folder.glob("*.facts.jsonl")) or sorted(folder.glob("*.jsonl")):
        half = "held" if path.name.partition(".")[0] in HELD else "develop"
        checked = _check_file(read_jsonl(path), [folder, *sessions])
        by_half[half] += checked
        if not checked:
            unread.append(path)
    figures: dict[str, Any] = {"unread": [path.name for path in unread]} if unread else {}
    for half, checked in sorted(by_half.items()):
        if half == show:
            _print_misjudged(checked)
        figures[half] = _count(checked)
    return figures


def _count(checked: list[Any]) -> dict[str, Any]:
    true = [verdict for row, verdict, *_ in checked if row["true"]]
    false = [(row["lie"], verdict, exists) for row, verdict, _, exists in checked if not row["true"]]
    passed = Counter(lie for lie, verdict, _ in false if verdict == "allow")
    return {
        "true": len(true), "false": len(false),
        "wrongly_stopped": round(sum(verdict != "allow" for verdict in true) / len(true), 4),
        "wrongly_discarded": sum(verdict == "discard" for verdict in true),
        "lies_passed": round(sum(passed.values()) / len(false), 4),
        "lies_by_class": {lie: f"{passed[lie]}/{count}" for lie, count in sorted(Counter(lie for lie, *_ in false).items())},
        "baselines": {
            "everything passes": {"wrongly_stopped": 0.0, "lies_passed": 1.0},
            "the citation exists": {
                "wrongly_stopped": round(sum(not exists for row, _, _, exists in checked if row["true"]) / len(true), 4),
                "lies_passed": round(sum(exists for *_, exists in false) / len(false), 4),
            },
        },
    }  # fmt: skip


def _check_file(rows: list[dict[str, Any]], folders: list[Path]) -> list[tuple[dict[str, Any], str, str, bool]]:
    """Return each row with verdict, reason, and whether all its citations are entries of the stretch; nothing when no reader
    of sessions knows the format of its file."""
    entries = read_entries(rows[0]["session_file"], folders)
    if not entries:
        return []
    windows: dict[tuple[int, int], WindowEvidence] = {}
    checked = []
    for row in rows:
        stretch = (row["first_line"], row["last_line"])
        if stretch not in windows:
            windows[stretch] = WindowEvidence(tuple(entry for entry in entries if stretch[0] <= entry.line_no <= stretch[1]))
        window = windows[stretch]
        known = {entry.entry_id: entry.ordinal for entry in window.entries}
        ordinals = tuple(dict.fromkeys(known[entry] for entry in row["entry_ids"] if entry in known))
        fact = Fact(text=row["text"], kind=row["kind"], priority=row["priority"], category="projects", ordinals=ordinals)
        if RELINK and check_fact(fact, window)[1] in (fact_grounding.NOBODY_TYPED, fact_grounding.UNSAID):
            fact = RELINK(fact, window)
        checked.append((row, *check_fact(fact, window), set(row["entry_ids"]) <= set(known)))
    return checked


def read_entries(name: str, folders: list[Path]) -> list[Entry]:
    """Return the entries of a session file of one of the folders, in the order of its lines."""
    path = next((path for folder in folders for path in sorted(folder.rglob(name))), None)
    if path is None:
        raise SystemExit(f"{name} is in none of {', '.join(map(str, folders))}")
    with tempfile.TemporaryDirectory() as folder:
        lake = Path(folder) / "lake"
        settings = Settings(sessions=(path.parent,), lake=lake, workspace=Path(folder) / "pages", timezone="UTC")
        run = Run(settings, Lake(lake), datetime(2026, 12, 1, tzinfo=UTC))
        with run.lake.writing("checks benchmark"):
            ingest_files(run, paths=[path])
        return build_entries(run.lake.scan("entries").sort(pl.col("line_no"), pl.col("ordinal")).collect())


def _print_misjudged(checked: list[Any]) -> None:
    for row, verdict, reason, exists in checked:
        if (verdict == "allow") != row["true"]:
            result = f"STOPPED {verdict} {reason}" if row["true"] else f"PASSED {row['lie']}"
            print(
                f"{row['id']} [{row['kind']}] {result}{'' if exists else ' (citation missing)'}\n    {row['text']}",
                file=sys.stderr,
            )


def _run_yesterday(arguments: argparse.Namespace) -> dict[str, Any]:
    facts, sessions = ([str(path.resolve()) for path in paths] for paths in (arguments.facts, arguments.sessions))
    command = [sys.executable, str(Path(__file__).resolve()), "--facts", *facts, "--sessions", *sessions]
    environment = os.environ | {"PYTHONPATH": str(arguments.yesterday)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=arguments.yesterday)
    banks: dict[str, Any] = json.loads(done.stdout)["banks"]
    keys = ("wrongly_stopped", "wrongly_discarded", "lies_passed")
    return {
        bank: {half: {key: figures[key] for key in keys} for half, figures in halves.items() if half != "unread"}
        for bank, halves in banks.items()
    }


def _parse_arguments() -> argparse.Namespace:
    parser = make_parser(__doc__)
    parser.add_argument("--facts", type=Path, nargs="+", default=[MADE], help="folders of facts")
    parser.add_argument("--sessions", type=Path, nargs="+", default=[SHARED / "sessions"], help="folders of their sessions")
    parser.add_argument("--yesterday", type=Path, help="a worktree with the code to compare with")
    parser.add_argument("--show", default="", help="print the misjudged facts of this half")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
