"""Measures redaction on banks of fake secrets and on real sessions.

    python -m benchmarks.safety.redaction BANK… [--sessions FOLDER]

A bank is a folder of modules with `cases(seed)` and `innocent(seed)`, whose values are made at run time, or a file of cases
(`benchmarks/safety/case_bank.py`). Each case becomes a
session of its own, in the place that it names; the sessions are ingested, and every text of the lake is searched for the
pieces of the secret. Figures: cases of which a piece stayed, innocent texts that were changed, placeholders per 10 MB of real
sessions, seconds of processor time of the ingest. The baseline is the same line of an older checkout. JSON is printed last.
"""

from __future__ import annotations

import importlib.util
import json
import re
import tempfile
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from benchmarks.safety.case_bank import count_classes, is_changed, list_survivors, read_cases
from effects.config.settings import Settings
from effects.ingest.ingest_step import ingest
from effects.store.run import Run, open_run

PLACEHOLDER = re.compile(r"\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]")
START = "2026-11-20T10:00:00.000Z"


def main() -> None:
    """Print the figures; `--list` prints the cases that stayed and the innocent texts that were changed."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("banks", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--sessions", type=Path, help="real sessions, whose placeholders are listed")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    result: dict[str, object] = {}
    for bank in arguments.banks:
        if bank.suffix == ".jsonl":
            result[bank.parent.name] = _score_file(bank, arguments.list)
            continue
        result[bank.name] = _score_bank(bank, arguments.seeds, arguments.list)
    if arguments.sessions:
        result["sessions"] = _score_sessions(arguments.sessions, arguments.list)
    print(json.dumps(result))


def _score_bank(bank: Path, seeds: int, is_listing: bool) -> dict[str, object]:
    cases = [case | {"seed": seed} for module in load_bank(bank) for seed in range(seeds) for case in module.cases(seed)]
    texts = [text | {"seed": seed} for module in load_bank(bank) for seed in range(seeds) for text in module.innocent(seed)]
    stayed = [(case, pieces) for case, lake in zip(cases, _ingest_cases(cases), strict=True)
              if (pieces := [piece for piece in case["secret"] if piece in lake])]  # fmt: skip
    wheres: list[dict[str, Any]] = [text | {"where": where} for where in ("user", "tool_result") for text in texts]
    changed = [(text, lost) for text, lake in zip(wheres, _ingest_cases(wheres), strict=True)
               if (lost := [piece for piece in text["keep"] if piece not in lake])]  # fmt: skip
    if is_listing:
        for case, pieces in stayed:
            print(
                "STAYED", case["id"], case["family"], case["where"], json.dumps(pieces)[:100], "|", json.dumps(case["text"])[:400]
            )
        for text, lost in changed:
            print("CHANGED", text["id"], text["where"], json.dumps(lost)[:200], "|", json.dumps(text["text"])[:300])
    return {
        "cases": len(cases), "stayed": len(stayed), "share": round(len(stayed) / max(1, len(cases)), 4),
        "innocent": len(wheres), "changed": len(changed),
        "authors": dict(Counter(case["id"].split("-")[0] for case, _ in stayed)),
    }  # fmt: skip


def _score_file(path: Path, is_listing: bool) -> dict[str, object]:
    cases = list(read_cases(path))
    secret, innocent = ([case for case in cases if case["kind"] == kind] for kind in ("secret", "innocent"))
    lakes = dict(zip((case["id"] for case in cases), _ingest_cases(cases), strict=True))
    stayed = [(case, rest) for case in secret if (rest := list_survivors(case, lakes[case["id"]]))]
    changed = [case for case in innocent if is_changed(case, lakes[case["id"]])]
    if is_listing:
        for case, rest in stayed:
            print("STAYED", case["id"], case["place"], case["why"], json.dumps(rest)[:200], "|", json.dumps(case["source"])[:900])
        for case in changed:
            lake = lakes[case["id"]]
            around = [lake[max(0, mark.start() - 60) : mark.end() + 30] for mark in PLACEHOLDER.finditer(lake)]
            print(
                "CHANGED", case["id"], case["place"], case["why"], json.dumps(around[:2]), "|", json.dumps(case["source"])[:600]
            )
    return {
        "cases": len(secret), "stayed": len(stayed), "share": round(len(stayed) / max(1, len(secret)), 4),
        "innocent": len(innocent), "changed": len(changed),
        "stayed_by_place": count_classes([case for case, _ in stayed], "place"), "cases_by_place": count_classes(secret, "place"),
        "changed_by_place": count_classes(changed, "place"),
    }  # fmt: skip


def load_bank(bank: Path) -> Iterator[ModuleType]:
    """Yield the modules of a bank."""
    for path in sorted(bank.glob("*.py")):
        spec = importlib.util.spec_from_file_location(f"bank_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        if hasattr(module, "cases"):
            yield module


def _ingest_cases(cases: list[dict[str, Any]]) -> Iterator[str]:
    """Yield for each case all that the lake holds of its session, strings inside of JSON decoded."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "sessions").mkdir()
        for number, case in enumerate(cases):
            lines = "".join(json.dumps(line) + "\n" for line in _make_session(f"s{number:06d}", case))
            (home / "sessions" / f"s{number:06d}.jsonl").write_text(lines, encoding="utf-8")
        run = _ingest(home / "sessions", home)
        held = _read_lake(run)
    for number in range(len(cases)):
        yield held.get(f"s{number:06d}", "")


