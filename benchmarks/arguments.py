"""Shared by the benchmarks: their arguments, the folders of the sets outside the repository, and the scorers there."""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
"""The usual place of the sets: a folder `shared` beside the repository."""


def make_parser(documentation: str | None) -> argparse.ArgumentParser:
    """Return a parser whose help is the documentation of a script."""
    return argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)


def add_bench(parser: argparse.ArgumentParser) -> None:
    """Add `--bench`: the folder of the sets and scorers."""
    parser.add_argument("--bench", type=Path, default=SHARED / "bench", help="folder of the sets and scorers")


def add_sessions(parser: argparse.ArgumentParser) -> None:
    """Add `--sessions`: the folder of the real sessions."""
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions" / "real", help="folder of the real sessions")


def add_shared(parser: argparse.ArgumentParser) -> None:
    """Add `shared`: the folder with `bench/` and `sessions/`."""
    parser.add_argument("shared", type=Path, nargs="?", default=SHARED, help="folder with bench/ and sessions/")


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add `--budget` and `--exports`: how much is kept, and a folder for the rows that were scored."""
    parser.add_argument("--budget", type=float, default=0.05, help="share of the tokens of a session that is kept")
    parser.add_argument("--exports", type=Path, help="keep the scored rows here")


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def write_jsonl(path: Path, rows: list[Any]) -> None:
    """Write a file of JSON lines; dates are text."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows), encoding="utf-8")


def report_missing(paths: list[Path]) -> bool:
    """Say on stderr which of these do not exist; whether any does not."""
    missing = [path for path in paths if not path.exists()]
    for path in missing:
        print(f"not here: {path}", file=sys.stderr)
    return bool(missing)


def run_scorer(script: Path, *arguments: Path | str) -> dict[str, Any]:
    """Run a scorer of the sets and return its JSON line."""
    command = [sys.executable, str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    scores: dict[str, Any] = json.loads(done.stdout)
    return scores


def load_module(path: Path) -> ModuleType:
    """Import a scorer by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None, path
    assert spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