def _make_session(session: str, case: dict[str, Any]) -> Iterator[dict[str, Any]]:
    where, text = case["where"], case["text"]
    is_path = where == "file_path"
    yield {"type": "session", "version": 3, "id": session, "timestamp": START, "cwd": text if is_path else "/w/app"}
    if where == "title":
        yield {"type": "session_info", "id": "t", "parentId": None, "timestamp": START, "name": text}
    arguments = {"path": text} if is_path else {str(text): "1"} if where == "key_name" else text
    parts: dict[str, dict[str, Any]] = {
        "user": {"role": "user", "content": [{"type": "text", "text": text}]},
        "assistant": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        "thinking": {"role": "assistant", "content": [{"type": "thinking", "thinking": text}]},
        "tool_result": {
            "role": "toolResult",
            "toolCallId": "c1",
            "toolName": "bash",
            "content": [{"type": "text", "text": text}],
        },
        "title": {"role": "user", "content": [{"type": "text", "text": "Please look at this."}]},
    }
    call = {"role": "assistant", "content": [{"type": "toolCall", "id": "c1", "name": "bash", "arguments": arguments}]}
    yield {"type": "message", "id": "a", "parentId": None, "timestamp": START, "message": parts.get(where, call)}


def _ingest(sessions: Path, home: Path) -> Run:
    run = open_run(
        Settings(sessions=(sessions,), lake=home / "lake", workspace=home / "workspace", timezone="UTC", owner="Owner")
    )
    with run.lake.writing("benchmark"):
        ingest(run)
    return run


def _read_lake(run: Run) -> dict[str, str]:
    held: dict[str, list[str]] = {}
    for table in ("sessions", "entries"):
        for row in run.lake.read(table).iter_rows(named=True):
            held.setdefault(row["session_id"], []).extend(_list_strings(row))
    for row in run.lake.read("sources").iter_rows(named=True):
        held.setdefault(row["session_id"] or "", []).extend(_list_strings(row))
    return {session: "\n".join(texts) for session, texts in held.items()}


def _list_strings(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if name == "raw_json" or (name == "arguments" and value.startswith("{")):
            yield from _list_strings(json.loads(value))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _list_strings(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _list_strings(item)


def _score_sessions(folder: Path, is_listing: bool) -> dict[str, object]:
    size = sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
    with tempfile.TemporaryDirectory() as name:
        began = time.process_time()
        run = _ingest(folder, Path(name))
        seconds = time.process_time() - began
        texts = run.lake.scan("entries").select("session_id", "raw_json").collect()
    before = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.rglob("*.jsonl")))
    already = set(PLACEHOLDER.findall(before))
    totals = Counter(
        mark for text in texts.filter(pl.col("raw_json").str.contains("[redacted:", literal=True))["raw_json"]
        for mark in PLACEHOLDER.findall(text) if mark not in already
    )  # fmt: skip
    if is_listing:
        for mark, count in totals.most_common():
            around = [text[max(0, at - 90) : at + 40] for text in texts["raw_json"] if (at := text.find(mark)) >= 0][:1]
            print("REAL", count, mark, "|", *around)
    return {
        "mb": round(size / 1e6, 1), "secrets": len(totals), "places": totals.total(),
        "secrets_per_10_mb": round(len(totals) / (size / 1e7), 2), "ingest_cpu_s": round(seconds, 2),
    }  # fmt: skip


if __name__ == "__main__":
    main()
